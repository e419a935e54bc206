"""How each recipe's files are made: one function a kind, thin, calling the stages."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from artefacts.progress import Progress
from artefacts.recipe import Recipe
from artefacts.store import Store
from pseudogec.corpora import read_plain
from pseudogec.edits import AnnotatedSentence, Edit, annotator_of, apply_edits, read_m2
from pseudogec.evaluate import ErrantScorer, GleuScorer, MaxMatchScorer
from pseudogec.study.correction_recipes import Score


@functools.singledispatch
def build(recipe: Recipe, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Build a recipe's files in ``folder`` and return what is worth knowing of them.

    Args:
        recipe: what to build; its parents are in the store.
        folder: an empty folder, or the half-built one of a resumable recipe.
        store: where the parents are.
        progress: told how far the step is.
    """
    raise TypeError(f"there is no step for {type(recipe).__name__}")


@build.register
def _score(recipe: Score, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    references = list(read_m2(store.folder(recipe.references) / "references.m2"))
    hypotheses = list(read_plain(store.folder(recipe.correction) / "hypotheses.txt"))
    if recipe.scorer == "gleu":
        sources = [sentence.source for sentence in references]
        gleu = GleuScorer(sources, _corrected_texts(references)).score(hypotheses)
        (folder / "score.json").write_text(gleu.to_json(), encoding="utf-8")
        return {"gleu": gleu.gleu}
    scorer = ErrantScorer(references, annotator_of(recipe.annotator)) if recipe.scorer == "errant" else MaxMatchScorer(references)
    score = scorer.score(hypotheses)
    (folder / "score.json").write_text(score.to_json(), encoding="utf-8")
    tp, fp, fn = score.totals
    return {"precision": score.precision, "recall": score.recall, "f05": score.f05, "tp": tp, "fp": fp, "fn": fn}


def _corrected_texts(references: Sequence[AnnotatedSentence]) -> list[list[list[str]]]:
    """The sentences as each annotator corrects them; those of an annotator who skipped a sentence, as the first one does."""
    annotators = max(len(sentence.annotators) for sentence in references)
    return [
        [apply_edits(sentence.source, _edits_of(sentence, number)) for sentence in references] for number in range(annotators)
    ]


def _edits_of(sentence: AnnotatedSentence, number: int) -> Sequence[Edit]:
    annotations = list(sentence.annotators.values())
    if not annotations:
        return ()
    return annotations[number] if number < len(annotations) else annotations[0]
