"""Corpora of sentence pairs and their reference edits, as recipes."""

from __future__ import annotations

from typing import ClassVar, Literal

from artefacts.file_digests import SourceFile
from pseudogec.study.study_recipe import StudyRecipe

M2_BYTES_A_SENTENCE = 250


class Corpus(StudyRecipe):
    """Pairs of an ungrammatical source and its correction.

    Files: ``source.txt``, ``target.txt``, ``levels.txt`` (a line each pair), and ``gold.m2`` where the source says what the
        edits are.
    """

    kind: ClassVar[str] = "corpus"
    seconds_a_unit: ClassVar[float] = 0.0005
    bytes_a_unit: ClassVar[float] = 250.0
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str

    @property
    def label(self) -> str:
        """The corpus's name in the profile."""
        return self.name

    @property
    def simulated(self) -> bool:
        """Whether its sentences are the embedded simulation's, whose true edits are known."""
        return False


class WorldCorpus(Corpus):
    """Learner sentences of the embedded simulation."""

    split: Literal["train", "valid", "test"]
    sentences: int
    seed: int
    levels: dict[str, float] | None

    @property
    def simulated(self) -> bool:
        """It is."""
        return True

    @property
    def work(self) -> float:
        """Sentences."""
        return self.sentences


class LevelledFile(SourceFile):
    """A file of pairs, and the proficiency level of all its sentences where it has one."""

    level: str = ""


class FileCorpus(Corpus):
    """Pairs read from files in one of the field's formats."""

    source: str
    files: tuple[LevelledFile, ...]
    sentences: int | None

    @property
    def work(self) -> float:
        """Sentences, or a guess from the size of the files."""
        return self.sentences or sum(file.size for file in self.files) / M2_BYTES_A_SENTENCE


class SplitCorpus(Corpus):
    """A part of a corpus: ``training`` has the given share of each proficiency level's sentences, ``remaining`` the others."""

    corpus: Corpus
    part: Literal["training", "remaining"]
    training_share: float
    seed: int

    @property
    def simulated(self) -> bool:
        """As the whole corpus."""
        return self.corpus.simulated

    @property
    def work(self) -> float:
        """Sentences."""
        return self.corpus.work


class References(StudyRecipe):
    """Reference edits of a corpus, ``references.m2``: the corpus's own where it has them, else found by the annotator."""

    kind: ClassVar[str] = "references"
    seconds_a_unit: ClassVar[float] = 0.003
    bytes_a_unit: ClassVar[float] = 250.0
    corpus: Corpus
    annotator: str

    @property
    def work(self) -> float:
        """Sentences."""
        return self.corpus.work

    @property
    def label(self) -> str:
        """The corpus."""
        return self.corpus.label
