"""How texts become pieces, and pieces models: segmentation, binarised data, training."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from artefacts.cluster import launcher
from artefacts.errors import UserError
from artefacts.file_digests import refuse_changed
from artefacts.files import write_lines
from artefacts.progress import Progress
from artefacts.store import Store
from pseudogec.corpora import Pair, drop_identical, read_plain
from pseudogec.seq2seq import (
    TrainingProgress,
    binarise,
    binarise_text,
    import_checkpoint,
    read_binarised,
    train,
    train_detector,
    train_language_model,
)
from pseudogec.study.correction_recipes import BinarisedText, Detector, LanguageModel, ReleasedBpe, ReleasedModel, WordCounts
from pseudogec.study.loaded import segmentation
from pseudogec.study.recipes import BinarisedPairs, Bpe, Corpus, Mirrored, Model
from pseudogec.text import Bpe as Segmentation
from pseudogec.text import Vocabulary


def bpe(recipe: Bpe, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Learn the pieces, and write the dictionary."""
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


def binarised_pairs(recipe: BinarisedPairs, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """A corpus in pieces, for training."""
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


def mirrored(recipe: Mirrored, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Training pairs from right to left."""
    pairs = (Pair(source[::-1], target[::-1]) for source, target in read_binarised(store.folder(recipe.data)))
    return asdict(binarise(pairs, store.folder(recipe.data.bpe) / "dict.txt", folder))


def model(recipe: Model, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Train a model."""
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
        progress=_training(progress),
        launcher=launcher(),
    )
    return result.model_dump(mode="json")


def _training(progress: Progress) -> Callable[[TrainingProgress], None]:
    """Tells how far a training is."""
    return lambda now: progress(now.update, now.total_updates, f"{now.updates_per_second:.1f} updates/s   loss {now.loss:.2f}")


def binarised_text(recipe: BinarisedText, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Grammatical sentences in pieces, for training a language model."""
    text, bpe = store.folder(recipe.text), store.folder(recipe.bpe)
    file = text / ("target.txt" if isinstance(recipe.text, Corpus) else "sentences.txt")
    return asdict(binarise_text(map(segmentation(bpe).apply, read_plain(file)), bpe / "dict.txt", folder))


def language_model(recipe: LanguageModel, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Train a language model."""
    result = train_language_model(
        [store.folder(data) for data in recipe.data],
        store.folder(recipe.validation),
        store.folder(recipe.bpe) / "dict.txt",
        folder,
        recipe.architecture,
        recipe.optimisation,
        seed=recipe.seed,
        progress=_training(progress),
    )
    return result.model_dump(mode="json")


def word_counts(recipe: WordCounts, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Count words as they are written, those that begin a sentence left out: they are capitalised for another reason."""
    texts = [store.folder(text) / "sentences.txt" for text in recipe.texts]
    counts = Counter(word for text in texts for tokens in read_plain(text) for word in tokens[1:])
    write_lines(folder / "words.tsv", (f"{word}\t{count}" for word, count in counts.most_common()))
    return {"words": len(counts), "tokens": counts.total()}


def detector(recipe: Detector, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Train a classifier of sentences with and without errors."""
    apply = segmentation(store.folder(recipe.bpe)).apply

    def pairs(corpus: Corpus) -> list[tuple[list[str], list[str]]]:
        source, target = (list(read_plain(store.folder(corpus) / name)) for name in ("source.txt", "target.txt"))
        return list(zip(source, target, strict=True))

    genuine, validation = pairs(recipe.genuine), pairs(recipe.validation)
    # Beside what learners wrote, its corrections are examples of sentences without errors.
    corrected = [target for source, target in genuine if source != target]
    sentences = [*(source for source, _ in genuine), *corrected]
    has_error = [*(source != target for source, target in genuine), *(False for _ in corrected)]
    result = train_detector(
        list(map(apply, sentences)),
        has_error,
        ([apply(source) for source, _ in validation], [source != target for source, target in validation]),
        store.folder(recipe.initial),
        folder,
        recipe.options,
        recipe.seed,
        progress=lambda done, total: progress(done, total, "sentences"),
    )
    return result.model_dump(mode="json")


def released_model(recipe: ReleasedModel, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Turn a checkpoint that others released into a model folder."""
    refuse_changed((recipe.checkpoint, recipe.source_dictionary, recipe.target_dictionary), store.root)
    import_checkpoint(recipe.checkpoint.path, recipe.source_dictionary.path, recipe.target_dictionary.path, folder)
    return {"checkpoint": str(recipe.checkpoint.path), "digest": recipe.checkpoint.digest}


def released_bpe(recipe: ReleasedBpe, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Keep the merges that released models were trained with."""
    refuse_changed([recipe.codes], store.root)
    shutil.copyfile(recipe.codes.path, folder / "codes.txt")
    return {"merges": len(Segmentation.load(folder / "codes.txt").merges)}
