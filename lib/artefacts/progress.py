"""Showing how far a build is: live bars in a terminal or notebook, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import IO

from artefacts.plan import Estimator
from artefacts.recipe import Recipe


class Display:
    """What the engine calls during a build; this one shows nothing."""

    @contextlib.contextmanager
    def building(self, todo: Sequence[Recipe], needed: int, estimator: Estimator, workers: int) -> Iterator[None]:
        """Enclose a build of the recipes ``todo``, which are some of those needed."""
        yield

    def progress(self, recipe: Recipe, done: float, total: float, text: str) -> None:
        """Called while an artefact is built."""

    def finished(self, recipe: Recipe) -> None:
        """Called when an artefact is in the store."""


def format_duration(seconds: float) -> str:
    """Seconds in the units that suit them: ``45 s``, ``1 min 40 s``, ``3 h 05 min``, ``12 days``."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    if seconds < 48 * 3600:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
    return f"{seconds / 86400:.0f} days"


_NOTEBOOK_WIDTH = 95  # characters that JupyterLab shows beside its file browser; it cuts what is longer


class RichDisplay(Display):
    """A line that says what is to be built, then one bar for the whole build with the artefact in work and the time left.

    The time left is the estimated work of what is missing over the number of workers, corrected by how fast the build has
    gone so far.

    Args:
        stream: where to show it; standard output by default.
        announces: whether to say beforehand what is to be built.
    """

    def __init__(self, stream: IO[str] | None = None, announces: bool = True) -> None:
        from rich.console import Console

        # A pipe or log file gets lines that are wide enough for every text.
        self._console = Console(file=stream, width=None if (stream or sys.stdout).isatty() else 160)
        if self._console.is_jupyter:
            self._console.width = _NOTEBOOK_WIDTH
        self._live = self._console.is_terminal or self._console.is_jupyter
        self._expected: dict[str, float] = {}
        self._fraction: dict[str, float] = {}
        self._started = 0.0
        self._workers = 1
        self._last_line = 0.0
        self._announces = announces

    @contextlib.contextmanager
    def building(self, todo: Sequence[Recipe], needed: int, estimator: Estimator, workers: int) -> Iterator[None]:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.table import Column

        self._expected = {recipe.key: max(0.05, estimator.seconds(recipe)) for recipe in todo}
        self._fraction = dict.fromkeys(self._expected, 0.0)
        self._workers, self._started = workers, time.monotonic()
        if self._announces:
            print(self._announcement(todo, needed), file=self._console.file, flush=True)  # which a notebook wraps
        text = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis"))
        columns = (TextColumn("build  "), BarColumn(20), MofNCompleteColumn(), text)
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not self._live)
        with self._bar:
            self._task = self._bar.add_task("", total=len(todo))
            yield

    def _announcement(self, todo: Sequence[Recipe], needed: int) -> str:
        kinds = ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in Counter(item.kind for item in todo).items())
        about = format_duration(sum(self._expected.values()) / self._workers)
        workers = f"{self._workers} workers once they run" if self._workers > 1 else "1 worker once it runs"
        return f"{len(todo)} of {needed} artefacts are to be built, about {about} on {workers} ({kinds})"

    def progress(self, recipe: Recipe, done: float, total: float, text: str) -> None:
        if self._fraction[recipe.key] == 1:  # messages and results come by two ways, so a message may be late
            return
        self._fraction[recipe.key] = min(done / total, 0.999) if total else 0.0
        line = f"{format_duration(self._seconds_left())} left   {recipe.kind} {recipe.label}   {text}"
        self._bar.update(self._task, description=line)
        if not self._live and time.monotonic() - self._last_line > 15:
            self._last_line = time.monotonic()
            count = sum(value == 1 for value in self._fraction.values())
            self._console.print(f"build   {count}/{len(self._expected)}   {line}", highlight=False, soft_wrap=True)

    def finished(self, recipe: Recipe) -> None:
        self._fraction[recipe.key] = 1.0
        self._bar.advance(self._task)

    def _seconds_left(self) -> float:
        total = sum(self._expected.values())
        done = sum(self._expected[key] * fraction for key, fraction in self._fraction.items())
        expected_left = (total - done) / self._workers
        spent = time.monotonic() - self._started
        if done < 0.02 * total or spent < 5:
            return expected_left
        # The further the build is, the more its own speed counts against the estimate made before it.
        measured_left = spent * (total - done) / done
        return (done / total) * measured_left + (1 - done / total) * expected_left
