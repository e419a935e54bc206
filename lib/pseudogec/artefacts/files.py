"""Reading and writing files: compressed or not, strictly UTF-8, never half-written."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import io
import json
import lzma
import os
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from pseudogec.artefacts.errors import DataError, UserError

DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)
"""Exceptions that reading a damaged compressed file raises."""

COMPRESSIONS = (".gz", ".zst", ".xz", ".bz2")
"""Endings of the compressed files that are read and written."""

_WATCHED_BUFFER = 2**18  # bytes; a call for each


class _WatchedFile(io.FileIO):
    """A file that reports how many bytes are read from it, before decompression."""

    def __init__(self, path: Path, on_read: Callable[[int], None]) -> None:
        super().__init__(path, "rb")
        self._on_read = on_read

    def readinto(self, buffer: Any) -> Any:
        size = super().readinto(buffer)
        self._on_read(size or 0)
        return size


@contextlib.contextmanager
def _open_binary(
    path: Path, mode: str, compression: str, on_read: Callable[[int], None] | None = None
) -> Iterator[IO[bytes]]:
    """Open ``path`` ("rb" or "wb") through the compression that an ending such as ``.gz`` names."""
    with contextlib.ExitStack() as stack:
        file = (
            path.open(mode)
            if on_read is None
            else io.BufferedReader(_WatchedFile(path, on_read), _WATCHED_BUFFER)
        )
        stream: Any = stack.enter_context(file)
        if compression == ".gz":
            # No time stamp and no file name inside: the same text gives the same bytes.
            stream = gzip.GzipFile("", mode, 6, stream, mtime=0)
        elif compression == ".xz":
            # Closed with the stack, as the others are
            stream = lzma.LZMAFile(stream, mode)  # noqa: SIM115
        elif compression == ".bz2":
            # One for each literal mode
            stream = bz2.BZ2File(stream, mode)  # type: ignore[call-overload]
        elif compression == ".zst" and mode == "rb":
            import pyarrow  # zstandard takes a file that was cut short for a whole one

            stream = io.BufferedReader(pyarrow.CompressedInputStream(stream, "zstd"))
        elif compression == ".zst":
            import zstandard

            stream = zstandard.open(stream, mode)
        yield stack.enter_context(stream)


@contextlib.contextmanager
def open_for_reading(
    path: Path | str, on_read: Callable[[int], None] | None = None
) -> Iterator[IO[bytes]]:
    """Open a plain, ``.gz``, ``.zst``, ``.xz`` or ``.bz2`` file for reading bytes.

    Args:
        on_read: called with the number of bytes that were read from it since the last call, before
            decompression.

    Raises:
        DataError: the file cannot be read.
    """
    path = Path(path)
    with contextlib.ExitStack() as stack:
        try:
            stream = stack.enter_context(_open_binary(path, "rb", path.suffix, on_read))
        except FileNotFoundError:
            raise DataError(path, "no such file") from None
        except OSError as error:
            raise DataError(path, f"cannot be read ({error.strerror})") from None
        if path.suffix in COMPRESSIONS and path.stat().st_size == 0:  # some decompressors accept it
            raise DataError(path, "the compressed file is damaged or cut short (it is empty)")
        yield stream


def read_lines(path: Path | str, on_read: Callable[[int], None] | None = None) -> Iterator[str]:
    """Yield the lines of a text file without their line ends; a last line without an end counts
    too.

    Only ``\\n`` (or ``\\r\\n``) ends a line: Unicode's other separators stay inside it, so that
    lines are those of ``wc -l``. A byte order mark, with which some editors begin a file, is no
    part of the text.

    Raises:
        DataError: the file cannot be read, a line is not UTF-8 (with its number), or the compressed
            stream is damaged.
    """
    number = 0
    with open_for_reading(path, on_read) as stream:
        try:
            for line in stream:
                number += 1
                yield line.rstrip(b"\r\n").decode("utf-8" if number > 1 else "utf-8-sig")
        except UnicodeDecodeError as error:
            # A corrupt archive can yield wrong bytes long before its checksum is read.
            otherwise = (
                (", unless the compressed file is damaged or cut short")
                if Path(path).suffix in COMPRESSIONS
                else ""
            )
            problem = (
                f"not valid UTF-8 (byte {error.start + 1} of the line); convert the file to "
                f"UTF-8{otherwise}"
            )
            raise DataError(path, problem, number) from None
        except DAMAGE as error:
            if Path(path).suffix not in COMPRESSIONS:
                raise DataError(path, f"cannot be read ({error})", number + 1) from None
            raise DataError(
                path, f"the compressed file is damaged or cut short ({error})", number
            ) from None


PARTIAL = ".*.part"
"""The pattern of the names that files have while they are written; a killed process leaves such a
file behind.
"""


@contextlib.contextmanager
def write_atomically(path: Path | str, lasting: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes that appears under its name only when all is written.

    The name's ending chooses the compression. On an error nothing is left behind.

    Args:
        lasting: write it to the disk before it gets its name, so that even after a power cut no
            incomplete file has the name.

    Raises:
        UserError: no permission, or the disk is full.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _open_binary(temporary, "wb", path.suffix) as stream:
            yield stream
        if lasting:
            flush_to_disk(temporary)
        temporary.replace(path)
    except OSError as error:
        # Of another file, which the caller reads or writes
        if error.filename not in (None, str(temporary), str(path.parent)):
            raise
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def flush_to_disk(path: Path) -> None:
    """Wait until a file is on the disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def write_lines(path: Path | str, lines: Iterable[str]) -> int:
    """Write lines of text atomically; returns how many."""
    count = 0
    with write_atomically(path) as stream:
        for line in lines:
            count += 1
            stream.write(line.encode("utf-8") + b"\n")
    return count


