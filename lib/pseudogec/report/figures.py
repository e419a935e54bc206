"""All figures, and their common style.

Each method, proficiency level and seed corpus has one colour where a figure tells several apart.
Where one panel shows both, filled marks are this study's and hollow marks a paper's. Error bars are
95% intervals unless the caption says otherwise, small dots are single models, and a dashed line is
the baseline.

Each function gives a :class:`Picture`, or a :class:`Finding` that says why there is nothing to
draw; :meth:`pseudogec.report.Report.figure` saves and shows either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pseudogec.evaluate import CUT_OTHERWISE, Measure, TextStatistics, main_type, wi_statistics
from pseudogec.report.display import LEARNT_NOTHING, NO_SIMULATION, NOT_LISTED, Finding, Nothing
from pseudogec.report.findings import UNKNOWN_TRUTH, points_of_sweep, varies
from pseudogec.report.methods import BASELINE_COLOUR, METHOD_COLOURS, method_label, readable
from pseudogec.report.tables import THIS_STUDY, NoiseProfile, type_shares
from pseudogec.study.study import UNKNOWN_LEVEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Levels have an order, so their colours have one too: from dark to light, as in viridis. An unknown
# level is none of them.
LEVEL_COLOURS = {
    "A": "#440154",
    "B": "#3B528B",
    "C": "#21918C",
    "N": "#5EC962",
    UNKNOWN_LEVEL: "#B5A58A",
}

# Of Tol's muted palette; "" is the baseline, which has no seed corpus. Those of the classroom have
# the colours of the papers' corpora that they stand for.
CORPUS_COLOURS = {
    "": "#000000",
    "simple": "#44AA99",
    "encyclopedic": "#332288",
    "newswire": "#AA4499",
    "everyday": "#44AA99",
    "blogs": "#332288",
    "novels": "#AA4499",
}

# For names that have no colour of their own above: Tol's muted palette, in the order in which they
# come.
FURTHER_COLOURS = ("#332288", "#117733", "#44AA99", "#AA4499", "#661100", "#777777")

_DOTS: dict[str, Any] = {
    "s": 13,
    "color": "#333333",
    "edgecolors": "#ffffff",
    "linewidths": 0.6,
    "zorder": 3,
    "clip_on": False,
}
"""Style of single seeds: readable on bars of any colour, and not cut off at the axis."""

_BASELINE: dict[str, Any] = {
    "color": BASELINE_COLOUR,
    "linestyle": "--",
    "linewidth": 1.2,
    "label": "Baseline",
}

_BEST_IN = "best in "

# Colours belong to methods, so measures differ in shape and grey. The first is the look of a
# metric's headline, its last measure.
_MEASURE_LOOKS = (
    ("#000000", "o", "-"),
    ("#9a9a9a", "^", "--"),
    ("#6b6b6b", "s", ":"),
    ("#b8b8b8", "D", "-."),
)

_MANY = 10
"""Least number of sentences of one length for which their mean is drawn."""


@dataclass(frozen=True)
class Picture:
    """A figure with its caption and data.

    Attributes:
        data: the numbers drawn, for a CSV file beside the picture; empty for a diagram.
    """

    figure: Figure
    caption: str = ""
    data: pd.DataFrame = field(default_factory=pd.DataFrame)


def use_theme() -> None:
    from matplotlib import style

    style.use(Path(__file__).with_name("theme.mplstyle"))


def colours_of(names: Iterable[str], own: Mapping[str, str] = METHOD_COLOURS) -> dict[str, str]:
    """A colour for each name; names with one of their own come first, in its order, and no other
    name gets it.
    """
    names = list(dict.fromkeys(names))
    known = {name: colour for name, colour in own.items() if name in names}
    free = cycle(
        [colour for colour in FURTHER_COLOURS if colour not in known.values()] or FURTHER_COLOURS
    )
    return {**known, **{name: next(free) for name in names if name not in own}}


def _shades(count: int) -> list[str]:
    """Colours from dark to light, for the values of a number."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [to_hex(colour) for colour in colormaps["viridis"](np.linspace(0, 1, count + 2)[1:-1])]


# Scores of methods


