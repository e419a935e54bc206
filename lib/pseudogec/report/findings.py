"""Sentences about results, written from the scores so that no number in the prose is typed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudogec.report.tables import MEASURES, METHOD_NAMES

if TYPE_CHECKING:
    import pandas as pd


class Finding(str):
    """A sentence that a notebook shows as Markdown."""

    def _repr_markdown_(self) -> str:
        return str(self)


def difference(scores: pd.DataFrame, first: str, second: str, p_value: float) -> Finding:
    """How much better one method is than another, seed by seed.

    Args:
        scores: tidy scores, one row for each seed of either method.
        first: a method.
        second: the method that it is compared with.
        p_value: of the difference in F0.5.

    Returns:
        For each measure the mean difference in points, its standard deviation over the seeds that both have, and how many seeds
        agree in sign; then the p-value.
    """
    paired = [scores[scores.method == method].set_index(["dataset", "seed"])[list(MEASURES)] * 100 for method in (first, second)]
    gap = (paired[0] - paired[1]).dropna()
    parts = []
    for measure, title in MEASURES.items():
        values = gap[measure]
        agree = max((values > 0).sum(), (values < 0).sum())
        spread = f" ± {values.std():.1f}" if len(values) > 1 else ""
        parts.append(f"{title} {values.mean():+.1f}{spread} ({agree} of {len(values)} seeds agree in sign)")
    names = [METHOD_NAMES.get(method, method) for method in (first, second)]
    chance = "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
    return Finding(f"**{names[0]} against {names[1]}**, in points: {'; '.join(parts)}. F0.5: {chance}.")


def best_of_sweep(scores: pd.DataFrame, parameter: str) -> Finding:
    """Which value of a parameter has the highest mean F0.5, and by how much it leads the next; nothing where it does not vary."""
    if not scores.parameters.str.contains(parameter).any():
        return Finding("")
    means = (scores.groupby("parameters").f05.mean() * 100).sort_values(ascending=False)
    seeds = int(scores.groupby("parameters").seed.nunique().min())
    best = means.index[0].removeprefix(f"{parameter}=")
    lead = f", {means.iloc[0] - means.iloc[1]:.1f} points above the next" if len(means) > 1 else ""
    caution = (
        " With one seed a value, a lead smaller than the spread over seeds in the table above says nothing." if seeds == 1 else ""
    )
    return Finding(f"The best value here is **{parameter} = {best}** (F0.5 {means.iloc[0]:.1f}{lead}).{caution}")


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


def more_data(scores: pd.DataFrame) -> Finding:
    """For each setting and method, what going from the smallest to the largest amount of pseudo data changes, seed by seed."""
    lines = []
    for (setting, method), part in scores[scores.method != "none"].groupby(["setting", "method"], sort=False):
        sizes = sorted(part.pseudo_pairs.unique())
        if len(sizes) < 2:
            continue
        by_seed = part.pivot_table(index=["dataset", "seed"], columns="pseudo_pairs", values="f05") * 100
        gain = (by_seed[sizes[-1]] - by_seed[sizes[0]]).dropna()
        spread = f" ± {gain.std():.1f}" if len(gain) > 1 else ""
        name = METHOD_NAMES.get(str(method), str(method))
        change = f"F0.5 {gain.mean():+.1f}{spread} points over {len(gain)} seeds"
        lines.append(f"- **{setting}, {name}**: {sizes[0]:,} to {sizes[-1]:,} pairs, {change}.")
    return Finding("\n".join(lines))
