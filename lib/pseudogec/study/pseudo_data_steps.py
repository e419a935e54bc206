"""How pseudo data are made: noise, or a reverse model, over one shard of a seed corpus."""

from __future__ import annotations

import difflib
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path
from typing import Any

from artefacts.files import write_json
from artefacts.progress import Progress
from artefacts.store import Store
from pseudogec.corpora import Pair, read_plain
from pseudogec.noise import NoiseResources, make_noiser, noised_tokens
from pseudogec.random_streams import SentenceStreams
from pseudogec.seq2seq.binarise import binarise, read_binarised
from pseudogec.study.back_translation import BackTranslator
from pseudogec.study.loaded import noise_resources, segmentation
from pseudogec.study.pseudo_data import BackTranslatedData, MisspeltData, NoisedData, PseudoData

EXAMPLES_KEPT = 300
_kind = attrgetter("kind")


def noised_data(recipe: NoisedData, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Build a shard with a noising method; see :func:`pseudogec.study.steps.build`."""
    bpe = segmentation(store.folder(recipe.bpe))
    references = store.folder(recipe.references) if recipe.references else None
    resources = noise_resources(store.folder(recipe.genuine), store.folder(recipe.bpe), references)
    noiser = make_noiser(recipe.method, recipe.parameters, resources)
    streams = _streams(recipe)
    operations: Counter[str] = Counter()
    examples: list[dict[str, Any]] = []

    def pairs() -> Iterator[Pair]:
        for index, tokens in enumerate(_seed_sentences(recipe, store)):
            pieces, random = bpe.apply(tokens), streams[index]
            steps = noiser.operations(pieces, random)
            source = noised_tokens(steps)
            operations.update(map(_kind, steps))
            if index < EXAMPLES_KEPT:
                examples.append(_example(bpe.undo(source), tokens, [list(step) for step in steps]))
            progress(index + 1, recipe.seed_text.size, "sentences")
            yield Pair(source, noiser.target(pieces, steps, random))

    size = binarise(pairs(), store.folder(recipe.bpe) / "dict.txt", folder)
    write_json(folder / "examples.json", examples)
    return {**asdict(size), "operations": dict(operations)}


def back_translated_data(recipe: BackTranslatedData, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Build a shard with a reverse model, or go on where a killed build stood; see :func:`pseudogec.study.steps.build`."""
    bpe, dictionary = segmentation(store.folder(recipe.bpe)), store.folder(recipe.bpe) / "dict.txt"
    # The stream of a sentence is addressed by the shard's seed and the sentence's place in it.
    seed = int(recipe.seed_text.key[:8], 16) + recipe.seed
    translator = BackTranslator(
        store.folder(recipe.reverse_model),
        dictionary,
        recipe.method,
        recipe.parameters,
        seed,
        recipe.precision,
        recipe.fused_attention,
    )
    # All that a killed build can leave half-written lies in one folder, which goes when the shard is whole.
    work = folder / "work"
    examples: list[dict[str, Any]] = []
    left_unchanged = 0

    def pairs() -> Iterator[Pair]:
        nonlocal left_unchanged
        targets = map(bpe.apply, _seed_sentences(recipe, store))
        for part in translator.parts(targets, work / "parts", recipe.seed_text.size, progress):
            left_unchanged += part.left_unchanged
            for source, target in zip(part.sources, part.targets, strict=True):
                if len(examples) < EXAMPLES_KEPT:
                    examples.append(_translation(bpe.undo(source), bpe.undo(target)))
                yield Pair(source, target)

    shutil.rmtree(work / "binarised", ignore_errors=True)
    size = binarise(pairs(), dictionary, work / "binarised")
    for file in (work / "binarised").iterdir():
        file.rename(folder / file.name)
    write_json(folder / "examples.json", examples)
    shutil.rmtree(work)
    return {**asdict(size), "left_unchanged": left_unchanged}


def misspelt_data(recipe: MisspeltData, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Put spelling errors into back-translated sources; see :func:`pseudogec.study.steps.build`."""
    bpe = segmentation(store.folder(recipe.bpe))
    spelling = make_noiser("sse", {"sse_rate": recipe.parameters["sse_rate"]}, NoiseResources(bpe=bpe))
    streams = _streams(recipe)
    examples: list[dict[str, Any]] = []

    def pairs() -> Iterator[Pair]:
        for index, (translated, target) in enumerate(read_binarised(store.folder(recipe.pseudo_data))):
            source = spelling(translated, streams[index])
            if len(examples) < EXAMPLES_KEPT:
                examples.append(_translation(bpe.undo(source), bpe.undo(target)))
            progress(index + 1, recipe.seed_text.size, "sentences")
            yield Pair(source, target)

    size = binarise(pairs(), store.folder(recipe.bpe) / "dict.txt", folder)
    write_json(folder / "examples.json", examples)
    return asdict(size)


def _seed_sentences(recipe: PseudoData, store: Store) -> Iterator[list[str]]:
    return read_plain(store.folder(recipe.seed_text) / "sentences.txt")


def _streams(recipe: PseudoData) -> SentenceStreams:
    return SentenceStreams(f"{recipe.seed}/{recipe.seed_text.key}")


def _example(source: list[str], target: list[str], operations: list[list[str]]) -> dict[str, Any]:
    return {"source": " ".join(source), "target": " ".join(target), "operations": operations}


def _translation(source: list[str], target: list[str]) -> dict[str, Any]:
    return _example(source, target, differences(source, target))


def differences(source: Sequence[str], target: Sequence[str]) -> list[list[str]]:
    """What distinguishes a back-translated source from its target, as operations on words for display: kind, before, after."""
    operations: list[list[str]] = []
    matcher = difflib.SequenceMatcher(None, target, source, autojunk=False)
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        before, after = target[first:last], source[other_first:other_last]
        if kind == "equal":
            operations += [["keep", token, token] for token in before]
        else:
            operations.append([kind, " ".join(before), " ".join(after)])
    return operations
