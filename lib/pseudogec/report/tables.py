"""Tables: mean and spread over seeds, the paper's numbers beside ours, and their style in notebooks
and on pages.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Self

import pandas as pd
from pandas.io.formats.style import Styler

from pseudogec.edits import DETECTION_TYPES, type_distance
from pseudogec.evaluate import ERRANT, LENGTHS, TextStatistics, main_type, wi_statistics
from pseudogec.noise import TextMethod
from pseudogec.report.display import NO_SIMULATION, TABLE_ATTRIBUTE, Finding, csv_cell
from pseudogec.report.methods import method_label, readable
from pseudogec.report.papers import named_table, paper_corpora_by_track, paper_scores
from pseudogec.report.trainings import budget
from pseudogec.study import Pipeline, Study, System

MEASURES = {measure.name: measure.label for measure in ERRANT.measures}

FIGURE_SPACE = "\N{FIGURE SPACE}"
"""As wide as a digit: put before a short number, it aligns the points of a column."""

_LOOKS: list[Any] = [
    {
        "selector": "caption",
        "props": "caption-side: bottom; text-align: left; font-size: 0.9em; padding-top: 0.5em",
    },
    {"selector": "th.col_heading", "props": "text-align: left"},
    {"selector": "th.col_heading.level0", "props": "border-bottom: 1px solid #999"},
    {"selector": "th.data", "props": "text-align: left; font-weight: normal"},
    {"selector": "td", "props": "text-align: left; vertical-align: top"},
]
_HEAD = re.compile(r'<th (id="[^"]*" class="col_heading[^"]*"(?: colspan="(\d+)")?)')
_FIGURE = rf"^{FIGURE_SPACE}*(-?\d+\.\d+)(?: ± .*)?$"


class StyledTable(Styler):
    """A pandas Styler without an index whose first columns name the rows.

    Args:
        caption: what the table is; it is shown below.
        headings: how many columns name a row.
    """

    def __init__(self, table: pd.DataFrame, caption: str = "", headings: int = 1) -> None:
        # pandas draws the identifiers of cells at random. Made from the content, they are the same
        # when a notebook is run again.
        content = hashlib.sha256(f"{caption}\n{table.to_csv()}".encode()).hexdigest()
        super().__init__(table, uuid=content[:8])
        self._table, self._headings = table, headings
        self.hide(axis="index").set_caption(escape(caption, quote=False)).set_table_styles(_LOOKS)
        self.format(na_rep="", escape="html").format_index(escape="html", axis="columns")

    def __repr__(self) -> str:
        """The table as text, without an address in memory, which differs from run to run."""
        return self._table.to_string(index=False, na_rep="")

    def saved_as(self, name: str) -> Self:
        """Put the name under which the table was saved into the HTML."""
        self.set_uuid(name).set_table_attributes(f'{TABLE_ATTRIBUTE}="{name}"')
        return self

    def in_figures(self, columns: Sequence[Hashable], end: bool = False) -> Self:
        """Set columns of numbers, or of texts that begin with one, in figures of equal width.

        Args:
            end: at the right edge, for whole numbers and columns whose texts end alike.
        """
        if columns:
            self.set_properties(
                subset=list(columns),
                **{"font-variant-numeric": "tabular-nums", "white-space": "nowrap"},
            )
        if end:
            places = [
                place for place, name in enumerate(self._table.columns) if name in set(columns)
            ]
            cells = [f"{cell}.col{place}" for place in places for cell in ("th.col_heading", "td")]
            self.set_table_styles(
                [{"selector": cell, "props": "text-align: right"} for cell in cells],
                overwrite=False,
            )
        return self

    def best(self, values: Mapping[Hashable, pd.Series]) -> Self:
        """Print the largest value of each column, given as printed, in bold, equal ones
        together.
        """
        for column, numbers in values.items():
            if numbers.notna().sum() > 1:
                self._bold(column, numbers == numbers.max())
        return self

    def best_in_rows(self, values: pd.DataFrame) -> Self:
        """Print the largest value of each row, given as printed, in bold, equal ones together."""
        best = values.eq(values.max(axis="columns"), axis="index")
        for column in best:
            self._bold(column, best[column])
        return self

    def _bold(self, column: Hashable, chosen: pd.Series) -> None:
        looks = ["font-weight: bold" if item else "" for item in chosen]
        self.apply(lambda _: looks, subset=[column])

    def to_html(self, *arguments: Any, **options: Any) -> Any:
        """As pandas writes it, with the scope of every heading (WCAG 1.3.1), and the cells that
        name a row as headings.
        """
        written = super().to_html(*arguments, **options)
        if not isinstance(written, str):
            return written
        written = _HEAD.sub(
            lambda match: f'<th scope="col{"group" if match[2] else ""}" {match[1]}', written
        )
        for column in range(self._headings):
            cell = rf'<td (id="[^"]*_row\d+_col{column}" [^>]*)>(.*?)</td>'
            written = re.sub(cell, r'<th scope="row" \1>\2</th>', written, flags=re.DOTALL)
        return written


def styled(
    table: pd.DataFrame, caption: str, decimals: Mapping[str, int] | None = None
) -> StyledTable:
    """A table to look at: numbers at the right edge; where all columns are texts, the best of texts
    like ``30.1 ± 0.4`` is bold.

    Args:
        caption: what it is, and how it came about or where it is from.
        decimals: digits after the point of a column of fractions; whole numbers get thousands
            separators.
    """
    digits = decimals or {}
    formats: dict[Any, Any] = {
        name: f"{{:,.{digits.get(str(name), 0)}f}}" for name in table.select_dtypes("number")
    }
    shown = StyledTable(table, caption)
    shown.format(formats, na_rep="", escape="html").in_figures(list(formats), end=True)
    values = {}
    for column in [] if formats else list(table)[1:]:
        read = table[column].astype(str).str.extract(_FIGURE)[0].astype(float)
        if read.notna().any() and (read.notna() | table[column].isin(["", NO_EDITS])).all():
            values[column] = read
    return shown.in_figures(list(values)).best(values)


def as_csv(table: pd.DataFrame) -> bytes:
    return (
        table.map(csv_cell)
        .rename(columns=csv_cell)
        .to_csv(index=False, float_format="%.4f")
        .encode()
    )


# Scores

THIS_STUDY = "this study"
"""The name of our results beside those of papers."""

NO_EDITS = "\N{EN DASH}"
"""Shown for the precision of a system that makes no edit: the conventional 1 would look like a good
score.
"""


def without_empty_precision(scores: pd.DataFrame) -> pd.DataFrame:
    """Tidy scores in which precision is missing where a system makes no edit."""
    return scores.assign(precision=scores.precision.mask(scores.tp + scores.fp == 0))


def note_on_tuning(scores: pd.DataFrame) -> str:
    """A footnote for a table of scores in which a system was tuned on the sentences that it is
    scored on; else nothing.
    """
    if "tuned_on_test" not in scores or scores.tuned_on_test.isna().all():
        return ""
    systems = {
        str(what): "every row"
        if len(part) == len(scores)
        else ", ".join(dict.fromkeys(part.system))
        for what, part in scores.groupby("tuned_on_test", sort=False)
    }
    said = "; ".join(f"{what} ({named})" for what, named in systems.items())
    return (
        "Chosen on the same sentences that are scored, so scores are higher than on "
        f"others: {said}."
    )


def summarise(scores: pd.DataFrame, rows: Sequence[str]) -> pd.DataFrame:
    """Mean and standard deviation over seeds, in percent; precision is that of the models that make
    edits.

    Returns:
        One row for each combination, in order of first appearance: ``rows``, ``seeds``, and for
        each measure its mean and ``<measure>_sd`` (sample standard deviation; missing with one
        seed); so, too, those of `further_measures`.
    """
    grouped = (without_empty_precision(scores) if {"tp", "fp"} <= set(scores) else scores).groupby(
        list(rows), sort=False
    )
    table = grouped[list(MEASURES)].mean() * 100
    spread = grouped[list(MEASURES)].std() * 100
    # Seed 0 stands for a system that exists once.
    table.insert(0, "seeds", grouped["seed"].agg(lambda seeds: seeds[seeds > 0].nunique()))
    for measure in MEASURES:
        table[f"{measure}_sd"] = spread[measure]
    for name, (_, unit, _) in further_measures(scores).items():
        table[name], table[f"{name}_sd"] = grouped[name].mean() * unit, grouped[name].std() * unit
    return table.reset_index()


def further_measures(scores: pd.DataFrame) -> dict[str, tuple[str, int, int]]:
    """The known columns of `Study.scores` beside ``MEASURES``: what tables call them, their unit,
    and its decimals.
    """
    names = [
        str(name) for name in scores if name == "loss" or re.match(r"f05 on (?!.*_sd$)", str(name))
    ]
    known = [name for name in names if scores[name].notna().any()]
    return {
        name: ("loss", 1, 3) if name == "loss" else (name.replace("f05", MEASURES["f05"]), 100, 1)
        for name in known
    }


def beside_paper(
    ours: pd.DataFrame, rows: Sequence[str], paper: str, stands_for: Mapping[str, str]
) -> pd.DataFrame:
    """Join a summary with a published table on the columns that name its rows.

    Args:
        rows: columns that name a row; ``pseudo_pairs`` above 0 are matched by rank, since scales
            differ.
        stands_for: our seed corpus -> the paper's that it stands for.

    Returns:
        Our rows in our order, then those that only the paper has in the paper's, with columns
        ``paper_precision``, ``paper_recall``, ``paper_f05``, and ``paper_seed_corpus`` and
        ``paper_pseudo_pairs`` where these name rows.

    Raises:
        KeyError: the published table has no such column.
        MergeError: it has several rows for one of ours.
    """
    published = paper_scores(paper)
    theirs = published[[*rows, *MEASURES]].rename(
        columns={measure: f"paper_{measure}" for measure in MEASURES}
    )
    keyed = ours.assign(_place=range(len(ours)))
    theirs = theirs.assign(_paper_place=range(len(theirs)))
    join = list(rows)
    # These differ between a study and the paper: they are joined by what they stand for, and both
    # are kept.
    if "seed_corpus" in rows:
        keyed["_seed_corpus"] = [stands_for.get(name, name) for name in keyed["seed_corpus"]]
        theirs["_seed_corpus"] = theirs["seed_corpus"]
    if "pseudo_pairs" in rows:
        keyed["_pseudo_pairs"], theirs["_pseudo_pairs"] = (
            _ranks(keyed["pseudo_pairs"]),
            _ranks(theirs["pseudo_pairs"]),
        )
    for name in {"seed_corpus", "pseudo_pairs"} & set(rows):
        theirs = theirs.rename(columns={name: f"paper_{name}"})
        join[join.index(name)] = f"_{name}"
    # Several rows of the paper for one of ours are refused: further columns must name them.
    merged = keyed.merge(theirs, on=join, how="outer", validate="many_to_one").sort_values(
        ["_place", "_paper_place"], ignore_index=True
    )
    return merged.drop(columns=[name for name in merged if str(name).startswith("_")])


def _ranks(sizes: pd.Series) -> pd.Series:
    """1 for the smallest amount of pseudo data, 2 for the next; 0 for none, whether or not a table
    holds a baseline.
    """
    return sizes.where(sizes > 0).rank(method="dense").fillna(0)


def comparison(
    table: pd.DataFrame,
    rows: Sequence[str],
    caption: str,
    paper: str | None,
    marked: Mapping[tuple[str, ...], Mapping[str, str]] | None = None,
) -> StyledTable:
    """A table to look at: our means, F0.5 with its spread, the paper's beside it, the best of each
    column in bold.

    Args:
        paper: the published table beside ours, if there is one.
        marked: row, by the values of ``rows`` as text -> measure -> what is written behind it, such
            as a mark of significance.
    """
    cells: dict[tuple[str, str], list[str]] = {}
    for name in rows:
        names = [_row_name(name, value) for value in table[name]]
        if f"paper_{name}" in table:
            names = [
                _both(ours, _row_name(name, theirs))
                for ours, theirs in zip(names, table[f"paper_{name}"], strict=True)
            ]
        cells["", name.replace("_", " ")] = names
    ours = THIS_STUDY
    cells[ours, "seeds"] = [_whole(value) if value else "" for value in table["seeds"]]
    marks = [
        (marked or {}).get(tuple(map(_key, key)), {})
        for key in table[list(rows)].itertuples(index=False)
    ]
    for measure, title in MEASURES.items():
        pairs = zip(table[measure], table[f"{measure}_sd"], strict=True)
        # Spreads of all measures would make the table too wide.
        texts = [mean_and_spread(*pair) if measure == "f05" else _number(pair[0]) for pair in pairs]
        cells[ours, title] = [
            text + mark.get(measure, "") for text, mark in zip(texts, marks, strict=True)
        ]
        if measure == "precision":
            no_edits = table["precision"].isna() & table["recall"].notna()
            cells[ours, title] = [
                NO_EDITS if none else cell
                for none, cell in zip(no_edits, cells[ours, title], strict=True)
            ]
    columns = {(ours, title): table[measure] for measure, title in MEASURES.items()}
    others = []
    for name, (title, _, decimals) in further_measures(table).items():
        pairs = zip(table[name], table[f"{name}_sd"], strict=True)
        cells[ours, title] = [
            _number(pair[0], decimals) if name == "loss" else mean_and_spread(*pair, decimals)
            for pair in pairs
        ]
        others.append((ours, title))
    if paper is not None:
        theirs = named_table(paper)
        for measure, title in MEASURES.items():
            if table[f"paper_{measure}"].notna().any():
                cells[theirs, title] = [_number(value) for value in table[f"paper_{measure}"]]
                columns[theirs, title] = table[f"paper_{measure}"]
    shown = StyledTable(pd.DataFrame(cells, index=table.index), caption, headings=len(rows))
    return shown.in_figures([*columns, *others]).best(
        {column: values.round(1) for column, values in columns.items()}
    )


def f05_cells(summary: pd.DataFrame, rows: str, columns: str) -> pd.DataFrame:
    """F0.5 of a summary in percent, as mean ± standard deviation.

    The values of ``rows`` name the rows, in order of first appearance; those of ``columns`` the
    columns, sorted.
    """
    cells = summary.assign(cell=list(map(mean_and_spread, summary.f05, summary.f05_sd)))
    wide = cells.pivot(index=rows, columns=columns, values="cell").fillna("")
    return wide.reindex(index=list(dict.fromkeys(summary[rows]))).rename_axis(None, axis="columns")


def mean_and_spread(mean: float, spread: float, decimals: int = 1) -> str:
    """``30.1 ± 0.4``; without a spread the mean alone, and nothing without a mean."""
    return _number(mean, decimals) + (
        "" if spread != spread or mean != mean else f" ± {spread:.{decimals}f}"
    )


def _key(value: Any) -> str:
    """A value of ours as text; whole numbers become fractions beside rows that only the paper
    has.
    """
    return f"{value:.0f}" if isinstance(value, float) else str(value)


def _row_name(column: str, value: Any) -> str:
    if column == "method":
        return method_label(value)
    if column in {"pseudo_pairs", "upsample"}:
        return _whole(value)
    return "" if value != value else readable(str(value))


def _both(ours: str, theirs: str) -> str:
    return f"{ours} (paper: {theirs})" if ours and theirs and ours != theirs else ours or theirs


def _whole(value: Any) -> str:
    return "" if value != value else f"{int(value):,}"


def _number(value: float, decimals: int = 1) -> str:
    """A percentage with one decimal, as wide as any other, or a number with more."""
    return "" if value != value else f"{value:.{decimals}f}".rjust(4, FIGURE_SPACE)


def paper_table(reference: str) -> StyledTable:
    """A published table as it was printed, such as ``choe2019:5``, where ours has no counterpart
    row by row.
    """
    columns = ["system", "dataset", "metric", *MEASURES]
    shown = paper_scores(reference)[columns].dropna(axis="columns", how="all")
    return styled(shown, f"{named_table(reference)}; percent.", dict.fromkeys(MEASURES, 2))


def corpora_by_track(study: Study, grids: Mapping[str, Sequence[System]]) -> pd.DataFrame:
    """The use of each corpus in each track, the paper's (Choe et al. 2019, table 2) beside ours.

    Args:
        grids: track -> the systems that are trained in it.

    Returns:
        Columns ``use``, and for each track ``TRACK, paper`` and ``TRACK, here``; empty where the
        study has no such track.
    """
    paper = paper_corpora_by_track()
    table = paper[["use"]].copy()
    for track in paper.columns.drop("use"):
        table[f"{track}, paper"] = paper[track]
        table[f"{track}, here"] = _corpora_of(study, track, grids.get(track, ()))
    return table


def _corpora_of(study: Study, track: str, systems: Sequence[System]) -> list[str]:
    """Our corpora in the order of the paper's table."""
    if not systems:
        return [""] * len(paper_corpora_by_track())
    planner, profile = study.planner, study.profile
    data = planner.tracks[track]
    seeds = dict.fromkeys(system.seed_corpus or "" for system in systems)
    methods = [
        system.noise
        for system in systems
        if isinstance(system.noise, TextMethod) and system.noise.needs_pairs
    ]
    learnt = dict.fromkeys(planner.learnt_from(method, track).name for method in methods)
    adapted = any(
        "in_domain" in stage.data for system in systems for stage in profile.stages(system.setting)
    )
    tuned = data.in_domain.name if adapted and data.in_domain else "none"
    test = planner.dataset(systems[0], study.test)
    return [
        ", ".join(learnt),
        ", ".join(seeds),
        data.genuine.name,
        tuned,
        data.validation.name,
        test,
    ]


