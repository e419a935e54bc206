"""Recipes of corpora: pairs from any format with their reference edits, and seed text from files or
the project's own.

SeedCorpus (a share of the files' texts: split, tokenised, cleaned) ──► SeedShards (many at a pass)
──► SeedText (one shard)
"""

from __future__ import annotations

import os
import shutil
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import cached_property
from itertools import chain, islice, repeat
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, NamedTuple

import numpy as np

from pseudogec.artefacts import Artefacts, Progress, Recipe, refuse_changed
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import read_lines, write_atomically, write_lines
from pseudogec.corpora import (
    WHOLE,
    CorrectedSentence,
    FileFormat,
    FileSentences,
    LocatedFile,
    Pair,
    PairFormat,
    Share,
    Shuffle,
    part_of_each,
    read_plain,
    sample,
)
from pseudogec.corpora.classroom import Text, classroom_sentences, taken
from pseudogec.edits import (
    AnnotatedSentence,
    EditProfile,
    M2File,
    annotator_of,
    read_m2,
    typed_otherwise,
    write_m2,
)

SHARDS_A_PASS = 100
"""Number of shards that are cut from a seed corpus in one pass over it; with 100 million sentences
a pass takes minutes.
"""

MOST_QUOTED = 20_000
"""Packs contain the text of corpora of at most so many sentences; of larger ones they contain only
numbers.
"""

Sides = tuple[str, ...]
"""One entry of a text: a sentence, or a source and its corrections; tokens separated by spaces."""

Purpose = Literal["training", "dictionary", "tuning"]

_SENTENCES = "sentences.txt"
_CORPUS = "sentences.txt.zst"
_SHUFFLED_AT_ONCE = 2**16


class Corpus(Recipe):
    """Pairs of an ungrammatical source and its correction.

    Files: ``source.txt``, ``target.txt``, ``levels.txt`` (a line each pair); ``gold.m2`` where the
    source says
        what the edits are; ``reference0.txt``, ``reference1.txt``, ... where it gives several
        corrections as whole sentences.
    """

    kind: ClassVar[str] = "corpus"
    seconds_a_unit: ClassVar[float] = 0.0005
    bytes_a_unit: ClassVar[float] = 250.0
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    portable: ClassVar[tuple[str, ...]] = ("levels.txt",)
    name: str

    @property
    # A large corpus would fill a pack
    def quoting(self) -> tuple[str, ...]:  # type: ignore[override]
        return (
            ("source.txt", "target.txt", "gold.m2", "reference*.txt")
            if self.work <= MOST_QUOTED
            else ()
        )

    @property
    @abstractmethod
    def simulated(self) -> bool:
        """Whether its errors are simulated, so that the true edits are known."""

    @property
    @abstractmethod
    def origin(self) -> tuple[WrittenCorpus]:
        """The corpus before any step of a system changed it."""


class WrittenCorpus(Corpus):
    """A corpus as its writers left it."""

    @property
    def origin(self) -> tuple[WrittenCorpus]:
        return (self,)

    def sides(self, folder: Path) -> Iterator[Sides]:
        """Yield its sentences from its folder."""
        files = [
            folder / "source.txt",
            folder / "target.txt",
            *sorted(folder.glob("reference*.txt")),
        ]
        return zip(*map(read_lines, files), strict=True)


class WholeCorpus(WrittenCorpus):
    """Everything that a profile names as one corpus, in any format."""

    pairs: PairFormat

    @property
    def simulated(self) -> bool:
        return self.pairs.simulated

    @cached_property
    def may_be_quoted(self) -> bool:
        return self.pairs.may_be_quoted

    @property
    def files(self) -> tuple[LocatedFile, ...]:
        """The files that it is read from; none for the classroom's own text."""
        return self.pairs.located_files if isinstance(self.pairs, FileFormat) else ()

    @property
    def work(self) -> float:
        return self.pairs.expected_sentences

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        refuse_changed(self.files, store.root)

        def sentences() -> Iterator[CorrectedSentence]:
            for count, sentence in enumerate(self.pairs.read(), start=1):
                progress(count, max(self.work, count), "sentences")
                yield sentence

        facts = _write_corpus(folder, sentences())
        if not facts["source_tokens"]:
            raise UserError(
                f"corpus {self.name!r} is empty: its files have no sentence, or only empty ones"
            )
        return facts