def digest_file(path: Path | str) -> str:
    """SHA-256 of a file's bytes, as hexadecimal text; DataError if it cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror})") from None


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# Bytes; smaller files are digested in less time than it takes to remember them
REMEMBERED_FROM = 16 * 2**20

MEMORY = "file_digests.json"
"""The file of a store that remembers digests, so that a dump of 40 GB is digested once, not by
every program.
"""


class FileDigests:
    """SHA-256 of files, cached while a file's size, time of change and place on the disk stay the
    same.

    Args:
        memory: JSON file that keeps the digests of large files between processes; without one they
            are kept in this process.
    """

    def __init__(self, memory: Path | None = None) -> None:
        self._memory = memory

    def __call__(self, path: Path) -> str:
        """The digest of a file's bytes; DataError if it cannot be read."""
        try:
            status = path.stat()
        except OSError as error:
            raise DataError(path, f"cannot be read ({error.strerror})") from None
        state = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        if self._memory is None or status.st_size < REMEMBERED_FROM:
            return _digest_of(path, state)
        remembered = (
            json.loads(self._memory.read_text(encoding="utf-8")) if self._memory.exists() else {}
        )
        *known, digest = remembered.get(str(path.absolute()), [""])
        if tuple(known) != state:
            digest = _digest_of(path, state)
            # When two processes write at once, one entry is lost, and that file is digested once
            # more.
            with write_atomically(self._memory) as stream:
                stream.write(
                    json.dumps(
                        {**remembered, str(path.absolute()): [*state, digest]}, indent=1
                    ).encode()
                )
        return str(digest)


def refuse_pipe(path: Path | str) -> None:
    """Refuse a pipe or terminal, for a program that reads it more than once; raises DataError."""
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(path, "is a pipe, which can be read once; write its text to a file")


class SourceFile(BaseModel):
    """A file that a recipe reads, identified by its content: moving it changes no key, editing it
    makes another recipe.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    incidental: ClassVar[frozenset[str]] = frozenset({"path", "expected_bytes"})

    path: Path
    digest: str
    expected_bytes: int = 0
    """The approximate size of a missing file, if it is known."""

    @property
    def size(self) -> int:
        """Bytes; for a missing file the expected number, so that a study can be planned without
        it.
        """
        return self.path.stat().st_size if self.path.exists() else self.expected_bytes


def refuse_changed(files: Iterable[SourceFile], store: Path) -> None:
    """Raise DataError if a file is missing, or has other bytes than a recipe names; the folder
    ``store`` remembers digests.
    """
    digests = FileDigests(store / MEMORY)
    for file in files:
        if digests(file.path) != file.digest:
            raise DataError(
                file.path,
                "has changed since the study was opened, or differs on this "
                "machine; open the study again",
            )


@lru_cache(maxsize=4096)
def _digest_of(path: Path, state: tuple[int, ...]) -> str:
    return digest_file(path)
