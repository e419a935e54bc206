"""The systems that are compared: a grid of trained models for one table or figure, or pipelines of
steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, ClassVar

import pandas as pd
from pydantic import BaseModel, ConfigDict, SerializeAsAny

from pseudogec.artefacts.errors import UserError
from pseudogec.noise import Method
from pseudogec.study.profile import Axes, GridAxes, Passes


class System(BaseModel):
    """One trained model of a grid."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str
    seed_corpus: str | None
    setting: str
    pseudo_pairs: int
    upsample: int
    architecture: str = "default"
    track: str = "restricted"
    passes: Passes | None = None
    """Of the last stage; its end by default."""
    noise: SerializeAsAny[Method] | None = None
    """The method that makes the errors of its pseudo data, with the values of the sweep."""
    swept: tuple[str, ...] = ()
    """The parameters of the method that the grid varies."""
    seed: int

    @property
    def point(self) -> dict[str, float]:
        """Its point of a sweep: the values of the parameters that the grid varies."""
        return {name: getattr(self.noise, name) for name in self.swept}

    @property
    def swept_values(self) -> dict[str, str]:
        """The parameters that a sweep varies, with all digits: other values make other names."""
        return {name: str(value).removesuffix(".0") for name, value in self.point.items()}

    @property
    def parameters(self) -> dict[str, float]:
        """All numbers among the method's parameters, and the passes where they are given."""
        passes = {"passes": self.passes} if isinstance(self.passes, int) else {}
        return {**({} if self.noise is None else self.noise.numbers), **passes}

    @property
    def name(self) -> str:
        """A name that is the same for all seeds."""
        others = [self.architecture] if self.architecture != "default" else []
        others += [self.track] if self.track != "restricted" else []
        others += [f"passes {self.passes}"] if self.passes else []
        if self.method == "none":
            return " ".join([self.setting, *others])
        values = "".join(f" {name}={value}" for name, value in self.swept_values.items())
        upsample = [f"x{self.upsample}"] if self.upsample != 1 else []
        name = f"{self.setting}/{self.method}{values}/{self.seed_corpus}/{self.pseudo_pairs}"
        return " ".join([name, *upsample, *others])

    @property
    def choices(self) -> dict[str, str | int]:
        """The choices that distinguish it from other systems, by columns of the tidy table."""
        chosen = self.model_dump(exclude={"noise", "swept", "passes"})
        return {"system": self.name, **chosen, "seed_corpus": self.seed_corpus or ""}


class Pipeline(BaseModel):
    """A system of several steps: a name from ``systems``, with the models of one seed, or (seed 0)
    with an ensemble of models.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    seed: int
    track: str = "restricted"
    """The track of the systems that it is compared with: all are scored on the same sentences."""
    parameters: ClassVar[dict[str, float]] = {}  # its models may have several methods

    @property
    def choices(self) -> dict[str, str | int]:
        """Name and seed; the columns of single models stay empty."""
        nothing = dict.fromkeys(("method", "seed_corpus", "setting", "architecture", "track"), "")
        return {"system": self.name, **nothing, "pseudo_pairs": 0, "upsample": 1, "seed": self.seed}


class Grid(tuple[System, ...]):
    """Systems to compare; a notebook shows them as a table."""

    def only(self, **choices: object) -> Grid:
        """The systems with the given choices, single values or lists, such as
        ``only(method=["none", "backtrans"], seed=1)``.
        """
        allowed = {
            name: values
            if isinstance(values, Iterable) and not isinstance(values, str)
            else [values]
            for name, values in choices.items()
        }
        return Grid(
            system
            for system in self
            if all(getattr(system, name) in set(values) for name, values in allowed.items())
        )

    def _repr_html_(self) -> str:
        return self.table().to_html(index=False, formatters={"pseudo pairs": "{:,}".format})

    def table(self) -> pd.DataFrame:
        """One row for each system, with the number of its seeds."""
        rows: dict[str, dict[str, object]] = {}
        for system in self:
            rows[system.name] = {
                "method": system.method,
                **system.point,
                "seed corpus": system.seed_corpus or "",
                "setting": system.setting,
                "pseudo pairs": system.pseudo_pairs,
                "upsample": system.upsample,
                **(
                    {"architecture": system.architecture}
                    if system.architecture != "default"
                    else {}
                ),
                **({"track": system.track} if system.track != "restricted" else {}),
            }
        seeds = Counter(system.name for system in self)
        table = pd.DataFrame([{**row, "seeds": seeds[name]} for name, row in rows.items()])
        return table.fillna("")


def expand(axes: GridAxes, methods: Mapping[str, Method], default_seeds: tuple[int, ...]) -> Grid:
    """Every combination of the axes' values, part by part; UserError if they name no system.

    A system without pseudo data comes once, in the setting that the axes call `baseline`.
    """
    systems = [
        system for part in axes.parts for system in _combinations(part, methods, default_seeds)
    ]
    if not systems:
        raise UserError(
            "the grid names no system: give at least a method, and seed_corpus, setting and "
            "pseudo_pairs for pseudo data"
        )
    return Grid(dict.fromkeys(systems))


def _combinations(
    axes: Axes, methods: Mapping[str, Method], default_seeds: tuple[int, ...]
) -> Iterator[System]:
    names = tuple(axes.sweep)
    for method in axes.method:
        combinations: list[dict[str, Any]]
        if method == "none":
            combinations = [
                {"seed_corpus": None, "setting": axes.baseline, "pseudo_pairs": 0, "upsample": 1}
            ]
        else:
            axis_names = ("setting", "seed_corpus", "pseudo_pairs", "upsample")
            combinations = [
                {
                    **dict(zip(axis_names, values, strict=True)),
                    "noise": methods[method].changed(**dict(zip(names, point, strict=True))),
                    "swept": names,
                }
                for values in product(
                    axes.setting, axes.seed_corpus, axes.pseudo_pairs, axes.upsample
                )
                for point in product(*axes.sweep.values())
            ]
        variants = product(
            axes.architecture,
            axes.track,
            combinations,
            axes.passes or (None,),
            axes.seeds or default_seeds,
        )
        for architecture, track, combination, passes, seed in variants:
            yield System(
                method=method,
                architecture=architecture,
                track=track,
                passes=passes,
                seed=seed,
                **combination,
            )
