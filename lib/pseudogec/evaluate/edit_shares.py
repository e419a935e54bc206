"""Edits that a system may make, each with its share of the probability: scores at any threshold,
the precision-recall curve.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.evaluate.errant import ERRANT
from pseudogec.evaluate.metric import Score, f05_of

_NOT_PROPOSED = -1


@dataclass(frozen=True, eq=False)
class Curve:
    """The precision-recall curve over all thresholds of the share."""

    references: int  # edits of the reference
    made: np.ndarray  # how many edits have a share of so many thousandths, (1001,)
    right: np.ndarray  # how many of these are right

    def f05(self, threshold: float) -> float:
        """F0.5 of the edits whose share is at least the threshold."""
        proposed, right = (
            int(counts[round(1000 * threshold) :].sum()) for counts in (self.made, self.right)
        )
        return float(f05_of(np.array([right, proposed - right, self.references - right])))

    def best_threshold(self, thresholds: Sequence[float]) -> float:
        """The one with the highest F0.5; of equals the lowest, which makes most edits."""
        return max(sorted(thresholds), key=self.f05)

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """How many edits are made, and how many of these are right, from each share on, the highest
        first; both begin with 0.
        """
        shares = np.flatnonzero(self.made)[::-1]
        proposed, right = (
            np.append(0.0, counts[shares].cumsum()) for counts in (self.made, self.right)
        )
        return proposed, right

    def precision_of_most(self, edits: int) -> float:
        """The precision of so many edits, those with the largest shares; missing where fewer are
        proposed.

        Edits of equal share are taken in a random order; this is the mean over all orders.
        """
        proposed, right = self.points
        return (
            float(np.interp(edits, proposed, right)) / edits
            if 0 < edits <= proposed[-1]
            else np.nan
        )

    def area(self, recall: float) -> float:
        """The area under the curve up to a recall, divided by it: a mean precision; missing where
        the curve ends before.
        """
        proposed, right = self.points
        hits = np.arange(1, int(recall * self.references + 1e-9) + 1)
        if not len(hits) or hits[-1] > right[-1]:
            return np.nan
        # The first point at which there are so many right edits, also where only wrong ones follow.
        return float((hits / np.interp(hits - 1e-9, right, proposed)).mean())

    @property
    def highest_recall(self) -> float:
        return float(self.right.sum()) / self.references if self.references else 0.0

    def to_json(self) -> str:
        return json.dumps(
            {
                "references": self.references,
                "made": self.made.tolist(),
                "right": self.right.tolist(),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        stored = json.loads(text)
        return cls(stored["references"], np.array(stored["made"]), np.array(stored["right"]))


@dataclass(frozen=True, eq=False)
class SharedEdits:
    """The edits that a system proposes, and those of the reference; a row each.

    Of several references of a sentence, the one counts whose edits have the largest shares
    together.
    """

    signature: str  # of its scores
    sentences: int  # how many there are
    sentence: np.ndarray  # number of the sentence, from 0
    error_type: np.ndarray  # the reference's where the edit is in it
    # Its share, rounded down; `_NOT_PROPOSED` for an edit of the reference that the system does not
    # propose
    permille: np.ndarray
    is_gold: np.ndarray  # whether the reference has it

    @classmethod
    def of(
        cls,
        references: Sequence[AnnotatedSentence],
        proposed: Sequence[Mapping[Edit, float]],
        annotator: str,
    ) -> Self:
        """Compare proposed edits with the reference's; the annotator that found them is given by
        its signature.
        """
        rows: list[tuple[int, str, int, bool]] = []
        for number, (reference, shares) in enumerate(zip(references, proposed, strict=True)):
            named = {
                (edit.start, edit.end, edit.correction): (edit.type, share)
                for edit, share in shares.items()
            }
            annotations = [
                {
                    (edit.start, edit.end, edit.correction): edit.type
                    for edit in edits
                    if edit.type != "UNK"
                }
                for edits in reference.annotators.values()
            ]
            gold = max(
                annotations,
                key=lambda keys: sum(named[key][1] for key in keys if key in named),
                default={},
            )
            for key in gold | named:
                share = int(1000 * named[key][1] + 1e-6) if key in named else _NOT_PROPOSED
                rows.append(
                    (number, gold[key] if key in gold else named[key][0], share, key in gold)
                )
        signature = f"{ERRANT.signature(annotator)}|edits:by share"
        columns = zip(*rows, strict=True) if rows else ((), (), (), ())
        kinds = (np.int64, object, np.int64, bool)
        arrays = (np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True))
        return cls(signature, len(references), *arrays)

    def at(self, threshold: float) -> Score:
        """ERRANT's score of the edits whose share is at least the threshold."""
        chosen = self.permille >= round(1000 * threshold)
        counts = np.stack(
            [self.is_gold & chosen, ~self.is_gold & chosen, self.is_gold & ~chosen], axis=-1
        ).astype(np.int64)
        some = counts.any(axis=1)
        return Score(
            ERRANT,
            self.signature,
            self.sentences,
            self.sentence[some],
            self.error_type[some],
            counts[some],
        )

    @property
    def curve(self) -> Curve:
        proposed = self.permille != _NOT_PROPOSED
        edits, right = (
            np.bincount(self.permille[some], minlength=1001)
            for some in (proposed, proposed & self.is_gold)
        )
        return Curve(int(self.is_gold.sum()), edits, right)
