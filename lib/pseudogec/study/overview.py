"""What the study's data are: sizes of the corpora, and their edits as a tidy table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from artefacts.recipe import Recipe
from pseudogec.edits import AnnotatedSentence, read_m2
from pseudogec.evaluate import type_agreement
from pseudogec.study.corpora import Corpus, References
from pseudogec.study.pseudo_data import PseudoData
from pseudogec.study.study import Study
from pseudogec.study.system import System

if TYPE_CHECKING:
    import pandas as pd


def data_recipes(study: Study) -> list[Recipe]:
    """What describes the data: corpora, their reference edits, a shard of each seed corpus."""
    corpora = list(study.planner.corpora.values())
    references = [References(corpus=corpus, annotator=study.planner.annotator) for corpus in corpora]
    return [*corpora, *references, *(study.planner.seed_text(name, 0) for name in study.profile.corpora.seeds)]


def examples(study: Study, shard: PseudoData) -> list[dict[str, Any]]:
    """How the first sentences of a shard of pseudo data came about: ``target`` and ``operations`` (kind, before, after)."""
    study.build([shard])
    return json.loads((study.store.folder(shard) / "examples.json").read_text(encoding="utf-8"))


def noise_profiles(study: Study, grid: Iterable[System]) -> dict[str, dict[str, Any]]:
    """What edits would correct each system's pseudo data: ``tokens``, ``edits``, counts of ``types``; by system name."""
    return {name: study.result(edits) for name, edits in study.planner.pseudo_edits(grid).items()}


def genuine_profile(study: Study) -> dict[str, Any]:
    """The same of the genuine training data."""
    return study.result(References(corpus=study.planner.genuine, annotator=study.planner.annotator))


def corpus_table(study: Study) -> pd.DataFrame:
    """One row for each corpus: part, sentences, tokens a sentence, pairs left to train on.

    Of a seed corpus one shard is looked at; how many shards a system uses is the grid's affair.
    """
    import pandas as pd

    rows = []
    for name, corpus in study.planner.corpora.items():
        facts = study.result(corpus)
        rows.append(
            {
                "corpus": name,
                "part": "test" if name in study.planner.tests else {"genuine": "train"}.get(name, name),
                "sentences": facts["sentences"],
                "tokens a sentence": facts["source_tokens"] / facts["sentences"],
                "identical pairs": facts["identical_pairs"],
            }
        )
    for name in study.profile.corpora.seeds:
        facts = study.result(study.planner.seed_text(name, 0))
        rows.append(
            {
                "corpus": name,
                "part": "seed (one shard)",
                "sentences": facts["sentences"],
                "tokens a sentence": facts["tokens"] / facts["sentences"],
            }
        )
    return pd.DataFrame(rows).astype({"identical pairs": "Int64"})


def seed_text_table(study: Study) -> pd.DataFrame:
    """One row for each seed corpus, from its first shard: length, variety, and how much of it the genuine targets know.

    Returns:
        ``tokens a sentence``; ``distinct words a 1,000 tokens`` (over the first 10,000 tokens: the ratio falls with length);
        ``known tokens``, the share of tokens that are words of the genuine targets.
    """
    import pandas as pd

    known = {word for line in study.lines(study.planner.genuine, "target.txt") for word in line.split()}
    rows = []
    for name in study.profile.corpora.seeds:
        lines = study.lines(study.planner.seed_text(name, 0), "sentences.txt")
        tokens = [token for line in lines for token in line.split()]
        first = tokens[:10_000]
        rows.append(
            {
                "seed corpus": name,
                "tokens a sentence": len(tokens) / len(lines),
                "distinct words a 1,000 tokens": 1000 * len(set(first)) / len(first),
                "known tokens": sum(token in known for token in tokens) / len(tokens),
            }
        )
    return pd.DataFrame(rows)


def edit_table(study: Study, corpus: Corpus) -> pd.DataFrame:
    """One row for each reference edit of a corpus, of its first annotator.

    Returns:
        Columns ``sentence`` (from 0), ``level`` (see :meth:`Study.levels`), ``operation`` (M, R, U; empty for a type
        without one, such as UNK), ``error_type`` (without the operation), ``start``, ``end``, ``correction``.
    """
    import pandas as pd

    levels = study.levels(corpus)
    rows = []
    for number, sentence in enumerate(annotated_sentences(study, corpus)):
        for edit in sentence.annotators.get(0, ()):
            operation, colon, error_type = edit.type.partition(":")
            if not colon:
                operation, error_type = "", edit.type
            rows.append((number, levels[number], operation, error_type, edit.start, edit.end, edit.correction))
    return pd.DataFrame(rows, columns=["sentence", "level", "operation", "error_type", "start", "end", "correction"])


def annotated_sentences(study: Study, corpus: Corpus) -> list[AnnotatedSentence]:
    """The sentences of a corpus with their reference edits."""
    references = References(corpus=corpus, annotator=study.planner.annotator)
    study.build([references])
    return list(read_m2(study.store.folder(references) / "references.m2"))


def true_and_found_types(study: Study) -> pd.DataFrame:
    """The true type of each edit of the embedded world beside the type that the annotator names, over all corpora of pairs.

    Returns:
        See :func:`pseudogec.evaluate.type_agreement`; no rows for corpora from files, whose true types nobody knows.
    """
    truth: list[AnnotatedSentence] = []
    found: list[AnnotatedSentence] = []
    for corpus in study.planner.corpora.values():
        if corpus.simulated:
            study.build([corpus])
            truth += read_m2(study.store.folder(corpus) / "gold.m2")
            found += annotated_sentences(study, corpus)
    return type_agreement(truth, found)
