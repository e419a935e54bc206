"""Tables and figures of systems whose corrections come from files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pseudogec.evaluate import compare_scores, confidence_interval
from pseudogec.report.error_analysis import ErrorAnalysis
from pseudogec.report.findings import Finding
from pseudogec.report.markup import Html
from pseudogec.report.report import Report
from pseudogec.report.styled_tables import StyledTable
from pseudogec.study import Study
from pseudogec.study.outputs import ScoredOutputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NO_FILES = Finding("*No files were given in `outputs_to_score`, so there is nothing to score.*")


class _FromFiles(Report):
    """A report whose numbers were not made by training."""

    def __init__(self, study: Study, outputs: ScoredOutputs) -> None:
        super().__init__(study)
        self._outputs = outputs

    def origin(self, seeds: Iterable[int] | None = None) -> str:
        """What was scored against what; nothing has seeds."""
        names, against = ", ".join(self._outputs.hypotheses), self._outputs.dataset
        sentences = len(self._outputs.sentences)
        return f"Corrections from files ({names}), not trained here. References: {against}, {sentences:,} sentences."


class OutputsReport:
    """What is shown of corrections from files; without any, each method says so in a line."""

    def __init__(self, study: Study, outputs: ScoredOutputs) -> None:
        self._report, self._outputs = _FromFiles(study, outputs), outputs
        self._analysis = ErrorAnalysis(self._report, outputs.dataset, outputs.sentences, nothing=NO_FILES)

    def overall(self, name: str) -> StyledTable | Finding:
        """Precision, recall and F0.5 of each system by ERRANT and MaxMatch, in percent.

        The interval is the bootstrap's, 95%; p that of approximate randomisation against the first system.

        Args:
            name: file name of the table.
        """
        import pandas as pd

        if not self._outputs.errant:
            return NO_FILES
        rows = []
        for scorer, scores in (("ERRANT", self._outputs.errant), ("MaxMatch", self._outputs.maxmatch)):
            first = next(iter(scores))
            for system, score in scores.items():
                low, high = confidence_interval(score.per_sentence())
                figures = {"P": score.precision, "R": score.recall, "F0.5": score.f05, "from": low, "to": high}
                p_value = None if system == first else compare_scores(score, scores[first]).p_value
                rows.append(
                    {"system": system, "scorer": scorer, **{key: 100 * value for key, value in figures.items()}, "p": p_value}
                )
        signatures = "; ".join(
            sorted({score.signature for scores in (self._outputs.errant, self._outputs.maxmatch) for score in scores.values()})
        )
        note = "Percent, with the 95% confidence interval of F0.5; p: difference from the first system."
        decimals = {"P": 2, "R": 2, "F0.5": 2, "from": 1, "to": 1, "p": 4}
        return self._report.table(pd.DataFrame(rows), name, f"{note} Scorers: {signatures}.", decimals)

    def f05_by_type(self, name: str) -> Figure | Finding:
        """F0.5 of the most frequent error types of the reference, by ERRANT."""
        return self._analysis.f05_by_type(self._outputs.scores("error_type"), "system", name)

    def f05_by_level(self, name: str) -> Figure | Finding:
        """F0.5 of each proficiency level, by ERRANT."""
        return self._analysis.f05_by_level(self._outputs.scores("level"), "system", name)

    def examples(self, each: int = 2) -> Html | Finding:
        """Sentences that the first and the last system correct differently, or both leave as they are."""
        if len(self._outputs.errant) < 2:
            return NO_FILES if not self._outputs.errant else Finding("*One system alone; examples compare two.*")
        first, *_, last = self._outputs.errant
        corrected = {name: self._outputs.hypotheses[name] for name in (first, last)}
        scores = {name: self._outputs.errant[name] for name in (first, last)}
        return self._analysis.marked(corrected, scores, self._outputs.levels, each)
