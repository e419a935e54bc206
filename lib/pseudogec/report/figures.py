"""Figures of scores, in the visual language of :mod:`pseudogec.report.looks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pseudogec.report.looks import (
    BASELINE,
    BEST_IN,
    DOTS,
    ERROR_BARS,
    LEVEL_COLOURS,
    METHOD_COLOURS,
    PAPER,
    PAPER_BASELINE,
    PAPER_SUFFIX,
    colours_of,
    legend,
    type_label,
)
from pseudogec.report.tables import METHOD_NAMES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MEASURES = {"precision": "Precision", "recall": "Recall", "f05": "F0.5"}
_MEASURE_LOOKS = {"precision": ("#6b6b6b", "s", ":"), "recall": ("#9a9a9a", "^", "--"), "f05": ("#000000", "o", "-")}
"""Colours belong to methods: measures differ in shape and grey."""

_GROUP_WIDTH = 0.8
"""Width of the bars of one group together; 1 would touch the next."""


def bars_by_method(scores: pd.DataFrame, published: pd.DataFrame | None = None) -> Figure:
    """Precision, recall and F0.5 of each method: mean over seeds, one dot a seed, error bars of one standard deviation.

    Args:
        scores: tidy scores.
        published: a paper's scores in percent, with ``method``: hollow markers on the bars of its methods.
    """
    import matplotlib.pyplot as plt
    from matplotlib.patheffects import withStroke

    order = list(dict.fromkeys(scores.method))
    palette, width = colours_of(order), _GROUP_WIDTH / len(order)
    figure, axes = plt.subplots(figsize=(8.5, 4))
    for place, method in enumerate(order):
        part = scores[scores.method == method][list(_MEASURES)] * 100
        x = [group + (place - (len(order) - 1) / 2) * width for group in range(len(_MEASURES))]
        axes.bar(x, part.mean(), 0.92 * width, color=palette[method], label=METHOD_NAMES.get(method, method), linewidth=0)
        if len(part) > 1:
            axes.errorbar([place - width / 5 for place in x], part.mean(), yerr=part.std(), fmt="none", **ERROR_BARS)
        for position, measure in zip(x, _MEASURES, strict=True):
            axes.scatter([position + width / 5] * len(part), part[measure], **DOTS)
        if method == "none":
            ends = [group + side * (_GROUP_WIDTH / 2 + width / 4) for group in range(len(_MEASURES)) for side in (-1, 1)]
            axes.hlines(part.mean(), ends[::2], ends[1::2], **{**BASELINE, "label": None}, zorder=2.5)
        if published is not None:
            for values in published[published.method == method][list(_MEASURES)].to_numpy():
                axes.plot(x, values, **PAPER, color=palette[method], path_effects=[withStroke(linewidth=4, foreground="white")])
    if published is not None:
        axes.plot([], [], **PAPER, color="#444444", label=f"same colour{PAPER_SUFFIX}")
    axes.set_xticks(range(len(_MEASURES)), list(_MEASURES.values()))
    axes.grid(visible=False, axis="x")
    axes.set_axisbelow(True)
    axes.set(ylabel="percent", ylim=(0, None))
    legend(axes, baseline_last=False)
    return figure


def error_types_by_level(edits: pd.DataFrame, most: int) -> Figure:
    """Share of each error type among the edits of each proficiency level (TASLP figure 6)."""
    import matplotlib.pyplot as plt
    import seaborn as sns

    frequent = list(edits.error_type.value_counts().index[:most])
    levels = sorted(edits.level.unique())
    names = {level: f"{level} ({count:,})" for level, count in edits.level.value_counts().items()}
    shares = edits.groupby("level").error_type.value_counts(normalize=True).rename("share").reset_index()
    shares = shares[shares.error_type.isin(frequent)].assign(share=lambda table: table.share * 100, level=shares.level.map(names))
    figure, axes = plt.subplots(figsize=(8.5, 3.8))
    palette = {names[level]: colour for level, colour in colours_of(levels, LEVEL_COLOURS).items()}
    looks: dict[str, Any] = {"palette": palette, "saturation": 1, "linewidth": 0}
    order = [names[level] for level in levels]
    sns.barplot(shares, x="error_type", y="share", hue="level", order=frequent, hue_order=order, ax=axes, **looks)
    axes.set_xticks(range(len(frequent)), [type_label(name) for name in frequent], fontsize=9)
    axes.set(xlabel="", ylabel="percent of the level's edits")
    legend(axes, title="level (edits)")
    return figure


def sweep(
    scores: pd.DataFrame, parameter: str, symbol: str, baseline: pd.DataFrame, published_best: Mapping[str, float]
) -> Figure:
    """F0.5 against a method's parameter, with the baseline as a band.

    Args:
        scores: tidy scores of one method; the parameter's value is read from ``parameters``.
        parameter: its name, such as ``mu_mask``.
        symbol: how the axis prints it.
        baseline: tidy scores of the baseline.
        published_best: paper -> the value that it found best, marked on the axis (the curves were published as pictures only).
    """
    import matplotlib.pyplot as plt

    values = scores.parameters.str.extract(rf"\b{parameter}=(\S+)")[0].astype(float)
    method = scores.method.iloc[0]
    figure, axes = plt.subplots(figsize=(8.5, 3.8))
    _f05_line(axes, scores.f05, values, method, colours_of([method])[method])
    _baseline(axes, baseline.f05)
    for (paper, value), marker in zip(published_best.items(), "Dsv^", strict=False):
        # On the frame, where no score can stand.
        look = {**PAPER, "marker": marker, "color": "#444444", "transform": axes.get_xaxis_transform(), "clip_on": False}
        axes.plot([value], [1], label=BEST_IN + paper, **{**look, "markerfacecolor": "#ffffff", "zorder": 5})
    axes.set(xlabel=symbol, ylabel="F0.5 (percent)", xticks=sorted(values.unique()))
    legend(axes)
    return figure


def systems(scores: pd.DataFrame, published: Mapping[str, Mapping[str, float]] | None = None) -> Figure:
    """Precision, recall and F0.5 of systems from top to bottom: lines through the means, seeds below, a paper's above.

    Args:
        scores: tidy scores.
        published: system -> measure -> a paper's score in percent: hollow markers.
    """
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(scores.system))
    figure, axes = plt.subplots(figsize=(8.5, 1.2 + 0.46 * len(names)))
    places = scores.system.map(names.index)
    several = scores.system.duplicated(keep=False)
    for measure, (colour, marker, line) in _MEASURE_LOOKS.items():
        values, label = scores[measure] * 100, _MEASURES[measure]
        points = values.groupby(places)
        means = points.mean()
        look: dict[str, Any] = {"color": colour, "linestyle": line, "linewidth": 1.2, "marker": marker, "markersize": 7}
        axes.errorbar(means, means.index, xerr=points.std(), capsize=3, label=label, **look)
        axes.scatter(values[several], places[several] + 0.2, **{**DOTS, "color": colour, "marker": marker})
        if published:
            rows = {names.index(name) - 0.2: theirs[measure] for name, theirs in published.items() if measure in theirs}
            axes.plot(list(rows.values()), list(rows), **{**PAPER, "marker": marker}, color=colour, label=label + PAPER_SUFFIX)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="percent", ylabel="", ylim=(len(names) - 0.5, -0.5))
    legend(axes)
    return figure


def f05_by(
    table: pd.DataFrame,
    column: str,
    order: list[str],
    baseline: float | None,
    paper_baseline: float | None = None,
    panels: str | None = None,
) -> Figure:
    """F0.5 by a category and method: filled points are ours with their spread, hollow ones the paper's.

    Args:
        table: result of :func:`pseudogec.report.tables.beside_paper`, or of ``summarise``.
        column: what the horizontal axis shows, such as ``seed_corpus``.
        order: its values from left to right.
        baseline: mean F0.5 of our baseline in percent, a dashed line.
        paper_baseline: the paper's, a dotted line.
        panels: a column of sizes that has a panel for each value, such as ``pseudo_pairs``.
    """
    import matplotlib.pyplot as plt

    parts = [("", table)] if panels is None else [(_panel_title(panels, part), part) for _, part in table.groupby(panels)]
    width = 1 + (1 + 1.5 * len(order)) * len(parts)
    figure, drawn = plt.subplots(1, len(parts), figsize=(max(6.5, width + 2), 3.8), sharey=True, squeeze=False)
    for axes, (title, part) in zip(drawn[0], parts, strict=True):
        _f05_points(axes, part, column, order)
        if baseline is not None:
            axes.axhline(baseline, **BASELINE)
        if paper_baseline is not None:
            axes.axhline(paper_baseline, **PAPER_BASELINE)
        axes.set(title=title, xlim=(-0.5, len(order) - 0.5))
        axes.set_xticks(range(len(order)), order)
    drawn[0][0].set_ylabel("F0.5 (percent)")
    legend(drawn[0][-1])
    return figure


def _panel_title(panels: str, part: pd.DataFrame) -> str:
    """What a panel shows, and which of the paper's values stand beside it."""
    unit = "pseudo pairs" if panels == "pseudo_pairs" else panels
    theirs = [f"\n(paper: {int(value):,})" for value in part.get(f"paper_{panels}", []) if value == value]
    return "".join([f"{int(part[panels].iloc[0]):,} {unit}", *theirs[:1]])


