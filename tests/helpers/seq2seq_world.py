"""A tiny language for the tests of training and decoding: sentences of made-up pieces, and
learners' copies with errors.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from pseudogec.seq2seq.data import binarise
from pseudogec.seq2seq.options import Architecture, AverageLast, Optimisation
from pseudogec.text import Vocabulary

Pairs = list[tuple[list[str], list[str]]]

WORDS = [f"{start}{vowel}" for start in ("b", "f@@", "k", "m") for vowel in "aeio"]
TINY = Architecture(
    encoder_layers=1,
    decoder_layers=1,
    attention_heads=2,
    model_size=32,
    feed_forward_size=64,
    dropout=0.1,
)


def make_pairs(count: int, seed: int) -> Pairs:
    """Sentences of 1 to 8 pieces; in a source every tenth piece or so is wrong."""
    random_numbers = random.Random(seed)
    pairs = []
    for _ in range(count):
        target = random_numbers.choices(
            WORDS, weights=range(1, len(WORDS) + 1), k=random_numbers.randint(1, 8)
        )
        source = [
            random_numbers.choice(WORDS) if random_numbers.random() < 0.1 else piece
            for piece in target
        ]
        pairs.append((source, target))
    return pairs


def make_dictionary(pairs: Pairs, path: Path) -> Path:
    """The dictionary that ``fairseq-preprocess`` writes: filled up to a multiple of eight symbols,
    its own four included.
    """
    vocabulary = Vocabulary(
        Counter(subword for pair in pairs for side in pair for subword in side), symbols=()
    )
    for number in range(-(len(vocabulary) + 4) % 8):
        vocabulary.counts[f"madeupword{number:04d}"] = 0
    vocabulary.save(path)
    return path


def make_dataset(folder: Path, dictionary: Path, count: int, seed: int) -> Path:
    binarise(make_pairs(count, seed), dictionary, folder)
    return folder


def short_training(**changes: object) -> Optimisation:
    """Two epochs with the mean of two checkpoints, unless changed."""
    options: dict[str, object] = {
        "learning_rate": 2e-3,
        "warmup_updates": 10,
        "max_tokens": 300,
        "epochs": 2,
        "selection": AverageLast(average_last=2),
    }
    return Optimisation.model_validate(options | changes)
