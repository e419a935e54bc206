"""What is said of noise: counts, edits of a text by type, the distance of types, the edit
dictionary of real learners.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from pseudogec.__main__ import main
from pseudogec.artefacts.files import read_lines, write_lines
from pseudogec.edits import AnnotatedSentence, Edit, EditProfile, read_m2, type_distance, write_m2
from pseudogec.noise import EditDictionary

TARGETS = ["the cat sits on the mat .", "he depends on her .", "a dog runs ."]


def test_a_profile_counts_the_edits_of_a_text() -> None:
    profile = EditProfile.of(
        [
            (["a", "b", "c"], [Edit(0, 1, "x", "R:NOUN"), Edit(3, 3, "y", "M:DET")]),
            (["d"], [Edit(0, 1, "e", "R:NOUN")]),
        ]
    )
    assert (profile.sentences, profile.tokens, profile.edits) == (2, 4, 3)
    assert list(profile.types.items()) == [("R:NOUN", 2), ("M:DET", 1)]
    assert profile.edits_per_token == 0.75
    assert EditProfile.of([]).edits_per_token == 0


def test_the_distance_of_types_is_jensen_and_shannons() -> None:
    one, both = {"NOUN": 7}, {"NOUN": 5, "VERB": 5}
    assert type_distance(both, {"NOUN": 20, "VERB": 20}) == 0
    assert type_distance(one, {"VERB": 3}) == pytest.approx(1)
    # P = (1, 0), Q = (1/2, 1/2), M = (3/4, 1/4): half of KL(P, M) + KL(Q, M), and its root.
    divergence = (math.log2(4 / 3) + 0.5 * math.log2(2 / 3) + 0.5 * math.log2(2)) / 2
    assert (
        type_distance(one, both) == pytest.approx(math.sqrt(divergence)) == type_distance(both, one)
    )
    assert math.isnan(type_distance({}, one))
    assert math.isnan(type_distance({}, {}))


@pytest.mark.slow
def test_the_dictionary_of_real_learners(shared_data: Path) -> None:
    """Against a count of the M2 lines themselves: what stands where a token was missing is an edit
    of an empty span.
    """
    paths = [shared_data / "wi" / f"{level}.train.gold.bea19.m2" for level in "ABC"]
    dictionary = EditDictionary.from_annotated(
        sentence for path in paths for sentence in read_m2(path)
    )
    missing = re.compile(r"A (\d+) \1\|\|\|(?!UNK)[^|]*\|\|\|([^ |]+)\|\|\|REQUIRED")
    found = [
        match[2] for path in paths for line in read_lines(path) if (match := missing.match(line))
    ]
    top = dictionary.most_frequent(3)
    assert [(edit.correct, edit.written) for edit in top] == [(",", ""), ("the", ""), ("a", "")]
    assert [edit.times for edit in top] == [found.count(edit.correct) for edit in top]
    assert dictionary.counts["on"]["in"] > dictionary.counts["on"]["at"]
    assert 0.9 < dictionary.summary().identity_share < 0.95


@pytest.fixture
def genuine(tmp_path: Path) -> Path:
    """Fifty learners' sentences as M2: 'on' is written as 'in', and an article is missing."""
    sentences = [
        AnnotatedSentence(
            ("the", "cat", "sits", "in", "mat", "."),
            {0: (Edit(3, 4, "on", "X"), Edit(4, 4, "the", "X"))},
        ),
        AnnotatedSentence(("a", "dog", "runs", "."), {0: ()}),
    ]
    write_m2(tmp_path / "genuine.m2", sentences * 25)
    return tmp_path / "genuine.m2"


def noise(folder: Path, *options: str) -> list[str]:
    """Run the program on a text of a hundred sentences; returns its noised sentences."""
    write_lines(folder / "in.txt", TARGETS * 33 + TARGETS[:1])
    assert (
        main(
            [
                "noise",
                "--input",
                str(folder / "in.txt"),
                "--output-prefix",
                str(folder / "out"),
                *options,
            ]
        )
        == 0
    )
    return list(read_lines(folder / "out.src"))


def test_learners_edits_come_from_m2_files(genuine: Path, tmp_path: Path) -> None:
    settings = ["--set", "token_probability=1", "--set", "type_probability=0"]
    noised = noise(tmp_path, "--method", "realistic", "--genuine-m2", str(genuine), *settings)
    assert {line for line in noised if "depends" in line} == {"he depends in her ."}
    assert {line for line in noised if "cat" in line} == {
        f"{first}cat sits in {second}mat ." for first in ("", "the ") for second in ("", "the ")
    }
