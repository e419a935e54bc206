"""One tidy table of scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from pseudogec.evaluate import GleuScore, Score
from pseudogec.study.system import Pipeline, System

if TYPE_CHECKING:
    import pandas as pd

By = Literal["level", "error_type", "level_and_error_type"]

MEASURES = ("tp", "fp", "fn", "precision", "recall", "f05")

CHOICES = ("system", "method", "seed_corpus", "setting", "pseudo_pairs", "upsample", "architecture", "track")
"""The columns that say what was chosen for a system; the parameters of its method follow, each a column of numbers."""

COLUMNS = ("seed", "dataset", "level", "error_type", "scorer", "signature", *MEASURES, "gleu")
"""The columns after those."""


def tidy(rows: Iterable[tuple[System | Pipeline, str, Score | GleuScore, Sequence[str]]], by: By | None = None) -> pd.DataFrame:
    """One row for each system, seed and dataset, or for each level and error type of them.

    Args:
        rows: system, dataset name, score, and the proficiency level of each sentence.
        by: split the counts; ``level`` and ``error_type`` are ``all`` where they are not split.

    Returns:
        A data frame with the columns ``CHOICES``, a column for each number among the parameters of the systems' methods
        (missing where a method has no such parameter), and ``COLUMNS``. Precision, recall and F0.5, or GLEU, are fractions (0
        to 1).
    """
    import pandas as pd

    records = []
    parameters: dict[str, float] = {}
    for system, dataset, score, levels in rows:
        parameters |= system.parameters
        identity = {
            **system.parameters,
            **system.choices,
            "dataset": dataset,
            "scorer": score.scorer,
            "signature": score.signature,
        }
        for level, error_type, counts in parts(score, levels, by):
            records.append({**identity, "level": level, "error_type": error_type, **counts})
    table = pd.DataFrame.from_records(records, columns=[*CHOICES, *parameters, *COLUMNS])
    return table.astype(dict.fromkeys(parameters, float))


def parts(score: Score | GleuScore, levels: Sequence[str], by: By | None) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Level, error type (``all`` where it is not split) and measures of each part of a score.

    Args:
        score: of any number of sentences.
        levels: the proficiency level of each sentence.
        by: what it is split by; GLEU is not split.
    """
    if isinstance(score, GleuScore):
        yield "all", "all", {"gleu": score.gleu}
    elif by is None:
        tp, fp, fn = score.totals
        yield "all", "all", dict(zip(MEASURES, (tp, fp, fn, score.precision, score.recall, score.f05), strict=True))
    elif by == "level":
        for level, row in score.by_group(levels).iterrows():
            yield str(level), "all", dict(row)
    elif by == "error_type":
        for error_type, row in score.by_type("main").iterrows():
            yield "all", str(error_type), dict(row)
    else:
        for level in sorted(set(levels)):
            part = score.select([number for number, of in enumerate(levels) if of == level])
            for error_type, row in part.by_type("main").iterrows():
                yield level, str(error_type), dict(row)
