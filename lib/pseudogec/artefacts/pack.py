"""Packs: the parts of artefacts from which tables and figures are made, in a few files that can be
passed on.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import SourceFile, write_atomically
from pseudogec.artefacts.recipe import DESCRIPTION, Recipe, canonical_json

FORMAT = 1
"""Raise it when the files of a pack change so that older code would read them wrong."""

MANIFEST, ARTEFACTS, FILES = "pack.json", "artefacts.parquet", "files.parquet"

# Brotli sees four megabytes at a time, this all files of a name, which are much alike.
_COMPRESSION, _COMPRESSION_LEVEL = "zstd", 17
_ONE_PAGE = 2**30  # bytes; files of one name are much alike, which is seen within a page


class Entry(NamedTuple):
    """The parts of one artefact in a pack.

    Attributes:
        record: the store's, with a result without text. It lists all files of the artefact with
            their digests.
        files: the contents of the files in the pack.
    """

    recipe: Recipe
    record: Mapping[str, Any]
    files: Mapping[str, bytes]


class Source(Protocol):
    """A store or a pack, from which packs are made."""

    def entry(self, recipe: Recipe) -> Entry | None:
        """The parts of an artefact that a pack may contain; None where it is not here. DataError:
        it is damaged.
        """


def entry_of(
    recipe: Recipe, record: Mapping[str, Any], read: Callable[[str], bytes | None]
) -> Entry:
    """The parts of an artefact that a pack may contain; ``read`` gives a file's content, or None
    where it is not at hand.
    """
    patterns = (*recipe.portable, *(recipe.quoting if recipe.may_be_quoted else ()))
    recorded = {name: facts for name, facts in record["files"].items() if name != DESCRIPTION}
    contents = {
        name: read(name)
        for name in recorded
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    return Entry(
        recipe,
        {**record, "result": recipe.portable_result(record["result"]), "files": recorded},
        {name: content for name, content in contents.items() if content is not None},
    )


class Pack:
    """A folder with parts of artefacts, read-only and found by recipe.

    ``artefacts.parquet`` has a row for each artefact: its recipe and its record, both as JSON.
    ``files.parquet`` has a row for each file in the pack. ``pack.json`` holds the digests of both,
    the format, what wrote them, and the digests of the files that the recipes read, so that keys
    can be computed where these may not be passed on.

    Raises:
        DataError: the folder holds no pack, one that was damaged or mixed from two, or one of
            another format.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # All are read once: a run that ends meanwhile may write another pack in this place.
        try:
            manifest = json.loads(self._bytes(MANIFEST))
            if manifest["format"] != FORMAT:
                raise self._damaged(
                    MANIFEST,
                    f"is of format {manifest['format']}, and this program reads format {FORMAT}",
                )
            tables = {name: self._bytes(name) for name in (ARTEFACTS, FILES)}
            for name, content in tables.items():
                if hashlib.sha256(content).hexdigest() != manifest[name]:
                    raise self._damaged(name, "has other bytes than were written")
            self._sources = {
                name: (file["sha256"], file["bytes"]) for name, file in manifest["sources"].items()
            }
            records = _read(tables[ARTEFACTS], "key", "record").to_pylist()
            self._records: dict[str, str] = {row["key"]: row["record"] for row in records}
            self._table = tables[FILES]
            # Their numbers in that table, by key and name
            self._rows: dict[str, dict[str, int]] = {}
            for number, row in enumerate(_read(self._table, "key", "name").to_pylist()):
                self._rows.setdefault(row["key"], {})[row["name"]] = number
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise self._damaged(
                MANIFEST,
                f"or a table has other content than a pack ({type(error).__name__}: {error})",
            ) from None

    @classmethod
    def parts(cls, folder: Path) -> list[Pack]:
        """The pack in a folder, with the parts that were added to it later; none if there is
        none.
        """
        return [
            cls(place)
            for place in (folder, *sorted(folder.glob("part-*")))
            if (place / MANIFEST).exists()
        ]

    def __contains__(self, recipe: Recipe) -> bool:
        return recipe.key in self._records

    def source(self, name: str, path: Path) -> SourceFile | None:
        """The file that the pack lists under a name, as if it were at a path; None if it lists
        none.
        """
        known = self._sources.get(name)
        return SourceFile(path=path, digest=known[0], expected_bytes=known[1]) if known else None

    @property
    def sources(self) -> list[str]:
        """The names of the files that recipes of the pack read."""
        return list(self._sources)

    def record(self, recipe: Recipe) -> dict[str, Any]:
        """The record of an artefact that the pack has; its ``result`` is without text."""
        record: dict[str, Any] = json.loads(self._records[recipe.key])
        return record

    def files(self, recipe: Recipe) -> Mapping[str, bytes]:
        """The contents of an artefact's files that the pack holds, by name; DataError if they are
        not those of its record.
        """
        rows = self._rows.get(recipe.key, {})
        contents: dict[str, bytes] = {
            name: self._contents[row].as_py() for name, row in rows.items()
        }
        recorded = self.record(recipe)["files"] if contents else {}
        for name, content in contents.items():
            if (
                name not in recorded
                or hashlib.sha256(content).hexdigest() != recorded[name]["sha256"]
            ):
                raise self._damaged(FILES, f"has another {name} than the record of {recipe.key}")
        return contents

    @functools.cached_property
    def _contents(self) -> Any:
        """The contents of all files, by row. They take ten times the size of the pack, and many
        readers ask for none.
        """
        return _read(self._table, "content")["content"]

    def is_whole(self, recipe: Recipe) -> bool:
        """Whether the pack has all files of an artefact."""
        return self.record(recipe)["files"].keys() == self._rows.get(recipe.key, {}).keys()

    def entry(self, recipe: Recipe) -> Entry | None:
        """As of `Source`: those parts in the pack that may be passed on by today's rules."""
        return (
            entry_of(recipe, self.record(recipe), self.files(recipe).get)
            if recipe in self
            else None
        )

    def unpack(self, recipe: Recipe, place: Path) -> Path:
        """The folder with an artefact's files, below ``place``, where they are written if they are
        not there yet.
        """
        # The record holds the digests of all files, so that another pack's artefact of this key has
        # another folder.
        digest = hashlib.sha256(self._records[recipe.key].encode()).hexdigest()[:16]
        folder = place / f"{recipe.key}-{digest}"
        if not folder.exists():
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".", dir=place) as name:
                work = Path(name) / folder.name
                work.mkdir()
                for file, content in self.files(recipe).items():
                    if not (work / file).resolve().is_relative_to(work.resolve()):
                        raise self._damaged(
                            FILES,
                            f"has the file name {file!r}, which leads out of an artefact's folder",
                        )
                    (work / file).parent.mkdir(parents=True, exist_ok=True)
                    (work / file).write_bytes(content)
                with contextlib.suppress(OSError):  # another process was faster
                    work.rename(folder)
        return folder

    def _bytes(self, name: str) -> bytes:
        try:
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise self._damaged(name, f"cannot be read ({error.strerror})") from None

    def _damaged(self, name: str, problem: str) -> DataError:
        remedy = (
            f"nothing of this pack is used: restore it, or remove the folder {self.folder} to "
            "have all built again"
        )
        return DataError(self.folder / name, f"{problem}; {remedy}")


