"""Errors that a user can mend, as distinct from bugs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class UserError(Exception):
    """Something that the user gave is wrong; the message says what and what would be right.

    The command-line programs and notebooks print the message alone, without a traceback.
    """

    def _render_traceback_(self) -> list[str]:  # what IPython asks for
        return [f"error: {self}"]


class Stopped(KeyboardInterrupt):
    """The user stopped a build."""

    def _render_traceback_(self) -> list[str]:
        return ["Stopped. Run the cell again to continue: what was built is kept."]


class DataError(UserError):
    """An input file is missing, malformed or unreadable; ``line`` counts from 1."""

    def __init__(self, path: Path | str, problem: str, line: int | None = None) -> None:
        self.path, self.problem, self.line = Path(path), problem, line
        where = f"{path}, line {line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {problem}")

    def __reduce__(self) -> tuple[type[DataError], tuple[Path, str, int | None]]:
        # Exceptions cross process borders (Dask workers) by pickle, which would call __init__ with
        # the message alone.
        return (type(self), (self.path, self.problem, self.line))


def similar(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the names that are similar to ``name``; empty if there are
    none.
    """
    import difflib

    close = difflib.get_close_matches(name, sorted(map(str, known)), n=2)
    return f"; did you mean {' or '.join(f'`{item}`' for item in close)}?" if close else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the names that are similar to ``name``, or all names."""
    options = sorted(map(str, known))
    return similar(name, options) or f"; known: {', '.join(options) or 'none'}"
