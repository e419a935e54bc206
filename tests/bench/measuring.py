"""What the benchmarks share: timing in turns, ratios beside their targets, and text to work on."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from artefacts.files import read_lines
from learner_world import learner_sentences, seed_sentences

Seconds = dict[str, list[float]]


class Ratio(NamedTuple):
    """A measured ratio and what it should be.

    Attributes:
        what: what is compared with what.
        value: the ratio.
        at_least: lower target.
        at_most: upper target.
        note: what else to know.
    """

    what: str
    value: float
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    def __str__(self) -> str:
        if self.at_least is not None:
            target, met = f"at least {self.at_least:g}", self.value >= self.at_least
        elif self.at_most is not None:
            target, met = f"at most {self.at_most:g}", self.value <= self.at_most
        else:
            return f"{self.what:60}{self.value:10.2f}   {self.note}"
        return f"{self.what:60}{self.value:10.2f}   {target:18}{'met' if met else 'MISSED'}   {self.note}"


def show_ratios(ratios: Iterable[Ratio]) -> None:
    """Print a line for each ratio."""
    print(f"\n{'ratio':60}{'measured':>10}   {'target':18}")
    for ratio in ratios:
        print(ratio)


def describe_machine() -> str:
    """Processor, cores that this process may use, Python, and how busy the machine is."""
    names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    name = names[0] if names else platform.machine()
    cores = len(os.sched_getaffinity(0))
    return f"{name}, {cores} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"


def in_turns(works: Mapping[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = time.perf_counter) -> Seconds:
    """Time each piece of work several times, in turns, so that what else the machine does falls on all alike."""
    seconds: Seconds = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            start = clock()
            work()
            seconds[name].append(clock() - start)
    return seconds


def median_ratio(seconds: Seconds, numerator: str, denominator: str) -> float:
    """The median of the ratios within each turn."""
    return statistics.median(one / other for one, other in zip(seconds[numerator], seconds[denominator], strict=True))


def seed_text(path: Path | None, sentences: int) -> list[list[str]]:
    """Grammatical sentences: the first of a tokenised file or, without one, newswire of the embedded world.

    The world writes 5,000 sentences a second, so a large text repeats its first 40,000.
    """
    if path is not None:
        return [line.split() for line in islice(read_lines(path), sentences)]
    distinct = list(seed_sentences("newswire", min(sentences, 40_000), seed=1))
    return [distinct[number % len(distinct)] for number in range(sentences)]


def genuine_text(sentences: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sources and targets of learners in the embedded world."""
    pairs = list(learner_sentences(sentences, "train", seed=1))
    return [list(pair.source) for pair in pairs], [list(pair.target) for pair in pairs]


def lines_of(sentences: Iterable[Sequence[str]]) -> Iterable[str]:
    """Tokens joined by spaces."""
    return (" ".join(tokens) for tokens in sentences)
