"""What a gain is worth: in passes of training, in genuine pairs; with intervals by resampling seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pseudogec.evaluate.inference import LEVEL


class Interval(NamedTuple):
    """A value with both ends of its 95% interval, which are infinite where there is one seed."""

    value: float
    low: float
    high: float


def place_of(level: float, places: Sequence[float], scores: Sequence[float]) -> float:
    """The place at which scores first reach a level, along the straight lines between them; infinity if they do not."""
    if scores[0] >= level:
        return float(places[0])
    for place in range(1, len(places)):
        if scores[place] >= level:
            return float(np.interp(level, scores[place - 1 : place + 1], places[place - 1 : place + 1]))
    return np.inf


def size_of(level: float, sizes: Sequence[float], scores: Sequence[float]) -> float:
    """The size at which the curve *a* + *b* log(size), fitted by least squares, reaches a level; infinity if it does not rise."""
    logs, mean = np.log(sizes), np.mean(scores)
    aside = logs - logs.mean()
    slope = float(aside @ (np.asarray(scores) - mean) / (aside @ aside))
    return float(np.exp(min(logs.mean() + (level - mean) / slope, 700))) if slope > 0 else np.inf


def resampled(statistic: Callable[..., float], *samples: np.ndarray, draws: int = 2000) -> Interval:
    """A statistic of means over seeds, with the interval of the bootstrap over seeds (percentiles; Efron 1979).

    Args:
        statistic: of the means of the samples.
        samples: (seeds, ...), with the same seeds in the same order; all arms of a drawn seed are drawn together.
    """
    seeds = len(samples[0])
    value = statistic(*(sample.mean(axis=0) for sample in samples))
    if seeds == 1:
        return Interval(value, -np.inf, np.inf)
    drawn = np.random.default_rng(1).integers(seeds, size=(draws, seeds))
    found = [statistic(*(sample[chosen].mean(axis=0) for sample in samples)) for chosen in drawn]
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="inverted_cdf")  # means of infinities are none
    return Interval(value, float(low), float(high))
