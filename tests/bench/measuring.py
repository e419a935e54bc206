"""What the benchmarks share: a description of the machine, and text to work on."""

from __future__ import annotations

import os
import platform
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from pseudogec.corpora.classroom import classroom_sentences
from pseudogec.languages import ENGLISH
from pseudogec.noise.classroom import learner_sentences
from pseudogec.seq2seq import binarise
from pseudogec.text import Bpe, Vocabulary


def describe_machine() -> str:
    """Processor, cores that this process may use, Python, and how busy the machine is."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if "model name" in line
    ]
    name = names[0] if names else platform.machine()
    cores = len(os.sched_getaffinity(0))
    return (
        f"{name}, {cores} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )


class Text(NamedTuple):
    """Text of the classroom, binarised.

    Attributes:
        forward: learners' sentences and their corrections.
        reverse: the same the other way round.
        to_decode: novels on both sides.
        dictionary: of all of them.
        sentences: the novels in pieces.
    """

    forward: Path
    reverse: Path
    to_decode: Path
    dictionary: Path
    sentences: list[list[str]]


def make_text(folder: Path, pairs: int, merges: int, to_decode: int = 1) -> Text:
    """Write so many learners' pairs and sentences of novels into a folder."""
    everyday = cycle(classroom_sentences("everyday", "train"))
    learners = [sentence.pair for sentence in learner_sentences(islice(everyday, pairs), "1")]
    bpe = Bpe.learn([pair.target for pair in learners], merges)
    pieces = [(bpe.apply(pair.source), bpe.apply(pair.target)) for pair in learners]
    counts = Counter(piece for pair in pieces for side in pair for piece in side)
    novels = [
        bpe.apply(tokens)
        for tokens in islice(cycle(classroom_sentences("novels", "seed")), to_decode)
    ]
    text = Text(
        *(folder / name for name in ("forward", "reverse", "to_decode", "dict.txt")), novels
    )
    Vocabulary(counts, symbols=bpe.possible_subwords(ENGLISH.characters)).save(text.dictionary)
    binarise(pieces, text.dictionary, text.forward)
    binarise([(target, source) for source, target in pieces], text.dictionary, text.reverse)
    binarise([(sentence, sentence) for sentence in novels], text.dictionary, text.to_decode)
    return text
