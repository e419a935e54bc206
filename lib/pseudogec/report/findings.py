"""Sentences about results, written from the scores so that no number in the prose is typed by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd
from pandas.api.typing import DataFrameGroupBy

from artefacts import UserError, with_ancestors
from artefacts.progress import format_duration
from pseudogec.evaluate import CUT_OTHERWISE, Estimate, main_type
from pseudogec.report.display import NOT_LISTED, Finding, Nothing
from pseudogec.report.methods import method_label
from pseudogec.report.papers import named_table, paper_error_types, paper_scores
from pseudogec.study import Pipeline, Study, System

UNKNOWN_TRUTH = Nothing("*The true types of real text are not known; run this with a profile of the embedded world.*")


def in_points(difference: float) -> str:
    """``+1.2``; a difference that rounds to nothing has no direction: ``+0.0``."""
    return f"{round(float(difference), 1) + 0.0:+.1f}"


def with_interval(difference: Estimate) -> str:
    """A difference of fractions in points, with its 95% interval: ``+2.1 [-0.4, +4.6]``."""
    low, high = difference.interval
    return f"{in_points(100 * difference.value)} [{in_points(100 * low)}, {in_points(100 * high)}]"


def varies(scores: pd.DataFrame, parameter: str) -> bool:
    return parameter in scores and bool(scores[parameter].nunique() > 1)


def points_of_sweep(scores: pd.DataFrame, parameter: str) -> DataFrameGroupBy:
    """The scores of each value of a sweep's parameter.

    Raises:
        UserError: systems of one value and seed differ in another parameter, over which a mean has no meaning.
    """
    if scores.duplicated([parameter, "seed"]).any():
        raise UserError(
            f"the sweep has several systems for one {parameter}: {', '.join(scores.system.unique()[:3])}, ...; let it vary "
            "one parameter"
        )
    return scores.groupby(parameter)


def best_of_sweep(scores: pd.DataFrame, parameter: str) -> Finding:
    """Which value of a parameter has the highest mean F0.5, and by how much it leads the next.

    Raises:
        UserError: the sweep varies another parameter, too.
    """
    if not varies(scores, parameter):
        return Nothing(f"This profile does not vary `{parameter}`.")
    points = points_of_sweep(scores, parameter)
    means = (points.f05.mean() * 100).sort_values(ascending=False)
    seeds = int(points.seed.nunique().min())
    best = f"{parameter} = {means.index[0]:g}"
    lead = means.iloc[0] - means.iloc[1]
    caution = " With one seed a value, a lead below the spread over seeds in the table above may be chance." if seeds == 1 else ""
    return Finding(f"The best value here is **{best}** (F0.5 {means.iloc[0]:.1f}, {lead:.1f} points above the next).{caution}")


def against_baseline(scores: pd.DataFrame, rows: Sequence[str] = ("method",)) -> Finding:
    """The kind of system, named by ``rows``, with the highest mean F0.5, and those above the baseline."""
    systems, baseline = scores[scores.method != "none"], scores[scores.method == "none"].f05
    if systems.empty or baseline.empty:
        return NOT_LISTED
    means = (systems.groupby(list(rows), sort=False).f05.mean() * 100).sort_values(ascending=False)
    zero = baseline.mean() * 100
    lead = in_points(means.iloc[0] - zero)
    names = [_named(rows, key if isinstance(key, tuple) else (key,)) for key in means.index]
    ahead = sum(means > zero)
    more = f"Means above it: {', '.join(names[:ahead])}" if ahead else "No mean is above it"
    rest = f"; below: {', '.join(names[ahead:])}" if names[ahead:] else ""
    return Finding(
        f"**Highest mean F0.5 here: {names[0]}**, {means.iloc[0]:.1f}, {lead} points against the baseline "
        f"({zero:.1f}). {more}{rest}, from the highest to the lowest."
    )


def _named(columns: Sequence[str], values: Sequence[Any]) -> str:
    """A kind of system in words, such as ``pretrain Noisy back-translation 24,000``."""
    named = zip(columns, values, strict=True)
    return " ".join(f"{value:,}" if column == "pseudo_pairs" else method_label(str(value)) for column, value in named)


FLAT = 0.01
"""A loss is called flat if the last quarter of a training's updates changes it by less than this share."""


