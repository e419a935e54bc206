"""Sentences about results, written from the scores so that no number in the prose is typed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudogec.report.tables import METHOD_NAMES

if TYPE_CHECKING:
    import pandas as pd


class Finding(str):
    """A sentence that a notebook shows as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)


NOT_LISTED = Finding("*The profile lists no systems for this section under `notebooks`, so there is nothing to show.*")
"""What a notebook says in place of a table or figure of systems that the profile does not have."""


def varies(scores: pd.DataFrame, parameter: str) -> bool:
    """Whether a parameter of a method has several values in tidy scores."""
    return bool(scores.parameters[scores.parameters.str.contains(parameter, regex=False)].nunique() > 1)


def best_of_sweep(scores: pd.DataFrame, parameter: str) -> Finding:
    """Which value of a parameter has the highest mean F0.5, and by how much it leads the next."""
    if not varies(scores, parameter):
        return Finding(f"This profile does not vary `{parameter}`.")
    means = (scores.groupby("parameters").f05.mean() * 100).sort_values(ascending=False)
    seeds = int(scores.groupby("parameters").seed.nunique().min())
    best = means.index[0].removeprefix(f"{parameter}=")
    lead = means.iloc[0] - means.iloc[1]
    caution = (
        " With one seed a value, a lead smaller than the spread over seeds in the table above says nothing." if seeds == 1 else ""
    )
    return Finding(
        f"The best value here is **{parameter} = {best}** (F0.5 {means.iloc[0]:.1f}, {lead:.1f} points above the next).{caution}"
    )


def spread_across(scores: pd.DataFrame, column: str) -> Finding:
    """Whether a choice (a column's values) matters more than the seed, for each method.

    Args:
        scores: tidy scores of several methods.
        column: the choice, such as ``seed_corpus``.

    Returns:
        For each method the best value, the range of the means over the values, and the pooled standard deviation over seeds.
    """
    lines = []
    for method, part in scores[scores.method != "none"].groupby("method", sort=False):
        groups = part.groupby(column).f05
        means, within = groups.mean() * 100, float((groups.var().mean()) ** 0.5 * 100)
        spread = f"; the seeds alone spread by {within:.1f} (standard deviation)" if within == within else ""
        name = METHOD_NAMES.get(str(method), str(method))
        reach = means.max() - means.min()
        lines.append(
            f"- **{name}**: best with {means.idxmax()} ({means.max():.1f}); the means range over {reach:.1f} points{spread}."
        )
    return Finding("\n".join(lines))


def per_doubling(scores: pd.DataFrame, column: str = "pseudo_pairs") -> Finding:
    """What each doubling of a size brings: the slope of a straight line through mean F0.5 against its logarithm (base 2).

    Args:
        scores: tidy scores of one or more methods in several sizes; a baseline is left out.
        column: the size.
    """
    import numpy as np

    lines = []
    for method, part in scores[scores.method != "none"].groupby("method", sort=False):
        means = part.groupby(column).f05.mean() * 100
        if len(means) > 1:
            slope = np.polyfit(np.log2(means.index.to_numpy(float)), means.to_numpy(), 1)[0]
            name = METHOD_NAMES.get(str(method), str(method))
            lines.append(
                f"- **{name}**: {slope:+.1f} points a doubling, from {means.iloc[0]:.1f} at {means.index[0]:,} "
                f"to {means.iloc[-1]:.1f} at {means.index[-1]:,}."
            )
    return Finding("\n".join(lines))
