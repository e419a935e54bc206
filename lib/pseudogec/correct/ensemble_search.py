"""Which models make the best ensemble (Choe et al. 2019, section 7.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from artefacts.errors import UserError

Members = tuple[int, ...]
"""Numbers of models, from 0, in rising order."""


class EnsembleChoice(NamedTuple):
    """What a search found.

    Attributes:
        members: the chosen models.
        f05: their F0.5 on development data, from 0 to 1.
        tried: every ensemble that was scored, with its F0.5, in the order of the search.
    """

    members: Members
    f05: float
    tried: list[tuple[Members, float]]


def greedy_search(models: int, f05_of: Callable[[Members], float]) -> EnsembleChoice:
    """Begin with the best single model, and add the one that raises F0.5 most, until none does.

    Of models that raise it equally the one with the lowest number is taken.

    Args:
        models: how many there are to choose from.
        f05_of: F0.5 of an ensemble on development data; asked once for each ensemble that is tried.

    Raises:
        UserError: there is no model to choose from.
    """
    if models < 1:
        raise UserError("there is no model to make an ensemble of; give at least one")
    tried: list[tuple[Members, float]] = []
    members: Members = ()
    best = float("-inf")
    while others := [number for number in range(models) if number not in members]:
        extended = [tuple(sorted((*members, number))) for number in others]
        scored = [(ensemble, f05_of(ensemble)) for ensemble in extended]
        tried += scored
        leader, f05 = max(scored, key=lambda item: item[1])  # the first of equals
        if f05 <= best:
            break
        members, best = leader, f05
    return EnsembleChoice(members, best, tried)
