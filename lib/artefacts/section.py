"""What all parts of a profile have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from artefacts.errors import nearest


class Section(BaseModel):
    """A part of a profile: immutable, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def refuse_unknown(where: str, what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that a profile does not have.

    Args:
        where: the place in the profile, for the message.
        what: what the names stand for.
        names: names in use.
        known: names that the profile has.

    Raises:
        ValueError: a name is not known; the nearest is offered.
    """
    for name in names:
        if name not in set(known):
            raise ValueError(f"{where}: there is no {what} `{name}`{nearest(name, known)}")


def _each_once(seeds: tuple[int, ...]) -> tuple[int, ...]:
    twice = [seed for seed in seeds if seeds.count(seed) > 1]
    if twice:
        raise ValueError(f"the seed {twice[0]} is named twice, and its model would count twice; name each once")
    return seeds


Seeds = Annotated[tuple[int, ...], AfterValidator(_each_once)]
"""Seeds of models, each once."""


def as_tuple(value: Any) -> Any:
    """A single value as a list of one, so that a profile need not write brackets."""
    return value if isinstance(value, list | tuple) else (value,)
