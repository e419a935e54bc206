"""Tables: mean and spread over seeds, the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from artefacts.errors import UserError
from pseudogec.report.paper import named_table, paper_scores
from pseudogec.report.styled_tables import FIGURE_SPACE, StyledTable

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {"precision": "P", "recall": "R", "f05": "F0.5"}

METHOD_NAMES = {
    "none": "Baseline",
    "direct_noise": "DirectNoise",
    "direct_noise_spell": "DirectNoise (spell)",
    "backtrans": "Backtrans",
    "backtrans_noisy": "Backtrans (noisy)",
    "backtrans_noisy_sse": "Backtrans (noisy) + SSE",
    "backtrans_sample": "Backtrans (sample)",
    "realistic": "Realistic",
    "random": "Random",
}
"""Names of the methods as tables and figures print them."""


def summarise(scores: pd.DataFrame, rows: Sequence[str]) -> pd.DataFrame:
    """Mean and standard deviation over seeds, in percent.

    Args:
        scores: tidy scores, one row for each system and seed.
        rows: columns that name a row of the table.

    Returns:
        One row for each combination, in order of first appearance: ``rows``, ``seeds``, and for each measure its mean and
        ``<measure>_sd`` (sample standard deviation; missing with one seed).
    """
    grouped = scores.groupby(list(rows), sort=False)
    table = grouped[list(MEASURES)].mean() * 100
    spread = grouped[list(MEASURES)].std() * 100
    table.insert(0, "seeds", grouped["seed"].nunique())
    for measure in MEASURES:
        table[f"{measure}_sd"] = spread[measure]
    return table.reset_index()


def beside_paper(ours: pd.DataFrame, rows: Sequence[str], paper: str, seed_corpus_names: Mapping[str, str]) -> pd.DataFrame:
    """Join a summary with a published table on the columns that name its rows.

    Args:
        ours: result of :func:`summarise`.
        rows: columns that name a row; ``pseudo_pairs`` above 0 are matched by rank, since scales differ.
        paper: paper and table, such as ``taslp2020:IV``.
        seed_corpus_names: our seed corpus -> the paper's that it stands for.

    Returns:
        Our rows in our order, then those that only the paper has in the paper's, with columns ``paper_precision``,
        ``paper_recall``, ``paper_f05``, and ``paper_seed_corpus`` and ``paper_pseudo_pairs`` where these name rows.

    Raises:
        UserError: the published table has no such column, or several rows for one of ours.
    """
    published = paper_scores(paper)
    for name in rows:
        if name not in published:
            raise UserError(f"{paper} has no column `{name}`; rows can be named by {', '.join(_identity(published))}")
    theirs = published[[*rows, *MEASURES]].rename(columns={measure: f"paper_{measure}" for measure in MEASURES})
    keyed = ours.assign(_place=range(len(ours)))
    theirs = theirs.assign(_paper_place=range(len(theirs)))
    join = list(rows)
    # These differ between a study and the paper: they are joined by what they stand for, and both are kept.
    if "seed_corpus" in rows:
        keyed["_seed_corpus"] = [seed_corpus_names.get(name, name) for name in keyed["seed_corpus"]]
        theirs["_seed_corpus"] = theirs["seed_corpus"]
    if "pseudo_pairs" in rows:
        keyed["_pseudo_pairs"], theirs["_pseudo_pairs"] = _ranks(keyed["pseudo_pairs"]), _ranks(theirs["pseudo_pairs"])
    for name in {"seed_corpus", "pseudo_pairs"} & set(rows):
        theirs = theirs.rename(columns={name: f"paper_{name}"})
        join[join.index(name)] = f"_{name}"
    if theirs.duplicated(join).any():
        more = ", ".join(name for name in _identity(published) if name not in rows and published[name].nunique() > 1)
        raise UserError(f"{paper} has several rows for one {' and '.join(rows)}; name the rows by one of {more} too")
    merged = keyed.merge(theirs, on=join, how="outer").sort_values(["_place", "_paper_place"], ignore_index=True)
    return merged.drop(columns=[name for name in merged if str(name).startswith("_")])


def _identity(published: pd.DataFrame) -> list[str]:
    """The columns of a published table that can name its rows as well as ours."""
    return [name for name in ("system", "method", "seed_corpus", "setting", "pseudo_pairs", "dataset") if name in published]


def _ranks(sizes: pd.Series) -> pd.Series:
    """1 for the smallest amount of pseudo data, 2 for the next; 0 for none, whether or not a table holds a baseline."""
    return sizes.where(sizes > 0).rank(method="dense").fillna(0)


def style(
    table: pd.DataFrame,
    rows: Sequence[str],
    caption: str,
    paper: str | None,
    marked: Mapping[tuple[str, ...], Mapping[str, str]] | None = None,
) -> StyledTable:
    """A table to look at: ours as mean ± spread, the paper's beside it, the best of each column in bold.

    Args:
        table: result of :func:`summarise` or :func:`beside_paper`.
        rows: columns that name a row.
        caption: how it came about.
        paper: the published table beside ours, if there is one.
        marked: row, by the values of ``rows`` as text -> measure -> what is written behind it, such as a mark of significance.
    """
    import pandas as pd

    cells: dict[tuple[str, str], list[str]] = {}
    for name in rows:
        names = [_row_name(name, value) for value in table[name]]
        if f"paper_{name}" in table:
            names = [_both(ours, _row_name(name, theirs)) for ours, theirs in zip(names, table[f"paper_{name}"], strict=True)]
        cells["", name.replace("_", " ")] = names
    ours = "this study"
    cells[ours, "seeds"] = [_whole(value) for value in table["seeds"]]
    marks = [(marked or {}).get(tuple(map(_key, key)), {}) for key in table[list(rows)].itertuples(index=False)]
    for measure, title in MEASURES.items():
        values = zip(table[measure], table[f"{measure}_sd"], marks, strict=True)
        cells[ours, title] = [mean_and_spread(mean, spread) + mark.get(measure, "") for mean, spread, mark in values]
    columns = {(ours, title): table[measure] for measure, title in MEASURES.items()}
    if paper is not None:
        theirs = named_table(paper)
        for measure, title in MEASURES.items():
            if table[f"paper_{measure}"].isna().all():
                continue
            cells[theirs, title] = [_number(value) for value in table[f"paper_{measure}"]]
            columns[theirs, title] = table[f"paper_{measure}"]
    styled = StyledTable(pd.DataFrame(cells, index=table.index), caption, headings=len(rows))
    return styled.in_figures(list(columns)).best({column: values.round(1) for column, values in columns.items()})


def plain_style(table: pd.DataFrame, caption: str, decimals: Mapping[str, int]) -> StyledTable:
    """A table to look at, without a comparison."""
    formats: dict[Any, Any] = {name: f"{{:,.{decimals.get(str(name), 0)}f}}" for name in table.select_dtypes("number")}
    styled = StyledTable(table, caption)
    styled.format(formats, na_rep="", escape="html")
    return styled.in_figures(list(formats), end=True)


def text_style(table: pd.DataFrame, caption: str) -> StyledTable:
    """A table of texts as it stands; in columns of figures, as :func:`mean_and_spread` writes them, the best is bold."""
    values = {}
    for column in list(table)[1:]:
        read = table[column].str.extract(rf"^{FIGURE_SPACE}*(-?\d+\.\d+)(?: ± .*)?$")[0].astype(float)
        if read.notna().any() and (read.notna() | (table[column] == "")).all():
            values[column] = read
    return StyledTable(table, caption).in_figures(list(values)).best(values)


def _key(value: Any) -> str:
    """A value of ours as text; whole numbers become fractions beside rows that only the paper has."""
    return f"{value:.0f}" if isinstance(value, float) else str(value)


def _row_name(column: str, value: Any) -> str:
    if column == "method":
        return METHOD_NAMES.get(value, value)
    if column in {"pseudo_pairs", "upsample"}:
        return _whole(value)
    return "" if value != value else str(value)


def _both(ours: str, theirs: str) -> str:
    return f"{ours} (paper: {theirs})" if ours and theirs and ours != theirs else ours or theirs


def _whole(value: Any) -> str:
    return "" if value != value else f"{int(value):,}"


def _number(value: float) -> str:
    """A percentage with one decimal, as wide as any other: points stand below each other."""
    return "" if value != value else f"{value:.1f}".rjust(4, FIGURE_SPACE)


def mean_and_spread(mean: float, spread: float) -> str:
    """``30.1 ± 0.4``; without a spread the mean alone, and nothing without a mean."""
    return _number(mean) + ("" if spread != spread or mean != mean else f" ± {spread:.1f}")
