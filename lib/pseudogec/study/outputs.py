"""Systems' corrections of a test set, from models trained here or from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from artefacts.errors import DataError, UserError
from pseudogec.corpora import read_plain
from pseudogec.edits import AnnotatedSentence, load_annotator, read_m2, typed_otherwise
from pseudogec.evaluate import ERRANT, METRICS, Gold, Metric, MetricChoice, Score, score_interval
from pseudogec.study.grid import Pipeline, System
from pseudogec.study.overview import annotated_sentences
from pseudogec.study.results import CHOICES, By, score_columns, tidy_parts
from pseudogec.study.study import PROJECT, Study
from pseudogec.text import Tokens


def hypotheses(study: Study, system: System | Pipeline, test: str) -> list[Tokens]:
    """The corrected sentences, as tokens, of a system of a grid; they are made if they are missing."""
    return [line.split() for line in study.lines(study.planner.correction(system, test), "hypotheses.txt")]


@dataclass(frozen=True)
class ScoredOutputs:
    """Corrections from files, scored; ERRANT is among the metrics."""

    gold: Gold = field(default_factory=lambda: Gold.annotated([], ""))
    levels: Sequence[str] = ()  # of each sentence
    hypotheses: Mapping[str, Sequence[Tokens]] = field(default_factory=dict)  # by system
    by_metric: Mapping[Metric, Mapping[str, Score]] = field(default_factory=dict)  # by system

    @property
    def errant(self) -> Mapping[str, Score]:
        return self.by_metric.get(ERRANT, {})

    def scores(self, by: By | None = None) -> pd.DataFrame:
        """Tidy ERRANT scores.

        Returns:
            The columns of :func:`pseudogec.study.results.tidy`, those of training empty; and ``f05_low`` and ``f05_high``, the
            ends of the 95% confidence interval over sentences.
        """
        records = []
        for name, score in self.errant.items():
            for row, part in tidy_parts(self.gold.name, score, self.levels, by):
                low, high = score_interval(part.per_sentence(), ERRANT.headline.of)
                records.append({"system": name, **row, "f05_low": low, "f05_high": high})
        return pd.DataFrame.from_records(records).reindex(columns=[*CHOICES, *score_columns(), "f05_low", "f05_high"])


def score_outputs(
    study: Study,
    outputs: Mapping[str, str | Path],
    references: Mapping[str, str | Path],
    metrics: Sequence[MetricChoice] = ("errant", "maxmatch"),
) -> ScoredOutputs:
    """Score corrections from files; nothing is trained.

    Args:
        outputs: name of a system -> file of tokenised corrections, one sentence a line. Relative paths are relative to the
            project's root.
        references: level -> M2 file; the outputs' lines are those of all files in this order. By default the first test set.
        metrics: ERRANT is added if it is not among them.

    Raises:
        UserError: a file is missing or malformed, its number of lines is not that of the references, or there is no such metric.
    """
    if not outputs:
        return ScoredOutputs()
    gold, levels = _gold(study, references)
    found = {name: list(read_plain(PROJECT / path)) for name, path in outputs.items()}
    for name, tokens in found.items():
        if len(tokens) != len(gold.sources):
            known = f"{gold.name} has {len(gold.sources)} sentences"
            raise DataError(PROJECT / outputs[name], f"has {len(tokens)} lines and {known}; line for line they must correspond")
    annotator = load_annotator(study.profile.annotator)
    scores = {
        metric: {name: metric.score(gold, tokens, annotator, name=name) for name, tokens in found.items()}
        for metric in dict.fromkeys([*map(METRICS.make, metrics), ERRANT])
    }
    return ScoredOutputs(gold, levels, found, scores)


def _gold(study: Study, references: Mapping[str, str | Path]) -> tuple[Gold, list[str]]:
    """The references of outputs, and the sentences' levels."""
    if not references:
        test = study.planner.tests[study.test]
        return Gold.annotated(annotated_sentences(study, test), study.test), study.levels(test)
    sentences: list[AnnotatedSentence] = []
    levels: list[str] = []
    for level, path in references.items():
        found = list(read_m2(PROJECT / path))
        sentences += found
        levels += [level] * len(found)
    if not sentences:
        raise UserError(f"the references {', '.join(map(str, references.values()))} hold no sentences")
    if typed_otherwise(sentences):
        sentences = list(load_annotator(study.profile.annotator).typed(sentences))
    return Gold.annotated(sentences, " + ".join(Path(path).name for path in references.values())), levels
