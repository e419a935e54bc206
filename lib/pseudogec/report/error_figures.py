"""Figures by error type and by proficiency level (TASLP figures 5 to 7, 9, 10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import cycle
from typing import TYPE_CHECKING

from pseudogec.evaluate import CUT_OTHERWISE, main_type
from pseudogec.report.looks import (
    CORPUS_COLOURS,
    DOTS,
    ERROR_BARS,
    LEVEL_COLOURS,
    METHOD_COLOURS,
    colours_of,
    legend,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GROUP_WIDTH = 0.8
"""Width of the bars of one category together; 1 would touch the next."""
_OWN_COLOURS = {**METHOD_COLOURS, **CORPUS_COLOURS}


def in_order(values: Iterable[str]) -> list[str]:
    """The values of a column as the legend of :func:`f05_bars` has them, from top to bottom."""
    return list(colours_of(values, _OWN_COLOURS))


def f05_bars(scores: pd.DataFrame, category: str, labels: Mapping[str, str], bars: str, names: Mapping[str, str]) -> Figure:
    """F0.5 by category, one bar a system or choice.

    Error bars are one standard deviation over seeds, each seed a dot; where the scores have the columns ``f05_low`` and
    ``f05_high`` they are this interval.

    Args:
        scores: tidy scores, split by ``category``.
        category: what the horizontal axis shows, such as ``error_type``.
        labels: its values from left to right, and how the axis prints them.
        bars: the column whose values have a bar each, such as ``method``.
        names: how the legend prints them; others are printed as they are.
    """
    import matplotlib.pyplot as plt

    shown = scores[scores[category].isin(list(labels))]
    palette = colours_of(shown[bars], _OWN_COLOURS)
    width = _GROUP_WIDTH / len(palette)
    figure, axes = plt.subplots(figsize=(max(6.5, 2 + len(labels) * (0.35 + 0.16 * len(palette))), 3.9))
    for place, (value, colour) in enumerate(palette.items()):
        part = shown[shown[bars] == value]
        shift = (place - (len(palette) - 1) / 2) * width
        _bars_with_spread(axes, part, category, list(labels), shift, width, colour, names.get(value, value))
    axes.set_xticks(range(len(labels)), list(labels.values()))
    axes.tick_params(axis="x", labelsize=9)
    axes.grid(visible=False, axis="x")
    axes.set_axisbelow(True)
    axes.set(ylabel="F0.5 (percent)", ylim=(0, None))
    legend(axes, baseline_last=False)
    return figure


def _bars_with_spread(
    axes: Axes, part: pd.DataFrame, category: str, order: list[str], shift: float, width: float, colour: str, label: str
) -> None:
    points = part.groupby(category).f05
    means = points.mean().reindex(order) * 100
    positions = [place + shift for place in range(len(order))]
    if "f05_low" in part:
        limits = part.set_index(category)[["f05_low", "f05_high"]].reindex(order) * 100
        spread = [(means - limits.f05_low).clip(lower=0), (limits.f05_high - means).clip(lower=0)]
    else:
        deviation = points.std().reindex(order) * 100
        spread = [deviation.clip(upper=means), deviation]
    axes.bar(positions, means, width, color=colour, label=label, linewidth=0)
    axes.errorbar(positions, means, yerr=spread, fmt="none", **ERROR_BARS)
    if points.size().max() > 1:
        places = part[category].map(dict(zip(order, positions, strict=True)))
        axes.scatter(places, part.f05 * 100, **DOTS)


def frequent_types_by_level(edits: pd.DataFrame, most: int) -> Figure:
    """The most frequent error types of each level, each with its share of the level's edits (TASLP figure 6).

    Args:
        edits: one row an edit, with ``level`` and ``error_type``.
        most: how many types of each level.
    """
    import matplotlib.pyplot as plt

    levels = sorted(edits.level.unique())
    palette = colours_of(levels, LEVEL_COLOURS)
    figure, panels = plt.subplots(1, len(levels), figsize=(2.6 * len(levels) + 1, 3.6), sharex=True, squeeze=False)
    for axes, level in zip(panels[0], levels, strict=True):
        of_level = edits[edits.level == level].error_type
        shares = of_level.value_counts(normalize=True).head(most)[::-1] * 100
        axes.barh(shares.index, shares, color=palette[level], linewidth=0)
        axes.set_title(f"{level} ({len(of_level):,} edits)", fontsize=10)
        axes.tick_params(axis="y", labelsize=8)
        axes.grid(visible=False, axis="y")
        axes.set_axisbelow(True)
    figure.supxlabel("percent of the level's edits", fontsize=10)
    return figure


def f05_against_pairs_by_level(scores: pd.DataFrame) -> Figure:
    """F0.5 against the amount of pseudo data, one line a level (TASLP figure 10); the baseline of each level stands at 0.

    Args:
        scores: tidy scores by level of one method in several sizes, and of the baseline (method ``none``).
    """
    import matplotlib.pyplot as plt

    # Equal steps for the sizes: none (the baseline) has no place on a logarithmic axis.
    places = {int(size): place for place, size in enumerate(sorted(scores.pseudo_pairs.unique()))}
    figure, axes = plt.subplots(figsize=(7.5, 3.8))
    palette = colours_of(sorted(scores.level.unique()), LEVEL_COLOURS)
    for (level, colour), marker in zip(palette.items(), cycle("os^D")):
        points = (scores[scores.level == level].set_index("pseudo_pairs").f05 * 100).groupby(level=0)
        means = points.mean()
        positions = [places[int(size)] for size in means.index]
        spread = points.std() if points.size().max() > 1 else None
        axes.errorbar(positions, means, yerr=spread, marker=marker, capsize=4, color=colour, label=level)
    if 0 in places:
        # From none to the first size is no doubling: a line of its own says that the axis begins anew.
        axes.axvline(0.5, color="#999999", linestyle=":", linewidth=1)
    axes.set_xticks(list(places.values()), [f"{size:,}" if size else "0\n(baseline)" for size in places])
    axes.set(xlabel="pseudo pairs", ylabel="F0.5 (percent)")
    legend(axes, title="level")
    return figure


def type_agreement_heatmap(pairs: pd.DataFrame) -> Figure:
    """Which type an annotator names, in percent of the edits of each true type.

    Args:
        pairs: result of :func:`pseudogec.evaluate.type_agreement`.
    """
    import matplotlib.pyplot as plt
    import pandas as pd
    import seaborn as sns

    true, found = pairs.true_type.map(main_type), pairs.found_type.map(main_type)
    rows = list(true.value_counts().index)
    others = [name for name in found.value_counts().index if name not in {*rows, CUT_OTHERWISE}]
    columns = [*rows, *others, CUT_OTHERWISE]
    counts = pd.crosstab(true, found).reindex(index=rows, columns=columns, fill_value=0)
    shares = counts.div(counts.sum(axis=1), axis=0) * 100
    texts = shares.map(lambda share: f"{share:.0f}" if share >= 0.5 else "")
    figure, axes = plt.subplots(figsize=(3 + 0.38 * len(columns), 1.6 + 0.32 * len(rows)))
    sns.heatmap(
        shares,
        annot=texts,
        fmt="",
        annot_kws={"size": 8.5},
        cmap="Blues",
        vmin=0,
        vmax=100,
        linewidths=0.3,
        linecolor="#dddddd",
        cbar_kws={"label": "percent of the true type's edits", "shrink": 0.7},
        ax=axes,
    )
    axes.set_yticklabels([f"{name} ({total:,})" for name, total in counts.sum(axis=1).items()], rotation=0, fontsize=8)
    axes.set_xticklabels(columns, rotation=90, fontsize=8)
    axes.set(xlabel="type that the annotator names", ylabel="true type (edits)")
    return figure
