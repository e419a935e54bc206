"""Noise in content words: which words change, and into what."""

from __future__ import annotations

from collections import Counter

from helpers.noising import make_noiser
from pseudogec.noise import NoiseResources
from pseudogec.noise.content_words import similar_words
from pseudogec.random_streams import SentenceStreams

ANIMALS, FOODS = ("cat", "dog", "horse"), ("bread", "soup", "cheese")
TEXT = [
    f"the {animal} quickly ate the {food} and a happy boy gave him happiness .".split()
    for animal in ANIMALS
    for food in FOODS
    for _ in range(3)
] + [f"my {animal} slept in the big house .".split() for animal in ANIMALS for _ in range(6)]


def test_words_of_the_same_contexts_are_the_most_similar() -> None:
    found = similar_words(TEXT, Counter(word for sentence in TEXT for word in sentence))
    for group in (ANIMALS, FOODS):
        for word in group:
            assert set(found[word][:2]) == set(group) - {word}


def test_only_content_words_change_and_into_others_of_their_kind() -> None:
    noiser = make_noiser(
        "content_words",
        {"rate": 1, "similar": 1, "derived": 0},
        NoiseResources.from_sentences(TEXT),
    )
    streams = SentenceStreams(1)
    changed: set[tuple[str, str]] = set()
    for index, sentence in enumerate(TEXT):
        operations = noiser.operations(sentence, streams[index])
        assert [operation.before for operation in operations] == sentence
        changed.update((before, after) for kind, before, after in operations if kind != "keep")
    assert not {before for before, _ in changed} & {"the", "a", "and", "him", "my", "in", "."}
    assert ("cat", "dog") in changed
    nouns = {*ANIMALS, *FOODS, "boy", "house", "happiness"}
    assert all(after in nouns for before, after in changed if before in ANIMALS)


def test_derivations_have_another_part_of_speech() -> None:
    noiser = make_noiser(
        "content_words",
        {"rate": 1, "similar": 0, "derived": 1},
        NoiseResources.from_sentences(TEXT),
    )
    assert noiser("the Happy boy".split(), SentenceStreams(1)[0]) == ["the", "Happiness", "boy"]
