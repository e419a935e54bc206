"""Tables and figures of systems of several steps: their scores, the gain of each step, its effect
on a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from pseudogec.correct import Trace
from pseudogec.correct.step import read_found
from pseudogec.edits import load_annotator
from pseudogec.evaluate import ERRANT, METRICS, MetricChoice, contrast
from pseudogec.report.contrasts import as_table
from pseudogec.report.diagrams import pipeline
from pseudogec.report.display import NOT_LISTED, Finding, Html, Nothing
from pseudogec.report.figures import Picture
from pseudogec.report.figures import systems as draw_systems
from pseudogec.report.intervals import folded
from pseudogec.report.markup import marked_corrections, marked_traces
from pseudogec.report.methods import listed, readable
from pseudogec.report.papers import PAPERS, named_table, paper_scores
from pseudogec.report.report import Report
from pseudogec.report.samples import or_what_to_fetch
from pseudogec.report.tables import (
    FIGURE_SPACE,
    NO_EDITS,
    THIS_STUDY,
    StyledTable,
    mean_and_spread,
    note_on_tuning,
    styled,
    without_empty_precision,
)
from pseudogec.report.texts import annotated_sentences
from pseudogec.study import Pipeline
from pseudogec.study.corrections import HYPOTHESES, STEPS, Correction, Search, read_corrected


class SystemsReport:
    """Tables and figures of the systems of one comparison; if the profile has none, a line in the
    place of tables and figures.

    Args:
        systems: of a comparison, each once for every seed that it has.
    """

    def __init__(self, report: Report, systems: Sequence[Pipeline]) -> None:
        self._report, self._study, self._systems = report, report.study, list(systems)
        self._versions: dict[str, list[Pipeline]] = {}
        for system in systems:
            self._versions.setdefault(system.name, []).append(system)

    def steps(self) -> StyledTable | Finding:
        if not self._systems:
            return NOT_LISTED
        rows = []
        for name, versions in self._versions.items():
            system = self._study.profile.systems[name]
            models = f"one of each seed ({len(versions)})" if versions[0].seed else "one"
            steps = ", then ".join(step.describe() for step in system.steps)
            about = {"steps": steps.replace("_", " "), "versions": models}
            row = {"system": readable(name), "continues": readable(system.after or ""), **about}
            rows.append(row)
        return styled(
            pd.DataFrame(rows), "The systems of this section, as the profile describes them."
        )

    def diagram(self) -> Picture | Finding:
        """The steps of the last system in the list, from sentence to correction."""
        if not self._systems:
            return NOT_LISTED
        return pipeline(self._study, self._final)

    @property
    def _final(self) -> str:
        return list(self._versions)[-1]

    def scores(self, name: str, paper: str | None = None, repeat: bool = True) -> Html | Finding:
        """Every system on every test set by every metric; below, a published table, with our names
        of systems that it has, too.

        Both are saved as one table.

        Args:
            repeat: whether to show ours; not where it has just been shown beside another paper's.
        """
        if not self._systems:
            return NOT_LISTED
        scores = self._study.all_scores(self._study.with_simple_systems(self._systems))
        both = ours = _wide(self._cells(without_empty_precision(scores)))
        theirs = pd.DataFrame()
        if paper is not None:
            theirs = _wide(_published(paper)).rename(index=self._ours_for())
            both = ours.join(theirs, how="outer").reindex(
                [*ours.index, *(row for row in theirs.index if row not in ours.index)]
            )
        both = both.fillna("")
        flat = both.set_axis(list(map(" ".join, both.columns)), axis="columns").map(
            lambda cell: cell.strip(FIGURE_SPACE)
        )
        note = (
            "Percent; mean ± standard deviation over seeds, where a system has one version for "
            "each seed."
        )
        saved = flat.reset_index(names="system")
        parts = []
        if repeat:
            shown = styled(_shown(ours), f"{note} {note_on_tuning(scores)}".strip())
            parts += [self._report.keep(shown, saved, name).to_html()]
            parts += [folded("Signatures of the metrics", "; ".join(sorted(set(scores.signature))))]
        if paper is not None:
            shown = styled(_shown(theirs), f"{named_table(paper)}, as printed; percent.")
            parts.append((shown if repeat else self._report.keep(shown, saved, name)).to_html())
        return Html("".join(parts))

    def additions(self) -> Nothing | Html | None:
        """The gain of each system over the one in the row before it, in points, and whether it may
        be chance.
        """
        if not self._systems:
            return None
        scores = self._study.scores(self._systems)
        added = [
            contrast(
                f"{readable(name)} against {readable(before)}",
                self._study.side(versions),
                self._study.side(earlier),
            )
            for (before, earlier), (name, versions) in pairwise(self._versions.items())
        ]
        return as_table(added, note_on_tuning(scores))

    def _ours_for(self) -> dict[str, str]:
        """The paper's names of systems -> ours."""
        return {
            row: name
            for name in self._versions
            for row in self._study.profile.systems[name].stands_for
        }

    def _cells(self, scores: pd.DataFrame) -> Iterator[Cell]:
        metrics = {metric.identity: metric for metric in self._study.metrics}
        for names, part in scores.groupby(["system", "dataset", "metric"], sort=False):
            system, dataset, identity = map(str, names)
            for measure in metrics[identity].measures:
                values = 100 * part[measure.name]
                place = (THIS_STUDY, f"{dataset}, {metrics[identity].title}", measure.label)
                yield system, place, mean_and_spread(values.mean(), values.std()) or NO_EDITS

    def gains(self, paper: str, dataset: str) -> pd.DataFrame:
        """F0.5 of each system minus that of the first, for figures: ours on the first test set, a
        paper's as it was printed.

        Args:
            paper: a published table; of its systems those that one of ours stands for.
            dataset: which of its test sets, scored by ERRANT.

        Returns:
            ``system``, ``study`` and, in points, ``gain``; of ours also ``low`` and ``high``, the
            ends of its 95% interval.
        """
        rows, first, others = [], next(iter(self._versions), ""), list(self._versions.items())[1:]
        self._study.scores(self._systems)
        for name, versions in others:
            sides = self._study.side(versions), self._study.side(self._versions[first])
            estimate = contrast(name, *sides).differences["F0.5"]
            low, high = estimate.interval
            rows.append(
                {
                    "system": name,
                    "study": THIS_STUDY,
                    "gain": 100 * estimate.value,
                    "low": 100 * low,
                    "high": 100 * high,
                }
            )
        table = paper_scores(paper)
        table = table[(table.dataset == dataset) & (table.metric == ERRANT.title)]
        printed = dict(zip(table.system.replace(self._ours_for()), table.f05, strict=True))
        for name in (name for name, _ in others if name in printed and first in printed):
            rows.append(
                {
                    "system": name,
                    "study": PAPERS[paper.partition(":")[0]],
                    "gain": printed[name] - printed[first],
                }
            )
        return pd.DataFrame(rows, columns=["system", "study", "gain", "low", "high"])

    def figure(self, name: str, metric: MetricChoice = ERRANT) -> Finding | None:
        """The measures of a metric for each system on the first test set, one dot a seed."""
        if not self._systems:
            return NOT_LISTED
        metric = METRICS.make(metric)
        scores = self._study.scores(self._systems, metric=metric)
        datasets = listed(scores.dataset)
        caption = f"{datasets}, {metric.title}; lines join the means, small dots are single models."
        drawn = draw_systems(scores.assign(system=scores.system.map(readable)), metric.measures)
        return self._report.figure(Picture(drawn, caption, scores), name)

    def tuned(self) -> Finding | None:
        """The results of searches: the ensembles' members, thresholds, types of edits; and whether
        they used the test set.
        """
        if not self._systems:
            return None
        self._study.scores(self._systems)
        lines: dict[str, list[str]] = {}
        for version in self._systems:
            name = f"**{readable(version.name)}**" + (
                f", seed {version.seed}" if len(self._versions[version.name]) > 1 else ""
            )
            on_test = self._study.tuned_on_test(version, self._study.test)
            for search in self._last(version).parents:
                if isinstance(search, Search):
                    where = (
                        f"development data ({readable(search.references.corpus.name)}), and "
                        "not on the test set"
                    )
                    if search.step.tuned in on_test:
                        where = (
                            "the same sentences of the test set that are scored, as the "
                            "profile allows"
                        )
                    result = search.step.tell(read_found(self._study.folder(search)))
                    lines.setdefault(f"Chosen on {where}:", []).append(f"- {name}: {result}")
        parts = ["\n".join([head, "", *listed]) for head, listed in lines.items()]
        return Finding("\n\n".join(parts) or "None of these systems is tuned on development data.")

    def _last(self, pipeline: Pipeline) -> Correction:
        return self._study.planner.correction(pipeline, self._study.test)

    @or_what_to_fetch
    def walk_through(self, most: int = 3) -> Html | Finding:
        """Sentences on their way through the last system in the list: first one that becomes its
        reference, then those that most steps change.
        """
        if not self._systems:
            return NOT_LISTED
        study, system = self._study, self._versions[self._final][0]
        steps = self._last(system).steps
        sentences = study.planner.test_sentences(system, study.test)
        sources = [tuple(line.split()) for line in study.lines(sentences, "source.txt")]
        after = [
            (step.title, read_corrected(study.folder(step, HYPOTHESES, STEPS))) for step in steps
        ]
        tokens = [sources, *([sentence.tokens for sentence in corrected] for _, corrected in after)]
        changed = np.array(
            [[new != old for new, old in zip(*sides, strict=True)] for sides in pairwise(tokens)]
        )
        targets = [tuple(line.split()) for line in study.lines(sentences, "target.txt")]
        order = list(np.argsort(-changed.sum(axis=0), kind="stable"))
        mended = [
            place for place in order if sources[place] != targets[place] == tokens[-1][place]
        ][:1]
        others = [place for place in order if place not in mended][: most - len(mended)]
        shown = []
        for place in [*mended, *others]:
            after_steps = tuple((step, sentences[place]) for step, sentences in after)
            label = f"sentence {place + 1}" + (", mended completely" if place in mended else "")
            shown.append((label, Trace(sources[place], after_steps)))
        return marked_traces(load_annotator(study.profile.annotator), shown)

    @or_what_to_fetch
    def one_sentence(self) -> Html | Finding:
        """A sentence of the test set that the systems correct in several ways, beside its
        reference.

        Sentences that one of them corrects completely come first, then those with most ways, then
        the shortest.
        """
        if len(self._versions) < 2:
            return NOT_LISTED
        study = self._study
        study.scores(self._systems)
        corrected = {
            name: study.hypotheses(versions[0], study.test)
            for name, versions in self._versions.items()
        }
        sources, targets = (
            study.lines(study.planner.tests[study.test], f"{side}.txt")
            for side in ("source", "target")
        )
        corrections = [
            {" ".join(tokens) for tokens in sentence}
            for sentence in zip(*corrected.values(), strict=True)
        ]
        differing = [place for place, ways in enumerate(corrections) if len(ways) > 1]
        if not differing:
            return Finding("The systems correct every sentence of the test set in the same way.")
        mended = {
            each
            for each in differing
            if sources[each] != targets[each] and targets[each] in corrections[each]
        }
        place = max(
            differing,
            key=lambda each: (each in mended, len(corrections[each]), -len(targets[each])),
        )
        sentence = annotated_sentences(study, study.planner.tests[study.test])[place]
        annotator = load_annotator(study.profile.annotator)
        edits = {
            name: annotator.annotate([sentence.source], [lines[place]])[0]
            for name, lines in corrected.items()
        }
        edits = {readable(name): changes for name, changes in edits.items()}
        return marked_corrections(
            [(f"sentence {place + 1} of {readable(study.test)}", sentence, edits)]
        )


