"""The parts of a profile that say what is trained: corpora, sizes, stages of training, methods, grids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, field_validator, model_validator

from artefacts import Section
from artefacts.kinds import as_tuple
from pseudogec.corpora import PAIR_FORMATS, SENTENCE_FORMATS, PairFormat, SentenceFormat
from pseudogec.evaluate import ERRANT, AnyMetric
from pseudogec.random_streams import Seeds

Pairs = Annotated[PairFormat, BeforeValidator(PAIR_FORMATS.parse), PlainSerializer(PAIR_FORMATS.dump)]
Sentences = Annotated[SentenceFormat, BeforeValidator(SENTENCE_FORMATS.parse), PlainSerializer(SENTENCE_FORMATS.dump)]


class Test(Section):
    """Pairs to test on; a profile writes the keys of both fields side by side."""

    pairs: Pairs
    metrics: tuple[AnyMetric, ...] = Field((ERRANT,), min_length=1, description="what top systems are scored by")

    @model_validator(mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        own = {name: item for name, item in value.items() if name in cls.model_fields}
        return {"pairs": {name: item for name, item in value.items() if name not in own}, **own}

    @field_validator("metrics", mode="before")
    @classmethod
    def _accept_single_metrics(cls, value: Any) -> Any:
        return as_tuple(value)


class Corpora(Section):
    """Which texts play which part."""

    genuine: Pairs = Field(description="genuine training pairs (BEA-train in the paper)")
    validation: Pairs = Field(description="pairs that choose checkpoints (BEA-valid in the paper)")
    development: Pairs | None = Field(
        None,
        description="pairs that systems of several steps are tuned on, and that tracks are cut from; `validation` by default",
    )
    tests: dict[str, Test] = Field(
        min_length=1, description="named sets of pairs to score on: the first for all systems, the others for the top systems"
    )
    in_domain: Pairs | None = Field(
        None, description="the part of the genuine pairs that is like the test data, for the setting `sequential`"
    )
    seeds: dict[str, Sentences] = Field(min_length=1, description="named seed corpora of grammatical sentences")


class Subwords(Section):
    """Byte-pair encoding (TASLP section IV-A: 8,000 merges, learnt on the genuine targets)."""

    merges: int = Field(gt=0)


class PseudoDataSize(Section):
    """How pseudo data are cut: a corpus of n pairs is the first n / shard shards, so smaller corpora are part of larger ones."""

    shard: int = Field(gt=0, description="pairs a shard")


class Decoding(Section):
    """Beam search (TASLP table II: beam 5 with length normalisation)."""

    beam: int = Field(5, ge=1)
    length_penalty: float = Field(1.0, ge=0)
    precision: Literal["fp32", "fp16"] = Field(
        "fp32", description="of back-translation, which decodes millions; test sets are corrected in full precision in any case"
    )
    fused_attention: bool = Field(False, description="back-translate with torch's fused attention: to rounding the same")


class MorePseudoData(Section):
    """Pseudo data of a stage that are the same for every system of a grid (TASLP section IV-E: 250,000 pairs of direct noise)."""

    method: str
    seed_corpus: str
    pseudo_pairs: int = Field(gt=0)


class StageOfTraining(Section):
    """One stage of a curriculum: what is trained on, and how."""

    data: tuple[Literal["genuine", "pseudo", "in_domain", "copies"] | MorePseudoData, ...] = Field(
        min_length=1,
        description="the first part is the one that `upsample` repeats; `copies` are the genuine targets on both sides",
    )
    optimisation: str = Field(description="a name from `optimisations`")
    upsample: bool = Field(False, description="repeat the genuine data as often as the grid's `upsample` says")


class Scale(Section):
    """Amounts that the design leaves to each scale; ``$name`` anywhere in a profile stands for one of them."""

    base: int | None = Field(None, description="pseudo pairs of the comparisons of methods, parameters and seed corpora")
    small: int | None = Field(None, description="the smaller of the two amounts of pseudo pairs of the comparison of settings")
    medium: int | None = Field(None, description="the larger of the two; also that of the upsampling sweep")
    large: int | None = Field(None, description="pseudo pairs of the best systems")
    curve: tuple[int, ...] = Field((), description="amounts of pseudo pairs of the scaling curve")
    realistic: int | None = Field(None, description="pairs of realistic noise in the restricted track")
    low_resource: int | None = Field(None, description="pairs of realistic noise in the low-resource track")
    noise_mixed_in: int | None = Field(None, description="pairs of direct noise that `pretrain_joint` fine-tunes on")
    seed_corpus: str = Field("", description="the largest seed corpus, for settings, scaling and systems")
    sweep_seeds: Seeds = Field((), description="seeds of sweeps, which train many models")
    system_seeds: Seeds = Field((), description="seeds of the systems of Choe et al.")
    ensemble_seeds: Seeds = Field((), description="seeds of the models of an ensemble")

    @field_validator("curve", "sweep_seeds", "system_seeds", "ensemble_seeds", mode="before")
    @classmethod
    def _accept_single_values(cls, value: Any) -> Any:
        return as_tuple(value)


class GridAxes(Section):
    """What one table or figure compares: every combination of these values is one system, trained once for each seed."""

    method: tuple[str, ...] = ("none",)
    seed_corpus: tuple[str, ...] = ()
    setting: tuple[str, ...] = ()
    pseudo_pairs: tuple[int, ...] = ()
    upsample: tuple[int, ...] = (1,)
    architecture: tuple[str, ...] = ("default",)
    track: tuple[str, ...] = ("restricted",)
    parameters: dict[str, tuple[float, ...]] = Field(
        default_factory=dict, description="a sweep: a parameter of the methods -> its values; every combination of several"
    )
    seeds: Seeds | None = Field(None, description="the profile's seeds by default")

    @field_validator(
        "method", "seed_corpus", "setting", "pseudo_pairs", "upsample", "architecture", "track", "seeds", mode="before"
    )
    @classmethod
    def _accept_single_values(cls, value: Any) -> Any:
        return None if value is None else as_tuple(value)

    @field_validator("parameters", mode="before")
    @classmethod
    def _accept_single_parameters(cls, value: Any) -> Any:
        return {name: as_tuple(item) for name, item in value.items()} if isinstance(value, Mapping) else value
