"""How long an artefact will take and how much disk, from what such artefacts took before or from the rates of a machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError, field_validator

from artefacts.errors import DataError
from artefacts.recipe import Recipe
from artefacts.section import Section, refuse_unknown
from artefacts.store import Store


class Machine(Section):
    """What a study is to be built on: numbers of devices, and their speeds where the store has not measured them.

    The speeds given here by default are those of an NVIDIA V100. Ott et al. 2018 trained Transformer (big) "in under 5 hours" on
    eight of them, some 40,000 pieces a second each, which are about 40 of its 112 Tflop/s in half precision.
    """

    cores: int | None = Field(None, ge=1, description="CPU cores; those of this machine by default")
    gpus: int | None = Field(None, ge=0, description="GPUs; those of this machine by default")
    gpu_training: float = Field(40.0, gt=0, description="10^12 floating-point operations a second that a GPU reaches in training")
    cpu_training: float = Field(0.045, gt=0, description="the same of a CPU core, where the store holds no model that tells it")
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
        return Machine.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
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
        store: what was built before.
        machine: speeds of what was not.
    """

    def __init__(self, store: Store, machine: Machine | None = None) -> None:
        self._machine = machine or Machine()  # type: ignore[call-arg]  # pydantic fills the defaults
        seconds: dict[str, list[float]] = defaultdict(list)
        sizes: dict[str, list[float]] = defaultdict(list)
        artefacts = list(store.artefacts())
        for recipe, result in artefacts:
            if result.get("work"):
                kind = result.get("work_kind", recipe["kind"])
                seconds[kind].append(result["seconds"] / result["work"])
                sizes[kind].append(_size(result["files"]) / result["work"])
        trainings = [speed for _, record in artefacts if (speed := _cpu_training(record))]
        self._cpu_training = median(trainings) if trainings else self._machine.cpu_training
        self._seconds = {kind: median(values) for kind, values in seconds.items()}
        self._bytes = {kind: median(values) for kind, values in sizes.items()}

    def is_measured(self, recipe: Recipe) -> bool:
        """Whether the store holds artefacts of the same kind of work."""
        return recipe.work_kind in self._seconds

    def seconds(self, recipe: Recipe, on_gpu: bool = False) -> float:
        """Expected seconds to build one artefact on one worker.

        Args:
            recipe: what to build.
            on_gpu: whether the worker has a GPU, where the recipe can use one.
        """
        machine = self._machine
        if recipe.kind in machine.seconds:
            return machine.seconds[recipe.kind] * recipe.work
        if recipe.work_kind in self._seconds:
            return self._seconds[recipe.work_kind] * recipe.work
        if recipe.operations:
            return recipe.operations / 1e12 / (machine.gpu_training if on_gpu else self._cpu_training)
        if on_gpu and recipe.decoded:
            return recipe.decoded / machine.gpu_decoding
        return recipe.seconds_a_unit * recipe.work

    def bytes(self, recipe: Recipe) -> float:
        """Expected bytes of an artefact."""
        if recipe.expected_bytes is not None:
            return recipe.expected_bytes
        return self._bytes.get(recipe.work_kind, recipe.bytes_a_unit) * recipe.work


def _cpu_training(record: Mapping[str, Any]) -> float:
    """10^12 floating-point operations a second of a step that ran on a CPU and whose time they decide; 0 for any other."""
    on_cpu = record["result"].get("device") == "cpu"
    return record.get("operations", 0.0) / record["seconds"] / 1e12 if on_cpu and record["seconds"] else 0.0


def _size(files: Mapping[str, Mapping[str, Any]]) -> float:
    return float(sum(file["bytes"] for file in files.values()))
