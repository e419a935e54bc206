"""The world's lexicon as a whole, for tests."""

from __future__ import annotations

from collections.abc import Iterator

from learner_world.words import adjectives, adverbs, frames, light_verbs, nouns, phrasal_verbs


def governed_words() -> Iterator[tuple[str, str]]:
    """Every governing word of ``governed.txt`` with its preposition."""
    for pattern in ("verb", "adjective", "noun"):
        for frame in frames()[pattern]:
            for entry in frame.words:
                word, preposition = entry.split()
                yield word, preposition


def lemmas() -> dict[str, set[str]]:
    """The open-class lemmas by part of speech (NOUN, VERB, ADJ, ADV), without names."""
    targets = [target for target in adjectives() if target != "feeling"]
    feelings = {word for pair in adjectives()["feeling"] for word in pair}
    combined = {entry.verb for entry in phrasal_verbs()} | {entry.verb for entry in light_verbs()}
    return {
        "NOUN": {noun.lemma for members in nouns().values() for noun in members},
        "VERB": {
            word.split()[0]
            for pattern in frames()
            for frame in frames()[pattern]
            for word in frame.words
            if pattern not in ("adjective", "noun")
        }
        | combined,
        "ADJ": {word for target in targets for word, _ in adjectives()[target]} | feelings,
        "ADV": {word for words in adverbs().values() for word in words},
    }
