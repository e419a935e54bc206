"""The recipes of systems: from a corpus's sentences, step by step, to their correction and its score.

A correction holds the correction before it, so that systems with the same first steps share them. What a step was tuned to on
development data (``...Search``) is an artefact of its own.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pseudogec.study.corpora import Corpus, References
from pseudogec.study.models import (
    ReleasedModel,
    ReleasedSubwords,
    Subwords,
    TrainedDetector,
    TrainedLanguageModel,
    TrainedModel,
    WordCounts,
    sentences_of_big,
    shapes_of_models,
)
from pseudogec.study.profile_systems import HuggingFaceClassifier
from pseudogec.study.study_recipe import StudyRecipe


class Correction(StudyRecipe):
    """The sentences of a corpus after one more step of a system.

    Files: ``hypotheses.txt``; ``steps.jsonl``, a line each sentence: why the step left it so, and the corrections among which
        the next step may choose.
    """

    kind: ClassVar[str] = "correction"
    seconds_a_unit: ClassVar[float] = 0.005
    bytes_a_unit: ClassVar[float] = 600.0
    corpus: Corpus
    step_name: ClassVar[str] = ""
    before: Correction | None
    """The step before; nothing for the first, which goes on from the sentences as they were written."""

    @property
    def step(self) -> str:
        """What the step is, in a few words."""
        return self.step_name

    @property
    def steps(self) -> tuple[Correction, ...]:
        """All steps from the first one to this."""
        return (*(self.before.steps if self.before else ()), self)

    @property
    def label(self) -> str:
        """Step and corpus."""
        return f"{self.step}-{self.corpus.label}"

    @property
    def work(self) -> float:
        """Sentences."""
        return self.corpus.work

    @property
    def work_kind(self) -> str:
        """Steps differ by far in speed, and so do models."""
        return f"{self.kind} {type(self).__name__} {shapes_of_models(self)}".strip()


class ModelCorrection(Correction):
    """What a model makes of the sentences, or an ensemble of models."""

    needs_gpu: ClassVar[bool] = True
    models: tuple[TrainedModel | ReleasedModel, ...]
    bpe: Subwords | ReleasedSubwords
    beam: int
    n_best: int
    length_penalty: float
    search: EnsembleSearch | None
    """Chooses among the models; all take part without it."""

    @property
    def step(self) -> str:
        """The model, or how many there are."""
        return self.models[0].label if len(self.models) == 1 else f"{len(self.models)} models"

    @property
    def work(self) -> float:
        """Sentences, once for each model."""
        return self.corpus.work * len(self.models)

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.corpus.work, self.models)


class RightToLeftCorrection(Correction):
    """The best of several corrections, as models that read and write from right to left rank them."""

    needs_gpu: ClassVar[bool] = True
    models: tuple[TrainedModel, ...]
    bpe: Subwords
    length_penalty: float

    @property
    def step(self) -> str:
        """How many models rank."""
        return f"{len(self.models)} models from right to left"

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.corpus.work, self.models)


class DetectionCorrection(Correction):
    """The correction where an error is detected, the sentence as it was written elsewhere."""

    step_name: ClassVar[str] = "error detection"
    needs_gpu: ClassVar[bool] = True
    detector: TrainedDetector | HuggingFaceClassifier
    bpe: Subwords
    threshold: float | ThresholdSearch


class SpellingCorrection(Correction):
    """Misspelt words replaced."""

    step_name: ClassVar[str] = "spelling"
    bpe: Subwords
    language_model: TrainedLanguageModel | None
    words: WordCounts | None
    """Where capitalised forms are learnt from."""
    casing_times: float


class UnknownWordsCorrection(Correction):
    """Edits of words that the models cannot read, undone."""

    step_name: ClassVar[str] = "unknown words"
    bpe: Subwords
    annotator: str


class LanguageModelCorrection(Correction):
    """The subset of the edits that a language model likes best."""

    step_name: ClassVar[str] = "language model"
    needs_gpu: ClassVar[bool] = True
    bpe: Subwords
    language_model: TrainedLanguageModel
    at_most: int
    length_penalty: float
    annotator: str


class TypeDroppingCorrection(Correction):
    """Edits of weak types, undone."""

    step_name: ClassVar[str] = "type dropping"
    search: TypeSearch
    annotator: str


class Search(StudyRecipe):
    """What was found best on development data: ``found.json``."""

    kind: ClassVar[str] = "search"
    seconds_a_unit: ClassVar[float] = 0.005
    references: References
    annotator: str

    @property
    def label(self) -> str:
        """What was searched."""
        return type(self).__name__

    @property
    def work_kind(self) -> str:
        """Searches differ by far in speed."""
        return f"{self.kind} {type(self).__name__} {shapes_of_models(self)}".strip()


class EnsembleSearch(Search):
    """Which models make the best ensemble (Choe et al. 2019, section 7.3)."""

    needs_gpu: ClassVar[bool] = True
    models: tuple[TrainedModel, ...]
    before: Correction | None
    bpe: Subwords
    beam: int
    length_penalty: float

    @property
    def work(self) -> float:
        """Sentences, once for each of the models in each round."""
        return self.references.work * len(self.models) ** 2

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.references.work * len(self.models), self.models)


class ThresholdSearch(Search):
    """From which probability of an error a correction is used."""

    before: Correction
    detector: TrainedDetector | HuggingFaceClassifier
    bpe: Subwords


class TypeSearch(Search):
    """Which types of edits are better dropped (Choe et al. 2019, section 7.4)."""

    before: Correction
    rounds: int
    at_most: int
    seed: int


class Score(StudyRecipe):
    """A scorer's verdict on a correction, sentence by sentence: ``score.json``."""

    kind: ClassVar[str] = "score"
    seconds_a_unit: ClassVar[float] = 0.003
    bytes_a_unit: ClassVar[float] = 100.0
    correction: Correction
    references: References
    scorer: Literal["errant", "maxmatch", "gleu"]
    annotator: str
    """Finds the corrections' edits for ERRANT; empty for the other scorers."""

    @property
    def work(self) -> float:
        """Sentences."""
        return self.correction.corpus.work

    @property
    def work_kind(self) -> str:
        """Scorers differ by far in speed."""
        return f"{self.kind} {self.scorer}"

    @property
    def label(self) -> str:
        """The correction."""
        return self.correction.label


for _recipe in (ModelCorrection, DetectionCorrection, TypeDroppingCorrection, EnsembleSearch, ThresholdSearch, TypeSearch):
    _recipe.model_rebuild()