def sweep(
    scores: pd.DataFrame,
    parameter: str,
    symbol: str,
    baseline: pd.DataFrame,
    published_best: Mapping[str, float],
) -> Picture | Finding:
    """F0.5 of one method against its parameter, with the baseline's mean; a note where the profile
    does not vary it.

    Args:
        symbol: how the axis prints the parameter.
        published_best: paper -> the value that it found best, marked on the axis (the curves were
            published as pictures only).

    Raises:
        UserError: the sweep varies a parameter that is not named.
    """
    if not varies(scores, parameter):
        return Nothing(f"This profile does not vary {symbol}.")
    points = points_of_sweep(scores, parameter)
    method = scores.method.iloc[0]
    figure, axes = _subplots(figsize=(8.5, 3.8))
    _f05_line(axes, scores.f05, scores[parameter], method, colours_of([method])[method])
    if len(baseline):
        _baseline(axes, baseline.f05)
    for (paper, value), marker in zip(published_best.items(), "Dsv^", strict=False):
        # On the frame, where no score can stand.
        look: dict[str, Any] = {
            "marker": marker,
            "markersize": 7,
            "markeredgewidth": 1.4,
            "markerfacecolor": "#ffffff",
        }
        look |= {"linestyle": "none", "color": "#444444", "clip_on": False, "zorder": 5}
        look["transform"] = axes.get_xaxis_transform()
        axes.plot([value], [1], label=_BEST_IN + paper, **look)
    best = points.f05.mean()
    axes.set(xlabel=symbol, ylabel="F0.5 (percent)", xticks=sorted(scores[parameter].unique()))
    axes.set_title(f"Highest mean at {symbol} = {best.idxmax():g}: {100 * best.max():.1f}")
    _legend(axes)
    caption = (
        f"Lines join the means of {_counted(points.seed.nunique().max())}, small dots are single "
        "models. Dashed: the baseline's "
        "mean. Marks on the upper edge are no scores: they show the best values in the papers."
    )
    return Picture(figure, caption, pd.concat([scores, baseline]))


def against_size(scores: pd.DataFrame, column: str, label: str) -> Picture | Finding:
    """F0.5 against a size on a logarithmic axis (base 2), one line a method, and the baseline's
    mean.

    Args:
        column: the size, such as ``pseudo_pairs`` or ``upsample``.
    """
    systems, baseline = scores[scores.method != "none"], scores[scores.method == "none"]
    if not varies(systems, column):
        return _one_value(systems, column)
    figure, axes = _subplots(figsize=(8.5, 3.8))
    for method, colour in colours_of(systems.method).items():
        part = systems[systems.method == method]
        _f05_line(axes, part.f05, part[column], method, colour)
    if len(baseline):
        _baseline(axes, baseline.f05)
    _size_axis(axes, systems[column], label)
    axes.set(ylabel="F0.5 (percent)", title=_from_least_to_most(systems, column))
    _legend(axes)
    return Picture(
        figure,
        "Lines join the means, small dots are single models. Dashed: the baseline's mean.",
        scores,
    )


def _from_least_to_most(systems: pd.DataFrame, column: str) -> str:
    """The means at both ends of an axis, such as ``Direct noise: 9.3 to 12.1``."""
    means = {
        method: part.groupby(column).f05.mean() * 100
        for method, part in systems.groupby("method", sort=False)
    }
    return "; ".join(
        f"{method_label(str(name))}: {mean.iloc[0]:.1f} to {mean.iloc[-1]:.1f}"
        for name, mean in means.items()
    )


def _one_value(systems: pd.DataFrame, column: str) -> Finding:
    """The text in place of a figure whose axis would have one place."""
    if systems.empty:
        return NOT_LISTED
    value = systems[column].iloc[0]
    shown = value if isinstance(value, str) else f"{value:,}"
    return Nothing(
        f"*All systems here have one `{column}`, {shown}, so a figure would show nothing.*"
    )


def _size_axis(axes: Axes, sizes: pd.Series, label: str) -> None:
    places = sorted(sizes.unique())
    axes.set_xscale("log", base=2)
    axes.set_xticks(
        places, [f"{place:,.0f}" if place < 1e6 else f"{place / 1e6:,.3g} M" for place in places]
    )
    axes.minorticks_off()
    axes.set_xlabel(label)


