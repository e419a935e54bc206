"""Pairs of an ungrammatical and a grammatical sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import NamedTuple

from pseudogec.text import tokenise


class Pair(NamedTuple):
    """An ungrammatical source and its grammatical target, both tokens."""

    source: list[str]
    target: list[str]


def tokenise_pairs(texts: Iterable[tuple[str, str]]) -> Iterator[Pair]:
    """Tokenise both sides of raw pairs with spaCy's English rules; lazily."""
    first, second = tee(texts)
    sources, targets = tokenise(source for source, _ in first), tokenise(target for _, target in second)
    for source, target in zip(sources, targets, strict=True):
        yield Pair(source, target)
