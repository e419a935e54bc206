"""Figures, in one visual language: a method has one colour in every notebook, error bars show the spread over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pseudogec.report.tables import METHOD_NAMES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, which people with any common form of colour blindness can tell apart.
METHOD_COLOURS = {
    "none": "#000000",
    "direct_noise": "#0072B2",
    "direct_noise_spell": "#56B4E9",
    "backtrans": "#E69F00",
    "backtrans_noisy": "#D55E00",
    "backtrans_noisy_sse": "#882255",
    "backtrans_sample": "#CC79A7",
    "realistic": "#009E73",
    "random": "#999933",
}

LEVEL_COLOURS = {"A": "#0072B2", "B": "#56B4E9", "C": "#E69F00", "N": "#D55E00"}

# For methods and levels that have no colour of their own above: Tol's muted palette, in the order in which they come.
FURTHER_COLOURS = ("#332288", "#117733", "#44AA99", "#AA4499", "#661100", "#777777")


def colours_of(names: Iterable[str], own: Mapping[str, str] = METHOD_COLOURS) -> dict[str, str]:
    """A colour for each name, its own or one of the further ones; names with one of their own come first, in its order."""
    names = list(dict.fromkeys(names))
    others = [name for name in names if name not in own]
    further = {name: FURTHER_COLOURS[place % len(FURTHER_COLOURS)] for place, name in enumerate(others)}
    return {**{name: colour for name, colour in own.items() if name in names}, **further}


BESIDE: dict[str, Any] = {"frameon": False, "loc": "upper left", "bbox_to_anchor": (1, 1)}
"""Where a legend stands: beside the axes, where it hides nothing."""

DOTS: dict[str, Any] = {"size": 4, "edgecolor": "#333333", "linewidth": 0.8}
"""How single seeds look: readable on bars of any colour."""


def use_theme() -> None:
    """Set seaborn's theme for every figure."""
    import matplotlib as mpl
    import seaborn as sns

    sns.set_theme(context="notebook", style="whitegrid", font_scale=0.95)
    # Fixed metadata: the same data give the same bytes.
    mpl.rcParams.update(
        {"figure.dpi": 110, "savefig.dpi": 150, "svg.hashsalt": "pseudogec", "figure.constrained_layout.use": True}
    )


def bars_by_method(scores: pd.DataFrame) -> Figure:
    """Precision, recall and F0.5 of each method: mean over seeds, one point a seed, error bars of one standard deviation."""
    import matplotlib.pyplot as plt
    import seaborn as sns

    long = scores.melt(id_vars=["method", "seed"], value_vars=["precision", "recall", "f05"], var_name="measure")
    long = long.assign(
        value=long.value * 100, measure=long.measure.map({"precision": "Precision", "recall": "Recall", "f05": "F0.5"})
    )
    order = list(dict.fromkeys(scores.method))
    palette = colours_of(order)
    figure, axes = plt.subplots(figsize=(7.5, 3.8))
    shared = {"data": long, "x": "measure", "y": "value", "hue": "method", "hue_order": order, "ax": axes}
    sns.barplot(
        **shared, palette=palette, errorbar="sd", capsize=0.15, err_kws={"linewidth": 1.2, "color": "#333333"}, alpha=0.85
    )
    sns.stripplot(**shared, palette=dict.fromkeys(order, "#ffffff"), dodge=True, legend=False, jitter=False, **DOTS)
    axes.set(xlabel="", ylabel="percent", ylim=(0, None))
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles, [METHOD_NAMES.get(label, label) for label in labels], title="", **BESIDE)
    return figure


def error_types_by_level(edits: pd.DataFrame, most: int) -> Figure:
    """Share of each error type among the edits of each proficiency level (TASLP figure 6)."""
    import matplotlib.pyplot as plt
    import seaborn as sns

    frequent = list(edits.error_type.value_counts().index[:most])
    levels = sorted(edits.level.unique())
    shares = edits.groupby("level").error_type.value_counts(normalize=True).rename("share").reset_index()
    shares = shares[shares.error_type.isin(frequent)].assign(share=lambda table: table.share * 100)
    figure, axes = plt.subplots(figsize=(8, 3.8))
    palette = colours_of(levels, LEVEL_COLOURS)
    sns.barplot(shares, x="error_type", y="share", hue="level", order=frequent, hue_order=levels, palette=palette, ax=axes)
    axes.set(xlabel="", ylabel="percent of the level's edits")
    axes.tick_params(axis="x", rotation=30)
    axes.legend(title="level", frameon=False)
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
    figure, axes = plt.subplots(figsize=(8.2, 3.6))
    _f05_line(axes, scores.f05, values, method, colours_of([method])[method])
    mean, spread = baseline.f05.mean() * 100, baseline.f05.std() * 100
    axes.axhline(mean, color=METHOD_COLOURS["none"], linestyle="--", linewidth=1.2, label="Baseline")
    if spread == spread:
        axes.axhspan(mean - spread, mean + spread, color=METHOD_COLOURS["none"], alpha=0.08)
    _mark_published(axes, published_best)
    axes.set(xlabel=symbol, ylabel="F0.5 (percent)", xticks=sorted(values.unique()))
    axes.legend(**BESIDE)
    return figure