class PartOfCorpus(WrittenCorpus):
    """Some sentences of a corpus, chosen by ``_part`` from all of them with their levels."""

    follows: ClassVar[str] = "corpus"
    corpus: WrittenCorpus

    @abstractmethod
    def _part(
        self, levels: Sequence[str], sentences: Iterable[CorrectedSentence], store: Artefacts
    ) -> Iterator[CorrectedSentence]: ...

    @property
    def simulated(self) -> bool:
        return self.corpus.simulated

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        whole = store.folder(self.corpus)
        levels = list(read_lines(whole / "levels.txt"))
        pairs = map(Pair, read_plain(whole / "source.txt"), read_plain(whole / "target.txt"))
        gold = (
            read_m2(whole / "gold.m2")
            if (whole / "gold.m2").exists()
            else repeat(None, len(levels))
        )
        rewrites = [read_plain(file) for file in sorted(whole.glob("reference*.txt"))]
        references = zip(*rewrites, strict=True) if rewrites else repeat((), len(levels))
        return _write_corpus(
            folder,
            self._part(levels, map(CorrectedSentence, pairs, levels, gold, references), store),
        )


class SplitCorpus(PartOfCorpus):
    """A part of a corpus: ``training`` has the given share of each proficiency level's sentences,
    ``remaining`` the others.
    """

    seed: int
    part: Literal["training", "remaining"]
    training_share: float

    def _part(
        self, levels: Sequence[str], sentences: Iterable[CorrectedSentence], store: Artefacts
    ) -> Iterator[CorrectedSentence]:
        training = part_of_each(levels, self.training_share, self.seed)
        for_training = self.part == "training"
        return (
            sentence
            for place, sentence in enumerate(sentences)
            if (place in training) == for_training
        )


class SampledCorpus(PartOfCorpus):
    """So many pairs of a corpus, drawn from those in which something is corrected; a larger draw of
    a seed has the smaller.
    """

    seed: int
    sentences: int

    @property
    def work(self) -> float:
        return self.sentences

    def _part(
        self, levels: Sequence[str], sentences: Iterable[CorrectedSentence], store: Artefacts
    ) -> Iterator[CorrectedSentence]:
        return iter(
            sample(
                (each for each in sentences if each.pair.source != each.pair.target),
                self.sentences,
                self.seed,
            )
        )


class References(Recipe):
    """Reference edits of a corpus, ``references.m2``: the corpus's own where it has them, else
    found by the annotator.
    """

    kind: ClassVar[str] = "references"
    follows: ClassVar[str] = "corpus"
    packages: ClassVar[tuple[str, ...]] = ("errant", "spacy")
    seconds_a_unit: ClassVar[float] = 0.003
    bytes_a_unit: ClassVar[float] = 250.0
    added_later: ClassVar[frozenset[str]] = frozenset({"retyped"})
    corpus: Corpus
    annotator: str
    retyped: bool = False
    """The corpus's own edits keep their spans and get the annotator's types."""

    @property
    def quoting(self) -> tuple[str, ...]:  # type: ignore[override]  # as the corpus does
        return ("references.m2",) if self.corpus.quoting else ()

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        corpus, written = store.folder(self.corpus), folder / "references.m2"
        if not self.corpus.simulated and (corpus / "gold.m2").exists():
            own = M2File(corpus / "gold.m2")
            if self.retyped:
                write_m2(written, annotator_of(self.annotator).retype(own))
            elif typed_otherwise(own):
                write_m2(written, annotator_of(self.annotator).typed(own))
            else:
                _link(corpus / "gold.m2", written)
        else:
            # The true edits of a simulation stay in gold.m2; scores need edits cut as ERRANT cuts
            # the hypotheses'.
            sources = list(read_plain(corpus / "source.txt"))
            texts = sorted(corpus.glob("reference*.txt")) or [corpus / "target.txt"]
            annotator = annotator_of(self.annotator)
            rewrites = [list(read_plain(text)) for text in texts]
            edits_by_rewrite = [
                annotator.annotate(
                    sources,
                    rewrite,
                    progress=lambda done, total: progress(done, total, "sentences"),
                )
                for rewrite in rewrites
            ]
            # An annotator whose line is empty did not see the sentence.
            annotations = (
                {
                    number: edits
                    for number, (edits, rewrite) in enumerate(zip(*of_one, strict=True))
                    if rewrite
                }
                for of_one in zip(
                    zip(*edits_by_rewrite, strict=True), zip(*rewrites, strict=True), strict=True
                )
            )
            write_m2(written, map(AnnotatedSentence, map(tuple, sources), annotations))
        return asdict(
            EditProfile.of((item.source, item.annotators.get(0, ())) for item in read_m2(written))
        )


