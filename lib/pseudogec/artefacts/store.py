"""The artefact store: one folder for each artefact, published whole or not at all."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import platform
import shutil
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import filelock

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import PARTIAL, digest_file, write_json
from pseudogec.artefacts.pack import Entry, Pack, entry_of
from pseudogec.artefacts.processor import processor
from pseudogec.artefacts.recipe import DESCRIPTION, Recipe

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

    ``<root>/<kind>/<key>/`` holds ``recipe.json``, ``result.json``, ``log.txt`` and the artefact's
    files. Work in progress lives in ``<root>/.work/<key>/`` and is published by one atomic rename.
    A lock for each key, which the system frees when its holder dies, keeps two processes from
    building one artefact twice. Nothing is cached, so changes by other processes are always seen.

    An artefact that was damaged later (a file is missing or has another size than ``result.json``
    says, or that file cannot be read) counts as missing, which is logged once. Damage that keeps
    the size is found by `verify`.

    Args:
        packs: `folder` and `result` read from the first of these that has it what the store lacks.
            Builds use the store alone.
        writable: whether artefacts will be built in it; else nothing is written, and the folder may
            be another's.

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
            raise UserError(
                f"{self.root}: no permission to write; choose another folder with --store FOLDER"
            )

    def folder(self, recipe: Recipe) -> Path:
        """The artefact's folder, whether it exists or not; if only a pack has the artefact, a
        folder with the pack's files.
        """
        if (pack := self._pack_with(recipe)) is None or self.has(recipe):
            return self._place(recipe)
        with _disk_errors(self.root):
            return pack.unpack(recipe, self.root / ".unpacked")

    def _pack_with(self, recipe: Recipe) -> Pack | None:
        return next((pack for pack in self.packs if recipe in pack), None)

    def _place(self, recipe: Recipe) -> Path:
        return self.root / recipe.kind / recipe.key

    def can_read(self, recipe: Recipe, in_full: bool = False) -> bool:
        """Whether the artefact is in the store, or in a pack; with ``in_full``, all of its
        files.
        """
        pack = self._pack_with(recipe)
        return (pack is not None and (not in_full or pack.is_whole(recipe))) or self.has(recipe)

    def has(self, recipe: Recipe) -> bool:
        """Whether the artefact is in the store itself and complete, as far as names and sizes of
        its files show.
        """
        if not self._place(recipe).exists():
            return False
        damage = next(self._damages(recipe), None)
        if damage is not None and damage not in self._logged:
            self._logged.add(damage)
            log.warning("%s; it counts as missing", damage)
        return damage is None

    def result(self, recipe: Recipe) -> dict[str, Any]:
        """The step's return value (``result``), with the time, versions, and the sizes and digests
        of all files.

        Raises:
            DataError: the artefact has not been built or is damaged, and no pack has it.
        """
        if (pack := self._pack_with(recipe)) is not None and not self.has(recipe):
            return pack.record(recipe)
        return _read_json(self._place(recipe) / RECORD)

    def entry(self, recipe: Recipe) -> Entry | None:
        """The parts of an artefact that a new pack may contain, from the store or else its packs;
        None if none has it.

        Raises:
            DataError: a file of it is damaged.
        """
        if not self.has(recipe):
            pack = self._pack_with(recipe)
            return pack.entry(recipe) if pack else None
        record = self.result(recipe)

        def read(name: str) -> bytes:
            path = self._place(recipe) / name
            if problem := _problem(path, record["files"][name], read=True):
                raise DataError(
                    path,
                    f"{problem}; run again with --verify to have {recipe.kind} "
                    f"{recipe.label} built again",
                )
            return path.read_bytes()

        return entry_of(recipe, record, read)

    def artefacts(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield (recipe.json, result.json) of every finished artefact whose records can be read."""
        for path in sorted(self.root.glob(f"[!.]*/*/{RECORD}")):
            with contextlib.suppress(DataError):
                yield _read_json(path.parent / DESCRIPTION), _read_json(path)

    def build(self, recipe: Recipe, step: Step) -> bool:
        """Make the artefact if it is missing or incomplete; returns whether this call built it.

        Raises:
            UserError: the store cannot be written; exceptions of the step are passed on. A
                half-built artefact stays in the work folder if the recipe is resumable, and its log
                stays in any case.
        """
        if self.has(recipe):
            return False
        with self._locked(recipe):
            if self.has(recipe):
                return False
            work = self.root / ".work" / recipe.key
            with _disk_errors(self.root):
                if not recipe.resumable:
                    _remove(work)
                work.mkdir(exist_ok=True)
                for partial in work.rglob(PARTIAL):
                    partial.unlink()
                write_json(work / DESCRIPTION, recipe.description())
            _fill(recipe, step, work)
            with _disk_errors(self.root):
                self._place(recipe).parent.mkdir(exist_ok=True)
                _remove(self._place(recipe))  # a damaged one
                work.rename(self._place(recipe))
        return True

    def remove(self, recipe: Recipe) -> None:
        """Remove an artefact and its half-built folder."""
        with self._locked(recipe), _disk_errors(self.root):
            _remove(self.root / ".work" / recipe.key)
            _remove(self._place(recipe))

    def verify(self, recipes: Iterable[Recipe]) -> list[Damage]:
        """Every wrong file of those artefacts that are there, by the digests taken when they were
        made.

        Nothing is changed: `remove` an artefact to have it built again. Several threads read the
        files, since hashlib releases Python's global lock.
        """
        present = [recipe for recipe in dict.fromkeys(recipes) if self._place(recipe).exists()]
        with ThreadPoolExecutor() as pool:
            of_each = pool.map(lambda recipe: list(self._damages(recipe, read=True)), present)
            return [damage for damages in of_each for damage in damages]

    def _damages(self, recipe: Recipe, read: bool = False) -> Iterator[Damage]:
        """What is wrong with an artefact's files, by their sizes or, with ``read``, also by their
        digests.
        """
        folder = self._place(recipe)
        try:
            files = _read_json(folder / RECORD)["files"]
        except DataError as error:
            yield Damage(recipe, error.path, error.problem)
            return
        for name, recorded in files.items():
            if problem := _problem(folder / name, recorded, read):
                yield Damage(recipe, folder / name, problem)

    @contextlib.contextmanager
    def _locked(self, recipe: Recipe) -> Iterator[None]:
        lock = filelock.FileLock(self.root / ".locks" / f"{recipe.key}.lock")
        with _disk_errors(self.root):
            lock.acquire()
        try:
            yield
        finally:
            lock.release()


