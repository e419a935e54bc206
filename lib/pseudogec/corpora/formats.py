"""Formats of corpora: a class whose fields are the corpus's keys in a profile, and whose methods
read it.

To add one, derive from `FilePairs` (learner sentences with corrections) or `FileSentences`
(grammatical text) and write ``read_file``; ours are in `pairs` and `sentences`, and
``params/README.md`` has a complete example. A profile names the class by its registered name, or as
``package.module:Class``. Rules:

- A sentence is a list of tokens; `pseudogec.text.tokenise` makes it from text.
- `read_lines` of `pseudogec.artefacts.files` reads plain and compressed files, and strips line
  ends. A CSV file may have line breaks inside quotes: ``csv.reader(f"{line}\\n" for line in
  read_lines(path))`` keeps them.
- Errors in a file are raised as `DataError`, which names file and line.
- A corpus that was read stays in the store until its files, its fields or the class's ``version``
  change. An edit of the code alone is not noticed: raise ``version`` with it.
- ``run_all.py --check`` reads the first sentences of every corpus, and counts all of small ones. It
  counts larger ones too where ``quickly_counted`` says that this takes no longer than reading the
  files.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from pseudogec.artefacts import Section, SourceFile
from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.kinds import Component, OneOrMore, Registry
from pseudogec.corpora.sampling import WHOLE, Share, clean_seed_text
from pseudogec.edits import AnnotatedSentence
from pseudogec.languages import ENGLISH, AnyLanguage, Language

log = logging.getLogger(__name__)

BYTES_A_PAIR = 250
"""Bytes of an M2 file for one sentence, approximately, for estimates."""


class Pair(NamedTuple):
    """An ungrammatical source and its grammatical target, both tokens."""

    source: list[str]
    target: list[str]


def drop_identical(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs whose source and target differ (TASLP section IV-A, after Chollampatt and Ng
    2018).
    """
    return (pair for pair in pairs if pair.source != pair.target)


class CorrectedSentence(NamedTuple):
    """A pair with the corpus's further information."""

    pair: Pair  # the sentence and its (first) correction
    level: str = ""  # the writer's proficiency level; empty where it is not known
    annotated: AnnotatedSentence | None = None  # its edits, where the corpus gives edits
    # All its corrections, where the corpus gives whole sentences
    references: Sequence[list[str]] = ()

    @property
    def lacks_a_side(self) -> bool:
        """Whether nobody corrected it, or there is nothing to correct: a model would learn to
        delete or to invent sentences.
        """
        return self.annotated is None and not all(self.pair)


def matching(folder: Path, path: Path) -> list[Path]:
    """The file of a path of the data folder or, where none has this very name, the files of a
    pattern; none if it is missing.
    """
    if path.is_absolute():
        folder, path = Path(path.anchor), path.relative_to(path.anchor)
    if (folder / path).is_file():
        return [folder / path]
    if path == Path():  # the folder itself, which is no pattern
        return []
    return [
        file
        for file in sorted(folder.glob(path.as_posix()))
        if file.is_file() and not file.name.startswith(".")
    ]


class Count(NamedTuple):
    """Numbers of sentences of a corpus."""

    sentences: int
    corrected: int = 0  # those that the first annotator corrected; of grammatical text, none
    left_out: int = 0  # pairs with an empty side

    @classmethod
    def of(cls, sentences: Iterable[CorrectedSentence]) -> Self:
        counts = Counter(
            (each.lacks_a_side, each.pair.source != each.pair.target) for each in sentences
        )
        return cls(
            counts[False, True] + counts[False, False],
            counts[False, True],
            counts[True, True] + counts[True, False],
        )


class Blocks(Section):
    """Long blocks of a file's sentences at equal distances, so that cutting them out divides few
    texts.
    """

    number: int = Field(gt=0, description="blocks of sentences in a row")
    share: float = Field(gt=0, lt=1, description="of the file's sentences, of all blocks together")

    def places(self, sentences: int) -> set[int]:
        """The places, from 0, of the blocks' sentences in a file of so many."""
        distance, size = sentences / self.number, round(self.share * sentences / self.number)
        starts = (round((block + 0.5) * distance - size / 2) for block in range(self.number))
        return {place for start in starts for place in range(start, start + size)}


class CorpusFile(Section):
    added_later: ClassVar[frozenset[str]] = frozenset(
        {"annotators", "unchanged", "only", "without"}
    )

    path: Path = Field(
        description="relative to the profile's data folder; a pattern such as "
        "`gigaword/data/*/*.gz` stands for many"
    )
    level: str = Field("", description="the proficiency level of its writers, where it is known")
    annotators: Literal["first", "all"] = Field(
        "first", description="of an M2 file: the annotators whose corrections become pairs"
    )
    unchanged: Literal["keep", "drop"] = Field(
        "keep", description="of an M2 file: whether pairs in which nothing is corrected are kept"
    )
    only: Blocks | None = Field(
        None, description="of a file of pairs: the blocks to take, for example for development"
    )
    without: Blocks | tuple[Blocks, ...] | None = Field(
        None,
        description="of a file of pairs: the blocks to leave out, or a list of such, for "
        "example of training",
    )

    @property
    def cuts(self) -> tuple[Blocks, ...]:
        cut = self.only or self.without or ()
        return cut if isinstance(cut, tuple) else (cut,)

    @model_validator(mode="after")
    def _cut_once(self) -> Self:
        if self.only and self.without:
            raise ValueError(f"{self.path}: give `only` or `without`")
        return self

    @model_validator(mode="before")
    @classmethod
    def _accept_path(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Path) else value


