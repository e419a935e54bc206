"""How long systems are trained, from the records of their trainings: equal treatment is part of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pseudogec.report.tables import METHOD_NAMES
from pseudogec.study import Study, System

if TYPE_CHECKING:
    import pandas as pd


def training_lengths(study: Study, grid: Iterable[System]) -> pd.DataFrame:
    """One row for each kind of system (of several seeds the first): what its stages of training amounted to.

    Args:
        study: holds the models, which must have been built.
        grid: systems of one or several seeds.

    Returns:
        ``setting``; ``method``; ``pseudo pairs``; ``updates``, stage after stage; of the last stage its pairs, and how
        often it began to pass over them.
    """
    import pandas as pd

    rows = []
    first = min((system.seed for system in grid), default=0)
    for system in (each for each in grid if each.seed == first):
        stages = [study.planner.model(system)]
        while (before := stages[0].initial) is not None:
            stages.insert(0, before)
        facts = [study.result(stage) for stage in stages]
        rows.append(
            {
                "setting": system.setting,
                "method": METHOD_NAMES.get(system.method, system.method),
                "pseudo pairs": system.pseudo_pairs,
                "updates": " + ".join(f"{fact['updates']:,}" for fact in facts),
                "pairs of the last stage": facts[-1]["pairs"],
                "passes begun over them": facts[-1]["epochs"],
            }
        )
    return pd.DataFrame(rows)
