"""Digests of corpus files, by which recipes know them: a dump of 40 GB is read for its digest once, not by every notebook."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from artefacts.errors import DataError, UserError
from artefacts.files import digest_file, write_atomically

REMEMBERED_FROM = 16 * 2**20  # bytes; smaller files are digested in less time than it takes to remember them

MEMORY = "file_digests.json"
"""The file of a store that remembers digests."""


class FileDigests:
    """SHA-256 of files, remembered while a file's size, time of change and place on the disk stay the same.

    Args:
        memory: JSON file that remembers those of large files between processes; without one they are remembered in this process.
    """

    def __init__(self, memory: Path | None = None) -> None:
        self._memory = memory

    def __call__(self, path: Path) -> str:
        """The digest of a file's bytes.

        Raises:
            DataError: the file cannot be read.
        """
        if not path.exists():
            return digest_file(path)  # raises the error that names the file
        status = path.stat()
        state = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        if self._memory is None or status.st_size < REMEMBERED_FROM:
            return _digest_of(path, state)
        name = str(path.absolute())
        known = self._remembered().get(name)
        if known is None or known[:-1] != list(state):
            known = [*state, _digest_of(path, state)]
            self._remember(name, known)
        return str(known[-1])

    def _remembered(self) -> dict[str, list[int | str]]:
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(self._memory.read_text(encoding="utf-8")) if self._memory else {}
            if isinstance(found, dict):
                return found
        return {}

    def _remember(self, name: str, known: list[int | str]) -> None:
        # Two processes may write at once, and one forget what the other remembers: then it is digested once more.
        assert self._memory is not None
        with contextlib.suppress(UserError), write_atomically(self._memory) as stream:
            stream.write(json.dumps({**self._remembered(), name: known}, indent=1).encode())


class SourceFile(BaseModel):
    """A file that a recipe reads, known by its content: to move it changes no key, to edit it makes another recipe."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    incidental: ClassVar[frozenset[str]] = frozenset({"path", "expected_bytes"})

    path: Path
    digest: str
    expected_bytes: int = 0
    """About how large the file is, as far as that is known, while it is missing."""

    @property
    def size(self) -> int:
        """Bytes; the expected ones of a missing file, which can be planned with."""
        return self.path.stat().st_size if self.path.exists() else self.expected_bytes


def refuse_changed(files: Iterable[SourceFile], store: Path) -> None:
    """Check that files are still those that a recipe names, before a step reads them.

    Args:
        files: as the recipe knows them.
        store: the folder of artefacts, which remembers digests.

    Raises:
        DataError: a file is missing, or has other bytes than when the study was opened.
    """
    digests = FileDigests(store / MEMORY)
    for file in files:
        if digests(file.path) != file.digest:
            raise DataError(file.path, "has changed since the study was opened, or is another on this machine; open it again")


@lru_cache(maxsize=4096)
def _digest_of(path: Path, state: tuple[int, ...]) -> str:
    return digest_file(path)