# Pseudo data and trainings

NoiseProfile = Mapping[str, Any]
"""``tokens``, ``edits`` and ``types`` (ERRANT type -> count) of a text's edits."""

_OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}


def noise_profiles(profiles: Mapping[str, NoiseProfile], genuine: NoiseProfile) -> pd.DataFrame:
    """The errors of pseudo data compared with those of learners (first row), by ERRANT's types.

    Edits a token; shares of missing, replacement and unnecessary edits; the distance of the types
    to the genuine ones. Errors that were marked but not corrected do not count.
    """
    rows = []
    for name, profile in {"genuine": genuine, **profiles}.items():
        types, operations = _corrected(profile), Counter[str]()
        for error_type, count in types.items():
            operations[error_type.partition(":")[0]] += count
        rows.append(
            {
                "method": method_label(name),
                "edits per token": types.total() / profile["tokens"],
                **{
                    title: operations[letter] / max(types.total(), 1)
                    for letter, title in _OPERATIONS.items()
                },
                "distance to genuine": type_distance(types, _corrected(genuine)),
            }
        )
    return pd.DataFrame(rows)


def type_shares(profile: NoiseProfile) -> Counter[str]:
    """Percent of a text's edits by type without the operation."""
    types, shares = _corrected(profile), Counter[str]()
    for error_type in types:
        shares[main_type(error_type)] += 100 * profile["types"][error_type] / types.total()
    return shares


