"""Tables and figures of a notebook: saved, and shown with captions that say how they were made."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from pseudogec.artefacts.files import write_atomically
from pseudogec.evaluate import ERRANT, LOSS, Contrast, clear, contrast
from pseudogec.report.claims import Claim, claim_rows, claims_html
from pseudogec.report.conclusions import conclusion
from pseudogec.report.contrasts import NOTE_ON_MARKS, as_loss, as_table, opponents
from pseudogec.report.display import (
    NOT_LISTED,
    NOT_WRITTEN,
    Finding,
    Html,
    Nothing,
    describe,
    show_figure,
    show_while_running,
)
from pseudogec.report.figures import Picture, use_theme
from pseudogec.report.findings import rank_agreement, with_interval
from pseudogec.report.intervals import folded
from pseudogec.report.methods import listed, method_label, readable, show_methods
from pseudogec.report.papers import named_table, paper_scores
from pseudogec.report.tables import (
    MEASURES,
    THIS_STUDY,
    StyledTable,
    as_csv,
    beside_paper,
    changes_made,
    comparison,
    f05_cells,
    note_on_tuning,
    styled,
    summarise,
)
from pseudogec.report.trainings import budget_of_seeds, inequality
from pseudogec.study import Pipeline, Study, System


class Report:
    """Tables and figures of one study.

    Every table is written to ``<outputs>/tables/NAME.csv``, every figure to
    ``<outputs>/figures/NAME.png`` and ``.svg``, with the numbers behind it in ``.csv``. Where a
    method is given a :class:`Finding` in place of a table or picture, it is shown instead.

    Args:
        study: whose results these are.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._contrasts: dict[tuple[Any, ...], list[Contrast]] = {}
        self._notebook = ""
        use_theme()
        show_methods(study.profile.methods)

    def origin(self) -> str:
        """How the study's numbers came about, in two lines."""
        profile = self.study.profile
        kind = "Trained and tested on real learner text."
        if not profile.trains:
            return (
                "Corrections that others released; nothing is trained.\nProfile "
                f"{profile.name}: {profile.description}"
            )
        if profile.corpora.noised:
            kind = (
                "Trained on grammatical text with errors that a program made, tested on real "
                "learner text."
            )
        elif profile.simulation:
            kind = (
                "Simulation: trained and tested on errors of simulated learners, not on the "
                "paper's data."
            )
        elif simulated := profile.corpora.simulated:
            kind = f"Partly a simulation: {', '.join(simulated)}."
        seeds = sorted(
            {
                *profile.seeds,
                *(seed for grid in profile.grids.values() for seed in grid.seeds or ()),
            }
        )
        some = ", of some systems fewer" if len(seeds) > len(profile.seeds) else ""
        named = f" Seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}{some}."
        places = self.study.trained_on()
        mixed = (
            (f" Trained on {len(places)} kinds of processors: {'; '.join(places)}.")
            if len(places) > 1
            else ""
        )
        return f"{kind}{named}\nProfile {profile.name}: {profile.description}{mixed}"

    def begin(self, notebook: str) -> None:
        """Show how the results of a notebook came about, and which of its artefacts are there
        already.
        """
        from IPython.display import display

        self._notebook = notebook
        if notebook in self.study.profile.notebooks:
            show_while_running(
                f"This notebook needs {self.study.stock(self.study.targets([notebook]))}."
            )
        kind, _, rest = self.origin().partition("\n")
        signature = (
            f"Scores: <code>{escape(ERRANT.signature(self.study.planner.annotator))}</code>."
        )
        display(Html(folded(f"<i>{escape(kind)}</i>", f"{escape(rest)} {signature}")))

    @property
    def stands_for(self) -> dict[str, str]:
        """Our seed corpus -> the paper's that it stands for."""
        return {
            name: item.stands_for
            for name, item in self.study.profile.corpora.seeds.items()
            if item.stands_for
        }

    # Tables

    def table(
        self,
        table: pd.DataFrame | Finding,
        name: str,
        note: str = "",
        decimals: Mapping[str, int] | None = None,
    ) -> StyledTable | Finding:
        """Any table, with a caption.

        Args:
            note: a sentence for the caption.
            decimals: digits after the point of a column of fractions; whole numbers get thousands
                separators.
        """
        if isinstance(table, Finding):
            return table
        if table.empty:
            return NOT_LISTED
        keys = {
            column: table[column].map(readable)
            for column in ("corpus", "setting")
            if column in table
        }
        return self.keep(styled(table.assign(**keys), note, decimals), table, name)

    def keep(self, shown: StyledTable, data: pd.DataFrame, name: str) -> StyledTable:
        """Save a table's data under a name, which its caption shows."""
        self._write(f"tables/{name}.csv", as_csv(data))
        return shown.saved_as(name)

    def compare(
        self,
        scores: pd.DataFrame,
        rows: str | Sequence[str],
        name: str,
        paper: str | None = None,
        marked: Sequence[System] = (),
    ) -> StyledTable | Finding:
        """A table of precision, recall and F0.5, the paper's beside ours.

        Args:
            rows: the column or columns that name a row, such as ``method``.
            name: file name of the table.
            paper: published table to set beside it, such as ``taslp2020:IV``.
            marked: the grid of these scores, if clear differences from its baseline
                (:meth:`differences`) are to be marked.
        """
        if scores.empty:
            return NOT_LISTED
        rows = [rows] if isinstance(rows, str) else list(rows)
        scores = pd.concat([*self._simple_systems(scores, rows), scores])
        table = summarise(scores, rows)
        if paper is not None:
            table = beside_paper(table, rows, paper, self.stands_for)
        datasets = listed(scores.dataset)
        marks = self._marks(marked, rows)
        marked_any = any(mark for row in marks.values() for mark in row.values())
        losses = (
            ("Loss: on validation data at the end of training, in bits per subword.")
            if "loss" in table
            else ""
        )
        notes = f"{NOTE_ON_MARKS if marked_any else ''} {losses} {note_on_tuning(scores)}"
        caption = (
            f"Percent on {datasets}; means, ± standard deviation over seeds; the best of "
            f"each column in bold. {notes}"
        )
        return self.keep(
            comparison(table, rows, " ".join(caption.split()), paper, marks), table, name
        )

    def published(self, paper: str, rows: Sequence[str], name: str) -> StyledTable:
        """A paper's table alone, such as ``emnlp2019:3``, with the columns that name a row."""
        printed = paper_scores(paper)[[*rows, *MEASURES]].assign(
            method=lambda table: table.method.map(method_label)
        )
        named = printed.rename(
            columns=lambda column: MEASURES.get(column, column.replace("_", " "))
        )
        return self.keep(
            styled(named, f"{named_table(paper)}.", dict.fromkeys(MEASURES.values(), 1)),
            printed,
            name,
        )

    def _simple_systems(self, scores: pd.DataFrame, rows: Sequence[str]) -> list[pd.DataFrame]:
        """The scores of the profile's simple systems, as rows for a table of these systems; their
        names stand in one column.
        """
        if not self.study.profile.simple_systems:
            return []
        scored = self.study.scores(self.study.simple_systems(scores.system.unique(), scores.track))
        named = next((name for name in ("system", "method") if name in rows), rows[0])
        others = dict.fromkeys(
            (name for name in rows if name not in {named, "pseudo_pairs", "upsample"}), ""
        )
        return [scored.assign(**others, **{named: scored.system})]

    def changes(self, systems: Sequence[System | Pipeline], name: str) -> StyledTable | Finding:
        """How much systems change, beside the reference; see
        :func:`pseudogec.report.tables.changes_made`.
        """
        if not systems:
            return NOT_LISTED
        shown = self.study.with_simple_systems(systems)
        self.study.scores(shown)
        note = (
            f"On {readable(self.study.test)}, by ERRANT, means over seeds. Unchanged: share of "
            "sentences without an edit. "
            "Correct changed: share of the sentences without errors in which a system makes edits; "
            "false positives: these edits."
        )
        decimals = {
            "unchanged": 3,
            "correct changed": 3,
            "false positives": 0,
            "edits per token": 3,
        }
        table = changes_made(self.study, shown)
        called = _called(system for system in shown if isinstance(system, System))
        return self.keep(
            styled(
                table.assign(system=[called.get(row) or readable(row) for row in table.system]),
                note,
                decimals,
            ),
            table,
            name,
        )

    def _marks(
        self, grid: Sequence[System], rows: Sequence[str]
    ) -> dict[tuple[str, ...], dict[str, str]]:
        """A mark for each measure in which a system clearly differs from the baseline of its grid,
        by the names of its row.
        """
        # A row of the table is a kind of system; one model says nothing of its kind.
        compared = [
            item for item in self._compared(grid, "method", "none") if not item.of_one_model
        ]
        marks: dict[tuple[str, ...], dict[str, str]] = {}
        for measure, title in MEASURES.items():
            for item, is_clear in zip(compared, clear(compared, title), strict=True):
                row = tuple(str(item.choices[name] or "") for name in rows)
                marks.setdefault(row, {})[measure] = " *" if is_clear else ""
        return marks

    def f05_by_level(self, scores: pd.DataFrame, name: str) -> StyledTable:
        """F0.5 of each method by proficiency level, in percent, mean ± standard deviation over
        seeds; the best is bold.
        """
        summary = summarise(scores, ["method", "level"])
        cells = f05_cells(summary, "method", "level").rename(index=method_label).reset_index()
        note = (
            "F0.5 in percent by the writer's proficiency level, mean ± standard deviation over "
            "seeds; each level's best in bold."
        )
        return self.keep(styled(cells, f"{note} {note_on_tuning(scores)}".strip()), summary, name)

    # Differences and claims

    def differences(
        self, grid: Sequence[System], column: str = "method", against: Any = "none"
    ) -> Nothing | Html:
        """Differences in score between systems that differ in one choice, and whether they may be
        chance.

        Args:
            column: the choice: ``method``, ``seed_corpus``, ``setting``, ``pseudo_pairs``,
                ``upsample``, or a method's parameter.
            against: the value that all others are compared with; by default the baseline, which is
                compared with every system.
        """
        return as_table(self._compared(grid, column, against), self._note_on_tuning(grid))

    def contrasts(
        self,
        rows: Iterable[tuple[Mapping[str, Any], Contrast]],
        name: str,
        note: str = "",
        asked: str = "",
    ) -> StyledTable | Finding:
        """A table of contrasts: F0.5 on each of the grids' test corpora, and validation loss.

        Args:
            rows: what a row is called, by columns, and its contrast.
            asked: the head of a last column, whether F0.5 is higher on all test corpora
                (:attr:`Contrast.answer`).
        """
        listed = []
        for called, item in rows:
            of_tests = dict(zip(self.study.grid_tests, item.headlines.values(), strict=True))
            row = {
                **called,
                **{f"gain on {test}": with_interval(gain) for test, gain in of_tests.items()},
            }
            row["loss"] = as_loss(item.differences[LOSS]) if LOSS in item.differences else ""
            listed.append(
                row | ({asked: item.remark if item.at_the_floor else item.answer} if asked else {})
            )
        said = (
            "Points of F0.5, and differences of validation loss in bits per subword; 95% intervals."
        )
        return self.table(pd.DataFrame(listed), name, f"{note} {said}".strip())

    def gains(
        self,
        grid: Sequence[System],
        column: str = "method",
        against: Any = "none",
        measures: Sequence[str] = ("f05",),
    ) -> pd.DataFrame:
        """Scores of each kind of system minus those of its opponent, paired as in
        :meth:`differences`, for figures.

        Returns:
            One row for each measure and kind: its choices (``method``, ``setting``, ...);
            ``study``; ``measure`` as tables print it; in points ``gain`` and its 95% interval,
            ``low`` and ``high``; ``models``, one a seed; whether the gain is ``clear``, more than
            chance by the rule of tables; whether both sides are ``at_the_floor`` and the gain says
            nothing.
        """
        rows = []
        compared = self._compared(grid, column, against)
        for measure in (MEASURES[name] for name in measures):
            for item, is_clear in zip(compared, clear(compared, measure), strict=True):
                difference = item.differences[measure]
                low, high = difference.interval
                gain = {
                    "gain": 100 * difference.value,
                    "low": 100 * low,
                    "high": 100 * high,
                    "models": item.seeds[0],
                }
                decided = is_clear and not item.of_one_model
                marks = {"clear": decided, "at_the_floor": item.at_the_floor}
                rows.append(
                    {**item.choices, "study": THIS_STUDY, "measure": measure, **gain, **marks}
                )
        return pd.DataFrame(rows)

    def claims(self, claims: Sequence[Claim], name: str) -> Html:
        """The differences that bear on a paper's claims, beside its own. The front page judges what
        is saved here.
        """
        compared = [
            (claim, self._compared(claim.grid, claim.column, claim.against)) for claim in claims
        ]
        rows = claim_rows(compared, self._notebook, self.study.profile.name)
        if not rows.empty:
            self._write(f"tables/{name}.csv", as_csv(rows))
        return claims_html(rows)

    def predicted(self, scores: pd.DataFrame, grid: str) -> Finding:
        """Whether the run that the profile names under ``predicted_by`` ranks methods as these
        scores do; else nothing.

        Args:
            grid: the name of the other run's grid of methods.
        """
        other = self.study.profile.predicted_by
        if other is None:
            return Finding("")
        theirs = Study.open(other, store=self.study.store.root)
        systems = theirs.grid(grid)
        if theirs.stock([theirs.planner.score(system, theirs.test) for system in systems]).to_build:
            return Finding(f"*There are no results of `{other}` to compare these with.*")
        ours, of_other = (
            dict(table.groupby("method").f05.mean()) for table in (scores, theirs.scores(systems))
        )
        return rank_agreement(ours, of_other, other)

    def _note_on_tuning(self, grid: Sequence[System]) -> str:
        # Most studies tune on no test set, and need not read their scores again to know it.
        return (
            note_on_tuning(self.study.scores(grid)) if grid and self.study.planner.tuned_on else ""
        )

    def _compared(
        self, grid: Sequence[System | Pipeline], column: str, against: Any
    ) -> list[Contrast]:
        """The contrasts of a grid, each computed once: a table's marks, its differences and its
        claims share them.
        """
        key = (tuple(grid), column, against)
        if key not in self._contrasts and column == "system":
            self.study.scores(grid)
            kinds = {
                name: [system for system in grid if system.name == name]
                for name in (system.name for system in grid)
            }
            self._contrasts[key] = [
                contrast(
                    f"{_part(name)} against {_part(against)}",
                    self.study.side(kind),
                    self.study.side(kinds[against]),
                )
                for name, kind in kinds.items()
                if name != against and against in kinds
            ]
        elif key not in self._contrasts:
            self.study.scores(grid)
            single = (system for system in grid if isinstance(system, System))
            self._contrasts[key] = [
                contrast(
                    label,
                    self.study.side(ours),
                    self.study.side(theirs),
                    choices=ours[0].choices,
                    **inequality(
                        budget_of_seeds(self.study, ours),
                        budget_of_seeds(self.study, theirs),
                        column == "setting",
                    ),
                )
                for label, ours, theirs in opponents(single, column, against)
            ]
        return self._contrasts[key]

    def in_short(self, notebook: str) -> Finding:
        """The answer of a notebook, written by hand, if its numbers are those of this run's
        tables.
        """
        written = conclusion(self.study.profile.name, notebook, self.study.outputs)
        return written[0] if written else NOT_WRITTEN

    def conclusion(self, notebook: str) -> Finding:
        """What was written by hand behind `in_short`; empty where nothing was."""
        written = conclusion(self.study.profile.name, notebook, self.study.outputs)
        return written[1] if written else Finding()

    # Figures

    def figure(self, picture: Picture | Finding, name: str) -> Finding | None:
        """Save a figure as PNG and SVG; show it with its caption and a description for blind
        readers.
        """
        if isinstance(picture, Finding):
            return picture
        import matplotlib.pyplot as plt

        figure = picture.figure
        description = describe(figure)
        drawings = {}
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, bbox_inches="tight", metadata=metadata)
            drawings[kind] = _in_few_colours(drawn) if kind == "png" else drawn.getvalue()
            self._write(f"figures/{name}.{kind}", drawings[kind])
        if not picture.data.empty:
            self._write(
                f"figures/{name}.csv", as_csv(picture.data.dropna(axis="columns", how="all"))
            )
        plt.close(figure)  # or the notebook would show it again, without its description
        show_figure(drawings["png"], name, picture.caption, description)
        return None

    def _write(self, path: str, content: bytes) -> None:
        with write_atomically(self.study.outputs / path) as stream:
            stream.write(content)


def _in_few_colours(png: io.BytesIO) -> bytes:
    """The picture with a palette, which takes a third of the bytes; notebooks keep a copy of
    each.
    """
    from PIL import Image

    smaller = io.BytesIO()
    Image.open(png).convert("RGB").quantize(64).save(smaller, "png", optimize=True)
    return smaller.getvalue()


def _part(system: str) -> str:
    """A system by the part that it adds, such as ``+language model``; a cell of a table cannot
    begin with the sign.
    """
    return readable(system).removeprefix("+")


def _called(systems: Iterable[System]) -> dict[str, str]:
    """The names of systems of a grid: their methods, with setting and amount of pseudo data where
    methods are equal.
    """
    kinds = {system.name: system for system in systems}
    methods = [system.method for system in kinds.values()]
    return {
        name: method_label(system.method)
        + (
            f", {readable(system.setting)}, {system.pseudo_pairs:,}"
            if methods.count(system.method) > 1
            else ""
        )
        for name, system in kinds.items()
    }
