"""Showing how far a build is: live bars in a terminal or notebook, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

from artefacts.recipe import Recipe
from artefacts.time_left import TimeLeft

if TYPE_CHECKING:
    from rich.progress import Task


class Display:
    """Functions that the engine calls during a build; this class shows nothing."""

    @contextlib.contextmanager
    def building(self, time_left: TimeLeft, needed: int) -> Iterator[None]:
        """Context of a build of the recipes in ``time_left.todo``; ``needed`` is their number with those that exist already."""
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


def describe_foreseen(time_left: TimeLeft, in_a_run: Callable[[float, bool], float] | None = None) -> str:
    """The expected time of a build, before it begins; ``in_a_run`` adds what a run takes beside."""
    seconds, measured = time_left.foreseen()
    if in_a_run is not None:
        seconds = in_a_run(seconds, measured)
    workers = f"{time_left.workers} workers" if time_left.workers > 1 else "1 worker"
    return f"about {format_duration(seconds)} on {workers}" + ("" if measured else " by a first guess")


_NOTEBOOK_WIDTH = 95  # characters that JupyterLab shows beside its file browser; it cuts what is longer


_SECONDS_BETWEEN_ESTIMATES = 2.0  # of which each takes 20 ms where 600 artefacts are left
_SECONDS_BETWEEN_LINES = 15.0


class RichDisplay(Display):
    """A line that lists what is to be built, then one bar for the whole build with the time left and the artefact in work.

    The bar and the time count progress within unfinished artefacts.

    Args:
        stream: where to show it; standard output by default.
        announces: whether to list beforehand what is to be built.
    """

    def __init__(self, stream: IO[str] | None = None, announces: bool = True) -> None:
        from rich.console import Console

        # A pipe or log file gets lines that are wide enough for every text.
        self._console = Console(file=stream, width=None if (stream or sys.stdout).isatty() else 160)
        if self._console.is_jupyter:
            self._console.width = _NOTEBOOK_WIDTH
        self._live = self._console.is_terminal or self._console.is_jupyter
        self._announces = announces
        self._lock = threading.Lock()  # messages, results and the bar each come from a thread of their own

    @contextlib.contextmanager
    def building(self, time_left: TimeLeft, needed: int) -> Iterator[None]:
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
        from rich.table import Column
        from rich.text import Text

        line, room = self._line, max(20, self._console.width - 30)  # beside the first word and the bar

        class Line(ProgressColumn):
            def render(self, task: Task) -> Text:
                shown = Text(line(), no_wrap=True)
                shown.truncate(room, overflow="ellipsis")
                return shown

        self._time_left, self._at_work = time_left, ""
        self._said, self._said_at, self._printed_at = "", -float("inf"), -float("inf")
        if self._announces:
            print(self._announcement(needed), file=self._console.file, flush=True)  # which a notebook wraps
        columns = (TextColumn("build  "), BarColumn(20), Line(Column(no_wrap=True)))
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not self._live)
        with self._bar:
            self._task = self._bar.add_task("", total=1.0)
            yield

    def _announcement(self, needed: int) -> str:
        todo = self._time_left.todo
        kinds = ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in Counter(item.kind for item in todo).items())
        return f"{len(todo)} of {needed} artefacts are to be built, {describe_foreseen(self._time_left)} ({kinds})"

    def progress(self, recipe: Recipe, done: float, total: float, text: str) -> None:
        with self._lock:
            self._time_left.progress(recipe, min(done / total, 0.999) if total else 0.0, time.monotonic())
            unit, _, rest = text.partition(" ")
            counted = f" {done:,.0f}/{total:,.0f} {unit}" if unit else ""
            self._at_work = f"{recipe.kind}{counted}   {recipe.label}   {rest.strip()}".rstrip()
            share = self._time_left.share_done
        self._bar.update(self._task, completed=share)
        if not self._live and time.monotonic() - self._printed_at > _SECONDS_BETWEEN_LINES:
            self._printed_at = time.monotonic()
            self._console.print(f"build   {self._line()}", highlight=False, markup=False, soft_wrap=True)

    def finished(self, recipe: Recipe) -> None:
        with self._lock:
            self._time_left.finished(recipe, time.monotonic())

    def _line(self) -> str:
        with self._lock:
            now = time.monotonic()
            if now - self._said_at > _SECONDS_BETWEEN_ESTIMATES:
                seconds, self._said_at = self._time_left.seconds(now), now
                self._said = "time left unknown" if seconds is None else f"{format_duration(seconds)} left"
            count = f"{self._time_left.number_finished}/{len(self._time_left.todo)}"
            return f"{count}   {self._said}   {self._at_work}"
