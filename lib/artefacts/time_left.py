"""The remaining time of a build, from the expected times and the times so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from artefacts.plan import Estimator, elapsed
from artefacts.recipe import Recipe

_TELLING_SECONDS = 30.0
"""Seconds of work that count as much for a kind of work as one artefact that was built."""


class _Told(NamedTuple):
    """The share of an artefact that was done at a moment."""

    share: float
    now: float


class _Measured(NamedTuple):
    """The time that a kind of work has taken.

    Attributes:
        taken: seconds.
        expected: the seconds that were expected for it.
        artefacts: how many were built.
    """

    taken: float = 0.0
    expected: float = 0.0
    artefacts: int = 0

    def plus(self, taken: float, expected: float, artefacts: int = 0) -> _Measured:
        return _Measured(self.taken + taken, self.expected + expected, self.artefacts + artefacts)

    @property
    def weight(self) -> float:
        """How much it counts beside an expectation, from 0 to 1."""
        evidence = self.artefacts + self.taken / _TELLING_SECONDS if self.expected else 0.0
        return evidence / (evidence + 1)

    def corrected(self, factor: float) -> float:
        """The factor by which work takes longer than expected, from another source's estimate of it and from the time so far."""
        return self.weight * self.taken / self.expected + (1 - self.weight) * factor if self.expected else factor


class TimeLeft:
    """The time until a build ends.

    The expected time of an artefact is corrected by the times of others of its kind of work in this build; if there are none, a
    training is corrected by other trainings. One in work is also projected from its own pace. The rest is then assigned to the
    workers in the order in which it can begin, so that a long chain at the end counts in full.

    Moments are seconds on a clock of the caller's that never goes back.

    Args:
        todo: what is to be built, parents first.
        estimator: of the expected times.
        workers: how many build at a time.
        gpu_workers: how many of them have GPUs; with none, everything is built on CPUs.
    """

    def __init__(self, todo: Sequence[Recipe], estimator: Estimator, workers: int, gpu_workers: int = 0) -> None:
        self.todo, self.workers = list(todo), workers
        self._gpu_workers = gpu_workers
        self._on_gpu = {recipe.key: gpu_workers > 0 and recipe.needs_gpu for recipe in todo}
        self._expected = {recipe.key: max(0.05, estimator.seconds(recipe, self._on_gpu[recipe.key])) for recipe in todo}
        self._foreseen = {recipe.work_kind for recipe in todo if estimator.is_measured(recipe, self._on_gpu[recipe.key])}
        self._began: dict[str, _Told] = {}
        self._last: dict[str, _Told] = {}
        self._built: dict[str, _Measured] = defaultdict(_Measured)
        self._finished: set[str] = set()

    def progress(self, recipe: Recipe, share: float, now: float) -> None:
        """Record that an artefact is in work, and the share of it that is done."""
        if recipe.key in self._finished:  # messages and results come by two ways, so a message may be late
            return
        last = self._last.get(recipe.key)
        if last is None or share > last.share:
            # A resumable step may continue from where it was interrupted: its pace counts from the first share that it reports.
            if last is None or (recipe.resumable and not last.share):
                self._began[recipe.key] = _Told(share, now)
            self._last[recipe.key] = _Told(share, now)

    def finished(self, recipe: Recipe, now: float) -> None:
        self._finished.add(recipe.key)
        began = self._began.pop(recipe.key, None)
        if began is not None:  # else another program built it
            self._last.pop(recipe.key)
            done = (1 - began.share) * self._expected[recipe.key]
            for group in _groups(recipe):
                self._built[group] = self._built[group].plus(now - began.now, done, 1)

    @property
    def number_finished(self) -> int:
        return len(self._finished)

    @property
    def share_done(self) -> float:
        """The share of all the work that is done, weighted by expected time."""
        done = sum(self._expected[key] for key in self._finished) + sum(
            told.share * self._expected[key] for key, told in self._last.items()
        )
        return done / (sum(self._expected.values()) or 1.0)

    def seconds(self, now: float) -> float | None:
        """Seconds until the build ends; None while most of the remaining work is of kinds without any measurement."""
        factors = self._factors()
        rests = {item.key: self._rest(item, factors[item.work_kind][0], now) for item in self._unfinished()}
        known = sum(rests[item.key] for item in self._unfinished() if factors[item.work_kind][1])
        return self._scheduled(rests) if known >= sum(rests.values()) / 2 else None

    def foreseen(self) -> tuple[float, bool]:
        """Seconds that the whole build was expected to take, and whether most of that comes from measurements of the store."""
        measured = sum(self._expected[recipe.key] for recipe in self.todo if recipe.work_kind in self._foreseen)
        return self._scheduled(self._expected), measured >= sum(self._expected.values()) / 2

    def _unfinished(self) -> list[Recipe]:
        return [recipe for recipe in self.todo if recipe.key not in self._finished]

    def _scheduled(self, seconds: dict[str, float]) -> float:
        # Artefacts in work continue first.
        left = sorted((item for item in self.todo if item.key in seconds), key=lambda item: item.key not in self._began)
        return elapsed(left, seconds, self._on_gpu, self.workers, self._gpu_workers)

    def _factors(self) -> dict[str, tuple[float, bool]]:
        """By kind of work, by how much longer it takes than expected, and whether that, or the expectation, was measured."""
        measured = dict(self._built)
        for recipe in self.todo:
            if recipe.key in self._began:
                began, last = self._began[recipe.key], self._last[recipe.key]
                for group in _groups(recipe):
                    done = (last.share - began.share) * self._expected[recipe.key]
                    measured[group] = measured.get(group, _Measured()).plus(last.now - began.now if done else 0.0, done)
        factors = {}
        for recipe in self._unfinished():
            if recipe.work_kind not in factors:
                groups = [measured.get(group, _Measured()) for group in _groups(recipe)]
                factor = 1.0
                for found in reversed(groups):
                    factor = found.corrected(factor)
                known = recipe.work_kind in self._foreseen or any(found.weight >= 0.5 for found in groups)
                factors[recipe.work_kind] = factor, known
        return factors

    def _rest(self, recipe: Recipe, factor: float, now: float) -> float:
        whole = factor * self._expected[recipe.key]
        if recipe.key not in self._began:
            return whole
        began, last = self._began[recipe.key], self._last[recipe.key]
        rest = (1 - last.share) * whole
        if last.share > began.share:
            by_pace = (1 - last.share) * (last.now - began.now) / (last.share - began.share)
            rest = last.share * by_pace + (1 - last.share) * rest
        rest -= now - last.now
        return max(rest, -rest / 4)  # what is late is expected to be a quarter later still


def _groups(recipe: Recipe) -> list[str]:
    """The groups whose times predict that of a recipe, the closest first."""
    return [recipe.work_kind, "trainings"] if recipe.operations else [recipe.work_kind]
