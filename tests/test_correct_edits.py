"""Steps that take edits back: of unknown words, of weak types, and those that a language model
likes less.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise, product

import pytest

from pseudogec.correct import (
    Corrected,
    EditReranking,
    ReadyStep,
    TypeDropping,
    UnknownWords,
    as_readers_want,
)
from pseudogec.correct.step import SentenceScorer
from pseudogec.edits import Annotator, Edit, apply_edits, load_annotator

WORDS = "the a cat dog man house sees walk walks in on big old red very . ,".split()


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    return load_annotator("offline")


def make_pairs(count: int, seed: int, longest: int = 14) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences and versions of them with words replaced, inserted and deleted."""
    numbers = random.Random(seed)
    sources = [numbers.choices(WORDS, k=numbers.randint(1, longest)) for _ in range(count)]
    targets = []
    for source in sources:
        target: list[str] = []
        for word in source:
            fate = numbers.random()
            target += [] if fate < 0.1 else [numbers.choice(WORDS)] if fate < 0.2 else [word]
            target += [numbers.choice(WORDS)] if fate > 0.9 else []
        targets.append(target)
    return sources, targets


def reranking(annotator: Annotator, language_model: SentenceScorer, **fields: float) -> ReadyStep:
    return partial(
        EditReranking(**fields).choose, annotator=annotator, language_model=language_model
    )


def unknown_words(annotator: Annotator, is_known: Callable[[str], bool]) -> ReadyStep:
    return partial(UnknownWords().undo, annotator=annotator, is_known=is_known)


def type_dropping(annotator: Annotator, types: Sequence[str]) -> ReadyStep:
    return partial(TypeDropping().drop, annotator=annotator, types=types)


def corrections(targets: Sequence[Sequence[str]]) -> list[Corrected]:
    return [Corrected(tuple(target)) for target in targets]


def fluency(tokens: Sequence[str]) -> float:
    """A log-probability that any change of a sentence changes, the same in every process."""
    return -sum(
        2 + math.sin(7 * WORDS.index(one) + 3 * WORDS.index(other))
        for one, other in pairwise(tokens)
    )


