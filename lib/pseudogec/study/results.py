"""Scores: the score of a correction, and the tidy table of many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import pandas as pd

from pseudogec.artefacts import Artefacts, Progress, Recipe
from pseudogec.corpora import read_plain
from pseudogec.correct import THRESHOLDS, proposed_edits
from pseudogec.edits import annotator_of, read_m2
from pseudogec.evaluate import METRICS, AnyMetric, Curve, Gold, Metric, Score, SharedEdits
from pseudogec.study.corpora import References
from pseudogec.study.corrections import Correction, read_corrected
from pseudogec.study.grid import Pipeline, System
from pseudogec.study.models import Subwords
from pseudogec.text import load_bpe

By = Literal["level", "error_type", "level_and_error_type"]

CHOICES = (
    "system",
    "method",
    "seed_corpus",
    "setting",
    "pseudo_pairs",
    "upsample",
    "architecture",
    "track",
)
"""The columns of a system's choices; the parameters of its method follow, each a column of
numbers.
"""


class ScoredCorrection(Recipe):
    """A correction scored by a metric: ``score.json``."""

    kind: ClassVar[str] = "score"
    version: ClassVar[int] = 2
    follows: ClassVar[str] = "correction"
    packages: ClassVar[tuple[str, ...]] = ("errant", "spacy")
    seconds_a_unit: ClassVar[float] = 0.003
    bytes_a_unit: ClassVar[float] = 100.0
    portable: ClassVar[tuple[str, ...]] = ("score.json",)
    correction: Correction
    references: References
    metric: AnyMetric
    annotator: str
    """Signature of the annotator that finds the correction's edits; empty for a metric that needs
    none.
    """

    @property
    def work(self) -> float:
        return self.correction.corpus.work

    @property
    def work_kind(self) -> str:
        return f"{self.kind} {self.metric.identity}"

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        gold = Gold.annotated(list(read_m2(store.folder(self.references) / "references.m2")))
        hypotheses = list(read_plain(store.folder(self.correction) / "hypotheses.txt"))
        annotator = annotator_of(self.annotator) if self.annotator else None
        score = self.metric.score(
            gold,
            hypotheses,
            annotator,
            progress=lambda done, total: progress(done, total, "sentences"),
        )
        (folder / "score.json").write_text(score.to_json(), encoding="utf-8")
        return score.figures

    def read(self, store: Artefacts) -> Score:
        """The score, which must have been built."""
        return Score.from_json((store.folder(self) / "score.json").read_text(encoding="utf-8"))


class EditShares(Recipe):
    """The edits of a correction's candidates by their shares, beside those of the reference.

    Files: ``curve.json``, the precision-recall curve; on test data ``score.json``, the score at the
    operating point, which is the threshold with the highest F0.5 on the development data.
    """

    kind: ClassVar[str] = "edit_shares"
    version: ClassVar[int] = 2
    follows: ClassVar[str] = "correction"
    packages: ClassVar[tuple[str, ...]] = ("errant", "spacy")
    seconds_a_unit: ClassVar[float] = 0.01
    bytes_a_unit: ClassVar[float] = 80.0
    portable: ClassVar[tuple[str, ...]] = ("curve.json", "score.json")
    correction: Correction
    references: References
    bpe: Subwords
    length_penalty: float
    annotator: str
    development: EditShares | None
    """The shares on the development data; none where these are they."""

    @property
    def work(self) -> float:
        return self.correction.corpus.work

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        before, bpe = (
            read_corrected(store.folder(self.correction)),
            load_bpe(store.folder(self.bpe)),
        )
        annotator = annotator_of(self.annotator)
        edits = proposed_edits(
            before,
            annotator,
            bpe,
            self.length_penalty,
            lambda done, total: progress(done, total, "sentences"),
        )
        shared = SharedEdits.of(
            list(read_m2(store.folder(self.references) / "references.m2")),
            edits,
            annotator.signature,
        )
        (folder / "curve.json").write_text(shared.curve.to_json(), encoding="utf-8")
        if self.development:
            threshold = self.development.read(store)[0].best_threshold(THRESHOLDS)
            (folder / "score.json").write_text(shared.at(threshold).to_json(), encoding="utf-8")
        return {
            "references": shared.curve.references,
            "highest_recall": shared.curve.highest_recall,
        }

    def read(self, store: Artefacts) -> tuple[Curve, Score | None]:
        """The curve and, on test data, the score at the operating point; they must have been
        built.
        """
        curve, score = store.folder(self) / "curve.json", store.folder(self) / "score.json"
        return (
            Curve.from_json(curve.read_text(encoding="utf-8")),
            Score.from_json(score.read_text(encoding="utf-8")) if self.development else None,
        )


def tidy(
    rows: Iterable[tuple[System | Pipeline, str, Score, Sequence[str]]], by: By | None = None
) -> pd.DataFrame:
    """One row for each system, seed, dataset and metric, or for each level and error type of them.

    Args:
        rows: system, dataset name, score, and the proficiency level of each sentence.
        by: ``level`` and ``error_type`` are ``all`` where they are not split.

    Returns:
        A data frame with the columns ``CHOICES``, a column for each number among the parameters of
        the systems' methods (missing where a method has no such parameter), and those of
        `score_columns`. Measures are fractions (0 to 1).
    """
    records, metrics = [], list[Metric]()
    parameters: dict[str, float] = {}
    for system, dataset, score, levels in rows:
        metrics.append(score.metric)
        parameters |= system.parameters
        identity = {**system.parameters, **system.choices}
        records += [{**identity, **record} for record in _parts(dataset, score, levels, by)]
    table = pd.DataFrame.from_records(
        records, columns=[*CHOICES, *parameters, *score_columns(metrics)]
    )
    # Also where there are no rows, so that other scores can be appended.
    measures = (
        measure.name for kind in (*METRICS, *map(type, metrics)) for measure in kind.measures
    )
    return table.astype(dict.fromkeys([*parameters, *measures], float))


def score_columns(metrics: Iterable[Metric] = ()) -> list[str]:
    """The tidy table's columns of scores, with the measures of all registered metrics and of
    these.
    """
    kinds = [*METRICS, *map(type, metrics)]
    counts = [count for kind in kinds for count in kind.counts]
    measures = [measure.name for kind in kinds for measure in kind.measures]
    return list(
        dict.fromkeys(
            ["seed", "dataset", "level", "error_type", "metric", "signature", *counts, *measures]
        )
    )


def _parts(
    dataset: str, score: Score, levels: Sequence[str], by: By | None
) -> Iterator[dict[str, Any]]:
    """The row of each part of a score, with the columns of `score_columns`; arguments as of `tidy`.

    Raises:
        UserError: the metric has no error types.
    """
    by_level = score.by_group(levels) if by in ("level", "level_and_error_type") else {"all": score}
    for level, of_level in by_level.items():
        by_type = (
            of_level.by_type()
            if by in ("error_type", "level_and_error_type")
            else {"all": of_level}
        )
        for error_type, part in by_type.items():
            place = {"dataset": dataset, "level": level, "error_type": error_type}
            yield {
                **place,
                "metric": score.metric.identity,
                "signature": score.caption,
                **part.figures,
            }