def gains(
    table: pd.DataFrame,
    column: str,
    label: str,
    title: str,
    opponent: str = "the baseline",
    lines: str = "method",
    panels: str = "study",
) -> Picture | Finding:
    """Gains in a panel for each study, on one scale: heights of different studies are not
    comparable, gains are.

    Args:
        table: ``study``, ``gain`` in points, ``low`` and ``high``, the ends of its interval where
            it is known, ``column`` and ``lines``; the gains are in F0.5, unless ``column`` is
            ``measure``.
        column: what the horizontal axis shows: a size, such as ``pseudo_pairs``, on a logarithmic
            scale, or names.
        label: of the horizontal axis.
        title: the finding.
        opponent: the system over which the gains are.
        lines: has points of one colour for each of its values, joined by a line where the axis
            shows sizes.
        panels: has a panel for each of its values, such as ``test`` where all gains are ours.
    """
    # A table shows a paper's numbers alone
    if table.empty or not (of_ours := table.study == THIS_STUDY).any():
        return NOT_LISTED
    if table[of_ours].at_the_floor.all():
        return LEARNT_NOTHING
    sizes = pd.api.types.is_numeric_dtype(table[column])
    if not sizes and not varies(table[of_ours], column):
        return _one_value(table[of_ours], column)
    palette, parts = colours_of(table[lines]), dict(list(table.groupby(panels, sort=False)))
    names = max(part[column].nunique() for part in parts.values())
    width = max(3.3, 1.1 * names) if sizes else max(2.9, names * max(1.35, 0.2 * len(palette)))
    figure, (drawn,) = _subplots(
        1, len(parts), figsize=(1 + width * len(parts), 3.8), sharey=True, squeeze=False
    )
    for axes, (panel, part) in zip(drawn, parts.items(), strict=True):
        order = list(dict.fromkeys(part[column]))
        for place, (name, colour) in enumerate(palette.items()):
            points = (
                part[part[lines] == name].sort_values(column)
                if sizes
                else part[part[lines] == name]
            )
            aside = 0.12 * (place - (len(palette) - 1) / 2)  # or error bars would cover each other
            if sizes:
                x = points[column] * (part[column].max() / part[column].min()) ** (aside / 6)
            else:
                x = pd.Series([order.index(value) + aside for value in points[column]], dtype=float)
            ours = "low" in points and points.low.notna().any()
            spread = [points.gain - points.low, points.high - points.gain] if ours else None
            look: dict[str, Any] = {
                "marker": "o" if ours else "D",
                "markerfacecolor": colour if ours else "none",
                "capsize": 3,
            }
            line = "-" if sizes else "none"
            axes.errorbar(
                x,
                points.gain,
                yerr=spread,
                color=colour,
                linestyle=line,
                label=method_label(str(name)),
                **look,
            )
        axes.axhline(0, **_BASELINE | {"label": opponent})
        axes.set_title(readable(str(panel)))
        if sizes:
            _size_axis(axes, part[column], label)
        else:
            axes.set_xticks(range(len(order)), [type_label(str(value)) for value in order])
            axes.set(xlabel=label, xlim=(-0.5, len(order) - 0.5))
    measure = "Each measure" if column == "measure" else "F0.5"
    drawn[0].set_ylabel("gain (points)" if column == "measure" else "gain in F0.5 (points)")
    figure.suptitle(fill(title, int(11 * figure.get_figwidth())), x=0, ha="left")
    _legend(drawn[-1], of=list(drawn))
    caption = f"{measure} minus that of {opponent}, in points, with 95% intervals."
    if not of_ours.all():
        caption = (
            f"{measure} minus that of {opponent}, each study's own, in points. Filled: ours, 95% "
            "intervals; hollow: as printed."
        )
    if "models" in table and table.models.eq(1).any():
        caption += (
            " Where ours is a single model, its interval does not allow for other seeds of it."
        )
    return Picture(figure, caption, table)


def gains_over_baseline(ours: pd.DataFrame, paper: pd.DataFrame) -> Picture | Finding:
    """What each method gains over the baseline, with 95% intervals, beside the gains that a paper
    prints.

    Args:
        ours: result of :meth:`pseudogec.report.Report.gains`.
        paper: result of :func:`pseudogec.report.papers.paper_gains`.
    """
    if ours.empty:
        return NOT_LISTED
    if ours.at_the_floor.all():
        return LEARNT_NOTHING
    ours = ours.assign(label=ours.method.map(method_label)).sort_values("gain")
    figure, axes = _subplots(figsize=(6.5, 1.6 + 0.36 * len(ours)))
    for row in ours.itertuples():
        colour = "#222222" if row.clear else "#a6a6a6"
        axes.plot([row.low, row.high], [row.label] * 2, color=colour, linewidth=2)
        axes.plot(row.gain, row.label, "o", color=colour, markersize=7)
    theirs = paper[paper.method.isin(ours.method)]
    if len(theirs):  # a study may have none of the paper's methods
        label = f"{theirs.study.iloc[0]}, as printed"
        axes.plot(
            theirs.gain,
            theirs.method.map(method_label),
            "D",
            color="#444444",
            markerfacecolor="none",
            label=label,
        )
    axes.axvline(0, **_BASELINE)
    axes.set_xlabel("gain in F0.5 over the baseline, in points")
    first = f"{ours.clear.sum() or 'None'} of {len(ours)} methods help by more than chance"
    best = ours.nlargest(1, "low")
    ranked = (ours.drop(best.index).high < best.low.item()).all()
    last = (
        (f"{best.label.item()} is ahead of all others")
        if ranked
        else "Which method is best is open"
    )
    figure.suptitle(f"{first}\n{last}", x=0, ha="left")
    axes.margins(y=0.15)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=2, frameon=False)
    caption = (
        "Dots: mean gain here, with 95% intervals over test sentences and seeds. Grey: may "
        "be chance, by Holm's test."
    )
    return Picture(figure, caption, pd.concat([ours, theirs], ignore_index=True))


