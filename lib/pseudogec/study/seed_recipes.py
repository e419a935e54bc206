"""Recipes of seed text: from files of any size, or from the embedded world, to shards of grammatical sentences.

seed_corpus (a share of the files' texts: split, tokenised, cleaned) ──► seed_shards (many at a pass) ──► seed_text (one shard)
"""

from __future__ import annotations

from typing import ClassVar

from artefacts.file_digests import SourceFile
from pseudogec.study.study_recipe import StudyRecipe


class SeedText(StudyRecipe):
    """One shard of a seed corpus, ``sentences.txt``: grammatical sentences to make pseudo data from."""

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


class SeedCorpus(StudyRecipe):
    """The sentences of a share of a seed corpus's texts, ``sentences.txt.zst``: split, tokenised, and filtered where asked for.

    Shares are made at once by as many workers, and one that was interrupted is made again alone.
    """

    kind: ClassVar[str] = "seed_corpus"
    seconds_a_unit: ClassVar[float] = 0.0000015  # a byte of a compressed dump
    bytes_a_unit: ClassVar[float] = 0.6
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    source: str
    tokenised: bool
    clean: bool
    files: tuple[SourceFile, ...]
    share: tuple[int, int]
    """Which of how many shares of each file's texts (:class:`pseudogec.corpora.Share`)."""

    @property
    def label(self) -> str:
        """The seed corpus, and its share where there are several."""
        number, of = self.share
        return self.name if of == 1 else f"{self.name}-{number + 1}-of-{of}"

    @property
    def work(self) -> float:
        """Bytes of the files, by the share."""
        return sum(file.size for file in self.files) / self.share[1]


class SeedShards(StudyRecipe):
    """Shards ``first`` to ``last`` (without ``last``) of a seed corpus, ``0.txt``, ``1.txt``, ...: cut in one pass over it.

    A shard holds sentences drawn without replacement: consecutive places of one seeded shuffle, in the corpus's order.
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


class FileSeedText(SeedText):
    """One shard of a seed corpus from files."""

    seconds_a_unit: ClassVar[float] = 0.000002
    bytes_a_unit: ClassVar[float] = 0.0  # another name for a file of the shards
    shards: SeedShards

    @property
    def work_kind(self) -> str:
        """Taken from what is cut already."""
        return f"{self.kind} from files"
