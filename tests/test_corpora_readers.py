"""Readers: small files of each format that the tests make, and the real corpora where they are at
hand.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from helpers.corpora_by_format import pairs_format, read_pairs, read_sentences
from pseudogec.artefacts.errors import DataError
from pseudogec.artefacts.files import write_lines
from pseudogec.corpora import Count, Pair, read_plain

SHARED = Path(__file__).parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not SHARED.exists(), reason="the corpora are not beside the repository (../shared/data)"
)

M2 = """S This are a sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||phrase|||REQUIRED|||-NONE-|||1
A 4 5|||UNK||||||REQUIRED|||-NONE-|||1

S Fine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Nobody looked .
"""


@pytest.mark.parametrize("ending", ["", ".gz", ".zst", ".xz"])
def test_parallel_text_is_read_through_any_compression(ending: str, tmp_path: Path) -> None:
    source, target = tmp_path / f"x.src{ending}", tmp_path / f"x.trg{ending}"
    write_lines(source, ["He go .", "a\u2028b"])
    write_lines(target, ["He goes .", "c"])
    assert list(read_pairs("parallel", source, target)) == [
        Pair(["He", "go", "."], ["He", "goes", "."]),
        Pair(["a", "b"], ["c"]),
    ]


def test_a_file_of_pairs_with_a_tab_between_is_parallel_text(tmp_path: Path) -> None:
    path = tmp_path / "clang8.tsv"
    write_lines(path, ["source\ttarget", "He go .\tHe goes .", "All is well .\tAll is well ."])
    assert [pair.target[:2] for pair in read_pairs("parallel", path)] == [
        ["He", "goes"],
        ["All", "is"],
    ]
    held = {"number": 1, "share": 0.5}
    parts = [
        list(read_pairs("parallel", {"path": path, which: held})) for which in ("only", "without")
    ]
    assert sorted(map(len, parts)) == [1, 1]
    write_lines(path, ["He go .\tHe goes .", "no tab"])
    with pytest.raises(DataError, match=r"clang8\.tsv.*2.*0 tabs"):
        list(read_pairs("parallel", path))


@pytest.mark.parametrize("source", ["parallel", "jfleg"])
def test_a_pair_with_an_empty_side_is_left_out_and_counted(source: str, tmp_path: Path) -> None:
    write_lines(tmp_path / "src", ["He go .", "", "She like it .", " ", "All is well ."])
    write_lines(tmp_path / "trg", ["He goes .", "Yes .", "", "", "All is well ."])
    corpus = pairs_format(source, tmp_path / "src", tmp_path / "trg")
    assert [sentence.pair.target[0] for sentence in corpus.read()] == ["He", "All"]
    assert corpus.count() == Count(sentences=2, corrected=1, left_out=3)
    (drawn,) = pairs_format(source, tmp_path / "src", tmp_path / "trg", sentences=1).read()
    assert all(drawn.pair)


def test_raw_parallel_text_is_tokenised(tmp_path: Path) -> None:
    write_lines(tmp_path / "src", ["He don't."])
    write_lines(tmp_path / "trg", ["He doesn't."])
    pairs = list(read_pairs("parallel", tmp_path / "src", tmp_path / "trg", tokenised=False))
    assert pairs == [Pair(["He", "do", "n't", "."], ["He", "does", "n't", "."])]
    assert list(read_plain(tmp_path / "src", tokenised=False)) == [["He", "do", "n't", "."]]


@pytest.mark.parametrize("tokenised", [True, False])
def test_parallel_text_of_different_length_names_both_files(
    tokenised: bool, tmp_path: Path
) -> None:
    write_lines(tmp_path / "src", ["a"] * 3)
    write_lines(tmp_path / "trg", ["a"] * 5)
    with pytest.raises(DataError, match=r"src has 3, .*trg has 5"):
        list(read_pairs("parallel", tmp_path / "src", tmp_path / "trg", tokenised=tokenised))


def test_m2_gives_the_corrections_of_the_first_annotator(tmp_path: Path) -> None:
    path = tmp_path / "x.m2"
    path.write_text(M2)
    source = ["This", "are", "a", "sentence", "."]
    first = ["This", "is", "a", "sentence", "."]
    unchanged = [
        Pair(["Fine", "."], ["Fine", "."]),
        Pair(["Nobody", "looked", "."], ["Nobody", "looked", "."]),
    ]
    assert list(read_pairs("m2", path)) == [Pair(source, first), *unchanged]
    [touched, *_] = pairs_format("m2", path).read()
    assert touched.annotated is not None and list(touched.annotated.annotators) == [0, 1]


def test_the_corrected_sentences_of_cherrant_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "cherrant.m2"
    path.write_text(
        "S 学习 汉语 的 作用\nT0-A0 学习 汉语 起到 的 作用\nA 2 2|||M|||起到|||REQUIRED|||-NONE-|||0\n\n"
    )
    assert list(read_pairs("m2", path)) == [
        Pair("学习 汉语 的 作用".split(), "学习 汉语 起到 的 作用".split())
    ]


def test_m2_gives_each_annotator_s_corrections_or_only_what_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "x.m2"
    path.write_text(M2)
    everyone = list(pairs_format("m2", {"path": path, "annotators": "all"}).read())
    assert [" ".join(sentence.pair.target) for sentence in everyone] == [
        "This is a sentence .",
        "This are a phrase .",
        "Fine .",
        "Nobody looked .",
    ]
    assert [
        len(sentence.annotated.annotators.get(0, ())) for sentence in everyone if sentence.annotated
    ] == [1, 2, 0, 0]
    changed = pairs_format("m2", {"path": path, "annotators": "all", "unchanged": "drop"}).read()
    assert [" ".join(sentence.pair.target) for sentence in changed] == [
        "This is a sentence .",
        "This are a phrase .",
    ]


def test_edits_that_overlap_are_named_with_their_file_and_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.m2"
    path.write_text(
        M2.replace(
            "\n\nS Fine",
            "\nA 4 5|||R:PUNCT|||!|||REQUIRED|||-NONE-|||0\nA 3 "
            "5|||R:OTHER|||x|||REQUIRED|||-NONE-|||0\n\nS Fine",
        )
    )
    with pytest.raises(DataError, match=r"x\.m2: annotator 0 of `This are a sentence"):
        list(read_pairs("m2", path))


def test_jfleg_has_references(tmp_path: Path) -> None:
    for name, lines in {
        "src": ["He go . ", "b"],
        "ref0": ["He goes . ", "b"],
        "ref1": ["He went . ", "c"],
    }.items():
        write_lines(tmp_path / name, lines)
    files = [tmp_path / name for name in ("src", "ref0", "ref1")]
    first, second = pairs_format("jfleg", *files).read()
    assert first.pair == (["He", "go", "."], ["He", "goes", "."])
    assert first.references == [["He", "goes", "."], ["He", "went", "."]]
    assert second.references == [["b"], ["c"]]
    write_lines(tmp_path / "ref0", ["", "b"])  # its annotator did not see the first sentence
    first, _ = pairs_format("jfleg", *files).read()
    assert first.pair.target == ["He", "went", "."] and first.references == [
        [],
        ["He", "went", "."],
    ]
    write_lines(tmp_path / "ref1", ["one"])
    with pytest.raises(DataError, match=r"ref0 has 2, .*ref1 has 1"):
        list(pairs_format("jfleg", *files).read())


def test_levels_go_with_files_and_draws_keep_the_order(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_lines(tmp_path / name, (f"S {name}{number}\n" for number in range(20)))
    files = [{"path": tmp_path / "a", "level": "A"}, {"path": tmp_path / "b"}]
    whole = [(item.pair.source[0], item.level) for item in pairs_format("m2", *files).read()]
    assert whole == [
        *((f"a{number}", "A") for number in range(20)),
        *((f"b{number}", "") for number in range(20)),
    ]
    drawn = [
        (item.pair.source[0], item.level)
        for item in pairs_format("m2", *files, sentences=15).read()
    ]
    assert len(drawn) == 15 and drawn == [item for item in whole if item in drawn] != whole[:15]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"lost\.txt"):
        list(read_sentences("plain", tmp_path / "lost.txt"))


@needs_data
def test_the_real_m2_files_have_their_published_sizes() -> None:
    sizes = {
        level: sum(1 for _ in read_pairs("m2", SHARED / "wi" / f"{level}.dev.gold.bea19.m2"))
        for level in "ABC"
    }
    assert sizes == {"A": 1037, "B": 1290, "C": 1069}


@needs_data
def test_the_real_jfleg_and_seed_corpora_are_read() -> None:
    files = [SHARED / "jfleg" / f"dev.{name}" for name in ("src", "ref0", "ref1", "ref2", "ref3")]
    assert (
        sum(len(sentence.references) for sentence in pairs_format("jfleg", *files).read())
        == 4 * 754
    )
    with lzma.open(SHARED / "seed" / "simple.tok.txt.xz", "rt") as stream:
        assert list(read_plain(SHARED / "seed" / "simple.tok.txt.xz")) == [
            line.split() for line in stream
        ]


def test_blocks_of_a_file_are_development_data_and_the_rest_training(tmp_path: Path) -> None:
    """Four blocks of 5 sentences, each in the middle of a quarter of the file."""
    blocks = {"number": 4, "share": 0.2}
    path = tmp_path / "x.m2"
    path.write_text("".join(f"S {number}\n\n" for number in range(100)))
    held_out, training = (
        [int(pair.source[0]) for pair in read_pairs("m2", {"path": path, part: blocks})]
        for part in ("only", "without")
    )
    assert held_out == [*range(10, 15), *range(35, 40), *range(60, 65), *range(85, 90)]
    assert training == [number for number in range(100) if number not in held_out]
    with pytest.raises(DataError, match=r"x\.m2"):
        list(read_pairs("m2", {"path": path, "without": {"number": 40, "share": 0.01}}))