class MaskedReferences(Recipe):
    """Reference edits with ``_`` in place of each word, ``masked.m2``: places and types, which
    quote no sentence.
    """

    kind: ClassVar[str] = "masked_references"
    follows: ClassVar[str] = "references"
    seconds_a_unit: ClassVar[float] = 0.00005
    bytes_a_unit: ClassVar[float] = 150.0
    portable: ClassVar[tuple[str, ...]] = ("masked.m2",)
    references: References

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        sentences = read_m2(store.folder(self.references) / "references.m2")
        return {
            "sentences": write_m2(folder / "masked.m2", (sentence.masked for sentence in sentences))
        }


def _write_corpus(folder: Path, sentences: Iterable[CorrectedSentence]) -> dict[str, Any]:
    counts = dict.fromkeys(("sentences", "source_tokens", "target_tokens", "identical_pairs"), 0)
    levels: Counter[str] = Counter()

    def annotated() -> Iterator[AnnotatedSentence]:
        files: dict[str, IO[bytes]] = {}
        with ExitStack() as stack:

            def write(name: str, line: str) -> None:
                if name not in files:
                    files[name] = stack.enter_context(write_atomically(folder / name))
                files[name].write(line.encode() + b"\n")

            for sentence in sentences:
                source, target = sentence.pair
                write("source.txt", " ".join(source))
                write("target.txt", " ".join(target))
                write("levels.txt", sentence.level)
                for number, reference in enumerate(sentence.references):
                    write(f"reference{number}.txt", " ".join(reference))
                levels[sentence.level] += 1
                counts["sentences"] += 1
                counts["source_tokens"] += len(source)
                counts["target_tokens"] += len(target)
                counts["identical_pairs"] += source == target
                if sentence.annotated is not None:
                    yield sentence.annotated

    if not write_m2(folder / "gold.m2", annotated()):
        (folder / "gold.m2").unlink()
    return {**counts, "levels": dict(sorted(levels.items()))}


# Seed text


class SeedText(Recipe):
    """One shard of a seed corpus, ``sentences.txt``: grammatical sentences to make pseudo data
    from.

    Its key also seeds the noise that is put into it.
    """

    kind: ClassVar[str] = "seed_text"
    seconds_a_unit: ClassVar[float] = 0.0005
    bytes_a_unit: ClassVar[float] = 140.0
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    size: int
    shard: int

    @property
    # Tables and examples show the first shard alone, of small ones
    def quoting(self) -> tuple[str, ...]:  # type: ignore[override]
        return (_SENTENCES,) if self.shard == 0 and self.size < MOST_QUOTED else ()

    @property
    def label(self) -> str:
        return f"{self.name}-{self.shard}"

    @property
    def work(self) -> float:
        return self.size

    @property
    def origin(self) -> tuple[SeedText | SeedCorpus, ...]:
        """The text that it is a part of, if that is built at all."""
        return (self,)

    def sides(self, folder: Path) -> Iterator[Sides]:
        """As of `WrittenCorpus.sides`."""
        return ((line,) for line in read_lines(folder / _SENTENCES))


