"""Noise by rules: each kind of error at its rate, in the places where it belongs; and corpora that
are made with it.
"""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helpers.corpora_by_format import pairs_format, read_pairs
from helpers.noising import make_noiser, noised
from helpers.rates import assert_rate
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_lines
from pseudogec.corpora.classroom import classroom_sentences
from pseudogec.edits import apply_edits
from pseudogec.noise import Noiser, NoiseResources, RuleNoise
from pseudogec.noise.misspellings import known_misspellings
from pseudogec.random_streams import SentenceStreams

KINDS = tuple(
    name for name in RuleNoise.model_fields if name not in ("unchanged", "sse_rate", "level")
)
NOTHING = dict.fromkeys((*KINDS, "unchanged"), 0.0)
TEXT = classroom_sentences("novels", "seed")[:3000]
REPEATS = 3000


def rules(**rates: float) -> Noiser:
    """Noise with the given rates alone."""
    return make_noiser("rules", {**NOTHING, **rates}, NoiseResources())


def written(noiser: Noiser, sentence: str) -> Counter[str]:
    streams = SentenceStreams(1)
    return Counter(" ".join(noiser(sentence.split(), streams[index])) for index in range(REPEATS))


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("determiner_dropped", "We saw the cat .", {"We saw cat ."}),
        ("determiner_dropped", "The cat slept .", {"Cat slept ."}),
        ("determiner_dropped", "A cat slept .", {"Cat slept ."}),
        ("determiner_added", "It is water .", {"It is the water .", "It is a water ."}),
        ("determiner_added", "Old men sleep .", {"The old men sleep .", "An old men sleep ."}),
        (
            "determiner_added",
            "Useful advice came .",
            {"The useful advice came .", "A useful advice came ."},
        ),
        ("determiner_exchanged", "We saw an owl .", {"We saw the owl ."}),
        ("article_form", "We saw an owl .", {"We saw a owl ."}),
        ("preposition_dropped", "They listen to us .", {"They listen us ."}),
        (
            "preposition_exchanged",
            "They came until it .",
            {f"They came {other} it ." for other in ("to", "till", "by", "since")},
        ),
        ("noun_number", "Dogs slept .", {"Dog slept ."}),
        ("noun_number", "It is advice .", {"It is advices ."}),
        (
            "verb_form",
            "It went well .",
            {f"It {form} well ." for form in ("go", "goes", "going", "gone")},
        ),
        ("agreement", "He goes now .", {"He go now ."}),
        ("agreement", "They go now .", {"They goes now ."}),
        ("agreement", "There were two .", {"There was two ."}),
        (
            "tense",
            "We went home .",
            {
                f"We {tense} home ."
                for tense in ("go", "has gone", "have gone", "had gone", "was going")
            },
        ),
        (
            "tense",
            "We left home .",
            {
                f"We {tense} home ."
                for tense in ("has left", "have left", "had left", "was leaving")
            },
        ),
        (
            "tense",
            "He lit it .",
            {f"He {tense} it ." for tense in ("has lit", "have lit", "had lit", "was lighting")},
        ),
        (
            "tense",
            "He stung it .",
            {f"He {tense} it ." for tense in ("sting", "has stung", "have stung", "had stung")},
        ),
        (
            "tense",
            "It lay there .",
            {
                f"It {tense} there ."
                for tense in ("lie", "has lain", "have lain", "had lain", "was lying")
            },
        ),
        ("gerund", "We look forward to hearing it .", {"We look forward to hear it ."}),
        ("gerund", "He enjoyed reading it .", {"He enjoyed to read it ."}),
        ("mistake", "They discussed it .", {"They discussed about it .", "They discussed on it ."}),
        ("mistake", "They agree .", {"They am agree .", "They are agree .", "They to agree ."}),
        ("mistake", "It was good news .", {"It was a good news ."}),
        ("mistake", "Waiting for it", {"Waiting it", "Waiting to it", "Waiting of it"}),
        ("comparison", "She is taller .", {"She is more taller .", "She is more tall ."}),
        ("comparison", "The biggest won .", {"The most biggest won .", "The most big won ."}),
        ("auxiliary_dropped", "It is late .", {"It late ."}),
        ("comma_dropped", "Then , it ended .", {"Then it ended ."}),
        ("comma_added", "We know that it ended .", {"We know , that it ended ."}),
        ("stop_dropped", "It ended .", {"It ended"}),
        ("confusion", "Paris is quiet .", {"Paris is quite ."}),
        ("phrase", "We do n't .", {"We dont ."}),
        ("phrase", "Every day .", {"Everyday ."}),
        ("phrase", "I 'm late .", {"Im late .", "I am am late ."}),
        ("phrase", "Now I 'm late .", {"Now Im late .", "Now I am am late ."}),
        ("capital", "We met Anna .", {"we met Anna .", "We met anna .", "we met anna ."}),
        ("capital", "And I", {"and I", "And i", "and i"}),
        ("capital", "I slept .", {"i slept ."}),
        ("capital", "Anna slept .", {"anna slept ."}),
        ("adverb", "He ran quickly .", {"He ran quick ."}),
        ("word_order", "Soon you go .", {"Soon go you ."}),
        ("word_choice", "The parties stank .", {"The feasts stank ."}),
        ("word_choice", "They rented it .", {"They borrowed it ."}),
        ("rephrasing", "We try .", {"We do an effort ."}),
        ("question_mark", "It ended ?", {"It ended .", "It ended"}),
        ("possessive", "Anna 's car left .", {"Anna car left ."}),
        ("pronoun_dropped", "It is late .", {"Is late ."}),
        ("pronoun_dropped", "We saw it .", {"We saw ."}),
    ],
)
def test_each_kind_of_error_is_made_where_it_belongs(
    kind: str, sentence: str, expected: set[str]
) -> None:
    counts = written(rules(**{kind: 0.2}), sentence)
    unchanged = counts.pop(sentence)
    assert set(counts) == expected
    places = 2 if len(expected) == 3 and kind == "capital" else 1  # words with a capital
    assert_rate(unchanged, REPEATS, 0.8**places)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("determiner_added", "We saw the water ."),  # it has a determiner
        ("determiner_added", "Her big dogs sleep ."),
        ("agreement", "They must go now ."),  # no subject stands before the verb
        ("agreement", "The team is there ."),  # or *are*
        ("agreement", "I asked that he go ."),
        ("agreement", "They wished he were there ."),
        ("gerund", "Reading helps ."),
        ("tense", "He then went home ."),  # no subject stands just before
        ("tense", "A chair made well ."),  # a participle, perhaps
        ("tense", "Have you left home ?"),
        ("tense", "Had Anna stung it ?"),
        ("tense", "Keep them left alone ."),
        ("word_order", "Go get water ."),  # two verbs
        ("stop_dropped", "Mr . Green"),
        ("comma_added", "And it ended ."),
        ("noun_number", "NATO ended ."),
        ("determiner_dropped", "A , b"),  # no word would begin the sentence
    ],
)
def test_errors_that_do_not_belong_in_a_place_are_not_made_there(kind: str, sentence: str) -> None:
    assert set(written(rules(**{kind: 1.0}), sentence)) == {sentence}


