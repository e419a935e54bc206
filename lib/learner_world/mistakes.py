"""What a mistake is, and how the learner model keeps its rules: by the role of the token at which they apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from learner_world.sampling import Draws
from learner_world.tokens import Token


class Mistake(NamedTuple):
    """What a learner writes instead of a span of the right sentence.

    Attributes:
        start: first token of the right sentence.
        end: the token after the span; equal to ``start`` when something needless is written.
        wrong: the tokens written there; empty when something is left out.
        kind: ERRANT's main type (``DET``, ``VERB:SVA``); empty for that of the rule's family.
    """

    start: int
    end: int
    wrong: tuple[str, ...]
    kind: str = ""


Rule = Callable[[Sequence[Token], int, Draws], Mistake | None]
"""From a sentence, the place of a token and random draws to a mistake there, or None when none fits."""

RULES: dict[str, list[tuple[str, Rule]]] = {}
"""Role of a token to the rules that may apply to it, each with its family (an ERRANT main type)."""


def rule(family: str, *roles: str) -> Callable[[Rule], Rule]:
    """Register a rule for the roles at which it applies."""

    def register(function: Rule) -> Rule:
        for role in roles:
            RULES.setdefault(role, []).append((family, function))
        return function

    return register


def replace(index: int, wrong: str, right: str, kind: str = "") -> Mistake | None:
    """One word for another, or nothing when they are the same."""
    return Mistake(index, index + 1, tuple(wrong.split()), kind) if wrong and wrong.lower() != right.lower() else None


def recase(index: int, wrong: str, right: str) -> Mistake | None:
    """A word with its capital lost or gained, or nothing when it looks the same."""
    return Mistake(index, index + 1, (wrong,)) if wrong != right else None


def leave_out(index: int, kind: str = "") -> Mistake:
    """A word left out."""
    return Mistake(index, index + 1, (), kind)


def put_in(index: int, word: str, kind: str = "") -> Mistake:
    """A needless word before a token."""
    return Mistake(index, index, (word,), kind)


def commonest_first(draws: Draws, options: Sequence[str]) -> str:
    """One of the options; the first most often."""
    return options[int(draws.uniform() ** 2.2 * len(options))]
