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

# Seconds a unit of work (see `Recipe.work`) on one core of a 2020s laptop, used until the store has measured this machine.
FIRST_GUESS = {
    "corpus": 0.0005,
    "seed_corpus": 0.0000015,  # a byte of a compressed dump
    "seed_shards": 0.00001,
    "seed_text": 0.0005,
    "seed_text from files": 0.000002,
    "bpe": 0.001,
    "pairs": 0.0003,
    "pseudo_data": 0.0005,
    "mirrored": 0.0001,
    "text": 0.0001,
    "word_counts": 0.0001,
    "detector": 0.002,
    "search": 0.005,
    "correction": 0.005,
    "references": 0.003,
    "score": 0.003,
}
FIRST_GUESS_OF_ANYTHING = 1.0

# Bytes a unit of work that an artefact takes, until the store has measured it.
_BYTES = {
    "corpus": 250.0,
    "seed_corpus": 0.6,
    "seed_shards": 140.0,
    "seed_text": 140.0,
    "seed_text from files": 0.0,  # another name for a file of seed_shards
    "pairs": 2.0 * (60 + 12),
    "pseudo_data": 2.0 * (60 + 12),
    "mirrored": 2.0 * (60 + 12),
    "text": 60.0 + 12,
    "correction": 600.0,
    "references": 250.0,
    "score": 100.0,
}
_BYTES_A_WEIGHT = 4
_STATE_BYTES_A_WEIGHT = 16  # of an unfinished training: weights, and Adam's two moments beside a copy in full precision
_WEIGHTS_OF_BIG = 176_000_000  # of Transformer (big), to whose speed the rate of decoding refers


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
        200.0, gt=0, description="sentences a second that a GPU decodes with Transformer (big) and a beam of 5, in half precision"
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
        trainings = [speed for recipe, result in artefacts if (speed := _training_speed(recipe, result))]
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
        if self.is_measured(recipe):
            return self._seconds[recipe.work_kind] * recipe.work
        if recipe.training_operations:
            return recipe.training_operations / 1e12 / (machine.gpu_training if on_gpu else self._cpu_training)
        if on_gpu and (models := _decoding_models(recipe)):
            weights = sum(model.architecture.layer_weights for model in models)
            sentences = recipe.work / (1 if type(recipe).__name__ == "BackTranslatedData" else len(models))
            return sentences * weights / _WEIGHTS_OF_BIG / machine.gpu_decoding
        guess = FIRST_GUESS.get(recipe.work_kind) or FIRST_GUESS.get(recipe.kind, FIRST_GUESS_OF_ANYTHING)
        return guess * recipe.work

    def bytes(self, recipe: Recipe) -> float:
        """Expected bytes of an artefact."""
        if recipe.kind == "model":
            return _BYTES_A_WEIGHT * _weights(recipe)
        if recipe.work_kind in self._bytes:
            return self._bytes[recipe.work_kind] * recipe.work
        return _BYTES.get(recipe.work_kind, _BYTES.get(recipe.kind, 0.0)) * recipe.work

    def bytes_at_work(self, recipe: Any) -> float:
        """Expected bytes that an artefact needs for a while beside its own: the states and checkpoints of a training."""
        if recipe.kind != "model":
            return 0.0
        kept = 1 if recipe.optimisation.selection == "best" else recipe.optimisation.selection.average_last
        return (_STATE_BYTES_A_WEIGHT + kept * _BYTES_A_WEIGHT) * _weights(recipe)


def _training_speed(recipe: Mapping[str, Any], result: Mapping[str, Any]) -> float:
    """10^12 floating-point operations a second of a training on a CPU; 0 for anything else."""
    told = result["result"]
    if recipe["kind"] != "model" or told.get("device") != "cpu" or not result["seconds"]:
        return 0.0
    return float(6 * told["parameters"] * told["target_words"] / result["seconds"] / 1e12)


def _weights(model: Any) -> int:
    return model.architecture.layer_weights + model.bpe.merges * model.architecture.model_size


def _decoding_models(recipe: Recipe) -> list[Any]:
    """The models that decode in a step."""
    if recipe.kind == "model":
        return []
    return [parent for parent in recipe.parents if parent.kind == "model"]


def _size(files: Mapping[str, Mapping[str, Any]]) -> float:
    return float(sum(file["bytes"] for file in files.values()))