def test_by_default_a_tenth_of_the_words_change_and_some_sentences_stay() -> None:
    noiser = make_noiser("rules", {}, NoiseResources())
    profile = noised(noiser, TEXT, 1)
    assert 0.08 < profile.edits_per_token < 0.12
    assert {"replace", "delete", "insert", "spell", "swap"} < set(profile.operations)
    streams = SentenceStreams(1)
    unchanged = sum(noiser(tokens, streams[index]) == tokens for index, tokens in enumerate(TEXT))
    assert 0.2 < unchanged / len(TEXT) < 0.4


def test_operations_cover_the_sentence_and_depend_on_seed_and_index_alone() -> None:
    noiser, streams = make_noiser("rules", {}, NoiseResources()), SentenceStreams(1)
    copied: Noiser = pickle.loads(pickle.dumps(noiser))
    found = [noiser.operations(tokens, streams[index]) for index, tokens in enumerate(TEXT[:500])]
    again = [copied.operations(TEXT[index], streams[index]) for index in reversed(range(500))]
    assert found == again[::-1]
    for tokens, operations in zip(TEXT, found, strict=False):
        assert (
            " ".join(operation.before for operation in operations if operation.before).split()
            == tokens
        )
        for kind, before, after in operations:
            assert (kind == "keep") == (before == after)
            assert (kind == "delete") == (not after)
            assert (kind == "insert") == (not before)


