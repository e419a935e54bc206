"""The shape of a language model, in the field's terms."""

from __future__ import annotations

from typing import Self

from pydantic import PositiveInt, model_validator

from pseudogec.seq2seq.options import TransformerShape

_SHAPE = ("layers", "attention_heads", "model_size", "feed_forward_size", "dropout")


class LanguageModelArchitecture(TransformerShape):
    """The shape of a language model.

    Attributes:
        name: fairseq's name of the model; the shape below is that of "transformer_lm". Others, such as
            "fconv_lm_dauphin_wikitext103" (Dauphin et al. 2017, which Choe et al. use), are told by ``fairseq_options`` alone.
        layers: layers of the Transformer.
    """

    name: str = "transformer_lm"
    layers: PositiveInt = 6

    @model_validator(mode="after")
    def _shape_is_the_transformers(self) -> Self:
        fields = type(self).model_fields
        given = [name for name in _SHAPE if getattr(self, name) != fields[name].default]
        if self.name != "transformer_lm" and given:
            problem = f"{', '.join(given)}: the shape of transformer_lm"
            raise ValueError(f"{problem}; give the shape of {self.name} as fairseq_options")
        return self

    @property
    def shape(self) -> str:
        """What decides its speed."""
        return f"{self.name} {self.layers}x{self.model_size}-{self.feed_forward_size}"

    @property
    def layer_weights(self) -> int:
        """Weights of its layers' matrices, with which every piece is multiplied; of a Transformer."""
        return self.layers * (4 * self.model_size**2 + 2 * self.model_size * self.feed_forward_size)

    def fairseq_arguments(self) -> list[str]:
        """The arguments of ``fairseq-train`` that say the same."""
        # Sentences are told apart, as they are scored: none is read in the context of another.
        arguments = ["--arch", self.name, "--tokens-per-sample", str(self.max_positions), "--sample-break-mode", "eos"]
        if self.name == "transformer_lm":
            arguments += ["--decoder-layers", str(self.layers), "--decoder-attention-heads", str(self.attention_heads)]
            arguments += ["--decoder-embed-dim", str(self.model_size), "--decoder-ffn-embed-dim", str(self.feed_forward_size)]
            arguments += ["--dropout", str(self.dropout), "--decoder-normalize-before", "--share-decoder-input-output-embed"]
        return arguments + self._further_arguments()
