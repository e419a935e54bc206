"""Leads of one choice over another, stage by stage of training, beside a paper's."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from pseudogec.report.findings import NOT_LISTED, Finding, in_points
from pseudogec.report.paper import named_table, paper_scores

if TYPE_CHECKING:
    import pandas as pd


def leads_by_stage(
    scores: pd.DataFrame, column: str, pair: Mapping[str, str], paper: str | None = None, measure: str = "f05"
) -> Finding:
    """By how many points one choice leads another after each stage of training, and whether that shrinks.

    Args:
        scores: tidy scores, with the stage as ``system``, in order of training.
        column: the choice, such as ``method``.
        pair: the two values and what to call them; the lead is that of the first.
        paper: published table with the same stages and choices, such as ``choe2019:6``.
        measure: ``precision``, ``recall`` or ``f05``.
    """
    stages = list(dict.fromkeys(scores.system))
    ours = _leads(scores, column, pair, measure, 100)
    shown = {stage: ours[stage] for stage in stages if stage in ours}
    if not shown:
        return NOT_LISTED
    first, second = pair.values()
    title = {"f05": "F0.5"}.get(measure, measure)
    text = f"**Here**, {title} of {first} minus that of {second}, in points: {_listed(shown)}. {_course(list(shown.values()))}"
    if paper is not None:
        published = _leads(paper_scores(paper), column, pair, measure, 1)
        theirs = {stage: published[stage] for stage in shown if stage in published}
        text += f" {named_table(paper)}: {_listed(theirs)}. {_course(list(theirs.values()))}"
    return Finding(text.strip())


def _leads(scores: pd.DataFrame, column: str, pair: Mapping[str, str], measure: str, unit: int) -> dict[str, float]:
    wide = scores.pivot_table(index="system", columns=column, values=measure) * unit
    if not set(pair) <= set(wide.columns):
        return {}
    first, second = pair
    return {str(stage): float(lead) for stage, lead in (wide[first] - wide[second]).dropna().round(1).items()}


def _listed(leads: Mapping[str, float]) -> str:
    return ", ".join(f"{in_points(lead)} ({stage})" for stage, lead in leads.items())


def _course(leads: list[float]) -> str:
    """How a lead goes on from stage to stage; nothing where the second choice ever leads."""
    if len(leads) < 2 or min(leads) <= 0:
        return ""
    if all(later < earlier for earlier, later in pairwise(leads)):
        return "It falls with each stage."
    return "It does not fall with each stage."
