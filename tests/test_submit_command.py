"""``pseudogec submit``: the file that a shared task takes, from a tiny blind test set."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pseudogec.__main__ import main

SENTENCES = "The dog sleeps .\n\nHe knows teh dog .\n"


def submit(folder: Path, *more: str) -> int:
    (folder / "blind.orig").write_text(SENTENCES)
    (folder / "blind.m2").write_text("S The dog sleeps .\nA 0 1|||R:DET|||A|||REQUIRED|||-NONE-|||0\n\nS A teh .\n\n")
    overrides = [
        f"data_folder={folder}",
        "corpora.blind={BEA-test: {file: blind.orig, submission: zip}, CoNLL-2014: {file: blind.m2}}",
        "systems.hunspell.steps=[{step: spelling, language_model: false, casing: false}]",
    ]
    options = [item for override in overrides for item in ("--set", override)]
    return main(["submit", "--profile", "smoke", "--store", str(folder / "store"), "--to", str(folder / "out"), *options, *more])


def test_codalab_gets_an_archive_of_one_file_and_others_plain_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert submit(tmp_path, "--system", "hunspell") == 0
    archive, text = tmp_path / "out" / "BEA-test.hunspell.zip", tmp_path / "out" / "CoNLL-2014.hunspell.txt"
    assert capsys.readouterr().out.splitlines() == [str(archive), str(text)]
    with zipfile.ZipFile(archive) as opened:
        assert opened.namelist() == ["BEA-test.hunspell.txt"]
        lines = opened.read("BEA-test.hunspell.txt").decode().splitlines()
    assert lines[:2] == ["The dog sleeps .", ""] and len(lines) == 3
    assert "teh" not in lines[2].split()
    assert text.read_text().splitlines()[0] == "The dog sleeps .", "the edits of an M2 file are not read"
    first = archive.read_bytes()
    assert submit(tmp_path, "--system", "hunspell", "--test", "BEA-test") == 0
    assert archive.read_bytes() == first


def test_what_cannot_be_handed_in_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert submit(tmp_path) == 2
    assert "--system NAME is missing" in capsys.readouterr().err
    assert submit(tmp_path, "--system", "hunspell", "--test", "BEA-tset") == 2
    assert "did you mean `BEA-test`" in capsys.readouterr().err
    assert submit(tmp_path, "--system", "hunspell", "--set", "corpora.blind={x: {file: none.txt}}") == 2
    assert "none.txt" in capsys.readouterr().err
    assert submit(tmp_path, "--system", "hunspell", "--set", "corpora.blind={}") == 2
    assert "has no blind test sets" in capsys.readouterr().err
