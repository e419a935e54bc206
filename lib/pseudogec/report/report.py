"""What a notebook uses to show results: tables and figures that say how they were made and are kept as files."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from artefacts.engine import with_ancestors
from artefacts.files import write_atomically
from artefacts.progress import format_duration
from pseudogec.report import contrasts, figures
from pseudogec.report.findings import NOT_LISTED, Finding, varies
from pseudogec.report.looks import use_theme
from pseudogec.report.noise_profiles import Profile, profile_table, share_table, type_shares
from pseudogec.report.paper import named_table, paper_scores
from pseudogec.report.shown import describe, kept_as, show_figure
from pseudogec.report.styled_tables import StyledTable
from pseudogec.report.tables import (
    MEASURES,
    METHOD_NAMES,
    beside_paper,
    mean_and_spread,
    plain_style,
    style,
    summarise,
    text_style,
)
from pseudogec.study import Pipeline, Study, System

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Report:
    """Tables and figures of one study.

    Every table is written to ``<outputs>/tables/NAME.csv``, every figure to ``<outputs>/figures/NAME.png`` and ``.svg``, with the
    numbers behind it in ``.csv``.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._contrasts: dict[tuple[Any, ...], list[contrasts.Contrast]] = {}
        use_theme()

    @property
    def provenance(self) -> str:
        """How the study's numbers come about: data, profile, seeds."""
        return self.origin()

    def origin(self, seeds: Iterable[int] | None = None) -> str:
        """How numbers came about that rest on these seeds, by default the study's; 0 stands for an ensemble of several."""
        seeds = self.study.seeds if seeds is None else seeds
        profile = self.study.profile
        kind = (
            "Simulation: trained and tested on the embedded world, whose truth is known, not on the paper's data."
            if profile.simulation
            else "Trained and tested on real learner text."
        )
        single = sorted({int(seed) for seed in seeds} - {0})
        named = f" Seed{'s' if len(single) > 1 else ''} {', '.join(map(str, single))}." if single else ""
        return f"{kind} Profile {profile.name}: {profile.description}{named}"

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
            scores: tidy scores.
            rows: the column or columns that name a row, such as ``method``.
            name: file name of the table.
            paper: published table to set beside it, such as ``taslp2020:IV``.
            marked: the grid of these scores, if differences from its baseline are to be marked (those of ``differences``).
        """
        if scores.empty:
            return NOT_LISTED
        rows = [rows] if isinstance(rows, str) else list(rows)
        table = summarise(scores, rows)
        if paper is not None:
            table = beside_paper(table, rows, paper, self._paper_names())
        self.save_table(table, name)
        scorers = "; ".join(sorted(set(scores.signature)))
        datasets = ", ".join(dict.fromkeys(scores.dataset))
        marks = self._marks(marked, rows)
        caption = (
            f"Percent on {datasets}; mean ± standard deviation over seeds; the best of each column in bold. "
            f"{contrasts.NOTE_ON_MARKS if any(marks.values()) else ''} {self.origin(scores.seed)} Scorer: {scorers}."
        )
        return kept_as(style(table, rows, " ".join(caption.split()), paper, marks), name)

    def _marks(self, grid: Sequence[System], rows: Sequence[str]) -> dict[tuple[str, ...], dict[str, str]]:
        """A mark for each measure in which a system clearly differs from the baseline of its grid, by the names of its row."""
        names = {title: measure for measure, title in MEASURES.items()}
        # One seed may speak of its own model alone, so that it earns no mark.
        return {
            tuple(str(getattr(found.system, row) or "") for row in rows): {
                names[title]: " *" for title, values in found.differences.items() if len(values) > 1 and found.is_clear(title)
            }
            for found in self.compared(grid, "method", "none")
        }

    def compared(self, grid: Sequence[System], column: str, against: Any) -> list[contrasts.Contrast]:
        """The contrasts that :meth:`differences` shows, each computed once."""
        key = (tuple(grid), column, against)
        if key not in self._contrasts:
            self.study.scores(grid)
            self._contrasts[key] = list(contrasts.contrasts(self.study, grid, column, against))
        return self._contrasts[key]

    def paper_table(self, paper: str) -> StyledTable:
        """A published table as it was printed, such as ``choe2019:5``, where ours has no counterpart row by row."""
        table = paper_scores(paper)
        shown = table[["system", "dataset", "scorer", "precision", "recall", "f05"]].dropna(axis="columns", how="all")
        decimals = dict.fromkeys(("precision", "recall", "f05"), 2)
        return self.published(shown, f"{named_table(paper)}; percent.", decimals)

    def table(
        self,
        table: pd.DataFrame,
        name: str,
        note: str = "",
        decimals: Mapping[str, int] | None = None,
        seeds: Iterable[int] | None = None,
    ) -> StyledTable:
        """Any table, numbers right-aligned, with a caption that says how it came about.

        Args:
            table: what to show; column names are shown as they are.
            name: file name of the table.
            note: a sentence for the caption.
            decimals: digits after the point of a column of fractions; whole numbers get thousands separators.
            seeds: that the numbers rest on, none where they are no model's; by default the study's.
        """
        self.save_table(table, name)
        return kept_as(plain_style(table, f"{note} {self.origin(seeds)}".strip(), decimals or {}), name)

    def f05_by_level(self, scores: pd.DataFrame, name: str) -> StyledTable:
        """F0.5 of each method by proficiency level, in percent, mean ± standard deviation over seeds; each level's best is bold.

        Args:
            scores: tidy scores split by level.
            name: file name of the table.
        """
        summary = self.save_table(summarise(scores, ["method", "level"]), name)
        cells = list(map(mean_and_spread, summary.f05, summary.f05_sd))
        table = summary.assign(cell=cells).pivot(index="method", columns="level", values="cell").fillna("")
        table = table.reindex(index=list(dict.fromkeys(summary.method))).rename(index=METHOD_NAMES)
        note = (
            "F0.5 in percent by the writer's proficiency level, mean ± standard deviation over seeds; each level's best in bold."
        )
        shown = text_style(table.rename_axis(None, axis="columns").reset_index(), f"{note} {self.provenance}")
        return kept_as(shown, name)

    def published(self, table: pd.DataFrame, note: str, decimals: Mapping[str, int] | None = None) -> StyledTable:
        """A published table, with its source as caption.

        Args:
            table: numbers of a paper, such as :func:`pseudogec.report.paper_datasets` gives.
            note: paper and table.
            decimals: digits after the point of a column of fractions.
        """
        return plain_style(table, note, decimals or {})

    def styled(self, table: pd.DataFrame, caption: str) -> StyledTable:
        """A table of texts as it stands."""
        return text_style(table, caption)

    def texts(self, table: pd.DataFrame, name: str, note: str, seeds: Iterable[int] | None = None) -> StyledTable:
        """A table of texts, kept as a file, with a caption that says how it came about; on the study's seeds by default."""
        self.save_table(table, name)
        return kept_as(text_style(table, f"{note} {self.origin(seeds)}"), name)

    def cost(self, systems: Sequence[System | Pipeline]) -> Finding:
        """What it took to build these systems and all that they rest on, from the store's records.

        Args:
            systems: of a grid or comparison; their scores must have been built.
        """
        store = self.study.store
        every = with_ancestors([self.study.planner.score(system, self.study.test) for system in systems])
        seconds: dict[str, list[float]] = {}
        for recipe in every:
            seconds.setdefault(recipe.kind, []).append(store.result(recipe)["seconds"])
        if not seconds:
            return NOT_LISTED
        longest = sorted(seconds, key=lambda kind: -sum(seconds[kind]))[:3]
        parts = [f"{kind.replace('_', ' ')} ({len(seconds[kind])}) {format_duration(sum(seconds[kind]))}" for kind in longest]
        whole = format_duration(sum(map(sum, seconds.values())))
        return Finding(
            f"*{len(every):,} artefacts stand behind this section: {whole} of one worker's time when they were built, most of it "
            f"for {', '.join(parts)}. The store keeps them; what is there is not built again.*"
        )

    def save_table(self, table: pd.DataFrame, name: str) -> pd.DataFrame:
        """Write a table as CSV and return it."""
        self._write(f"tables/{name}.csv", as_csv(table))
        return table

    def save_figure(
        self,
        figure: Figure,
        name: str,
        caption: str = "",
        seeds: Iterable[int] | None = None,
        data: pd.DataFrame | None = None,
    ) -> Figure:
        """Write a figure as PNG and SVG, show it in the notebook with its caption and its description, and return it.

        Args:
            figure: what was drawn; a line below it will say how its numbers came about.
            name: file name.
            caption: what is shown and how to read it.
            seeds: that the numbers rest on; by default the study's.
            data: what was drawn, for ``NAME.csv`` beside the picture.
        """
        import matplotlib.pyplot as plt

        description = describe(figure)
        origin = textwrap.fill(self.origin(seeds), int(14 * figure.get_figwidth()))
        figure.text(0, -0.02, origin, fontsize=7.5, va="top", color="#444444")
        pictures = {}
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, bbox_inches="tight", metadata=metadata)
            pictures[kind] = drawn.getvalue()
            self._write(f"figures/{name}.{kind}", pictures[kind])
        if data is not None:
            self._write(f"figures/{name}.csv", as_csv(data.dropna(axis="columns", how="all")))
        plt.close(figure)  # or the notebook would show it again, without its description
        show_figure(pictures["png"], name, caption, description)
        return figure

    def _write(self, path: str, content: bytes) -> None:
        with write_atomically(self.study.outputs / path) as stream:
            stream.write(content)

    def bars_by_method(self, scores: pd.DataFrame, name: str, paper: str | None = None) -> Figure:
        """Precision, recall and F0.5 by method, the paper's as hollow markers; see :func:`figures.bars_by_method`."""
        seeds = scores.seed.nunique()
        caption = f"Mean over {seeds} seed{'s' if seeds > 1 else ''}, one dot a seed, error bars one standard deviation."
        theirs = None if paper is None else paper_scores(paper)
        if paper is not None:
            caption += f" Hollow: {named_table(paper)}, on another test set."
        return self.save_figure(figures.bars_by_method(scores, theirs), name, caption, scores.seed, scores)

    def error_types_by_level(self, edits: pd.DataFrame, name: str, most: int = 10) -> Figure:
        """Which errors writers of each level make; see :func:`figures.error_types_by_level`."""
        caption = (
            f"Share of each level's edits; the {most} types that are most frequent over all levels. In brackets how many edits a "
            "level has: of a hundred edits a share of 10% is known to within about 6 points."
        )
        counts = edits.value_counts(["level", "error_type"], sort=False).reset_index(name="edits")
        return self.save_figure(figures.error_types_by_level(edits, most), name, caption, (), counts)

    def sweep(
        self,
        scores: pd.DataFrame,
        parameter: str,
        symbol: str,
        baseline: pd.DataFrame,
        published_best: Mapping[str, float],
        name: str,
    ) -> Figure | Finding:
        """F0.5 against a parameter, or a note where the profile does not vary it; see :func:`figures.sweep`."""
        import pandas as pd

        if not varies(scores, parameter):
            return Finding(f"This profile does not vary {symbol}.")
        seeds = scores.groupby("parameters").seed.nunique().max()
        caption = (
            f"{seeds} seed{'s' if seeds > 1 else ''} a point; {_baseline_told(baseline)} Marks on the upper edge are no scores: "
            "they show which values the papers found best."
        )
        figure = figures.sweep(scores, parameter, symbol, baseline, published_best)
        return self.save_figure(figure, name, caption, scores.seed, pd.concat([scores, baseline]))

    def f05_by(
        self, scores: pd.DataFrame, column: str, name: str, paper: str | None = None, panels: str | None = None
    ) -> Figure | Finding:
        """F0.5 by a category and method, the paper's as hollow points; see :func:`figures.f05_by`.

        Args:
            scores: tidy scores.
            column: what the horizontal axis shows.
            name: file name of the figure.
            paper: published table to set beside it.
            panels: a column that has a panel for each value, such as ``pseudo_pairs``.
        """
        if scores.empty:
            return NOT_LISTED
        systems = scores[scores.method != "none"]
        rows = ["method", column, *([panels] if panels else [])]
        table = summarise(systems, rows)
        means = {"baseline": _f05_of_baseline(scores)}
        caption = "Filled: this study, mean over seeds, error bars one standard deviation."
        if paper is not None:
            table = beside_paper(table, rows, paper, self._paper_names()).iloc[: len(table)]
            means["paper_baseline"] = _f05_of_baseline(paper_scores(paper))
            caption += f" Hollow: {named_table(paper)}, on another test set."
        order = list(dict.fromkeys(systems[column]))
        return self.save_figure(figures.f05_by(table, column, order, panels=panels, **means), name, caption, scores.seed, table)

    def against_size(
        self,
        scores: pd.DataFrame,
        column: str,
        label: str,
        name: str,
        published: Sequence[str] = (),
        beside: tuple[str, pd.DataFrame] | None = None,
    ) -> Figure:
        """F0.5 against a size, one line a method; see :func:`figures.against_size`.

        Args:
            scores: tidy scores, and those of a baseline.
            column: the size.
            label: how the axis prints it.
            name: file name of the figure.
            published: tables whose scores in the same settings have a panel of their own.
            beside: what other systems of these sizes are called, and their scores: pale lines.
        """
        import pandas as pd

        theirs = None
        if published:
            every = pd.concat([paper_scores(table) for table in published])
            theirs = every[every.setting.isin(scores.setting)].drop_duplicates(["method", column])
        systems, baseline = scores[scores.method != "none"], scores[scores.method == "none"]
        several = systems.seed.nunique() > 1
        caption = "Mean over seeds, error bars one standard deviation." if several else "One seed a point, so no error bars."
        if len(baseline):
            caption += f" {_baseline_told(baseline).capitalize()}"
        if published:
            caption += f" Hollow: {'; '.join(map(named_table, published))}, on another test set."
        figure = figures.against_size(scores, column, label, theirs, beside)
        return self.save_figure(figure, name, caption, systems.seed, scores)

    def differences(self, grid: Sequence[System], column: str = "method", against: Any = "none") -> Finding:
        """Whether systems that differ in one choice differ in their scores, over seeds and over sentences.

        Args:
            grid: systems of several seeds.
            column: the choice: ``method``, ``seed_corpus``, ``setting``, ``pseudo_pairs``, ``upsample``, or a method's parameter.
            against: the value that all others are compared with; by default the baseline, which is compared with every system.

        Returns:
            A table, or a line that says that there is nothing to compare, as in a profile without these systems.
        """
        return contrasts.as_table(self.compared(grid, column, against))

    def noise_profiles(self, profiles: Mapping[str, Profile], genuine: Profile, name: str) -> StyledTable:
        """How near each method's errors are to the learners'; see :func:`noise_profiles.profile_table`."""
        decimals = {"edits a token": 3, "missing": 2, "replacement": 2, "unnecessary": 2, "distance to genuine": 2}
        return self.table(profile_table(profiles, genuine), name, "", decimals, ())

    def type_shares(self, profiles: Mapping[str, Profile], genuine: Profile, name: str) -> Figure:
        """Error types of pseudo and genuine data; see :func:`noise_profiles.type_shares`."""
        caption = (
            "Share of the edits that would correct the data: the ten types that are most frequent in the genuine data, and all "
            "others."
        )
        return self.save_figure(type_shares(profiles, genuine), name, caption, (), share_table(profiles, genuine))

    def _paper_names(self) -> dict[str, str]:
        """Our seed corpus -> the paper's that it stands for."""
        return {name: item.stands_for for name, item in self.study.profile.corpora.seeds.items() if item.stands_for}


def as_csv(table: pd.DataFrame) -> bytes:
    """A table as the bytes of a CSV file."""
    return table.to_csv(index=False, float_format="%.4f").encode()


def _baseline_told(baseline: pd.DataFrame) -> str:
    """On what the line of a baseline rests, as a sentence in lower case."""
    seeds = baseline.seed.nunique()
    if seeds == 1:
        return "the dashed line is the baseline."
    return f"the dashed line is the baseline's mean over {seeds} seeds, the grey band one standard deviation."


def _f05_of_baseline(scores: pd.DataFrame) -> float | None:
    """Mean F0.5 of the systems without pseudo data in percent, whether scores are given so (a paper's) or as fractions."""
    values = scores[scores.method == "none"].f05
    return None if values.empty else float(values.mean() * (1 if values.max() > 1 else 100))
