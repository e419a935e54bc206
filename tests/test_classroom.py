"""The classroom: real sentences in disjoint parts, and learners' errors that are like those of W&I
in what can be counted.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

import pseudogec.corpora.texts
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import read_lines
from pseudogec.corpora import PAIR_FORMATS, CorrectedSentence, is_clean_seed_text
from pseudogec.corpora.classroom import Part, classroom_sentences
from pseudogec.edits import AnnotatedSentence, apply_edits, load_annotator
from pseudogec.evaluate import type_agreement
from pseudogec.evaluate.error_types import CUT_OTHERWISE, main_type
from pseudogec.evaluate.likeness import TextStatistics, wi_statistics
from pseudogec.noise.classroom import LEVELS, SHARES, learner_sentences
from pseudogec.noise.learner_levels import Level

PARTS = get_args(Part)
TEXTS = Path(pseudogec.corpora.texts.__file__).parent


def pairs(**fields: object) -> list[CorrectedSentence]:
    return list(PAIR_FORMATS.make({"source": "classroom", **fields}).read())


def named(sentences: list[CorrectedSentence]) -> list[AnnotatedSentence]:
    sources, targets = zip(*(each.pair for each in sentences), strict=True)
    edits = load_annotator("offline").annotate(sources, targets)
    return [
        AnnotatedSentence(tuple(source), {0: found})
        for source, found in zip(sources, edits, strict=True)
    ]


@pytest.fixture(scope="module")
def written() -> dict[Level, list[CorrectedSentence]]:
    sentences = classroom_sentences("everyday", "seed")
    return {level: list(learner_sentences(sentences[:3000], "test", level)) for level in LEVELS}


def test_every_everyday_sentence_is_in_one_part() -> None:
    parts = [
        {" ".join(tokens) for tokens in classroom_sentences("everyday", part)} for part in PARTS
    ]
    assert (
        sum(map(len, parts))
        == len(set().union(*parts))
        == sum(1 for _ in read_lines(TEXTS / "everyday.tsv.xz"))
    )


@pytest.mark.parametrize("text", ["everyday", "blogs", "novels"])
def test_seed_text_passes_the_authors_filter(text: str) -> None:
    assert all(is_clean_seed_text(" ".join(tokens)) for tokens in classroom_sentences(text, "seed"))  # type: ignore[arg-type]


def test_the_texts_are_small_and_name_authors() -> None:
    assert sum(file.stat().st_size for file in TEXTS.glob("*.xz")) < 2_000_000
    sources = [line.partition("\t")[2] for line in read_lines(TEXTS / "everyday.tsv.xz")]
    assert all(
        source == "" or (source.split()[0].isdigit() and len(source.split()) == 2)
        for source in sources
    )
    assert sum(map(bool, sources)) > 15_000


def test_fewer_pairs_are_the_first_of_more_and_none_are_made_up() -> None:
    assert pairs(split="valid", sentences=200) == pairs(split="valid", sentences=400)[:200]
    with pytest.raises(UserError, match="valid"):
        pairs(split="valid", sentences=10_000)


def test_edits_undo_the_errors() -> None:
    sentences = pairs(split="dev", sentences=1000)
    for sentence in sentences:
        assert sentence.annotated is not None
        edits = sentence.annotated.annotators[0]
        assert sentence.annotated.source == tuple(sentence.pair.source)
        assert apply_edits(sentence.pair.source, edits) == sentence.pair.target
        for edit in edits:
            assert edit.type[0] in "MUR"
    levels = Counter(sentence.level for sentence in sentences)
    assert all(
        abs(levels[level] / 1000 - share) < 0.05
        for level, share in zip(LEVELS, SHARES, strict=True)
    )


def test_learners_are_like_those_of_write_and_improve(
    written: dict[Level, list[CorrectedSentence]],
) -> None:
    for level, real in wi_statistics().items():
        found = TextStatistics.of(named(written[level]))  # type: ignore[index]
        assert found.distance(real) < 0.1
        assert found.values["edits a token"] == pytest.approx(real.values["edits a token"], rel=0.1)


def test_the_annotator_names_most_true_types(written: dict[Level, list[CorrectedSentence]]) -> None:
    truth = [each.annotated for each in written["A"] if each.annotated]
    agreement = type_agreement(truth, named(written["A"]))
    same = agreement[agreement.found_type != CUT_OTHERWISE]
    assert len(same) > 0.75 * len(agreement)
    assert (same.true_type.map(main_type) == same.found_type.map(main_type)).mean() > 0.7