@pytest.mark.parametrize(
    ("word", "common"),
    [
        ("writing", "writting"),
        ("receive", "recieve"),
        ("address", "adress"),
    ],
)
def test_misspellings_keep_the_sound(word: str, common: str) -> None:
    assert common in known_misspellings(word)
    assert word not in known_misspellings(word)


# Corpora of noised text


def text_of(folder: Path) -> str:
    write_lines(folder / "text.txt", map(" ".join, TEXT[:1000]))
    return str(folder / "text.txt")


def test_noised_text_is_the_method_at_work(tmp_path: Path) -> None:
    pairs = list(read_pairs("noised", text_of(tmp_path), method={"method": "rules"}, seed=3))
    noiser, streams = make_noiser("rules", {}, NoiseResources()), SentenceStreams(3)
    assert [pair.target for pair in pairs] == TEXT[:1000]
    assert [pair.source for pair in pairs] == [
        noiser(tokens, streams[place]) for place, tokens in enumerate(TEXT[:1000])
    ]


def test_the_edits_of_noised_text_undo_the_noise(tmp_path: Path) -> None:
    types = set()
    for sentence in pairs_format("noised", text_of(tmp_path), method={"method": "rules"}).read():
        assert sentence.annotated is not None
        edits = sentence.annotated.annotators[0]
        assert list(sentence.annotated.source) == sentence.pair.source
        assert apply_edits(sentence.pair.source, edits) == sentence.pair.target
        types |= {edit.type for edit in edits}
    assert types == {"R:OTHER", "M:OTHER", "U:OTHER", "R:SPELL", "R:WO"}


def test_text_is_kept_for_validation(tmp_path: Path) -> None:
    path, blocks = text_of(tmp_path), {"number": 2, "share": 0.1}
    training = list(
        read_pairs(
            "noised", {"path": path, "without": blocks}, method={"method": "rules"}, longest=12
        )
    )
    validation = list(
        read_pairs("noised", {"path": path, "only": blocks}, method={"method": "rules"}, longest=12)
    )
    short = [tokens for tokens in TEXT[:1000] if len(tokens) <= 12]
    assert len(validation) == 2 * round(0.1 * len(short) / 2)
    assert sorted(pair.target for pair in training + validation) == sorted(short)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"method": "realistic"}, "learns from a corpus"),
        ({"method": "random"}, "learns from a corpus"),
        ({"method": "backtrans"}, "needs a model"),
        ({"method": "rules", "spelling": 2}, "spelling"),
    ],
)
def test_a_method_that_needs_more_than_text_is_refused(
    method: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises((UserError, ValueError), match=message):
        pairs_format("noised", text_of(tmp_path), method=method)


def test_sentences_may_stop_at_a_comma_or_before_their_last_mark_on_both_sides(
    tmp_path: Path,
) -> None:
    method = {"method": "rules", "unchanged": 1}
    pairs = list(read_pairs("noised", text_of(tmp_path), method=method, open_ended=0.5))
    cut = [
        (pair.target, whole)
        for pair, whole in zip(pairs, TEXT[:1000], strict=True)
        if pair.target != whole
    ]
    assert all(pair.source == pair.target for pair in pairs) and 350 < len(cut) < 650
    assert all(
        part == whole[: len(part)] and (whole[len(part)] in {",", whole[-1]} or part[-1] == ",")
        for part, whole in cut
    )
