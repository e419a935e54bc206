"""The recipe of scores."""

from __future__ import annotations

from typing import ClassVar, Literal

from pseudogec.study.corpora import References
from pseudogec.study.corrections import Correction
from pseudogec.study.study_recipe import StudyRecipe


class Score(StudyRecipe):
    """A scorer's verdict on a correction, sentence by sentence: ``score.json``."""

    kind: ClassVar[str] = "score"
    packages: ClassVar[tuple[str, ...]] = ("errant", "spacy")
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
