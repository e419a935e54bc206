"""What a preflight finds: a row for each thing that a study needs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

State = Literal["ok", "note", "missing"]
"""There; there, but worth knowing of; or missing, so that the study would fail."""


class Row(NamedTuple):
    """One thing that a study needs.

    Attributes:
        part: what needs it: parts of the profile's corpora, or ``machine`` and ``software``.
        item: a file, a device, a package.
        state: whether it is there.
        finding: what was found.
        remedy: what to do about it; empty where nothing need be done.
    """

    part: str
    item: str
    state: State
    finding: str
    remedy: str = ""


class Preflight(NamedTuple):
    """All that a profile needs.

    Attributes:
        profile: its name.
        rows: what was found.
    """

    profile: str
    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is missing."""
        return not self.problems

    @property
    def problems(self) -> list[Row]:
        """What is missing."""
        return [row for row in self.rows if row.state == "missing"]


def format_size(count: float) -> str:
    """Bytes as people say them: ``12 kB``, ``3.4 MB``, ``39 GB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.0f} TB" if count >= 10 else f"{count:.1f} TB"


def shown(path: Path) -> str:
    """A path as seen from the working directory."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