def _shown(wide: pd.DataFrame) -> pd.DataFrame:
    """A wide table of one study with its systems as a column, and names of test sets as people
    write them.
    """
    shown = wide.fillna("")
    heads = [
        (", ".join(map(readable, on.split(", "))), label)
        for _, on, label in map(tuple, wide.columns)
    ]
    shown.columns = pd.MultiIndex.from_tuples(heads)
    shown.insert(0, ("", "system"), list(map(readable, wide.index)))
    return shown


Cell = tuple[str, tuple[str, str, str], str]
"""A figure of a table: its system; whose it is, on what data by which metric, what it measures; and
how it is printed.
"""


def _published(paper: str) -> Iterator[Cell]:
    """The numbers of a published table. An ensemble with the name of a single system gets another
    name.
    """
    source, _, number = paper.partition(":")
    table = paper_scores(paper)
    single = set(table.system[table.ensemble == 0])
    for row in table.to_dict("records"):
        name = (
            f"{row['system']}, ensemble"
            if row["ensemble"] and row["system"] in single
            else row["system"]
        )
        for measure in dict.fromkeys(measure for metric in METRICS for measure in metric.measures):
            if (value := row.get(measure.name, float("nan"))) == value:
                place = (
                    f"{PAPERS[source]}, table {number}",
                    f"{row['dataset']}, {row['metric']}",
                    measure.label,
                )
                yield str(name), place, f"{value:.1f}"


def _wide(cells: Iterator[Cell]) -> pd.DataFrame:
    """One row for each system, one column for each number, both in order of appearance."""
    table: dict[str, dict[tuple[str, str, str], str]] = {}
    for system, column, cell in cells:
        table.setdefault(system, {})[column] = cell
    columns = dict.fromkeys(column for row in table.values() for column in row)
    rows = [[row.get(column, "") for column in columns] for row in table.values()]
    return pd.DataFrame(rows, index=list(table), columns=pd.MultiIndex.from_tuples(list(columns)))
