"""Estimates of a build before it is begun: artefacts, hours of CPUs and GPUs, disk, and the longest
path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from pseudogec.artefacts.recipe import Recipe, with_ancestors
from pseudogec.artefacts.store import Store, missing

CPU_TRAINING, GPU_TRAINING, GPU_DECODING = 0.045e12, 40e12, 200.0
"""Speeds of work that the store has not measured: floating-point operations a second of a CPU core
and of a GPU in training, and sequences a second that a GPU decodes with Transformer (big) and a
beam of 5.

The GPU is an NVIDIA V100. Ott et al. 2018 trained Transformer (big) "in under 5 hours" on eight of
them, some 40,000 subwords a second each, which are about 40 of its 112 Tflop/s in half precision.
"""


class Estimator:
    """Expected seconds and bytes: by the median of what a store has recorded for such work, or else
    by general rates.
    """

    def __init__(self, store: Store) -> None:
        seconds: dict[tuple[str, bool], list[float]] = defaultdict(list)
        sizes: dict[str, list[float]] = defaultdict(list)
        for recipe, record in store.artefacts():
            if record.get("work"):
                kind = record.get("work_kind", recipe["kind"])
                seconds[kind, "gpu" in record].append(record["seconds"] / record["work"])
                sizes[kind].append(
                    sum(file["bytes"] for file in record["files"].values()) / record["work"]
                )
        self._seconds = {kind: median(values) for kind, values in seconds.items()}
        self._bytes = {kind: median(values) for kind, values in sizes.items()}

    def seconds(self, recipe: Recipe, on_gpu: bool = False) -> float:
        """Expected seconds to build one artefact on one worker, which may have a GPU."""
        if (recipe.work_kind, on_gpu) in self._seconds:
            return self._seconds[recipe.work_kind, on_gpu] * recipe.work
        if recipe.operations:
            return recipe.operations / (GPU_TRAINING if on_gpu else CPU_TRAINING)
        if on_gpu and recipe.decoded:
            return recipe.decoded / GPU_DECODING
        return recipe.seconds_a_unit * recipe.work

    def bytes(self, recipe: Recipe) -> float:
        if recipe.expected_bytes is not None:
            return recipe.expected_bytes
        return self._bytes.get(recipe.work_kind, recipe.bytes_a_unit) * recipe.work


class Total(NamedTuple):
    """The artefacts of one kind."""

    kind: str
    artefacts: int
    done: int  # in the store or a pack
    to_do: int  # without lost artefacts that only finished ones need
    cpu_seconds: float  # for what is to do, on one core
    gpu_seconds: float  # the same on one GPU
    bytes: float


class Plan(NamedTuple):
    """The time and disk that a study needs."""

    totals: list[Total]  # in the order in which the kinds are first needed
    # What no number of machines makes shorter, with seconds
    longest_path: list[tuple[Recipe, float]]
    elapsed: float  # seconds with the given devices
    cores: int
    gpus: int
    bytes: float  # still to be written, with those that unfinished trainings need for a while


def make_plan(
    targets: Sequence[Recipe], store: Store, estimator: Estimator, cores: int, gpus: int
) -> Plan:
    """Plan the build of targets that the store lacks; without GPUs, everything is built on CPUs."""
    every, todo = with_ancestors(targets), missing(targets, store)
    on_gpu = {recipe.key: gpus > 0 and recipe.needs_gpu for recipe in todo}
    seconds = {recipe.key: estimator.seconds(recipe, on_gpu[recipe.key]) for recipe in todo}
    totals = []
    for kind in dict.fromkeys(recipe.kind for recipe in [*todo, *every]):
        members = [recipe for recipe in every if recipe.kind == kind]
        new = [recipe for recipe in members if recipe.key in seconds]
        done = sum(store.can_read(recipe) for recipe in members if recipe.key not in seconds)
        cpu, gpu = (
            sum(seconds[recipe.key] for recipe in new if on_gpu[recipe.key] == device)
            for device in (False, True)
        )
        totals.append(
            Total(kind, len(members), done, len(new), cpu, gpu, sum(map(estimator.bytes, new)))
        )
    at_once = sorted((recipe.bytes_at_work for recipe in todo), reverse=True)[: gpus or cores]
    ends, path = _ends(todo, seconds), list[tuple[Recipe, float]]()
    left: Sequence[Recipe] = todo
    while left:
        last = max(left, key=lambda recipe: ends[recipe.key])
        path.insert(0, (last, seconds[last.key]))
        left = [parent for parent in last.parents if parent.key in ends]
    size = sum(total.bytes for total in totals) + sum(at_once)
    return Plan(totals, path, elapsed(todo, seconds, on_gpu, cores, gpus), cores, gpus, size)


def _ends(todo: Sequence[Recipe], seconds: Mapping[str, float]) -> dict[str, float]:
    """When each artefact is finished if every one is begun as soon as it can be; ``todo`` names
    parents first.
    """
    ends: dict[str, float] = {}
    for recipe in todo:
        ends[recipe.key] = seconds[recipe.key] + max(
            (ends.get(parent.key, 0.0) for parent in recipe.parents), default=0.0
        )
    return ends


def elapsed(
    todo: Sequence[Recipe],
    seconds: Mapping[str, float],
    on_gpu: Mapping[str, bool],
    cores: int,
    gpus: int,
) -> float:
    """Seconds of a build: those of the longest path or, if they are more, of the work that each
    worker and each GPU has.
    """
    path = max(_ends(todo, seconds).values(), default=0.0)
    on_gpus = sum(seconds[recipe.key] for recipe in todo if on_gpu[recipe.key]) / max(gpus, 1)
    return max(path, on_gpus, sum(seconds[recipe.key] for recipe in todo) / max(cores, gpus, 1))
