"""The one visual language of all figures.

A method, a proficiency level and a seed corpus have a colour each, the same in every notebook. What is filled is this
study's, what is hollow is a paper's; error bars are one standard deviation over seeds, small dots are single seeds, a dashed
line is the baseline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, which people with any common colour blindness can tell apart, and two colours far from all of it.
METHOD_COLOURS = {
    "none": "#000000",
    "direct_noise": "#0072B2",
    "direct_noise_spell": "#56B4E9",
    "backtrans": "#E69F00",
    "backtrans_noisy": "#D55E00",
    "backtrans_noisy_sse": "#882255",
    "backtrans_sample": "#CC79A7",
    "realistic": "#009E73",
    "random": "#4B1FA8",
}

# Levels have an order, so their colours have one too: from dark to light, as in viridis.
LEVEL_COLOURS = {"A": "#440154", "B": "#3B528B", "C": "#21918C", "N": "#5EC962"}

# Of Tol's muted palette; "" is the baseline, which has no seed corpus.
CORPUS_COLOURS = {"": "#000000", "simple": "#44AA99", "encyclopedic": "#332288", "newswire": "#AA4499"}

# For names that have no colour of their own above: Tol's muted palette, in the order in which they come.
FURTHER_COLOURS = ("#332288", "#117733", "#44AA99", "#AA4499", "#661100", "#777777")


def colours_of(names: Iterable[str], own: Mapping[str, str] = METHOD_COLOURS) -> dict[str, str]:
    """A colour for each name, its own or one of the further ones; names with one of their own come first, in its order."""
    names = list(dict.fromkeys(names))
    others = [name for name in names if name not in own]
    further = {name: FURTHER_COLOURS[place % len(FURTHER_COLOURS)] for place, name in enumerate(others)}
    return {**{name: colour for name, colour in own.items() if name in names}, **further}


DOTS: dict[str, Any] = {"s": 13, "color": "#333333", "edgecolors": "#ffffff", "linewidths": 0.6, "zorder": 3, "clip_on": False}
"""How single seeds look: readable on bars of any colour, and whole where they stand on the axis."""

ERROR_BARS: dict[str, Any] = {"ecolor": "#7f7f7f", "elinewidth": 1.2, "capsize": 3}
"""How the spread over seeds looks on bars of any colour."""

PAPER: dict[str, Any] = {"marker": "D", "markerfacecolor": "none", "markersize": 7, "markeredgewidth": 1.4, "linestyle": "none"}
"""How a paper's values look: hollow."""

BASELINE: dict[str, Any] = {"color": METHOD_COLOURS["none"], "linestyle": "--", "linewidth": 1.2, "label": "Baseline"}

PAPER_SUFFIX = ", paper"
"""Ends the name of a paper's values in a legend."""

PAPER_BASELINE: dict[str, Any] = {**BASELINE, "linestyle": ":", "color": "#777777", "label": f"Baseline{PAPER_SUFFIX}"}

BEST_IN = "best in "
"""Begins the name of a value that a paper found best."""


def use_theme() -> None:
    """Set seaborn's theme for every figure."""
    import matplotlib as mpl
    import seaborn as sns

    sns.set_theme(context="notebook", style="whitegrid", font_scale=0.95)
    # Fixed metadata: the same data give the same bytes.
    mpl.rcParams.update(
        {"figure.dpi": 110, "savefig.dpi": 150, "svg.hashsalt": "pseudogec", "figure.constrained_layout.use": True}
    )


def legend(axes: Axes, title: str = "", baseline_last: bool = True, shown: Mapping[str, Any] | None = None) -> None:
    """A legend beside the axes, where it hides nothing: this study's, then the paper's, then the lines to compare with.

    Args:
        axes: what was drawn with labels.
        title: of the legend.
        baseline_last: whether the baseline is such a line; a bar among others keeps its place.
        shown: label -> what it explains, where other axes have a part in it; by default what these axes have.
    """
    handles, names = axes.get_legend_handles_labels()
    drawn = dict(zip(names, handles, strict=True)) if shown is None else shown

    def place(label: str) -> tuple[bool, bool]:
        return baseline_last and label.startswith("Baseline"), label.endswith(PAPER_SUFFIX) or label.startswith(BEST_IN)

    labels = sorted(drawn, key=place)
    axes.legend([drawn[label] for label in labels], labels, title=title, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))


def type_label(error_type: str) -> str:
    """An error type in two lines where it has two parts, so that it need not be turned: ``VERB:`` over ``TENSE``."""
    return error_type.replace(":", ":\n")
