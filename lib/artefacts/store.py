"""The artefact store: one folder an artefact, published whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import functools
import logging
import os
import platform
import shutil
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import filelock

from artefacts.damage import Damage, Reading, find_damage, refuse_damaged
from artefacts.errors import DataError, UserError
from artefacts.recipe import Recipe
from artefacts.record import (
    DESCRIPTION,
    LOG,
    RECORD,
    Flaw,
    FlawError,
    flaw_of_size,
    read_record,
    read_records,
    seal,
    write_json,
)

Step = Callable[[Recipe, Path], dict[str, Any]]
"""A step builds a recipe's files in a folder and returns what is worth knowing of them (sizes, scores, arguments)."""

RECORDED_PACKAGES = ("torch", "fairseq", "ctranslate2", "errant", "spacy", "subword-nmt", "numpy")

LISTING_SECONDS = 0.5
"""How long the list of a kind's folders may serve for looking (not for building) without being made anew, whatever clocks say."""

log = logging.getLogger(__name__)


class _Listing(NamedTuple):
    state: tuple[int, ...]
    made: float
    folders: dict[str, Path]


class _Recorded(NamedTuple):
    state: tuple[tuple[int, ...] | None, ...]
    files: dict[str, Any]


class Store:
    """A folder of artefacts, shared by any number of processes.

    Layout: ``<root>/<kind>/<label>-<key>/`` holds ``recipe.json``, ``result.json``, ``log.txt`` and the artefact's files. Work in
    progress lives in ``<root>/.work/<key>/`` and is published by one atomic rename once it is on the disk, so a folder that
    exists under its name is complete, even after a power cut. A lock a key keeps two processes from building one artefact twice;
    the system frees the lock when its holder dies, however it dies.

    An artefact that was damaged since (a file is missing, or has another size than ``result.json`` says, or that file itself is
    not what was written) counts as missing, which is said once, and gives way when it has been built anew. What keeps its size is
    found by `verify`, and by a `CheckedStore` for what it reads.

    Raises:
        UserError: the folder cannot be made or written.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root).absolute()
        self._listings: dict[str, _Listing] = {}
        self._recorded: dict[Path, _Recorded] = {}
        self._told: set[tuple[Path, Flaw]] = set()
        with _disk_errors(self.root):
            for folder in (self.root, self.root / ".work", self.root / ".locks"):
                folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise UserError(f"{self.root}: no permission to write; choose another folder with --store FOLDER")

    def folder(self, recipe: Recipe) -> Path:
        """Where the artefact is, or will be.

        The key alone identifies it: an artefact that was built under another label (another profile's name for the same thing) is
        found.
        """
        return self._place(recipe)

    def _place(self, recipe: Recipe) -> Path:
        return self._found(recipe) or self._found(recipe, anew=True) or self.root / recipe.kind / recipe.folder_name

    def _found(self, recipe: Recipe, anew: bool = False) -> Path | None:
        """The artefact's folder, if there is one, whole or not; ``anew``: among what is there at this moment."""
        usual = self.root / recipe.kind / recipe.folder_name
        if os.path.lexists(usual):
            return usual
        found = self._listed(recipe.kind, anew).get(recipe.key)
        return found if found is not None and os.path.lexists(found) else None

    def _listed(self, kind: str, anew: bool) -> dict[str, Path]:
        """The folders of a kind by key; what changed without a trace in the folder's times may be seen late, unless ``anew``.

        Two changes within one tick of the file system's clock, or a clock that was set back, leave no trace there. Nothing is
        decided by a list of that kind: who builds looks anew.
        """
        place, now = self.root / kind, time.monotonic()
        with _disk_errors(self.root):
            try:
                status = place.stat()
            except FileNotFoundError:
                return {}
            state = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_nlink)
            listing = self._listings.get(kind)
            if anew or listing is None or listing.state != state or now - listing.made > LISTING_SECONDS:
                listing = _Listing(state, now, {path.name.rpartition("-")[2]: path for path in place.iterdir()})
                self._listings[kind] = listing
        return listing.folders

    def has(self, recipe: Recipe) -> bool:
        """Whether the artefact is there and, as far as can be seen without reading its files, whole.

        Raises:
            UserError: no permission to look.
        """
        folder = self._found(recipe)
        if folder is None:
            return False
        flaw = self._flaw(folder)
        if flaw is not None and (folder, flaw) not in self._told:
            self._told.add((folder, flaw))
            log.warning("%s; it is built anew", Damage(recipe, folder / flaw.file, flaw.problem))
        return flaw is None

    def _flaw(self, folder: Path) -> Flaw | None:
        """What is wrong with an artefact, as far as can be seen without reading its files."""
        try:
            files = self._files(folder)
        except FlawError as error:
            return error.flaw
        return next(filter(None, (flaw_of_size(folder, name, recorded) for name, recorded in files.items())), None)

    def _files(self, folder: Path) -> dict[str, Any]:
        """The files that an artefact should have; its record is read again only when it has changed."""
        state = tuple(_state(folder / name) for name in (RECORD, DESCRIPTION))
        known = self._recorded.get(folder)
        if known is None or known.state != state or None in state:
            known = self._recorded[folder] = _Recorded(state, read_records(folder)[1]["files"])
        return known.files

    def result(self, recipe: Recipe) -> dict[str, Any]:
        """What the step returned, with time, versions and digests.

        Raises:
            KeyError: the artefact has not been built.
            DataError: it was damaged since.
        """
        folder = self._found(recipe) or self._found(recipe, anew=True)
        if folder is None:
            raise KeyError(f"{recipe.label} ({recipe.key}) is not in the store {self.root}")
        try:
            return read_record(folder)
        except FlawError as error:
            raise DataError(folder / error.flaw.file, f"{error.flaw.problem}; the artefact must be built anew") from None

    def build(self, recipe: Recipe, step: Step) -> bool:
        """Make the artefact if it is not there, or not whole; returns whether this call built it.

        Raises:
            UserError: disk full or no permission; whatever the step raises passes through. What is half-built stays in the
                work folder if the recipe is resumable, and its log stays in any case.
        """
        if self._whole(recipe):
            return False
        with self._locked(recipe):
            if self._whole(recipe):
                return False
            work = self.root / ".work" / recipe.key
            with _disk_errors(self.root):
                if work.exists() and not recipe.resumable:
                    shutil.rmtree(work)
                work.mkdir(exist_ok=True)
                write_json(work / DESCRIPTION, recipe.description())
            with _full_disk(self.root):
                self._fill(recipe, step, work)
            with _disk_errors(self.root):
                self._publish(work, self._place(recipe))
        return True

    def _whole(self, recipe: Recipe) -> bool:
        folder = self._found(recipe, anew=True)
        return folder is not None and self._flaw(folder) is None

    def _publish(self, work: Path, target: Path) -> None:
        """Give a finished folder its name; a damaged artefact that has the name keeps it until then."""
        target.parent.mkdir(exist_ok=True)
        self._set_aside(target)
        work.rename(target)
        _discard(self._aside(target))

    def _set_aside(self, target: Path) -> None:
        """Take an artefact's name away; never to where an unfinished one would be taken up again."""
        _discard(self._aside(target))
        if os.path.lexists(target):
            target.rename(self._aside(target))

    def _aside(self, target: Path) -> Path:
        return self.root / ".work" / f"{target.name.rpartition('-')[2]}.old"

    def remove(self, recipe: Recipe) -> None:
        """Forget an artefact and what is half-built of it; a folder that is being removed never looks complete.

        Raises:
            UserError: no permission.
        """
        with self._locked(recipe), _disk_errors(self.root):
            folder = self._place(recipe)
            _discard(self.root / ".work" / recipe.key)
            self._set_aside(folder)
            _discard(self._aside(folder))

    @contextlib.contextmanager
    def _locked(self, recipe: Recipe) -> Iterator[None]:
        lock = filelock.FileLock(self.root / ".locks" / f"{recipe.key}.lock")
        with _disk_errors(self.root):
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _fill(self, recipe: Recipe, step: Step, work: Path) -> None:
        earlier = _seconds_spent(work)
        started = time.monotonic()
        with _log_to(work / LOG):
            try:
                outcome = step(recipe, work)
            finally:
                seconds = earlier + time.monotonic() - started
                with contextlib.suppress(OSError):  # on a full disk the step's own error matters, not this note
                    (work / ".seconds").write_text(f"{seconds:.3f}")
        (work / ".seconds").unlink(missing_ok=True)
        seal(
            work,
            {
                "result": outcome,
                "seconds": round(seconds, 3),
                "work": recipe.work,
                "work_kind": recipe.work_kind,
                "operations": recipe.operations,
                "made_by": _environment(),
            },
        )

    def artefacts(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield (recipe.json, result.json) of every finished artefact; of one whose records are damaged, nothing."""
        for path in sorted(self.root.glob(f"*/*/{RECORD}")):
            with contextlib.suppress(FlawError):
                yield read_records(path.parent)

    def damaged(self, recipes: Iterable[Recipe]) -> list[Damage]:
        """The artefacts that are there and not whole, as `has` sees it: the first file of each that is wrong."""
        found = ((recipe, self._found(recipe)) for recipe in _distinct(recipes))
        flaws = ((recipe, folder, self._flaw(folder)) for recipe, folder in found if folder is not None)
        return [Damage(recipe, folder / flaw.file, flaw.problem) for recipe, folder, flaw in flaws if flaw is not None]

    def verify(self, recipes: Iterable[Recipe], progress: Reading | None = None) -> list[Damage]:
        """Read all files of the artefacts that are there and hold them against the digests taken when they were made.

        Nothing is changed: `remove` makes way for building anew what is damaged.

        Args:
            recipes: whose artefacts; those that are not there are passed over.
            progress: told bytes read, bytes in all, and the label of the artefact read last.

        Returns:
            Every file that is wrong.

        Raises:
            UserError: no permission to read a file.
        """
        found = ((recipe, self._found(recipe, anew=True)) for recipe in _distinct(recipes))
        return find_damage([(recipe, folder) for recipe, folder in found if folder is not None], progress)


class CheckedStore(Store):
    """A store for steps: the files of an artefact are held against their digests before the folder is handed out.

    Once a process and file, so it costs what reading the data once costs: 3 seconds for a worker that reads all of the classroom
    study (868 artefacts, 0.95 GB), against half an hour of training.
    """

    def folder(self, recipe: Recipe) -> Path:
        """Where the artefact is.

        Raises:
            DataError: a file of it is not what was written, or somebody removed it since the build began.
        """
        folder = super().folder(recipe)
        if not folder.exists():
            raise DataError(folder, f"{recipe.kind} {recipe.label} was removed from the store meanwhile; run again")
        refuse_damaged(recipe, folder)
        return folder


def _distinct(recipes: Iterable[Recipe]) -> Iterable[Recipe]:
    return {recipe.key: recipe for recipe in recipes}.values()


def _state(path: Path) -> tuple[int, ...] | None:
    """What changes with a file's content."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _seconds_spent(work: Path) -> float:
    try:
        return float((work / ".seconds").read_text())
    except (FileNotFoundError, ValueError):
        return 0.0


@functools.cache
def _environment() -> dict[str, str]:
    versions = {}
    for package in RECORDED_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return {"python": platform.python_version(), "machine": platform.machine(), **versions}


@contextlib.contextmanager
def _log_to(path: Path) -> Iterator[None]:
    """Send what the libraries log while a step runs to the artefact's own log, with the traceback if it fails."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    logging.captureWarnings(True)  # they concern this artefact, not whoever watches the build
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
def _full_disk(place: Path) -> Iterator[None]:
    """Turn the error of a full disk into a message that says what would help."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise UserError(
                f"{place}: the disk is full; free some space or choose another folder with --store FOLDER, then run again"
            ) from error
        raise


@contextlib.contextmanager
def _disk_errors(place: Path) -> Iterator[None]:
    """The same for all errors that the store's own folders can give."""
    try:
        with _full_disk(place):
            yield
    except OSError as error:
        if error.errno in {errno.EEXIST, errno.ENOTDIR}:
            problem = f"a file is in the way ({error.filename})"
        elif error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
            problem = f"no permission to write ({error.filename})"
        else:
            raise
        raise UserError(f"{place}: {problem}; choose another folder with --store FOLDER") from error
