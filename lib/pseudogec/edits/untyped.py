"""Edits without types, for languages that no annotator knows: tokens are aligned by their spelling
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

from pseudogec.edits.edit import Edit

UNTYPED_VERSION = 1
"""Raise it when other edits are found. It is part of the signature of scores."""


class _Change(NamedTuple):
    """Tokens of the source that are replaced by tokens of the target; either may be none."""

    start: int
    end: int
    first: int
    last: int
    is_mark: bool

    @property
    def replaces(self) -> bool:
        return self.start < self.end and self.first < self.last


def untyped_edits(source: Sequence[str], target: Sequence[str]) -> list[Edit]:
    """The edits that turn a source into its target, of the types ``M:OTHER``, ``U:OTHER`` and
    ``R:OTHER``.

    Tokens that are left out or inserted beside a token that is replaced belong to the same edit;
    punctuation marks and words do not. Against the edits that UA-GEC's annotators marked (a third
    of its training documents) these have P = 90.7, R = 92.0.
    """
    edits: list[_Change] = []
    before: _Change | None = None
    for change in [*_aligned(source, target)][::-1]:
        if (
            change is None
            or before is None
            or change.is_mark != before.is_mark
            or (before.replaces and change.replaces)
        ):
            edits += [change] if change is not None else []
        else:
            edits[-1] = change = before._replace(end=change.end, last=change.last)
        before = change
    return [
        Edit(
            start,
            end,
            " ".join(target[first:last]),
            f"{'M' if start == end else 'U' if first == last else 'R'}:OTHER",
        )
        for start, end, first, last, _ in edits
    ]


def _aligned(source: Sequence[str], target: Sequence[str]) -> Iterator[_Change | None]:
    """Yield the cheapest steps from a source to its target, the last first; none for a token that
    stays.

    Leaving out or inserting a token costs 1, replacing it 0.01 and up to 1.8 more, by the share of
    letters that differ.
    """
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    costs = [[float(column) for column in range(len(target) + 1)]]
    unlike = cdist(
        [old.lower() for old in source],
        [new.lower() for new in target],
        scorer=Indel.normalized_distance,
    ).tolist()
    replacing = [
        [
            0.0 if old == new else 0.01 + 1.8 * share
            for new, share in zip(target, shares, strict=True)
        ]
        for old, shares in zip(source, unlike if target else repeat(()), strict=False)
    ]
    for row, of_row in enumerate(replacing, start=1):
        costs.append([float(row)])
        for column, cost in enumerate(of_row, start=1):
            costs[row].append(
                min(
                    costs[row - 1][column - 1] + cost,
                    costs[row - 1][column] + 1,
                    costs[row][column - 1] + 1,
                )
            )
    end, last = len(source), len(target)
    while end or last:
        replaced = (
            end
            and last
            and costs[end][last] == costs[end - 1][last - 1] + replacing[end - 1][last - 1]
        )
        left_out = replaced or (end and costs[end][last] == costs[end - 1][last] + 1)
        start, first = end - bool(left_out), last - bool(replaced or not left_out)
        changed = "".join([*source[start:end], *target[first:last]])
        stays = list(source[start:end]) == list(target[first:last])
        yield (
            None if stays else _Change(start, end, first, last, not any(map(str.isalnum, changed)))
        )
        end, last = start, first