def _corrected(profile: NoiseProfile) -> Counter[str]:
    """Its types with their counts, without errors that were marked but not corrected."""
    return Counter(
        {
            error_type: count
            for error_type, count in profile["types"].items()
            if error_type not in DETECTION_TYPES
        }
    )


def likeness_of_lengths(simulated: Mapping[str, TextStatistics]) -> pd.DataFrame | Finding:
    """Lengths of simulated sentences and edits, and of W&I's: three rows for each level, the last
    their ratio.
    """
    rows: list[dict[str, Any]] = []
    for level, ours in simulated.items():
        real = wi_statistics()[level]
        rows += [
            {"level": level, "text": "W&I", **{name: real.values[name] for name in LENGTHS}},
            {"level": level, "text": "simulation", **{name: ours.values[name] for name in LENGTHS}},
            {
                "level": level,
                "text": "simulation / W&I",
                **{name: ours.values[name] / real.values[name] for name in LENGTHS},
            },
        ]
    return pd.DataFrame(rows) if rows else NO_SIMULATION


def likeness_of_types(simulated: Mapping[str, TextStatistics]) -> pd.DataFrame | Finding:
    """The distance from W&I's error types of the simulation's, and of a random sample of W&I with
    the same number of edits.
    """
    rows = []
    for level, ours in simulated.items():
        real, edits = wi_statistics()[level], int(ours.values["edits"])
        distance, yardstick = ours.distance(real), real.yardstick(edits)
        ratio = {"distance / yardstick": distance / yardstick}
        rows.append(
            {"level": level, "edits": edits, "distance": distance, "yardstick": yardstick, **ratio}
        )
    return pd.DataFrame(rows) if rows else NO_SIMULATION


