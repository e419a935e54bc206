"""The spellchecker: what it may touch, what it offers, how a language model chooses (Choe et al.
2019, sections 6 and 7.2).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from pseudogec.correct import Casing, ReadyStep, Spelling, as_written
from pseudogec.correct.step import SentenceScorer
from pseudogec.languages import ENGLISH
from pseudogec.seq2seq import (
    LanguageModel,
    LanguageModelArchitecture,
    Optimisation,
    binarise_text,
    train_language_model,
)
from pseudogec.text import Bpe, Vocabulary

PAPERS_EXAMPLE = "This is an esay about my favorite sport ."


def spelling(
    language_model: SentenceScorer | None = None, casing: Casing | None = None
) -> ReadyStep:
    return partial(Spelling().mend, language_model=language_model, casing=casing)


def sure() -> ReadyStep:
    """Little doubt is allowed; the language model likes what is written best, and else the first
    candidate.
    """
    return partial(
        Spelling(times=100, casing=False).mend,
        language_model=lambda sentences: [-float(k) for k in range(len(sentences))],
    )


def spelt(step: ReadyStep, *sentences: str) -> list[str]:
    sources = [sentence.split() for sentence in sentences]
    return [" ".join(sentence.tokens) for sentence in step(sources, as_written(sources))]


def unchanged(step: ReadyStep, *sentences: str) -> bool:
    return spelt(step, *sentences) == [" ".join(sentence.split()) for sentence in sentences]


def make_text(count: int, seed: int) -> list[list[str]]:
    """Sentences in which the words between which hunspell cannot choose stand where they belong."""
    numbers = random.Random(seed)
    frames = [
        "This is an {essay} about my favorite {sport} .",
        "I wrote an {essay} about the {sport} .",
        "My {essay} about {sport} was long .",
        "It is {easy} to play my favorite {sport} .",
        "The {sport} was {easy} .",
        "I would like to {say} that it is {easy} .",
        "They {say} that {sport} is {easy} on Monday .",
    ]
    words = {
        "sport": "tennis football chess hockey sport".split(),
        "essay": ["essay"],
        "easy": ["easy"],
        "say": ["say"],
    }
    return [
        numbers.choice(frames)
        .format(**{name: numbers.choice(choices) for name, choices in words.items()})
        .split()
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def language_model(one_thread, tmp_path_factory) -> SentenceScorer:
    """A Transformer that has read the text above, in pieces."""

    folder: Path = tmp_path_factory.mktemp("language_model")
    text = make_text(1500, seed=1)
    bpe = Bpe.learn(text, 120)
    Vocabulary(Counter(bpe.possible_subwords(ENGLISH.characters)), symbols=()).save(
        folder / "dict.txt"
    )
    binarise_text(map(bpe.apply, text), folder / "dict.txt", folder / "text")
    architecture = LanguageModelArchitecture(
        layers=1, attention_heads=2, model_size=32, feed_forward_size=64, dropout=0.0
    )
    optimisation = Optimisation(learning_rate=5e-3, warmup_updates=20, max_tokens=800, epochs=5)
    train_language_model(
        [folder / "text"],
        None,
        folder / "dict.txt",
        folder / "model",
        architecture,
        optimisation,
        seed=1,
    )
    model = LanguageModel(folder / "model")
    return lambda sentences: model.log_probabilities([bpe.apply(tokens) for tokens in sentences])


@pytest.mark.slow
def test_the_papers_example(language_model):
    """*hunspell invariably suggests easy as its top candidate for esay, which should actually be
    corrected as essay.*
    """
    assert spelt(spelling(), PAPERS_EXAMPLE) == ["This is an easy about my favorite sport ."]
    assert spelt(spelling(language_model), PAPERS_EXAMPLE) == [
        "This is an essay about my favorite sport ."
    ]
    assert spelt(spelling(language_model), "The sport was esay .") == ["The sport was easy ."]


def test_words_of_a_sentence_are_chosen_from_left_to_right():
    """Each choice sees those before it and the words behind it as they were written."""
    asked: list[list[str]] = []

    def language_model(sentences: Sequence[Sequence[str]]) -> list[float]:
        asked.append([" ".join(tokens) for tokens in sentences])
        # The last candidate is the likeliest
        return [float(place) for place in range(len(sentences))]

    (corrected,) = spelt(spelling(language_model), "alot of esay")
    assert len(asked) == 2
    assert (
        all(sentence.endswith("of esay") for sentence in asked[0]) and "a lot of esay" in asked[0]
    )
    last = asked[0][-1].removesuffix(" of esay")
    assert all(sentence.startswith(f"{last} of ") for sentence in asked[1])
    assert corrected == asked[1][-1]


def test_places_stay_right_where_one_word_becomes_two():
    asked = []

    def prefers_more_words(sentences: Sequence[Sequence[str]]) -> list[float]:
        asked.append(len(sentences))
        return [float(len(tokens)) for tokens in sentences]

    (corrected,) = spelt(spelling(prefers_more_words), "alot of becuse alot")
    assert corrected.startswith("a lot of") and corrected.endswith("a lot")
    assert "becuse" not in corrected and "alot" not in corrected


@pytest.mark.parametrize(
    "sentence",
    [
        "I met Kiyono and Mr Tnk in Shnghai .",
        "NATOX , XYZQ and IPADS",
        "in 2nd b2b 3x 1990s , 12,5 ... !!! $%&",
        "he ca n't , he wo n't , they sha n't , he wo n\u2019t , ai n't it",
        "I 'm , he 'll , we 've and they 'd , n't 's",
        "it is gon na rain , I wan na go , you got ta see",
        "well-knwn e-mial",
        "my favourite colour is grey , we organised a programme in the theatre",
        "naïvité 😀 \x01\x07 ñandu ★ | ||",
        "",
        "-",
    ],
)
def test_what_is_left_alone(sentence):
    assert unchanged(spelling(), sentence)
    assert unchanged(
        spelling(lambda sentences: [0.0] * len(sentences), Casing({"Monday": 200})), sentence
    )


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("I buyed it and she runned .", "I bought it and she ran ."),
        ("We drived and sleeped .", "We drove and slept ."),
        ("Definetely becuse it was nice .", "Definitely because it was nice ."),
    ],
)
def test_what_is_mended_where_little_doubt_is_allowed(written: str, right: str) -> None:
    assert spelt(sure(), written) == [right]


@pytest.mark.parametrize(
    "sentence",
    [
        "Bao , Hye and Meha met .",
        "Grep it",
        "Ongelina came .",
        "her nan ate pho",
        "the kea , zsh and vim",
    ],
)
def test_names_and_short_words_are_left_alone_where_little_doubt_is_allowed(sentence: str) -> None:
    assert unchanged(sure(), sentence)


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("A apple , a hour and an useful old car", "An apple , an hour and a useful old car"),
        ("a a, an European and an one", "a a, an European and a one"),
        ("Plan a is an historic MP , a URL", "Plan a is an historic MP , a URL"),
    ],
)
def test_articles_follow_the_sound_of_the_next_word(written: str, right: str) -> None:
    assert spelt(sure(), written) == [right]


def test_words_nearly_always_capitalised_are_learnt_from_counts():
    counts = {
        "Monday": 1000,
        "monday": 10,
        "English": 100,
        "May": 5000,
        "may": 100,
        "The": 10**6,
        "the": 10**6,
        "I": 400,
    }
    casing = Casing(
        counts | {"NATO": 500, "iPhone": 500, "Rare": 99, "usually": 900, "12": 10**4}, times=99
    )
    found = {
        word: casing[word]
        for word in [
            "monday",
            "english",
            "may",
            "the",
            "i",
            "nato",
            "iphone",
            "rare",
            "usually",
            "12",
        ]
    }
    assert {word: form for word, form in found.items() if form} == {
        "monday": "Monday",
        "english": "English",
        "i": "I",
    }
    assert Casing(counts, times=40)["may"] == "May"
    assert Casing({"Rare": 100})["rare"] == "Rare", "more than 99 times"


@pytest.mark.slow
def test_casing_joins_the_candidates(language_model):
    casing = Casing({"Monday": 1000, "Chess": 1000})
    sentence = "They say that sport is easy on monday ."
    assert spelt(spelling(language_model, casing), sentence) == [
        "They say that sport is easy on Monday ."
    ]
    assert spelt(spelling(None, casing), sentence) == ["They say that sport is easy on Monday ."]
    # The word as it is written stays a candidate where hunspell knows it: here the language model
    # likes it better.
    assert unchanged(spelling(language_model, casing), "It is easy to play my favorite chess .")
    assert unchanged(spelling(language_model, casing), "They say that sport is easy on Monday .")
