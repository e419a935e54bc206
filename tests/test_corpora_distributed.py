"""Readers of corpora that may not be passed on, on small files of their formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.corpora_by_format import read_sentences
from pseudogec.artefacts.errors import DataError
from pseudogec.artefacts.files import write_lines


def test_cirrussearch_articles_are_split_into_sentences(tmp_path: Path) -> None:
    entries = [
        {"index": {"_type": "page", "_id": "1"}},
        {"title": "Cat", "namespace": 0, "text": "A cat is an animal. It's e.g. small."},
        {"index": {"_type": "page", "_id": "2"}},
        {"title": "Talk", "namespace": 1, "text": "Not an article."},
    ]
    write_lines(tmp_path / "wiki.json.gz", map(json.dumps, entries))
    sentences = [
        " ".join(tokens) for tokens in read_sentences("cirrussearch", tmp_path / "wiki.json.gz")
    ]
    assert sentences == ["A cat is an animal .", "It 's e.g. small ."]
    write_lines(tmp_path / "wiki.json.gz", ["{}", "{"])
    with pytest.raises(DataError, match="line 2"):
        list(read_sentences("cirrussearch", tmp_path / "wiki.json.gz"))


GIGAWORD = """<DOC id="AFP_ENG_20101201.0001" type="story" >
<HEADLINE>
Not this
</HEADLINE>
<TEXT>
<P>
Shares of AT&amp;T rose
on Monday. They fell later.
</P>
</TEXT>
</DOC>
<DOC id="AFP_ENG_20101201.0002" type="other" >
<TEXT>
<P>
Nor this.
</P>
</TEXT>
</DOC>
"""


def test_gigaword_stories_are_split_into_sentences(tmp_path: Path) -> None:
    (tmp_path / "afp").write_text(GIGAWORD)
    sentences = [" ".join(tokens) for tokens in read_sentences("gigaword", tmp_path / "afp")]
    assert sentences == ["Shares of AT&T rose on Monday .", "They fell later ."]
