"""The texts of a study: sizes of the corpora, their edits, and how the first pseudo data were
made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from statistics import fmean
from typing import Any

import pandas as pd

from pseudogec.artefacts.errors import UserError, nearest
from pseudogec.edits import DETECTION_TYPES, AnnotatedSentence, read_m2
from pseudogec.evaluate import (
    TextStatistics,
    compare_means,
    main_type,
    type_agreement,
    wi_statistics,
)
from pseudogec.study import Study, System
from pseudogec.study.corpora import Corpus
from pseudogec.study.pseudo_data import EXAMPLES, PseudoData


def examples(study: Study, shard: PseudoData) -> list[dict[str, Any]]:
    """How the first sentences of a shard of pseudo data were made: ``target`` and ``operations``
    (kind, before, after).
    """
    return json.loads((study.folder(shard, EXAMPLES) / EXAMPLES).read_text(encoding="utf-8"))


def noise_profiles(study: Study, grid: Iterable[System]) -> dict[str, dict[str, Any]]:
    """The edits that would correct each system's pseudo data: ``tokens``, ``edits``, counts of
    ``types``; by system name.
    """
    return {name: study.result(edits) for name, edits in study.planner.pseudo_edits(grid).items()}


def genuine_profile(study: Study) -> dict[str, Any]:
    """The same of the genuine training data."""
    return study.result(study.planner.references(study.planner.genuine))


def corpus_table(study: Study) -> pd.DataFrame:
    """One row for each corpus: part, sentences, tokens per sentence, pairs without a correction; of
    a seed corpus one shard.
    """
    parts = {"genuine": "train", **dict.fromkeys(study.planner.tests, "test")}
    described = [
        (name, parts.get(name, name), study.result(corpus))
        for name, corpus in study.planner.corpora.items()
    ]
    seeds = study.profile.corpora.seeds
    described += [
        (name, "seed (one shard)", study.result(study.planner.seed_text(name, 0))) for name in seeds
    ]
    rows = [
        {
            "corpus": name,
            "part": part,
            "sentences": facts["sentences"],
            "tokens per sentence": facts.get("source_tokens", facts.get("tokens"))
            / facts["sentences"],
            "identical pairs": facts.get("identical_pairs"),
        }
        for name, part, facts in described
    ]
    return pd.DataFrame(rows).astype({"identical pairs": "Int64"})


def seed_text_table(study: Study) -> pd.DataFrame:
    """One row for each seed corpus, from its first shard.

    Returns:
        ``tokens per sentence``; ``distinct words per 1,000 tokens`` (over the first 10,000 tokens:
        the ratio falls with length); ``known tokens``, the share of tokens that are words of the
        genuine targets.
    """
    facts_of = {
        name: study.result(study.planner.seed_text_facts(name))
        for name in study.profile.corpora.seeds
    }
    rows = [
        {
            "seed corpus": name,
            "tokens per sentence": facts["tokens"] / facts["sentences"],
            "distinct words per 1,000 tokens": 1000 * facts["distinct"] / facts["first_tokens"],
            "known tokens": facts["known"] / facts["tokens"],
        }
        for name, facts in facts_of.items()
    ]
    return pd.DataFrame(rows)


def edit_table(study: Study, corpus: Corpus) -> pd.DataFrame:
    """One row for each reference edit of a corpus, of its first annotator; none for errors that it
    marked but did not correct.

    Returns:
        Columns ``level`` (see :meth:`Study.levels`) and ``error_type`` (without the operation).
    """
    rows = [
        (level, main_type(edit.type))
        for level, sentence in zip(
            study.levels(corpus), masked_sentences(study, corpus), strict=True
        )
        for edit in sentence.annotators.get(0, ())
        if edit.type not in DETECTION_TYPES
    ]
    return pd.DataFrame(rows, columns=["level", "error_type"])


def annotated_sentences(study: Study, corpus: Corpus) -> list[AnnotatedSentence]:
    """The sentences of a corpus with their reference edits."""
    references = study.planner.references(corpus)
    return list(read_m2(study.folder(references, "references.m2") / "references.m2"))


def masked_sentences(study: Study, corpus: Corpus) -> list[AnnotatedSentence]:
    """The same without their words: places and types of edits may be passed on where sentences may
    not.
    """
    masked = study.planner.masked_references(corpus)
    return list(read_m2(study.folder(masked, "masked.m2") / "masked.m2"))


def true_and_found_types(study: Study) -> pd.DataFrame:
    """The true type of each edit of simulated learners beside the type that the annotator names,
    over all corpora of pairs.

    Returns:
        See :func:`pseudogec.evaluate.type_agreement`; no rows for corpora from files, whose true
        types are not known.
    """
    truth, named = list[AnnotatedSentence](), list[AnnotatedSentence]()
    for corpus in study.planner.corpora.values():
        if corpus.simulated:
            truth += read_m2(study.folder(corpus, "gold.m2") / "gold.m2")
            named += annotated_sentences(study, corpus)
    return type_agreement(truth, named)


def simulated_statistics(study: Study) -> dict[str, TextStatistics]:
    """The statistics of the genuine data, for each level that W&I has too; empty if they are not
    simulated.
    """
    genuine = study.planner.genuine
    if not genuine.simulated:
        return {}
    of_level: dict[str, list[AnnotatedSentence]] = {level: [] for level in wi_statistics()}
    for level, sentence in zip(
        study.levels(genuine), masked_sentences(study, genuine), strict=True
    ):
        if level in of_level:
            of_level[level].append(sentence)
    return {
        level: TextStatistics.of(sentences) for level, sentences in of_level.items() if sentences
    }


def sentence_counts(study: Study) -> pd.DataFrame:
    """One row for each sentence of each corpus of pairs, by the corpus's first annotator.

    Marks of errors that nobody corrected are no edits here: without them the counts of W&I and FCE
    are those of Choe et al.

    Returns:
        ``corpus``; ``level``; ``tokens`` of the source side; ``edits``; ``edits per token``, not a
        number for an empty one.
    """
    rows = []
    for name, corpus in study.planner.corpora.items():
        for level, sentence in zip(
            study.levels(corpus), masked_sentences(study, corpus), strict=True
        ):
            corrections = [
                edit for edit in sentence.annotators.get(0, ()) if edit.type not in DETECTION_TYPES
            ]
            rows.append((name, level, len(sentence.source), len(corrections)))
    table = pd.DataFrame(rows, columns=["corpus", "level", "tokens", "edits"])
    return table.assign(**{"edits per token": table.edits / table.tokens.where(table.tokens > 0)})


def edits_by_level(sentences: pd.DataFrame) -> pd.DataFrame:
    """Sizes and densities of edits of each corpus and of each of its levels.

    Args:
        sentences: result of :func:`sentence_counts`.

    Returns:
        ``corpus``; ``level`` (``all`` for the whole corpus, where it has several); ``sentences``;
        ``tokens``; ``edits``; ``edits per token``, the mean over sentences of edits / length as in
        Choe et al., table 9; ``without edits``, the share of such sentences.
    """
    parts: list[tuple[str, str, pd.DataFrame]] = []
    for name, corpus in sentences.groupby("corpus", sort=False):
        if corpus.level.nunique() > 1:
            parts.append((str(name), "all", corpus))
        parts += [(str(name), str(level), part) for level, part in corpus.groupby("level")]
    rows = [
        {
            "corpus": name,
            "level": level,
            "sentences": len(part),
            "tokens": part.tokens.sum(),
            "edits": part.edits.sum(),
            "edits per token": part["edits per token"].mean(),
            "without edits": (part.edits == 0).mean(),
        }
        for name, level, part in parts
    ]
    return pd.DataFrame(rows)


def permutation_tests(
    sentences: pd.DataFrame, groups: str, against: str | None = None
) -> pd.DataFrame:
    """Test whether groups of sentences differ from one of them in edits per token (Choe et al.
    2019, table 9).

    The tests are not corrected for their number.

    Args:
        sentences: result of :func:`sentence_counts`, or a part of it.
        groups: the column that names groups, ``corpus`` or ``level``.
        against: the group that the others are compared with; by default the first by name.

    Returns:
        One row a group of two sentences or more, ``against`` first: its name, ``sentences``,
        ``edits per token`` (mean over sentences) and ``p`` (missing in the first row).
    """
    known = sentences.dropna(subset=["edits per token"])
    values = {
        str(name): part["edits per token"].tolist()
        for name, part in known.groupby(groups, sort=False)
        if len(part) > 1
    }
    against = min(values, default="") if against is None else against
    if against not in values:
        raise UserError(
            f"there is no {groups} `{against}` of two sentences or more{nearest(against, values)}"
        )
    rows = []
    for name in dict.fromkeys([against, *sorted(values)]):
        p_value = None if name == against else compare_means(values[name], values[against])
        rows.append((name, len(values[name]), fmean(values[name]), p_value))
    return pd.DataFrame(rows, columns=[groups, "sentences", "edits per token", "p"])
