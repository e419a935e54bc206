"""Systems' corrections of a test set from files, scored; nothing is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.corpora import read_plain
from pseudogec.edits import AnnotatedSentence, load_annotator, read_m2, typed_otherwise
from pseudogec.evaluate import ERRANT, METRICS, Gold, Metric, MetricChoice, Score, compare_scores, score_interval
from pseudogec.report.display import Finding, Html, Nothing
from pseudogec.report.errors import ErrorAnalysis
from pseudogec.report.figures import by_category
from pseudogec.report.findings import with_interval
from pseudogec.report.report import Report
from pseudogec.report.tables import StyledTable
from pseudogec.report.texts import annotated_sentences
from pseudogec.study import PROJECT, Study
from pseudogec.study.results import CHOICES, By, score_columns, tidy_parts

NO_FILES = Nothing("*No files were given in `outputs_to_score`, so there is nothing to score.*")


class OutputsReport:
    """Tables and figures of corrections from files; a line in their place if there are none.

    Args:
        outputs: name of a system -> file of tokenised corrections, one sentence a line. Relative paths are relative to the
            project's root.
        references: level -> M2 file; the outputs' lines are those of all files in this order. By default the first test set.
        metrics: ERRANT is added if it is not among them.

    Raises:
        UserError: a file is missing or malformed, its number of lines is not that of the references, or there is no such metric.
    """

    def __init__(
        self,
        study: Study,
        outputs: Mapping[str, str | Path],
        references: Mapping[str, str | Path],
        metrics: Sequence[MetricChoice] = ("errant", "maxmatch"),
    ) -> None:
        self.gold, self.levels = Gold.annotated([], ""), list[str]()
        self.hypotheses: dict[str, list[list[str]]] = {}  # by system
        self.by_metric: dict[Metric, dict[str, Score]] = {ERRANT: {}}  # of each system
        if outputs:
            self.gold, self.levels = _gold(study, references)
            self.hypotheses = {name: _read(PROJECT / path, self.gold) for name, path in outputs.items()}
            annotator = load_annotator(study.profile.annotator)
            self.by_metric = {
                metric: {name: metric.score(self.gold, found, annotator, name=name) for name, found in self.hypotheses.items()}
                for metric in dict.fromkeys([*map(METRICS.make, metrics), ERRANT])
            }
        self._report = Report(study)
        self._analysis = ErrorAnalysis(self._report, self.gold.name, self.gold.sentences, nothing=NO_FILES)

    @property
    def errant(self) -> Mapping[str, Score]:
        return self.by_metric[ERRANT]

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

    def overall(self, name: str) -> StyledTable | Finding:
        """The measures of each system by each metric, in percent.

        The 95% interval is that of the last measure over sentences; so is that of its difference from the first system.
        """
        if not self.errant:
            return NO_FILES
        rows, signatures = [], set()
        for metric, scores in self.by_metric.items():
            first = next(iter(scores.values()))
            for system, score in scores.items():
                low, high = score_interval(score.per_sentence(), metric.headline.of)
                measures = {measure.label: 100 * score[measure.name] for measure in metric.measures}
                percent = {**measures, "from": 100 * low, "to": 100 * high}
                difference = "" if score is first else with_interval(compare_scores([score], [first]))
                rows.append({"system": system, "metric": metric.title, **percent, "difference": difference})
                signatures.add(score.caption)
        labels = dict.fromkeys(measure.label for metric in self.by_metric for measure in metric.measures)
        table = pd.DataFrame(rows, columns=["system", "metric", *labels, "from", "to", "difference"])
        headlines = ", ".join(dict.fromkeys(metric.headline.label for metric in self.by_metric))
        note = (
            f"Corrections from files ({', '.join(self.hypotheses)}), not trained here. References: {self.gold.name}, "
            f"{len(self.gold.sources):,} sentences. Percent, with the 95% interval of {headlines}; difference from the first "
            "system, in points, with its interval. "
            "The intervals are over sentences alone and hold for these outputs, not for the ways in which they were made."
        )
        decimals = {**dict.fromkeys(labels, 2), "from": 1, "to": 1}
        return self._report.table(table, name, f"{note} Metrics: {'; '.join(sorted(signatures))}.", decimals)

    def figure(self, category: By, name: str) -> Finding | None:
        """F0.5 of each system by ``error_type`` (the reference's most frequent ones) or ``level``, by ERRANT, with intervals."""
        if not self.errant:
            return NO_FILES
        scores = self.scores(category)
        named = {category: "category", "f05": "value", "f05_low": "low", "f05_high": "high"}
        points = scores.rename(columns=named)[["system", *named.values()]]
        points = points.assign(name=points.system, **{column: 100 * points[column] for column in ("value", "low", "high")})
        categories = self._analysis.categories(category, ((None, each) for each in points.category))
        title = f"F0.5 by {category.replace('_', ' ')}, with 95% intervals over sentences"
        caption = f"{self.gold.name}; in brackets how many edits of a type the reference has."
        return self._report.figure(by_category(points, categories, title, "F0.5 (percent)", caption), name)

    def examples(self, each: int = 2) -> Html | Finding:
        """Sentences that the first and the last system correct differently, or both leave as they are."""
        if len(self.errant) < 2:
            return Finding("*There is only one system; examples compare two.*") if self.errant else NO_FILES
        first, *_, last = self.errant
        corrected = {name: self.hypotheses[name] for name in (first, last)}
        scores = {name: self.errant[name] for name in (first, last)}
        return self._analysis.marked(self.gold.sentences, corrected, scores, self.levels, each)


def _read(file: Path, gold: Gold) -> list[list[str]]:
    found = list(read_plain(file))
    if len(found) != len(gold.sources):
        known = f"{gold.name} has {len(gold.sources)} sentences"
        raise DataError(file, f"has {len(found)} lines and {known}; line for line they must correspond")
    return found


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
