"""Models and their training in the field's terms; the only module with the names of fairseq's
arguments for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from pseudogec.artefacts.kinds import Section

FairseqOptions = Mapping[str, bool | int | float | str | None]
"""Options of a fairseq program: ``True`` stands for one without a value; one that is ``False`` or
``None`` is left out.
"""


def fairseq_arguments(options: FairseqOptions) -> list[str]:
    chosen = {
        option: value
        for option, value in options.items()
        if value is not None and value is not False
    }
    return [
        text
        for option, value in chosen.items()
        for text in (f"--{option}", *([] if value is True else [str(value)]))
    ]


class TransformerShape(Section):
    attention_heads: PositiveInt = 8
    model_size: PositiveInt = 512  # width of embeddings and layers
    feed_forward_size: PositiveInt = 2048  # inner width of the feed-forward layers
    dropout: float = Field(default=0.1, ge=0.0, lt=1.0)  # after embeddings and sublayers
    max_positions: PositiveInt = 1024  # longest sentence in subwords, its end included
    fairseq_options: Mapping[str, bool | int | float | str] = {}
    """Further options of the fairseq model, without dashes in front; ``True`` gives an option
    without value.
    """

    @model_validator(mode="after")
    def _heads_divide_the_model(self) -> Self:
        if self.model_size % self.attention_heads:
            raise ValueError(
                f"model_size {self.model_size} must be a multiple of attention_heads "
                f"{self.attention_heads}"
            )
        return self


class Architecture(TransformerShape):
    incidental: ClassVar[frozenset[str]] = frozenset({"fused"})
    """Fields that do not change the model and are not part of a recipe's key."""

    name: str = "transformer"  # fairseq's name of the model; or "copy_transformer"
    encoder_layers: PositiveInt = 6
    decoder_layers: PositiveInt = 6
    attention_dropout: float = Field(default=0.0, ge=0.0, lt=1.0)
    activation_dropout: float = Field(default=0.0, ge=0.0, lt=1.0)  # within the feed-forward layers
    share_embeddings: Literal["all", "decoder", "none"] = "all"
    """Source embedding, target embedding and output projection share their weights, or only the
    last two, or none.
    """
    pre_norm: bool = False  # layer normalisation before every sublayer rather than behind it
    fused: bool = False
    """Training computes loss and update in fewer operations, the same up to rounding
    (`pseudogec.seq2seq.fused_loss`, `pseudogec.seq2seq.fused_update`)."""

    @property
    def copies(self) -> bool:
        """Whether the model copies subwords of its input by construction."""
        return self.name == "copy_transformer"

    @property
    def shape(self) -> str:
        return (
            f"{self.name} "
            f"{self.encoder_layers}+{self.decoder_layers}x{self.model_size}-{self.feed_forward_size}"
        )

    @property
    def layer_weights(self) -> int:
        """Weights of its layers' matrices; each subword passes through those of one side."""
        attention, feed_forward = (
            4 * self.model_size**2,
            2 * self.model_size * self.feed_forward_size,
        )
        return self.encoder_layers * (attention + feed_forward) + self.decoder_layers * (
            2 * attention + feed_forward
        )

    def fairseq_arguments(self) -> list[str]:
        options: dict[str, Any] = {"task": "translation", "arch": self.name}
        for side, layers in (("encoder", self.encoder_layers), ("decoder", self.decoder_layers)):
            options |= {f"{side}-layers": layers, f"{side}-attention-heads": self.attention_heads}
            options |= {
                f"{side}-embed-dim": self.model_size,
                f"{side}-ffn-embed-dim": self.feed_forward_size,
            }
            options |= {f"{side}-normalize-before": self.pre_norm}
        options |= {"dropout": self.dropout, "attention-dropout": self.attention_dropout}
        options |= {"activation-dropout": self.activation_dropout}
        options |= {"share-all-embeddings": self.share_embeddings == "all"}
        options |= {"share-decoder-input-output-embed": self.share_embeddings == "decoder"}
        options |= {
            "max-source-positions": self.max_positions,
            "max-target-positions": self.max_positions,
        }
        return fairseq_arguments({**options, **self.fairseq_options})


