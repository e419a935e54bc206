"""The published numbers, transcribed from the papers into the CSV files of this folder."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pseudogec.artefacts.errors import UserError
from pseudogec.evaluate import ERRANT

FOLDER = Path(__file__).parent

PAPERS = {
    "taslp2020": "Kiyono et al. 2020",
    "emnlp2019": "Kiyono et al. 2019",
    "choe2019": "Choe et al. 2019",
}


def named_table(reference: str) -> str:
    """How prose names a published table: ``Kiyono et al. 2020, table IV`` for ``taslp2020:IV``."""
    source, _, table = reference.partition(":")
    return f"{PAPERS[source]}, " + (
        f"figure {table[4:]}" if table.startswith("Fig.") else f"table {table}"
    )


def published_tables() -> list[str]:
    """What :func:`paper_scores` knows, such as ``taslp2020:IV``."""
    every = pd.read_csv(FOLDER / "scores.csv", dtype={"table": str})
    return sorted({f"{row.source}:{row.table}" for row in every.itertuples()})


def paper_scores(reference: str) -> pd.DataFrame:
    """The scores of one published table, in percent as printed.

    Raises:
        UserError: no such table was transcribed.
    """
    source, _, table = reference.partition(":")
    every = pd.read_csv(FOLDER / "scores.csv", dtype={"table": str})
    scores = every[(every.source == source) & (every.table == table)].reset_index(drop=True)
    if scores.empty:
        raise UserError(
            f"no scores of `{reference}` were transcribed; known: {', '.join(published_tables())}"
        )
    return scores.assign(
        method=scores.method.fillna("none"),
        seed_corpus=scores.seed_corpus.fillna(""),
        pseudo_pairs=scores.pseudo_pairs.fillna(0),
    )


def paper_gains(*references: str, measures: Sequence[str] = ("f05",)) -> pd.DataFrame:
    """Scores of a paper's systems minus those of its baseline, in points.

    Args:
        references: tables of one paper, such as ``taslp2020:VI`` and ``taslp2020:Fig.4``; one of
            them has the baseline.

    Returns:
        For each measure the rows of `paper_scores` without the baseline, each once, with ``study``,
        the paper's name, ``measure`` as tables print it, and ``gain``.
    """
    scores = pd.concat([paper_scores(reference) for reference in references], ignore_index=True)
    is_baseline = scores.method == "none"
    systems = scores[~is_baseline].assign(study=PAPERS[scores.source.iloc[0]])
    systems = systems.drop_duplicates(["system", "seed_corpus", "setting", "pseudo_pairs"])
    baseline = scores[is_baseline].iloc[0]
    labels = {measure.name: measure.label for measure in ERRANT.measures}
    gains = [
        systems.assign(measure=labels[name], gain=systems[name] - baseline[name])
        for name in measures
    ]
    return pd.concat(gains, ignore_index=True)


def paper_datasets(source: str) -> pd.DataFrame:
    """Sizes of the corpora as one paper gives them (TASLP table I, EMNLP table 1, Choe et al. table
    1).

    Raises:
        UserError: there is no such paper.
    """
    every = pd.read_csv(FOLDER / "datasets.csv", dtype={"table": str})
    if source not in set(every.source):
        raise UserError(
            f"no corpora of `{source}` were transcribed; known: "
            f"{', '.join(sorted(set(every.source)))}"
        )
    return every[every.source == source].drop(columns=["source", "table"]).reset_index(drop=True)


def paper_error_types() -> pd.DataFrame:
    """Precision, recall and F0.5 by error type, in percent (Choe et al. 2019, table 10, W&I+LOCNESS
    test).
    """
    return pd.read_csv(FOLDER / "error_types_choe2019.csv").drop(
        columns=["source", "table", "dataset"]
    )


RELEASED = {
    "omelianchuk2024": "Omelianchuk et al. 2024 (README of github.com/grammarly/pillars-of-gec)",
    "kobayashi2024": "Kobayashi et al. 2024 (README of github.com/tmu-nlp/SEEDA)",
}
"""Where the scores of released corrections were printed."""


def released_scores() -> pd.DataFrame:
    """Published scores of released corrections of CoNLL-2014, and people's judgements of some of
    them.

    Returns:
        ``source``; ``system``, as the profile `released` calls it; ``precision`` and ``recall`` by
        M2; ``maxmatch`` and ``errant``, the F0.5 of each; ``gleu``; all in percent as printed,
        missing where nothing is. ``by_edits`` and ``by_sentences``: TrueSkill, in its own unit, of
        people's judgements of single edits and of whole sentences, made of a part of the test set.
    """
    return pd.read_csv(FOLDER / "released_scores.csv")


def scores_by_spacy_model() -> pd.Series:
    """F0.5 by ERRANT of released corrections, their edits found with spaCy's en_core_web_sm 3.8.0,
    as papers do; measured here.

    Returns:
        Percent, by the system's name in the profile `released` and the test set; the mean where a
        system has several files.
    """
    return pd.read_csv(FOLDER / "scores_by_spacy_model.csv", index_col=["system", "dataset"]).f05


def paper_edits_per_token() -> pd.DataFrame:
    """Edits per token of corpora, and the p-values of tests against W&I-train as printed (Choe et
    al. 2019, table 9).
    """
    return pd.read_csv(FOLDER / "edits_per_token_choe2019.csv").drop(columns=["source", "table"])


def paper_corpora_by_track() -> pd.DataFrame:
    """Which corpora serve for what in the three tracks of Choe et al. 2019, table 2: columns
    ``use`` and one for each track.
    """
    return pd.read_csv(FOLDER / "corpora_by_track_choe2019.csv").fillna("none")


PLACES = {
    "beside": "beside ours",
    "part": "in part",
    "ours": "ours alone",
    "print": "the paper's alone",
    "none": "without counterpart",
}
"""Where a numbered table or figure of a paper is in this study, and how pages say so."""


@dataclass(frozen=True)
class PublishedItem:
    """A numbered table or figure of a paper, and its counterpart in this study.

    Attributes:
        kind: ``table`` or ``figure``.
        place: a key of ``PLACES``; a run may have only some rows of a table that is ``beside``
            ours, or none.
        notebook: that has the counterpart.
        ours: the saved tables and figures that are the counterpart; ``#heading`` stands for a
            section of the notebook.
        note: how the two differ, or why one side is missing.
    """

    source: str
    kind: str
    number: str
    shows: str
    place: str
    notebook: str
    ours: tuple[str, ...]
    note: str


def published_items() -> list[PublishedItem]:
    """Every numbered table and figure of the three papers, in the order of the papers."""
    with (FOLDER / "tables_and_figures.csv").open(encoding="utf-8", newline="") as file:
        return [
            PublishedItem(**row | {"ours": tuple(row["ours"].split())})
            for row in csv.DictReader(file)
        ]
