"""Edits without types, for languages that no annotator knows: tokens are aligned by their spelling alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pseudogec.edits.edit import Edit

UNTYPED_VERSION = 1
"""Raise it when other edits are found. It is part of the signature of scores."""

_DISSIMILAR = 1.8
"""The cost of replacing a token by one that shares no letter with it; leaving out or inserting one costs 1."""
_UNLIKE = 0.01  # the least cost of replacing a token by another


class _Change(NamedTuple):
    """A token that is left out, inserted or replaced."""

    start: int
    end: int
    first: int  # place in the target
    last: int
    is_mark: bool

    @property
    def replaces(self) -> bool:
        return self.start < self.end and self.first < self.last


def untyped_edits(source: Sequence[str], target: Sequence[str]) -> list[Edit]:
    """The edits that turn a source into its target, of the types ``M:OTHER``, ``U:OTHER`` and ``R:OTHER``.

    Tokens that are left out or inserted beside a token that is replaced belong to the same edit; punctuation marks and words do
    not. Against the edits that UA-GEC's annotators marked (a third of its training documents) these have P = 90.7, R = 92.0.
    """
    edits: list[_Change] = []
    before: _Change | None = None
    for change in _aligned(source, target):
        if change is None or before is None or change.is_mark != before.is_mark or (before.replaces and change.replaces):
            edits += [change] if change is not None else []
        else:
            edits[-1] = change = before._replace(end=change.end, last=change.last)
        before = change
    return [
        Edit(start, end, " ".join(target[first:last]), f"{'M' if start == end else 'U' if first == last else 'R'}:OTHER")
        for start, end, first, last, _ in edits
    ]


def _aligned(source: Sequence[str], target: Sequence[str]) -> list[_Change | None]:
    """The cheapest steps from a source to its target, in order; none for a token that stays. Equal ends are left out."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    shift = _shared(source, target)
    behind = _shared(source[shift:][::-1], target[shift:][::-1])
    source, target = list(source[shift : len(source) - behind]), list(target[shift : len(target) - behind])
    similar = cdist([token.lower() for token in source], [token.lower() for token in target], scorer=Indel.normalized_distance)
    same = np.array([[token == other for other in target] for token in source], dtype=bool).reshape(len(source), len(target))
    replacing = np.where(same, 0.0, _UNLIKE + _DISSIMILAR * similar.reshape(same.shape)).tolist()
    costs = [[float(place) for place in range(len(target) + 1)]]
    for row in range(1, len(source) + 1):
        before, line = costs[-1], [float(row)]
        for column in range(1, len(target) + 1):
            replaced = before[column - 1] + replacing[row - 1][column - 1]
            line.append(min(replaced, before[column] + 1, line[-1] + 1))
        costs.append(line)
    row, column = len(source), len(target)
    steps: list[_Change | None] = []
    while row or column:
        end, last = row, column
        if row and column and costs[row][column] == costs[row - 1][column - 1] + replacing[row - 1][column - 1]:
            row, column = row - 1, column - 1
        elif row and costs[row][column] == costs[row - 1][column] + 1:
            row -= 1
        else:
            column -= 1
        if source[row:end] == target[column:last]:
            steps.append(None)
        else:
            changed = "".join([*source[row:end], *target[column:last]])
            steps.append(_Change(row + shift, end + shift, column + shift, last + shift, not any(map(str.isalnum, changed))))
    return steps[::-1]


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many tokens two sentences have in common at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (token, other) in pairs if token != other), min(len(first), len(second)))
