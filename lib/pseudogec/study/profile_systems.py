"""The part of a profile that makes systems of models: which models there are, and what steps lead from text to its correction."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, SerializeAsAny, field_validator

from artefacts import Section
from artefacts.kinds import as_tuple
from pseudogec.correct import STEPS, Step
from pseudogec.seq2seq.options import LanguageModelArchitecture


class ModelChoice(Section):
    """One kind of model, trained once for each seed: a point of a grid."""

    method: str = "none"
    seed_corpus: str | None = None
    setting: str = "baseline"
    pseudo_pairs: int = Field(0, ge=0)
    upsample: int = Field(1, ge=1)
    architecture: str = Field("default", description="`default`, or a name from `architectures`")
    track: str = Field("restricted", description="`restricted` (all genuine pairs), or a name from `tracks`")


class LanguageModelChoice(Section):
    """The language model that spelling and edits are judged by (Choe et al. 2019, section 7.2)."""

    seed_corpus: str
    sentences: int = Field(gt=0, description="whole shards of the seed corpus")
    architecture: LanguageModelArchitecture = LanguageModelArchitecture()
    optimisation: str = Field(description="a name from `optimisations`")


class Track(Section):
    """Genuine pairs that are a part of the development data (Choe et al. 2019, section 7.1: 3 of 4 sentences).

    The part keeps the levels' proportions; the remaining sentences choose checkpoints.
    """

    training_share: float = Field(0.75, gt=0, lt=1)
    seed: int = 1


class SystemSteps(Section):
    """A system: the steps of another one, if it goes on from one, and its own."""

    after: str | None = Field(None, description="the system whose steps come first")
    steps: tuple[Annotated[SerializeAsAny[Step], BeforeValidator(STEPS.parse), PlainSerializer(STEPS.dump)], ...] = Field(
        min_length=1
    )
    stands_for: tuple[str, ...] = Field(
        (), description="rows of published tables that it is compared with, where its name is another"
    )

    @field_validator("stands_for", mode="before")
    @classmethod
    def _accept_single_values(cls, value: Any) -> Any:
        return as_tuple(value)