def systems(scores: pd.DataFrame, measures: Sequence[Measure]) -> Figure:
    """A metric's measures of systems from top to bottom: lines through the means, seeds below.

    Args:
        measures: the metric's, at most four.
    """
    names = list(dict.fromkeys(scores.system))
    figure, axes = _subplots(figsize=(8.5, 1.2 + 0.46 * len(names)))
    places = scores.system.map(names.index)
    several = scores.system.duplicated(keep=False)
    looks = list(zip(measures[::-1], _MEASURE_LOOKS, strict=False))[::-1]
    for (measure, _, label, _), (colour, marker, line) in looks:
        values = scores[measure] * 100
        means = values.groupby(places).mean()
        look: dict[str, Any] = {
            "color": colour,
            "linestyle": line,
            "linewidth": 1.2,
            "marker": marker,
            "markersize": 7,
        }
        axes.plot(means, means.index, label=label, **look)
        axes.scatter(
            values[several], places[several] + 0.2, **{**_DOTS, "color": colour, "marker": marker}
        )
    axes.set_yticks(range(len(names)), names)
    best = scores.groupby("system")[measures[-1].name].mean()
    title = f"Highest {measures[-1].label}: {best.idxmax()}, {100 * best.max():.1f}"
    axes.set(xlabel="percent", ylabel="", ylim=(len(names) - 0.5, -0.5), title=title)
    _legend(axes)
    return figure


# Trainings


