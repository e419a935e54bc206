"""What a paper claims, and whether this study's numbers say the same: written from the scores, never by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pseudogec.report.contrasts import Contrast
from pseudogec.report.report import Report
from pseudogec.report.styled_tables import StyledTable
from pseudogec.study import System

Direction = Literal["higher", "lower", "no clear difference"]

Verdict = Literal["yes", "no", "open"]

_WORDS: dict[Verdict, str] = {"yes": "as claimed", "no": "the opposite", "open": "not decided"}

_RULE = (
    "A difference counts where all of several seeds agree and p < 0.05 by approximate randomisation over sentences; that there "
    "is none counts as claimed where p is larger, which is no proof. One seed alone decides nothing. "
    "In points, mean ± standard deviation over seeds, seeds of the same sign, p."
)


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about one choice, as a comparison that decides it.

    Attributes:
        text: what is claimed.
        source: where, such as ``Kiyono et al. 2020, table VI``.
        grid: the systems that are compared.
        column: the choice, as of :meth:`Report.differences`.
        against: the value that the others are compared with.
        direction: what the paper says of the others.
        measure: ``P``, ``R`` or ``F0.5``.
    """

    text: str
    source: str
    grid: Sequence[System]
    column: str = "method"
    against: Any = "none"
    direction: Direction = "higher"
    measure: str = "F0.5"


def verdict(found: Contrast, claim: Claim) -> Verdict:
    """Whether a comparison says what a claim says.

    A difference counts when it is clear (:meth:`Contrast.is_clear`); one that is not leaves a claimed difference open. That there
    is none is left open where the sentences show a difference but the seeds disagree about its direction. Of one seed everything
    may hold of that model alone, so that a single seed leaves all open.
    """
    clear = found.is_clear(claim.measure)
    if len(found.differences[claim.measure]) < 2:
        return "open"
    if claim.direction == "no clear difference":
        shown = found.p_values[claim.measure] < 0.05
        return "no" if clear else "open" if shown else "yes"
    if not clear:
        return "open"
    risen = bool(np.mean(found.differences[claim.measure]) > 0)
    return "yes" if risen == (claim.direction == "higher") else "no"


def in_words(found: Contrast, claim: Claim) -> str:
    """A verdict as the table prints it; where a claim of no difference fails, on which side the difference is."""
    said = verdict(found, claim)
    if said == "no" and claim.direction == "no clear difference":
        return "clearly higher" if np.mean(found.differences[claim.measure]) > 0 else "clearly lower"
    return _WORDS[said]


def claims(report: Report, name: str, made: Sequence[Claim]) -> StyledTable:
    """A table of claims: where each is made, what is found here, and whether that agrees.

    Args:
        report: of the study whose scores decide.
        name: file name of the table.
        made: the claims.
    """
    import pandas as pd

    rows = []
    for claim in made:
        compared = report.compared(claim.grid, claim.column, claim.against)
        said = [in_words(found, claim) for found in compared]
        cells = [f"{found.label}: {found.cell(claim.measure)}" for found in compared]
        rows.append(
            {
                "claim": claim.text,
                "made in": claim.source,
                "measure": claim.measure,
                "here": "; ".join(cells) or "this profile has nothing to compare",
                "verdict": _counted(said),
            }
        )
    seeds = {system.seed for claim in made for system in claim.grid}
    return report.texts(pd.DataFrame(rows), name, _RULE, seeds or None)


def _counted(said: Sequence[str]) -> str:
    """``as claimed``, or of several comparisons ``2 as claimed, 1 not decided``."""
    words = list(dict.fromkeys(said)) or [_WORDS["open"]]
    return words[0] if len(words) == 1 else ", ".join(f"{said.count(word)} {word}" for word in words)
