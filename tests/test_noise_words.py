"""Random noise, confusion sets and realistic noise, against their papers' definitions."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import jellyfish
import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from helpers.noising import learnt_from, make_noiser, noised
from helpers.rates import assert_rate
from pseudogec.artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.languages.english_inflections import PREPOSITIONS
from pseudogec.noise import (
    ConfusionSets,
    EditDictionary,
    Noiser,
    NoiseResources,
    RealisticNoise,
    SpellNoise,
    noised_tokens,
)
from pseudogec.random_streams import SentenceStreams

SENTENCES = [[f"w{number % 97}" for number in range(length)] for length in [20, 30, 40, 10] * 1250]
TOKENS = sum(map(len, SENTENCES))


def random_noise(**parameters: Any) -> Noiser:
    return make_noiser("random", parameters, NoiseResources.from_sentences([["new"]]))


def spell_noise(**parameters: Any) -> Noiser:
    sets = {f"w{number}": ["other"] for number in range(97)}
    return Noiser(
        SpellNoise(**parameters), NoiseResources(Counter(["new"]), confusions=ConfusionSets(sets))
    )


class KnownEdits(NoiseResources):
    """Resources whose edits are given."""

    def __init__(self, counts: dict[str, dict[str, int]]) -> None:
        super().__init__()
        self._counts = counts

    def edits(self, minimum_count: int) -> EditDictionary:
        return EditDictionary(self._counts)


def realistic_noise(counts: dict[str, dict[str, int]], **parameters: Any) -> Noiser:
    return Noiser(RealisticNoise(**parameters), KnownEdits(counts))


COVERING = [
    random_noise(),
    random_noise(shuffle_deviation=3, delete=0.3),
    spell_noise(),
    realistic_noise({"w1": {"": 1, "w1": 1}, "w2": {"extra w2": 1}, "w3": {"x": 1}}),
]


@pytest.mark.parametrize("noiser", COVERING, ids=lambda noiser: noiser.method.name)
def test_operations_cover_the_sentence(noiser: Noiser) -> None:
    streams = SentenceStreams(1)
    for index, tokens in enumerate(SENTENCES[:400]):
        operations = noiser.operations(tokens, streams[index])
        assert (
            " ".join(operation.before for operation in operations if operation.before).split(" ")
            == tokens
        )
        assert noised_tokens(operations) == noiser(tokens, streams[index])
        for kind, before, after in operations:
            assert (kind == "keep") == (before == after) or kind == "replace"
            assert (kind == "delete") == (not after)
            assert (kind == "insert") == (not before)


@pytest.mark.parametrize("noiser", COVERING, ids=lambda noiser: noiser.method.name)
def test_the_result_depends_on_seed_and_index_alone(noiser: Noiser) -> None:
    streams = SentenceStreams("s")
    first = [noiser(tokens, streams[index]) for index, tokens in enumerate(SENTENCES[:50])]
    copied: Noiser = pickle.loads(pickle.dumps(noiser))
    assert [copied(SENTENCES[index], streams[index]) for index in reversed(range(50))] == first[
        ::-1
    ]


def test_random_noise_comes_at_its_rates() -> None:
    counts = noised(random_noise(shuffle_deviation=0), SENTENCES, seed=1).operations
    for kind in ("delete", "replace", "insert"):
        assert_rate(counts[kind], TOKENS, 0.1)


def test_words_are_shuffled_as_the_normal_keys_say() -> None:
    """Two words change places when N(0, 0.5) - N(0, 0.5) > 1: a normal deviate beyond the square
    root of 2.
    """
    noiser, streams = random_noise(delete=0, replace=0, insert=0), SentenceStreams(2)
    swapped = sum(noiser(["a", "b"], streams[index]) == ["b", "a"] for index in range(50_000))
    assert_rate(swapped, 50_000, 0.0786496)
    assert Counter(noiser(SENTENCES[2], streams[0])) == Counter(SENTENCES[2])


def test_spell_noise_changes_a_normal_share_of_words() -> None:
    """The mean of N(0.15, 0.2) clipped to [0, 1] is 0.1751; the four operations divide it
    7:1:1:1.
    """
    sentences = [[f"w{number}" for number in range(90)]] * 4000
    counts = noised(spell_noise(character_noise=0), sentences, seed=1).operations
    changes = {kind: counts[kind] for kind in ("replace", "delete", "insert", "swap")}
    draws = np.clip(np.random.default_rng(0).normal(0.15, 0.2, 1_000_000), 0, 1)
    # The share varies by sentence: its standard error is that of 4,000 draws. A swap may take a
    # word that was to be changed.
    assert sum(changes.values()) / (90 * 4000) == pytest.approx(
        draws.mean(), abs=4 * draws.std() / 4000**0.5 + 0.01
    )
    assert changes["replace"] / sum(changes.values()) == pytest.approx(0.7, abs=0.02)
    for kind in ("delete", "insert", "swap"):
        assert changes[kind] / sum(changes.values()) == pytest.approx(0.1, abs=0.02)


def test_character_noise_befalls_a_tenth_of_the_words_that_stay() -> None:
    profile = noised(spell_noise(mean=0, deviation=0), SENTENCES, seed=1)
    # A transposition of equal characters changes nothing; in the words here only "w11", "w22", ...
    # have any.
    assert profile.operations["spell"] / TOKENS == pytest.approx(0.1, abs=0.004)
    untouched = noised(spell_noise(mean=0, deviation=0, character_noise=0), SENTENCES, seed=1)
    assert untouched.operations == {"keep": TOKENS}
    always, streams = spell_noise(mean=0, deviation=0, character_noise=1), SentenceStreams(1)
    written = [always(["abcdefghij"], streams[index])[0] for index in range(500)]
    alike = {
        next((place for place in range(10) if text[place : place + 1] != "abcdefghij"[place]), 10)
        for text in written
    }
    assert alike == set(range(11)), "at every character, and behind the last"
    punctuation = noised(
        spell_noise(mean=0, deviation=0, character_noise=1), [[".", "1999", "``"]] * 100, seed=1
    )
    assert punctuation.operations == {"keep": 300}


def test_no_sentence_becomes_empty() -> None:
    shares = {"replace": 0, "delete": 1, "insert": 0, "swap": 0}
    streams = SentenceStreams(1)
    assert len(spell_noise(mean=1, deviation=0, **shares)(["a", "b"], streams[0])) == 1
    assert len(random_noise(delete=1, replace=0, insert=0)(["a", "b"], streams[0])) == 1
    assert realistic_noise({"a": {"": 1}}, token_probability=1)(["a"], streams[0]) == ["a"]


def _distance(word: str, other: str) -> float:
    """The mean of the edit distances of spelling and of sound (Grundkiewicz et al. 2019, section
    4.1).
    """
    sounds = jellyfish.metaphone(word), jellyfish.metaphone(other)
    return (Levenshtein.distance(word, other) + Levenshtein.distance(*sounds)) / 2


def test_confusion_sets_hold_near_words_nearest_first() -> None:
    sets = ConfusionSets()
    assert {"whether", "leather"} <= set(sets["weather"])
    assert "peace" in sets["piece"]
    assert "there" in sets["their"]
    for word in ("their", "piece", "weather", "meat"):
        distances = [_distance(word, other) for other in sets[word]]
        assert 1 < len(distances) <= 20
        assert distances == sorted(distances)
        assert word not in sets[word]
    assert sets["Their"] == tuple(other[0].upper() + other[1:] for other in sets["their"])
    assert sets["THEIR"][0] == sets["their"][0].upper()
    assert sets["1999"] == sets["."] == ()


def sentence(text: str, *edits: tuple[int, int, str]) -> AnnotatedSentence:
    return AnnotatedSentence(
        tuple(text.split()), {0: tuple(Edit(*edit, type="R:OTHER") for edit in edits)}
    )


def test_the_edit_dictionary_counts_what_was_written_for_each_token() -> None:
    data = [
        sentence("he depend of it", (1, 2, "depends"), (2, 3, "on")),
        sentence("on it", (0, 0, "sit")),  # "sit" was missing
        sentence("go to home now", (1, 2, "")),  # "to" was superfluous before "home"
        sentence("a lot people", (0, 2, "many")),  # two tokens for one: not counted
        sentence("fine now"),
        AnnotatedSentence(("vague", "now"), {0: (Edit(0, 1, "", "UNK"),)}),
        AnnotatedSentence(
            ("likes",),
            {0: (Edit(0, 1, "like||love", "R:VERB"),), 1: (Edit(0, 1, "enjoys", "R:VERB"),)},
        ),
    ]
    counts = EditDictionary.from_annotated(data, minimum_count=1).counts
    assert counts == {
        "depends": {"depend": 1},
        "enjoys": {"likes": 1},  # by the second annotator
        "like": {"likes": 1},  # the first of two corrections
        "home": {"to home": 1},
        "on": {"of": 1, "on": 1},
        "sit": {"": 1},
    }
    assert EditDictionary.from_annotated(data * 3, minimum_count=3).counts["on"] == {
        "of": 3,
        "on": 3,
    }
    with pytest.raises(UserError, match="minimum_count"):
        EditDictionary.from_annotated(data, minimum_count=4)


def test_tokens_are_drawn_from_the_dictionary_at_their_rates() -> None:
    noiser = realistic_noise({"zz": {"": 1, "zy": 2, "the zz": 3, "zz": 4}}, type_probability=0)
    counts = noised(noiser, [["zz"] * 50] * 2500, seed=1).operations
    trials = 125_000
    assert_rate(counts["delete"], trials, 0.9 * 0.1)
    assert_rate(counts["replace"], trials, 0.9 * 0.2)
    assert_rate(counts["insert"], trials, 0.9 * 0.3)
    assert_rate(counts["keep"], trials, 1 - 0.9 * 0.3)


@pytest.mark.parametrize(
    ("word", "others"), [("of", len(PREPOSITIONS)), ("children", 1), ("went", 4)]
)
def test_types_change_at_their_rate_with_equal_chances(word: str, others: int) -> None:
    """A preposition (into another or nothing), a noun and a verb."""
    noiser, streams = realistic_noise({"zz": {"zy": 1}}), SentenceStreams(4)
    written = Counter(
        operation.after
        for index in range(2500)
        for operation in noiser.operations([word] * 50, streams[index])
    )
    assert_rate(125_000 - written.pop(word), 125_000, 0.1)
    assert len(written) == others
    for count in written.values():
        assert_rate(count, 125_000, 0.1 / others)


def test_realistic_noise_learns_from_genuine_pairs() -> None:
    sources = [["He", "go", "home", "."], ["She", "depends", "of", "me", "."]] * 2
    targets = [["He", "goes", "home", "."], ["She", "depends", "on", "me", "."]] * 2
    resources = learnt_from(iter(sources), iter(targets))
    noiser = make_noiser(
        "realistic", {"token_probability": 1, "type_probability": 0, "minimum_count": 2}, resources
    )
    assert noiser(["He", "goes", "on", "."], SentenceStreams(1)[0]) == ["He", "go", "of", "."]
