"""Binarised files and dictionaries against those of fairseq-preprocess."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.fairseq_programs import FAIRSEQ
from helpers.seq2seq_world import make_dictionary, make_pairs
from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.seq2seq.data import binarise, read_binarised, read_dictionary


def write_sides(folder: Path, pairs) -> None:
    folder.mkdir()
    for side, name in enumerate(("src", "trg")):
        (folder / f"text.{name}").write_text(
            "".join(" ".join(pair[side]) + "\n" for pair in pairs), encoding="utf-8"
        )


@pytest.mark.slow
def test_files_equal_those_of_fairseq_preprocess(tmp_path, monkeypatch):
    # Several blocks of sentences and of numbers
    monkeypatch.setattr(sys.modules[binarise.__module__], "_FLUSHED_AT", 60)
    pairs = [*make_pairs(200, seed=1), ([], ["ba"]), (["|", "é@@", "🙂"], ["|"])]
    new_pairs = [*pairs, (["unheard", "ba"], ["<unk>", "ba"])]
    write_sides(tmp_path / "counted", pairs)
    write_sides(tmp_path / "binarised", new_pairs)
    preprocess = [*FAIRSEQ, "preprocess", "-s", "src", "-t", "trg", "--joined-dictionary"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    first = [
        *preprocess,
        "--trainpref",
        str(tmp_path / "counted/text"),
        "--destdir",
        str(tmp_path / "first"),
        "--dict-only",
    ]
    subprocess.run(first, check=True, capture_output=True, env=environment)
    dictionary = tmp_path / "first/dict.src.txt"
    second = [
        "--trainpref",
        str(tmp_path / "binarised/text"),
        "--destdir",
        str(tmp_path / "second"),
        "--srcdict",
        str(dictionary),
    ]
    subprocess.run([*preprocess, *second], check=True, capture_output=True, env=environment)

    ours = make_dictionary(pairs, tmp_path / "dict.txt")
    assert ours.read_bytes() == dictionary.read_bytes()
    size = binarise(new_pairs, ours, tmp_path / "ours")
    for name in (
        "train.src-trg.src.bin",
        "train.src-trg.src.idx",
        "train.src-trg.trg.bin",
        "train.src-trg.trg.idx",
    ):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    assert size.pairs == len(new_pairs)
    assert size.tokens["src"] == sum(len(source) + 1 for source, _ in new_pairs)
    assert size.unknown == {"src": 1, "trg": 1}
    known = [*pairs, (["<unk>", "ba"], ["<unk>", "ba"])]
    assert list(read_binarised(tmp_path / "ours")) == [
        (list(source), list(target)) for source, target in known
    ]


@pytest.mark.parametrize(
    ("text", "line"), [("a 1\nb\n", 2), ("a 1\nb 2\na 3\n", 3), ("a one\n", 1)]
)
def test_malformed_dictionaries_are_refused_with_the_line(tmp_path, text, line):
    (tmp_path / "dict.txt").write_text(text)
    with pytest.raises(DataError) as error:
        read_dictionary(tmp_path / "dict.txt")
    assert error.value.line == line


def test_no_pairs_are_refused(tmp_path):
    dictionary = make_dictionary(make_pairs(5, seed=1), tmp_path / "dict.txt")
    with pytest.raises(UserError, match="no sentence"):
        binarise([], dictionary, tmp_path / "data")
