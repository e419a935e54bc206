"""How often intervals hold the truth and tests find what is not there, for systems with several
seeds; beside two simpler ways.

    python tests/bench/bench_inference.py [--trials 1000]

Two systems with a true F0.5 near 30 on 1,000 sentences (`tests/helpers/simulated_scores.py`). For
each number of seeds, their standard deviation in points, and the correlation of errors over seeds:
how many comparisons of equal systems find a difference that is not there (it should be 5%); how
many intervals hold a true difference of 2 points (95%), how long they are, and how often this
difference is found. "Pooled" joins the sentences of all seeds, swaps them at random between the
systems (approximate randomisation), and asks that all seeds agree in sign; "pairs" is a t test over
the seeds' differences.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel

sys.path.insert(0, str(Path(__file__).parents[1]))
from helpers.simulated_scores import Trial
from pseudogec.evaluate import compare, f05_of

SWAPS = 400


def pooled_is_clear(first: np.ndarray, second: np.ndarray, random: np.random.Generator) -> bool:
    signs = np.sign(f05_of(first.sum(axis=1)) - f05_of(second.sum(axis=1)))
    if not (np.all(signs > 0) or np.all(signs < 0)):
        return False
    one, other = first.reshape(-1, 3), second.reshape(-1, 3)
    coins = random.random((SWAPS, len(one)), dtype=np.float32) < 0.5
    moved = coins.astype(np.float32) @ (other - one).astype(np.float32)
    swapped = f05_of(one.sum(axis=0) + moved) - f05_of(other.sum(axis=0) - moved)
    found = abs(f05_of(one.sum(axis=0)) - f05_of(other.sum(axis=0)))
    return bool((np.count_nonzero(np.abs(swapped) >= found) + 1) / (SWAPS + 1) < 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    print("seeds   sd  corr |  false  holds  width  power | pooled:  false | pairs:  false")
    for seeds in (2, 3, 5):
        for spread in (0.0, 0.5, 1.6):
            for correlation in (0.0, 0.25, 0.5):
                random = np.random.default_rng([seeds, int(10 * spread), int(100 * correlation)])
                equal, better = (Trial(seeds, spread, correlation, lead) for lead in (0.0, 2.0))
                false = pooled = pairs = holds = power = 0
                widths = []
                for _ in range(trials):
                    first, second = equal.draw(random)
                    false += compare(first, second, f05_of).p_value < 0.05
                    pooled += pooled_is_clear(first, second, random)
                    pairs += (
                        ttest_rel(f05_of(first.sum(axis=1)), f05_of(second.sum(axis=1))).pvalue
                        < 0.05
                    )
                    found = compare(*better.draw(random), f05_of)
                    low, high = found.interval
                    holds += low <= 0.02 <= high
                    power += low > 0
                    widths.append(100 * (high - low))
                shares = [
                    f"{100 * count / trials:5.1f}%"
                    for count in (false, holds, power, pooled, pairs)
                ]
                print(
                    f"{seeds:5} {spread:4} {correlation:5} | {shares[0]} {shares[1]} "
                    f"{np.median(widths):6.1f} {shares[2]} "
                    f"| {shares[3]:>14} | {shares[4]:>13}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