def training_lengths(study: Study, grid: Iterable[System]) -> pd.DataFrame:
    """The lengths of the trainings of systems of the first seed, from their records, to see whether
    a comparison is fair.

    Returns:
        One row for each kind of system: ``setting``; ``method``; ``pseudo pairs``, in all stages;
        ``updates``, stage after stage; ``passes over the genuine data``, in all stages.
    """
    rows = []
    first = min((system.seed for system in grid), default=0)
    for system in (each for each in grid if each.seed == first):
        trained = budget(study, system)
        rows.append(
            {
                "setting": system.setting,
                "method": method_label(system.method),
                "pseudo pairs": trained.pseudo_pairs,
                "updates": " + ".join(f"{updates:,}" for updates in trained.updates)
                or "record lost",
                "passes over the genuine data": trained.passes,
            }
        )
    return pd.DataFrame(rows)


def changes_made(study: Study, systems: Sequence[System | Pipeline]) -> pd.DataFrame:
    """How much systems change on the first test set, by ERRANT; a mean over their seeds each. Their
    scores must have been built.

    Returns:
        One row for each kind of system, and the reference's last: ``unchanged``, the share of
        sentences without an edit; of the sentences that need none, ``correct changed``, the share
        that has one, and ``false positives``, how many edits these have in all; ``edits per token``
        of the source.
    """
    rows = []
    for system in systems:
        right, wrong, missed = study.score(system).per_sentence().T
        tokens = study.result(study.planner.test_sentences(system, study.test))["source_tokens"]
        edits, needed = right + wrong, right + missed
        rows.append(
            {
                "system": system.name,
                "unchanged": (edits == 0).mean(),
                "correct changed": (edits[needed == 0] > 0).mean(),
                "false positives": wrong[needed == 0].sum(),
                "edits per token": edits.sum() / tokens,
            }
        )
    reference = {
        "system": "reference",
        "unchanged": (needed == 0).mean(),
        "edits per token": needed.sum() / tokens,
    }
    means = pd.DataFrame(rows).groupby("system", sort=False).mean().reset_index()
    return pd.concat([means, pd.DataFrame([reference])], ignore_index=True)