def learning_curves(curves: pd.DataFrame) -> Picture | Finding:
    """Validation loss of the last stage against passes over the genuine data: a panel for each
    method, and the baseline in each.

    Args:
        curves: result of :func:`pseudogec.report.trainings.learning_curves`, one seed a system.
    """
    if curves.empty:
        return NOT_LISTED
    shown = curves[curves.stage == curves.groupby("system").stage.transform("max")]
    names, methods = (
        names_of_curves(curves),
        [name for name in colours_of(curves.method) if name != "none"] or ["none"],
    )
    columns = min(3, len(methods))
    rows = -(-len(methods) // columns)
    size = (1.5 + 3.6 * columns, 0.6 + 3.2 * rows)
    figure, panels = _subplots(rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False)
    for axes, method in zip(panels.flat, methods, strict=False):
        drawn = list(dict.fromkeys(shown[shown.method.isin(["none", method])].system))
        for system, colour in zip(drawn, _shades(len(drawn)), strict=True):
            part = shown[shown.system == system]
            axes.plot(part.passes, part.loss, marker=".", color=colour, label=names[system])
        axes.set(
            title=method_label(method),
            xlabel="passes over the genuine data",
            ylabel="loss (bits per subword)",
        )
        axes.tick_params(labelbottom=True)
        axes.legend(frameon=False, fontsize=8)
    for axes in panels.flat[len(methods) :]:
        axes.set_axis_off()
    seeds = (
        f"Seed{'s' if curves.seed.nunique() > 1 else ''} "
        f"{', '.join(map(str, sorted(curves.seed.unique())))}"
    )
    return Picture(
        figure,
        f"{seeds}. Validation loss of the last stage. Trainings whose records "
        "are lost are not drawn.",
        curves,
    )


def names_of_curves(curves: pd.DataFrame) -> dict[str, str]:
    """The names of systems in learning curves: their methods and the architecture, unless it is the
    profile's first.

    Where these are equal, setting and amount of pseudo data are added.
    """
    systems = curves.drop_duplicates("system").set_index("system")
    names = systems.method.map(method_label) + (", " + systems.architecture).where(
        systems.architecture != "default", ""
    )
    if names.duplicated().any():
        more = ", " + systems.setting + ", " + systems.pseudo_pairs.map("{:,}".format)
        names += more.where(systems.method != "none", "")
    return {
        str(system): str(system) if names.duplicated().any() else name
        for system, name in names.items()
    }


# Error types and levels


def by_category(
    points: pd.DataFrame, categories: Mapping[str, str], title: str, label: str, caption: str
) -> Picture:
    """Dots with intervals for each error type or level, one colour a system (TASLP figures 5, 7, 9
    and 10).

    Args:
        points: ``category``, ``system``, ``name`` (as the legend prints the system) and, in percent
            or points, ``value``, ``low`` and ``high``; the same categories for all systems. A dot
            that is not ``clear`` is hollow, where this is told.
        categories: those that are shown, from top to bottom, and how the axis prints them.
        label: of the horizontal axis. A line stands at zero if it begins with ``gain``.
    """
    palette = system_colours(points.system)
    height = 1.4 + len(categories) * (0.14 + 0.12 * len(palette))
    figure, axes = _subplots(figsize=(7, height))
    for place, (system, colour) in enumerate(palette.items()):
        part = points[points.system == system].set_index("category").reindex(list(categories))
        aside = (place - (len(palette) - 1) / 2) * 0.7 / len(palette)
        spread = [(part.value - part.low).clip(lower=0), (part.high - part.value).clip(lower=0)]
        rows = np.arange(len(categories)) + aside
        axes.errorbar(
            part.value,
            rows,
            xerr=spread,
            fmt="o",
            color=colour,
            markersize=5,
            label=part.name.dropna().iloc[0],
        )
        if "clear" in part:
            hollow = ~part.clear.eq(True)
            axes.plot(
                part.value[hollow],
                rows[hollow],
                "o",
                color=colour,
                markerfacecolor="white",
                markersize=5,
                zorder=3,
            )
    if label.startswith("gain"):
        axes.axvline(0, **_BASELINE | {"label": None})
    axes.set_yticks(range(len(categories)), list(categories.values()))
    axes.set(xlabel=label, ylim=(len(categories) - 0.5, -0.5))
    axes.grid(visible=False, axis="y")
    figure.suptitle(fill(title, 80), x=0, ha="left")
    _legend(axes)
    return Picture(figure, caption, points)


def named_dots(
    points: pd.DataFrame,
    labels: tuple[str, str],
    caption: str,
    places: Mapping[str, Mapping[str, tuple[float, float]]],
    title: str = "",
    references: Mapping[str, float] | None = None,
) -> Picture:
    """Dots of systems, some with their names: a panel for each test set, a colour for each kind.

    Args:
        points: ``test``; ``kind``; ``name``; ``x``, perhaps with the ends of its interval, ``low``
            and ``high``; ``y``.
        labels: of both axes.
        places: test set -> name of a dot -> how far from the dot the middle of the name stands, in
            points; others are not named.
        references: where ``x`` is the number of edits and ``y`` their precision in percent: test
            set -> the number of the reference's edits, for grey lines of equal F0.5.
    """
    tests = list(dict.fromkeys(points.test))
    figure, (panels,) = _subplots(
        1, len(tests), figsize=(3.7 + 4.6 * len(tests), 4.8), squeeze=False, sharey=True
    )
    palette = colours_of(points.kind)
    for axes, test in zip(panels, tests, strict=True):
        for row in points[points.test == test].itertuples():
            ends = [[row.x - row.low], [row.high - row.x]] if "low" in points else None
            axes.errorbar(row.x, row.y, xerr=ends, fmt="o", color=palette[row.kind], label=row.kind)
            if place := places[test].get(row.name):
                look: dict[str, Any] = {
                    "textcoords": "offset points",
                    "ha": "center",
                    "va": "center",
                    "fontsize": 8,
                }
                line = (
                    {"arrowstyle": "-", "color": "#888888", "linewidth": 0.6}
                    if max(map(abs, place)) > 12
                    else None
                )
                axes.annotate(readable(row.name), (row.x, row.y), place, arrowprops=line, **look)
        axes.set(xlabel=labels[0], title=readable(test))
        axes.grid(visible=False)
    for axes, test in zip(panels, tests, strict=True):
        if references:
            _equal_f05(axes, references[test])
    panels[0].set_ylabel(labels[1])
    figure.suptitle(title, x=0, ha="left")
    _legend(panels[-1], of=list(panels))
    return Picture(figure, caption, points)


def _equal_f05(axes: Axes, references: float) -> None:
    """Lines on which F0.5 is 30, 40, 50 and 60, for edits against their precision in percent,
    within the limits of the dots.
    """
    (left, right), limits = axes.get_xlim(), axes.get_ylim()
    edits = np.linspace(max(left, 0.1), right, 200)
    for f05 in (30, 40, 50, 60):
        axes.plot(
            edits,
            f05 * (edits + references / 4) / (1.25 * edits),
            color="#cccccc",
            linewidth=1,
            zorder=1,
        )
    axes.set(xlim=(left, right), ylim=limits)


def system_colours(values: Iterable[Any]) -> dict[Any, str]:
    """Methods, seed corpora or amounts of pseudo data and their colours, in the order of
    legends.
    """
    return colours_of(values, {**METHOD_COLOURS, **CORPUS_COLOURS})


def type_label(error_type: str) -> str:
    """An error type, in two lines if it has two parts, so that the label need not be rotated."""
    return error_type.replace(":", ":\n")


def error_types_by_level(edits: pd.DataFrame, most: int = 10) -> Picture:
    """Share of each frequent error type in the edits of each proficiency level (TASLP figure 6),
    types side by side.
    """
    import seaborn as sns

    frequent = list(edits.error_type.value_counts().index[:most])
    levels = sorted(edits.level.unique())
    names = {level: f"{level} ({count:,})" for level, count in edits.level.value_counts().items()}
    shares = (
        edits.groupby("level").error_type.value_counts(normalize=True).rename("share").reset_index()
    )
    shares = shares[shares.error_type.isin(frequent)].assign(
        share=lambda table: table.share * 100, level=shares.level.map(names)
    )
    figure, axes = _subplots(figsize=(8.5, 3.8))
    palette = {names[level]: colour for level, colour in colours_of(levels, LEVEL_COLOURS).items()}
    looks: dict[str, Any] = {"palette": palette, "saturation": 1, "linewidth": 0}
    order = [names[level] for level in levels]
    sns.barplot(
        shares,
        x="error_type",
        y="share",
        hue="level",
        order=frequent,
        hue_order=order,
        ax=axes,
        **looks,
    )
    axes.set_xticks(range(len(frequent)), [type_label(name) for name in frequent], fontsize=9)
    axes.set(xlabel="", ylabel="percent of the level's edits")
    _legend(axes, title="level (edits)")
    caption = (
        f"Share of each level's edits; the {most} types that are most frequent over all levels. In "
        "brackets how many edits a "
        "level has: of a hundred edits a share of 10% is known to within about 6 points."
    )
    return Picture(
        figure,
        caption,
        edits.value_counts(["level", "error_type"], sort=False).reset_index(name="edits"),
    )


def likeness_of_types(simulated: Mapping[str, TextStatistics], most: int = 12) -> Picture | Finding:
    """Share of each error type in the simulated edits (bars) and in W&I's (black lines): a panel a
    level.
    """
    if not simulated:
        return NO_SIMULATION
    real = {level: wi_statistics()[level] for level in simulated}
    counts = Counter[str]()
    for each in real.values():
        counts.update(each.types)
    frequent = [name for name, _ in counts.most_common(most)]
    figure, panels = _subplots(
        1,
        len(simulated),
        figsize=(2.6 * len(simulated) + 1, 3.6),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    palette, rows = colours_of(simulated, LEVEL_COLOURS), []
    for axes, (level, statistics) in zip(panels[0], simulated.items(), strict=True):
        shares = {
            text: [100 * each.types.get(name, 0) / each.values["edits"] for name in frequent]
            for text, each in (("simulation", statistics), ("W&I", real[level]))
        }
        axes.barh(frequent, shares["simulation"], color=palette[level], linewidth=0)
        axes.plot(
            shares["W&I"], frequent, "|", color=BASELINE_COLOUR, markersize=11, markeredgewidth=2
        )
        axes.set_title(level, fontsize=10)
        axes.tick_params(labelsize=8)
        _bars(axes, "y")
        rows += [
            (level, text, *pair)
            for text, each in shares.items()
            for pair in zip(frequent, each, strict=True)
        ]
    panels[0][0].invert_yaxis()
    figure.supxlabel("percent of the level's edits (black lines: W&I)", fontsize=10)
    caption = (
        "Share of each level's edits in the simulation (bars) and in W&I (lines): the "
        f"{most} most frequent types of W&I."
    )
    return Picture(
        figure, caption, pd.DataFrame(rows, columns=["level", "text", "error_type", "percent"])
    )


def frequent_types_by_level(edits: pd.DataFrame, dataset: str, most: int = 10) -> Picture:
    """The ``most`` frequent error types of each level with their share of its edits (TASLP figure
    6): a panel a level.
    """
    levels = sorted(edits.level.unique())
    palette = colours_of(levels, LEVEL_COLOURS)
    figure, panels = _subplots(
        1, len(levels), figsize=(2.6 * len(levels) + 1, 3.6), sharex=True, squeeze=False
    )
    for axes, level in zip(panels[0], levels, strict=True):
        of_level = edits[edits.level == level].error_type
        shares = of_level.value_counts(normalize=True).head(most)[::-1] * 100
        axes.barh(shares.index, shares, color=palette[level], linewidth=0)
        axes.set_title(f"{level} ({len(of_level):,} edits)", fontsize=10)
        axes.tick_params(axis="y", labelsize=8)
        _bars(axes, "y")
    figure.supxlabel("percent of the level's edits", fontsize=10)
    caption = (
        f"{readable(dataset)}: share of each level's edits; the {most} types that are most "
        "frequent in that level."
    )
    return Picture(
        figure,
        caption,
        edits.value_counts(["level", "error_type"], sort=False).reset_index(name="edits"),
    )


def type_agreement(pairs: pd.DataFrame, annotator: str) -> Picture | Finding:
    """The types by an annotator, in percent of the edits of each true type; see
    :func:`pseudogec.evaluate.type_agreement`.
    """
    import seaborn as sns

    if pairs.empty:
        return UNKNOWN_TRUTH
    true, named = pairs.true_type.map(main_type), pairs.found_type.map(main_type)
    rows = list(true.value_counts().index)
    others = [name for name in named.value_counts().index if name not in {*rows, CUT_OTHERWISE}]
    columns = [*rows, *others, CUT_OTHERWISE]
    counts = pd.crosstab(true, named).reindex(index=rows, columns=columns, fill_value=0)
    shares = counts.div(counts.sum(axis=1), axis=0) * 100
    looks: dict[str, Any] = {
        "cmap": "Blues",
        "vmin": 0,
        "vmax": 100,
        "linewidths": 0.3,
        "linecolor": "#dddddd",
    }
    texts = shares.map(lambda share: f"{share:.0f}" if share >= 0.5 else "")
    bar = {"label": "percent of the true type's edits", "shrink": 0.7}
    figure, axes = _subplots(figsize=(3 + 0.38 * len(columns), 1.6 + 0.32 * len(rows)))
    sns.heatmap(
        shares, annot=texts, fmt="", annot_kws={"size": 8.5}, cbar_kws=bar, ax=axes, **looks
    )
    axes.set_yticklabels(
        [f"{name} ({total:,})" for name, total in counts.sum(axis=1).items()],
        rotation=0,
        fontsize=8,
    )
    axes.set_xticklabels(columns, rotation=90, fontsize=8)
    axes.set(xlabel="type that the annotator names", ylabel="true type (edits)")
    return Picture(
        figure,
        f"Annotator: {annotator}. Rows add up to 100.",
        pairs.value_counts(sort=False).reset_index(name="edits"),
    )


def noise_types(
    profiles: Mapping[str, NoiseProfile], genuine: NoiseProfile, most: int = 10
) -> Picture | Finding:
    """Share of the genuine data's most frequent error types in each method's pseudo data: a panel a
    method, learners as lines.
    """
    if not profiles:
        return NOT_LISTED
    others = "all others"
    shares = {
        name: type_shares(profile) for name, profile in {"genuine": genuine, **profiles}.items()
    }
    rows = [
        (name, error_type, share)
        for name, each in shares.items()
        for error_type, share in each.most_common()
    ]
    frequent = [error_type for error_type, _ in shares["genuine"].most_common(most)]
    for each in shares.values():
        each[others] = sum(
            share for error_type, share in each.items() if error_type not in frequent
        )
    frequent.append(others)
    learners = [shares["genuine"][error_type] for error_type in frequent]
    columns = min(4, len(profiles))
    lines = -(-len(profiles) // columns)
    size = (2.3 * columns + 1.2, 0.24 * len(frequent) * lines + 1.2)
    figure, panels = _subplots(
        lines, columns, figsize=size, sharex=True, sharey=True, squeeze=False
    )
    for axes, (method, colour) in zip(panels.flat, colours_of(profiles).items(), strict=False):
        axes.barh(
            frequent,
            [shares[method][error_type] for error_type in frequent],
            color=colour,
            linewidth=0,
        )
        axes.plot(
            learners,
            frequent,
            "|",
            color=BASELINE_COLOUR,
            markersize=11,
            markeredgewidth=2,
            label="learners",
        )
        axes.set_title(method_label(method), fontsize=10)
        axes.tick_params(labelsize=8)
        _bars(axes, "y")
    for axes in panels.flat[len(profiles) :]:
        axes.set_axis_off()
    for axes in panels.flat[max(0, len(profiles) - columns) : len(profiles)]:
        # The last panel of each column, whether or not the row below is full
        axes.tick_params(labelbottom=True)
    panels[0][0].invert_yaxis()
    figure.supxlabel("percent of edits (black lines: learners)", fontsize=10)
    types = "the ten types that are most frequent in the genuine data, and all others"
    caption = f"Share of the edits that would correct the data: {types}."
    return Picture(figure, caption, pd.DataFrame(rows, columns=["method", "error_type", "percent"]))


# Sizes of corpora, lengths and edits (Choe et al. 2019, figures 2 and 3)


def corpus_sizes(sentences: pd.DataFrame) -> Picture:
    """Sentences of each corpus, stacked by level."""
    counts = pd.crosstab(sentences.corpus, sentences.level).reindex(
        list(dict.fromkeys(sentences.corpus))[::-1]
    )
    figure, axes = _subplots(figsize=(7.5, 0.9 + 0.5 * len(counts)))
    left = pd.Series(0, index=counts.index)
    for level, colour in colours_of(counts.columns, LEVEL_COLOURS).items():
        axes.barh(
            counts.index.map(readable),
            counts[level],
            left=left,
            color=colour,
            label=level,
            linewidth=0,
        )
        left = left + counts[level]
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set(xlabel="sentences", ylabel="")
    _bars(axes, "y")
    _legend(axes, title="level")
    data = sentences.value_counts(["corpus", "level"], sort=False).reset_index(name="sentences")
    return Picture(figure, "Sentences of each corpus of pairs by the writer's level.", data)


def length_against_edits(sentences: pd.DataFrame, quantile: float = 0.999) -> Picture:
    """How many edits sentences of each length have: one panel a corpus, dark where sentences are
    many, the mean as a line.

    A dotted line goes through zero with the slope of all edits over all tokens: the mean if edits
    were in proportion to length. The axes end at a ``quantile`` of tokens and of edits.
    """
    from matplotlib.colors import LogNorm

    longest, most = (int(sentences[column].quantile(quantile)) for column in ("tokens", "edits"))
    names = list(dict.fromkeys(sentences.corpus))
    columns = min(3, len(names))
    lines = -(-len(names) // columns)
    size = (3.1 * columns + 1, 2.9 * lines + 0.5)
    figure, panels = _subplots(
        lines, columns, figsize=size, sharex=True, sharey=True, squeeze=False
    )
    edges = [np.arange(0.5, longest + 1), np.arange(-0.5, most + 1)]
    tables = {
        name: np.histogram2d(part.tokens, part.edits, bins=edges)[0]
        for name, part in sentences.groupby("corpus", sort=False)
    }
    scale = LogNorm(1, max(2, max(table.max() for table in tables.values())))
    for axes in panels.flat[len(names) :]:
        axes.set_axis_off()
    for axes, name in zip(panels.flat, names, strict=False):
        part = sentences[sentences.corpus == name]
        drawn = axes.pcolormesh(
            *edges, np.ma.masked_equal(tables[name], 0).T, norm=scale, cmap="Blues"
        )
        means = part.groupby("tokens").edits.agg(["mean", "size"])
        means = means[means["size"] >= min(_MANY, means["size"].max())]
        axes.plot(means.index, means["mean"], color="#D55E00", linewidth=1.8, label="mean")
        rate = part.edits.sum() / part.tokens.sum()
        axes.plot(
            [0, longest],
            [0, rate * longest],
            color="#000000",
            linewidth=1.2,
            linestyle=":",
            label="in proportion",
        )
        axes.grid(visible=False)
        axes.set_title(f"{readable(name)} ({len(part):,} sentences)", fontsize=10)
        axes.tick_params(labelbottom=True)
        axes.set(xlabel="tokens", ylabel="edits", xlim=(0, longest + 0.5), ylim=(-0.5, most + 0.5))
    panels[0][0].legend(frameon=False, fontsize=9, loc="upper left")
    panels[0][0].yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(drawn, ax=panels, label="sentences")
    data = sentences.value_counts(["corpus", "tokens", "edits"], sort=False).reset_index(
        name="sentences"
    )
    return Picture(
        figure,
        f"Axes end at the {100 * quantile:g}th percentile; the line is the mean of each length.",
        data,
    )


# Common parts of figures


def _subplots(rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    import matplotlib.pyplot as plt

    return plt.subplots(rows, columns, **options)


def _legend(
    axes: Axes, title: str = "", baseline_last: bool = True, of: Iterable[Axes] = ()
) -> None:
    """A legend beside the axes, where it hides nothing: the systems, then what the papers found
    best, then the baseline, which keeps its place among bars. It explains the labels of the axes in
    ``of``, by default of these alone.
    """
    drawn: dict[str, Any] = {}
    for panel in of or [axes]:
        handles, names = panel.get_legend_handles_labels()
        # The look in the first panel, which is this study's
        drawn = {**dict(zip(names, handles, strict=True)), **drawn}

    def place(label: str) -> tuple[bool, bool]:
        return baseline_last and "baseline" in label.lower(), label.startswith(_BEST_IN)

    labels = sorted(drawn, key=place)
    axes.legend(
        [drawn[label] for label in labels],
        labels,
        title=title,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1, 1),
    )


def _bars(axes: Axes, categories: Literal["x", "y"]) -> None:
    """Grid lines for bars: behind them, and none along the axis of categories."""
    axes.grid(visible=False, axis=categories)
    axes.set_axisbelow(True)


def _f05_line(axes: Axes, f05: pd.Series, positions: pd.Series, method: str, colour: str) -> None:
    """A line through the means, and a dot for each model."""
    percent = f05 * 100
    means = percent.groupby(positions).mean()
    axes.plot(means.index, means, marker="o", color=colour, label=method_label(method))
    axes.scatter(positions, percent, **{**_DOTS, "color": colour})


def _baseline(axes: Axes, f05: pd.Series) -> None:
    axes.axhline(f05.mean() * 100, **_BASELINE)


def _counted(seeds: int) -> str:
    return f"{seeds} seed{'s' if seeds > 1 else ''}"
