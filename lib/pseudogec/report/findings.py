"""Sentences about results, written from the scores so that no number in the prose is typed by
hand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
from pandas.api.typing import DataFrameGroupBy

from pseudogec.artefacts import UserError
from pseudogec.evaluate import CUT_OTHERWISE, Estimate, main_type
from pseudogec.report.display import NOT_LISTED, Finding, Nothing
from pseudogec.report.methods import method_label

UNKNOWN_TRUTH = Nothing(
    "*The true types of real text are not known; run this with a profile of simulated learners.*"
)


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
        UserError: systems of one value and seed differ in another parameter, over which a mean has
            no meaning.
    """
    if scores.duplicated([parameter, "seed"]).any():
        raise UserError(
            f"the sweep has several systems for one {parameter}: "
            f"{', '.join(scores.system.unique()[:3])}, ...; let it vary "
            "one parameter"
        )
    return scores.groupby(parameter)


FLAT = 0.01
"""A loss is called flat if the last quarter of a training's updates changes it by less than this
share.
"""


def at_the_end(curves: pd.DataFrame, names: Mapping[str, str]) -> Finding:
    """Whether validation loss still fell at the end of each training.

    Args:
        curves: result of :func:`pseudogec.report.trainings.learning_curves`.
        names: system -> what it is called.
    """
    if curves.empty:
        return NOT_LISTED
    falls: dict[str, float] = {}
    for system, part in curves.groupby("system", sort=False):
        stages_before, last = (
            part[part.stage < part.stage.max()],
            part[part.stage == part.stage.max()],
        )
        start = stages_before["update"].max() if len(stages_before) else 0
        of_seeds = [
            _fall_in_last_quarter(losses.set_index("update").loss, start)
            for _, losses in last.groupby("seed")
        ]
        if known := [fall for fall in of_seeds if fall is not None]:
            falls[str(system)] = sum(known) / len(known)
    parts = []
    for said in ("still falling at its end", "flat", "rising again"):
        listed = [
            f"{names[system]} ({-100 * fall:+.1f}%)"
            for system, fall in falls.items()
            if _at_the_end(fall) == said
        ]
        parts.append(f"{said}: {', '.join(listed) or 'none'}")
    rule = (
        "Flat: the last quarter of the last stage's updates, over which changes are given, "
        f"changes it by less than {FLAT:.0%}, "
        "along a line through the losses of that quarter."
    )
    return Finding(f"**Here**, validation loss is {'; '.join(parts)}. {rule}")


def _at_the_end(fall: float) -> str:
    return (
        "flat" if abs(fall) < FLAT else "still falling at its end" if fall > 0 else "rising again"
    )


def _fall_in_last_quarter(losses: pd.Series, start: int) -> float | None:
    """By which share losses, indexed by updates after ``start``, fall along the least-squares line
    through the last quarter.

    A single loss goes up and down by a percent from one checkpoint to the next, so two of them
    would not tell. ``None`` if the training was validated at its end alone.
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
    """Whether methods with error types near to the learners' are the better ones: Kendall's rank
    correlation, exact p-value.
    """
    from scipy.stats import kendalltau

    means = scores.groupby("method").f05.mean()
    methods = [method for method in distances if method in means]
    if len(methods) < 4:  # of three, no order is surprising
        return Finding("This profile has too few methods for a rank correlation.")
    if means[methods].nunique() == 1:
        return Finding("All methods have the same mean F0.5, so there is no rank correlation.")
    tau = kendalltau([distances[method] for method in methods], means[methods])
    return Finding(
        f"Kendall's rank correlation of distance and mean F0.5 over {len(methods)} methods: "
        f"**{tau.statistic:+.2f}** "
        f"(exact *p* = {tau.pvalue:.3f}; negative: the nearer, the better)."
    )


def rank_agreement(ours: Mapping[str, float], theirs: Mapping[str, float], name: str) -> Finding:
    """Whether methods have the same order in two runs: Kendall's rank correlation with its exact
    p-value.

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
        return Finding(
            "All methods have the same mean F0.5 in one of the two runs, so there is no "
            "rank correlation."
        )
    tau = kendalltau([ours[method] for method in both], [theirs[method] for method in both])
    orders = [
        " > ".join(method_label(each) for each in sorted(both, key=lambda m: -run[m]))
        for run in (ours, theirs)
    ]
    least = 2 / math.factorial(len(both))
    return Finding(
        f"**Does `{name}` predict this ranking?** Kendall's rank correlation of mean F0.5 over "
        f"{len(both)} systems, the baseline "
        f"among them: **{tau.statistic:+.2f}** (exact *p* = {tau.pvalue:.3f}; the least that "
        f"{len(both)} can have is "
        f"{least:.3f}). Here {orders[0]}; in `{name}` {orders[1]}."
    )


def points_per_doubling(f05: pd.Series) -> float:
    """The slope of the least-squares line through scores against the base-2 logarithm of their
    sizes, which are the index.
    """
    import numpy as np

    return float(np.polyfit(np.log2(f05.index.to_numpy(float)), f05.to_numpy(), 1)[0])


# Error types and levels


def agreement(pairs: pd.DataFrame) -> Finding:
    """How often an annotator names the true type; see :func:`pseudogec.evaluate.type_agreement`."""
    if pairs.empty:
        return UNKNOWN_TRUTH
    main = pairs.map(main_type)
    same, located = main.true_type == main.found_type, pairs.found_type != CUT_OTHERWISE
    whole = (pairs.true_type == pairs.found_type).mean()
    return Finding(
        f"Of {len(pairs):,} true edits the annotator finds {located.mean():.1%} as one edit of the "
        "same span and correction, and "
        f"names the true type of **{same.mean():.1%}** (with the operation, missing, "
        f"replacement or unnecessary: {whole:.1%}{', the same' if whole == same.mean() else ''}). "
        f"Of those that it finds, {same[located].mean():.1%} have their true type."
    )
