"""What is compared: a model of a grid, or a pipeline of steps; without how they are made."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


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
    parameters: tuple[tuple[str, float], ...]
    seed: int

    @property
    def name(self) -> str:
        """A name that is the same for all seeds."""
        others = [self.architecture] if self.architecture != "default" else []
        others += [self.track] if self.track != "restricted" else []
        if self.method == "none":
            return " ".join([self.setting, *others])
        values = "".join(f" {name}={value:g}" for name, value in self.parameters)
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
            "parameters": " ".join(f"{name}={value:g}" for name, value in self.parameters),
            "seed": self.seed,
        }


class Pipeline(BaseModel):
    """A system of several steps, with the models of one seed, or (seed 0) with an ensemble of models.

    Attributes:
        name: its name among the profile's ``systems``.
        seed: which models it has.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    seed: int

    @property
    def choices(self) -> dict[str, str | int]:
        """Name and seed; the columns of single models stay empty."""
        nothing = dict.fromkeys(("method", "seed_corpus", "setting", "architecture", "track", "parameters"), "")
        return {"system": self.name, **nothing, "pseudo_pairs": 0, "upsample": 1, "seed": self.seed}
