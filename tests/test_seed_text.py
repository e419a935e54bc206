"""Seed text from files of any size: shares, a shuffle without memory, shards cut in one pass."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from helpers.building import make
from helpers.corpora_by_format import sentence_format
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import digest_file, read_lines, write_lines
from pseudogec.artefacts.store import Store
from pseudogec.corpora import LocatedFile, Share, Shuffle, is_clean_seed_text
from pseudogec.study.corpora import FileSeedText, SeedCorpus, SeedShards

SIZE = 10


def reference(path: Path) -> LocatedFile:
    return LocatedFile(path=path, digest=digest_file(path))


def corpus(*paths: Path, source: str = "plain", clean: bool = False) -> SeedCorpus:
    sentences = sentence_format(source, *paths, clean=clean).located(
        lambda file: [reference(file.path)]
    )
    return SeedCorpus(name="mine", sentences=sentences)


def shard(number: int, *parts: SeedCorpus, last: int = 100) -> FileSeedText:
    shards = SeedShards(name="mine", corpus=parts, size=SIZE, first=0, last=last)
    return FileSeedText(name="mine", size=SIZE, shard=number, shards=shards)


def sentences(recipe: FileSeedText, store: Store) -> list[str]:
    make(store, recipe)
    return list(read_lines(store.folder(recipe) / "sentences.txt"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000, 4097])
def test_a_shuffle_sends_every_place_to_another(length: int) -> None:
    for seed in range(5):
        assert sorted(Shuffle(length, seed)(np.arange(length)).tolist()) == list(range(length))


def test_a_shuffles_places_are_as_likely_as_any() -> None:
    """Neighbours in the corpus come apart, and every tenth of it holds a tenth of any stretch, as
    chance would have it.
    """
    length, stretch = 1_000_000, 100_000
    places = Shuffle(length, 3)(np.arange(stretch))
    counts = np.bincount(places * 10 // length, minlength=10)
    expected, spread = stretch / 10, (stretch * 0.1 * 0.9 * (1 - stretch / length)) ** 0.5
    assert np.abs(counts - expected).max() < 5 * spread
    assert abs(np.corrcoef(places[:-1], places[1:])[0, 1]) < 5 / stretch**0.5


def test_shards_are_drawn_without_replacement_and_keep_the_corpuss_order(
    tmp_path: Path, store: Store
) -> None:
    lines = [f"sentence number {number} ." for number in range(57)]
    write_lines(tmp_path / "text.gz", lines)
    shards = [sentences(shard(number, corpus(tmp_path / "text.gz")), store) for number in range(5)]
    drawn = [line for found in shards for line in found]
    assert [len(found) for found in shards] == [SIZE] * 5
    assert len(set(drawn)) == 50
    assert set(drawn) <= set(lines)
    for found in shards:
        assert [lines.index(line) for line in found] == sorted(lines.index(line) for line in found)
        assert found != lines[:SIZE]


def test_too_small_a_corpus_is_named_with_what_it_has(tmp_path: Path, store: Store) -> None:
    write_lines(tmp_path / "text", (f"sentence number {number} ." for number in range(39)))
    parts = corpus(tmp_path / "text")
    sentences(shard(2, parts), store)
    with pytest.raises(UserError, match=r"mine .*39"):
        sentences(shard(3, parts), store)
    with pytest.raises(UserError, match=r"mine .*1,010"):
        later = SeedShards(name="mine", corpus=(parts,), size=SIZE, first=100, last=200)
        sentences(FileSeedText(name="mine", size=SIZE, shard=100, shards=later), store)


def cirrussearch(path: Path, pages: int) -> Path:
    def lines() -> list[str]:
        entries = [
            [
                {"index": {"_id": str(number)}},
                {"namespace": int(number % 5 == 0), "text": f"Page {number} is here. It is short."},
            ]
            for number in range(pages)
        ]
        return [json.dumps(entry) for pair in entries for entry in pair]

    write_lines(path, lines())
    return path


def gigaword(path: Path, documents: int) -> Path:
    lines = [
        text
        for number in range(documents)
        for text in (
            f'<DOC id="X{number}" type="{"story" if number % 3 else "other"}" >',
            "<HEADLINE>",
            "No headline",
            "</HEADLINE>",
            "<TEXT>",
            "<P>",
            f"Story {number} says this &amp; that",
            "on two lines. It ends.",
            "</P>",
            "</TEXT>",
            "</DOC>",
        )
    ]
    write_lines(path, lines)
    return path


@pytest.mark.parametrize("source", ["plain", "cirrussearch", "gigaword"])
@pytest.mark.parametrize("shares", [2, 3, 7])
def test_shares_are_the_whole_corpus_each_sentence_once(
    source: str, shares: int, tmp_path: Path
) -> None:
    path = tmp_path / "text.gz"
    if source == "plain":
        write_lines(path, (f"line {number}" for number in range(100)))
    else:
        {"cirrussearch": cirrussearch, "gigaword": gigaword}[source](path, 50)
    files = sentence_format(source, path)
    whole = Counter(map(tuple, files.read()))
    dealt = [Counter(map(tuple, files.read(Share(number, shares)))) for number in range(shares)]
    assert sum(dealt, Counter()) == whole
    if source == "plain":
        assert max(found.total() for found in dealt) - min(found.total() for found in dealt) <= 1


def test_a_dump_is_split_tokenised_and_cleaned(tmp_path: Path, store: Store) -> None:
    texts = ["It's a cat. Ünïcode is left out here. Too short. This one is kept, too."]
    write_lines(
        tmp_path / "wiki.gz", ['{"index": {}}', json.dumps({"namespace": 0, "text": texts[0]})]
    )
    made = corpus(tmp_path / "wiki.gz", source="cirrussearch", clean=True)
    make(store, made)
    kept = list(read_lines(store.folder(made) / "sentences.txt.zst"))
    assert kept == ["It 's a cat .", "Too short .", "This one is kept , too ."]
    assert all(map(is_clean_seed_text, kept))
    assert store.result(made)["result"] == {"sentences": 3, "tokens": 5 + 3 + 7}
