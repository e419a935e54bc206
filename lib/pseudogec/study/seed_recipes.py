"""Recipes of seed text: from files of any size, or from the embedded world, to shards of grammatical sentences.

seed_corpus (a share of the files' texts: split, tokenised, cleaned) ──► seed_shards (many at a pass) ──► seed_text (one shard)
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from pseudogec.study.study_recipe import StudyRecipe


class FileReference(BaseModel):
    """A file of a corpus, known by its content: moving it changes nothing, editing it makes another corpus."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    incidental: ClassVar[frozenset[str]] = frozenset({"path", "expected_bytes"})

    path: Path
    digest: str
    level: str = ""
    expected_bytes: int = 0
    """About how large the file is, as far as that is known, while it is missing."""

    @property
    def size(self) -> int:
        """Bytes; expected ones for a file that is missing, in a plan without data."""
        return self.path.stat().st_size if self.path.exists() else self.expected_bytes


class SeedText(StudyRecipe):
    """One shard of a seed corpus, ``sentences.txt``: grammatical sentences to make pseudo data from."""

    kind: ClassVar[str] = "seed_text"
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
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    source: str
    tokenised: bool
    clean: bool
    files: tuple[FileReference, ...]
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

    shards: SeedShards

    @property
    def work_kind(self) -> str:
        """Taken from what is cut already."""
        return f"{self.kind} from files"
