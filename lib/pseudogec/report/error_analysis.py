"""Error analysis of systems on one test set: by type, by level, sentence by sentence (TASLP section V)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pseudogec.edits import AnnotatedSentence, load_annotator
from pseudogec.evaluate import Score, frequent_types, main_type
from pseudogec.report import error_figures as draw
from pseudogec.report.error_findings import UNKNOWN_TRUTH, types_beside_paper
from pseudogec.report.examples import instructive_sentences
from pseudogec.report.findings import NOT_LISTED, Finding
from pseudogec.report.looks import type_label
from pseudogec.report.markup import Html, marked_corrections
from pseudogec.report.paper import paper_error_types
from pseudogec.report.report import Report
from pseudogec.report.shown import kept_as
from pseudogec.report.styled_tables import StyledTable
from pseudogec.report.tables import METHOD_NAMES, mean_and_spread, plain_style, summarise
from pseudogec.study import System, overview
from pseudogec.study.outputs import hypotheses
from pseudogec.study.results import By

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class ErrorAnalysis:
    """Tables and figures of one test set's errors. Where there are no scores, each says so in a line.

    Args:
        report: where tables and figures are kept, and what their captions say of their origin.
        dataset: name of the test set.
        sentences: its sentences with the reference edits.
        most: how many of the most frequent error types are looked at.
        nothing: what is shown where there are no systems.
    """

    def __init__(
        self,
        report: Report,
        dataset: str,
        sentences: Sequence[AnnotatedSentence],
        most: int = 10,
        nothing: Finding = NOT_LISTED,
    ) -> None:
        self.report, self.dataset, self.sentences, self._nothing = report, dataset, list(sentences), nothing
        self.types = frequent_types(sentences, most)

    @classmethod
    def of_study(cls, report: Report) -> ErrorAnalysis:
        """The analysis of a study's first test set."""
        study = report.study
        return cls(report, study.test, overview.annotated_sentences(study, study.planner.tests[study.test]))

    def scores(self, grid: Sequence[System], by: By) -> pd.DataFrame:
        """The tidy scores of a grid on this test set; see :meth:`pseudogec.study.Study.scores`."""
        return self.report.study.scores(grid, by, self.dataset)

    def f05_by_type(
        self, scores: pd.DataFrame, bars: str, name: str, names: Mapping[str, str] = METHOD_NAMES
    ) -> Figure | Finding:
        """F0.5 of the most frequent error types (TASLP figures 5 and 9).

        Args:
            scores: tidy scores split by error type.
            bars: the column whose values have a bar each, such as ``method``.
            name: file name of the figure.
            names: how the legend prints these values.
        """
        labels = {error_type: type_label(error_type) + f"\n{count:,}" for error_type, count in self.types.items()}
        return self._f05_bars(scores, "error_type", labels, bars, name, names, "Under each type: its edits in the reference.")

    def f05_by_level(
        self, scores: pd.DataFrame, bars: str, name: str, names: Mapping[str, str] = METHOD_NAMES
    ) -> Figure | Finding:
        """F0.5 of each proficiency level (TASLP figure 7); arguments as of :meth:`f05_by_type`, scores split by level."""
        labels = {level: level for level in sorted(scores.level.unique())}
        return self._f05_bars(scores, "level", labels, bars, name, names, "")

    def _f05_bars(
        self,
        scores: pd.DataFrame,
        category: str,
        labels: Mapping[str, str],
        bars: str,
        name: str,
        names: Mapping[str, str],
        note: str,
    ) -> Figure | Finding:
        if scores.empty:
            return self._nothing
        figure = draw.f05_bars(scores, category, labels, bars, names)
        caption = f"{self.dataset}. {_spread(scores)} {note}".strip()
        return self.report.save_figure(figure, name, caption, scores.seed.dropna(), scores)

    def table(
        self, scores: pd.DataFrame, category: str, bars: str, name: str, names: Mapping[str, str] = METHOD_NAMES
    ) -> StyledTable | Finding:
        """F0.5 of each system by type or level, in percent as mean ± standard deviation over seeds.

        Precision and recall are in the CSV file too.

        Args:
            scores: tidy scores split by ``category``.
            category: ``error_type`` (the most frequent ones are shown) or ``level``.
            bars: the column that tells systems apart.
            name: file name of the table.
            names: how the columns are called.
        """
        if scores.empty:
            return self._nothing
        shown = scores[scores.error_type.isin(self.types)] if category == "error_type" else scores
        summary = summarise(shown, [category, bars])
        self.report.save_table(summary, name)
        cells = list(map(mean_and_spread, summary.f05, summary.f05_sd))
        wide = summary.assign(cell=cells).pivot(index=category, columns=bars, values="cell")
        order = list(self.types) if category == "error_type" else sorted(wide.index)
        wide = wide.reindex(index=order, columns=draw.in_order(summary[bars]))
        means = summary.pivot(index=category, columns=bars, values="f05").reindex(index=wide.index, columns=wide.columns).round(1)
        wide.columns = means.columns = [names.get(column, column) for column in wide.columns]
        if category == "error_type":
            wide.insert(0, "edits", list(self.types.values()))
        spread = _spread(shown, "after ± one standard deviation")
        caption = (
            f"F0.5 in percent on {self.dataset}; the best of each row in bold. {spread} {self.report.origin(shown.seed.dropna())}"
        )
        styled = plain_style(wide.reset_index(names=category.replace("_", " ")), caption, {})
        styled.in_figures(list(means)).best_in_rows(means.reset_index(drop=True))
        return kept_as(styled, name)

    def beside_choe(self, scores: pd.DataFrame, name: str) -> StyledTable | Finding:
        """Every error type of one system beside those of Choe et al. 2019, table 10; types that only one side has stay.

        Args:
            scores: tidy scores of one system, split by error type.
            name: file name of the table.
        """
        if scores.empty:
            return self._nothing
        measures = ["precision", "recall", "f05"]
        ours = scores.groupby("error_type")[measures].mean() * 100
        ours.insert(0, "edits", scores.assign(edits=scores.tp + scores.fn).groupby("error_type").edits.mean())
        theirs = paper_error_types().set_index("error_type").add_prefix("paper ")
        table = ours.join(theirs, how="outer").sort_values("edits", ascending=False).reset_index(names="error type")
        decimals = dict.fromkeys([*measures, *theirs.columns], 1)
        return self.report.table(table, name, f"Percent; ours on {self.dataset}, theirs on W&I+LOCNESS test.", decimals)

    def reading_beside_choe(self, scores: pd.DataFrame) -> Finding:
        """What that table shows in a sentence; see :func:`types_beside_paper`."""
        return types_beside_paper(scores, paper_error_types())

    def against_pairs_by_level(self, scores: pd.DataFrame, name: str) -> Figure | Finding:
        """F0.5 of each level against the amount of pseudo data (TASLP figure 10).

        Args:
            scores: tidy scores by level of one method in several sizes, and of the baseline.
            name: file name of the figure.
        """
        if scores.empty:
            return self._nothing
        figure = draw.f05_against_pairs_by_level(scores)
        return self.report.save_figure(
            figure, name, f"{self.dataset}. {_spread(scores)} Left of the dotted line: no pseudo data.", scores.seed, scores
        )

    def frequent_types_by_level(self, edits: pd.DataFrame, name: str, most: int = 10) -> Figure:
        """The most frequent error types of each level (TASLP figure 6).

        Args:
            edits: one row an edit, with ``level`` and ``error_type``.
            name: file name of the figure.
            most: how many types of each level.
        """
        caption = f"{self.dataset}: share of each level's edits; the {most} types that are most frequent in that level."
        counts = edits.value_counts(["level", "error_type"], sort=False).reset_index(name="edits")
        return self.report.save_figure(draw.frequent_types_by_level(edits, most), name, caption, seeds=(), data=counts)

    def type_agreement(self, pairs: pd.DataFrame, name: str) -> Figure | Finding:
        """Which type the annotator names for the edits of each true type.

        Args:
            pairs: result of :func:`pseudogec.evaluate.type_agreement`.
            name: file name of the figure.
        """
        if pairs.empty:
            return UNKNOWN_TRUTH
        caption = f"Annotator: {self.report.study.planner.annotator}. Rows add up to 100."
        counts = pairs.value_counts(sort=False).reset_index(name="edits")
        return self.report.save_figure(draw.type_agreement_heatmap(pairs), name, caption, seeds=(), data=counts)

    def agreement_table(self, pairs: pd.DataFrame, name: str) -> StyledTable | Finding:
        """For each true type: edits, the share that the annotator names so, and what else it says most often.

        Args:
            pairs: result of :func:`pseudogec.evaluate.type_agreement`.
            name: file name of the table.
        """
        import pandas as pd

        if pairs.empty:
            return UNKNOWN_TRUTH
        rows = []
        for true_type, found in pairs.map(main_type).groupby("true_type").found_type:
            others = found[found != true_type].value_counts()
            rows.append(
                {
                    "true type": true_type,
                    "edits": len(found),
                    "named so": (found == true_type).mean(),
                    "else most often": f"{others.index[0]} ({others.iloc[0] / len(found):.0%})" if len(others) else "",
                }
            )
        table = pd.DataFrame(rows).sort_values("edits", ascending=False, ignore_index=True)
        return self.report.table(table, name, decimals={"named so": 2})

    def examples(self, systems: Mapping[str, System], each: int = 2) -> Html | Finding:
        """Sentences that two systems of a grid correct differently, or leave as they are, side by side with the reference.

        Args:
            systems: name -> system, two of them; they must have been scored.
            each: how many of each kind.
        """
        if len(systems) < 2:
            return self._nothing
        study = self.report.study
        corrected = {name: hypotheses(study, system, self.dataset) for name, system in systems.items()}
        scores = {name: study.score(system, self.dataset) for name, system in systems.items()}
        return self.marked(corrected, scores, study.levels(self.dataset), each)

    def marked(
        self,
        corrected: Mapping[str, Sequence[Sequence[str]]],
        scores: Mapping[str, Score],
        levels: Sequence[str],
        each: int = 2,
    ) -> Html | Finding:
        """The same of corrections and scores at hand."""
        annotator = load_annotator(self.report.study.profile.annotator)
        examples = []
        for heading, places in instructive_sentences(scores, each).items():
            for place in places:
                sentence = self.sentences[place]
                edits = {name: annotator.annotate([sentence.source], [lines[place]])[0] for name, lines in corrected.items()}
                level = f" (level {levels[place]})" if levels[place] else ""
                examples.append((f"{heading}: sentence {place + 1}{level}", sentence, edits))
        return marked_corrections(examples) if examples else Finding("No sentence of the test set tells these systems apart.")


def _spread(scores: pd.DataFrame, shown: str = "error bars one standard deviation") -> str:
    if "f05_low" in scores:
        return "Error bars: 95% confidence intervals (bootstrap over sentences)."
    seeds = scores.seed.nunique()
    return f"Mean over {seeds} seeds, {shown}." if seeds > 1 else "One seed, so no spread."
