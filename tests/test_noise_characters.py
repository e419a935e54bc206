"""Synthetic spelling errors, alone, on top of methods, and on subwords."""

from __future__ import annotations

from collections import Counter
from string import ascii_lowercase

import pytest

from helpers.noising import make_noiser
from helpers.rates import assert_rate
from pseudogec.languages import ENGLISH
from pseudogec.noise import NoiseResources
from pseudogec.noise.spelling_errors import add_spelling_errors, edit_character
from pseudogec.random_streams import SentenceStreams
from pseudogec.text import Bpe

SENTENCES = [["abcdefghij"] * 20] * 6000  # 120,000 tokens
GENUINE = [["lower", "newer", "lowest", "newest", "widest"]] * 4
BPE = Bpe.learn(GENUINE, 8)


def test_a_character_is_edited_in_four_ways_with_equal_chances() -> None:
    streams = SentenceStreams(1)
    written = Counter(edit_character("abc", 1, streams[index]) for index in range(100_000))
    assert_rate(written["ac"], 100_000, 1 / 4)
    assert_rate(written["acb"], 100_000, 1 / 4)
    assert_rate(sum(count for text, count in written.items() if len(text) == 4), 100_000, 1 / 4)
    replaced = {text: count for text, count in written.items() if len(text) == 3 and text != "acb"}
    assert_rate(sum(replaced.values()), 100_000, 1 / 4)
    assert len(replaced) == 25, "every other letter"
    inserted = [text for text in written if len(text) == 4]
    assert all(text[:2] == "ab" and text[3] == "c" for text in inserted)
    assert len(inserted) == 26, "every letter"
    assert "bac" not in written
    assert {edit_character("ab", 1, streams[index]) for index in range(200)} >= {"ba", "a"}


def test_errors_come_at_their_rate() -> None:
    noiser, streams = make_noiser("sse", {}, NoiseResources()), SentenceStreams(3)
    misspelt = sum(
        operation.kind == "spell"
        for index, tokens in enumerate(SENTENCES)
        for operation in noiser.operations(tokens, streams[index])
    )
    assert_rate(misspelt, 120_000, 1 - (1 - 0.003) ** 10)


def test_rate_zero_is_the_identity_and_leaves_the_method_beneath_as_it_is() -> None:
    streams = SentenceStreams(3)
    resources = NoiseResources.from_sentences(GENUINE)
    plain = make_noiser("direct_noise", {}, resources)
    alone = make_noiser("sse", {"sse_rate": 0}, resources)
    for index, tokens in enumerate(SENTENCES[:300]):
        assert alone(tokens, streams[index]) == tokens
        operations = plain.operations(tokens, streams[index])
        assert add_spelling_errors([*operations], 0.0, streams[index]) == operations


@pytest.mark.parametrize(
    "sentence",
    [
        "Він сам пішов до лікаря",
        "γάτα κοιμάται εδώ",
        "große Übung Äpfel",
        "他去学校",
        "Çocuk okula gitti",
    ],
    ids=["Ukrainian", "Greek", "German", "Chinese", "Turkish"],
)
def test_errors_are_of_the_text_s_own_letters(sentence: str) -> None:
    tokens = sentence.split()
    resources = NoiseResources.from_sentences([tokens] * 3)
    allowed = set(sentence.lower() + sentence) | (
        {*ascii_lowercase} if any(map(str.isascii, sentence.replace(" ", ""))) else set()
    )
    for method, parameters in (
        ("sse", {"sse_rate": 0.3}),
        ("direct_noise_spell", {"mean": 0, "character_noise": 1}),
    ):
        noiser = make_noiser(method, parameters, resources)
        written = {
            letter
            for index in range(300)
            for token in noiser(tokens, SentenceStreams(1)[index])
            for letter in token
        }
        assert written <= allowed
        assert len(written) > 3


def test_masks_are_never_misspelt() -> None:
    noiser = make_noiser(
        "direct_noise",
        {"mu_mask": 0.5, "mu_keep": 0.5, "sse_rate": 1},
        NoiseResources.from_sentences(GENUINE),
    )
    written = Counter(
        token for index in range(300) for token in noiser(["abcdef"] * 4, SentenceStreams(1)[index])
    )
    assert_rate(written["<mask>"], 1200, 0.5)
    assert not [token for token in written if token != "<mask>" and "<" in token]
    assert written["abcdef"] < 0.01 * 1200, "the others are misspelt, at every character"


def test_an_unknown_subword_stays_one() -> None:
    """Binarised back-translations have `<unk>` where the dictionary lacks a subword."""
    noiser = make_noiser("sse", {"sse_rate": 1}, NoiseResources(bpe=BPE))
    assert noiser(["Z@@", "o@@", "<unk>", "<unk>"], SentenceStreams(1)[0]) == ["<unk>", "<unk>"]


def test_misspelt_subwords_are_split_again() -> None:
    resources = NoiseResources.from_sentences(GENUINE, BPE)
    possible, streams = BPE.possible_subwords(ENGLISH.characters), SentenceStreams(1)
    for method in ("direct_noise", "random", "sse"):
        noiser = make_noiser(method, {"sse_rate": 0.1}, resources)
        for index in range(300):
            subwords = BPE.apply(GENUINE[0])
            noised = noiser(subwords, streams[index])
            assert set(noised) <= possible, "no dictionary would have it"
            assert all(subword.count("@") in (0, 2) for subword in noised)


def test_methods_on_words_take_and_give_subwords_when_there_is_a_segmentation() -> None:
    resources = NoiseResources.from_sentences(GENUINE, BPE)
    subwords = BPE.apply(GENUINE[0])
    on_words = make_noiser("random", {}, NoiseResources.from_sentences(GENUINE))
    on_subwords = make_noiser("random", {}, resources)
    streams = SentenceStreams(9)
    for index in range(300):
        assert on_subwords(subwords, streams[index]) == BPE.apply(
            on_words(GENUINE[0], streams[index])
        )
        operations = on_subwords.operations(subwords, streams[index])
        assert (
            " ".join(operation.before for operation in operations if operation.before).split(" ")
            == subwords
        )


def test_direct_noise_on_subwords_draws_subwords() -> None:
    noiser = make_noiser(
        "direct_noise",
        {"mu_mask": 0, "mu_del": 0, "mu_ins": 1, "mu_keep": 0},
        NoiseResources.from_sentences(GENUINE, BPE),
    )
    subwords = BPE.apply(GENUINE[0])
    inserted = {
        operation.after
        for operation in noiser.operations(subwords * 50, SentenceStreams(1)[0])
        if operation.kind == "insert"
    }
    assert inserted == set(subwords)
