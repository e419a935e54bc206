"""What a study will take before it is begun: artefacts, hours of CPUs and GPUs, disk, and the longest path."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from artefacts.engine import missing, with_ancestors
from artefacts.estimates import Estimator
from artefacts.recipe import Recipe
from artefacts.store import Store


@dataclass(frozen=True)
class KindOfWork:
    """The artefacts of one kind.

    Attributes:
        kind: of artefact.
        artefacts: in the whole study.
        done: in the store.
        to_do: that are to be built; what only finished artefacts need is neither done nor to do where it is gone.
        shared: that more than one other artefact is made from.
        cpu_seconds: to build what is not in the store, on one core.
        gpu_seconds: the same on one GPU.
        bytes: that they will take.
    """

    kind: str
    artefacts: int
    done: int
    to_do: int
    shared: int
    cpu_seconds: float
    gpu_seconds: float
    bytes: float


@dataclass(frozen=True)
class Stage:
    """A stretch of the longest path: artefacts of one kind, one after the other.

    Attributes:
        kind: of artefact.
        label: of the one that takes longest.
        seconds: of all.
    """

    kind: str
    label: str
    seconds: float


@dataclass(frozen=True)
class Plan:
    """What a study will take.

    Attributes:
        kinds: by kind of artefact, in the order in which they are first needed.
        longest_path: what no number of machines makes shorter.
        elapsed: seconds with the given devices.
        cores: CPU cores that were planned with.
        gpus: GPUs that were planned with.
        bytes_at_work: what unfinished trainings need beside, at most.
        measured: share of the seconds that rest on what the store has measured.
    """

    kinds: tuple[KindOfWork, ...]
    longest_path: tuple[Stage, ...]
    elapsed: float
    cores: int
    gpus: int
    bytes_at_work: float
    measured: float

    @property
    def path_seconds(self) -> float:
        """Length of the longest path."""
        return sum(stage.seconds for stage in self.longest_path)

    @property
    def cpu_seconds(self) -> float:
        """Of one core."""
        return sum(kind.cpu_seconds for kind in self.kinds)

    @property
    def gpu_seconds(self) -> float:
        """Of one GPU."""
        return sum(kind.gpu_seconds for kind in self.kinds)

    @property
    def bytes(self) -> float:
        """What is still to be written, with what unfinished trainings need."""
        return sum(kind.bytes for kind in self.kinds) + self.bytes_at_work


def make_plan(targets: Sequence[Recipe], store: Store, estimator: Estimator, cores: int, gpus: int) -> Plan:
    """Plan a study.

    Args:
        targets: what is asked for.
        store: what there is.
        estimator: expected seconds and bytes.
        cores: CPU cores.
        gpus: GPUs; with none, everything is built on CPUs.
    """
    every = with_ancestors(targets)
    todo = missing(targets, store)
    lacking = {recipe.key for recipe in todo}
    uses = Counter(parent.key for recipe in every for parent in recipe.parents)
    on_gpu = {recipe.key: gpus > 0 and recipe.needs_gpu for recipe in todo}
    seconds = {recipe.key: estimator.seconds(recipe, on_gpu[recipe.key]) for recipe in todo}
    kinds = []
    for kind in dict.fromkeys(recipe.kind for recipe in [*todo, *every]):
        members = [recipe for recipe in every if recipe.kind == kind]
        new = [recipe for recipe in members if recipe.key in lacking]
        kinds.append(
            KindOfWork(
                kind=kind,
                artefacts=len(members),
                done=sum(store.has(recipe) for recipe in members if recipe.key not in lacking),
                to_do=len(new),
                shared=sum(uses[recipe.key] > 1 for recipe in members),
                cpu_seconds=sum(seconds[recipe.key] for recipe in new if not on_gpu[recipe.key]),
                gpu_seconds=sum(seconds[recipe.key] for recipe in new if on_gpu[recipe.key]),
                bytes=sum(map(estimator.bytes, new)),
            )
        )
    at_once = sorted((recipe.bytes_at_work for recipe in todo), reverse=True)[: gpus or cores]
    measured = sum(seconds[recipe.key] for recipe in todo if estimator.is_measured(recipe))
    return Plan(
        kinds=tuple(kinds),
        longest_path=_longest_path(todo, seconds),
        elapsed=_elapsed(todo, seconds, on_gpu, cores, gpus),
        cores=cores,
        gpus=gpus,
        bytes_at_work=sum(at_once),
        measured=measured / (sum(seconds.values()) or 1.0),
    )


def _longest_path(todo: Iterable[Recipe], seconds: dict[str, float]) -> tuple[Stage, ...]:
    """The chain of artefacts that takes longest; ``todo`` names parents first."""
    ends: dict[str, tuple[float, Recipe | None, Recipe]] = {}
    for recipe in todo:
        before = max((ends[parent.key] for parent in recipe.parents if parent.key in ends), key=lambda end: end[0], default=None)
        ends[recipe.key] = ((before[0] if before else 0.0) + seconds[recipe.key], before[2] if before else None, recipe)
    path: deque[Recipe] = deque()
    end = max(ends.values(), key=lambda end: end[0], default=None)
    while end is not None:
        path.appendleft(end[2])
        end = ends[end[1].key] if end[1] is not None else None
    stages = []
    for kind, members in groupby(path, key=lambda recipe: recipe.kind):
        found = list(members)
        longest = max(found, key=lambda recipe: seconds[recipe.key])
        stages.append(Stage(kind, longest.label, sum(seconds[recipe.key] for recipe in found)))
    return tuple(stages)


def _elapsed(todo: Sequence[Recipe], seconds: dict[str, float], on_gpu: dict[str, bool], cores: int, gpus: int) -> float:
    """How long the study takes when whatever is ready runs on the first device that is free, in the order of ``todo``."""
    place = {recipe.key: number for number, recipe in enumerate(todo)}
    waiting = {recipe.key: sum(parent.key in place for parent in recipe.parents) for recipe in todo}
    children: dict[str, list[str]] = {recipe.key: [] for recipe in todo}
    for recipe in todo:
        for parent in recipe.parents:
            if parent.key in place:
                children[parent.key].append(recipe.key)
    free = {True: gpus, False: cores}
    ready: dict[bool, list[tuple[int, str]]] = {True: [], False: []}
    for key, number in place.items():
        if not waiting[key]:
            heapq.heappush(ready[on_gpu[key]], (number, key))
    running: list[tuple[float, str]] = []
    now = 0.0
    while running or ready[True] or ready[False]:
        for device, queue in ready.items():
            while queue and free[device]:
                key = heapq.heappop(queue)[1]
                heapq.heappush(running, (now + seconds[key], key))
                free[device] -= 1
        now, key = heapq.heappop(running)
        free[on_gpu[key]] += 1
        for child in children[key]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready[on_gpu[child]], (place[child], child))
    return now