def missing(targets: Iterable[Recipe], store: Store, in_full: bool = False) -> list[Recipe]:
    """The recipes to build for the targets, parents first; ancestors of what the store holds are
    left out.

    Builds use the store alone, so parents that only a pack has are built too. Targets of which a
    pack has a part are not, unless they are needed ``in_full``, such as a model that will decode.
    """
    absent: dict[Recipe, None] = {}
    present: set[Recipe] = set()

    def visit(recipe: Recipe) -> None:
        if recipe in absent or recipe in present:
            return
        if store.has(recipe):
            present.add(recipe)
            return
        for parent in recipe.parents:
            visit(parent)
        absent[recipe] = None

    for target in targets:
        if not store.can_read(target, in_full):
            visit(target)
    return list(absent)


def _fill(recipe: Recipe, step: Step, work: Path) -> None:
    """Run the step in its work folder, and write the record, which lists all files but the log."""
    # The time of interrupted attempts; an estimate from the last one alone would be too low
    clock = work / ".seconds"
    earlier = float(clock.read_text() or 0) if clock.exists() else 0.0
    started = time.monotonic()
    with _log_to(work / LOG):
        try:
            result = step(recipe, work)
        finally:
            seconds = earlier + time.monotonic() - started
            # On a full disk the step's own error matters, not this note
            with contextlib.suppress(OSError):
                clock.write_text(f"{seconds:.3f}")
        clock.unlink(missing_ok=True)
        versions = {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in recipe.packages},
        }
        cost = {
            "seconds": round(seconds, 3),
            "work": recipe.work,
            "work_kind": recipe.work_kind,
            "operations": recipe.operations,
        }
        device = {"machine": platform.machine(), "processor": processor()}
        if result.get("device", "cpu") != "cpu":
            device["gpu"] = result["device"]
        paths = sorted(
            path
            for path in work.rglob("*")
            if path.is_file() and path not in {work / RECORD, work / LOG}
        )
        files = {
            path.relative_to(work).as_posix(): {
                "bytes": path.stat().st_size,
                "sha256": digest_file(path),
            }
            for path in paths
        }
        write_json(
            work / RECORD,
            {
                "key": recipe.key,
                "result": result,
                **cost,
                **device,
                "versions": versions,
                "files": files,
            },
        )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DataError(path, "is missing") from None
    except (OSError, ValueError) as error:
        raise DataError(path, f"cannot be read as JSON ({error})") from None
    content: dict[str, Any] = value
    return content


def _problem(path: Path, recorded: Mapping[str, Any], read: bool) -> str:
    """What is wrong with a file, by its size or, with ``read``, also by its digest; empty if
    nothing.
    """
    try:
        # Half the time of pathlib, for each file of a store
        size = os.stat(path).st_size  # noqa: PTH116
        if size != recorded["bytes"]:
            return f"has {size:,} bytes and should have {recorded['bytes']:,}"
        if read and digest_file(path) != recorded["sha256"]:
            return "has other bytes than were written (its SHA-256 differs)"
    except FileNotFoundError:
        return "is missing"
    return ""


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


@contextlib.contextmanager
def _log_to(path: Path) -> Iterator[None]:
    """Write the libraries' messages during a step to the artefact's own log, with the traceback if
    it fails.
    """
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
        raise UserError(
            f"{place}: {error.strerror} ({error.filename}); choose another folder with "
            "--store FOLDER"
        ) from error
