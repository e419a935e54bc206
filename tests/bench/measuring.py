"""What the benchmarks share: a description of the machine, and text to work on."""

from __future__ import annotations

import os
import platform
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from learner_world import learner_sentences, seed_sentences
from pseudogec.seq2seq import binarise
from pseudogec.text import Bpe, Vocabulary


def describe_machine() -> str:
    """Processor, cores that this process may use, Python, and how busy the machine is."""
    names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    name = names[0] if names else platform.machine()
    cores = len(os.sched_getaffinity(0))
    return f"{name}, {cores} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"


class Text(NamedTuple):
    """Text of the embedded world, binarised.

    Attributes:
        forward: learners' sentences and their corrections.
        reverse: the same the other way round.
        to_decode: newswire on both sides.
        dictionary: of all of them.
        sentences: the newswire in pieces.
    """

    forward: Path
    reverse: Path
    to_decode: Path
    dictionary: Path
    sentences: list[list[str]]


def make_text(folder: Path, pairs: int, merges: int, to_decode: int = 1) -> Text:
    """Write so many learners' pairs and sentences of newswire into a folder."""
    learners = list(learner_sentences(pairs, "train", seed=1))
    bpe = Bpe.learn([list(pair.target) for pair in learners], merges)
    pieces = [(bpe.apply(list(pair.source)), bpe.apply(list(pair.target))) for pair in learners]
    counts = Counter(piece for pair in pieces for side in pair for piece in side)
    newswire = [bpe.apply(tokens) for tokens in seed_sentences("newswire", to_decode, seed=1)]
    text = Text(*(folder / name for name in ("forward", "reverse", "to_decode", "dict.txt")), newswire)
    Vocabulary(counts, symbols=bpe.possible_subwords).save(text.dictionary)
    binarise(pieces, text.dictionary, text.forward)
    binarise([(target, source) for source, target in pieces], text.dictionary, text.reverse)
    binarise([(sentence, sentence) for sentence in newswire], text.dictionary, text.to_decode)
    return text
