"""Direct noise, against algorithm 1 and the settings of the two papers."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from pydantic import ValidationError

from helpers.noising import make_noiser, noised
from helpers.rates import assert_rate
from pseudogec.artefacts.errors import UserError
from pseudogec.noise import DirectNoise, Noiser, NoiseResources, noised_tokens
from pseudogec.random_streams import SentenceStreams

GENUINE = [["the", "cat", "sat", "on", "the", "mat", "."], ["a", "dog", "ran"]] * 3
# 125,000 tokens
SENTENCES = [[f"w{number % 97}" for number in range(length)] for length in [20, 30, 40, 10] * 1250]
TOKENS = sum(map(len, SENTENCES))


def direct(**parameters: Any) -> Noiser:
    return make_noiser("direct_noise", parameters, NoiseResources.from_sentences(GENUINE))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, (0.3, 0.25, 0.25, 0.2)),  # TASLP
        ({"mu_mask": 0.5}, (0.5, 0.15, 0.15, 0.2)),  # EMNLP
        ({"mu_mask": 0.1}, (0.1, 0.35, 0.35, 0.2)),
        ({"mu_mask": 0.7}, (0.7, 0.05, 0.05, 0.2)),
        ({"mu_mask": "0.5"}, (0.5, 0.15, 0.15, 0.2)),  # from a command line
        ({"mu_mask": 0.4, "mu_del": 0.3, "mu_ins": 0.2, "mu_keep": 0.1}, (0.4, 0.3, 0.2, 0.1)),
        ({"mu_mask": 0.5, "mu_del": 0.1}, (0.5, 0.1, 0.2, 0.2)),
        ({"mu_keep": 1}, (0, 0, 0, 1)),
        ({"mu_keep": 0.6}, (0.15, 0.125, 0.125, 0.6)),
    ],
)
def test_probabilities_that_are_not_given_follow_the_paper(
    parameters: dict[str, Any], expected: tuple[float, ...]
) -> None:
    chosen = DirectNoise.model_validate(parameters)
    assert (chosen.mu_mask, chosen.mu_del, chosen.mu_ins, chosen.mu_keep) == pytest.approx(expected)


def test_a_changed_probability_changes_those_that_follow_from_it() -> None:
    paper = DirectNoise.model_validate({"mu_mask": 0.3, "sse_rate": 0.003})
    assert paper.changed(mu_mask=0.5) == DirectNoise.model_validate(
        {"mu_mask": 0.5, "sse_rate": 0.003}
    )
    assert paper.changed(sse_rate=0.0) == DirectNoise.model_validate({})
    given = DirectNoise.model_validate({"mu_mask": 0.5, "mu_del": 0.1})
    assert given.changed(mu_mask=0.3).mu_del == 0.1
    with pytest.raises(ValidationError, match="mu_mask"):
        DirectNoise.model_validate(
            {"mu_mask": 0.4, "mu_del": 0.3, "mu_ins": 0.2, "mu_keep": 0.1}
        ).changed(mu_mask=0.3)


@pytest.mark.parametrize("mu_mask", [0.1, 0.3, 0.5, 0.7])
def test_operations_come_at_their_rates(mu_mask: float) -> None:
    profile = noised(direct(mu_mask=mu_mask), SENTENCES, seed=11)
    rest = (0.8 - mu_mask) / 2
    assert (profile.sentences, profile.tokens) == (len(SENTENCES), TOKENS)
    assert_rate(profile.operations["mask"], TOKENS, mu_mask)
    assert_rate(profile.operations["delete"], TOKENS, rest)
    assert_rate(profile.operations["insert"], TOKENS, rest)
    assert_rate(profile.operations["keep"], TOKENS, 0.2 + rest)  # an insertion keeps its token
    assert profile.edits_per_token == pytest.approx(0.8, abs=0.01)


def test_inserted_subwords_follow_the_unigrams_of_genuine_text() -> None:
    noiser, streams = direct(mu_mask=0, mu_del=0, mu_ins=1, mu_keep=0), SentenceStreams(5)
    drawn = [
        operation.after
        for index, tokens in enumerate(SENTENCES)
        for operation in noiser.operations(tokens, streams[index])
        if operation.kind == "insert"
    ]
    assert len(drawn) == TOKENS
    counts = NoiseResources.from_sentences(GENUINE).words.counts
    assert set(drawn) == set(counts)
    for token, count in counts.items():
        assert_rate(drawn.count(token), TOKENS, count / sum(counts.values()))


def test_an_inserted_subword_comes_after_a_kept_one() -> None:
    noiser, streams = direct(), SentenceStreams(0)
    for index, tokens in enumerate(SENTENCES[:500]):
        operations = noiser.operations(tokens, streams[index])
        assert operations[0].kind != "insert"
        assert all(
            left.kind == "keep" for left, right in pairwise(operations) if right.kind == "insert"
        )


def test_operations_cover_the_sentence_and_the_call_joins_them() -> None:
    noiser, streams = direct(mask_token="|"), SentenceStreams(0)
    for index, tokens in enumerate(SENTENCES[:500]):
        operations = noiser.operations(tokens, streams[index])
        assert [operation.before for operation in operations if operation.before] == tokens
        assert noised_tokens(operations) == noiser(tokens, streams[index])
        for kind, before, after in operations:
            assert {
                "keep": before == after,
                "mask": after == "|",
                "delete": not after,
                "insert": not before,
            }[kind]


def test_no_sentence_becomes_empty() -> None:
    noiser, streams = direct(mu_mask=0, mu_del=1, mu_ins=0, mu_keep=0), SentenceStreams(0)
    survivors = [noiser(["a", "b", "c"], streams[index]) for index in range(3000)]
    assert all(len(tokens) == 1 for tokens in survivors)
    for token in "abc":
        assert_rate(survivors.count([token]), 3000, 1 / 3)
    assert noiser([], streams[0]) == []


def test_the_authors_quirk_masks_the_target_of_an_identical_pair() -> None:
    tokens = ["a", "b"]
    plain, quirky = direct(mu_keep=1), direct(mu_keep=1, legacy=True)
    masks = []
    for seed in range(400):
        streams = SentenceStreams(seed)
        random = streams[0]
        assert plain.target(tokens, plain.operations(tokens, random), random) == tokens
        random = streams[0]
        target = quirky.target(tokens, quirky.operations(tokens, random), random)
        assert target[-2:] == tokens
        assert set(target[:-2]) == {"<mask>"}
        masks.append(len(target) - 2)
    assert set(masks) == set(range(1, 9))
    always_masked = direct(mu_mask=1, mu_keep=0, legacy=True)
    random = streams[0]
    assert always_masked.target(tokens, always_masked.operations(tokens, random), random) == tokens


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"mu_mask": 0.1},
        {"mu_mask": 0, "mu_del": 0.8},
        {"mu_mask": 0, "mu_del": 1, "mu_ins": 0, "mu_keep": 0},
        {"mu_mask": 0, "mu_del": 0, "mu_ins": 1, "mu_keep": 0},
        {"mu_mask": 1, "mu_keep": 0, "mask_token": "|"},
        {"mu_keep": 1},
        {"mu_mask": 0.1, "sse_rate": 0.1},
        {"mu_keep": 0.9, "legacy": True},
    ],
)
@pytest.mark.parametrize("frequent", [1, 5_000_000, 2**31, 2**33])
def test_blocks_are_what_each_sentence_gives(parameters: dict[str, Any], frequent: int) -> None:
    """Numpy passes over few draws from a small corpus and over half of those from the third, so
    that words do not suffice.
    """
    noiser = make_noiser(
        "direct_noise", parameters, NoiseResources(Counter({"the": frequent, "cat": 2, "sat": 1}))
    )
    draw = random.Random(1)
    lengths = [draw.choice([0, 1, 1, 2, 3, draw.randrange(60)]) for _ in range(700)]
    sentences = [
        draw.choices(["the", "cat", "unseen", "naïve", "@@"], k=length) for length in lengths
    ]
    streams, kinds = SentenceStreams("blocks"), Counter[str]()
    blocks = list(noiser.blocks(iter(sentences), streams))
    pairs = [
        pair
        for block in blocks
        for pair in zip(block.sentences, block.sources, block.targets, strict=True)
    ]
    for index, (tokens, (sentence, source, target)) in enumerate(
        zip(sentences, pairs, strict=True)
    ):
        stream = streams[index]
        operations = noiser.operations(tokens, stream)
        assert (sentence, source) == (tokens, noised_tokens(operations))
        assert target == noiser.target(tokens, operations, stream)
        kinds.update(operation.kind for operation in operations)
    assert sum((block.operations for block in blocks), Counter()) == kinds


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mu_mask": 0.3, "mu_del": 0.3, "mu_ins": 0.3, "mu_keep": 0.2}, r"1\.1"),
        ({"mu_mask": 0.9}, "mu_mask.*mu_keep.*mu_del.*mu_ins"),
        ({"mu_mask": -0.1}, "mu_mask"),
        ({"mu_maks": 0.3}, "`mu_maks`.*`mu_mask`"),
        ({"mask_token": "two words"}, "mask_token"),
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        direct(**parameters)
