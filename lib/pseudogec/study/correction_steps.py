"""How the steps of systems are made ready, and what they make of a corpus."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from artefacts.files import read_lines, write_lines
from artefacts.progress import Progress
from artefacts.store import Store
from pseudogec.corpora import read_plain
from pseudogec.correct import (
    Candidate,
    Corrected,
    DetectionStep,
    LanguageModelStep,
    ModelStep,
    RightToLeftStep,
    SpellingStep,
    Step,
    TypeDroppingStep,
    UnknownWordsStep,
    as_written,
)
from pseudogec.correct.step import SentenceScorer, Tokens
from pseudogec.study import loaded
from pseudogec.study.correction_recipes import (
    Correction,
    DetectionCorrection,
    LanguageModelCorrection,
    ModelCorrection,
    RightToLeftCorrection,
    Search,
    SpellingCorrection,
    ThresholdSearch,
    TypeDroppingCorrection,
    UnknownWordsCorrection,
)
from pseudogec.study.models import Subwords, TrainedDetector, TrainedLanguageModel
from pseudogec.study.profile_systems import HuggingFaceClassifier

HYPOTHESES, STEPS = "hypotheses.txt", "steps.jsonl"


def correction(recipe: Correction, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Correct a corpus's sentences by one more step."""
    sources = list(read_plain(store.folder(recipe.corpus) / "source.txt"))
    before = corrected_before(recipe.before, sources, store)
    after = step_of(recipe, store)(sources, before, lambda done, total: progress(done, total, "sentences"))
    write_lines(folder / HYPOTHESES, (" ".join(sentence.tokens) for sentence in after))
    write_lines(folder / STEPS, map(_as_json, after))
    changed = sum(new.tokens != old.tokens for new, old in zip(after, before, strict=True))
    return {"sentences": len(after), "changed": changed}


def _as_json(sentence: Corrected) -> str:
    candidates = [[" ".join(candidate.pieces), candidate.score] for candidate in sentence.candidates]
    content = {
        "note": sentence.note,
        "candidates": candidates,
        "corrected_pieces": " ".join(sentence.corrected_pieces),
    }
    return json.dumps({name: value for name, value in content.items() if value}, ensure_ascii=False)


def read_corrected(folder: Path) -> list[Corrected]:
    """What a ``correction`` artefact made of each sentence."""
    return [
        Corrected(
            tuple(tokens),
            content.get("note", ""),
            tuple(Candidate(tuple(pieces.split()), score) for pieces, score in content.get("candidates", ())),
            tuple(content.get("corrected_pieces", "").split()),
        )
        for tokens, content in zip(read_plain(folder / HYPOTHESES), map(json.loads, read_lines(folder / STEPS)), strict=True)
    ]


def corrected_before(correction: Correction | None, sources: Sequence[Tokens], store: Store) -> list[Corrected]:
    """What the first of a system's steps left, or (without a correction) the sentences as they were written."""
    return as_written(sources) if correction is None else read_corrected(store.folder(correction))


@functools.singledispatch
def step_of(recipe: Correction, store: Store) -> Step:
    """The step of a correction, ready for any sentences.

    Args:
        recipe: the correction; what its step needs is in the store.
        store: where that is.
    """
    raise TypeError(f"there is no step for {type(recipe).__name__}")


@step_of.register
def _models(recipe: ModelCorrection, store: Store) -> Step:
    models: Sequence[Any] = recipe.models
    if recipe.search is not None:
        models = [models[number] for number in found(store, recipe.search)["members"]]
    decoder = loaded.decoder(tuple(store.folder(model) for model in models))
    return ModelStep(
        decoder,
        loaded.segmentation(store.folder(recipe.bpe)),
        beam=max(recipe.beam, recipe.n_best),
        n_best=recipe.n_best,
        length_penalty=recipe.length_penalty,
    )


@step_of.register
def _right_to_left(recipe: RightToLeftCorrection, store: Store) -> Step:
    decoder = loaded.decoder(tuple(store.folder(model) for model in recipe.models))
    return RightToLeftStep(decoder, loaded.segmentation(store.folder(recipe.bpe)), length_penalty=recipe.length_penalty)


@step_of.register
def _detection(recipe: DetectionCorrection, store: Store) -> Step:
    threshold = recipe.threshold
    if isinstance(threshold, ThresholdSearch):
        threshold = float(found(store, threshold)["threshold"])
    return DetectionStep(error_probabilities(recipe.detector, recipe.bpe, store), threshold)


@step_of.register
def _spelling(recipe: SpellingCorrection, store: Store) -> Step:
    scorer = sentence_scorer(recipe.language_model, recipe.bpe, store) if recipe.language_model else None
    casing = loaded.casing(store.folder(recipe.words), recipe.casing_times) if recipe.words else None
    return SpellingStep(scorer, casing)


@step_of.register
def _unknown_words(recipe: UnknownWordsCorrection, store: Store) -> Step:
    bpe = store.folder(recipe.bpe)
    pieces, segmentation = loaded.known_pieces(bpe), loaded.segmentation(bpe)
    return UnknownWordsStep(loaded.annotator(recipe.annotator), lambda word: pieces.issuperset(segmentation.apply([word])))


@step_of.register
def _language_model(recipe: LanguageModelCorrection, store: Store) -> Step:
    return LanguageModelStep(
        loaded.annotator(recipe.annotator),
        sentence_scorer(recipe.language_model, recipe.bpe, store),
        at_most=recipe.at_most,
        length_penalty=recipe.length_penalty,
    )


@step_of.register
def _type_dropping(recipe: TypeDroppingCorrection, store: Store) -> Step:
    return TypeDroppingStep(loaded.annotator(recipe.annotator), found(store, recipe.search)["types"])


def found(store: Store, search: Search) -> dict[str, Any]:
    """What a search found."""
    return json.loads((store.folder(search) / "found.json").read_text(encoding="utf-8"))


def sentence_scorer(model: TrainedLanguageModel, bpe: Subwords, store: Store) -> SentenceScorer:
    """How likely a language model holds sentences of words."""
    scorer, segmentation = loaded.language_model(store.folder(model)), loaded.segmentation(store.folder(bpe))
    return lambda sentences: scorer.log_probabilities([segmentation.apply(tokens) for tokens in sentences])


def error_probabilities(
    detector: TrainedDetector | HuggingFaceClassifier, bpe: Subwords, store: Store
) -> Callable[[Sequence[Tokens]], Sequence[float]]:
    """How likely a classifier holds it that sentences of words contain an error."""
    if isinstance(detector, HuggingFaceClassifier):
        return loaded.hugging_face_detector(detector.name, detector.error_label).probabilities
    classifier, segmentation = loaded.detector(store.folder(detector)), loaded.segmentation(store.folder(bpe))
    return lambda sentences: classifier.probabilities([segmentation.apply(tokens) for tokens in sentences])