def _read(table: bytes, *columns: str) -> Any:
    """Columns of a table, as Arrow holds them."""
    import pyarrow
    from pyarrow import parquet

    # In this thread alone: a thread of Arrow's may hold the bytes after the table was read. If it
    # gives them back while the interpreter ends, the process is aborted
    # (https://github.com/apache/arrow/issues/34314).
    file = parquet.ParquetFile(pyarrow.BufferReader(table))
    return file.read(columns=list(columns), use_threads=False)


def write_pack(
    folder: Path,
    entries: Iterable[Entry],
    written_by: str,
    sources: Mapping[str, SourceFile] = MappingProxyType({}),
) -> None:
    """Write a pack, in place of an older one; equal entries give equal bytes, in any order.
    UserError if it cannot be written.

    Args:
        written_by: name and version of the program.
        sources: the files that recipes read, by the names under which a reader who lacks them may
            ask for their digests.
    """
    entries = sorted(entries, key=lambda entry: (entry.recipe.kind, entry.recipe.key))
    artefacts = {
        "kind": [entry.recipe.kind for entry in entries],
        "key": [entry.recipe.key for entry in entries],
        "label": [entry.recipe.label for entry in entries],
        "recipe": [canonical_json(entry.recipe.content()) for entry in entries],
        # In the order in which steps report
        "record": [json.dumps(entry.record) for entry in entries],
    }
    # Files of one name stand together: they are much alike, which makes the pack small.
    held = [
        (entry.recipe.kind, name, entry.recipe.key, content)
        for entry in entries
        for name, content in entry.files.items()
    ]
    columns = zip(*sorted(held), strict=True) if held else [()] * 4
    files = dict(zip(("kind", "name", "key", "content"), map(list, columns), strict=True))
    written = {ARTEFACTS: _parquet(artefacts), FILES: _parquet(files)}
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "written_by": written_by,
        "artefacts": len(entries),
    }
    manifest["sources"] = {
        name: {"sha256": file.digest, "bytes": file.size} for name, file in sorted(sources.items())
    }
    manifest |= {name: hashlib.sha256(content).hexdigest() for name, content in written.items()}
    # The files replace those of an earlier pack when all are written, so none does on a full disk;
    # the manifest comes last.
    with contextlib.ExitStack() as replacing:
        for name, content in {
            MANIFEST: f"{json.dumps(manifest, indent=1)}\n".encode(),
            **written,
        }.items():
            stream = replacing.enter_context(write_atomically(folder / name))
            stream.write(content)
            stream.flush()


