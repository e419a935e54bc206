"""One tidy table of scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from pseudogec.evaluate import Score
from pseudogec.study.planning import System

if TYPE_CHECKING:
    import pandas as pd

By = Literal["level", "error_type", "level_and_error_type"]

COLUMNS = (
    "system", "method", "seed_corpus", "setting", "pseudo_pairs", "upsample", "parameters", "seed", "dataset",
    "level", "error_type", "scorer", "signature", "tp", "fp", "fn", "precision", "recall", "f05",
)  # fmt: skip


def tidy(rows: Iterable[tuple[System, str, Score, list[str]]], by: By | None = None) -> pd.DataFrame:
    """One row for each system, seed and dataset, or for each level and error type of them.

    Args:
        rows: system, dataset name, score, and the proficiency level of each sentence.
        by: split the counts; ``level`` and ``error_type`` are ``all`` where they are not split.

    Returns:
        A data frame with the columns ``COLUMNS``. Precision, recall and F0.5 are fractions (0 to 1).
    """
    import pandas as pd

    records = []
    for system, dataset, score, levels in rows:
        identity = {
            "system": system.name,
            "method": system.method,
            "seed_corpus": system.seed_corpus or "",
            "setting": system.setting,
            "pseudo_pairs": system.pseudo_pairs,
            "upsample": system.upsample,
            "parameters": " ".join(f"{name}={value:g}" for name, value in system.parameters),
            "seed": system.seed,
            "dataset": dataset,
            "scorer": score.scorer,
            "signature": str(score.signature),
        }
        for level, error_type, part in _parts(score, levels, by):
            records.append(
                {**identity, "level": level, "error_type": error_type, "tp": part.tp, "fp": part.fp, "fn": part.fn,
                 "precision": part.precision, "recall": part.recall, "f05": part.f05}
            )  # fmt: skip
    return pd.DataFrame.from_records(records, columns=list(COLUMNS))


def _parts(score: Score, levels: list[str], by: By | None) -> Iterable[tuple[str, str, Score]]:
    if by is None:
        yield "all", "all", score
    elif by == "level":
        for level, part in score.by_group(levels).items():
            yield level, "all", part
    elif by == "error_type":
        for error_type, part in score.by_type("main").items():
            yield "all", error_type, part
    else:
        for level, part in score.by_group(levels).items():
            for error_type, finer in part.by_type("main").items():
                yield level, error_type, finer
