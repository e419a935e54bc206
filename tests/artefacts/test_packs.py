"""Packs: results travel without what must not, stand in for the store where they are read, and are
refused when damaged.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pyarrow import parquet
from refusals import refused

from helpers.building import make
from pseudogec.artefacts import (
    Estimator,
    Pack,
    Progress,
    Recipe,
    Store,
    UserError,
    make_plan,
    merge,
    missing,
    write_pack,
)
from pseudogec.artefacts.pack import ARTEFACTS, FILES, MANIFEST, differences
from pseudogec.artefacts.recipe import canonical_json

THREADS_OF_A_READER = """
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pyarrow  # whose allocator of memory has a thread of its own

from pseudogec.artefacts import Pack

before = psutil.Process().num_threads()
assert Pack(Path(sys.argv[1])).files(SimpleNamespace(key=sys.argv[2]))["answer.txt"]
print(psutil.Process().num_threads() - before)
"""


class Letter(Recipe):
    """Somebody's letter, which may be passed on or not, its length, and weights that were trained
    on it.
    """

    kind: ClassVar[str] = "letter"
    incidental: ClassVar[frozenset[str]] = frozenset({"free", "mistaken"})
    portable: ClassVar[tuple[str, ...]] = ("length.json",)
    quoting: ClassVar[tuple[str, ...]] = ("text*.txt",)
    measured: ClassVar[frozenset[str]] = frozenset({"seconds"})
    number: int
    free: bool = True
    mistaken: int = 0

    @property
    def text(self) -> str:
        return f"{'Dear ' * self.number}reader, the sun shines."

    @property
    def may_be_quoted(self) -> bool:  # type: ignore[override]
        return self.free

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        (folder / "text.txt").write_text(self.text)
        (folder / "weights.bin").write_bytes(self.text.encode() * 3)
        length = len(self.text) + self.mistaken
        (folder / "length.json").write_text(json.dumps(length))
        return {
            "length": length,
            "seconds": random.random(),
            "begins": self.text[:20],
            "lines": [{"line": self.text, "of": 1}],
        }


class Answer(Recipe):
    kind: ClassVar[str] = "answer"
    quoting: ClassVar[tuple[str, ...]] = ("answer.txt",)
    letters: tuple[Letter, ...]

    def build(self, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
        texts = [(store.folder(letter) / "text.txt").read_text() for letter in self.letters]
        assert all((store.folder(letter) / "weights.bin").exists() for letter in self.letters)
        (folder / "answer.txt").write_text(" and ".join(texts))
        return {"letters": len(texts)}


LETTERS = tuple(Letter(number=number) for number in range(1, 4))
ANSWER = Answer(letters=LETTERS)
EVERY = [*LETTERS, ANSWER]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    built = Store(tmp_path / "built")
    make(built, ANSWER)
    return built


@pytest.fixture
def pack(store: Store, tmp_path: Path) -> Path:
    return packed(store, tmp_path / "pack")


def packed(store: Store, folder: Path) -> Path:
    write_pack(folder, merge(EVERY, [store]), "letters 1.0")
    return folder


def below(tmp_path: Path, pack: Path) -> Store:
    return Store(tmp_path / "empty", [Pack(pack)])


def decompressed(pack: Path) -> bytes:
    tables = [parquet.read_table(pack / name) for name in (ARTEFACTS, FILES)]
    values = [value for table in tables for column in table.columns for value in column.to_pylist()]
    plain = [value if isinstance(value, bytes) else value.encode() for value in values]
    return b"\n".join([*plain, *(path.read_bytes() for path in pack.iterdir())])


def test_what_a_pack_holds_is_read_and_not_built(tmp_path: Path, store: Store, pack: Path) -> None:
    read = below(tmp_path, pack)
    assert missing(EVERY, read) == []
    assert (read.folder(ANSWER) / "answer.txt").read_text() == (
        store.folder(ANSWER) / "answer.txt"
    ).read_text()
    assert (read.folder(LETTERS[0]) / "length.json").read_text() == "28"
    assert not (read.folder(LETTERS[0]) / "weights.bin").exists()
    ours, theirs = read.result(LETTERS[0]), store.result(LETTERS[0])
    assert ours["seconds"] == theirs["seconds"]
    assert ours["result"] == {
        "length": 28,
        "seconds": theirs["result"]["seconds"],
        "lines": [{"of": 1}],
    }
    assert not read.has(ANSWER)


def test_reading_a_pack_starts_no_thread(pack: Path) -> None:
    """A thread of Arrow's that still holds Python's bytes aborts a program that ends."""
    command = [sys.executable, "-c", THREADS_OF_A_READER, str(pack), ANSWER.key]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"


def test_a_pack_that_was_opened_is_read_though_another_takes_its_place(
    tmp_path: Path, store: Store, pack: Path
) -> None:
    """Contents are read when they are asked for, of the bytes whose digests were checked."""
    read = below(tmp_path, pack)
    write_pack(pack, merge(LETTERS[:1], [store]), "letters 1.0")
    assert missing([ANSWER], read, in_full=True) == []
    assert (read.folder(ANSWER) / "answer.txt").read_text() == (
        store.folder(ANSWER) / "answer.txt"
    ).read_text()


def test_what_is_built_rests_on_the_store_alone(tmp_path: Path, pack: Path) -> None:
    read = below(tmp_path, pack)
    other = Answer(letters=LETTERS[:2])
    assert make(read, ANSWER, other) == [*LETTERS[:2], other]
    plan = make_plan(
        [ANSWER, other], below(tmp_path / "again", pack), Estimator(read), cores=1, gpus=0
    )
    assert {total.kind: (total.done, total.to_do) for total in plan.totals} == {
        "letter": (1, 2),
        "answer": (1, 1),
    }


def test_what_must_be_there_in_full_is_built(tmp_path: Path, pack: Path) -> None:
    read = below(tmp_path, pack)
    assert missing([ANSWER], read, in_full=True) == []  # all its files travel
    assert missing(LETTERS[:1], read, in_full=True) == [LETTERS[0]]


def test_the_store_comes_before_a_pack(tmp_path: Path, pack: Path) -> None:
    read = below(tmp_path, pack)
    make(Store(tmp_path / "empty"), Letter(number=1, mistaken=5))
    assert read.result(LETTERS[0])["result"]["length"] == 33
    assert (read.folder(LETTERS[0]) / "length.json").read_text() == "33"


def test_nothing_is_quoted_that_may_not_be_passed_on(tmp_path: Path) -> None:
    secret = Letter(number=9, free=False)
    answer = Answer(letters=(LETTERS[0], secret))
    store = Store(tmp_path / "store")
    make(store, answer)
    write_pack(
        tmp_path / "pack", merge([*LETTERS, *answer.letters, answer], [store]), "letters 1.0"
    )
    content = decompressed(tmp_path / "pack")
    assert LETTERS[0].text.encode() in content
    assert secret.text.encode() not in content
    read = below(tmp_path, tmp_path / "pack")
    assert (read.folder(secret) / "length.json").read_text() == "68"
    assert read.result(answer)["result"] == {"letters": 2}
    # A pack that was made while it might be passed on is no way around it.
    write_pack(tmp_path / "free", merge([Letter(number=9)], [store]), "letters 1.0")
    assert secret.text.encode() in decompressed(tmp_path / "free")
    write_pack(tmp_path / "again", merge([secret], [Pack(tmp_path / "free")]), "letters 1.0")
    assert secret.text.encode() not in decompressed(tmp_path / "again")


def test_a_recipe_without_parents_is_not_quoted_unless_it_says_so() -> None:
    class Found(Recipe):
        kind: ClassVar[str] = "found"

    assert not Found().may_be_quoted


def test_two_halves_make_the_whole(tmp_path: Path, store: Store, pack: Path) -> None:
    halves = []
    for number, part in enumerate((EVERY[:2], EVERY[2:])):
        halves.append(tmp_path / f"half{number}")
        write_pack(halves[-1], merge(reversed(part), [store]), "letters 1.0")
    write_pack(tmp_path / "whole", merge(EVERY, list(map(Pack, halves))), "letters 1.0")
    for name in (MANIFEST, ARTEFACTS, FILES):
        assert (tmp_path / "whole" / name).read_bytes() == (pack / name).read_bytes()


def test_other_numbers_for_one_artefact_are_named(tmp_path: Path, store: Store, pack: Path) -> None:
    again = Store(tmp_path / "again")
    make(again, *LETTERS[:1])
    assert (
        store.result(LETTERS[0])["result"]["seconds"]
        != again.result(LETTERS[0])["result"]["seconds"]
    )
    # How long it took is no other number
    assert len(merge(EVERY, [Pack(pack), again])) == len(EVERY)
    wrong = Store(tmp_path / "wrong")
    make(wrong, Letter(number=2, mistaken=1))
    with pytest.raises(UserError) as raised:
        merge(EVERY, [Pack(pack), wrong])
    assert all(named in str(raised.value) for named in (LETTERS[1].key, "33", "34", "length.json"))


def test_a_damaged_artefact_does_not_get_into_a_pack(store: Store) -> None:
    (store.folder(ANSWER) / "answer.txt").write_text(
        (store.folder(ANSWER) / "answer.txt").read_text().upper()
    )
    with refused(store.folder(ANSWER) / "answer.txt"):
        merge(EVERY, [store])


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *((name, damage) for name in (ARTEFACTS, FILES) for damage in (cut, flip, Path.unlink)),
        (MANIFEST, cut),
    ],
)
def test_a_damaged_pack_is_named(pack: Path, damage: Callable[[Path], None], name: str) -> None:
    damage(pack / name)
    with refused(pack / name):
        Pack(pack)


def test_files_of_two_packs_are_not_mixed(tmp_path: Path, store: Store, pack: Path) -> None:
    write_pack(tmp_path / "other", merge(LETTERS, [store]), "letters 1.0")
    shutil.copyfile(tmp_path / "other" / FILES, pack / FILES)
    with refused(pack / FILES):
        Pack(pack)


def test_a_file_that_its_record_does_not_know_is_refused(tmp_path: Path, store: Store) -> None:
    entry = store.entry(LETTERS[0])
    assert entry is not None
    write_pack(
        tmp_path / "pack",
        [entry._replace(files={**entry.files, "length.json": b"1"})],
        "letters 1.0",
    )
    with refused(tmp_path / "pack" / FILES):
        Pack(tmp_path / "pack").unpack(LETTERS[0], tmp_path / "unpacked")


@pytest.mark.parametrize("missing", ["sources", FILES, "format"])
def test_a_manifest_without_one_of_its_parts_is_refused(pack: Path, missing: str) -> None:
    manifest = json.loads((pack / MANIFEST).read_text())
    del manifest[missing]
    (pack / MANIFEST).write_text(json.dumps(manifest))
    with refused(pack / MANIFEST):
        Pack(pack)


def test_no_file_is_written_outside_an_artefacts_folder(tmp_path: Path, store: Store) -> None:
    entry = store.entry(ANSWER)
    assert entry is not None
    write_pack(tmp_path / "pack", [entry._replace(files={"../../answer.txt": b""})], "letters 1.0")
    with refused(tmp_path / "pack" / FILES):
        below(tmp_path, tmp_path / "pack").folder(ANSWER)


def test_the_format_decides_whether_a_pack_is_read(
    tmp_path: Path, store: Store, pack: Path
) -> None:
    write_pack(tmp_path / "later", merge(EVERY, [store]), "letters 7.0")
    # Its recipes' keys say whether their artefacts are what this code makes
    assert ANSWER in Pack(tmp_path / "later")
    manifest = json.loads((pack / MANIFEST).read_text())
    (pack / MANIFEST).write_text(json.dumps({**manifest, "format": 2}))
    with refused(pack / MANIFEST):
        Pack(pack)


def test_numbers_are_compared_without_what_is_measured(store: Store, tmp_path: Path) -> None:
    make(other := Store(tmp_path / "other"), *LETTERS)
    one, two = (source.entry(LETTERS[0]) for source in (store, other))
    assert one is not None
    assert two is not None
    assert differences(one, two) == []
    assert canonical_json(one.record) != canonical_json(two.record)
