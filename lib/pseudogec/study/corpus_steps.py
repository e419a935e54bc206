"""How corpora, seed texts and reference edits are made."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from pseudogec.corpora import CorpusFiles, Pair, open_pairs, part_of_each, read_jfleg, read_plain
from pseudogec.corpora.world import learner_sentences
from pseudogec.edits import AnnotatedSentence, EditProfile, read_m2, write_m2
from pseudogec.files import read_lines, write_lines
from pseudogec.study.loaded import annotator
from pseudogec.study.progress import Progress
from pseudogec.study.recipes import FileCorpus, References, SplitCorpus, WorldCorpus
from pseudogec.study.store import Store


def world_corpus(recipe: WorldCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Learner sentences of the simulation."""
    sentences = []
    for count, sentence in enumerate(learner_sentences(recipe.sentences, recipe.split, recipe.seed, recipe.levels), start=1):
        sentences.append(sentence)
        progress(count, recipe.sentences, "sentences")
    write_m2(folder / "gold.m2", (AnnotatedSentence(item.source, {0: item.edits}) for item in sentences))
    pairs = [Pair(list(item.source), list(item.target)) for item in sentences]
    return _write_corpus(folder, pairs, [item.level for item in sentences])


def file_corpus(recipe: FileCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Pairs from files."""
    if recipe.source == "jfleg":
        return _rewritten_corpus(recipe, folder)
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
        chosen = _drawn(len(pairs), recipe.sentences)
        pairs, levels = [pairs[place] for place in chosen], [levels[place] for place in chosen]
        gold = [gold[place] for place in chosen] if gold else []
    if gold:
        write_m2(folder / "gold.m2", gold)
    return _write_corpus(folder, pairs, levels)


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
    pairs = [Pair(sentence.source, sentence.references[0]) for sentence in sentences]
    return _write_corpus(folder, pairs, [recipe.files[0].level] * len(pairs))


def split_corpus(recipe: SplitCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """A part of a corpus, with the same proportions of levels."""
    whole = store.folder(recipe.corpus)
    levels = list(read_lines(whole / "levels.txt"))
    training = part_of_each(levels, recipe.training_share, recipe.seed)
    chosen = [place for place in range(len(levels)) if (place in training) == (recipe.part == "training")]
    if (whole / "gold.m2").exists():
        gold = list(read_m2(whole / "gold.m2"))
        write_m2(folder / "gold.m2", [gold[place] for place in chosen])
    pairs = list(map(Pair, read_plain(whole / "source.txt"), read_plain(whole / "target.txt")))
    return _write_corpus(folder, [pairs[place] for place in chosen], [levels[place] for place in chosen])


def references(recipe: References, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """The edits that a corpus's sentences need."""
    corpus = store.folder(recipe.corpus)
    if not recipe.corpus.simulated and (corpus / "gold.m2").exists():
        sentences = list(read_m2(corpus / "gold.m2"))
    else:
        # The embedded world's true edits stay in gold.m2; scores need edits cut as ERRANT cuts the hypotheses'.
        sources = list(read_plain(corpus / "source.txt"))
        texts = sorted(corpus.glob("reference*.txt")) or [corpus / "target.txt"]
        found = [annotator(recipe.annotator).annotate(sources, list(read_plain(text))) for text in texts]
        sentences = [
            AnnotatedSentence(tuple(source), {number: tuple(edits) for number, edits in enumerate(annotations)})
            for source, *annotations in zip(sources, *found, strict=True)
        ]
    write_m2(folder / "references.m2", sentences)
    return asdict(EditProfile.of([item.source for item in sentences], [item.annotators.get(0, ()) for item in sentences]))


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
