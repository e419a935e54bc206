"""Estimates before a study is built: artefacts, hours of CPUs and GPUs, disk, and the longest path."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError, field_validator

from artefacts.errors import DataError
from artefacts.kinds import Section, refuse_unknown
from artefacts.recipe import Recipe, with_ancestors
from artefacts.store import Store, missing


class Machine(Section):
    """The machine that builds a study: numbers of devices, and their speeds for work that the store has not measured.

    The speeds given here by default are those of an NVIDIA V100. Ott et al. 2018 trained Transformer (big) "in under 5 hours" on
    eight of them, some 40,000 subwords a second each, which are about 40 of its 112 Tflop/s in half precision.
    """

    cores: int | None = Field(None, ge=1, description="CPU cores; those of this machine by default")
    gpus: int | None = Field(None, ge=0, description="GPUs; those of this machine by default")
    gpu_training: float = Field(40.0, gt=0, description="10^12 floating-point operations a second that a GPU reaches in training")
    cpu_training: float = Field(
        0.045, gt=0, description="the same for a CPU core, if the store has no model from which it can be computed"
    )
    gpu_decoding: float = Field(
        200.0, gt=0, description="sequences a second that a GPU decodes with Transformer (big) and a beam of 5, in half precision"
    )
    seconds: dict[str, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict, description="kind of artefact -> seconds a unit of its work, on a core"
    )

    @field_validator("seconds")
    @classmethod
    def _kinds_are_known(cls, value: dict[str, float]) -> dict[str, float]:
        refuse_unknown("seconds", "kind of artefact", value, _kinds(Recipe))
        return value


def _kinds(recipe: type[Recipe]) -> set[str]:
    """The kinds of artefacts of a class of recipes and of all that derive from it; the package imports every one."""
    return {getattr(recipe, "kind", "")}.union(*map(_kinds, recipe.__subclasses__())) - {""}


def load_machine(path: Path) -> Machine:
    """Read a machine's description from a YAML file.

    Raises:
        DataError: the file is missing, is not YAML, or has an unknown key or impossible value.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        if not isinstance(content, dict):
            raise DataError(
                path, f"keys and values were expected, such as `cores: 8`; known keys: {', '.join(Machine.model_fields)}"
            )
        return Machine.model_validate(content)
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DataError(path, "is not valid UTF-8; convert the file to UTF-8") from None
    except yaml.YAMLError as error:
        raise DataError(path, f"is not YAML ({error})") from None
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"]))
        hint = "" if wrong["type"] == "value_error" else f"; known keys: {', '.join(Machine.model_fields)}"
        raise DataError(path, f"`{where}`: {wrong['msg'].removeprefix('Value error, ')}{hint}") from None


class Estimator:
    """Estimates seconds and bytes from the rates that a store has recorded, or else from a machine's.

    Args:
        store: the artefacts that were built before.
        machine: speeds for all other work.
    """

    def __init__(self, store: Store, machine: Machine | None = None) -> None:
        self._machine = machine or Machine()  # type: ignore[call-arg]  # pydantic fills the defaults
        seconds: dict[tuple[str, bool], list[float]] = defaultdict(list)
        sizes: dict[str, list[float]] = defaultdict(list)
        artefacts = list(store.artefacts())
        for recipe, result in artefacts:
            if result.get("work"):
                kind = result.get("work_kind", recipe["kind"])
                seconds[kind, "gpu" in result].append(result["seconds"] / result["work"])
                sizes[kind].append(sum(file["bytes"] for file in result["files"].values()) / result["work"])
        trainings = [work for _, record in artefacts if (work := _cpu_training(record))]
        self._measures_training = bool(trainings) and "cpu_training" not in self._machine.model_fields_set
        self._cpu_training = self._machine.cpu_training
        if self._measures_training:
            self._cpu_training = sum(operations for operations, _ in trainings) / sum(seconds for _, seconds in trainings)
        self._seconds = {kind: median(values) for kind, values in seconds.items()}
        self._bytes = {kind: median(values) for kind, values in sizes.items()}

    def is_measured(self, recipe: Recipe, on_gpu: bool = False) -> bool:
        """Whether the store has the speed of such work on such a device."""
        return self._is_known(recipe, on_gpu) or (self._measures_training and bool(recipe.operations) and not on_gpu)

    def _is_known(self, recipe: Recipe, on_gpu: bool) -> bool:
        return (recipe.work_kind, on_gpu) in self._seconds

    def seconds(self, recipe: Recipe, on_gpu: bool = False) -> float:
        """Expected seconds to build one artefact on one worker.

        Args:
            recipe: what to build.
            on_gpu: whether the worker has a GPU, where the recipe can use one.
        """
        machine = self._machine
        if recipe.kind in machine.seconds:
            return machine.seconds[recipe.kind] * recipe.work
        if self._is_known(recipe, on_gpu):
            return self._seconds[recipe.work_kind, on_gpu] * recipe.work
        if recipe.operations:
            at_work = recipe.operations / 1e12 / (machine.gpu_training if on_gpu else self._cpu_training)
        elif on_gpu and recipe.decoded:
            at_work = recipe.decoded / machine.gpu_decoding
        else:
            at_work = recipe.seconds_a_unit * recipe.work
        return recipe.seconds_to_begin + at_work

    def bytes(self, recipe: Recipe) -> float:
        if recipe.expected_bytes is not None:
            return recipe.expected_bytes
        return self._bytes.get(recipe.work_kind, recipe.bytes_a_unit) * recipe.work


