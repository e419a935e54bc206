"""The simulated corpora: reproducible, disjoint, varied, and never repeating."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

from helpers.lexicon import lemmas
from learner_world import REGISTERS, learner_sentences, seed_sentences
from pseudogec.text import tokenise


@pytest.fixture(scope="module")
def texts() -> dict[str, list[list[str]]]:
    return {register: list(seed_sentences(register, 3000)) for register in REGISTERS}


@pytest.mark.parametrize("register", list(REGISTERS))
def test_seed_text_is_reproducible_and_a_longer_request_begins_with_the_shorter(
    register: str,
) -> None:
    short, long = list(seed_sentences(register, 150)), list(seed_sentences(register, 400))
    assert short == long[:150]
    assert list(seed_sentences(register, 150, seed=2)) != short


def test_learner_text_is_reproducible_and_a_longer_request_begins_with_the_shorter() -> None:
    short, long = list(learner_sentences(100, "valid")), list(learner_sentences(250, "valid"))
    assert short == long[:100]
    assert list(learner_sentences(100, "valid", seed=2)) != short


def test_no_right_sentence_repeats(texts: dict[str, list[list[str]]]) -> None:
    targets = [sentence.target for sentence in learner_sentences(4000, "train")]
    assert len(set(targets)) == len(targets)
    for sentences in texts.values():
        distinct = {tuple(sentence) for sentence in sentences}
        assert len(distinct) >= 0.995 * len(sentences)  # blemishes may make two alike


def test_valid_and_test_targets_occur_nowhere_else(texts: dict[str, list[list[str]]]) -> None:
    def targets(split: str, seed: int) -> set[str]:
        return {
            " ".join(sentence.target).lower() for sentence in learner_sentences(1500, split, seed)
        }  # type: ignore[arg-type]

    train, valid, test = (
        targets("train", 1) | targets("train", 2),
        targets("valid", 1),
        targets("test", 3),
    )
    seed_text = {
        " ".join(sentence).lower() for sentences in texts.values() for sentence in sentences
    }
    assert not train & valid and not train & test and not valid & test
    assert not seed_text & (valid | test)


def test_length_is_that_of_sentences(texts: dict[str, list[list[str]]]) -> None:
    for sentences in [
        *texts.values(),
        [list(sentence.target) for sentence in learner_sentences(2000, "train")],
    ]:
        lengths = [len(sentence) for sentence in sentences]
        assert 16.5 <= np.mean(lengths) <= 21.5
        assert (
            np.percentile(lengths, 5) <= 8 and np.percentile(lengths, 95) >= 35
        )  # as real text has
        assert max(lengths) <= 62 and min(lengths) >= 3


def test_registers_differ_in_length_and_vocabulary(texts: dict[str, list[list[str]]]) -> None:
    length = {
        register: np.mean([len(sentence) for sentence in sentences])
        for register, sentences in texts.items()
    }
    assert length["simple"] < length["encyclopedic"] and length["simple"] < length["newswire"]
    words = {
        register: {word.lower() for sentence in sentences for word in sentence}
        for register, sentences in texts.items()
    }
    assert len(words["simple"]) < len(words["encyclopedic"])
    for one, other in (
        ("simple", "encyclopedic"),
        ("simple", "newswire"),
        ("encyclopedic", "newswire"),
    ):
        assert len(words[one] & words[other]) / len(words[one] | words[other]) < 0.6


def test_learners_write_more_like_simple_text_than_like_the_others(
    texts: dict[str, list[list[str]]],
) -> None:
    learner = Counter(
        word.lower() for sentence in learner_sentences(3000, "train") for word in sentence.target
    )

    def unknown(register: str) -> float:
        words = Counter(word.lower() for sentence in texts[register] for word in sentence)
        return sum(count for word, count in learner.items() if word not in words) / learner.total()

    assert unknown("simple") < unknown("encyclopedic") and unknown("simple") < unknown("newswire")
    assert learner["i"] / learner.total() > 0.01  # essays and letters have a first person


def test_vocabulary_is_large_and_has_a_long_tail(texts: dict[str, list[list[str]]]) -> None:
    assert sum(len(words) for words in lemmas().values()) >= 3000
    assert all(len(words) >= 100 for words in lemmas().values())
    for sentences in texts.values():
        counts = sorted(
            Counter(word.lower() for sentence in sentences for word in sentence).values(),
            reverse=True,
        )
        assert sum(counts[:100]) > 0.45 * sum(counts)
        assert sum(count == 1 for count in counts) > 0.25 * len(counts)
        ranks = np.log(np.arange(1, len(counts) + 1))
        slope = np.polyfit(ranks, np.log(counts), 1)[0]
        assert -1.6 < slope < -0.7  # Zipf's law: near -1


def test_genuine_pairs_miss_words_that_seed_text_covers() -> None:
    train = {word for sentence in learner_sentences(3000, "train") for word in sentence.target}
    test = [word for sentence in learner_sentences(400, "test") for word in sentence.target]
    seed = {word for sentence in seed_sentences("simple", 8000) for word in sentence}
    missed = [word for word in test if word not in train]
    assert len(missed) > 0.015 * len(test)
    assert sum(word in seed for word in missed) > 0.4 * len(missed)


def test_tokens_are_spacys(texts: dict[str, list[list[str]]]) -> None:
    for sentences in texts.values():
        for sentence in sentences[:300]:
            joined = " ".join(sentence).replace(
                " 'm ", "'m "
            )  # spaCy splits 'm from a word before it alone
            assert list(next(iter(tokenise([joined])))) == sentence, joined
    assert any("n't" in sentence for sentence in texts["simple"])


def test_mistaken_requests_are_refused_with_what_would_be_right() -> None:
    with pytest.raises(ValueError, match="simple, encyclopedic, newswire"):
        next(iter(seed_sentences("poetry", 1)))
    with pytest.raises(ValueError, match="train, valid, test"):
        next(iter(learner_sentences(1, "dev")))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="A, B, C, N"):
        next(iter(learner_sentences(1, "train", levels={"D": 1.0})))


def test_the_world_stays_the_same_to_the_bit() -> None:
    """Results on the world are compared between versions of the project; a change of the world would change them all."""
    digest = hashlib.sha256()
    for sentence in learner_sentences(300, "train"):
        digest.update(
            repr(
                (
                    sentence.source,
                    sentence.target,
                    sentence.level,
                    [tuple(edit) for edit in sentence.edits],
                )
            ).encode()
        )
    for register in REGISTERS:
        digest.update(repr(list(seed_sentences(register, 300))).encode())
    assert digest.hexdigest()[:16] == "7815555d61412e5c"
