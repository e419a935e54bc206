"""The part of a profile that makes systems of models: which models there are, and what steps lead from text to its correction."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from artefacts.section import Section, Seeds, as_tuple
from pseudogec.seq2seq.language_model_options import LanguageModelArchitecture

Names = tuple[str, ...]


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


class WithModels(Section):
    """A step that names models."""

    models: Names = Field(min_length=1, description="names from `models`")
    seeds: Seeds | None = Field(None, description="which seeds take part; the profile's by default")

    @field_validator("models", "seeds", mode="before")
    @classmethod
    def _accept_single_values(cls, value: Any) -> Any:
        return None if value is None else as_tuple(value)


class ModelsStep(WithModels):
    """Models correct the text: one system for each seed, or an ensemble that averages their probabilities."""

    step: Literal["models"]
    ensemble: Literal["none", "all", "greedy"] = Field(
        "none", description="`all`: of all models and seeds; `greedy`: of those that a search on development data chooses"
    )
    n_best: int = Field(1, ge=1, description="corrections kept for a step that chooses among them")


class ReleasedModelsStep(Section):
    """Fairseq checkpoints that others released, as an ensemble; one that wants code run must be trusted by name."""

    step: Literal["released_models"]
    checkpoints: tuple[Path, ...] = Field(min_length=1, description="relative to the profile's data folder")
    source_dictionary: Path
    target_dictionary: Path
    codes: Path = Field(description="merges of subword-nmt")
    n_best: int = Field(1, ge=1)

    @field_validator("checkpoints", mode="before")
    @classmethod
    def _accept_single_values(cls, value: Any) -> Any:
        return as_tuple(value)


class RightToLeftStep(WithModels):
    """The n best corrections are ranked anew by the same kinds of models trained from right to left (TASLP section IV-E)."""

    step: Literal["right_to_left"]


class HuggingFaceClassifier(Section):
    """A sequence classifier in the format of Hugging Face."""

    name: str = Field(description="its name at Hugging Face, or its folder")
    error_label: int | str | None = Field(
        None, description="which of its labels says that there is an error; the last by default"
    )


class ErrorDetectionStep(Section):
    """A sentence is corrected only if a classifier finds an error in it (TASLP footnote 14)."""

    step: Literal["error_detection"]
    model: str | None = Field(None, description="a name from `models`: the correction model that becomes the classifier")
    hugging_face: HuggingFaceClassifier | None = Field(None, description="another classifier, instead")
    threshold: float | None = Field(None, ge=0, le=1, description="found on development data when it is not given")


class SpellingStep(Section):
    """Misspelt words are replaced by hunspell's suggestions (Choe et al. 2019, section 6)."""

    step: Literal["spelling"]
    language_model: bool = Field(True, description="judge suggestions in their sentence; otherwise the first is taken")
    casing: bool = Field(True, description="offer the capitalised form of words that are far more often written so")
    casing_times: float = Field(99.0, gt=1, description="how many times as often")


class UnknownWordsStep(Section):
    """Edits that touch a word which the models cannot read are undone (Choe et al. 2019, section 7.4)."""

    step: Literal["unknown_words"]


class LanguageModelStep(Section):
    """Of all subsets of a sentence's edits the one is kept that the language model likes best (Choe et al. 2019, section 7.4)."""

    step: Literal["language_model"]
    at_most: int = Field(7, ge=1, le=12, description="edits of a sentence that are tried")
    length_penalty: float = Field(1.0, ge=0, description="exponent of the number of words that divides a log-probability")


class TypeDroppingStep(Section):
    """Edits of the types are undone that a random search on development data names (Choe et al. 2019, section 7.4)."""

    step: Literal["type_dropping"]
    rounds: int = Field(1000, ge=1)
    at_most: int = Field(5, ge=1, description="types that are dropped at once")


AnyStep = Annotated[
    ModelsStep
    | ReleasedModelsStep
    | RightToLeftStep
    | ErrorDetectionStep
    | SpellingStep
    | UnknownWordsStep
    | LanguageModelStep
    | TypeDroppingStep,
    Field(discriminator="step"),
]


class SystemSteps(Section):
    """A system: the steps of another one, if it goes on from one, and its own."""

    after: str | None = Field(None, description="the system whose steps come first")
    steps: tuple[AnyStep, ...] = Field(min_length=1)
    stands_for: Names = Field((), description="rows of published tables that it is compared with, where its name is another")

    @field_validator("stands_for", mode="before")
    @classmethod
    def _accept_single_values(cls, value: Any) -> Any:
        return as_tuple(value)


def describe(step: AnyStep) -> str:
    """A step in a few words, for tables."""
    match step:
        case ModelsStep(ensemble="none", models=(name,)):
            return f"the model {name}" + (f", {step.n_best} best" if step.n_best > 1 else "")
        case ModelsStep():
            chosen = "the best ensemble found among" if step.ensemble == "greedy" else "an ensemble of"
            return f"{chosen} {' and '.join(step.models)}" + (f", {step.n_best} best" if step.n_best > 1 else "")
        case ReleasedModelsStep():
            return f"{len(step.checkpoints)} released checkpoints"
        case RightToLeftStep():
            return f"ranked by {' and '.join(step.models)} from right to left"
        case ErrorDetectionStep():
            return f"only where an error is detected ({step.hugging_face.name if step.hugging_face else 'our classifier'})"
        case SpellingStep():
            judged = " by the language model" if step.language_model else ""
            return f"spelling{judged}" + (" with capitals" if step.casing else "")
        case UnknownWordsStep():
            return "edits of unknown words undone"
        case LanguageModelStep():
            return "the edits that the language model likes"
        case TypeDroppingStep():
            return "weak types of edits dropped"