def at_the_end(curves: pd.DataFrame, names: Mapping[str, str]) -> Finding:
    """Whether validation loss still fell at the end of each training.

    Args:
        curves: result of :func:`pseudogec.report.trainings.learning_curves`.
        names: system -> what it is called.
    """
    if curves.empty:
        return NOT_LISTED
    falls: dict[str, float] = {}
    for system, part in curves[curves.data == "validation"].groupby("system", sort=False):
        stages_before, last = part[part.stage < part.stage.max()], part[part.stage == part.stage.max()]
        start = stages_before["update"].max() if len(stages_before) else 0
        of_seeds = [_fall_in_last_quarter(losses.set_index("update").loss, start) for _, losses in last.groupby("seed")]
        if known := [fall for fall in of_seeds if fall is not None]:
            falls[str(system)] = sum(known) / len(known)
    parts = []
    for said in ("still falling at its end", "flat", "rising again"):
        listed = [f"{names[system]} ({-100 * fall:+.1f}%)" for system, fall in falls.items() if _at_the_end(fall) == said]
        parts.append(f"{said}: {', '.join(listed) or 'none'}")
    rule = (
        f"Flat: the last quarter of the last stage's updates, over which changes are given, changes it by less than {FLAT:.0%}, "
        "along a line through the losses of that quarter."
    )
    return Finding(f"**Here**, validation loss is {'; '.join(parts)}. {rule}")


def _at_the_end(fall: float) -> str:
    return "flat" if abs(fall) < FLAT else "still falling at its end" if fall > 0 else "rising again"


def _fall_in_last_quarter(losses: pd.Series, start: int) -> float | None:
    """By which share losses, indexed by updates after ``start``, fall along the least-squares line through the last quarter.

    A single loss goes up and down by a percent from one checkpoint to the next, so two of them would not tell. ``None`` if the
    training was validated at its end alone.
    """
    import numpy as np

    end = losses.index[-1]
    earlier = losses.index[losses.index <= end - (end - start) / 4]
    if earlier.empty:
        return None
    quarter = losses.loc[earlier[-1] :]
    slope, height = np.polyfit(quarter.index.to_numpy(float) - end, quarter.to_numpy(float), 1)
    return float(1 - height / (height + slope * (earlier[-1] - end)))


def nearness(distances: Mapping[str, float], scores: pd.DataFrame) -> Finding:
    """Whether methods with error types near to the learners' are the better ones: Kendall's rank correlation, exact p-value."""
    from scipy.stats import kendalltau

    means = scores.groupby("method").f05.mean()
    methods = [method for method in distances if method in means]
    if len(methods) < 4:  # of three, no order is surprising
        return Finding("This profile has too few methods for a rank correlation.")
    if means[methods].nunique() == 1:
        return Finding("All methods have the same mean F0.5, so there is no rank correlation.")
    found = kendalltau([distances[method] for method in methods], means[methods])
    return Finding(
        f"Kendall's rank correlation of distance and mean F0.5 over {len(methods)} methods: **{found.statistic:+.2f}** "
        f"(exact *p* = {found.pvalue:.3f}; negative: the nearer, the better)."
    )


def rank_agreement(ours: Mapping[str, float], theirs: Mapping[str, float], name: str) -> Finding:
    """Whether methods have the same order in two runs: Kendall's rank correlation with its exact p-value.

    Args:
        ours: method -> mean F0.5, the baseline included.
        theirs: the same of the other run; only methods of both count.
        name: of the other run.
    """
    from scipy.stats import kendalltau

    both = [method for method in ours if method in theirs]
    if len(both) < 3:
        return Finding(f"`{name}` has too few of these methods for a rank correlation.")
    if any(len({run[method] for method in both}) == 1 for run in (ours, theirs)):
        return Finding("All methods have the same mean F0.5 in one of the two runs, so there is no rank correlation.")
    found = kendalltau([ours[method] for method in both], [theirs[method] for method in both])
    orders = [" > ".join(method_label(each) for each in sorted(both, key=lambda m: -run[m])) for run in (ours, theirs)]
    least = 2 / math.factorial(len(both))
    return Finding(
        f"**Does `{name}` predict this ranking?** Kendall's rank correlation of mean F0.5 over {len(both)} systems, the baseline "
        f"among them: **{found.statistic:+.2f}** (exact *p* = {found.pvalue:.3f}; the least that {len(both)} can have is "
        f"{least:.3f}). Here {orders[0]}; in `{name}` {orders[1]}."
    )


