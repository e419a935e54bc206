"""What a format of corpora is: one class, whose fields are what a profile says of the corpus, and which reads it.

To add one, derive from `FilePairs` (learner sentences with corrections) or `FileSentences` (grammatical text) and write
``read_file``; ours are in `pairs` and `sentences`. A profile names the class as it is registered, or as ``package.module:Class``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from pydantic import Field, model_validator

from artefacts import Section, SourceFile
from artefacts.kinds import Kind, Kinds, OneOrMore
from pseudogec.corpora.sampling import WHOLE, Share, clean_seed_text
from pseudogec.edits import AnnotatedSentence

BYTES_A_PAIR = 250
"""About how much of an M2 file is one sentence, for estimates."""


class Pair(NamedTuple):
    """An ungrammatical source and its grammatical target, both tokens."""

    source: list[str]
    target: list[str]


def drop_identical(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs whose source and target differ (TASLP section IV-A, after Chollampatt and Ng 2018)."""
    return (pair for pair in pairs if pair.source != pair.target)


class CorrectedSentence(NamedTuple):
    """A pair and what else its corpus says of it.

    Attributes:
        pair: the sentence and its (first) correction.
        level: the writer's proficiency level; empty where it is not known.
        annotated: its edits, where the corpus gives edits.
        references: all its corrections, where the corpus gives whole sentences.
    """

    pair: Pair
    level: str = ""
    annotated: AnnotatedSentence | None = None
    references: Sequence[list[str]] = ()


def matching(folder: Path, path: Path) -> list[Path]:
    """The files of a path or pattern of the data folder; none where it is missing."""
    if path.is_absolute():
        folder, path = Path(path.anchor), path.relative_to(path.anchor)
    return [file for file in sorted(folder.glob(path.as_posix())) if file.is_file() and not file.name.startswith(".")]


class Count(NamedTuple):
    """Sentences of a corpus: all, and those that the first annotator corrected (of grammatical text none)."""

    sentences: int
    corrected: int = 0


class CorpusFile(Section):
    path: Path = Field(description="relative to the profile's data folder; a pattern such as `gigaword/data/*/*.gz` names many")
    level: str = Field("", description="the proficiency level of its writers, where it is known")

    @model_validator(mode="before")
    @classmethod
    def _accept_path(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Path) else value


class LocatedFile(CorpusFile, SourceFile):
    """A corpus's file, known by its content."""


class PairFormat(Kind):
    """Where pairs of learner sentences and their corrections come from."""

    simulated: ClassVar[bool] = False
    """Whether a program makes them. Their true edits are known then, but are not cut as ERRANT cuts those of a hypothesis."""
    rewritten: ClassVar[bool] = False
    """Whether the corrections are rewritten sentences, which GLEU scores, and not edits."""

    @property
    def expected_sentences(self) -> float:
        """About how many pairs there are; known before they are read."""
        raise NotImplementedError

    def read(self) -> Iterator[CorrectedSentence]:
        """Yield the pairs, tokenised, one after the other, so that a corpus of any size needs no memory.

        Raises:
            DataError: a file is missing or malformed.
        """
        raise NotImplementedError


class SentenceFormat(Kind):
    """Where grammatical sentences come from, to make pseudo data of."""

    incidental: ClassVar[frozenset[str]] = frozenset({"stands_for"})

    stands_for: str = Field("", description="the paper's seed corpus that this one is compared with")


PAIR_FORMATS = Kinds(PairFormat, "source")
SENTENCE_FORMATS = Kinds(SentenceFormat, "source")


class FileFormat(Kind):
    """A corpus that is read from files."""

    quickly_counted: ClassVar[bool] = False
    """Whether `count` takes no longer than reading the files; sentences of the other formats must be split or parsed."""

    files: OneOrMore[CorpusFile] = Field(min_length=1, description="paths, or mappings of `path` and the writers' `level`")

    @property
    def located_files(self) -> tuple[LocatedFile, ...]:
        """The files, which must be `located`."""
        return cast(tuple[LocatedFile, ...], self.files)

    @property
    def counted_files(self) -> tuple[CorpusFile, ...]:
        """The files that hold each sentence once."""
        return self.files

    def count(self, path: Path) -> Count:
        """Count the sentences of one file; raises as `PairFormat.read` does."""
        raise NotImplementedError

    def located(self, find: Callable[[CorpusFile], Iterable[LocatedFile]]) -> Self:
        """The same corpus in files that are known by their content; ``find`` gives those of a path or pattern."""
        return self.model_copy(update={"files": tuple(chain.from_iterable(map(find, self.files)))})


class FilePairs(FileFormat, PairFormat):
    """Pairs from files. A format of one sentence after the other says how `read_file` yields pairs, and no more."""

    sentences: int | None = Field(None, gt=0, description="how many pairs are drawn; all by default")

    @property
    def expected_sentences(self) -> float:
        """Those drawn, or a guess from the size of the files."""
        return self.sentences or sum(file.size for file in self.located_files) / BYTES_A_PAIR

    def read_file(self, path: Path) -> Iterator[Pair]:
        """Yield the pairs of one file, tokenised; raises as `read` does."""
        raise NotImplementedError

    def read_all(self) -> Iterator[CorrectedSentence]:
        """Yield the pairs of all files; `read` draws from them."""
        for file in self.files:
            for pair in self.read_file(file.path):
                yield CorrectedSentence(pair, file.level)

    def read(self) -> Iterator[CorrectedSentence]:
        if self.sentences is None:
            return self.read_all()
        available = sum(1 for _ in self.read_all())
        drawn = set(np.random.default_rng(1).permutation(available)[: self.sentences].tolist())
        return (sentence for place, sentence in enumerate(self.read_all()) if place in drawn)

    def count(self, path: Path) -> Count:
        corrected = [pair.source != pair.target for pair in self.read_file(path)]
        return Count(len(corrected), sum(corrected))


class FileSentences(FileFormat, SentenceFormat):
    """Grammatical sentences from files."""

    incidental: ClassVar[frozenset[str]] = SentenceFormat.incidental | {"shares"}

    clean: bool = Field(False, description="leave out what the authors' filter of seed text leaves out")
    shares: int = Field(1, ge=1, description="into how many parts the reading is split; workers read them in parallel")

    def read_file(self, path: Path, share: Share = WHOLE, told: Callable[[int], None] | None = None) -> Iterator[list[str]]:
        """Yield the sentences of one file, tokenised.

        Args:
            path: the file, plain or compressed.
            share: yield only the sentences of these lines, pages or documents.
            told: called with the number of bytes read since the last call, before decompression.

        Raises:
            DataError: the file is missing or malformed.
        """
        raise NotImplementedError

    def read(self, share: Share = WHOLE, told: Callable[[int], None] | None = None) -> Iterator[list[str]]:
        """Yield the sentences of a share of every file's texts, without empty ones."""
        sentences = filter(None, chain.from_iterable(self.read_file(file.path, share, told) for file in self.files))
        return clean_seed_text(sentences) if self.clean else sentences

    def count(self, path: Path) -> Count:
        return Count(sum(1 for _ in self.read_file(path)))