class LocatedFile(CorpusFile, SourceFile):
    """A corpus's file, identified by its content."""


class CorpusFormat(Component):
    simulated: ClassVar[bool] = False
    """Whether a program makes the sentences. True edits are then known, but ERRANT may divide those
    of a hypothesis otherwise.
    """

    @property
    def may_be_quoted(self) -> bool:
        """Whether sentences, and results made from them, may be passed on; of others a pack
        contains only numbers.
        """
        return self.simulated


class PairFormat(CorpusFormat):
    """A source of pairs of learner sentences and their corrections."""

    rewritten: ClassVar[bool] = False
    """Whether the corrections are rewritten sentences, which GLEU scores, and not edits."""

    @property
    @abstractmethod
    def expected_sentences(self) -> float:
        """The approximate number of pairs, known before they are read."""

    @abstractmethod
    def read(self) -> Iterator[CorrectedSentence]:
        """Yield the tokenised pairs one after the other, so that a corpus of any size needs little
        memory.

        Raises:
            DataError: a file is missing or malformed.
        """


class SentenceFormat(CorpusFormat):
    incidental: ClassVar[frozenset[str]] = frozenset({"stands_for"})

    stands_for: str = Field(
        "", description="the paper's seed corpus that this one is compared with"
    )


# The base, which is never made
PAIR_FORMATS = Registry(PairFormat, "source")  # type: ignore[type-abstract]
SENTENCE_FORMATS = Registry(SentenceFormat, "source")


class FileFormat(CorpusFormat):
    quickly_counted: ClassVar[bool] = False
    """Whether `count` takes no longer than reading the files; sentences of the other formats must
    be split or parsed.
    """

    incidental: ClassVar[frozenset[str]] = frozenset({"redistributable"})
    added_later: ClassVar[frozenset[str]] = frozenset({"language"})

    files: OneOrMore[CorpusFile] = Field(
        min_length=1, description="paths, or mappings of `path` and the writers' `level`"
    )
    redistributable: bool = Field(
        False,
        description="whether its licence lets anybody pass its sentences on; of other "
        "corpora, packs contain only numbers",
    )
    language: AnyLanguage = Field(
        ENGLISH, description="set by the profile's own `language`", exclude=True
    )

    @property
    def may_be_quoted(self) -> bool:
        return self.redistributable

    @model_validator(mode="after")
    def _files_can_be_divided(self) -> Self:
        for file in self.files:
            if file.cuts and (not isinstance(self, FilePairs) or self.files_belong_together):
                raise ValueError(
                    f"{file.path}: `only` and `without` are keys of files of pairs "
                    "that can be read one by one"
                )
        return self

    @property
    def located_files(self) -> tuple[LocatedFile, ...]:
        """The files identified by their content: all of them, once the corpus is `located`."""
        return tuple(file for file in self.files if isinstance(file, LocatedFile))

    @abstractmethod
    def checked(self) -> Iterator[Any]:
        """Yield what the files hold; refuses what cannot be a sentence, and raises as
        `PairFormat.read` does.
        """

    def count(self) -> Count:
        """Count the sentences of the files; raises as `PairFormat.read` does."""
        return Count(sum(1 for _ in self.checked()))

    def located(
        self, find: Callable[[CorpusFile], Iterable[CorpusFile]], language: Language = ENGLISH
    ) -> Self:
        """The same corpus, in the profile's language, in the files that ``find`` gives for each
        path or pattern.
        """
        return self.model_copy(
            update={
                "files": tuple(chain.from_iterable(map(find, self.files))),
                "language": language,
            }
        )

    def _refuse_text(self, sentence: Sequence[str]) -> None:
        if isinstance(sentence, str):
            problem = (
                f"{sentence!r} is text and not a list of tokens, which "
                "pseudogec.text.tokenise makes"
            )
            raise UserError(f"format `{self.known_as()}`: {problem}")


