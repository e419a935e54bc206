"""What is compared: a model of a grid, or a pipeline of steps; without how they are made."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, SerializeAsAny

from pseudogec.noise import Method


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
    noise: SerializeAsAny[Method] | None = None
    """What makes the errors of its pseudo data, with the values of the sweep."""
    swept: tuple[str, ...] = ()
    """The parameters of the method that the grid varies."""
    seed: int

    @property
    def point(self) -> dict[str, float]:
        """Its point of a sweep: the values of the parameters that the grid varies."""
        return {name: getattr(self.noise, name) for name in self.swept}

    @property
    def parameters(self) -> dict[str, float]:
        """All numbers among the method's parameters."""
        return {} if self.noise is None else self.noise.numbers

    @property
    def name(self) -> str:
        """A name that is the same for all seeds."""
        others = [self.architecture] if self.architecture != "default" else []
        others += [self.track] if self.track != "restricted" else []
        if self.method == "none":
            return " ".join([self.setting, *others])
        values = "".join(f" {name}={value:g}" for name, value in self.point.items())
        upsample = [f"x{self.upsample}"] if self.upsample != 1 else []
        made = f"{self.setting}/{self.method}{values}/{self.seed_corpus}/{self.pseudo_pairs}"
        return " ".join([made, *upsample, *others])

    @property
    def choices(self) -> dict[str, str | int]:
        """What tells it from other systems, under the names of the tidy table's columns."""
        return {
            "system": self.name,
            "method": self.method,
            "seed_corpus": self.seed_corpus or "",
            "setting": self.setting,
            "pseudo_pairs": self.pseudo_pairs,
            "upsample": self.upsample,
            "architecture": self.architecture,
            "track": self.track,
            "seed": self.seed,
        }


class Pipeline(BaseModel):
    """A system of several steps, with the models of one seed, or (seed 0) with an ensemble of models.

    Attributes:
        name: its name among the profile's ``systems``.
        seed: which models it has.
        parameters: none: its models may have several methods.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    seed: int
    parameters: ClassVar[dict[str, float]] = {}

    @property
    def choices(self) -> dict[str, str | int]:
        """Name and seed; the columns of single models stay empty."""
        nothing = dict.fromkeys(("method", "seed_corpus", "setting", "architecture", "track"), "")
        return {"system": self.name, **nothing, "pseudo_pairs": 0, "upsample": 1, "seed": self.seed}