def _f05_points(axes: Axes, table: pd.DataFrame, column: str, order: list[str]) -> None:
    methods = colours_of(method for method in table.method if method != "none")
    for place, (method, colour) in enumerate(methods.items()):
        name = METHOD_NAMES.get(method, method)
        rows = table[table.method == method].set_index(column).reindex(order)
        x = [number + (place - (len(methods) - 1) / 2) * 0.18 for number in range(len(order))]
        axes.errorbar(x, rows.f05, yerr=_known(rows.f05_sd), fmt="o", markersize=7, capsize=4, color=colour, label=name)
        if "paper_f05" in rows and rows.paper_f05.notna().any():
            axes.plot(x, rows.paper_f05, **PAPER, color=colour, label=name + PAPER_SUFFIX)


def against_size(
    scores: pd.DataFrame,
    column: str,
    label: str,
    published: pd.DataFrame | None,
    beside: tuple[str, pd.DataFrame] | None = None,
) -> Figure:
    """F0.5 against a size on a logarithmic axis (base 2), one line a method; a baseline is a band over all sizes.

    Args:
        scores: tidy scores.
        column: the size, such as ``pseudo_pairs`` or ``upsample``.
        label: how the axis prints it.
        published: a paper's scores in percent: hollow points in a panel of their own, since its sizes are others.
        beside: what other systems of these sizes are called, and their tidy scores: pale lines.
    """
    import matplotlib.pyplot as plt

    panels = 1 if published is None else 2
    figure, (drawn,) = plt.subplots(1, panels, figsize=(8.5 + 1.5 * (panels - 1), 3.8), sharey=True, squeeze=False)
    systems, baseline = scores[scores.method != "none"], scores[scores.method == "none"].f05
    for method, colour in colours_of(systems.method).items():
        part = systems[systems.method == method]
        _f05_line(drawn[0], part.f05, part[column], method, colour)
        if beside is not None:
            other, theirs = beside[0], beside[1][beside[1].method == method].groupby(column).f05.mean() * 100
            name = f"{METHOD_NAMES.get(method, method)}, {other}"
            drawn[0].plot(theirs.index, theirs, marker="o", markersize=4, color=colour, alpha=0.4, label=name)
    if len(baseline):
        _baseline(drawn[0], baseline)
    _size_axis(drawn[0], systems[column], label)
    drawn[0].set_ylabel("F0.5 (percent)")
    if published is None:
        legend(drawn[0])
    else:
        _published_sizes(drawn[1], published, column)
        _size_axis(drawn[1], published[published.method != "none"][column], label)
        drawn[0].set_title("this study")
        drawn[1].set_title("paper")
        handles, names = (
            first + second for first, second in zip(*(axes.get_legend_handles_labels() for axes in drawn), strict=True)
        )
        legend(drawn[1], shown=dict(zip(names, handles, strict=True)))
    return figure


