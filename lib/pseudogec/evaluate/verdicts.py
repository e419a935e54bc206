"""What comparisons say of statements: as claimed, contradicted, no difference, or open. All
statements are one family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

import numpy as np

from pseudogec.evaluate.inference import ALPHA, Estimate, holm, seeds_to_decide

Direction = Literal["higher", "lower", "not higher", "no clear difference"]

MARGIN = 1.0
"""Points of F0.5, precision or recall within which two systems are called equal, unless a claim
says otherwise.
"""

FLOOR = 5.0
"""If both systems have a lower F0.5, in points, they correct next to nothing, and their difference
says nothing.
"""


class Verdict(StrEnum):
    """What a comparison says of a claim."""

    AS_CLAIMED = "as claimed"
    CONTRADICTED = "contradicted"
    NO_DIFFERENCE = "no difference"
    HARMFUL = "harmful"
    NOT_DECIDED = "open"
    UNDECIDABLE = "undecidable here"
    NOT_COMPARABLE = "not comparable"
    UNINFORMATIVE = "uninformative"
    NOT_TESTED = "not tested"
    SEVERAL = "several verdicts"


@dataclass(frozen=True)
class Statement:
    """A claim about one difference.

    Attributes:
        difference: as fractions.
        direction: of the difference, by the claim.
        margin: the points within which a claim of no difference holds, and below which one of no
            gain does.
        seed_variance: of the difference of two models, one of each side, over seeds.
    """

    difference: Estimate
    direction: Direction = "higher"
    margin: float = MARGIN
    seed_variance: float = 0.0

    def leaning(self) -> tuple[Verdict, float]:
        """The verdict if the difference is more than chance, and the p-value of the test that it
        takes.
        """
        value, margin = self.difference.value, self.margin / 100
        if self.direction == "no clear difference":
            return Verdict.AS_CLAIMED if abs(
                value
            ) < margin else Verdict.CONTRADICTED, self.difference.p_value_of_side(margin)
        if self.direction == "not higher":
            return (
                Verdict.AS_CLAIMED if value < margin else Verdict.CONTRADICTED,
                self.difference.p_value_against(margin),
            )
        as_claimed = (value > 0) == (self.direction == "higher")
        return Verdict.AS_CLAIMED if as_claimed else Verdict.CONTRADICTED, self.difference.p_value

    def firmer(self) -> list[tuple[Verdict, float]]:
        """Verdicts that take the place of the first if their own p-values are small enough; earlier
        ones come first.

        A difference inside the margin is no difference, even if it is more than zero: the claim of
        a difference and that of none cannot both hold.
        """
        no_gain, margin = self.direction == "not higher", self.margin / 100
        inside = abs(self.difference.value) < margin and self.direction != "no clear difference"
        verdict = Verdict.AS_CLAIMED if no_gain else Verdict.NO_DIFFERENCE
        firmer = [(verdict, self.difference.p_value_of_side(margin))] if inside else []
        return (
            [*firmer, (Verdict.HARMFUL, self.difference.p_value)]
            if no_gain and self.difference.value < 0
            else firmer
        )

    def seeds_to_decide(self, comparisons: int) -> float:
        """As of `evaluate.seeds_to_decide`, if the true difference is as large as here; for the way
        that takes fewest.
        """
        points = 100 * self.difference.value
        to_nearer, to_other = abs(abs(points) - self.margin), abs(points) + self.margin
        ways: list[tuple[float, ...]] = [(to_nearer, to_other)] if abs(points) < self.margin else []
        if self.direction == "no clear difference":
            ways = ways or [(to_nearer,)]
        else:
            ways.append((abs(points - (self.margin if self.direction == "not higher" else 0)),))
        return min(
            seeds_to_decide(
                self.difference, [each / 100 for each in way], self.seed_variance, comparisons
            )
            for way in ways
        )


class Judgement(NamedTuple):
    verdict: Verdict
    p_value: float  # of the test that decided, corrected for the number of statements
    # That would decide an open statement if the difference is as large as here; missing for others
    seeds: float


def judged(statements: Sequence[Statement]) -> list[Judgement]:
    """The verdicts on all statements, corrected for their number.

    The first verdicts are corrected by Holm's method, firmer ones by Bonferroni's. Of a statement's
    hypotheses one at most is true and can be rejected by mistake; in simulated families of ten,
    both methods together do so in one of twenty.
    """
    leanings = [statement.leaning() for statement in statements]
    corrected = holm([p_value for _, p_value in leanings])
    judgements = []
    for statement, (leaning, _), p_value in zip(statements, leanings, corrected, strict=True):
        firmer = [(verdict, len(statements) * p_alone) for verdict, p_alone in statement.firmer()]
        decided = [
            (verdict, p_alone)
            for verdict, p_alone in [*firmer, (leaning, p_value)]
            if p_alone < ALPHA
        ]
        seeds = np.nan if decided else statement.seeds_to_decide(len(statements))
        is_open = Verdict.UNDECIDABLE if np.isinf(seeds) else Verdict.NOT_DECIDED
        verdict, p_of_it = decided[0] if decided else (is_open, p_value)
        judgements.append(Judgement(verdict, p_of_it, seeds))
    return judgements
