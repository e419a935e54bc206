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

_WORDS = {
    "yes": "as claimed",
    "no": "the opposite",
    "open": "not decided",
}


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


def verdict(found: Contrast, claim: Claim) -> Literal["yes", "no", "open"]:
    """Whether a comparison says what a claim says.

    A difference counts when it is clear (:meth:`Contrast.is_clear`); one that is not leaves a claimed difference open. Of one
    seed it may hold of that model alone, so that a single seed leaves everything open.
    """
    clear = found.is_clear(claim.measure)
    if len(found.differences[claim.measure]) < 2:
        return "open"
    if claim.direction == "no clear difference":
        return "no" if clear else "yes"
    if not clear:
        return "open"
    risen = bool(np.mean(found.differences[claim.measure]) > 0)
    return "yes" if risen == (claim.direction == "higher") else "no"


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
        said = [_WORDS[verdict(found, claim)] for found in compared]
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
    note = (
        "Decided where all seeds agree and p < 0.05 by approximate randomisation over sentences; one seed alone decides nothing. "
        "In points, mean ± standard deviation over seeds, seeds of the same sign, p."
    )
    return report.texts(pd.DataFrame(rows), name, note)


def _counted(said: Sequence[str]) -> str:
    """``as claimed``, or of several comparisons ``2 as claimed, 1 not decided``."""
    words = list(dict.fromkeys(said)) or [_WORDS["open"]]
    return words[0] if len(words) == 1 else ", ".join(f"{said.count(word)} {word}" for word in words)
