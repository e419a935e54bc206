"""Recipes of seed text: from files of any size, or from the embedded world, to shards of grammatical sentences.

seed_corpus (a share of the files' texts: split, tokenised, cleaned) ──► seed_shards (many at a pass) ──► seed_text (one shard)

Each share skips the others' texts unparsed: reading a dump many times costs less than tokenising it once.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np

from artefacts import Artefacts, Progress, Recipe, refuse_changed
from artefacts.errors import UserError
from artefacts.files import open_for_reading, read_lines, write_lines
from pseudogec.corpora import WHOLE, FileSentences, LocatedFile, Share, Shuffle

SHARDS_A_PASS = 100
"""Shards that are cut from a seed corpus in one pass over it; a pass costs minutes where the corpus has 100 million sentences."""

_SENTENCES = "sentences.txt"
_CORPUS = "sentences.txt.zst"
_SHUFFLED_AT_ONCE = 2**16


class SeedText(Recipe):
    """One shard of a seed corpus, ``sentences.txt``: grammatical sentences to make pseudo data from.

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
    def label(self) -> str:
        """Seed corpus and shard number."""
        return f"{self.name}-{self.shard}"

    @property
    def work(self) -> float:
        """Sentences."""
        return self.size


class WorldSeedText(SeedText):
    """Sentences of a register of the embedded simulation."""

    register_name: str
    seed: int

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Have the simulation write them."""
        from learner_world import seed_sentences

        # Each shard has a seed of its own, so shards can be made at once, in any order.
        sentences = seed_sentences(self.register_name, self.size, self.seed * 1_000_003 + self.shard)
        return _write(folder / _SENTENCES, sentences, lambda count: progress(count, self.size, "sentences"))


class SeedCorpus(Recipe):
    """The sentences of a share of a seed corpus's texts, ``sentences.txt.zst``: split, tokenised, and filtered where asked for.

    Shares are made at once by as many workers, and one that was interrupted is made again alone. Each skips the others' texts
    unparsed: reading a dump many times costs less than tokenising it once.
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
            return tuple(cls(name=name, sentences=sentences, share=Share(number, shares)) for number in range(shares))
        parts = (sentences.model_copy(update={"files": files[number::shares]}) for number in range(shares))
        return tuple(cls(name=name, sentences=part) for part in parts)

    @property
    def files(self) -> tuple[LocatedFile, ...]:
        """The files that it is read from."""
        return self.sentences.located_files

    @property
    def label(self) -> str:
        """The seed corpus, and its share where there are several."""
        return self.name if self.share == WHOLE else f"{self.name}-{self.share.number + 1}-of-{self.share.of}"

    @property
    def work(self) -> float:
        """Bytes of the files, by the share."""
        return sum(file.size for file in self.files) / self.share.of

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Read the share.

        Raises:
            UserError: the files hold no sentence.
        """
        refuse_changed(self.files, store.root)
        read, total = 0, sum(file.size for file in self.files)

        def told(size: int) -> None:
            nonlocal read
            read += size

        sentences = self.sentences.read(self.share, told)
        facts = _write(folder / _CORPUS, sentences, lambda count: progress(read, total, f"{count:,} sentences"))
        if not facts["sentences"] and self.share == WHOLE:  # a share of many may well hold none
            raise UserError(f"seed corpus {self.name!r} is empty: its files hold no sentence that is kept")
        return facts


class SeedShards(Recipe):
    """Shards ``first`` to ``last`` (without ``last``) of a seed corpus, ``0.txt``, ``1.txt``, ...: cut in one pass over it.

    A shard holds sentences drawn without replacement: consecutive places of one seeded shuffle, in the corpus's order. The
    corpus may be too small for the later ones, which then do not exist.
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
        """The seed corpus and its shards."""
        return f"{self.name}-{self.first}-to-{self.last - 1}"

    @property
    def work(self) -> float:
        """Sentences that the shards hold at most; those that are passed over cost little."""
        return self.size * (self.last - self.first)

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Deal the corpus's sentences out to the shards."""
        parts = [store.folder(part) / _CORPUS for part in self.corpus]
        available = sum(store.result(part)["result"]["sentences"] for part in self.corpus)
        last = min(self.last, available // self.size)
        if last > self.first:
            shuffle = Shuffle(available, self.seed)
            with ExitStack() as stack:
                shards = [stack.enter_context((folder / f"{number}.txt").open("wb")) for number in range(self.first, last)]
                done = 0
                for lines in _blocks(parts):
                    _deal(lines, (shuffle(np.arange(done, done + len(lines))) // self.size) - self.first, shards)
                    done += len(lines)
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
        shards = SeedShards(name=name, corpus=corpus, size=size, first=first, last=first + SHARDS_A_PASS)
        return cls(name=name, size=size, shard=shard, shards=shards)

    @property
    def work_kind(self) -> str:
        """Taken from what is cut already."""
        return f"{self.kind} from files"

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        """Take one of the shards that were cut together; its text is not kept twice where a file can have two names.

        Raises:
            UserError: the seed corpus has too few sentences.
        """
        cut = store.folder(self.shards) / f"{self.shard}.txt"
        if not cut.exists():
            available = store.result(self.shards)["result"]["available"]
            raise UserError(
                f"seed corpus {self.name} has {available:,} sentences; {(self.shard + 1) * self.size:,} are needed "
                "(fewer pseudo_pairs, or a larger seed corpus)"
            )
        try:
            os.link(cut, folder / _SENTENCES)
        except OSError:
            shutil.copyfile(cut, folder / _SENTENCES)
        tokens = sum(line.count(" ") + 1 for line in read_lines(folder / _SENTENCES))
        return {"sentences": self.size, "tokens": tokens}


def _blocks(files: Sequence[Path]) -> Iterator[list[bytes]]:
    """The lines of files, line ends included, some at a time; a block may run from one file into the next."""
    block: list[bytes] = []
    for file in files:
        with open_for_reading(file) as stream:
            for line in stream:
                block.append(line)
                if len(block) == _SHUFFLED_AT_ONCE:
                    yield block
                    block = []
    if block:
        yield block


def _deal(lines: Sequence[bytes], shard_of_line: np.ndarray, shards: Sequence[IO[bytes]]) -> None:
    for place in np.flatnonzero((shard_of_line >= 0) & (shard_of_line < len(shards))).tolist():
        shards[shard_of_line[place]].write(lines[place])


def _write(path: Path, sentences: Iterable[list[str]], told: Callable[[int], None]) -> dict[str, Any]:
    """Write sentences, a line each, and count them."""
    tokens = 0

    def lines() -> Iterator[str]:
        nonlocal tokens
        for count, sentence in enumerate(sentences, start=1):
            tokens += len(sentence)
            told(count)
            yield " ".join(sentence)

    return {"sentences": write_lines(path, lines()), "tokens": tokens}
