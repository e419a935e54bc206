"""The simulated English is right, by rules that know nothing of the grammar that wrote it."""

from __future__ import annotations

import itertools

import lemminflect
import pytest

from helpers.lexicon import governed_words, lemmas
from learner_world import REGISTERS, learner_sentences, seed_sentences
from learner_world.words import (
    PREFERRED,
    adjectives,
    adverbs,
    frames,
    inflect,
    names,
    nouns,
    word_pairs,
)

SINGULAR_SUBJECTS = {"he", "she", "it"}
PLURAL_SUBJECTS = {"we", "they", "you"}
SINGULAR_DETERMINERS = {"a", "an", "this", "every", "each", "another"}
PLURAL_DETERMINERS = {"these", "those", "many", "several"}

# Spelt with a vowel but said with a consonant, and the other way round.
SAID_WITH_CONSONANT = tuple(
    "unif unio uniq unil unit univ unic unidir unanim eu us ubiq uter uten util uto uran uri ukr one- once".split()
)
SAID_WITH_VOWEL = ("hour", "honest", "honor", "heir")


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    found = [list(sentence.target) for sentence in learner_sentences(5000, "train")]
    for register in REGISTERS:
        found += [
            sentence
            for sentence in seed_sentences(register, 4000)
            if sentence[-1] in ".?" and "(" not in sentence
        ]
    return found


def pairs(sentences: list[list[str]]) -> list[tuple[str, str, list[str]]]:
    return [
        (left, right, sentence)
        for sentence in sentences
        for left, right in itertools.pairwise(sentence)
    ]


def test_a_and_an_follow_the_sound(sentences: list[list[str]]) -> None:
    seen = 0
    for article, word, sentence in pairs(sentences):
        if article.lower() in ("a", "an"):
            seen += 1
            lowered = word.lower()
            vowel = lowered[0] in "aeiou" and not lowered.startswith(SAID_WITH_CONSONANT)
            vowel = vowel or lowered.startswith(SAID_WITH_VOWEL)
            assert (article.lower() == "an") == vowel, sentence
    assert seen > 2000


def test_pronouns_agree_with_be_have_and_do(sentences: list[list[str]]) -> None:
    wrong_after = {
        **{subject: {"are", "were", "have", "do", "am"} for subject in SINGULAR_SUBJECTS},
        **{subject: {"is", "was", "has", "does", "am"} for subject in PLURAL_SUBJECTS},
        "i": {"is", "are", "were", "has", "does"},
    }
    for position_sentence in sentences:
        for index, word in enumerate(position_sentence[:-1]):
            subject = word.lower()
            if (
                subject not in wrong_after
                or position_sentence[index + 1] not in wrong_after[subject]
            ):
                continue
            # "did it have", "help you do", "between him and you is" would be another construction
            assert _is_object_or_inverted(position_sentence, index), position_sentence


def _is_object_or_inverted(sentence: list[str], index: int) -> bool:
    """Whether a pronoun is an object (*helped you*), or follows an auxiliary of a question (*Can they have*)."""
    if index == 0:
        return False
    before = sentence[index - 1]
    clause_openers = set(
        ', that because when if although while before after since until and but so why how where whether who which "'.split()
    )
    return before.lower() not in clause_openers


def test_pronouns_agree_with_verbs_in_the_present(sentences: list[list[str]]) -> None:
    third = {inflect(verb, "VBZ") for frame in frames()["transitive"] for verb in frame.words}
    base = {verb for frame in frames()["transitive"] for verb in frame.words}
    base -= {inflect(verb, "VBD") for verb in base} | third
    third -= base
    for sentence in sentences:
        if sentence[0] in ("He", "She", "It") and len(sentence) > 1:
            assert sentence[1] not in base, sentence
        if sentence[0] in ("I", "We", "They", "You"):
            assert sentence[1] not in third, sentence


def test_determiners_agree_with_their_nouns(sentences: list[list[str]]) -> None:
    count_nouns = {
        noun.lemma
        for members in nouns().values()
        for noun in members
        if noun.countability == "count"
    }
    mass = {
        noun.lemma
        for members in nouns().values()
        for noun in members
        if noun.countability == "mass" and noun.lemma.islower()
    } - count_nouns
    mass -= {container for _, container in word_pairs("irregular_mass_containers")}
    plurals = {inflect(noun, "NNS") for noun in count_nouns} - count_nouns
    described = {
        word for target, words in adjectives().items() if target != "feeling" for word, _ in words
    }
    mass, count_nouns = mass - described, count_nouns - described
    mass -= plurals
    verbs = {
        word.split()[0] for group in frames().values() for frame in group for word in frame.words
    }
    verbs |= {inflect(verb, "VBZ") for verb in verbs}
    checked = 0
    for determiner, word, sentence in pairs(sentences):
        if word in verbs:
            continue
        lowered = determiner.lower()
        if lowered in SINGULAR_DETERMINERS and word in plurals:
            raise AssertionError(sentence)
        if lowered in PLURAL_DETERMINERS and word in count_nouns and inflect(word, "NNS") != word:
            raise AssertionError(sentence)
        if lowered in {"a", "an", "these", "those", "many", "two", "three"} and word in mass:
            raise AssertionError(sentence)
        checked += lowered in SINGULAR_DETERMINERS | PLURAL_DETERMINERS
    assert checked > 3000


