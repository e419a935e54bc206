"""The functions that other programs import."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from pseudogec import api, compare, corrected, noised, score
from pseudogec.__main__ import main
from pseudogec.artefacts.errors import UserError

SENTENCES = [
    "He goes home .",
    "She depends on her friends .",
    "They have bought a new house .",
] * 20

M2 = """S He depend on his friend .
A 1 2|||R:VERB:SVA|||depends|||REQUIRED|||-NONE-|||0

S She sleeps .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    path = tmp_path / "reference.m2"
    path.write_text(M2, encoding="utf-8")
    return path


def test_examples_give_what_they_print() -> None:
    assert doctest.testmod(api).failed == 0


@pytest.mark.parametrize("method", ["direct_noise", "random"])
def test_pseudo_pairs_are_those_of_the_program(method: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("".join(f"{sentence}\n" for sentence in SENTENCES), encoding="utf-8")
    assert (
        main(
            [
                "noise",
                "--method",
                method,
                "--input",
                str(text),
                "--output-prefix",
                str(tmp_path / "pseudo"),
                "--seed",
                "7",
            ]
        )
        == 0
    )
    sides = [
        (tmp_path / f"pseudo.{side}").read_text(encoding="utf-8").splitlines()
        for side in ("src", "trg")
    ]
    assert noised(SENTENCES, method, seed=7) == list(zip(*sides, strict=True))


def test_realistic_noise_repeats_learners_errors(reference: Path) -> None:
    pairs = noised(
        ["He depends on me ."] * 50,
        "realistic",
        genuine=reference,
        minimum_count=1,
        type_probability=0.0,
    )
    assert {source for source, _ in pairs} == {"He depend on me .", "He depends on me ."}, (
        "nine tokens of ten are drawn"
    )
    with pytest.raises(UserError, match="genuine data"):
        noised(SENTENCES, "realistic")


def test_scores_are_compared_and_print_their_figures(reference: Path, tmp_path: Path) -> None:
    right, unchanged = tmp_path / "right", ["He depend on his friend .", "She sleeps ."]
    right.write_text("He depends on his friend .\nShe sleeps .\n", encoding="utf-8")
    for metric in ("errant", "maxmatch", "gleu"):
        one, other = (
            score(right, reference, metric=metric),
            score(unchanged, reference, metric=metric),
        )
        assert str(one).splitlines() == [str(one).splitlines()[0], one.signature]
        assert f"{one.metric.headline.label} 100.00" in str(one)
        assert compare(one, other).value == one.headline - other.headline
    with pytest.raises(UserError, match="1 sentences"):
        score(unchanged[:1], reference, metric="maxmatch")


def test_sentences_may_be_lists_of_tokens_and_are_not_one_text(reference: Path) -> None:
    tokens = [sentence.split() for sentence in SENTENCES]
    assert noised(tokens, "direct_noise") == noised(SENTENCES, "direct_noise")
    right = [["He", "depends", "on", "his", "friend", "."], ["She", "sleeps", "."]]
    assert score(right, reference, metric="m2")["f05"] == 1
    for wrong in (
        lambda: noised("He goes home .", "direct_noise"),
        lambda: corrected("They was happy."),
    ):
        with pytest.raises(UserError, match="list of sentences"):
            wrong()


def test_equal_seeds_are_paired_by_their_numbers(reference: Path) -> None:
    one = {
        seed: score(["He depends on his friend .", "She sleeps ."], reference, metric="m2")
        for seed in range(5)
    }
    assert compare(one, one).paired and not compare(list(one.values()), list(one.values())).paired
    with pytest.raises(UserError):
        compare([], list(one.values()))


def test_running_text_is_corrected_by_the_systems_of_the_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PSEUDOGEC_PACKS")
    monkeypatch.setenv("PSEUDOGEC_STORE", str(tmp_path))
    assert corrected(["They was happy .", "", "    code = 1"], profile="public") == [
        "They were happy .",
        "",
        "    code = 1",
    ]


def test_a_missing_package_is_named_with_the_extra_that_has_it(reference: Path) -> None:
    code = (
        "import sys; sys.modules['spacy'] = None; from pseudogec import score; score(['a', "
        "'b'], sys.argv[1])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, str(reference)], capture_output=True, text=True, check=False
    )
    assert "pip install '.[errant]'" in found.stderr
