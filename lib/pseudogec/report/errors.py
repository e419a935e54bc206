"""Errors of systems on one test set: by type, by level, sentence by sentence (TASLP section V)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pseudogec.edits import AnnotatedSentence, load_annotator
from pseudogec.evaluate import Score, Side, clear, contrast, frequent_types, main_type
from pseudogec.noise import EditDictionary, RealisticNoise
from pseudogec.report.display import NOT_LISTED, Finding, Html
from pseudogec.report.figures import by_category, system_colours
from pseudogec.report.findings import UNKNOWN_TRUTH, in_points
from pseudogec.report.markup import marked_corrections
from pseudogec.report.methods import listed, method_label, readable
from pseudogec.report.papers import paper_error_types
from pseudogec.report.report import Report
from pseudogec.report.samples import or_what_to_fetch
from pseudogec.report.tables import StyledTable, f05_cells, note_on_tuning, summarise
from pseudogec.report.texts import annotated_sentences, masked_sentences
from pseudogec.study import Grid, Pipeline, System
from pseudogec.study.results import By


class ErrorAnalysis:
    """Tables, figures and examples of one test set's errors; a line in their place if there are no
    scores.

    Args:
        dataset: name of the test set.
        sentences: of the test set, for the types of their edits; their words may be masked.
    """

    def __init__(
        self, report: Report, dataset: str, sentences: Sequence[AnnotatedSentence]
    ) -> None:
        self.report, self.dataset = report, dataset
        self.types = frequent_types(sentences)

    @classmethod
    def of_study(cls, report: Report) -> ErrorAnalysis:
        study = report.study
        return cls(report, study.test, masked_sentences(study, study.planner.tests[study.test]))

    def scores(self, grid: Sequence[System], by: By) -> pd.DataFrame:
        return self.report.study.scores(grid, by, self.dataset)

    def gains(
        self,
        grid: Grid,
        by: By,
        column: str,
        name: str,
        against: Any = None,
        names: Mapping[Any, str] | None = None,
    ) -> Finding | None:
        """A figure of what systems gain over others in F0.5 by error type (the most frequent ones)
        or level, with intervals.

        Args:
            column: the choice that tells the systems apart, such as ``seed_corpus``.
            name: of the figure's files.
            against: the value of ``column`` that the others are compared with; by default the
                baseline.
            names: how the legend prints the values of ``column``, where not as methods.
        """
        opponents = (
            grid.only(method=["none"]) if against is None else grid.only(**{column: [against]})
        )
        others = Grid(system for system in grid if system not in opponents)
        kinds = {
            getattr(system, column): others.only(**{column: [getattr(system, column)]})
            for system in others
        }
        if not kinds or not opponents:
            return NOT_LISTED
        self.scores(grid, by)
        compared = {
            (kind, category): contrast(
                "", *(self._side(each, by, category) for each in (systems, opponents))
            )
            for kind, systems in kinds.items()
            for category in self.categories(by)
        }
        called = dict(names or {})
        rows, strong = [], dict[str, list[str]]()
        for ((kind, category), item), is_clear in zip(
            compared.items(), clear([*compared.values()], "F0.5"), strict=True
        ):
            difference = item.differences["F0.5"]
            low, high = difference.interval
            points = {"value": 100 * difference.value, "low": 100 * low, "high": 100 * high}
            shown = called.get(kind) or _called(kind)
            rows.append(
                {"category": category, "system": kind, "name": shown, **points, "clear": is_clear}
            )
            if is_clear:
                strong.setdefault(shown, []).append(
                    f"{category} {in_points(100 * difference.value)}"
                )
        opponent = "the baseline" if against is None else called.get(against) or _called(against)
        if not strong:
            most = max(rows, key=lambda row: abs(row["value"]))
            largest = (
                f"{most['name']} in {most['category']}, {most['value']:+.1f} [{most['low']:+.1f}, "
                f"{most['high']:+.1f}] points"
            )
            return Finding(
                f"No difference from {opponent} is more than chance. The largest: {largest}."
            )
        title = "More than chance: " + "; ".join(
            f"{shown} in {', '.join(where)}" for shown, where in strong.items()
        )
        alone = (
            " Where a side has a single model, this holds for that model; another seed may give "
            "another result."
        )
        if not any(item.of_one_model for item in compared.values()):
            alone = ""
        caption = (
            f"{readable(self.dataset)}: F0.5 minus that of {opponent} (dashed), 95% intervals over "
            "sentences and seeds. "
            f"Filled: more than chance, corrected for {len(compared)} comparisons "
            f"(Holm).{alone}"
        )
        picture = by_category(
            pd.DataFrame(rows), self.categories(by), title, "gain in F0.5 (points)", caption
        )
        return self.report.figure(picture, name)

    def _levels(self) -> list[str]:
        return self.report.study.levels(self.report.study.planner.tests[self.dataset])

    def categories(self, by: By) -> dict[str, str]:
        """The types or levels that are shown, and how a figure prints them."""
        if by == "error_type":
            return {name: f"{name} ({count:,})" for name, count in self.types.items()}
        return {name: name for name in sorted(set(self._levels()))}

    def _side(self, systems: Grid, by: By, category: str) -> Side:
        def part(score: Score) -> Score:
            return (
                score.of_types(category)
                if by == "error_type"
                else score.by_group(self._levels())[category]
            )

        return self.report.study.side(systems, test=self.dataset, part=part)

    def table(
        self,
        scores: pd.DataFrame,
        category: str,
        columns: str,
        name: str,
        names: Mapping[Any, str] | None = None,
    ) -> StyledTable | Finding:
        """F0.5 of each system by type or level, in percent as mean ± standard deviation over seeds;
        P and R are in the CSV file.

        Args:
            scores: tidy scores split by ``category``, ``error_type`` (the most frequent ones are
                shown) or ``level``.
            columns: the column that names the systems, such as ``method``.
            name: of the file.
            names: how the table prints these values, where not as methods.
        """
        if scores.empty:
            return NOT_LISTED
        shown = scores[scores.error_type.isin(self.types)] if category == "error_type" else scores
        summary = summarise(shown, [category, columns])
        order = list(self.types) if category == "error_type" else sorted(summary[category].unique())
        systems = list(system_colours(summary[columns]))
        wide = f05_cells(summary, category, columns).reindex(index=order, columns=systems)
        means = (
            summary.pivot(index=category, columns=columns, values="f05")
            .reindex(index=order, columns=systems)
            .round(1)
        )
        wide.columns = means.columns = [
            (names or {}).get(system) or _called(system) for system in systems
        ]
        if category == "error_type":
            wide.insert(0, "edits", list(self.types.values()))
        seeds = shown.seed.nunique()
        spread = f"Mean ± standard deviation over {seeds} seeds." if seeds > 1 else "One seed."
        datasets = listed(scores.dataset)
        notes = " ".join(filter(None, [spread, note_on_tuning(scores)]))
        caption = f"F0.5 in percent on {datasets}; the best of each row in bold. {notes}"
        table = StyledTable(wide.reset_index(names=category.replace("_", " ")), caption)
        table.format(na_rep="", escape="html").in_figures(
            [name for name in wide if name == "edits"], end=True
        )
        return self.report.keep(
            table.in_figures(list(means)).best_in_rows(means.reset_index(drop=True)), summary, name
        )

    def beside_choe(self, scores: pd.DataFrame, name: str) -> StyledTable | Finding:
        """Every error type of one system beside those of Choe et al. 2019, table 10; types that
        only one side has stay.
        """
        if scores.empty:
            return NOT_LISTED
        measures = ["precision", "recall", "f05"]
        ours = scores.groupby("error_type")[measures].mean() * 100
        ours.insert(
            0,
            "edits",
            scores.assign(edits=scores.tp + scores.fn).groupby("error_type").edits.mean(),
        )
        theirs = paper_error_types().set_index("error_type").add_prefix("paper ")
        table = (
            ours.join(theirs, how="outer")
            .sort_values("edits", ascending=False)
            .reset_index(names="error type")
        )
        decimals = dict.fromkeys([*measures, *theirs.columns], 1)
        note = (
            f"Percent; ours on {readable(self.dataset)}, theirs on W&I+LOCNESS test. "
            f"{note_on_tuning(scores)}"
        )
        return self.report.table(table, name, note.strip(), decimals)

    @or_what_to_fetch
    def examples(self, systems: Mapping[str, System | Pipeline], each: int = 2) -> Html | Finding:
        """Sentences that two systems, by name, correct differently or leave as they are, beside the
        reference.
        """
        if len(systems) < 2:
            return NOT_LISTED
        study = self.report.study
        corrected = {
            name: study.hypotheses(system, self.dataset) for name, system in systems.items()
        }
        scores = {name: study.score(system, self.dataset) for name, system in systems.items()}
        test = study.planner.tests[self.dataset]
        sentences, levels = annotated_sentences(study, test), study.levels(test)
        annotator = load_annotator(study.profile.annotator)
        examples = []
        for heading, places in instructive_sentences(scores, each).items():
            for place in places:
                sentence = sentences[place]
                edits = {
                    name: annotator.annotate([sentence.source], [lines[place]])[0]
                    for name, lines in corrected.items()
                }
                level = f" (level {levels[place]})" if levels[place] else ""
                examples.append((f"{heading}: sentence {place + 1}{level}", sentence, edits))
        if not examples:
            return Finding(
                "No sentence is corrected or needlessly changed by one of these systems "
                "only, or missed by both."
            )
        return marked_corrections(examples)


def _called(value: Any) -> str:
    return f"{value:,} pairs" if isinstance(value, int) else method_label(value)


def instructive_sentences(scores: Mapping[str, Score], each: int) -> dict[str, list[int]]:
    """The first ``each`` sentences, by heading, that two systems correct differently, or both not
    at all.

    A system is right if it makes all edits of the reference and no other, at least one. It leaves
    the errors if it makes no edit, and it changes what was right if it edits a sentence for which
    the reference has no edits.
    """
    (first, one), (second, other) = (
        (name, score.per_sentence() > 0) for name, score in scores.items()
    )

    def are(counts: np.ndarray, right: bool, needless: bool, missed: bool) -> np.ndarray:
        return (counts == (right, needless, missed)).all(axis=1)

    kinds = {
        f"only {second} is right": are(other, True, False, False) & ~are(one, True, False, False),
        f"only {first} is right": are(one, True, False, False) & ~are(other, True, False, False),
        f"only {second} changes what was right": are(other, False, True, False) & ~one.any(axis=1),
        f"only {first} changes what was right": are(one, False, True, False) & ~other.any(axis=1),
        "both leave the errors": are(one, False, False, True) & are(other, False, False, True),
    }
    return {heading: np.flatnonzero(chosen)[:each].tolist() for heading, chosen in kinds.items()}


def agreement_table(pairs: pd.DataFrame) -> pd.DataFrame | Finding:
    """For each true type: edits, the share with this type from the annotator, and the type that it
    gives most of the others.
    """
    if pairs.empty:
        return UNKNOWN_TRUTH
    rows = []
    for true_type, named in pairs.map(main_type).groupby("true_type").found_type:
        others = named[named != true_type].value_counts()
        rows.append(
            {
                "true type": true_type,
                "edits": len(named),
                "named so": (named == true_type).mean(),
                "else most often": f"{others.index[0]} ({others.iloc[0] / len(named):.0%})"
                if len(others)
                else "",
            }
        )
    return pd.DataFrame(rows).sort_values("edits", ascending=False, ignore_index=True)


@or_what_to_fetch
def edit_dictionary(report: Report, name: str, most: int = 10) -> StyledTable | Finding:
    """The most frequent entries of the dictionary of errors that realistic noise draws from, learnt
    from the genuine pairs.
    """
    study = report.study
    method = study.profile.methods.get("realistic")
    if not isinstance(method, RealisticNoise):
        return Finding("*The profile has no method `realistic`.*")
    annotated = annotated_sentences(study, study.planner.learnt_from(method))
    dictionary = EditDictionary.from_annotated(annotated, method.minimum_count)
    summary = dictionary.summary()
    rows = [
        {
            "correct": edit.correct,
            "written": edit.written or "(nothing)",
            "times": edit.times,
            "share": edit.share,
        }
        for edit in dictionary.most_frequent(most)
    ]
    note = (
        f"{summary.entries:,} tokens have an entry, with {summary.edits:,} different errors, "
        "each seen "
        f"{method.minimum_count} times or more; these tokens were written right in "
        f"{summary.identity_share:.0%} of "
        f"{summary.occurrences:,} cases. Share: of all that was written for a token."
    )
    return report.table(pd.DataFrame(rows), name, note, {"share": 3})
