"""Pseudo data, as recipes: what a method makes of a shard of seed text."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pseudogec.study.corpora import Corpus, References
from pseudogec.study.models import TrainedModel, TrainingPairs, sentences_of_big, shapes_of_models
from pseudogec.study.seed_texts import SeedText
from pseudogec.study.study_recipe import StudyRecipe


class PseudoData(TrainingPairs, StudyRecipe):
    """One shard of pseudo data, binarised; ``examples.json`` shows how the first sentences came about."""

    kind: ClassVar[str] = "pseudo_data"
    packages: ClassVar[tuple[str, ...]] = ("numpy", "torch", "fairseq", "ctranslate2")
    seconds_a_unit: ClassVar[float] = 0.0005
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    method: str
    parameters: dict[str, Any]
    seed_text: SeedText
    seed: int

    @property
    def label(self) -> str:
        """Method, its parameters and the seed text."""
        return f"{self.name}-{self.seed_text.label}"

    @property
    def work(self) -> float:
        """Sentences."""
        return self.seed_text.size

    @property
    def work_kind(self) -> str:
        """Noise or decoding of one method; their speeds differ by far."""
        return f"{self.kind} {self.method}"


class NoisedData(PseudoData):
    """Pseudo data from a noising method, which learns unigrams or edits from the genuine pairs."""

    genuine: Corpus
    references: References | None
    """The genuine pairs' edits, for methods that learn from them."""


class BackTranslatedData(PseudoData):
    """Pseudo data from a reverse model, which was trained to make errors."""

    resumable: ClassVar[bool] = True
    needs_gpu: ClassVar[bool] = True
    added_later: ClassVar[frozenset[str]] = frozenset({"precision"})
    incidental: ClassVar[frozenset[str]] = PseudoData.incidental | {"fused_attention"}
    reverse_model: TrainedModel
    precision: Literal["fp32", "fp16"] = "fp32"
    fused_attention: bool = False

    @property
    def decoded(self) -> float:
        return sentences_of_big(self.work, [self.reverse_model])

    @property
    def work_kind(self) -> str:
        """Decoding by one method and shape of model."""
        return f"{super().work_kind} {shapes_of_models(self)}"


class MisspeltData(PseudoData):
    """Back-translated pseudo data with synthetic spelling errors on the source side; nothing is translated again.

    The words of the source are split into pieces anew, also where the reverse model had chosen other pieces for them.
    """

    pseudo_data: BackTranslatedData

    @property
    def work_kind(self) -> str:
        """Spelling errors alone."""
        return f"{self.kind} sse"


class PseudoEdits(StudyRecipe):
    """The edits that would correct pseudo data, found by the annotator in a shard's examples: ``edits.m2``."""

    kind: ClassVar[str] = "pseudo_edits"
    packages: ClassVar[tuple[str, ...]] = ("errant", "spacy")
    pseudo_data: PseudoData
    annotator: str

    @property
    def label(self) -> str:
        """The pseudo data."""
        return self.pseudo_data.label
