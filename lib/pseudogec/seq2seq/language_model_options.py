"""The shape of a language model, in the field's terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

_SHAPE = ("layers", "attention_heads", "model_size", "feed_forward_size", "dropout")


class LanguageModelArchitecture(BaseModel):
    """The shape of a language model.

    Attributes:
        name: fairseq's name of the model; the shape below is that of "transformer_lm". Others, such as
            "fconv_lm_dauphin_wikitext103" (Dauphin et al. 2017, which Choe et al. use), are told by ``fairseq_options`` alone.
        layers: layers of the Transformer.
        attention_heads: heads of every attention.
        model_size: width of embeddings and layers.
        feed_forward_size: inner width of the feed-forward layers.
        dropout: share of activations dropped.
        max_positions: longest sentence in pieces, its end included.
        fairseq_options: further options of the fairseq model, without dashes in front; ``True`` gives an option without value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "transformer_lm"
    layers: PositiveInt = 6
    attention_heads: PositiveInt = 8
    model_size: PositiveInt = 512
    feed_forward_size: PositiveInt = 2048
    dropout: float = Field(default=0.1, ge=0.0, lt=1.0)
    max_positions: PositiveInt = 1024
    fairseq_options: Mapping[str, bool | int | float | str] = {}

    @model_validator(mode="after")
    def _heads_divide_the_model(self) -> Self:
        if self.model_size % self.attention_heads:
            raise ValueError(f"model_size {self.model_size} must be a multiple of attention_heads {self.attention_heads}")
        return self

    @model_validator(mode="after")
    def _shape_is_the_transformers(self) -> Self:
        fields = type(self).model_fields
        given = [name for name in _SHAPE if getattr(self, name) != fields[name].default]
        if self.name != "transformer_lm" and given:
            problem = f"{', '.join(given)}: the shape of transformer_lm"
            raise ValueError(f"{problem}; give the shape of {self.name} as fairseq_options")
        return self

    def fairseq_arguments(self) -> list[str]:
        """The arguments of ``fairseq-train`` that say the same."""
        # Sentences are told apart, as they are scored: none is read in the context of another.
        arguments = ["--arch", self.name, "--tokens-per-sample", str(self.max_positions), "--sample-break-mode", "eos"]
        if self.name == "transformer_lm":
            arguments += ["--decoder-layers", str(self.layers), "--decoder-attention-heads", str(self.attention_heads)]
            arguments += ["--decoder-embed-dim", str(self.model_size), "--decoder-ffn-embed-dim", str(self.feed_forward_size)]
            arguments += ["--dropout", str(self.dropout), "--decoder-normalize-before", "--share-decoder-input-output-embed"]
        for option, value in self.fairseq_options.items():
            if value is not False:
                arguments += [f"--{option}"] if value is True else [f"--{option}", str(value)]
        return arguments