def types_by_level(edits: pd.DataFrame, most: int = 10) -> Finding:
    """Which of the ``most`` frequent error types have a share that falls, or rises, at every step from one level to the next."""
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
    """Whether a choice, such as ``seed_corpus``, matters more than the seed, for each method.

    For each method the best value, the range of the means over the values, and the pooled standard deviation over seeds; and the
    range in a published table of the same choice.
    """
    lines = []
    theirs = None if paper is None else paper_scores(paper).groupby("method").f05
    for method, part in scores[scores.method != "none"].groupby("method", sort=False):
        groups = part.groupby(column).f05
        means, within = groups.mean() * 100, float((groups.var().mean()) ** 0.5 * 100)
        spread = f"; the seeds alone spread by {within:.1f} (standard deviation)" if within == within else ""
        name = method_label(str(method))
        told = f"best with {means.idxmax()} ({means.max():.1f}); the means range over {_range(means):.1f} points{spread}."
        if len(means) == 1:
            told = f"this run has {means.index[0]} alone ({means.iloc[0]:.1f}), so there is no range of means{spread}."
        if theirs is not None and method in theirs.groups:
            told += f" In the paper they range over {_range(theirs.get_group(method)):.1f}."
        lines.append(f"- **{name}**: {told}")
    return Finding("\n".join(lines))


def _range(values: pd.Series) -> float:
    return float(values.max() - values.min())


def points_per_doubling(f05: pd.Series) -> float:
    """The slope of the least-squares line through scores against the base-2 logarithm of their sizes, which are the index."""
    import numpy as np

    return float(np.polyfit(np.log2(f05.index.to_numpy(float)), f05.to_numpy(), 1)[0])


def per_doubling(scores: pd.DataFrame) -> Finding:
    """The gain of each doubling of the pseudo data: the slope of a line through mean F0.5 against the base-2 logarithm."""
    import numpy as np

    lines = []
    for method, part in scores[scores.method != "none"].groupby("method", sort=False):
        means = part.groupby("pseudo_pairs").f05.mean() * 100
        if len(means) > 1:
            name = method_label(str(method))
            steps = np.diff(means) / np.diff(np.log2(means.index.to_numpy(float)))
            shape = "the gain falls from step to step" if (np.diff(steps) < 0).all() else "the gain does not fall at every step"
            told = f" Step by step {', '.join(map(in_points, steps))} a doubling: {shape}." if len(steps) > 1 else ""
            slope = in_points(points_per_doubling(means))
            ends = f"from {means.iloc[0]:.1f} at {means.index[0]:,} to {means.iloc[-1]:.1f} at {means.index[-1]:,}"
            lines.append(f"- **{name}**: {slope} points a doubling, {ends}.{told}")
    return Finding("\n".join(lines))


def leads_by_stage(scores: pd.DataFrame, column: str, pair: Mapping[str, str], paper: str | None = None) -> Finding:
    """By how many points of F0.5 one choice leads another after each stage of training, and whether that shrinks.

    Args:
        scores: tidy scores, with the stage as ``system``, in order of training.
        column: the choice, such as ``method``.
        pair: the two values and what to call them; the lead is that of the first.
        paper: published table with the same stages and choices, such as ``choe2019:6``.
    """
    stages = list(dict.fromkeys(scores.system))
    ours = _leads(scores, column, pair, 100)
    shown = {stage: ours[stage] for stage in stages if stage in ours}
    if not shown:
        return NOT_LISTED
    first, second = pair.values()
    text = f"**Here**, F0.5 of {first} minus that of {second}, in points: {_listed(shown)}. {_course(list(shown.values()))}"
    if paper is not None:
        published = _leads(paper_scores(paper), column, pair, 1)
        theirs = {stage: published[stage] for stage in shown if stage in published}
        text += f" {named_table(paper)}: {_listed(theirs)}. {_course(list(theirs.values()))}"
    return Finding(text.strip())


