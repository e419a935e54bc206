"""What systems are tuned to on development data: which models, from which probability of an error, without which edit types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from artefacts.progress import Progress
from artefacts.store import Store
from pseudogec.correct import ModelStep, choose_threshold, greedy_search, search_types
from pseudogec.edits import AnnotatedSentence, read_m2
from pseudogec.evaluate import ErrantScorer
from pseudogec.study import loaded
from pseudogec.study.correction_recipes import EnsembleSearch, Search, ThresholdSearch, TypeSearch
from pseudogec.study.correction_steps import corrected_before, error_probabilities, read_corrected


def ensemble_search(recipe: EnsembleSearch, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Search the ensemble of models with the best development score, greedily."""
    references = _references(recipe, store)
    sources = [sentence.source for sentence in references]
    before = corrected_before(recipe.before, sources, store)
    scorer = ErrantScorer(references, loaded.annotator(recipe.annotator))
    segmentation = loaded.segmentation(store.folder(recipe.bpe))
    tried = 0

    def f05_of(members: tuple[int, ...]) -> float:
        nonlocal tried
        decoder = loaded.decoder(tuple(store.folder(recipe.models[number]) for number in members))
        step = ModelStep(decoder, segmentation, beam=recipe.beam, n_best=1, length_penalty=recipe.length_penalty)
        corrected = step(sources, before)
        tried += 1
        progress(tried, len(recipe.models) * (len(recipe.models) + 1) // 2, "ensembles")
        return scorer.score([sentence.tokens for sentence in corrected]).f05

    search = greedy_search(len(recipe.models), f05_of)
    return _write(
        folder,
        {
            "members": list(search.members),
            "names": [recipe.models[number].label for number in search.members],
            "f05": search.f05,
            "tried": [{"members": list(members), "f05": f05} for members, f05 in search.tried],
        },
    )


def threshold_search(recipe: ThresholdSearch, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Search the probability of an error from which corrections are best used."""
    references = _references(recipe, store)
    sources = [sentence.source for sentence in references]
    scorer = ErrantScorer(references, loaded.annotator(recipe.annotator))
    corrected = [sentence.tokens for sentence in read_corrected(store.folder(recipe.before))]
    probabilities = error_probabilities(recipe.detector, recipe.bpe, store)(sources)
    counts = [scorer.score(sentences).per_sentence() for sentences in (corrected, sources)]
    return _write(folder, choose_threshold(probabilities, *counts)._asdict())


def type_search(recipe: TypeSearch, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Search the error types whose edits are better undone."""
    references = _references(recipe, store)
    corrected = [sentence.tokens for sentence in read_corrected(store.folder(recipe.before))]
    edits = loaded.annotator(recipe.annotator).annotate([sentence.source for sentence in references], corrected)
    return _write(folder, search_types(edits, references, recipe.rounds, recipe.at_most, recipe.seed)._asdict())


def _references(recipe: Search, store: Store) -> list[AnnotatedSentence]:
    return list(read_m2(store.folder(recipe.references) / "references.m2"))


def _write(folder: Path, found: dict[str, Any]) -> dict[str, Any]:
    (folder / "found.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found