def systems(scores: pd.DataFrame) -> Figure:
    """Precision, recall and F0.5 of systems from top to bottom, one dot a seed, lines through the means."""
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(scores.system))
    figure, axes = plt.subplots(figsize=(8.5, 1.2 + 0.42 * len(names)))
    places = scores.system.map(names.index)
    looks = {"precision": ("#0072B2", "s"), "recall": ("#E69F00", "^"), "f05": ("#000000", "o")}
    for (measure, (colour, marker)), label in zip(looks.items(), ("Precision", "Recall", "F0.5"), strict=True):
        values = scores[measure] * 100
        means = values.groupby(places).mean()
        axes.plot(means, means.index, color=colour, linewidth=1.2, marker=marker, markersize=8, label=label)
        several = scores.system.duplicated(keep=False)
        dots: dict[str, Any] = {"s": 14, "facecolors": "white", "edgecolors": colour, "linewidths": 0.9, "zorder": 3}
        axes.scatter(values[several], places[several], **dots)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel="percent", ylabel="")
    axes.legend(**BESIDE)
    return figure


def f05_by(table: pd.DataFrame, column: str, order: list[str], baseline: float | None) -> Figure:
    """F0.5 by a category and method: filled points are ours with their spread, hollow ones the paper's.

    Args:
        table: result of :func:`pseudogec.report.tables.beside_paper`, or of ``summarise``.
        column: what the horizontal axis shows, such as ``seed_corpus``.
        order: its values from left to right.
        baseline: mean F0.5 of our baseline in percent, a dashed line.
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(3.5 + 1.6 * len(order), 3.8))
    methods = colours_of(method for method in table.method if method != "none")
    for place, (method, colour) in enumerate(methods.items()):
        name = METHOD_NAMES.get(method, method)
        rows = table[table.method == method].set_index(column).reindex(order)
        x = [number + (place - (len(methods) - 1) / 2) * 0.18 for number in range(len(order))]
        look: dict[str, Any] = {"color": colour, "linestyle": "none", "markersize": 7}
        axes.errorbar(x, rows.f05, yerr=rows.f05_sd.fillna(0), marker="o", capsize=4, label=name, **look)
        if "paper_f05" in rows and rows.paper_f05.notna().any():
            axes.plot(x, rows.paper_f05, marker="o", markerfacecolor="none", label=f"{name}, paper", **look)
    if baseline is not None:
        axes.axhline(baseline, color=METHOD_COLOURS["none"], linestyle="--", linewidth=1.2, label="Baseline")
    axes.set(ylabel="F0.5 (percent)", xlim=(-0.5, len(order) - 0.5))
    axes.set_xticks(range(len(order)), order)
    axes.legend(**BESIDE)
    return figure


def against_size(scores: pd.DataFrame, column: str, label: str, published: pd.DataFrame | None) -> Figure:
    """F0.5 against a size on a logarithmic axis (base 2), one line a method; a baseline is a dashed line over all sizes.

    Args:
        scores: tidy scores.
        column: the size, such as ``pseudo_pairs`` or ``upsample``.
        label: how the axis prints it.
        published: a published point or more to state in the title of the axis; the scales differ too much for one axis.
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8.5, 3.8))
    systems, baseline = scores[scores.method != "none"], scores[scores.method == "none"].f05
    for method, colour in colours_of(systems.method).items():
        _f05_line(axes, systems[systems.method == method].f05, systems[column], method, colour)
    if len(baseline):
        axes.axhline(baseline.mean() * 100, color=METHOD_COLOURS["none"], linestyle="--", linewidth=1.2, label="Baseline")
    axes.set_xscale("log", base=2)
    sizes = sorted(systems[column].unique())
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set(xlabel=label, ylabel="F0.5 (percent)")
    axes.legend(**BESIDE, title=_published_text(published), title_fontsize="small")
    return figure


def _f05_line(axes: Axes, f05: pd.Series, positions: pd.Series, method: str, colour: str) -> None:
    """Mean F0.5 in percent at each position, with error bars of one standard deviation over seeds."""
    points = (f05 * 100).groupby(positions)
    means, name = points.mean(), METHOD_NAMES.get(method, method)
    axes.errorbar(means.index, means, yerr=points.std().fillna(0), marker="o", capsize=4, color=colour, label=name)


def _published_text(published: pd.DataFrame | None) -> str | None:
    if published is None:
        return None
    best = published.nlargest(1, "f05").to_dict("records")[0]
    return f"paper: {best['f05']:.1f} at {int(best['pseudo_pairs']):,} ({METHOD_NAMES[best['method']]})"


def _mark_published(axes: Axes, published_best: Mapping[str, float]) -> None:
    for (paper, value), marker in zip(published_best.items(), "v^Ds", strict=False):
        transform = axes.get_xaxis_transform()
        axes.plot(
            [value],
            [0.03],
            marker=marker,
            markersize=9,
            markerfacecolor="none",
            color="#444444",
            linestyle="none",
            transform=transform,
            label=f"best in {paper}",
        )
