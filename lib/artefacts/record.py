"""What a finished artefact says of itself (``result.json``), how that is made to last, and how it is held against the files."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from artefacts.errors import UserError
from artefacts.files import digest_file, flush_to_disk

RECORD, DESCRIPTION, LOG = "result.json", "recipe.json", "log.txt"

_SEAL = ',\n "sha256": "'
"""What precedes the record's own digest, which is its last entry."""

_ENTRIES = frozenset({"result", "seconds", "work", "work_kind", "operations", "made_by", "files", "recipe_sha256", "sha256"})


_THREADS = 8


class Flaw(NamedTuple):
    """What is wrong with a file of an artefact.

    Attributes:
        file: its path within the artefact's folder.
        problem: what is wrong, to follow the file's name in a sentence.
    """

    file: str
    problem: str


class FlawError(Exception):
    """A record or description cannot be read.

    Args:
        flaw: which, and why.
    """

    def __init__(self, flaw: Flaw) -> None:
        self.flaw = flaw
        super().__init__(f"{flaw.file} {flaw.problem}")


def write_json(path: Path, value: Any) -> None:
    """Write readable JSON with a final line end."""
    path.write_text(_text(value), encoding="utf-8")


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def seal(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record of a finished artefact, and see to it that a power cut leaves neither the record nor a file unwritten.

    The log is not recorded: what the libraries said is no part of what was made.

    Args:
        folder: holds the files and ``recipe.json``.
        record: what else the record is to say.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / RECORD)
    with ThreadPoolExecutor(_THREADS) as pool:
        measured = {
            path.relative_to(folder).as_posix(): file for path, file in zip(paths, pool.map(_measured, paths), strict=True)
        }
        description = measured.pop(DESCRIPTION)
        measured.pop(LOG, None)
        body = _text({**record, "files": measured, "recipe_sha256": description["sha256"]})
        (folder / RECORD).write_text(_sealed(body), encoding="utf-8")
        folders = [folder, *filter(Path.is_dir, folder.rglob("*"))]
        # A file system writes in one go what several threads wait for: a third of the time of one after the other.
        list(pool.map(flush_to_disk, [*paths, folder / RECORD, *folders]))


def _sealed(body: str) -> str:
    """The record's text with its own digest as the last entry."""
    digest = hashlib.sha256(body.encode()).hexdigest()
    return body.removesuffix("\n}\n") + f'{_SEAL}{digest}"\n}}\n'


def _measured(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size, "sha256": digest_file(path)}


def read_record(folder: Path) -> dict[str, Any]:
    """The record of an artefact.

    Raises:
        FlawError: it is missing or damaged.
        UserError: no permission to read it.
    """
    text = _read(folder, RECORD)
    record = _object(RECORD, text)
    body = text.rpartition(_SEAL)[0] + "\n}\n"
    sealed = "sha256" in record  # artefacts of earlier versions bear no seal
    if not set(record) <= _ENTRIES or (sealed and text != _sealed(body)):
        raise FlawError(Flaw(RECORD, "is not what was written"))
    files = record.get("files")
    if not isinstance(files, dict) or not all(
        isinstance(file, dict) and {"bytes", "sha256"} <= set(file) for file in files.values()
    ):
        raise FlawError(Flaw(RECORD, "does not list the files with their sizes and digests"))
    return record


def read_records(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The description of an artefact's recipe, and its record.

    Raises:
        FlawError: one of them is missing or damaged.
        UserError: no permission to read it.
    """
    record, text = read_record(folder), _read(folder, DESCRIPTION)
    description = _object(DESCRIPTION, text)
    if "recipe_sha256" in record and hashlib.sha256(text.encode()).hexdigest() != record["recipe_sha256"]:
        raise FlawError(Flaw(DESCRIPTION, "is not what was written"))
    return description, record


def _read(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_bytes().decode()
    except UnicodeDecodeError:
        raise FlawError(Flaw(name, "is not readable JSON")) from None
    except OSError as error:
        raise FlawError(Flaw(name, _said(folder / name, error))) from None


def _object(name: str, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise FlawError(Flaw(name, "is not readable JSON"))
    return value


def flaw_of_size(folder: Path, name: str, recorded: Mapping[str, Any]) -> Flaw | None:
    """What can be seen without reading a file: it is missing, no file, or of another size than recorded.

    Raises:
        UserError: no permission to look.
    """
    try:
        status = (folder / name).stat()
    except OSError as error:
        return Flaw(name, _said(folder / name, error))
    if not stat.S_ISREG(status.st_mode):
        return Flaw(name, "is no file")
    if status.st_size != recorded["bytes"]:
        return Flaw(name, f"has {status.st_size:,} bytes and should have {recorded['bytes']:,}")
    return None


def flaw_of_content(folder: Path, name: str, sha256: str) -> Flaw | None:
    """What shows only when a file is read whole.

    Raises:
        UserError: no permission to read it.
    """
    try:
        with (folder / name).open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return Flaw(name, _said(folder / name, error))
    return None if found == sha256 else Flaw(name, "has other bytes than were written (its SHA-256 differs)")


def _said(path: Path, error: OSError) -> str:
    if isinstance(error, PermissionError):
        raise UserError(f"{path}: no permission to read it; ask its owner, or choose another store with --store FOLDER") from None
    if isinstance(error, FileNotFoundError):
        return "is missing"
    return f"cannot be read ({error.strerror})"