class ClassroomSeedText(SeedText):
    """Sentences of a text of the classroom, in the order that their words decide."""

    text: Text

    may_be_quoted: ClassVar[bool] = True

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        sentences = taken(
            classroom_sentences(self.text, "seed"),
            self.shard * self.size,
            self.size,
            f"the text {self.text}",
        )
        return _write(
            folder / _SENTENCES, sentences, lambda count: progress(count, self.size, "sentences")
        )


class SeedTextFacts(Recipe):
    """The variety of a shard of a seed corpus, and the share of its tokens that occur in the
    genuine targets. It has no files.
    """

    kind: ClassVar[str] = "seed_text_facts"
    follows: ClassVar[str] = "seed_text"
    seconds_a_unit: ClassVar[float] = 0.00001
    seed_text: SeedText
    genuine: Corpus

    @property
    def work(self) -> float:
        return self.seed_text.work + self.genuine.work

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        known = {
            word
            for tokens in read_plain(store.folder(self.genuine) / "target.txt")
            for word in tokens
        }
        sentences = list(read_plain(store.folder(self.seed_text) / _SENTENCES))
        tokens = list(chain.from_iterable(sentences))
        first = tokens[:10_000]  # the ratio of distinct words falls with length
        return {
            "sentences": len(sentences),
            "tokens": len(tokens),
            "first_tokens": len(first),
            "distinct": len(set(first)),
            "known": sum(token in known for token in tokens),
        }


class SeedCorpus(Recipe):
    """The sentences of a share of a seed corpus's texts, ``sentences.txt.zst``: split, tokenised,
    and filtered where asked for.

    Workers make the shares side by side. Each skips the others' texts unparsed: reading a dump many
    times costs less than tokenising it once.
    """

    kind: ClassVar[str] = "seed_corpus"
    seconds_a_unit: ClassVar[float] = 0.0000015  # a byte of a compressed dump
    bytes_a_unit: ClassVar[float] = 0.6
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    sentences: FileSentences
    share: Share = WHOLE
    """Which of the shares of each file's texts."""

    @classmethod
    def in_shares(cls, name: str, sentences: FileSentences) -> tuple[SeedCorpus, ...]:
        """A seed corpus in shares, each of files of its own where there are enough of them."""
        shares, files = sentences.shares, sentences.files
        if len(files) < shares:
            return tuple(
                cls(name=name, sentences=sentences, share=Share(number, shares))
                for number in range(shares)
            )
        parts = (
            sentences.model_copy(update={"files": files[number::shares]})
            for number in range(shares)
        )
        return tuple(cls(name=name, sentences=part) for part in parts)

    @cached_property
    def may_be_quoted(self) -> bool:
        return self.sentences.may_be_quoted

    @property
    def files(self) -> tuple[LocatedFile, ...]:
        return self.sentences.located_files

    @property
    def label(self) -> str:
        return (
            self.name
            if self.share == WHOLE
            else f"{self.name}-{self.share.number + 1}-of-{self.share.of}"
        )

    @property
    def work(self) -> float:
        return sum(file.size for file in self.files) / self.share.of

    def sides(self, folder: Path) -> Iterator[Sides]:
        """As of `WrittenCorpus.sides`."""
        return ((line,) for line in read_lines(folder / _CORPUS))

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        refuse_changed(self.files, store.root)
        read, total = 0, sum(file.size for file in self.files)

        def on_read(size: int) -> None:
            nonlocal read
            read += size

        sentences = self.sentences.read(self.share, on_read)
        facts = _write(
            folder / _CORPUS,
            sentences,
            lambda count: progress(read, total, f"bytes   {count:,} sentences"),
        )
        if not facts["sentences"] and self.share == WHOLE:  # a share of many may well hold none
            raise UserError(
                f"seed corpus {self.name!r} is empty: its files have no sentence, or "
                "the profile's filters keep none"
            )
        return facts


