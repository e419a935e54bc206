"""Finding what no longer is what was written, by reading it whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from artefacts.cluster import cores_of_this_machine
from artefacts.errors import DataError
from artefacts.recipe import Recipe
from artefacts.record import Flaw, FlawError, flaw_of_content, flaw_of_size, read_records

Found = tuple[Recipe, Path]
"""An artefact that is there, and its folder."""

Reading = Callable[[float, float, str], None]
"""Told how far a check is: bytes read, bytes in all, and the label of the artefact read last."""


class Damage(NamedTuple):
    """A file that is not what was written.

    Attributes:
        recipe: the artefact's.
        file: its path.
        problem: what is wrong, to follow the path in a sentence.
    """

    recipe: Recipe
    file: Path
    problem: str

    def __str__(self) -> str:
        return f"{self.recipe.kind} {self.recipe.label} is damaged: {self.file} {self.problem}"


class _Unread(NamedTuple):
    recipe: Recipe
    folder: Path
    name: str
    size: int
    sha256: str

    def flaw(self) -> Flaw | None:
        return flaw_of_content(self.folder, self.name, self.sha256)


def find_damage(artefacts: Iterable[Found], progress: Reading | None = None) -> list[Damage]:
    """Hold all files of artefacts against the digests that were taken when they were made.

    Files are read by one thread a core: a digest is computed outside Python's global lock.

    Args:
        artefacts: which.
        progress: told how far it is.

    Returns:
        Every file that is wrong.

    Raises:
        UserError: no permission to read a file.
    """
    damages, unread = [], []
    for recipe, folder in artefacts:
        seen, rest = _look(recipe, folder)
        damages += seen
        unread += rest
    total, done = sum(file.size for file in unread), 0
    pool = ThreadPoolExecutor(cores_of_this_machine())
    try:
        for file, flaw in zip(unread, pool.map(_Unread.flaw, unread), strict=True):
            if flaw is not None:
                damages.append(Damage(file.recipe, file.folder / flaw.file, flaw.problem))
            done += file.size
            if progress is not None:
                progress(done, total, file.recipe.label)
    finally:
        pool.shutdown(cancel_futures=True)
    return damages


def _look(recipe: Recipe, folder: Path) -> tuple[list[Damage], list[_Unread]]:
    """What can be seen to be wrong with an artefact, and the files that must be read to tell."""
    try:
        _, record = read_records(folder)
    except FlawError as error:
        return [Damage(recipe, folder / error.flaw.file, error.flaw.problem)], []
    damages, unread = [], []
    for name, recorded in record["files"].items():
        if (flaw := flaw_of_size(folder, name, recorded)) is not None:
            damages.append(Damage(recipe, folder / flaw.file, flaw.problem))
        else:
            unread.append(_Unread(recipe, folder, name, recorded["bytes"], recorded["sha256"]))
    return damages, unread


_read_before: set[tuple[Path, int, int, int, int]] = set()


def refuse_damaged(recipe: Recipe, folder: Path) -> None:
    """Read an artefact's files before they are used; one that this process found right and that looks the same is not read again.

    Raises:
        DataError: a file is not what was written, with what to do about it.
        UserError: no permission to read a file.
    """
    damages, unread = _look(recipe, folder)
    for file in unread:
        path = file.folder / file.name
        status = path.stat()
        # The time of change tells a file whose time of modification was put back.
        state = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if not damages and state not in _read_before:
            if (flaw := file.flaw()) is None:
                _read_before.add(state)  # a damaged file is refused every time
            else:
                damages.append(Damage(recipe, path, flaw.problem))
    if damages:
        raise DataError(
            damages[0].file,
            f"{damages[0].problem}, so {recipe.kind} {recipe.label} cannot be used; "
            "run again with --verify to have all that is damaged found and built anew",
        )