class FilePairs(FileFormat, PairFormat):
    """Pairs from files. A format writes `read_file`, or `read_all` where files belong together."""

    sentences: int | None = Field(None, gt=0, description="number of pairs to draw; all by default")

    @property
    def files_belong_together(self) -> bool:
        """Whether no file can be read without the others."""
        return type(self).read_all is not FilePairs.read_all

    @property
    def expected_sentences(self) -> float:
        return self.sentences or sum(file.size for file in self.located_files) / BYTES_A_PAIR

    def read_file(self, path: Path) -> Iterator[Pair | CorrectedSentence]:
        """Yield the tokenised pairs of one file; pairs without a level get the file's. Raises as
        `read` does.
        """
        raise NotImplementedError

    def read_all(self) -> Iterator[Pair | CorrectedSentence]:
        for file in self.files:
            for pair in self.read_part(file):
                for sentence in self.taken(pair, file):
                    yield sentence if sentence.level else sentence._replace(level=file.level)

    def read_part(self, file: CorpusFile) -> Iterator[CorrectedSentence]:
        """Yield the pairs of one file, without those that a cut leaves out; a file that is cut is
        read twice, first to count.
        """
        sentences = map(_corrected, self.read_file(file.path))
        if not file.cuts:
            return sentences
        count = sum(1 for _ in self.read_file(file.path))
        inside: set[int] = set()
        for cut in file.cuts:
            if not (places := cut.places(count)):
                problem = (
                    f"{cut.number} blocks of together {cut.share:.2%} of its {count} "
                    "sentences are empty"
                )
                raise DataError(file.path, f"{problem}; ask for fewer blocks, or for more")
            inside |= places
        keeps_cuts = file.only is not None
        return (
            sentence for place, sentence in enumerate(sentences) if (place in inside) is keeps_cuts
        )

    def taken(self, sentence: CorrectedSentence, file: CorpusFile) -> Iterator[CorrectedSentence]:
        """The parts of a file's sentence that the profile uses: the sentence, unless a format
        offers a choice.
        """
        yield sentence

    def checked(self) -> Iterator[CorrectedSentence]:
        for pair in self.read_all():
            sentence = _corrected(pair)
            for side in sentence.pair:
                self._refuse_text(side)
            yield sentence

    def _complete(self) -> Iterator[CorrectedSentence]:
        left_out = 0
        for sentence in self.checked():
            if sentence.lacks_a_side:
                left_out += 1
            else:
                yield sentence
        if left_out:
            log.warning(
                "%s: %d pairs with an empty side are left out", self.files[0].path, left_out
            )

    def read(self) -> Iterator[CorrectedSentence]:
        if self.sentences is None:
            return self._complete()
        available = self.count().sentences
        if available < self.sentences:
            problem = (
                f"there are {available:,} pairs, and `sentences` draws {self.sentences:,}; "
                "lower it, or add files"
            )
            raise UserError(f"{', '.join(str(file.path) for file in self.files)}: {problem}")
        drawn = set(np.random.default_rng(1).permutation(available)[: self.sentences].tolist())
        return (sentence for place, sentence in enumerate(self._complete()) if place in drawn)

    def count(self) -> Count:
        return Count.of(self.checked())


def _corrected(pair: Pair | CorrectedSentence) -> CorrectedSentence:
    return pair if isinstance(pair, CorrectedSentence) else CorrectedSentence(Pair(*pair))


class FileSentences(FileFormat, SentenceFormat):
    incidental: ClassVar[frozenset[str]] = (
        FileFormat.incidental | SentenceFormat.incidental | {"shares"}
    )
    added_later: ClassVar[frozenset[str]] = FileFormat.added_later | {"longest"}

    clean: bool = Field(
        False, description="leave out sentences that the authors' filter of seed text drops"
    )
    longest: int | None = Field(None, ge=1, description="sentences of more tokens are left out")
    shares: int = Field(1, ge=1, description="number of parts that workers read in parallel")

    @abstractmethod
    def read_file(
        self, path: Path, share: Share = WHOLE, on_read: Callable[[int], None] | None = None
    ) -> Iterator[list[str]]:
        """Yield the sentences of one file, tokenised.

        Args:
            path: the file, plain or compressed.
            share: yield only the sentences of these lines, pages or documents.
            on_read: called with the number of bytes read since the last call, before decompression.

        Raises:
            DataError: the file is missing or malformed.
        """

    def checked(
        self, share: Share = WHOLE, on_read: Callable[[int], None] | None = None
    ) -> Iterator[list[str]]:
        for file in self.files:
            for sentence in self.read_file(file.path, share, on_read):
                self._refuse_text(sentence)
                yield sentence

    def read(
        self, share: Share = WHOLE, on_read: Callable[[int], None] | None = None
    ) -> Iterator[list[str]]:
        """Yield the sentences of a share of every file's texts, without empty ones."""
        sentences: Iterator[list[str]] = filter(None, self.checked(share, on_read))
        if (longest := self.longest) is not None:
            sentences = (sentence for sentence in sentences if len(sentence) <= longest)
        return self._cleaned(sentences) if self.clean else sentences

    def _cleaned(self, sentences: Iterator[list[str]]) -> Iterator[list[str]]:
        counts = [0, 0]

        def counted(stage: int, sentences: Iterable[list[str]]) -> Iterator[list[str]]:
            for sentence in sentences:
                counts[stage] += 1
                yield sentence

        yield from counted(1, clean_seed_text(counted(0, sentences), self.language))
        if counts[1] < counts[0] / 2:
            message = (
                "%s: `clean`, the authors' filter, leaves out %d of %d sentences; it keeps "
                "the characters of %s alone"
            )
            log.warning(
                message, self.files[0].path, counts[0] - counts[1], counts[0], self.language.title
            )