def test_singular_count_nouns_do_not_stand_alone_after_a_verb(sentences: list[list[str]]) -> None:
    openers = {
        noun.lemma
        for members in nouns().values()
        for noun in members
        if noun.kind in ("object", "clothing", "vehicle")
    }
    openers -= {
        noun.lemma
        for members in nouns().values()
        for noun in members
        if noun.countability != "count"
    }
    verbs = {inflect(verb, "VBD") for frame in frames()["transitive"] for verb in frame.words}
    openers -= verbs | {verb for frame in frames()["transitive"] for verb in frame.words}
    openers -= {"series"} | {
        word for target, words in adjectives().items() if target != "feeling" for word, _ in words
    }
    for verb, word, sentence in pairs(sentences):
        assert not (verb in verbs and word in openers), sentence


def test_governed_prepositions_stand_after_their_words(sentences: list[list[str]]) -> None:
    governed: dict[str, set[str]] = {}
    for word, preposition in governed_words():
        governed.setdefault(word, set()).add(preposition)
    for word in ("depend", "rely", "consist", "participate"):
        forms = {word, *(inflect(word, tag) for tag in ("VBZ", "VBD", "VBG"))}
        for left, right, sentence in pairs(sentences):
            if left in forms:
                assert right in governed[word] | {",", ".", "?", "in", "at", "on"} | _adverbs(), (
                    sentence
                )


def _adverbs() -> set[str]:
    return {word for words in adverbs().values() for word in words} | {"well", "hard", "fast"}


def test_tense_fits_the_time_adverbial(sentences: list[list[str]]) -> None:
    past_only, future_only = {"yesterday", "ago"}, {"tomorrow"}
    for sentence in sentences:
        lowered = {word.lower() for word in sentence}
        simple = not lowered & set(
            'that if who which because when " although while and but so why'.split()
        )
        if not simple:
            continue
        if lowered & past_only:
            assert (
                not lowered & {"will", "is", "are", "has", "does", "am", "can"} or "to" in lowered
            ), sentence
        if lowered & future_only:
            assert lowered & {"will", "wo", "going", "'ll"}, sentence


def test_sentences_open_with_a_capital_and_end_with_a_mark(sentences: list[list[str]]) -> None:
    for sentence in sentences:
        first = sentence[1] if sentence[0] == '"' else sentence[0]
        assert first[0].isupper() or first == "-", sentence
    targets = [sentence.target for sentence in learner_sentences(2000, "train")]
    assert all(target[-1] in ".?" for target in targets)
    capitals = {
        name
        for kind in ("city", "country", "nationality", "weekday", "month")
        for name in names()[kind]
    } - {
        "March",
        "May",
        "Turkey",
        "Long",
        "Hill",
    }
    small = {name.lower() for name in capitals} - {
        "china",
        "march",
        "may",
        "august",
        "polish",
        "turkey",
        "nice",
    }
    assert not any(word in small for target in targets for word in target)


def test_contractions_are_split_as_spacy_splits_them(sentences: list[list[str]]) -> None:
    for left, right, sentence in pairs(sentences):
        if right == "n't":
            auxiliaries = "do does did is are was were have has had wo ca could should would"
            assert left.lower() in auxiliaries.split(), sentence


def test_inflection_agrees_with_lemminflect() -> None:
    for members in nouns().values():
        for noun in members:
            if noun.countability == "count":
                _check_form(noun.lemma, "NNS")
    verbs = {
        word.split()[0]
        for pattern in ("transitive", "intransitive", "motion", "that")
        for frame in frames()[pattern]
        for word in frame.words
    }
    for verb in verbs:
        for tag in ("VBZ", "VBD", "VBN", "VBG"):
            _check_form(verb, tag)


def test_every_verb_of_the_lexicon_has_every_form() -> None:
    for verb in sorted(lemmas()["VERB"]):
        for tag in ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG"):
            assert inflect(verb, tag).isascii(), (verb, tag)
        assert inflect(verb, "VBP") == ("are" if verb == "be" else verb)


def _check_form(lemma: str, tag: str) -> None:
    if (lemma, tag) not in PREFERRED:
        assert inflect(lemma, tag) in lemminflect.getInflection(lemma, tag, inflect_oov=True), (
            lemma,
            tag,
        )
