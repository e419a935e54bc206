"""Figures of what the corpora hold (Choe et al. 2019, figures 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudogec.report.looks import LEVEL_COLOURS, colours_of, legend

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_MANY = 10
"""Sentences of one length from which their mean is worth drawing."""


def corpus_sizes(sentences: pd.DataFrame) -> Figure:
    """Sentences of each corpus, stacked by level.

    Args:
        sentences: result of :func:`pseudogec.study.edit_counts.sentence_counts`.
    """
    import matplotlib.pyplot as plt
    import pandas as pd

    counts = pd.crosstab(sentences.corpus, sentences.level).reindex(list(dict.fromkeys(sentences.corpus))[::-1])
    figure, axes = plt.subplots(figsize=(7.5, 0.9 + 0.5 * len(counts)))
    left = pd.Series(0, index=counts.index)
    for level, colour in colours_of(counts.columns, LEVEL_COLOURS).items():
        axes.barh(counts.index, counts[level], left=left, color=colour, label=level, linewidth=0)
        left = left + counts[level]
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set(xlabel="sentences", ylabel="")
    axes.grid(visible=False, axis="y")
    axes.set_axisbelow(True)
    legend(axes, title="level")
    return figure


def length_against_edits(sentences: pd.DataFrame, longest: int, most: int) -> Figure:
    """How many edits sentences of each length have: one panel a corpus, dark where sentences are many, the mean as a line.

    A dotted line goes through zero with the slope of all edits over all tokens: the mean if edits were in proportion to length.

    Args:
        sentences: result of :func:`pseudogec.study.edit_counts.sentence_counts`.
        longest: tokens at which the horizontal axis ends.
        most: edits at which the vertical axis ends.
    """
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.colors import LogNorm

    names = list(dict.fromkeys(sentences.corpus))
    figure, panels = plt.subplots(1, len(names), figsize=(3.3 * len(names) + 1, 3.5), sharex=True, sharey=True, squeeze=False)
    edges = [np.arange(0.5, longest + 1), np.arange(-0.5, most + 1)]
    tables = {
        name: np.histogram2d(part.tokens, part.edits, bins=edges)[0] for name, part in sentences.groupby("corpus", sort=False)
    }
    scale = LogNorm(1, max(2, max(table.max() for table in tables.values())))
    for axes, name in zip(panels[0], names, strict=True):
        part = sentences[sentences.corpus == name]
        drawn = axes.pcolormesh(*edges, np.ma.masked_equal(tables[name], 0).T, norm=scale, cmap="Blues")
        means = part.groupby("tokens").edits.agg(["mean", "size"])
        means = means[means["size"] >= min(_MANY, means["size"].max())]
        axes.plot(means.index, means["mean"], color="#D55E00", linewidth=1.8, label="mean")
        rate = part.edits.sum() / part.tokens.sum()
        axes.plot([0, longest], [0, rate * longest], color="#000000", linewidth=1.2, linestyle=":", label="in proportion")
        axes.grid(visible=False)
        axes.set_title(f"{name} ({len(part):,} sentences)", fontsize=10)
        axes.set(xlabel="tokens", xlim=(0, longest + 0.5), ylim=(-0.5, most + 0.5))
    panels[0][0].set_ylabel("edits")
    panels[0][0].legend(frameon=False, fontsize=9, loc="upper left")
    panels[0][0].yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(drawn, ax=panels[0], label="sentences")
    return figure