class Fluency:
    """A language model that keeps count of what it is asked."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[float]:
        self.calls.append(len(sentences))
        return [fluency(tokens) for tokens in sentences]


def brute_force(
    source: Sequence[str], edits: Sequence[Edit], length_penalty: float
) -> tuple[float, list[list[str]]]:
    """The best score of all subsets of edits, and the sentences of the largest subsets that have
    it.
    """
    found = []
    for kept in product([False, True], repeat=len(edits)):
        tokens = apply_edits(source, [edit for edit, keep in zip(edits, kept, strict=True) if keep])
        found.append((fluency(tokens) / (len(tokens) + 1) ** length_penalty, sum(kept), tokens))
    best = max(score for score, _, _ in found)
    most = max(size for score, size, _ in found if score == best)
    return best, [tokens for score, size, tokens in found if (score, size) == (best, most)]


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0])
def test_the_subset_search_equals_brute_force(annotator, length_penalty):
    sources, targets = make_pairs(250, seed=1)
    edits = annotator.annotate(sources, targets)
    step = reranking(annotator, Fluency(), at_most=7, length_penalty=length_penalty)
    compared = changed = 0
    for source, target, found, sentence in zip(
        sources, targets, edits, step(sources, corrections(targets)), strict=True
    ):
        if len(found) > 7:
            continue
        _, best = brute_force(source, found, length_penalty)
        assert list(sentence.tokens) in best
        assert (
            bool(sentence.note) == (sentence.tokens != tuple(target))
            or list(sentence.tokens) == target
        )
        compared += len(found) > 2
        changed += sentence.tokens != tuple(target)
    assert compared > 50 and changed > 50


def test_more_edits_than_are_tried_at_once_are_searched_from_left_to_right(annotator):
    sources, targets = make_pairs(60, seed=3, longest=40)
    edits = annotator.annotate(sources, targets)
    assert max(map(len, edits)) > 7
    after = reranking(annotator, Fluency(), at_most=3)(sources, corrections(targets))
    for source, found, sentence in zip(sources, edits, after, strict=True):
        kept = found
        for first in range(0, len(found), 3):
            window = found[first : first + 3]
            choices = [
                [edit for edit in kept if edit not in window or keeps[window.index(edit)]]
                for keeps in product([True, False], repeat=len(window))
            ]
            sentences = [apply_edits(source, chosen) for chosen in choices]
            scores = [fluency(tokens) / (len(tokens) + 1) for tokens in sentences]
            kept = choices[
                max(range(len(choices)), key=lambda place: (scores[place], len(choices[place])))
            ]
        assert list(sentence.tokens) == apply_edits(source, kept)


def test_edits_of_spelling_may_be_kept_whatever_the_language_model_likes(annotator):
    source, target = (
        "My freind sleeps in house .".split(),
        ("My friend sleeps in the house .").split(),
    )

    def errors_alone(sentences):
        return [float("freind" in tokens) - float("the" in tokens) for tokens in sentences]

    (undone,) = reranking(annotator, errors_alone)([source], corrections([target]))
    assert list(undone.tokens) == source
    (kept,) = reranking(annotator, errors_alone, keep_spelling=True)(
        [source], corrections([target])
    )
    assert list(kept.tokens) == "My friend sleeps in house .".split()


def test_edits_of_unknown_words_are_undone(annotator):
    source = "The xq cat walk in 😀 house .".split()
    target = "The big cat walks in the 🎉 house .".split()
    step = unknown_words(annotator, lambda word: word.isascii() and word != "xq")
    (sentence,) = step([source], corrections([target]))
    assert (
        sentence.tokens[:4] == ("The", "xq", "cat", "walks")
        and "🎉" not in sentence.tokens
        and "😀" in sentence.tokens
    )
    assert "xq → big" in sentence.note and "walk" not in sentence.note


def test_edits_of_weak_types_are_undone(annotator):
    source, target = "The cat walk in house .".split(), "The cat walks in the house .".split()
    types = {edit.type for edit in annotator.annotate([source], [target])[0]}
    assert types == {"R:VERB:SVA", "M:DET"}

    def without(*dropped: str) -> str:
        return " ".join(
            type_dropping(annotator, dropped)([source], corrections([target]))[0].tokens
        )

    assert without("R:VERB:SVA") == "The cat walk in the house ."
    assert without("M:DET") == "The cat walks in house ."
    assert without("VERB:SVA", "DET", "R:DET") == " ".join(target), "types are whole"
    assert without(*types) == " ".join(source)
    (sentence,) = type_dropping(annotator, ["M:DET"])([source], corrections([target]))
    assert sentence.note == "undone: nothing → the (M:DET)"


@pytest.mark.parametrize(
    ("source", "corrected", "kept"),
    [
        ("first item", "First item", "first item"),  # a line of a list
        ("they was happy .", "They were happy .", "They were happy ."),
        ("My holiday", "My holiday .", "My holiday"),  # a heading
        ("I am 15 years .", "I am 16 years .", "I am 15 years ."),
        ("He likes it .", "He likkes it .", "He likes it ."),  # no word
        # Half of a contraction
        ("We ai n't seen it .", "We ai do n't see it .", "We ai n't seen it ."),
        ("I is n't ready .", "I am n't ready .", "I is n't ready ."),
        ("She do n't like dog .", "She does n't like dogs .", "She does n't like dogs ."),
        ("The team are happy .", "The team is happy .", "The team are happy ."),
        (
            "The jury have never agree .",
            "The jury has never agreed .",
            "The jury have never agreed .",
        ),
        ("I wish he were here .", "I wish he was here .", "I wish he were here ."),
        (
            "They were here if he come .",
            "They was here if he comes .",
            "They was here if he comes .",
        ),
        (
            "She asked that he see a doctors .",
            "She asked that he saw a doctor .",
            "She asked that he see a doctor .",
        ),
        (
            "She advised that he not go .",
            "She advised that he did not go .",
            "She advised that he not go .",
        ),
        ("She asked me to went .", "She asked me to go .", "She asked me to go ."),
    ],
)
def test_a_reader_s_text_keeps_its_form(source: str, corrected: str, kept: str) -> None:
    [after] = as_readers_want([source.split()], [Corrected(tuple(corrected.split()))])
    assert after.tokens == tuple(kept.split())
