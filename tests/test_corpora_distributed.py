"""Readers of corpora that may not be passed on, on small files of their formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from artefacts.errors import DataError
from artefacts.files import write_lines
from corpora_by_format import read_pairs, read_sentences
from pseudogec.corpora import Pair

NUCLE = """<DOC nid="829">
<TEXT>
<TITLE>
Save Earth
</TITLE>
<P>
It are getting hot. The people should acts, now.
</P>
<P>
He said & left.
</TEXT>
<ANNOTATION teacher_id="173">
<MISTAKE start_par="0" start_off="5" end_par="0" end_off="5">
<TYPE>ArtOrDet</TYPE>
<CORRECTION>the </CORRECTION>
</MISTAKE>
<MISTAKE start_par="1" start_off="3" end_par="1" end_off="6">
<TYPE>SVA</TYPE>
<CORRECTION>is</CORRECTION>
<COMMENT>agreement</COMMENT>
</MISTAKE>
<MISTAKE start_par="1" start_off="20" end_par="1" end_off="30">
<TYPE>Um</TYPE>
<CORRECTION></CORRECTION>
</MISTAKE>
<MISTAKE start_par="1" start_off="38" end_par="1" end_off="42">
<TYPE>Vm</TYPE>
<CORRECTION>act</CORRECTION>
</MISTAKE>
<MISTAKE start_par="1" start_off="40" end_par="1" end_off="43">
<TYPE>Mec</TYPE>
<CORRECTION></CORRECTION>
</MISTAKE>
<MISTAKE start_par="1" start_off="47" end_par="2" end_off="0">
<TYPE>Mec</TYPE>
<CORRECTION>,</CORRECTION>
</MISTAKE>
</ANNOTATION>
</DOC>
"""


def test_nucle_is_corrected_paragraph_by_paragraph(tmp_path: Path) -> None:
    (tmp_path / "nucle.sgml").write_text(NUCLE * 2)
    pairs = [
        Pair(source.split(), target.split())
        for source, target in [
            ("Save Earth", "Save the Earth"),
            ("It are getting hot .", "It is getting hot ."),
            ("The people should acts , now .", "The people should act , now ."),
            ("He said & left .", "He said & left ."),
        ]
    ]
    assert list(read_pairs("nucle", tmp_path / "nucle.sgml")) == pairs * 2
    with pytest.raises(DataError, match=r"line 1: .* no annotation 1"):
        list(read_pairs("nucle", tmp_path / "nucle.sgml", annotator=1))
    (tmp_path / "nucle.sgml").write_text(NUCLE + NUCLE.replace('start_par="1"', 'start_par="7"'))
    with pytest.raises(DataError, match=r"line 40: .* beyond its 3 paragraphs"):
        list(read_pairs("nucle", tmp_path / "nucle.sgml"))


def test_a_nucle_without_its_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nucle.sgml"
    for text, line in ((NUCLE + NUCLE[:300], 40), (NUCLE.replace("</DOC>\n", "") + NUCLE, 1)):
        path.write_text(text)
        with pytest.raises(DataError, match=f"line {line}: .* no </DOC>"):
            list(read_pairs("nucle", path))


def test_a_nucle_mistake_never_takes_the_correction_of_the_next(tmp_path: Path) -> None:
    path = tmp_path / "nucle.sgml"
    path.write_text(NUCLE.replace("<CORRECTION>the </CORRECTION>", ""))
    assert [" ".join(pair.target) for pair in read_pairs("nucle", path)][:2] == ["Save Earth", "It is getting hot ."]
    path.write_text(NUCLE.replace("<CORRECTION>is</CORRECTION>", "<CORRECTION/>"))
    assert [" ".join(pair.target) for pair in read_pairs("nucle", path)][:2] == ["Save the Earth", "It getting hot ."]


def test_lang8_gives_a_pair_for_each_correction(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "entries.train",
        [
            "0\t1\thttp://lang-8.com/1\t0\tMy Day",
            "2\t1\thttp://lang-8.com/1\t1\tI go home.\tI went home.\tI'm home.",
            "",
            "0\t2\tu\t0\tOk\t",
        ],
    )
    assert [(" ".join(pair.source), " ".join(pair.target)) for pair in read_pairs("lang8", tmp_path / "entries.train")] == [
        ("My Day", "My Day"),
        ("I go home .", "I went home ."),
        ("I go home .", "I 'm home ."),
        ("Ok", "Ok"),
    ]
    write_lines(tmp_path / "entries.train", ["0\t1\tu\t0\tfine", "not lang-8"])
    with pytest.raises(DataError, match="line 2: expected at least 5 fields"):
        list(read_pairs("lang8", tmp_path / "entries.train"))


def test_cirrussearch_articles_are_split_into_sentences(tmp_path: Path) -> None:
    entries = [
        {"index": {"_type": "page", "_id": "1"}},
        {"title": "Cat", "namespace": 0, "text": "A cat is an animal. It's e.g. small."},
        {"index": {"_type": "page", "_id": "2"}},
        {"title": "Talk", "namespace": 1, "text": "Not an article."},
    ]
    write_lines(tmp_path / "wiki.json.gz", map(json.dumps, entries))
    sentences = [" ".join(tokens) for tokens in read_sentences("cirrussearch", tmp_path / "wiki.json.gz")]
    assert sentences == ["A cat is an animal .", "It 's e.g. small ."]
    write_lines(tmp_path / "wiki.json.gz", ["{}", "{"])
    with pytest.raises(DataError, match="line 2"):
        list(read_sentences("cirrussearch", tmp_path / "wiki.json.gz"))


@pytest.mark.parametrize("text", ['"half a \\ud800 character"', "null", "[" * 100_000, "9" * 5_000])
def test_a_page_that_holds_no_text_is_named_with_its_line(text: str, tmp_path: Path) -> None:
    write_lines(tmp_path / "wiki.json", ["{}", f'{{"namespace": 0, "text": {text}}}'])
    with pytest.raises(DataError, match="line 2"):
        list(read_sentences("cirrussearch", tmp_path / "wiki.json"))


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


@pytest.mark.parametrize(
    ("found", "changed", "message"),
    [
        ("on Monday. They fell later.\n</P>\n", "<P>\nThey fell later.\n</P>\n", "line 8: <P> is inside a paragraph"),
        ("</P>\n", "", "line 9: </TEXT> is inside a paragraph"),
        ("</P>\n</TEXT>\n</DOC>\n", "", "line 9: <DOC .* inside a paragraph"),
    ],
)
def test_a_gigaword_paragraph_without_its_end_is_refused(found: str, changed: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "afp").write_text(GIGAWORD.replace(found, changed, 1))
    with pytest.raises(DataError, match=message):
        list(read_sentences("gigaword", tmp_path / "afp"))


def test_a_gigaword_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "afp").write_text(GIGAWORD[: GIGAWORD.index("They fell")])
    with pytest.raises(DataError, match="ends within a paragraph"):
        list(read_sentences("gigaword", tmp_path / "afp"))
