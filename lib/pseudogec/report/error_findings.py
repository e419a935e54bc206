"""Sentences about error types and levels, written from the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pseudogec.evaluate import CUT_OTHERWISE, main_type
from pseudogec.report.findings import Finding

if TYPE_CHECKING:
    import pandas as pd


def gains_by(
    scores: pd.DataFrame, category: str, order: Sequence[str], systems: Mapping[str, str], column: str = "method"
) -> Finding:
    """In which categories one system is better than another, seed by seed.

    Args:
        scores: tidy scores, split by ``category``.
        category: ``error_type`` or ``level``.
        order: the categories to speak of.
        systems: two values of ``column`` and what to call them; the first is compared with the second.
        column: what tells the systems apart.
    """
    (first, first_name), (second, second_name) = systems.items()
    by_seed = {name: scores[scores[column] == name].set_index([category, "seed"]).f05 * 100 for name in (first, second)}
    gaps = (by_seed[first] - by_seed[second]).dropna()
    # As printed: a gap that rounds to nothing is none, and has no sign.
    means = gaps.groupby(level=0).mean().reindex(list(order)).dropna().round(1).sort_values(ascending=False) + 0.0
    if means.empty:
        return Finding("")
    seeds = gaps.groupby(level=0).size()
    agreed = {name for name in means.index if seeds[name] > 1 and ((gaps[name] > 0).all() or (gaps[name] < 0).all())}
    listed = ", ".join(f"{name} {gap:+.1f}{'*' if name in agreed else ''}" for name, gap in means.items())
    note = " (*: all seeds agree in sign)" if agreed else ""
    what = "types" if category == "error_type" else "levels"
    verdict = f"better in {(means > 0).sum()} and worse in {(means < 0).sum()} of {len(means)} {what}"
    return Finding(f"**{first_name} against {second_name}**, F0.5 in points: {verdict}: {listed}{note}.")


def more_data_by_level(scores: pd.DataFrame) -> Finding:
    """For each level what all the pseudo data bring, and what the last step of their amount brings, seed by seed.

    Args:
        scores: tidy scores by level of one method in several sizes, and of the baseline.
    """
    sizes = sorted(scores.pseudo_pairs.unique())
    if len(sizes) < 2:
        return Finding("")
    lines = []
    for level, part in scores.groupby("level"):
        by_seed = part.pivot_table(index="seed", columns="pseudo_pairs", values="f05") * 100
        steps = [by_seed[sizes[-1]] - by_seed[size] for size in (sizes[0], sizes[-2])]
        whole, last = (f"{step.mean():+.1f}" + (f" ± {step.std():.1f}" if step.notna().sum() > 1 else "") for step in steps)
        lines.append(f"- **{level}**: {whole} from {sizes[0]:,} to {sizes[-1]:,} pairs; {last} from {sizes[-2]:,} pairs on.")
    return Finding("\n".join(lines))


def best_by(scores: pd.DataFrame, category: str, order: Sequence[str], column: str) -> Finding:
    """Which choice is best in each category, and how far ahead of the next.

    Args:
        scores: tidy scores, split by ``category``.
        category: ``error_type`` or ``level``.
        order: the categories to speak of.
        column: the choice, such as ``seed_corpus``.
    """
    means = scores[scores[column] != ""].groupby([category, column]).f05.mean() * 100
    lines = []
    for name in order:
        ranked = means[means.index.get_level_values(category) == name].droplevel(category).sort_values(ascending=False)
        if len(ranked) > 1:
            lead = f"{ranked.iloc[0] - ranked.iloc[1]:.1f}"
            lines.append(
                f"- **{name}**: {ranked.index[0]}, {lead} points ahead of {ranked.index[1]}."
                if float(lead)
                else f"- **{name}**: no single best."
            )
    return Finding("\n".join(lines))


UNKNOWN_TRUTH = Finding("*The true types of real text are not known; run this with a profile of the embedded world.*")


def agreement(pairs: pd.DataFrame) -> Finding:
    """How often an annotator names the true type.

    Args:
        pairs: result of :func:`pseudogec.evaluate.type_agreement`.
    """
    if pairs.empty:
        return UNKNOWN_TRUTH
    main = pairs.map(main_type)
    same, found = main.true_type == main.found_type, pairs.found_type != CUT_OTHERWISE
    whole = (pairs.true_type == pairs.found_type).mean()
    return Finding(
        f"Of {len(pairs):,} true edits the annotator finds {found.mean():.1%} as one edit of the same span and correction, and "
        f"names the true type of **{same.mean():.1%}** ({whole:.1%} with the operation). Of those that it finds, "
        f"{same[found].mean():.1%} have their true type."
    )