_SHORT = 60
"""Seconds of a step below which its start takes a large part, so that its speed tells little of longer ones."""


def _cpu_training(record: Mapping[str, Any]) -> tuple[float, float] | None:
    """10^12 floating-point operations of a step whose time depends on them and that ran on a CPU, and its seconds."""
    on_cpu, operations = record["result"].get("device") == "cpu", record.get("operations", 0.0)
    return (operations / 1e12, record["seconds"]) if on_cpu and operations and record["seconds"] >= _SHORT else None


@dataclass(frozen=True)
class KindOfWork:
    """The artefacts of one kind."""

    kind: str
    artefacts: int
    done: int  # in the store or a pack
    to_do: int  # without lost artefacts that only finished ones need
    shared: int  # used by more than one other artefact
    cpu_seconds: float  # for what is to do, on one core
    gpu_seconds: float  # the same on one GPU
    bytes: float


@dataclass(frozen=True)
class Stage:
    """A part of the longest path: artefacts of one kind, one after the other."""

    kind: str
    label: str  # of the artefact that takes longest
    seconds: float  # for all


@dataclass(frozen=True)
class Plan:
    """The time and disk that a study needs."""

    kinds: tuple[KindOfWork, ...]  # in the order in which they are first needed
    longest_path: tuple[Stage, ...]  # what no number of machines makes shorter
    elapsed: float  # seconds with the given devices
    cores: int
    gpus: int
    bytes_at_work: float  # what unfinished artefacts need beside, at most
    measured: float  # share of the seconds whose rates the store has measured

    @property
    def path_seconds(self) -> float:
        return sum(stage.seconds for stage in self.longest_path)

    @property
    def cpu_seconds(self) -> float:
        return sum(kind.cpu_seconds for kind in self.kinds)

    @property
    def gpu_seconds(self) -> float:
        return sum(kind.gpu_seconds for kind in self.kinds)

    @property
    def bytes(self) -> float:
        """Bytes that are still to be written, with those that unfinished trainings need for a while."""
        return sum(kind.bytes for kind in self.kinds) + self.bytes_at_work


def make_plan(targets: Sequence[Recipe], store: Store, estimator: Estimator, cores: int, gpus: int) -> Plan:
    """Plan a study.

    Args:
        targets: the wanted recipes.
        store: the existing artefacts.
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
                done=sum(store.can_read(recipe) for recipe in members if recipe.key not in lacking),
                to_do=len(new),
                shared=sum(uses[recipe.key] > 1 for recipe in members),
                cpu_seconds=sum(seconds[recipe.key] for recipe in new if not on_gpu[recipe.key]),
                gpu_seconds=sum(seconds[recipe.key] for recipe in new if on_gpu[recipe.key]),
                bytes=sum(map(estimator.bytes, new)),
            )
        )
    at_once = sorted((recipe.bytes_at_work for recipe in todo), reverse=True)[: gpus or cores]
    measured = sum(seconds[recipe.key] for recipe in todo if estimator.is_measured(recipe, on_gpu[recipe.key]))
    return Plan(
        kinds=tuple(kinds),
        longest_path=_longest_path(todo, seconds),
        elapsed=elapsed(todo, seconds, on_gpu, cores, gpus),
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


def elapsed(todo: Sequence[Recipe], seconds: Mapping[str, float], on_gpu: Mapping[str, bool], cores: int, gpus: int) -> float:
    """Seconds of a build in which every recipe that is ready runs on the first free device, in the order of ``todo``.

    Args:
        todo: what is to be built.
        seconds: by key.
        on_gpu: by key, whether it takes a GPU beside its worker.
        cores: CPU cores, of which each is a worker.
        gpus: GPUs, of which each has a worker, too, if there are more than cores.
    """
    place = {recipe.key: number for number, recipe in enumerate(todo)}
    waiting = {recipe.key: sum(parent.key in place for parent in recipe.parents) for recipe in todo}
    children: dict[str, list[str]] = {recipe.key: [] for recipe in todo}
    for recipe in todo:
        for parent in recipe.parents:
            if parent.key in place:
                children[parent.key].append(recipe.key)
    free_workers, free_gpus = max(cores, gpus), gpus
    ready: dict[bool, list[tuple[int, str]]] = {True: [], False: []}
    for key, number in place.items():
        if not waiting[key]:
            heapq.heappush(ready[on_gpu[key]], (number, key))
    running: list[tuple[float, str]] = []
    now = 0.0
    while running or ready[True] or ready[False]:
        for needs_gpu, queue in ready.items():
            while queue and free_workers and (free_gpus or not needs_gpu):
                key = heapq.heappop(queue)[1]
                heapq.heappush(running, (now + seconds[key], key))
                free_workers -= 1
                free_gpus -= needs_gpu
        now, key = heapq.heappop(running)
        free_workers += 1
        free_gpus += on_gpu[key]
        for child in children[key]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready[on_gpu[child]], (place[child], child))
    return now