class SeedShards(Recipe):
    """Shards ``first`` to ``last`` (without ``last``) of a seed corpus, ``0.txt``, ``1.txt``, ...:
    cut in one pass over it.

    A shard holds sentences drawn without replacement: consecutive places of one seeded shuffle, in
    the corpus's order. The corpus may be too small for the later ones, which then do not exist.
    """

    kind: ClassVar[str] = "seed_shards"
    seconds_a_unit: ClassVar[float] = 0.00001
    bytes_a_unit: ClassVar[float] = 140.0
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    corpus: tuple[SeedCorpus, ...]
    size: int
    first: int
    last: int
    seed: int = 1

    @property
    def label(self) -> str:
        return f"{self.name}-{self.first}-to-{self.last - 1}"

    @property
    def work(self) -> float:
        return self.size * (self.last - self.first)  # sentences that are passed over cost little

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        lines = chain.from_iterable(
            read_lines(store.folder(part) / _CORPUS) for part in self.corpus
        )
        available = sum(store.result(part)["result"]["sentences"] for part in self.corpus)
        last = min(self.last, available // self.size)
        if last > self.first:
            shuffle = Shuffle(available, self.seed)
            with ExitStack() as stack:
                shards = [
                    stack.enter_context((folder / f"{number}.txt").open("wb"))
                    for number in range(self.first, last)
                ]
                done = 0
                while block := list(islice(lines, _SHUFFLED_AT_ONCE)):
                    shard = shuffle(np.arange(done, done + len(block))) // self.size - self.first
                    for place in np.flatnonzero((shard >= 0) & (shard < len(shards))).tolist():
                        shards[shard[place]].write(block[place].encode() + b"\n")
                    done += len(block)
                    progress(done, available, "sentences")
        return {"available": available, "shards": max(last - self.first, 0)}


class FileSeedText(SeedText):
    """One shard of a seed corpus from files."""

    seconds_a_unit: ClassVar[float] = 0.000002
    bytes_a_unit: ClassVar[float] = 0.0  # another name for a file of the shards
    shards: SeedShards

    @classmethod
    def of(cls, corpus: tuple[SeedCorpus, ...], size: int, shard: int) -> FileSeedText:
        """A shard of a seed corpus, cut together with its neighbours."""
        first = shard - shard % SHARDS_A_PASS
        name = corpus[0].name
        shards = SeedShards(
            name=name, corpus=corpus, size=size, first=first, last=first + SHARDS_A_PASS
        )
        return cls(name=name, size=size, shard=shard, shards=shards)

    @property
    def work_kind(self) -> str:
        return f"{self.kind} from files"

    @property
    def origin(self) -> tuple[SeedText | SeedCorpus, ...]:
        return self.shards.corpus

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        cut = store.folder(self.shards) / f"{self.shard}.txt"
        if not cut.exists():
            available = store.result(self.shards)["result"]["available"]
            raise UserError(
                f"seed corpus {self.name} has {available:,} sentences; "
                f"{(self.shard + 1) * self.size:,} are needed "
                "(fewer pseudo_pairs, or a larger seed corpus)"
            )
        _link(cut, folder / _SENTENCES)
        tokens = sum(line.count(" ") + 1 for line in read_lines(folder / _SENTENCES))
        return {"sentences": self.size, "tokens": tokens}


class Use(NamedTuple):
    """A text that something is learnt from."""

    text: Corpus | SeedText
    purpose: Purpose
    what: str  # in the plural or with its article, for messages


class LearnsFromText(Recipe):
    """A recipe whose step learns from text."""

    @abstractmethod
    def uses(self) -> Iterator[Use]:
        """Yield the texts that the step itself learns from, without those of its parents."""


def _link(file: Path, name: Path) -> None:
    """Another name for a file, so that its content is kept once; a copy on another disk."""
    try:
        os.link(file, name)
    except OSError:
        shutil.copyfile(file, name)


def _write(
    path: Path, sentences: Iterable[list[str]], on_sentence: Callable[[int], None]
) -> dict[str, Any]:
    tokens = 0

    def lines() -> Iterator[str]:
        nonlocal tokens
        for count, sentence in enumerate(sentences, start=1):
            tokens += len(sentence)
            on_sentence(count)
            yield " ".join(sentence)

    return {"sentences": write_lines(path, lines()), "tokens": tokens}
