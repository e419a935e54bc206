"""Tokenisation, BPE and vocabulary: against spaCy, subword-nmt and fairseq themselves."""

from __future__ import annotations

import importlib.util
import io
import pickle
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from pseudogec.artefacts.errors import DataError
from pseudogec.languages import ENGLISH
from pseudogec.text import MASK, Bpe, Vocabulary, tokenise

SHARED = Path(__file__).parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not SHARED.exists(), reason="the corpora are not beside the repository (../shared/data)"
)

TEXT = [
    sentence.split()
    for sentence in (
        "the lower newer newest widest lowest",
        "newer and newest , wider and lower",
        "a new low",
    )
] * 5


def reference_codes(lines: list[str], merges: int) -> list[str]:
    """The codes that subword-nmt's own command learns from a text."""
    command = [sys.executable, "-m", "subword_nmt.learn_bpe", "-s", str(merges)]
    run = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return run.stdout.splitlines()


def test_tokenise_splits_as_spacy_does() -> None:
    sentences = [
        "I don't know, e.g. U.S. Mr. Smith's   dog.",
        "  ",
        "well-known\u00a0and (etc.)...\ttab",
    ]
    first, second, third = tokenise(sentences)
    assert first == [
        "I",
        "do",
        "n't",
        "know",
        ",",
        "e.g.",
        "U.S.",
        "Mr.",
        "Smith",
        "'s",
        "dog",
        ".",
    ]
    assert second == []
    assert all(token and not any(character.isspace() for character in token) for token in third)


@pytest.mark.parametrize("merges", [1, 10, 25])
def test_bpe_learns_what_subword_nmt_learns(merges: int, tmp_path: Path) -> None:
    bpe = Bpe.learn(TEXT, merges)
    bpe.save(tmp_path / "codes")
    assert (tmp_path / "codes").read_text().splitlines() == reference_codes(
        [" ".join(tokens) for tokens in TEXT], merges
    )


def test_bpe_applies_as_subword_nmt_does() -> None:
    from subword_nmt.apply_bpe import BPE

    bpe = Bpe.learn(TEXT, 12)
    reference = BPE(io.StringIO("\n".join(["#version: 0.2", *bpe.merges])))
    for tokens in [*TEXT[:3], ["unseen", "Wörter", "x"], []]:
        assert bpe.apply(tokens) == reference.segment_tokens(tokens)
        assert bpe.apply(tokens) == reference.segment_tokens(tokens), (
            "the second time comes from the cache"
        )


def test_bpe_is_undone() -> None:
    bpe = Bpe.learn(TEXT, 5)
    for tokens in TEXT[:3]:
        assert Bpe.undo(bpe.apply(tokens)) == tokens
    assert Bpe.undo(["new@@", "er", "wid@@"]) == ["newer", "wid"]
    assert Bpe.undo([]) == []


def test_bpe_keeps_the_mask_whole_and_does_not_learn_from_it() -> None:
    with_masks = [[MASK, *tokens, MASK] for tokens in TEXT]
    bpe = Bpe.learn(with_masks, 10)
    assert bpe.merges == Bpe.learn(TEXT, 10).merges
    assert bpe.apply([MASK, "lowest"])[0] == MASK


def test_bpe_survives_files_and_processes(tmp_path: Path) -> None:
    bpe = Bpe.learn(TEXT, 10)
    bpe.save(tmp_path / "codes")
    loaded = Bpe.load(tmp_path / "codes")
    copied = pickle.loads(pickle.dumps(bpe))
    words = ["lowest", MASK, "wider"]
    assert bpe.apply(words) == loaded.apply(words) == copied.apply(words)


@pytest.mark.parametrize(
    ("content", "line"),
    [("t h\n", 1), ("", 1), ("#version: 0.2\nt h\nthe\n", 3), ("#version: 0.2\na  b\n", 2)],
)
def test_a_damaged_codes_file_is_named(content: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "codes"
    path.write_text(content)
    with pytest.raises(DataError) as raised:
        Bpe.load(path)
    assert (raised.value.path, raised.value.line) == (path, line)


@needs_data
def test_the_authors_codes_and_dictionary_fit_together(tmp_path: Path) -> None:
    bpe = Bpe.load(SHARED / "authors_bpe" / "bpe_code.trg.dict_bpe8000")
    vocabulary = Vocabulary.load(SHARED / "authors_bpe" / "dict.trg_bpe8000.txt")
    assert len(bpe.merges) == 8000
    assert "|" in vocabulary.counts
    text = (SHARED / "seed" / "inaugural.tok.txt").read_text().splitlines()[:500]
    subwords = [subword for line in text for subword in bpe.apply(line.split())]
    assert sum(subword not in vocabulary.counts for subword in subwords) / len(subwords) < 0.001
    vocabulary.save(tmp_path / "dict.txt")
    assert (tmp_path / "dict.txt").read_bytes() == (
        SHARED / "authors_bpe" / "dict.trg_bpe8000.txt"
    ).read_bytes()


def test_vocabulary_order_is_by_count_then_text() -> None:
    vocabulary = Vocabulary({"b": 1, "a": 1, "c": 2, "</s>": 1})
    assert list(vocabulary.counts.items()) == [("c", 2), ("a", 1), ("b", 1), (MASK, 0)]
    assert vocabulary.counts == Vocabulary({"c": 2, "b": 1, "a": 1}).counts
    assert list(Vocabulary({"b": 2}, symbols=())) == ["b"]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("fairseq") is None, reason="fairseq is not installed")
def test_vocabulary_is_read_by_fairseq_as_written(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pseudogec.seq2seq import compat\n"
        "compat.apply()\n"
        "from fairseq.data import Dictionary\n"
        "print(Dictionary.load(sys.argv[1]).symbols[4:])\n"
    )
    vocabulary = Vocabulary(Counter(chain.from_iterable(TEXT)))
    vocabulary.save(tmp_path / "dict.txt")
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "dict.txt")], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(list(vocabulary))


@pytest.mark.parametrize(("content", "line"), [("a 1\nb\n", 2), ("a 1\na 2\n", 2), ("a one\n", 1)])
def test_a_damaged_dictionary_is_named(content: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text(content)
    with pytest.raises(DataError) as raised:
        Vocabulary.load(path)
    assert raised.value.line == line


def test_a_vocabulary_of_the_possible_subwords_covers_words_that_were_never_seen() -> None:
    bpe = Bpe.learn([["the", "cat", "sat", "there"], ["the", "hat"]], merges=8)
    possible = bpe.possible_subwords(ENGLISH.characters)
    random = np.random.default_rng(0)
    for _ in range(2000):
        word = "".join(random.choice(list("abcehrst"), size=random.integers(1, 9)))
        assert set(bpe.apply([word])) <= possible
