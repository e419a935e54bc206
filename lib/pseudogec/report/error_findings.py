"""Sentences about error types and levels, written from the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pseudogec.evaluate import CUT_OTHERWISE, main_type
from pseudogec.report.findings import Finding, in_points

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
    # As printed: a gap that rounds to nothing is none.
    means = gaps.groupby(level=0).mean().reindex(list(order)).dropna().round(1).sort_values(ascending=False)
    if means.empty:
        return Finding("")
    seeds = gaps.groupby(level=0).size()
    agreed = {name for name in means.index if seeds[name] > 1 and ((gaps[name] > 0).all() or (gaps[name] < 0).all())}
    listed = ", ".join(f"{name} {in_points(gap)}{'*' if name in agreed else ''}" for name, gap in means.items())
    what = "types" if category == "error_type" else "levels"
    verdict = (
        f"better in {(means > 0).sum()}, worse in {(means < 0).sum()} and equal in {(means == 0).sum()} of {len(means)} {what}"
    )
    most = int(seeds.reindex(means.index).max())
    note = (
        f" (*: all seeds agree in sign. By chance alone {most} of {most} agree once in {2 ** (most - 1)} cases, so in about "
        f"{len(means) / 2 ** (most - 1):.1f} of these {what})"
        if agreed
        else ""
    )
    return Finding(f"**{first_name} against {second_name}**, F0.5 in points: {verdict}: {listed}{note}.")


def more_data_by_level(scores: pd.DataFrame) -> Finding:
    """For each level what all the pseudo data bring, and what the last step of their amount brings, seed by seed.

    Args:
        scores: tidy scores by level of one method in several sizes, and of the baseline.
    """
    sizes = sorted(scores.pseudo_pairs.unique())
    if len(sizes) < 2:
        return Finding("")
    lines, ends = [], {}
    for level, part in scores.groupby("level"):
        by_seed = part.pivot_table(index="seed", columns="pseudo_pairs", values="f05") * 100
        steps = [by_seed[sizes[-1]] - by_seed[size] for size in (sizes[0], sizes[-2])]
        whole, last = (in_points(step.mean()) + (f" ± {step.std():.1f}" if step.notna().sum() > 1 else "") for step in steps)
        lines.append(f"- **{level}**: {whole} from {sizes[0]:,} to {sizes[-1]:,} pairs; {last} from {sizes[-2]:,} pairs on.")
        ends[level] = round(float((by_seed[sizes[-1]] - by_seed[sizes[-2]]).mean()), 1)
    risen = [level for level, step in ends.items() if step > 0]
    seeds = scores.seed.nunique()
    caution = " With one seed nobody knows which of these steps another would repeat." if seeds == 1 else ""
    rises = f"still raises F0.5 at {', '.join(map(str, risen))}" if risen else "raises F0.5 at none"
    lines += ["", f"**Here**, the last step {rises}, of {len(ends)} levels.{caution}"]
    return Finding("\n".join(lines))


def best_by(scores: pd.DataFrame, category: str, order: Sequence[str], column: str) -> Finding:
    """Which choice is best in each category and how far ahead of the next; before that, where the baseline is better than all.

    Args:
        scores: tidy scores, split by ``category``; those of the baseline have no choice (an empty string).
        category: ``error_type`` or ``level``.
        order: the categories to speak of.
        column: the choice, such as ``seed_corpus``.
    """
    groups = scores.groupby([category, column]).f05
    means, spreads = groups.mean() * 100, groups.std() * 100
    lines, best, baseline_ahead = [], [], []
    for name in order:
        of_category = means[means.index.get_level_values(category) == name].droplevel(category)
        ranked = of_category.drop("", errors="ignore").sort_values(ascending=False)
        if len(ranked) < 2:
            continue
        best.append(ranked.index[0])
        if of_category.get("", float("-inf")) > ranked.iloc[0]:
            baseline_ahead.append(name)
        lead = ranked.iloc[0] - ranked.iloc[1]
        # Without a spread (one seed) the comparison is false.
        within = " (within the spread over seeds)" if lead <= max(spreads[name, choice] for choice in ranked.index[:2]) else ""
        lines.append(
            f"- **{name}**: {ranked.index[0]}, {lead:.1f} points ahead of {ranked.index[1]}{within}."
            if round(lead, 1)
            else f"- **{name}**: no single best."
        )
    return Finding("\n".join([*_baseline_first(baseline_ahead, best), *lines]))


def _baseline_first(ahead: Sequence[str], best: Sequence[str]) -> list[str]:
    """What a list of best choices does not say: in how many categories each is best, and where none helps."""
    if not best:
        return []
    counted = ", ".join(f"{name} in {best.count(name)}" for name in dict.fromkeys(best))
    where = f" ({', '.join(ahead)})" if ahead else ""
    return [
        f"**Here**, the highest mean of these is that of {counted} of {len(best)}. The baseline, without any pseudo data, is "
        f"above all of them in {len(ahead)} of {len(best)}{where}.",
        "",
    ]


def shares_by_level(edits: pd.DataFrame, error_type: str) -> Finding:
    """How frequent one type of errors is among the edits of each level.

    Args:
        edits: one row an edit, with ``level`` and ``error_type``.
        error_type: such as ``DET``.
    """
    of_type = edits.error_type.eq(error_type).groupby(edits.level).agg(["sum", "size", "mean"])
    parts = [f"{level} {row['sum']:.0f} of {row['size']:,.0f} ({row['mean']:.0%})" for level, row in of_type.iterrows()]
    return Finding(f"**Here**, edits of type `{error_type}`: {', '.join(parts)}.")


def types_beside_paper(scores: pd.DataFrame, published: pd.DataFrame, most: int = 3, least: int = 30) -> Finding:
    """Which types hold most of a system's right edits, and where its recall falls shortest of a paper's.

    Args:
        scores: tidy scores of one system, split by error type.
        published: ``error_type`` and ``recall`` in percent.
        most: how many types of each.
        least: edits that the recall of a type must rest on.
    """
    if scores.empty:
        return Finding("")
    right = scores.groupby("error_type").tp.sum().sort_values(ascending=False, kind="stable")
    head = ", ".join(f"`{name}`" for name in right.index[:most])
    enough = scores[scores.tp + scores.fn >= least]
    ours, theirs = enough.groupby("error_type").recall.mean() * 100, published.set_index("error_type").recall
    short = (theirs - ours).dropna().sort_values(ascending=False).index[:most]
    gaps = ", ".join(f"`{name}` ({ours[name]:.0f} against {theirs[name]:.0f})" for name in short)
    share = right.iloc[:most].sum() / max(right.sum(), 1)
    text = f"**Here**, {share:.0%} of the right edits are {head}."
    if gaps:
        text += f" Of types with at least {least} edits, recall is farthest below the paper's for {gaps}."
    return Finding(text)


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
        f"names the true type of **{same.mean():.1%}** (with the operation, missing, "
        f"replacement or unnecessary: {whole:.1%}{', the same' if whole == same.mean() else ''}). "
        f"Of those that it finds, {same[found].mean():.1%} have their true type."
    )
