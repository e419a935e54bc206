"""The artefact store: one folder an artefact, published whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import platform
import shutil
import time
import traceback
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import filelock

from pseudogec.errors import UserError
from pseudogec.files import digest_file
from pseudogec.study.recipe import Recipe

Step = Callable[[Recipe, Path], dict[str, Any]]
"""A step builds a recipe's files in a folder and returns what is worth knowing of them (sizes, scores, arguments)."""

RECORDED_PACKAGES = ("torch", "fairseq", "ctranslate2", "errant", "spacy", "subword-nmt", "numpy")


class Store:
    """A folder of artefacts, shared by any number of processes.

    Layout: ``<root>/<kind>/<label>-<key>/`` holds ``recipe.json``, ``result.json``, ``log.txt`` and the artefact's files. Work in
    progress lives in ``<root>/.work/<key>/`` and is published by one atomic rename, so a folder that exists under its name is
    complete. A lock a key keeps two processes from building one artefact twice; the system frees the lock when its holder dies,
    however it dies.

    Raises:
        UserError: the folder cannot be made or written.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root).absolute()
        self._folders: dict[str, tuple[int, dict[str, Path]]] = {}
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
        known = self._listed(recipe.kind).get(recipe.key)
        return known if known is not None else self.root / recipe.kind / recipe.folder_name

    def _listed(self, kind: str) -> dict[str, Path]:
        """The folders of a kind by key; listed again only when the kind's folder has changed."""
        place = self.root / kind
        try:
            changed = place.stat().st_mtime_ns
        except FileNotFoundError:
            return {}
        seen, folders = self._folders.get(kind, (0, {}))
        if seen != changed:
            folders = {path.name.rpartition("-")[2]: path for path in place.iterdir()}
            self._folders[kind] = (changed, folders)
        return folders

    def has(self, recipe: Recipe) -> bool:
        """Whether the artefact is there."""
        return (self.folder(recipe) / "result.json").is_file()

    def result(self, recipe: Recipe) -> dict[str, Any]:
        """What the step returned, with time, versions and digests.

        Raises:
            KeyError: the artefact has not been built.
        """
        try:
            return json.loads((self.folder(recipe) / "result.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise KeyError(f"{recipe.label} ({recipe.key}) is not in the store {self.root}") from None

    def build(self, recipe: Recipe, step: Step) -> bool:
        """Make the artefact if it is not there; returns whether this call built it.

        Raises:
            UserError: disk full or no permission; whatever the step raises passes through. What is half-built stays in the
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
                write_json(work / "recipe.json", recipe.description())
            with _full_disk(self.root):
                self._fill(recipe, step, work)
            with _disk_errors(self.root):
                target = self.folder(recipe)
                target.parent.mkdir(exist_ok=True)
                if target.exists():  # a folder without result.json: someone removed files by hand
                    shutil.rmtree(target)
                work.rename(target)
        return True

    def remove(self, recipe: Recipe) -> None:
        """Forget an artefact and what is half-built of it; a folder that is being removed never looks complete.

        Raises:
            UserError: no permission.
        """
        with self._locked(recipe), _disk_errors(self.root):
            work, folder = self.root / ".work" / recipe.key, self.folder(recipe)
            if work.exists():
                shutil.rmtree(work)
            if folder.exists():
                folder.rename(work)
                shutil.rmtree(work)

    def _locked(self, recipe: Recipe) -> filelock.BaseFileLock:
        return filelock.FileLock(self.root / ".locks" / f"{recipe.key}.lock")

    def _fill(self, recipe: Recipe, step: Step, work: Path) -> None:
        earlier = _seconds_spent(work)
        started = time.monotonic()
        with _log_to(work / "log.txt"):
            try:
                outcome = step(recipe, work)
            finally:
                seconds = earlier + time.monotonic() - started
                with contextlib.suppress(OSError):  # on a full disk the step's own error matters, not this note
                    (work / ".seconds").write_text(f"{seconds:.3f}")
        (work / ".seconds").unlink()
        files = {
            path.relative_to(work).as_posix(): {"bytes": path.stat().st_size, "sha256": digest_file(path)}
            for path in sorted(work.rglob("*"))
            if path.is_file() and path.name not in {"recipe.json", "log.txt"}
        }
        write_json(
            work / "result.json",
            {
                "result": outcome,
                "seconds": round(seconds, 3),
                "work": recipe.work,
                "work_kind": recipe.work_kind,
                "made_by": _environment(),
                "files": files,
            },
        )

    def artefacts(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield (recipe.json, result.json) of every finished artefact."""
        for path in sorted(self.root.glob("*/*/result.json")):
            recipe = json.loads((path.parent / "recipe.json").read_text(encoding="utf-8"))
            yield recipe, json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write readable JSON with a final line end."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _seconds_spent(work: Path) -> float:
    try:
        return float((work / ".seconds").read_text())
    except (FileNotFoundError, ValueError):
        return 0.0


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
