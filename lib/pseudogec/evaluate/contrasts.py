"""Two kinds of systems side by side: their differences, on every part of the test data, and what
these decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from pseudogec.evaluate.errant import ERRANT
from pseudogec.evaluate.inference import ALPHA, Estimate, OfSums, compare, compare_values, holm
from pseudogec.evaluate.metric import f05_of
from pseudogec.evaluate.verdicts import FLOOR, Verdict

LOSS = "loss"
"""Validation loss, in bits per subword, as a measure of comparisons."""

_MEASURES = {measure.label: measure.of for measure in ERRANT.measures}
_HEADLINE = ERRANT.headline.label


@dataclass(frozen=True)
class Side:
    """All seeds of one kind of system.

    Attributes:
        counts: how the names of measures end, such as `` on fce-test`` or, on the first test
            corpus, nothing -> seed -> counts of every sentence, (sentences, 3): tp, fp, fn.
        losses: seed -> validation loss; those that are known.
    """

    name: str
    counts: Mapping[str, Mapping[int, np.ndarray]]
    losses: Mapping[int, float] = field(default_factory=dict)

    def f05(self, ending: str = "") -> dict[int, float]:
        """Seed -> F0.5."""
        return {
            seed: float(f05_of(counts.sum(axis=0))) for seed, counts in self.counts[ending].items()
        }

    def only(self, sentences: np.ndarray) -> Side:
        """The same on some sentences of the first test corpus."""
        return Side(
            self.name, {"": {seed: counts[sentences] for seed, counts in self.counts[""].items()}}
        )

    @property
    def at_the_floor(self) -> bool:
        return fmean(self.f05().values()) < FLOOR / 100


@dataclass(frozen=True)
class Contrast:
    """One kind of system against another.

    Attributes:
        label: what is compared with what.
        differences: measure -> first minus second.
        sides: both.
        choices: of the first kind, where they are of a grid.
        unequal: why the trainings of both sides are not comparable, in numbers; empty where they
            are.
        caveat: what else a reader of a difference must know of both trainings.
    """

    label: str
    differences: Mapping[str, Estimate]
    sides: tuple[Side, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    unequal: str = ""
    caveat: str = ""

    @property
    def headlines(self) -> dict[str, Estimate]:
        """The differences of F0.5, on each test corpus."""
        return {
            name: difference
            for name, difference in self.differences.items()
            if name.startswith(_HEADLINE)
        }

    @property
    def seeds(self) -> tuple[int, ...]:
        return next(iter(self.differences.values())).seeds

    @property
    def of_one_model(self) -> bool:
        """Whether a side is a single model, so that nothing follows for the way in which it was
        made.
        """
        return min(self.seeds) == 1

    @property
    def at_the_floor(self) -> bool:
        """Whether neither side corrects enough for their difference to mean anything."""
        return bool(self.sides) and all(side.at_the_floor for side in self.sides)

    @property
    def untested(self) -> Verdict | None:
        """The verdict where the comparison can decide no claim; ``None`` if it can."""
        if self.at_the_floor:
            return Verdict.UNINFORMATIVE
        if self.unequal:
            return Verdict.NOT_COMPARABLE
        # Systems of several steps have no choices. One of them is what is claimed about, not a draw
        # from many seeds.
        return Verdict.NOT_TESTED if self.of_one_model and self.choices else None

    @property
    def remark(self) -> str:
        """What the reader of a difference must know of both sides; empty if nothing."""
        if self.at_the_floor:
            return f"F0.5 below {FLOOR:g}"
        alone = "these models" if self.of_one_model and not self.choices else ""
        return self.unequal or self.caveat or alone

    @property
    def answer(self) -> str:
        """Whether F0.5 is higher on every test corpus."""
        return answer(*self.headlines.values())

    def less(self, other: Contrast) -> Contrast:
        """How much larger these differences are than others of the same seeds, such as the gain
        early in training than late.
        """
        pairs = list(zip(self.sides, other.sides, strict=True))
        both = [Side(side.name, _stacked(side.counts, against.counts)) for side, against in pairs]
        measures = {name: _change_of(of) for name, of in _MEASURES.items()}
        return contrast(f"{self.label}, less {other.label}", *both, measures=measures)


def answer(*differences: Estimate) -> str:
    """Whether all differences are above zero, each interval taken by itself: yes, no (all are
    below), or open.
    """
    if min(differences[0].seeds) == 1:
        return "one seed"
    ends = np.array([difference.interval for difference in differences])
    return "yes" if (ends > 0).all() else "no, below" if (ends < 0).all() else "open"


def _stacked(
    counts: Mapping[str, Mapping[int, np.ndarray]], others: Mapping[str, Mapping[int, np.ndarray]]
) -> Any:
    return {
        ending: {
            seed: np.hstack([of_seed, others[ending][seed]]) for seed, of_seed in of_seeds.items()
        }
        for ending, of_seeds in counts.items()
    }


def _change_of(measure: OfSums) -> OfSums:
    return lambda sums: measure(sums[..., :3]) - measure(sums[..., 3:])


def contrast(
    label: str,
    first: Side,
    second: Side,
    *,
    measures: Mapping[str, OfSums] = _MEASURES,
    **about: Any,
) -> Contrast:
    """Compare two kinds of systems by P, R and F0.5 on each test corpus, and by validation loss
    where it is known.

    Args:
        about: further attributes of the contrast.
    """
    differences = {
        name + ending: compare(first.counts[ending], second.counts[ending], of)
        for ending in first.counts
        for name, of in measures.items()
    }
    if first.losses and second.losses:
        differences[LOSS] = compare_values(first.losses, second.losses)
    return Contrast(label, differences, (first, second), **about)


def clear(contrasts: Sequence[Contrast], measure: str) -> list[bool]:
    """Which of a table's differences in one measure are more than chance: p below `ALPHA`,
    corrected for their number.
    """
    p_values = iter(
        holm(
            [item.differences[measure].p_value for item in contrasts if measure in item.differences]
        )
    )
    return [measure in item.differences and next(p_values) < ALPHA for item in contrasts]