class LanguageModelArchitecture(TransformerShape):
    name: str = "transformer_lm"
    """fairseq's name of the model; ``fairseq_options`` alone give the shape of others than
    "transformer_lm", such as "fconv_lm_dauphin_wikitext103" (Dauphin et al. 2017), which Choe et
    al. use."""
    layers: PositiveInt = 6

    @model_validator(mode="after")
    def _shape_is_the_transformers(self) -> Self:
        shape = ("layers", "attention_heads", "model_size", "feed_forward_size", "dropout")
        names = [
            name for name in shape if getattr(self, name) != type(self).model_fields[name].default
        ]
        if self.name != "transformer_lm" and names:
            raise ValueError(
                f"{', '.join(names)}: the shape of transformer_lm; give the shape of "
                f"{self.name} as fairseq_options"
            )
        return self

    @property
    def shape(self) -> str:
        return f"{self.name} {self.layers}x{self.model_size}-{self.feed_forward_size}"

    @property
    def layer_weights(self) -> int:
        return self.layers * (4 * self.model_size**2 + 2 * self.model_size * self.feed_forward_size)

    def fairseq_arguments(self) -> list[str]:
        # Each sentence is read by itself, as it is scored.
        options: dict[str, Any] = {"task": "language_modeling", "arch": self.name}
        options |= {"tokens-per-sample": self.max_positions, "sample-break-mode": "eos"}
        if self.name == "transformer_lm":
            options |= {
                "decoder-layers": self.layers,
                "decoder-attention-heads": self.attention_heads,
            }
            options |= {
                "decoder-embed-dim": self.model_size,
                "decoder-ffn-embed-dim": self.feed_forward_size,
            }
            options |= {
                "dropout": self.dropout,
                "decoder-normalize-before": True,
                "share-decoder-input-output-embed": True,
            }
        return fairseq_arguments({**options, **self.fairseq_options})


class AverageLast(Section):
    """The model is the mean of the weights of the last ``average_last`` checkpoints.

    In JOINT, Kiyono et al. average the last 20, one for each epoch (TASLP table II) or for every
    500 updates (EMNLP table 6).
    """

    average_last: PositiveInt


