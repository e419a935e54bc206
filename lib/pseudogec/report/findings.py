"""Sentences about results, written from the scores so that no number in the prose is typed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pseudogec.report.paper import paper_scores
from pseudogec.report.tables import METHOD_NAMES

if TYPE_CHECKING:
    import pandas as pd


class Finding(str):
    """A sentence that a notebook shows as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)


NOT_LISTED = Finding("*The profile lists no systems for this section under `notebooks`, so there is nothing to show.*")
"""What a notebook says in place of a table or figure of systems that the profile does not have."""


def in_points(difference: float) -> str:
    """A difference as prose and tables print it: ``+1.2``; one that rounds to nothing has no direction: ``+0.0``."""
    return f"{round(float(difference), 1) + 0.0:+.1f}"


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


def against_baseline(scores: pd.DataFrame, rows: Sequence[str] = ("method",)) -> Finding:
    """Which kind of system is best, and which are ahead of the baseline, by mean F0.5.

    Args:
        scores: tidy scores, those of the baseline among them.
        rows: the columns that name a kind.
    """
    systems, baseline = scores[scores.method != "none"], scores[scores.method == "none"].f05
    if systems.empty or baseline.empty:
        return NOT_LISTED
    means = (systems.groupby(list(rows), sort=False).f05.mean() * 100).sort_values(ascending=False)
    zero = baseline.mean() * 100
    lead = in_points(means.iloc[0] - zero)
    names = [_named(rows, key if isinstance(key, tuple) else (key,)) for key in means.index]
    ahead = sum(means > zero)
    more = f"Ahead of it: {', '.join(names[:ahead])}" if ahead else "None is ahead of it"
    rest = f"; behind: {', '.join(names[ahead:])}" if names[ahead:] else ""
    return Finding(
        f"**Highest mean F0.5 here: {names[0]}**, {means.iloc[0]:.1f}, {lead} points against the baseline "
        f"({zero:.1f}). {more}{rest}, from the highest to the lowest."
    )


def _named(columns: Sequence[str], values: Sequence[Any]) -> str:
    """A kind of system in words, such as ``pretrain Backtrans (noisy) 24,000``."""
    shown = [
        f"{value:,}" if column == "pseudo_pairs" else METHOD_NAMES.get(value, str(value))
        for column, value in zip(columns, values, strict=True)
    ]
    return " ".join(shown)


def nearness(distances: Mapping[str, float], scores: pd.DataFrame) -> Finding:
    """Whether methods whose error types are near to the learners' are the better ones: Spearman's rank correlation.

    Args:
        distances: method -> distance of its types to the genuine ones.
        scores: tidy scores of these methods.
    """
    from scipy.stats import spearmanr

    means = scores.groupby("method").f05.mean()
    methods = [method for method in distances if method in means]
    if len(methods) < 4:  # of three, no order is surprising
        return Finding("This profile has too few methods for a rank correlation.")
    found = spearmanr([distances[method] for method in methods], means[methods])
    return Finding(
        f"Rank correlation of distance and mean F0.5 over {len(methods)} methods: **{found.statistic:+.2f}** "
        f"(*p* = {found.pvalue:.3f}; negative: the nearer, the better)."
    )


def types_by_level(edits: pd.DataFrame, most: int = 10) -> Finding:
    """Which of the frequent error types have a share that falls, or rises, at every step from one level to the next.

    Args:
        edits: one row for each edit, with ``level`` and ``error_type``.
        most: how many types to look at.
    """
    levels = sorted(edits.level.unique())
    if len(levels) < 2:
        return Finding("The sentences are of one level, so there are no steps.")
    shares = edits.groupby("level").error_type.value_counts(normalize=True).unstack(fill_value=0).loc[levels] * 100
    steps = shares[list(edits.error_type.value_counts().index[:most])].diff().iloc[1:]
    ways = {"falls": (steps < 0).all(), "rises": (steps > 0).all()}
    told = []
    for word, there in ways.items():
        named = [f"{name} ({shares[name].iloc[0]:.1f} to {shares[name].iloc[-1]:.1f}%)" for name in there.index[there]]
        told.append(f"{word} at every step for {', '.join(named) or 'none'}")
    return Finding(
        f"From {levels[0]} to {levels[-1]} the share {' and '.join(told)}, of the {len(steps.columns)} most frequent types. "
        "The others go up and down."
    )


def spread_across(scores: pd.DataFrame, column: str, paper: str | None = None) -> Finding:
    """Whether a choice (a column's values) matters more than the seed, for each method.

    Args:
        scores: tidy scores of several methods.
        column: the choice, such as ``seed_corpus``.
        paper: a published table of the same choice, whose range is told as well.

    Returns:
        For each method the best value, the range of the means over the values, and the pooled standard deviation over seeds.
    """
    lines = []
    theirs = None if paper is None else paper_scores(paper).groupby("method").f05
    for method, part in scores[scores.method != "none"].groupby("method", sort=False):
        groups = part.groupby(column).f05
        means, within = groups.mean() * 100, float((groups.var().mean()) ** 0.5 * 100)
        spread = f"; the seeds alone spread by {within:.1f} (standard deviation)" if within == within else ""
        name = METHOD_NAMES.get(str(method), str(method))
        told = f"best with {means.idxmax()} ({means.max():.1f}); the means range over {_range(means):.1f} points{spread}."
        if theirs is not None and method in theirs.groups:
            told += f" In the paper over {_range(theirs.get_group(method)):.1f}."
        lines.append(f"- **{name}**: {told}")
    return Finding("\n".join(lines))


def _range(values: pd.Series) -> float:
    return float(values.max() - values.min())


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
            steps = np.diff(means) / np.diff(np.log2(means.index.to_numpy(float)))
            shape = "each smaller than the one before" if (np.diff(steps) < 0).all() else "not smaller at every step"
            told = f" Step by step {', '.join(map(in_points, steps))} a doubling: {shape}." if len(steps) > 1 else ""
            lines.append(
                f"- **{name}**: {in_points(slope)} points a doubling, from {means.iloc[0]:.1f} at {means.index[0]:,} "
                f"to {means.iloc[-1]:.1f} at {means.index[-1]:,}.{told}"
            )
    return Finding("\n".join(lines))