def merge(recipes: Iterable[Recipe], sources: Sequence[Source]) -> list[Entry]:
    """The parts of artefacts that a pack may contain, from several sources; artefacts that no
    source has are left out.

    Raises:
        UserError: sources hold an artefact with different numbers; the message names all such
            artefacts.
        DataError: an artefact is damaged.
    """
    merged, conflicts = [], list[str]()
    for recipe in recipes:
        entries = [entry for source in sources if (entry := source.entry(recipe)) is not None]
        if not entries:
            continue
        merged.append(max(entries, key=lambda entry: len(entry.files)))  # the first of equals
        if differing := {
            text: None for entry in entries[1:] for text in differences(entries[0], entry)
        }:
            conflicts.append(
                f"    {recipe.kind} {recipe.label} ({recipe.key}): {'; '.join(differing)}"
            )
    if conflicts:
        heading = (
            f"{len(conflicts)} artefacts have different numbers in the sources, so these are "
            "not merged:"
        )
        raise UserError("\n".join([heading, *conflicts]))
    return merged


def differences(one: Entry, other: Entry) -> list[str]:
    """The differences between the numbers of two entries of one artefact, in words; empty if there
    are none.
    """
    first, second = one.record["result"], other.record["result"]
    names = [name for name in dict.fromkeys([*first, *second]) if name not in one.recipe.measured]
    values = [
        (name, canonical_json(first.get(name)), canonical_json(second.get(name))) for name in names
    ]
    other_numbers = [
        f"{name} is {ours[:40]} and {theirs[:40]}"
        for name, ours, theirs in values
        if ours != theirs
    ]
    both = sorted(one.files.keys() & other.files.keys())
    return other_numbers + [
        f"{name} has other bytes" for name in both if one.files[name] != other.files[name]
    ]


def _parquet(columns: Mapping[str, list[Any]]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    types = {name: pyarrow.binary() if name == "content" else pyarrow.string() for name in columns}
    table = pyarrow.table(
        {name: pyarrow.array(values, types[name]) for name, values in columns.items()}
    )
    written = io.BytesIO()
    parquet.write_table(
        table,
        written,
        compression=_COMPRESSION,
        compression_level=_COMPRESSION_LEVEL,
        data_page_size=_ONE_PAGE,
        use_dictionary=False,
        write_statistics=False,
    )
    return written.getvalue()
