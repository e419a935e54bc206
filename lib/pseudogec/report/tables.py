"""Tables: mean and spread over seeds, the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pseudogec.errors import UserError
from pseudogec.report.paper import PAPERS, paper_scores

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

MEASURES = {"precision": "P", "recall": "R", "f05": "F0.5"}

LOOKS: list[Any] = [
    {"selector": "caption", "props": "caption-side: bottom; text-align: left; font-size: 0.9em; padding-top: 0.5em"},
    {"selector": "th.col_heading.level0", "props": "text-align: center; border-bottom: 1px solid #999"},
    {"selector": "td", "props": "text-align: right"},
]

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


def style(table: pd.DataFrame, rows: Sequence[str], caption: str, paper: str | None) -> Styler:
    """A table to look at: ours as mean ± spread, the paper's beside it, the best of each column in bold."""
    import pandas as pd

    cells: dict[tuple[str, str], list[str]] = {}
    for name in rows:
        names = [_row_name(name, value) for value in table[name]]
        if f"paper_{name}" in table:
            names = [_both(ours, _row_name(name, theirs)) for ours, theirs in zip(names, table[f"paper_{name}"], strict=True)]
        cells["", name.replace("_", " ")] = names
    ours = "this study"
    cells[ours, "seeds"] = [_whole(value) for value in table["seeds"]]
    for measure, title in MEASURES.items():
        cells[ours, title] = [mean_and_spread(*pair) for pair in zip(table[measure], table[f"{measure}_sd"], strict=True)]
    columns = {(ours, title): table[measure] for measure, title in MEASURES.items()}
    if paper is not None:
        theirs = f"{PAPERS[paper.partition(':')[0]]}, table {paper.partition(':')[2]}"
        for measure, title in MEASURES.items():
            if table[f"paper_{measure}"].isna().all():
                continue
            cells[theirs, title] = [_number(value) for value in table[f"paper_{measure}"]]
            columns[theirs, title] = table[f"paper_{measure}"]
    styler = pd.DataFrame(cells, index=table.index).style.hide(axis="index").set_caption(caption)
    for column, values in columns.items():
        if values.notna().sum() > 1:
            best = values.round(1) == values.round(1).max()
            styler = styler.apply(lambda _, best=best: ["font-weight: bold" if item else "" for item in best], subset=[column])
    return styler.set_table_styles(LOOKS)


def plain_style(table: pd.DataFrame, caption: str, decimals: Mapping[str, int]) -> Styler:
    """A table to look at, without a comparison."""
    formats: dict[Any, Any] = {name: f"{{:,.{decimals.get(str(name), 0)}f}}" for name in table.select_dtypes("number")}
    return table.style.hide(axis="index").format(formats, na_rep="").set_caption(caption).set_table_styles(LOOKS)


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
    return "" if value != value else f"{value:.1f}"


def mean_and_spread(mean: float, spread: float) -> str:
    """``30.1 ± 0.4``; without a spread the mean alone, and nothing without a mean."""
    return _number(mean) + ("" if spread != spread or mean != mean else f" ± {spread:.1f}")
