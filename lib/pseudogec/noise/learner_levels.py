"""How often learners of each level make errors of each ERRANT type, as factors of the rates of
rules.

``learner_levels.csv`` is fitted to counts of Write & Improve (``tests/bench/fit_learners.py``), and
its column N, for natives, to figure 6 of Kiyono et al. (2020).
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Level = Literal["A", "B", "C", "N"]


@functools.cache
def factors_of(level: Level) -> Mapping[str, float]:
    with Path(__file__).with_name("learner_levels.csv").open(encoding="utf-8") as file:
        return {row["type"]: float(row[level]) for row in csv.DictReader(file)}
