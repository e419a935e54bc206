"""The model of learners: true edits, kinds and rates by level, mistakes that belong to words."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest

from learner_world import LEVELS, LearnerSentence, learner_sentences
from learner_world.habits import derived, extra_preposition, misspell
from learner_world.words import frequencies
from pseudogec.edits import AnnotatedSentence, Edit, apply_edits, load_annotator
from pseudogec.evaluate import LENGTHS, TextStatistics, wi_statistics

ERRANT_TYPES = set(
    (
        "ADJ ADJ:FORM ADV CONJ CONTR DET MORPH NOUN NOUN:INFL NOUN:NUM NOUN:POSS ORTH OTHER PART PREP PRON PUNCT SPELL VERB "
        "VERB:FORM VERB:INFL VERB:SVA VERB:TENSE WO "
    ).split()
)


@pytest.fixture(scope="module")
def by_level() -> dict[str, list[LearnerSentence]]:
    return {level: list(learner_sentences(3000, "train", levels={level: 1.0})) for level in LEVELS}


def shares(sentences: list[LearnerSentence]) -> dict[str, float]:
    counts = Counter(
        edit.type.partition(":")[2] for sentence in sentences for edit in sentence.edits
    )
    return {kind: count / counts.total() for kind, count in counts.items()}


def edits_per_token(sentences: list[LearnerSentence]) -> float:
    return sum(len(sentence.edits) for sentence in sentences) / sum(
        len(sentence.source) for sentence in sentences
    )


def test_edits_applied_to_the_source_give_the_target(
    by_level: dict[str, list[LearnerSentence]],
) -> None:
    for sentences in by_level.values():
        for sentence in sentences:
            assert (
                tuple(apply_edits(sentence.source, [Edit(*edit) for edit in sentence.edits]))
                == sentence.target
            )
            assert (sentence.source == sentence.target) == (not sentence.edits)


def test_every_edit_changes_something_and_none_touches_another(
    by_level: dict[str, list[LearnerSentence]],
) -> None:
    for sentence in by_level["A"]:
        for edit in sentence.edits:
            assert " ".join(sentence.source[edit.start : edit.end]) != edit.correction
        for first, second in itertools.pairwise(sentence.edits):
            assert first.end <= second.start


def test_types_are_errants_with_the_right_operation(
    by_level: dict[str, list[LearnerSentence]],
) -> None:
    seen = set()
    for sentences in by_level.values():
        for sentence in sentences:
            for edit in sentence.edits:
                operation, _, kind = edit.type.partition(":")
                seen.add(kind)
                assert kind in ERRANT_TYPES
                if (
                    edit.start > 0
                ):  # at a sentence's start the next word, which loses or gains its capital, is part of the edit
                    assert operation == (
                        "M" if edit.start == edit.end else "U" if not edit.correction else "R"
                    ), edit
    assert seen == ERRANT_TYPES


def test_levels_differ_in_rate(by_level: dict[str, list[LearnerSentence]]) -> None:
    rates = {level: edits_per_token(sentences) for level, sentences in by_level.items()}
    assert rates["A"] > rates["B"] > rates["C"] > rates["N"]
    assert (
        0.12 < rates["A"] < 0.17
        and 0.08 < rates["B"] < 0.12
        and 0.04 < rates["C"] < 0.07
        and 0.03 < rates["N"] < 0.06
    )
    clean = {
        level: sum(not sentence.edits for sentence in sentences)
        for level, sentences in by_level.items()
    }
    assert 0 < clean["A"] < clean["B"] < clean["C"] < clean["N"]


def test_levels_differ_in_kind_as_figure_6_shows(
    by_level: dict[str, list[LearnerSentence]],
) -> None:
    kinds = {level: shares(sentences) for level, sentences in by_level.items()}
    for level in "ABC":
        top = sorted(kinds[level], key=lambda kind: -kinds[level][kind])[:10]
        assert {"DET", "PUNCT", "PREP", "VERB:TENSE"} <= set(top)
        assert (
            kinds[level]["DET"] > 2 * kinds["N"]["DET"]
        )  # determiners are learners' errors, not natives'
    assert kinds["N"]["PUNCT"] + kinds["N"]["SPELL"] + kinds["N"]["ORTH"] > 0.45
    assert (
        kinds["A"]["SPELL"] > kinds["C"]["SPELL"]
        and kinds["A"]["VERB:TENSE"] > kinds["C"]["VERB:TENSE"]
    )


def annotated(sentences: list[LearnerSentence]) -> list[AnnotatedSentence]:
    """The sentences with the edits that ERRANT finds in them, as which W&I is measured too."""
    sources, targets = zip(
        *((sentence.source, sentence.target) for sentence in sentences), strict=True
    )
    found = load_annotator("offline").annotate(sources, targets)
    return [
        AnnotatedSentence(source, {0: edits}) for source, edits in zip(sources, found, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("level", ["A", "B", "C"])
def test_learners_are_like_those_of_write_and_improve(level: str) -> None:
    """Types within twice the distance of a sample of W&I, lengths within a tenth, on sentences that no rate was fitted to."""
    world = TextStatistics.of(
        annotated(list(learner_sentences(3000, "test", seed=11, levels={level: 1.0})))
    )
    real = wi_statistics()[level]
    assert world.distance(real) <= 2 * real.yardstick(int(world.values["edits"]))
    for name in LENGTHS:
        assert abs(world.values[name] / real.values[name] - 1) <= 0.1, name


def test_the_statistics_of_a_text() -> None:
    """By hand: two sentences, three edits."""
    edits = (Edit(1, 2, "goes", "R:VERB:SVA"), Edit(2, 2, "to the", "M:OTHER"))
    sentences = [
        AnnotatedSentence(tuple("She go school .".split()), {0: edits}),
        AnnotatedSentence(tuple("He sleeps well now and".split()), {0: ()}),
        AnnotatedSentence(tuple("I like the tea .".split()), {0: (Edit(2, 3, "", "U:DET"),)}),
    ]
    found = TextStatistics.of(sentences)
    assert found.types == {"VERB:SVA": 1, "OTHER": 1, "DET": 1}
    wanted = (14 / 3, 1 / 3, 3 / 14, 2 / 3, 1)
    assert [found.values[name] for name in LENGTHS] == pytest.approx(wanted)
    assert found.distance(found) == 0


def test_the_yardstick_falls_with_the_number_of_edits() -> None:
    """A sample of n edits over k types is sqrt((k - 1) / (8 n ln 2)) from the whole, to the first order."""
    text = TextStatistics({}, dict.fromkeys("ABCDEFGHIJ", 100))
    for edits in (1000, 4000):
        assert text.yardstick(edits) == pytest.approx(
            (9 / (8 * edits * math.log(2))) ** 0.5, rel=0.15
        )


def test_errant_finds_the_true_edits_and_mostly_the_true_types(
    by_level: dict[str, list[LearnerSentence]],
) -> None:
    sentences = [sentence for level in "AB" for sentence in by_level[level][:300] if sentence.edits]
    found = load_annotator("offline").annotate(
        [sentence.source for sentence in sentences], [sentence.target for sentence in sentences]
    )
    true = [
        {(edit.start, edit.end, edit.correction): edit.type for edit in sentence.edits}
        for sentence in sentences
    ]
    errant = [
        {(edit.start, edit.end, edit.correction): edit.type for edit in edits} for edits in found
    ]
    count = sum(map(len, true))
    same_span = sum(
        len(ours.keys() & theirs.keys()) for ours, theirs in zip(true, errant, strict=True)
    )
    same_type = sum(
        len(ours.items() & theirs.items()) for ours, theirs in zip(true, errant, strict=True)
    )
    assert same_span > 0.96 * count
    assert same_type > 0.85 * count


def test_mistakes_belong_to_words() -> None:
    assert extra_preposition("discuss") == "about" and extra_preposition("enter") == "in"
    assert (
        derived("beautiful") and "beauty" in derived("beautiful") and "quick" in derived("quickly")
    )
    written = Counter(
        sentence.source[edit.start]
        for sentence in learner_sentences(12000, "train", levels={"A": 1.0})
        for edit in sentence.edits
        if edit.type == "R:PREP"
        and edit.correction == "on"
        and sentence.source[edit.start - 1].startswith("depend")
    )
    assert set(written) <= {"of", "from", "in"}


def test_misspellings_are_close_are_no_words_and_keep_the_capital() -> None:
    for word in ("beautiful", "government", "Because", "necessary", "restaurant"):
        for step in range(40):
            for habitual in (True, False):
                wrong = misspell(word, step / 40, habitual)
                assert abs(len(wrong) - len(word)) <= 2 and wrong[0].isupper() == word[0].isupper()
                assert wrong == word or frequencies().get(wrong.lower(), 0.0) < 1e-6
