"""The artefact store: one folder for each artefact, published whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import platform
import shutil
import stat
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import filelock

from artefacts.errors import DataError, UserError
from artefacts.files import PARTIAL, digest_file, flush_to_disk, write_json
from artefacts.pack import Entry, Pack, entry_of, is_record
from artefacts.processor import instructions, processor
from artefacts.recipe import DESCRIPTION, Recipe

RECORD, LOG = "result.json", "log.txt"

Step = Callable[[Recipe, Path], dict[str, Any]]
"""Builds a recipe's files in a folder and returns facts about them (sizes, scores, arguments)."""

log = logging.getLogger(__name__)


class Damage(NamedTuple):
    """A file that is not what was written; ``problem`` follows the file's name in a sentence."""

    recipe: Recipe
    file: Path
    problem: str

    def __str__(self) -> str:
        return f"{self.recipe.kind} {self.recipe.label} is damaged: {self.file} {self.problem}"


class Store:
    """A folder of artefacts, shared by any number of processes.

    Layout: ``<root>/<kind>/<key>/`` holds ``recipe.json``, ``result.json``, ``log.txt`` and the artefact's files. Work in
    progress lives in ``<root>/.work/<key>/`` and is published by one atomic rename once it is on the disk, so a folder that
    exists under its name is complete, even after a power cut. A lock for each key keeps two processes from building one artefact
    twice; the system frees the lock when its holder dies, however it dies.

    An artefact that was damaged later (a file is missing or has another size than ``result.json`` says, or that file cannot be
    read) counts as missing, which is logged once. It is replaced when it has been built again. Damage that keeps the size is
    found by `verify`, and by a `CheckedStore` in the files that a step reads.

    The store caches nothing, so that changes by other processes are always seen: on a local disk a look at 600 artefacts takes
    less than 0.1 s.

    A store may have packs, from which `folder` and `result` read what the store itself lacks. A pack has only a part of
    most artefacts, which serves for reading only: builds use the store's artefacts alone.

    Args:
        root: the folder.
        packs: an artefact is read from the first that has it.
        writable: whether artefacts will be built in it; else nothing is written, and the folder may be another's.

    Raises:
        UserError: the folder cannot be made or written.
    """

    def __init__(self, root: Path | str, packs: Sequence[Pack] = (), writable: bool = True) -> None:
        self.root, self.packs = Path(root).absolute(), tuple(packs)
        self._logged: set[Damage] = set()
        if not writable:
            return
        with _disk_errors(self.root):
            for folder in (self.root, self.root / ".work", self.root / ".locks"):
                folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise UserError(f"{self.root}: no permission to write; choose another folder with --store FOLDER")

    def folder(self, recipe: Recipe) -> Path:
        """The artefact's folder, whether it exists or not; if only a pack has the artefact, a folder with the pack's files."""
        if (pack := self._pack_with(recipe)) is None or self.has(recipe):
            return self._place(recipe)
        with _disk_errors(self.root):
            return pack.unpack(recipe, self.root / ".unpacked")

    def _pack_with(self, recipe: Recipe) -> Pack | None:
        return next((pack for pack in self.packs if recipe in pack), None)

    def _place(self, recipe: Recipe) -> Path:
        return self.root / recipe.kind / recipe.key

    def can_read(self, recipe: Recipe, in_full: bool = False) -> bool:
        """Whether the artefact is in the store, or in a pack; with ``in_full``, all of its files."""
        pack = self._pack_with(recipe)
        return (pack is not None and (not in_full or pack.is_whole(recipe))) or self.has(recipe)

    def has(self, recipe: Recipe) -> bool:
        """Whether the artefact is in the store itself and complete, as far as names and sizes of its files show.

        Raises:
            UserError: no permission to look.
        """
        if not self._exists(recipe):
            return False
        damages, _ = self._look(recipe)
        for damage in damages[:1]:
            if damage not in self._logged:
                self._logged.add(damage)
                log.warning("%s; it counts as missing", damage)
        return not damages

    def result(self, recipe: Recipe) -> dict[str, Any]:
        """The step's return value (``result``), with the time, versions, and the sizes and digests of all files.

        Raises:
            KeyError: the artefact has not been built, and no pack has it.
            DataError: it has been damaged.
        """
        if (pack := self._pack_with(recipe)) is not None and not self.has(recipe):
            return pack.record(recipe)
        if not self._exists(recipe):
            raise KeyError(f"{recipe.label} ({recipe.key}) is not in the store {self.root}")
        try:
            return _read_record(self._place(recipe))
        except DataError as error:
            raise DataError(error.path, f"{error.problem}; the artefact must be built again") from None

    def entry(self, recipe: Recipe) -> Entry | None:
        """The parts of an artefact that a new pack may contain, from the store or else its packs; None if none has it.

        Raises:
            DataError: a file of it is damaged.
        """
        if not self.has(recipe):
            pack = self._pack_with(recipe)
            return pack.entry(recipe) if pack else None
        record = self.result(recipe)

        def read(name: str) -> bytes:
            path = self._place(recipe) / name
            if problem := _content_problem(path, record["files"][name]["sha256"]):
                raise DataError(path, f"{problem}; run again with --verify to have {recipe.kind} {recipe.label} built again")
            return path.read_bytes()

        return entry_of(recipe, record, read)

    def artefacts(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield (recipe.json, result.json) of every finished artefact whose records can be read."""
        for path in sorted(self.root.glob(f"[!.]*/*/{RECORD}")):
            with contextlib.suppress(UserError):  # damaged, or another user's
                yield _read_json(path.parent / DESCRIPTION), _read_record(path.parent)

    def build(self, recipe: Recipe, step: Step) -> bool:
        """Make the artefact if it is missing or incomplete; returns whether this call built it.

        Raises:
            UserError: the store cannot be written; exceptions of the step are passed on. A half-built artefact stays in the
                work folder if the recipe is resumable, and its log stays in any case.
        """
        if self.has(recipe):
            return False
        with self._locked(recipe):
            if self.has(recipe):
                return False
            work = self.root / ".work" / recipe.key
            with _disk_errors(self.root):
                if work.exists() and not recipe.resumable:
                    shutil.rmtree(work)
                work.mkdir(exist_ok=True)
                for partial in work.rglob(PARTIAL):
                    partial.unlink()
                write_json(work / DESCRIPTION, recipe.description())
            _fill(recipe, step, work)
            with _disk_errors(self.root):
                self._place(recipe).parent.mkdir(exist_ok=True)
                aside = self._set_aside(recipe)  # a damaged artefact keeps its name until the new one is finished
                work.rename(self._place(recipe))
                _discard(aside)
        return True

    def remove(self, recipe: Recipe) -> None:
        """Remove an artefact and its half-built folder; a folder that is being removed never looks complete.

        Raises:
            UserError: no permission.
        """
        with self._locked(recipe), _disk_errors(self.root):
            _discard(self.root / ".work" / recipe.key)
            _discard(self._set_aside(recipe))

    def damaged(self, recipes: Iterable[Recipe]) -> list[Damage]:
        """The first wrong file of each artefact that exists but is incomplete by the checks of `has`."""
        return [damage for recipe in self._present(recipes) for damage in self._look(recipe)[0][:1]]

    def verify(self, recipes: Iterable[Recipe]) -> list[Damage]:
        """Read all files of the artefacts that are there and compare them with the digests taken when they were made.

        Nothing is changed: `remove` an artefact to have it built again. Several threads read the files, since hashlib releases
        Python's global lock.

        Args:
            recipes: of the artefacts to verify; those that are not there are skipped.

        Returns:
            Every file that is wrong.

        Raises:
            UserError: no permission to read a file.
        """
        damages: list[Damage] = []
        unread: list[tuple[Recipe, Path, Mapping[str, Any]]] = []
        for recipe in self._present(recipes):
            seen, files = self._look(recipe)
            damages += seen
            unread += [(recipe, self._place(recipe) / name, recorded) for name, recorded in files.items()]
        pool = ThreadPoolExecutor()
        try:
            problems = pool.map(lambda file: _content_problem(file[1], file[2]["sha256"]), unread)
            found = zip(unread, problems, strict=True)
            damages += [Damage(recipe, path, problem) for (recipe, path, _), problem in found if problem]
        finally:
            pool.shutdown(cancel_futures=True)
        return damages

    def _exists(self, recipe: Recipe) -> bool:
        with _disk_errors(self.root):
            try:
                os.lstat(f"{self.root}/{recipe.kind}/{recipe.key}")
            except FileNotFoundError:
                return False
        return True

    def _present(self, recipes: Iterable[Recipe]) -> list[Recipe]:
        return [recipe for recipe in dict.fromkeys(recipes) if self._exists(recipe)]

    def _look(self, recipe: Recipe) -> tuple[list[Damage], dict[str, Mapping[str, Any]]]:
        """The visible damage of an artefact, and, by name, size and digest of the files that must be read to find more."""
        folder = self._place(recipe)
        try:
            record = _read_record(folder)
        except DataError as error:
            return [Damage(recipe, error.path, error.problem)], {}
        if record["key"] != recipe.key:
            return [Damage(recipe, folder / RECORD, "is another artefact's")], {}
        damages, files = [], {}
        for name, recorded in record["files"].items():
            if problem := _visible_problem(f"{folder}/{name}", recorded["bytes"]):
                damages.append(Damage(recipe, folder / name, problem))
            else:
                files[name] = recorded
        return damages, files

    def _set_aside(self, recipe: Recipe) -> Path:
        """Rename an artefact's folder, if there is one; returns the new place, where no build resumes unfinished work."""
        aside = self.root / ".work" / f"{recipe.key}.old"
        _discard(aside)
        if os.path.lexists(self._place(recipe)):
            self._place(recipe).rename(aside)
        return aside

    @contextlib.contextmanager
    def _locked(self, recipe: Recipe) -> Iterator[None]:
        lock = filelock.FileLock(self.root / ".locks" / f"{recipe.key}.lock")
        with _disk_errors(self.root):
            lock.acquire()
        try:
            yield
        finally:
            lock.release()


_found_whole: set[tuple[Path, int, int, int, int]] = set()
"""Path, inode, size and times of the files that this process has read and found right."""


class CheckedStore(Store):
    """A store for steps: the files of an artefact are compared with their digests before the folder is handed out.

    Each file is read once in each process. A worker that reads all of a study of 868 artefacts and 0.95 GB, whose models take
    half an hour to train, spends 3 seconds on it.
    """

    def folder(self, recipe: Recipe) -> Path:
        """Where the artefact is.

        Raises:
            DataError: one of its files has changed, or the artefact was removed since the build began.
        """
        if not self._exists(recipe):
            raise DataError(self._place(recipe), f"{recipe.kind} {recipe.label} was removed from the store meanwhile; run again")
        damages, files = self._look(recipe)
        for name, recorded in {} if damages else files.items():
            path = self._place(recipe) / name
            status = path.stat()
            state = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if state in _found_whole:
                continue
            if problem := _content_problem(path, recorded["sha256"]):
                damages.append(Damage(recipe, path, problem))
            else:
                _found_whole.add(state)
        for damage in damages[:1]:
            raise DataError(
                damage.file,
                f"{damage.problem}, so {recipe.kind} {recipe.label} cannot be used; "
                "run again with --verify to have all that is damaged found and built again",
            )
        return self._place(recipe)


def missing(targets: Iterable[Recipe], store: Store, in_full: bool = False) -> list[Recipe]:
    """The recipes to build for the targets, parents first; ancestors of what the store holds are left out.

    Builds use artefacts of the store itself, so parents that only a pack has are built too.

    Args:
        in_full: whether all files of the targets are needed, such as those of a model that will decode; else their part in a
            pack is enough.
    """
    found: dict[Recipe, None] = {}
    present: set[Recipe] = set()

    def visit(recipe: Recipe) -> None:
        if recipe in found or recipe in present:
            return
        if store.has(recipe):
            present.add(recipe)
            return
        for parent in recipe.parents:
            visit(parent)
        found[recipe] = None

    for target in targets:
        if not store.can_read(target, in_full):
            visit(target)
    return list(found)


def _fill(recipe: Recipe, step: Step, work: Path) -> None:
    clock = work / ".seconds"  # the time of interrupted attempts; an estimate from the last one alone would be too low
    earlier = 0.0
    with contextlib.suppress(OSError, ValueError):
        earlier = float(clock.read_text())
    started = time.monotonic()
    with _log_to(work / LOG):
        try:
            result = step(recipe, work)
        finally:
            seconds = earlier + time.monotonic() - started
            with contextlib.suppress(OSError):  # on a full disk the step's own error matters, not this note
                clock.write_text(f"{seconds:.3f}")
        clock.unlink(missing_ok=True)
        versions = {"python": platform.python_version(), **{name: metadata.version(name) for name in recipe.packages}}
        cost = {"seconds": round(seconds, 3), "work": recipe.work, "work_kind": recipe.work_kind, "operations": recipe.operations}
        device = {"machine": platform.machine(), "processor": processor(), "instructions": instructions()}
        if result.get("device", "cpu") != "cpu":
            device["gpu"] = result["device"]
        _finish(work, {"key": recipe.key, "result": result, **cost, **device, "versions": versions})


def _finish(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record, and flush everything to the disk, so that a power cut leaves neither the record nor a file half-written.

    The log is not recorded: it is no part of the result.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / RECORD)
    recorded = [path for path in paths if path != folder / LOG]
    # The file system joins what several threads flush: this takes a third of the time of one flush after the other.
    with ThreadPoolExecutor(8) as pool:
        digests = pool.map(digest_file, recorded)
        files = {
            path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": digest}
            for path, digest in zip(recorded, digests, strict=True)
        }
        write_json(folder / RECORD, {**record, "files": files})
        folders = [folder, *filter(Path.is_dir, folder.rglob("*"))]
        list(pool.map(flush_to_disk, [*paths, folder / RECORD, *folders]))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except ValueError:
        value = None
    except OSError as error:
        raise DataError(path, _reason(path, error)) from None
    if not isinstance(value, dict):
        raise DataError(path, "is not readable JSON")
    return value


def _read_record(folder: Path) -> dict[str, Any]:
    """The record of an artefact.

    Raises:
        DataError: it is missing or damaged.
        UserError: no permission to read it.
    """
    record = _read_json(folder / RECORD)
    if not is_record(record):
        raise DataError(folder / RECORD, "is not what was written")
    return record


def _visible_problem(path: str, size: int) -> str:
    """What is wrong with a file by its size; empty if nothing."""
    try:
        status = os.stat(path)  # noqa: PTH116 - half the time of pathlib, for each file of a store
    except OSError as error:
        return _reason(path, error)
    if not stat.S_ISREG(status.st_mode):
        return "is no file"
    return "" if status.st_size == size else f"has {status.st_size:,} bytes and should have {size:,}"


def _content_problem(path: Path, sha256: str) -> str:
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return _reason(path, error)
    return "" if found == sha256 else "has other bytes than were written (its SHA-256 differs)"


def _reason(path: Path | str, error: OSError) -> str:
    if isinstance(error, PermissionError):
        raise UserError(f"{path}: no permission to read it; ask its owner, or choose another store with --store FOLDER") from None
    return "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read ({error.strerror})"


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _log_to(path: Path) -> Iterator[None]:
    """Write the libraries' messages during a step to the artefact's own log, with the traceback if it fails."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    logging.captureWarnings(True)  # into the artefact's log, not to the screen of the build
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError), path.open("a", encoding="utf-8") as stream:
            traceback.print_exc(file=stream)
        raise
    finally:
        logging.captureWarnings(False)
        root.removeHandler(handler)
        with contextlib.suppress(OSError):
            handler.close()


@contextlib.contextmanager
def _disk_errors(place: Path) -> Iterator[None]:
    """Turn errors of the store's own folders into messages."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise UserError(f"{place}: {error.strerror} ({error.filename}); choose another folder with --store FOLDER") from error
