"""What systems made of a test set, whether they were trained here or their corrections come from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from artefacts.cluster import cores_of_this_machine
from artefacts.errors import DataError, UserError
from pseudogec.corpora import read_plain
from pseudogec.edits import AnnotatedSentence, load_annotator, read_m2
from pseudogec.evaluate import ErrantScorer, MaxMatchScorer, Score, confidence_interval
from pseudogec.study.overview import annotated_sentences
from pseudogec.study.results import COLUMNS, By, parts
from pseudogec.study.study import PROJECT, Study
from pseudogec.study.system import Pipeline, System

if TYPE_CHECKING:
    import pandas as pd

Tokens = Sequence[str]

BOOTSTRAP_SAMPLES = 1000
"""Samples behind a confidence interval: its ends are then good to some tenths of a point."""


def hypotheses(study: Study, system: System | Pipeline, test: str) -> list[Tokens]:
    """The corrected sentences, as tokens, of a system of a grid; they are made if they are missing."""
    return [line.split() for line in study.lines(study.planner.correction(system, test), "hypotheses.txt")]


@dataclass(frozen=True)
class ScoredOutputs:
    """Corrections from files, scored.

    Attributes:
        dataset: what they were scored against.
        sentences: its sentences with the reference edits.
        levels: the level of each sentence; see :meth:`Study.levels_of`.
        hypotheses: name of a system -> its corrections, line for line.
        errant: name of a system -> its ERRANT score.
        maxmatch: the same by MaxMatch.
    """

    dataset: str = ""
    sentences: Sequence[AnnotatedSentence] = ()
    levels: Sequence[str] = ()
    hypotheses: Mapping[str, Sequence[Tokens]] = field(default_factory=dict)
    errant: Mapping[str, Score] = field(default_factory=dict)
    maxmatch: Mapping[str, Score] = field(default_factory=dict)

    def scores(self, by: By | None = None) -> pd.DataFrame:
        """Tidy ERRANT scores.

        Returns:
            The columns of :func:`pseudogec.study.results.tidy`, those of training empty; and ``f05_low`` and ``f05_high``, the
            ends of the 95% confidence interval by a bootstrap over sentences.
        """
        import pandas as pd

        records: list[dict[str, str | float]] = []
        for name, score in self.errant.items():
            identity = {"system": name, "dataset": self.dataset, "scorer": score.scorer, "signature": score.signature}
            for level, error_type, measures in parts(score, self.levels, by):
                low, high = confidence_interval(self._part(score, level, error_type), samples=BOOTSTRAP_SAMPLES)
                place = {**identity, "level": level, "error_type": error_type}
                records.append({**place, **measures, "f05_low": low, "f05_high": high})
        return pd.DataFrame.from_records(records).reindex(columns=[*COLUMNS, "f05_low", "f05_high"])

    def _part(self, score: Score, level: str, error_type: str) -> np.ndarray:
        """Counts by sentence, (sentences, 3), of one level and type; ``all`` stands for all."""
        chosen = score if error_type == "all" else score.of_type(error_type)
        places = [place for place, of in enumerate(self.levels) if level in ("all", of)]
        return chosen.select(places).per_sentence()


def score_outputs(study: Study, outputs: Mapping[str, str | Path], references: Mapping[str, str | Path]) -> ScoredOutputs:
    """Score corrections from files with ERRANT and MaxMatch; nothing is trained.

    Args:
        study: gives the annotator and, unless ``references`` are given, its first test set.
        outputs: name of a system -> file of tokenised corrections, one sentence a line. Relative paths are relative to the
            project's root.
        references: level -> M2 file; the outputs' lines are those of all files in this order.

    Returns:
        The scores; without outputs, none, and nothing is read.

    Raises:
        UserError: a file is missing or malformed, or its number of lines is not that of the references.
    """
    if not outputs:
        return ScoredOutputs()
    dataset, sentences, levels = _references(study, references)
    found = {name: list(read_plain(_located(path))) for name, path in outputs.items()}
    for name, tokens in found.items():
        if len(tokens) != len(sentences):
            problem = f"has {len(tokens)} lines and {dataset} has {len(sentences)} sentences; line for line they must correspond"
            raise DataError(_located(outputs[name]), problem)
    errant = ErrantScorer(sentences, load_annotator(study.profile.annotator), dataset)
    maxmatch = MaxMatchScorer(sentences, dataset)
    workers = cores_of_this_machine()
    return ScoredOutputs(
        dataset,
        sentences,
        levels,
        found,
        {name: errant.score(tokens, workers=workers, name=name) for name, tokens in found.items()},
        {name: maxmatch.score(tokens, name=name) for name, tokens in found.items()},
    )


def _references(study: Study, references: Mapping[str, str | Path]) -> tuple[str, list[AnnotatedSentence], list[str]]:
    """Name, annotated sentences and levels of what outputs are scored against."""
    if not references:
        name = study.test
        return name, annotated_sentences(study, study.planner.tests[name]), study.levels(study.planner.tests[name])
    sentences, levels = [], []
    for level, path in references.items():
        found = list(read_m2(_located(path)))
        sentences += found
        levels += [level] * len(found)
    if not sentences:
        raise UserError(f"the references {', '.join(map(str, references.values()))} hold no sentences")
    return " + ".join(Path(path).name for path in references.values()), sentences, levels


def _located(path: str | Path) -> Path:
    return PROJECT / path
