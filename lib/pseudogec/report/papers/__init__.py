"""The published numbers, transcribed from the papers into the CSV files of this folder."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from artefacts.errors import UserError

FOLDER = Path(__file__).parent

PAPERS = {
    "taslp2020": "Kiyono et al. 2020",
    "emnlp2019": "Kiyono et al. 2019",
    "choe2019": "Choe et al. 2019",
}


def named_table(reference: str) -> str:
    """How prose names a published table: ``Kiyono et al. 2020, table IV`` for ``taslp2020:IV``."""
    source, _, table = reference.partition(":")
    return f"{PAPERS[source]}, " + (f"figure {table[4:]}" if table.startswith("Fig.") else f"table {table}")


def paper_scores(reference: str) -> pd.DataFrame:
    """The scores of one published table, in percent as printed.

    Raises:
        UserError: no such table was transcribed.
    """
    source, _, table = reference.partition(":")
    every = pd.read_csv(FOLDER / "scores.csv", dtype={"table": str})
    found = every[(every.source == source) & (every.table == table)].reset_index(drop=True)
    if found.empty:
        known = ", ".join(sorted({f"{row.source}:{row.table}" for row in every.itertuples()}))
        raise UserError(f"no scores of `{reference}` were transcribed; known: {known}")
    return found.assign(
        method=found.method.fillna("none"), seed_corpus=found.seed_corpus.fillna(""), pseudo_pairs=found.pseudo_pairs.fillna(0)
    )


def paper_datasets(source: str) -> pd.DataFrame:
    """Sizes of the corpora as one paper gives them (TASLP table I, EMNLP table 1, Choe et al. table 1).

    Raises:
        UserError: there is no such paper.
    """
    every = pd.read_csv(FOLDER / "datasets.csv", dtype={"table": str})
    if source not in set(every.source):
        raise UserError(f"no corpora of `{source}` were transcribed; known: {', '.join(sorted(set(every.source)))}")
    return every[every.source == source].drop(columns=["source", "table"]).reset_index(drop=True)


def paper_error_types() -> pd.DataFrame:
    """Precision, recall and F0.5 by error type, in percent (Choe et al. 2019, table 10, W&I+LOCNESS test)."""
    return pd.read_csv(FOLDER / "error_types_choe2019.csv").drop(columns=["source", "table", "dataset"])


def paper_edits_per_token() -> pd.DataFrame:
    """Edits per token of corpora, and the p-values of tests against W&I-train as printed (Choe et al. 2019, table 9)."""
    return pd.read_csv(FOLDER / "edits_per_token_choe2019.csv").drop(columns=["source", "table"])
