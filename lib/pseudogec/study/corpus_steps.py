"""How corpora, seed texts and reference edits are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from artefacts.errors import UserError
from artefacts.file_digests import refuse_changed
from artefacts.files import read_lines, write_atomically, write_lines
from artefacts.progress import Progress
from artefacts.store import Store
from learner_world import learner_sentences
from pseudogec.corpora import CorpusFiles, Pair, open_pairs, part_of_each, read_jfleg, read_plain
from pseudogec.edits import AnnotatedSentence, EditProfile, apply_edits, read_m2, write_m2
from pseudogec.study.loaded import annotator
from pseudogec.study.recipes import FileCorpus, References, SplitCorpus, WorldCorpus


class _Entry(NamedTuple):
    """A pair of a corpus, with the writer's level and, where the source says what they are, its edits."""

    pair: Pair
    level: str
    gold: AnnotatedSentence | None = None


def world_corpus(recipe: WorldCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Learner sentences of the simulation."""

    def entries() -> Iterator[_Entry]:
        for count, item in enumerate(learner_sentences(recipe.sentences, recipe.split, recipe.seed, recipe.levels), start=1):
            progress(count, recipe.sentences, "sentences")
            gold = AnnotatedSentence(item.source, {0: item.edits})
            yield _Entry(Pair(list(item.source), list(item.target)), item.level, gold)

    return _write_corpus(folder, entries())


def file_corpus(recipe: FileCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Pairs from files."""
    refuse_changed(recipe.files, store.root)
    if recipe.source == "jfleg":
        return _rewritten_corpus(recipe, folder)

    def entries() -> Iterator[_Entry]:
        count = 0
        for count, entry in enumerate(_entries(recipe), start=1):
            progress(count, max(recipe.work, count), "sentences")
            yield entry
        if not count:
            raise UserError(f"corpus {recipe.name!r} is empty: its files hold no sentence")

    if recipe.sentences is None:
        return _write_corpus(folder, entries())
    chosen = set(_drawn(sum(1 for _ in _entries(recipe)), recipe.sentences))
    return _write_corpus(folder, (entry for place, entry in enumerate(entries()) if place in chosen))


def _entries(recipe: FileCorpus) -> Iterator[_Entry]:
    """The pairs of a corpus, one after the other, so that a corpus of any size needs no memory."""
    if recipe.source == "m2":
        for file in recipe.files:
            for gold in read_m2(file.path):
                source = list(gold.source)
                yield _Entry(Pair(source, apply_edits(source, gold.annotators.get(0, ()))), file.level, gold)
        return
    # The two files of parallel text belong together; of other formats each file is a part of the corpus with a level of its own.
    parts = [recipe.files] if recipe.source == "parallel" else [(file,) for file in recipe.files]
    for part in parts:
        paths = tuple(file.path for file in part)
        files = CorpusFiles(name=recipe.name, format=recipe.source, paths=paths)  # type: ignore[arg-type]
        for pair in open_pairs(files):
            yield _Entry(pair, part[0].level)


def _drawn(available: int, wanted: int | None) -> list[int]:
    """The places of sentences drawn without replacement, in their order; all when no number is wanted."""
    return sorted(np.random.default_rng(1).permutation(available)[:wanted].tolist())


def _rewritten_corpus(recipe: FileCorpus, folder: Path) -> dict[str, Any]:
    """Sentences with several corrections each: the first is the target, all of them are references."""
    source, *corrections = (file.path for file in recipe.files)
    found = list(read_jfleg(source, corrections))
    sentences = [found[place] for place in _drawn(len(found), recipe.sentences)]
    for number in range(len(corrections)):
        write_lines(folder / f"reference{number}.txt", (" ".join(sentence.references[number]) for sentence in sentences))
    level = recipe.files[0].level
    return _write_corpus(folder, (_Entry(Pair(sentence.source, sentence.references[0]), level) for sentence in sentences))


def split_corpus(recipe: SplitCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """A part of a corpus, with the same proportions of levels."""
    whole = store.folder(recipe.corpus)
    levels = list(read_lines(whole / "levels.txt"))
    training = part_of_each(levels, recipe.training_share, recipe.seed)
    pairs = map(Pair, read_plain(whole / "source.txt"), read_plain(whole / "target.txt"))
    gold = read_m2(whole / "gold.m2") if (whole / "gold.m2").exists() else repeat(None, len(levels))
    entries = map(_Entry, pairs, levels, gold)
    wanted = recipe.part == "training"
    return _write_corpus(folder, (entry for place, entry in enumerate(entries) if (place in training) == wanted))


def references(recipe: References, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """The edits that a corpus's sentences need."""
    corpus = store.folder(recipe.corpus)
    sentences: Iterable[AnnotatedSentence]
    if not recipe.corpus.simulated and (corpus / "gold.m2").exists():
        sentences = read_m2(corpus / "gold.m2")
    else:
        # The embedded world's true edits stay in gold.m2; scores need edits cut as ERRANT cuts the hypotheses'.
        sources = list(read_plain(corpus / "source.txt"))
        texts = sorted(corpus.glob("reference*.txt")) or [corpus / "target.txt"]
        found = [annotator(recipe.annotator).annotate(sources, list(read_plain(text))) for text in texts]
        sentences = (
            AnnotatedSentence(tuple(source), {number: tuple(edits) for number, edits in enumerate(annotations)})
            for source, *annotations in zip(sources, *found, strict=True)
        )
    write_m2(folder / "references.m2", sentences)
    return asdict(EditProfile.of((item.source, item.annotators.get(0, ())) for item in read_m2(folder / "references.m2")))


def _write_corpus(folder: Path, entries: Iterable[_Entry]) -> dict[str, Any]:
    """Write a corpus's files side by side as its pairs come."""
    counts = dict.fromkeys(("sentences", "source_tokens", "target_tokens", "identical_pairs"), 0)
    levels: Counter[str] = Counter()

    def golden() -> Iterator[AnnotatedSentence]:
        with ExitStack() as stack:
            names = ("source.txt", "target.txt", "levels.txt")
            source, target, level = (stack.enter_context(write_atomically(folder / name)) for name in names)
            for entry in entries:
                source.write(" ".join(entry.pair.source).encode() + b"\n")
                target.write(" ".join(entry.pair.target).encode() + b"\n")
                level.write(entry.level.encode() + b"\n")
                levels[entry.level] += 1
                counts["sentences"] += 1
                counts["source_tokens"] += len(entry.pair.source)
                counts["target_tokens"] += len(entry.pair.target)
                counts["identical_pairs"] += entry.pair.source == entry.pair.target
                if entry.gold is not None:
                    yield entry.gold

    if not write_m2(folder / "gold.m2", golden()):
        (folder / "gold.m2").unlink()
    return {**counts, "levels": dict(sorted(levels.items()))}
