"""How seed text is made: read from files of any size in shares, and cut into shards in one pass."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np

from artefacts.errors import UserError
from artefacts.file_digests import refuse_changed
from artefacts.files import open_for_reading, read_lines, write_lines
from artefacts.progress import Progress
from artefacts.store import Store
from learner_world import seed_sentences
from pseudogec.corpora import CorpusFiles, Share, Shuffle, clean_seed_text, open_sentences
from pseudogec.study.seed_recipes import FileSeedText, SeedCorpus, SeedShards, WorldSeedText

SENTENCES = "sentences.txt"
CORPUS = "sentences.txt.zst"
_SHUFFLED_AT_ONCE = 2**16


def world_seed_text(recipe: WorldSeedText, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Grammatical sentences of the simulation."""
    # Each shard has a seed of its own, so shards can be made at once, in any order.
    seed = recipe.seed * 1_000_003 + recipe.shard
    sentences = seed_sentences(recipe.register_name, recipe.size, seed)
    return _written(folder / SENTENCES, sentences, lambda count: progress(count, recipe.size, "sentences"))


def seed_corpus(recipe: SeedCorpus, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """The sentences of a share of a seed corpus's texts."""
    refuse_changed(recipe.files, store.root)
    read, total = 0, sum(file.size for file in recipe.files)

    def told(size: int) -> None:
        nonlocal read
        read += size

    paths = tuple(file.path for file in recipe.files)
    files = CorpusFiles(name=recipe.name, format=recipe.source, paths=paths, tokenised=recipe.tokenised)  # type: ignore[arg-type]
    sentences: Iterable[list[str]] = filter(None, open_sentences(files, Share(*recipe.share), told))
    if recipe.clean:
        sentences = clean_seed_text(sentences)
    return _written(folder / CORPUS, sentences, lambda count: progress(read, total, f"{count:,} sentences"))


def seed_shards(recipe: SeedShards, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Cut shards from a seed corpus; the corpus may be too small for the later ones, which then do not exist."""
    parts = [store.folder(part) / CORPUS for part in recipe.corpus]
    available = sum(store.result(part)["result"]["sentences"] for part in recipe.corpus)
    last = min(recipe.last, available // recipe.size)
    if last > recipe.first:
        shuffle = Shuffle(available, recipe.seed)
        with ExitStack() as stack:
            shards = [stack.enter_context((folder / f"{number}.txt").open("wb")) for number in range(recipe.first, last)]
            done = 0
            for lines in _blocks(parts):
                _deal(lines, (shuffle(np.arange(done, done + len(lines))) // recipe.size) - recipe.first, shards)
                done += len(lines)
                progress(done, available, "sentences")
    return {"available": available, "shards": max(last - recipe.first, 0)}


def _blocks(files: Sequence[Path]) -> Iterator[list[bytes]]:
    """The lines of files, line ends included, some at a time; a block may run from one file into the next."""
    block: list[bytes] = []
    for file in files:
        with open_for_reading(file) as stream:
            for line in stream:
                block.append(line)
                if len(block) == _SHUFFLED_AT_ONCE:
                    yield block
                    block = []
    if block:
        yield block


def _deal(lines: Sequence[bytes], shard_of_line: np.ndarray, shards: Sequence[IO[bytes]]) -> None:
    for place in np.flatnonzero((shard_of_line >= 0) & (shard_of_line < len(shards))).tolist():
        shards[shard_of_line[place]].write(lines[place])


def file_seed_text(recipe: FileSeedText, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """One of the shards that were cut together; its text is not kept twice where the file system can give a file two names.

    Raises:
        UserError: the seed corpus has too few sentences.
    """
    cut = store.folder(recipe.shards) / f"{recipe.shard}.txt"
    if not cut.exists():
        available = store.result(recipe.shards)["result"]["available"]
        raise UserError(
            f"seed corpus {recipe.name} has {available:,} sentences; {(recipe.shard + 1) * recipe.size:,} are needed "
            "(fewer pseudo_pairs, or a larger seed corpus)"
        )
    try:
        os.link(cut, folder / SENTENCES)
    except OSError:
        shutil.copyfile(cut, folder / SENTENCES)
    tokens = sum(line.count(" ") + 1 for line in read_lines(folder / SENTENCES))
    return {"sentences": recipe.size, "tokens": tokens}


def _written(path: Path, sentences: Iterable[list[str]], told: Any) -> dict[str, Any]:
    """Write sentences, a line each, and count them."""
    tokens = 0

    def lines() -> Iterator[str]:
        nonlocal tokens
        for count, sentence in enumerate(sentences, start=1):
            tokens += len(sentence)
            told(count)
            yield " ".join(sentence)

    return {"sentences": write_lines(path, lines()), "tokens": tokens}
