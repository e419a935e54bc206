"""How each recipe's files are made: one function a kind, thin, calling the stages."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from pseudogec.corpora import CorpusFiles, Pair, drop_identical, open_pairs, read_plain
from pseudogec.corpora.world import learner_sentences, seed_sentences
from pseudogec.edits import AnnotatedSentence, EditProfile, read_m2, write_m2
from pseudogec.errors import DataError, UserError
from pseudogec.evaluate import ErrantScorer
from pseudogec.files import read_lines, write_lines
from pseudogec.seq2seq.binarise import binarise
from pseudogec.seq2seq.decode import Decoder
from pseudogec.seq2seq.train import train
from pseudogec.study.loaded import annotator, segmentation
from pseudogec.study.progress import Progress
from pseudogec.study.pseudo_data_steps import back_translated_data, misspelt_data, noised_data
from pseudogec.study.recipe import Recipe
from pseudogec.study.recipes import (
    BinarisedPairs,
    Bpe,
    Correction,
    FileCorpus,
    FileSeedText,
    Model,
    PseudoEdits,
    References,
    Score,
    WorldCorpus,
    WorldSeedText,
)
from pseudogec.study.store import Store
from pseudogec.text import Bpe as Segmentation
from pseudogec.text import Vocabulary


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
def _world_corpus(recipe: WorldCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    sentences = []
    for count, sentence in enumerate(learner_sentences(recipe.sentences, recipe.split, recipe.seed, recipe.levels), start=1):
        sentences.append(sentence)
        progress(count, recipe.sentences, "sentences")
    write_m2(folder / "gold.m2", (AnnotatedSentence(item.source, {0: item.edits}) for item in sentences))
    pairs = [Pair(list(item.source), list(item.target)) for item in sentences]
    return _write_corpus(folder, pairs, [item.level for item in sentences])


@build.register
def _file_corpus(recipe: FileCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    parts: list[tuple[tuple[Path, ...], str]]
    if recipe.source in {"m2", "bea_json"}:
        # Each file is a part of the corpus with a level of its own.
        parts = [((file.path,), file.level) for file in recipe.files]
    else:
        parts = [(tuple(file.path for file in recipe.files), recipe.files[0].level)]
    pairs: list[Pair] = []
    levels: list[str] = []
    gold: list[AnnotatedSentence] = []
    for paths, level in parts:
        files = CorpusFiles(name=recipe.name, format=recipe.source, paths=paths)  # type: ignore[arg-type]
        found = list(open_pairs(files))
        pairs += found
        levels += [level] * len(found)
        if recipe.source == "m2":
            gold += read_m2(paths[0])
    if recipe.sentences is not None and recipe.sentences < len(pairs):
        chosen = sorted(np.random.default_rng(1).permutation(len(pairs))[: recipe.sentences])
        pairs, levels = [pairs[place] for place in chosen], [levels[place] for place in chosen]
        gold = [gold[place] for place in chosen] if gold else []
    if gold:
        write_m2(folder / "gold.m2", gold)
    return _write_corpus(folder, pairs, levels)


def _write_corpus(folder: Path, pairs: list[Pair], levels: list[str]) -> dict[str, Any]:
    write_lines(folder / "source.txt", (" ".join(pair.source) for pair in pairs))
    write_lines(folder / "target.txt", (" ".join(pair.target) for pair in pairs))
    write_lines(folder / "levels.txt", levels)
    return {
        "sentences": len(pairs),
        "source_tokens": sum(len(pair.source) for pair in pairs),
        "target_tokens": sum(len(pair.target) for pair in pairs),
        "identical_pairs": sum(pair.source == pair.target for pair in pairs),
        "levels": dict(sorted(Counter(levels).items())),
    }


@build.register
def _world_seed_text(recipe: WorldSeedText, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    # Each shard has a seed of its own, so shards can be made at once, in any order.
    seed = recipe.seed * 1_000_003 + recipe.shard
    return _write_seed_text(folder, seed_sentences(recipe.register_name, recipe.size, seed), recipe.size, progress)


@build.register
def _file_seed_text(recipe: FileSeedText, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    path = recipe.file.path
    available = sum(1 for _ in read_lines(path))
    first, last = recipe.shard * recipe.size, (recipe.shard + 1) * recipe.size
    if last > available:
        raise DataError(path, f"has {available:,} sentences; {last:,} are needed (fewer pseudo_pairs, or a larger seed corpus)")
    chosen = np.zeros(available, dtype=bool)
    chosen[np.random.default_rng(recipe.seed).permutation(available)[first:last]] = True
    sentences = (tokens for wanted, tokens in zip(chosen, read_plain(path), strict=True) if wanted)
    return _write_seed_text(folder, sentences, recipe.size, progress)


def _write_seed_text(folder: Path, sentences: Iterable[list[str]], size: int, progress: Progress) -> dict[str, Any]:
    tokens = 0

    def lines() -> Iterator[str]:
        nonlocal tokens
        for count, sentence in enumerate(sentences, start=1):
            tokens += len(sentence)
            progress(count, size, "sentences")
            yield " ".join(sentence)

    written = write_lines(folder / "sentences.txt", lines())
    return {"sentences": written, "tokens": tokens}


@build.register
def _bpe(recipe: Bpe, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    genuine = store.folder(recipe.genuine)
    bpe = Segmentation.learn(read_plain(genuine / "target.txt"), recipe.merges)
    bpe.save(folder / "codes.txt")
    counts = Counter(
        piece for side in ("source.txt", "target.txt") for tokens in read_plain(genuine / side) for piece in bpe.apply(tokens)
    )
    # Every piece that these merges can make of ASCII text belongs to the dictionary, so that seed corpora with other words
    # than the genuine data's never meet <unk>, and all models of a profile share one vocabulary.
    vocabulary = Vocabulary(counts, symbols=bpe.possible_pieces())
    vocabulary.save(folder / "dict.txt")
    return {"merges": len(bpe.merges), "pieces": len(vocabulary), "pieces_in_genuine_data": len(counts)}


_ARRANGEMENTS: dict[str, Callable[[Pair], Pair]] = {
    "correct": lambda pair: pair,
    "reverse": lambda pair: Pair(pair.target, pair.source),
    "copy": lambda pair: Pair(pair.target, pair.target),
}


@build.register
def _binarised_pairs(recipe: BinarisedPairs, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    corpus, bpe = store.folder(recipe.corpus), segmentation(store.folder(recipe.bpe))
    pairs: Iterator[Pair] = map(Pair, read_plain(corpus / "source.txt"), read_plain(corpus / "target.txt"))
    if recipe.drop_identical:
        pairs = drop_identical(pairs)
    pairs = map(_ARRANGEMENTS[recipe.arrangement], pairs)
    in_pieces = (Pair(bpe.apply(pair.source), bpe.apply(pair.target)) for pair in pairs)
    try:
        size = binarise(in_pieces, store.folder(recipe.bpe) / "dict.txt", folder)
    except UserError as error:
        raise UserError(f"corpus {recipe.corpus.label}: {error} (pairs with identical sides are left out of training)") from error
    return asdict(size)


build.register(noised_data)
build.register(back_translated_data)
build.register(misspelt_data)


@build.register
def _pseudo_edits(recipe: PseudoEdits, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    examples = json.loads((store.folder(recipe.pseudo_data) / "examples.json").read_text(encoding="utf-8"))
    sources, targets = ([example[side].split() for example in examples] for side in ("source", "target"))
    edits = annotator(recipe.annotator).annotate(sources, targets)
    write_m2(
        folder / "edits.m2", (AnnotatedSentence(tuple(s), {0: tuple(found)}) for s, found in zip(sources, edits, strict=True))
    )
    return asdict(EditProfile.of(sources, edits))


@build.register
def _model(recipe: Model, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    result = train(
        [store.folder(data) for data in recipe.data],
        store.folder(recipe.validation),
        store.folder(recipe.bpe) / "dict.txt",
        folder,
        recipe.architecture,
        recipe.optimisation,
        seed=recipe.seed,
        initial_model=store.folder(recipe.initial) if recipe.initial else None,
        upsample_primary=recipe.upsample,
        progress=lambda now: progress(
            now.update, now.total_updates, f"{now.updates_per_second:.1f} updates/s   loss {now.loss:.2f}"
        ),
    )
    return result.model_dump(mode="json")


@build.register
def _correction(recipe: Correction, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    bpe = segmentation(store.folder(recipe.bpe))
    sources = [bpe.apply(tokens) for tokens in read_plain(store.folder(recipe.corpus) / "source.txt")]
    decoder = Decoder([store.folder(recipe.model)])
    decoded = decoder.decode(sources, beam=recipe.beam, length_penalty=recipe.length_penalty)
    write_lines(folder / "hypotheses.txt", (" ".join(bpe.undo(best[0].pieces)) for best in decoded))
    return {"sentences": len(decoded)}


@build.register
def _references(recipe: References, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    corpus = store.folder(recipe.corpus)
    if isinstance(recipe.corpus, FileCorpus) and (corpus / "gold.m2").exists():
        sentences = list(read_m2(corpus / "gold.m2"))
    else:
        # The embedded world's true edits stay in gold.m2; scores need edits cut as ERRANT cuts the hypotheses'.
        sources, targets = list(read_plain(corpus / "source.txt")), list(read_plain(corpus / "target.txt"))
        edits = annotator(recipe.annotator).annotate(sources, targets)
        sentences = [AnnotatedSentence(tuple(source), {0: tuple(found)}) for source, found in zip(sources, edits, strict=True)]
    write_m2(folder / "references.m2", sentences)
    return asdict(EditProfile.of([item.source for item in sentences], [item.annotators.get(0, ()) for item in sentences]))


@build.register
def _score(recipe: Score, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    references = list(read_m2(store.folder(recipe.references) / "references.m2"))
    hypotheses = list(read_plain(store.folder(recipe.correction) / "hypotheses.txt"))
    score = ErrantScorer(references, annotator(recipe.annotator)).score(hypotheses)
    (folder / "score.json").write_text(score.to_json(), encoding="utf-8")
    tp, fp, fn = score.totals
    return {"precision": score.precision, "recall": score.recall, "f05": score.f05, "tp": tp, "fp": fp, "fn": fn}
