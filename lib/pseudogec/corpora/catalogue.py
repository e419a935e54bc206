"""The catalogue of the papers' corpora: home, licence, downloads, files, digests, sizes
(``data/catalogue.yaml``).
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from pseudogec.corpora.formats import BYTES_A_PAIR

CATALOGUE = Path(__file__).parent / "data" / "catalogue.yaml"


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Download(_Entry):
    url: str = ""
    archive: str = ""  # the archive's name, where there is no ``url`` because it must be requested
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    # Place in the data folder: of the file, or the folder of what the archive or the dump holds
    to: Path
    # How many of a file's first lines are kept, if not all; ``sha256`` of the file is then that of
    # these
    lines: int = 0
    strip: int = 0  # how many leading folders of the archive's names are left out
    # Of a dump, whose ``url`` is a page that lists dumps by date: the name of the wiki's search
    # index
    index: str = ""

    @property
    def name(self) -> str:
        return self.archive or self.index or PurePosixPath(self.url).name

    @property
    def is_archive(self) -> bool:
        return self.name.endswith((".tar.gz", ".tgz", ".tar.bz2", ".zip"))


class KnownFile(_Entry):
    path: str  # in the data folder; a pattern where names or numbers of files differ
    aliases: tuple[str, ...] = ()  # other places that profiles name it by
    # Digest of the version that the papers used
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    sentences: int | None = None
    # Its approximate size (all files of a pattern together), if it matters for plans
    about_bytes: int | None = None
    # Digest of another version -> its description
    others: dict[str, str] = Field(default_factory=dict)

    def is_at(self, path: Path) -> bool:
        """Whether a profile that names a path or pattern means this file."""
        name = path.as_posix()
        return any(
            fnmatch(name, place) or fnmatch(place, name) for place in (self.path, *self.aliases)
        )


class KnownCorpus(_Entry):
    name: str  # its key in the catalogue
    title: str
    home: str
    # Anybody can download it; it must be requested; or it is made from others
    access: Literal["public", "request", "made"]
    request: str | None = None  # the page where it is requested
    licence: str
    steps: str = ""  # manual steps and remarks
    made_from: tuple[str, ...] = ()
    downloads: tuple[Download, ...] = ()
    files: tuple[KnownFile, ...]  # those that profiles read

    def how_to_get(self, command: str = "make data") -> str:
        """Instructions to get it; ``command`` fetches public corpora and unpacks archives that were
        requested.
        """
        if self.access == "public":
            return f"{command} fetches it. Licence: {self.licence} {self.steps}".strip()
        if self.access == "made":
            return f"{self.steps} Made from: {', '.join(self.made_from)}."
        unpacked = f" {command} unpacks it." if self.downloads else ""
        return f"{self.request} - {self.steps}{unpacked} Licence: {self.licence}"


class Whole(_Entry):
    name: str  # in tables
    # Rows of the papers' tables of corpora -> how many times the files contain each
    published: dict[str, int]
    # The sentences that the papers count: all, or those that were corrected
    counted: Literal["all", "corrected"] = "all"
    hint: str = ""  # why another count may be right
    files: tuple[str, ...]  # paths or patterns of the catalogue's files


class Catalogue(_Entry):
    """All corpora, by name, and their unions as the papers count them."""

    corpora: dict[str, KnownCorpus]
    wholes: tuple[Whole, ...]

    def find(self, path: Path) -> tuple[KnownCorpus, KnownFile] | None:
        known = ((corpus, file) for corpus in self.corpora.values() for file in corpus.files)
        return next((each for each in known if each[1].is_at(path)), None)

    def expected_bytes(self, path: Path) -> int:
        known = self.find(path)
        return (
            0 if known is None else known[1].about_bytes or (known[1].sentences or 0) * BYTES_A_PAIR
        )

    def whole(self, paths: Iterable[Path]) -> Whole | None:
        """The corpus of the papers that consists of these files, if there is one."""
        known = [self.find(path) for path in paths]
        places = {each[1].path for each in known if each is not None}
        return next(
            (whole for whole in self.wholes if None not in known and set(whole.files) == places),
            None,
        )


@cache
def load_catalogue(path: Path = CATALOGUE) -> Catalogue:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content["corpora"] = {
        name: {"name": name, **entry} for name, entry in content["corpora"].items()
    }
    return Catalogue.model_validate(content)
