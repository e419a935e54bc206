"""What an edit does to a sentence, and the M2 format."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.edits import AnnotatedSentence, Edit, apply_edits, read_m2, write_m2

REAL_DATA = Path(__file__).parents[2] / "shared" / "data"

TWO_ANNOTATORS = """\
S This are a sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 3 3|||M:ADJ|||short|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Nobody looked at this .

S Bad words here
A 0 2|||UNK|||Bad words|||REQUIRED|||-NONE-|||0

"""


def write(folder: Path, text: str) -> Path:
    path = folder / "edits.m2"
    path.write_text(text, encoding="utf-8")
    return path


def test_edits_replace_insert_and_delete():
    source = "He go to to school".split()
    edits = [Edit(3, 4, ""), Edit(1, 2, "goes"), Edit(5, 5, "every day .")]
    assert apply_edits(source, edits) == "He goes to school every day .".split()


def test_insertions_at_one_place_keep_their_order_and_precede_the_next_token():
    assert apply_edits(["x"], [Edit(0, 1, "X"), Edit(0, 0, "a"), Edit(0, 0, "b")]) == [
        "a",
        "b",
        "X",
    ]


def test_detected_errors_are_left_alone_and_the_first_alternative_is_taken():
    assert apply_edits(
        "a b c".split(), [Edit(0, 1, "", "Um"), Edit(1, 2, "z", "UNK"), Edit(2, 3, "d||e")]
    ) == ["a", "b", "d"]
    assert Edit(0, 1, "d||e f||-NONE-").alternatives == ("d", "e f", "")
    assert Edit(0, 1, "|| a ||").alternatives == ("|| a ||",), (
        "bars that are tokens separate nothing"
    )


@pytest.mark.parametrize(
    "edits", [[Edit(0, 2, "a"), Edit(1, 2, "b")], [Edit(0, 4, "a")], [Edit(2, 1, "a")]]
)
def test_overlapping_and_outlying_edits_are_refused(edits):
    with pytest.raises(UserError, match=r"overlap|outside"):
        apply_edits(["x", "y", "z"], edits)


def test_m2_is_read(tmp_path):
    first, second, third = read_m2(write(tmp_path, TWO_ANNOTATORS))
    assert first.source == ("This", "are", "a", "sentence", ".")
    assert first.annotators == {
        0: (Edit(1, 2, "is", "R:VERB:SVA"), Edit(3, 3, "short", "M:ADJ")),
        1: (),
    }
    assert second.annotators == {}
    assert third.annotators == {0: (Edit(0, 2, "Bad words", "UNK"),)}


def test_annotators_are_counted_from_the_lowest_number_in_the_file(tmp_path):
    numbered = TWO_ANNOTATORS.replace("|||1\n", "|||4\n").replace("|||0\n", "|||3\n")
    assert list(read_m2(write(tmp_path, numbered))) == list(
        read_m2(write(tmp_path, TWO_ANNOTATORS))
    )
    only = "S a b\n\nS c\nA 0 1|||R:OTHER|||d|||REQUIRED|||-NONE-|||7\n"
    assert [one.annotators for one in read_m2(write(tmp_path, only))] == [
        {},
        {0: (Edit(0, 1, "d", "R:OTHER"),)},
    ]


@pytest.mark.parametrize("space", ["\t", "\t ", "  "])
def test_other_white_space_may_follow_the_letters(space, tmp_path):
    spaced = TWO_ANNOTATORS.replace("S ", f"S{space}").replace(
        "\nA ", f"\nA{space if space[0] == chr(9) else ' '}"
    )
    assert list(read_m2(write(tmp_path, spaced))) == list(read_m2(write(tmp_path, TWO_ANNOTATORS)))


def test_m2_round_trip(tmp_path):
    copy = tmp_path / "copy.m2.gz"
    assert write_m2(copy, read_m2(write(tmp_path, TWO_ANNOTATORS))) == 3
    assert gzip.decompress(copy.read_bytes()).decode() == TWO_ANNOTATORS


def test_bars_inside_a_correction_survive(tmp_path):
    sentence = AnnotatedSentence(("a", "b"), {0: (Edit(0, 1, "||| |||", "R:PUNCT"),)})
    write_m2(tmp_path / "bars.m2", [sentence])
    assert list(read_m2(tmp_path / "bars.m2")) == [sentence]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("S a b\nA 0 3|||R:NOUN|||x|||REQUIRED|||-NONE-|||0\n", 2, "outside"),
        ("S a b\n\nS c\nA 0 1|||R:NOUN|||x|||0\n", 4, "an edit must read 'A START END"),
        ("S a b\nA zero 1|||R:NOUN|||x|||REQUIRED|||-NONE-|||0\n", 2, "whole numbers"),
        ("A 0 1|||R:NOUN|||x|||REQUIRED|||-NONE-|||0\n", 1, "before its sentence"),
        ("S a\nS b\n", 2, "blank line"),
        ("S a\nwhat is this\n", 2, "expected 'S TOKENS'"),
    ],
)
def test_malformed_m2_is_refused_with_file_and_line(tmp_path, text, line, message):
    path = write(tmp_path, text)
    with pytest.raises(DataError, match=message) as caught:
        list(read_m2(path))
    assert caught.value.line == line
    assert str(path) in str(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(not REAL_DATA.is_dir(), reason=f"the real corpora are not at {REAL_DATA}")
def test_real_files_survive_a_round_trip_to_the_byte(tmp_path):
    paths = sorted(REAL_DATA.glob("*/*.m2"))
    assert paths
    for path in paths:
        write_m2(tmp_path / "copy.m2", read_m2(path))
        assert (tmp_path / "copy.m2").read_bytes() == path.read_bytes(), path
