"""The world's facts as tables, for the reader of notebook 00."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from learner_world import lexicon
from learner_world.corpus import learner_sentences, seed_sentences
from learner_world.learner import LEVELS
from learner_world.registers import REGISTERS

if TYPE_CHECKING:
    import pandas as pd

SIMULATION = "simulation: sentences and mistakes are made by a program and the truth is known; not the paper's data"
"""What every table made from the world must say."""


def describe(sentences: int = 2000, seed: int = 1) -> pd.DataFrame:
    """A tidy table of the world: columns ``part``, ``name``, ``measure``,
    ``value``; its ``attrs["note"]`` says it is a simulation.

    Args:
        sentences: how many sentences of each register and level are counted.
        seed: seed of those sentences.

    Rows: lemmas of the lexicon by part of speech; for each register mean length and distinct words; for each level edits per
    token, share of sentences without a mistake, and the share of each error type (without its operation).
    """
    import pandas as pd

    rows: list[tuple[str, str, str, float]] = [
        ("lexicon", part, "lemmas", len(words)) for part, words in lexicon.lemmas().items()
    ]
    for register in REGISTERS:
        texts = list(seed_sentences(register, sentences, seed))
        words = Counter(word.lower() for text in texts for word in text)
        rows.append(("register", register, "tokens per sentence", words.total() / len(texts)))
        rows.append(("register", register, "distinct words", len(words)))
        rows.append(("register", register, "words seen once", sum(count == 1 for count in words.values())))
    for level in LEVELS:
        rows += _level_rows(level, sentences, seed)
    table = pd.DataFrame(rows, columns=["part", "name", "measure", "value"])
    table.attrs["note"] = SIMULATION
    return table


def _level_rows(level: str, sentences: int, seed: int) -> list[tuple[str, str, str, float]]:
    made = list(islice(learner_sentences(sentences, "train", seed, {level: 1.0}), sentences))
    types = Counter(edit.type.partition(":")[2] for sentence in made for edit in sentence.edits)
    tokens = sum(len(sentence.source) for sentence in made)
    rows = [
        ("level", level, "edits per token", types.total() / tokens),
        ("level", level, "sentences without a mistake", sum(not sentence.edits for sentence in made) / len(made)),
    ]
    return rows + [("level", level, f"share of {kind}", count / types.total()) for kind, count in types.most_common()]