def _leads(scores: pd.DataFrame, column: str, pair: Mapping[str, str], unit: int) -> dict[str, float]:
    wide = scores.pivot_table(index="system", columns=column, values="f05") * unit
    if not set(pair) <= set(wide.columns):
        return {}
    first, second = pair
    return {str(stage): float(lead) for stage, lead in (wide[first] - wide[second]).dropna().round(1).items()}


def _listed(leads: Mapping[str, float]) -> str:
    return ", ".join(f"{in_points(lead)} ({stage})" for stage, lead in leads.items())


def _course(leads: list[float]) -> str:
    """Whether a lead falls from stage to stage; empty where the second choice leads at any."""
    if len(leads) < 2 or min(leads) <= 0:
        return ""
    if all(later < earlier for earlier, later in pairwise(leads)):
        return "It falls with each stage."
    return "It does not fall with each stage."


# Error types and levels


def shares_by_level(edits: pd.DataFrame, error_type: str) -> Finding:
    """How frequent one type of errors, such as ``DET``, is among the edits of each level."""
    of_type = edits.error_type.eq(error_type).groupby(edits.level).agg(["sum", "size", "mean"])
    parts = [f"{level} {row['sum']:.0f} of {row['size']:,.0f} ({row['mean']:.0%})" for level, row in of_type.iterrows()]
    return Finding(f"**Here**, edits of type `{error_type}`: {', '.join(parts)}.")


def types_beside_paper(scores: pd.DataFrame, most: int = 3, least: int = 30) -> Finding:
    """The types with most of a system's right edits, and those whose recall is farthest below Choe et al. 2019, table 10.

    Only the recall of types with at least ``least`` edits is compared.
    """
    if scores.empty:
        return Finding("")
    right = scores.groupby("error_type").tp.sum().sort_values(ascending=False, kind="stable")
    head = ", ".join(f"`{name}`" for name in right.index[:most])
    enough = scores[scores.tp + scores.fn >= least]
    ours, theirs = enough.groupby("error_type").recall.mean() * 100, paper_error_types().set_index("error_type").recall
    short = (theirs - ours).dropna().sort_values(ascending=False).index[:most]
    gaps = ", ".join(f"`{name}` ({ours[name]:.0f} against {theirs[name]:.0f})" for name in short)
    share = right.iloc[:most].sum() / max(right.sum(), 1)
    text = f"**Here**, {share:.0%} of the right edits are {head}."
    if gaps:
        text += f" Of types with at least {least} edits, recall is farthest below the paper's for {gaps}."
    return Finding(text)


def agreement(pairs: pd.DataFrame) -> Finding:
    """How often an annotator names the true type; see :func:`pseudogec.evaluate.type_agreement`."""
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


# Computing time


def cost(study: Study, systems: Sequence[System | Pipeline]) -> Finding:
    """The time that it took to build these systems and all that they are made from, and how many records of it are lost."""
    every = with_ancestors([study.planner.score(system, study.test) for system in systems])
    seconds: dict[str, list[float]] = {}
    known = [recipe for recipe in every if study.store.can_read(recipe)]
    for recipe in known:
        seconds.setdefault(recipe.kind, []).append(study.store.result(recipe)["seconds"])
    if not seconds:
        return NOT_LISTED
    longest = sorted(seconds, key=lambda kind: -sum(seconds[kind]))[:3]
    parts = [f"{kind.replace('_', ' ')} ({len(seconds[kind])}) {format_duration(sum(seconds[kind]))}" for kind in longest]
    whole = format_duration(sum(map(sum, seconds.values())))
    lost = len(every) - len(known)
    told = f" The records of {lost:,} more are lost." if lost else ""
    return Finding(
        f"*Compute: {whole} of one worker's time for {len(known):,} artefacts, most of it for {', '.join(parts)}. They are "
        f"cached and not built again.{told}*"
    )
