"""How often a profile's language model prefers a right correction: the last step of Choe et al.'s
system rests on that.

    python tests/bench/bench_language_model.py [--profile learners] [--store FOLDER] [--set
    data_folder=...]

Each edit of the references of the first test set is taken alone: the corrected sentence is held
against the same sentence without this edit, by log-probability over length, as the step compares
them. Prints the share of edits with which the sentence is preferred, by operation and by level. The
language model must be in the store, and the references must come with edits.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

from pseudogec.correct import EditReranking
from pseudogec.edits import apply_edits, read_m2
from pseudogec.seq2seq.language_model import LanguageModel
from pseudogec.study import Study
from pseudogec.text import Bpe

OPERATIONS = {"M": "inserts", "R": "replaces", "U": "deletes"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", default="learners")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    options = parser.parse_args()
    study = Study.open(options.profile, options.overrides, store=options.store, packs=False)
    recipe = study.planner.language_model
    model, bpe = (
        LanguageModel(study.folder(recipe)),
        Bpe.load(study.folder(recipe.bpe) / "codes.txt"),
    )
    kinds, pairs = [], []
    corpus = next(iter(study.planner.tests.values()))
    for level, sentence in zip(
        study.lines(corpus, "levels.txt"), read_m2(study.folder(corpus) / "gold.m2"), strict=True
    ):
        for edits in list(sentence.annotators.values())[:1]:
            whole = apply_edits(sentence.source, edits)
            for left_out in edits:
                kinds.append((level, OPERATIONS.get(left_out.type[0], "other")))
                pairs += [
                    whole,
                    apply_edits(sentence.source, [edit for edit in edits if edit is not left_out]),
                ]
    penalty = EditReranking().length_penalty
    logs = model.log_probabilities([bpe.apply(tokens) for tokens in pairs])
    scores = [log / (len(tokens) + 1) ** penalty for log, tokens in zip(logs, pairs, strict=True)]
    asked, preferred = Counter[str](), Counter[str]()
    for (level, operation), whole_score, without_score in zip(
        kinds, scores[::2], scores[1::2], strict=True
    ):
        for kind in ("all", f"level {level}", operation):
            asked[kind] += 1
            preferred[kind] += whole_score > without_score
    for kind in sorted(asked):
        print(f"{kind:12}{100 * preferred[kind] / asked[kind]:5.0f}% of {asked[kind]:,} edits")


if __name__ == "__main__":
    main()