class Optimisation(Section):
    added_later: ClassVar[frozenset[str]] = frozenset({"pairs_at_once", "warmup_from", "snapshots"})
    """Options whose default is the behaviour before they existed: with it the model is the same."""

    optimiser: Literal["adam", "adafactor"] = "adam"
    """Adam (Kingma and Ba 2015), or Adafactor (Shazeer and Stern 2018) with the learning rate given
    from outside.
    """
    learning_rate: PositiveFloat  # the peak of the schedules "inverse_sqrt" and "linear"
    warmup_updates: NonNegativeInt = 0  # in which the learning rate rises
    warmup_from: NonNegativeFloat = 0.0  # the learning rate before the first of them
    schedule: Literal["inverse_sqrt", "constant", "linear"] = "inverse_sqrt"
    """After the warmup: as in Vaswani et al. 2017, section 5.3; the peak throughout; a line to 0 at
    the last of ``updates``.
    """
    adam_betas: tuple[float, float] | None = None  # None: (0.9, 0.98)
    adam_eps: PositiveFloat | None = None  # None: 1e-8
    label_smoothing: float = Field(default=0.1, ge=0.0, lt=1.0)
    clip_norm: NonNegativeFloat = 1.0  # 0: no clipping
    weight_decay: NonNegativeFloat = 0.0
    max_tokens: PositiveInt = 4000  # subwords a batch, padding included, on the longer side
    # Batches whose gradients make one update; several processes share them
    update_frequency: PositiveInt = 1
    # Passes over all training data; `updates` may end training earlier
    epochs: PositiveInt | None = None
    updates: PositiveInt | None = None
    pairs_at_once: PositiveInt | None = None
    """Most training pairs whose index and order are in memory at once; None: all. Larger data are
    read in turns of consecutive datasets, which are not cut."""
    precision: Literal["fp32", "fp16", "bf16", "auto"] = "fp32"
    """fp16 needs a GPU. A CPU with instructions for bf16 multiplies matrices in it, and keeps
    weights and optimiser in fp32: on some processors twice as fast as fp32, on others slower
    (`tests/bench/bench_training.py` measures it). "auto": bf16 where the processor or GPU computes
    in it, else fp32; the result says which."""
    checkpoint_updates: PositiveInt | None = None
    """Updates from one checkpoint and validation to the next; None: both are made at the end of
    every epoch.
    """
    selection: Literal["best"] | AverageLast = AverageLast(average_last=1)
    """The model: the checkpoint with the lowest validation perplexity, or the mean of the last
    ones.
    """
    snapshots: tuple[PositiveInt, ...] = ()
    """Epochs after which a model is kept, too, as if training had ended there."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.epochs is None and self.updates is None:
            raise ValueError("training needs an end: give epochs, updates or both")
        if self.snapshots and (
            self.checkpoint_updates or self.selection == "best" or self.schedule == "linear"
        ):
            raise ValueError(
                "snapshots need checkpoints at the end of epochs, average_last, and a "
                "schedule without an end"
            )
        if self.schedule == "linear" and (
            self.updates is None or self.updates <= self.warmup_updates
        ):
            raise ValueError(
                "the schedule linear falls to 0 at the last update; give updates, "
                "more than warmup_updates"
            )
        if self.schedule == "inverse_sqrt" and not self.warmup_updates:
            raise ValueError(
                "the schedule inverse_sqrt needs warmup_updates of at least 1 (the papers' is 4000)"
            )
        return self

    @property
    def batch(self) -> int:
        """Most subwords of an update, on all devices together."""
        return self.max_tokens * self.update_frequency

    def fairseq_arguments(self, shards: int = 1) -> list[str]:
        # fairseq calls each of the shards, which are read one after the other, an epoch.
        betas = self.adam_betas or (0.9, 0.98)
        adam: FairseqOptions = {
            "adam-betas": f"({betas[0]}, {betas[1]})",
            "adam-eps": self.adam_eps or 1e-8,
        }
        in_shards: FairseqOptions = {"save-interval": shards, "validate-interval": shards}
        return fairseq_arguments(
            {
                "optimizer": self.optimiser,
                "lr": self.learning_rate,
                "weight-decay": self.weight_decay,
                # fairseq's Adafactor takes the given learning rate as it is unless
                # --scale-parameter or --relative-step is named.
                **(adam if self.optimiser == "adam" else {}),
                "lr-scheduler": {"constant": "fixed", "linear": "polynomial_decay"}.get(
                    self.schedule, self.schedule
                ),
                "total-num-update": self.updates if self.schedule == "linear" else None,
                "warmup-updates": self.warmup_updates,
                "warmup-init-lr": self.warmup_from or None,
                "criterion": "label_smoothed_cross_entropy",
                "label-smoothing": self.label_smoothing,
                "clip-norm": self.clip_norm,
                "max-tokens": self.max_tokens,
                "update-freq": self.update_frequency,
                **({self.precision: True} if self.precision != "fp32" else {}),
                # fairseq trains a copy of the weights in full precision: at rates of fine-tuning
                # fp16 would round changes away. It makes one long vector of the copy, but Adafactor
                # must know the rows and columns of each matrix.
                "fp16-no-flatten-grads": self.precision == "fp16" and self.optimiser == "adafactor",
                "max-epoch": None if self.epochs is None else self.epochs * shards,
                **(in_shards if shards > 1 else {}),
                "max-update": self.updates,
                "save-interval-updates": self.checkpoint_updates,
                "best-checkpoint-metric": "ppl",
            }
        )


class DetectorOptions(Section):
    """The training of a classifier of sentences with and without errors."""

    # Adam's peak, after the first tenth of the updates; it then falls linearly to 0
    learning_rate: PositiveFloat = 1e-3
    epochs: PositiveInt = 4  # the one with the lowest validation loss is kept
    max_tokens: PositiveInt = 1000  # subwords a batch, padding included
    # In the correction model that becomes the classifier
    dropout: float = Field(default=0.1, ge=0.0, lt=1.0)
