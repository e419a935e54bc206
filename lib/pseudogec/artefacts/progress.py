"""How far a build is: one line with the time left."""

from __future__ import annotations

import contextlib
import io
import shutil
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import IO

from pseudogec.artefacts.plan import Estimator, elapsed
from pseudogec.artefacts.recipe import Recipe


def format_duration(seconds: float) -> str:
    """Seconds in the units that suit them: ``45 s``, ``1 min 40 s``, ``3 h 05 min``, ``12
    days``.
    """
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    if seconds < 48 * 3600:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
    return f"{seconds / 86400:.0f} days"


class TimeLeft:
    """The time until a build of ``todo`` ends (parents first), on so many workers of which some
    have GPUs.

    Expected seconds are corrected by those that such work, and all work, has taken in this build so
    far. Moments are seconds on a clock of the caller's that never goes back.
    """

    def __init__(
        self, todo: Sequence[Recipe], estimator: Estimator, workers: int, gpus: int = 0
    ) -> None:
        self.todo, self.workers, self._gpus = list(todo), workers, gpus
        self._on_gpu = {recipe.key: gpus > 0 and recipe.needs_gpu for recipe in todo}
        self._expected = {
            recipe.key: estimator.seconds(recipe, self._on_gpu[recipe.key]) for recipe in todo
        }
        self._began: dict[str, float] = {}
        self.ended: dict[str, float] = {}
        self._share: dict[str, float] = {}

    def progress(self, recipe: Recipe, share: float, now: float) -> None:
        """Record that an artefact is in work, and the share of it that is done."""
        # Messages and results come by two ways, so a message may be late
        if recipe.key not in self.ended:
            self._began.setdefault(recipe.key, now)
            self._share[recipe.key] = share

    def finished(self, recipe: Recipe, now: float) -> None:
        self.ended[recipe.key] = now
        # Else another program built it, which tells nothing of the time
        if recipe.key in self._began:
            self._share[recipe.key] = 1.0

    def seconds(self, now: float) -> float:
        """Seconds until the build ends."""
        taken, expected = defaultdict[str, float](float), defaultdict[str, float](float)
        for recipe in self.todo:
            if share := self._share.get(recipe.key):
                taken[recipe.work_kind] += self.ended.get(recipe.key, now) - self._began[recipe.key]
                expected[recipe.work_kind] += share * self._expected[recipe.key]
        # Weight of the guess: first steps start slowly
        prior = sum(self._expected.values()) / 20 or 1.0
        slower = (prior + sum(taken.values())) / (prior + sum(expected.values()))
        rests = {}
        unfinished = [recipe for recipe in self.todo if recipe.key not in self.ended]
        for recipe in unfinished:
            kind, share, spent = (
                recipe.work_kind,
                self._share.get(recipe.key),
                now - self._began.get(recipe.key, now),
            )
            whole = (
                self._expected[recipe.key]
                * (prior * slower + taken[kind])
                / (prior + expected[kind])
            )
            # The further it is, the more its own pace tells; what is late is expected to be a
            # quarter later still.
            rests[recipe.key] = (
                (1 - share) * (spent + (1 - share) * whole)
                if share
                else max(whole - spent, spent / 4)
            )
        return elapsed(unfinished, rests, self._on_gpu, self.workers, self._gpus)


class ProgressLine:
    """Writes to a stream, if there is one, what is to be built and then how far it is, in terminals
    and notebooks on one line.
    """

    def __init__(self, stream: IO[str] | None) -> None:
        self._stream = stream or io.StringIO()
        self._live = self._stream.isatty() or type(stream).__module__.startswith("ipykernel")
        # JupyterLab shows 95 characters beside its file browser.
        self._width = shutil.get_terminal_size((96, 24)).columns - 1 if self._live else 0
        # Messages, results and the line each come from a thread of their own
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def building(self, time_left: TimeLeft, needed: int) -> Iterator[None]:
        """Context of a build of the recipes in ``time_left.todo``; ``needed`` is their number with
        those that exist already.
        """
        self._time_left, self._at_work, ended = time_left, "", threading.Event()
        kinds = ", ".join(
            f"{kind} {count}"
            for kind, count in Counter(recipe.kind for recipe in time_left.todo).items()
        )
        about = f"about {format_duration(time_left.seconds(0.0))} on {time_left.workers} workers"
        print(
            f"{len(time_left.todo)} of {needed} artefacts are to be built, {about} ({kinds})",
            file=self._stream,
            flush=True,
        )

        def show() -> None:
            while not ended.wait(1.0 if self._live else 15.0):
                text = (
                    f"\r{self._line()[: self._width]:<{self._width}}"
                    if self._live
                    else f"{self._line()}\n"
                )
                print(text, end="", file=self._stream, flush=True)

        shower = threading.Thread(target=show, daemon=True)
        shower.start()
        try:
            yield
        finally:
            ended.set()
            shower.join()
            print(
                f"\r{'':{self._width}}\r" if self._live else "",
                end="",
                file=self._stream,
                flush=True,
            )

    def _line(self) -> str:
        with self._lock:
            left = format_duration(self._time_left.seconds(time.monotonic()))
            return (
                f"build   {len(self._time_left.ended)}/{len(self._time_left.todo)}   {left} "
                f"left   {self._at_work}"
            )

    def progress(self, recipe: Recipe, done: float, total: float, text: str) -> None:
        """Called while an artefact is built."""
        unit, _, rest = text.partition(" ")
        counted = f" {done:,.0f}/{total:,.0f} {unit}" if unit else ""
        with self._lock:
            self._time_left.progress(
                recipe, min(done / total, 0.999) if total else 0.0, time.monotonic()
            )
            self._at_work = f"{recipe.kind}{counted}   {recipe.label}   {rest.strip()}".rstrip()

    def finished(self, recipe: Recipe) -> None:
        """Called when an artefact is in the store."""
        with self._lock:
            self._time_left.finished(recipe, time.monotonic())