def _baseline(axes: Axes, f05: pd.Series) -> None:
    """The baseline's mean as a line, and one standard deviation over its seeds, if it has several, as a band."""
    mean, spread = f05.mean() * 100, f05.std() * 100
    axes.axhline(mean, **BASELINE)
    if spread == spread:
        axes.axhspan(mean - spread, mean + spread, color=METHOD_COLOURS["none"], alpha=0.08, linewidth=0)


def _published_sizes(axes: Axes, published: pd.DataFrame, column: str) -> None:
    """A paper's F0.5 against a size, and its baseline."""
    systems, baseline = published[published.method != "none"], published[published.method == "none"].f05
    for method, colour in colours_of(systems.method).items():
        part = systems[systems.method == method].sort_values(column)
        look = {**PAPER, "linestyle": ":", "linewidth": 1.2, "color": colour}
        axes.plot(part[column], part.f05, **look, label=METHOD_NAMES.get(method, method) + PAPER_SUFFIX)
    if len(baseline):
        axes.axhline(baseline.mean(), **PAPER_BASELINE)


def _size_axis(axes: Axes, sizes: pd.Series, label: str) -> None:
    """A horizontal axis of sizes, each doubling as long as the one before."""
    places = sorted(sizes.unique())
    axes.set_xscale("log", base=2)
    axes.set_xticks(places, [f"{place:,.0f}" if place < 1e6 else f"{place / 1e6:,.3g} M" for place in places])
    axes.minorticks_off()
    axes.set_xlabel(label)


def _f05_line(axes: Axes, f05: pd.Series, positions: pd.Series, method: str, colour: str) -> None:
    """Mean F0.5 in percent at each position, with error bars of one standard deviation over seeds."""
    points = (f05 * 100).groupby(positions)
    means, name = points.mean(), METHOD_NAMES.get(method, method)
    axes.errorbar(means.index, means, yerr=_known(points.std()), marker="o", capsize=4, color=colour, label=name)


def _known(spread: pd.Series) -> pd.Series | None:
    """A spread, unless no point has one: then the legend has no error bar either."""
    return spread if spread.notna().any() else None
