"""The store: published whole or not at all, built once, never rebuilt; damage is found, named and
mended.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel
from toys import Lasting, Phrase, Word

from helpers.building import make
from pseudogec.artefacts import Recipe, Store, UserError, with_ancestors
from pseudogec.artefacts.files import write_atomically
from pseudogec.artefacts.store import DESCRIPTION, LOG, RECORD


def write_word(recipe: Recipe, folder: Path) -> dict[str, Any]:
    return recipe.build(folder, None, None)  # type: ignore[arg-type]  # a word looks at neither


def test_equal_content_gives_equal_keys_and_any_change_another() -> None:
    first = Phrase(words=(Word(text="a"), Word(text="b")), options={"x": 1, "y": 2})
    same = Phrase(
        words=(Word(text="a"), Word(text="b", nickname="other")), options={"y": 2, "x": 1}
    )
    assert first.key == same.key
    assert first == same
    assert first.key != Phrase(words=(Word(text="b"), Word(text="a")), options={"x": 1, "y": 2}).key
    assert first.key != Phrase(words=first.words, options={"x": 1, "y": 3}).key
    assert [parent.key for parent in first.parents] == [Word(text="a").key, Word(text="b").key]


class Options(BaseModel):
    size: int


class LaterOptions(BaseModel):
    added_later: ClassVar[frozenset[str]] = frozenset({"shape"})
    size: int
    shape: str = "round"


class Drawing(Recipe):
    kind: ClassVar[str] = "drawing"
    options: Options | LaterOptions


def test_an_option_that_was_added_later_changes_no_key_until_it_is_used() -> None:
    before, after = Drawing(options=Options(size=1)), Drawing(options=LaterOptions(size=1))
    assert isinstance(after.options, LaterOptions)
    assert before.key == after.key
    assert before.key != Drawing(options=LaterOptions(size=1, shape="square")).key


def test_a_key_does_not_depend_on_the_process() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from toys import Word; "
        "print(Word(text='ü').key)"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in "12"
    }
    assert keys == {Word(text="ü").key}


def test_an_artefact_is_built_once_and_carries_its_recipe(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="hello")
    assert not store.has(word)
    assert store.build(word, write_word)
    assert not store.build(word, write_word)
    result = store.result(word)
    assert result["result"] == {"letters": 5}
    assert result["files"]["word.txt"]["bytes"] == 5
    names = {path.name for path in store.folder(word).iterdir()}
    assert names == {"recipe.json", "result.json", "log.txt", "word.txt", "more", "empty.txt"}
    assert [recipe["fields"]["text"] for recipe, _ in store.artefacts()] == ["hello"]


def test_a_step_that_fails_leaves_no_artefact_but_its_log(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="x")

    def half(recipe: Recipe, folder: Path) -> dict[str, Any]:
        (folder / "half.txt").write_text("half")
        raise ValueError("the step broke")

    with pytest.raises(ValueError, match="the step broke"):
        store.build(word, half)
    assert not store.has(word)
    assert "the step broke" in (store.root / ".work" / word.key / "log.txt").read_text()
    assert store.build(word, write_word)
    assert not (store.folder(word) / "half.txt").exists()


def _sleep_forever(root: str, ready: Any) -> None:
    def step(recipe: Recipe, folder: Path) -> dict[str, Any]:
        (folder / "progress.txt").write_text("half")
        with write_atomically(folder / "model.bin"):
            ready.set()
            time.sleep(600)
        return {}

    Store(root).build(Lasting(text="s"), step)


def test_a_killed_build_frees_its_lock_and_a_resumable_one_goes_on(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    process = context.Process(target=_sleep_forever, args=(str(tmp_path), ready))
    process.start()
    assert ready.wait(20)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    found = []

    def resume(recipe: Recipe, folder: Path) -> dict[str, Any]:
        found.append((folder / "progress.txt").read_text())
        return {}

    store, word = Store(tmp_path), Lasting(text="s")
    assert store.build(word, resume)
    assert found == ["half"]
    assert store.result(word)["files"].keys() == {DESCRIPTION, "progress.txt"}, (
        "a file that was being written is no part of it"
    )


def _build_and_count(root: str, counter: Any) -> None:
    def step(recipe: Recipe, folder: Path) -> dict[str, Any]:
        with counter.get_lock():
            counter.value += 1
        time.sleep(0.3)
        return {}

    Store(root).build(Word(text="shared"), step)


def test_processes_never_build_one_key_twice(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    counter = context.Value("i", 0)
    processes = [
        context.Process(target=_build_and_count, args=(str(tmp_path), counter)) for _ in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert counter.value == 1


@pytest.mark.skipif(
    os.geteuid() == 0, reason="root may write anywhere, so a missing permission cannot be made"
)
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match=str(tmp_path / "store")):
        Store(tmp_path / "store")


def test_an_artefact_is_found_under_any_label(tmp_path: Path) -> None:
    first, second = Word(nickname="validation", text="x"), Word(nickname="test", text="x")
    assert first.key == second.key
    store = Store(tmp_path)
    assert store.build(first, lambda recipe, folder: {})
    assert store.has(second)
    assert store.folder(first) == store.folder(second)
    assert not Store(tmp_path).build(second, lambda recipe, folder: {})


def test_a_removed_artefact_is_gone_and_built_anew(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="x")
    store.build(word, write_word)
    store.remove(word)
    assert not store.has(word)
    assert store.build(word, write_word)
    store.remove(Word(text="never built"))


# Damage


@pytest.fixture
def phrase() -> Phrase:
    """With five ancestors, on two levels."""
    words = [Word(text=text * 20, nickname=text) for text in "abc"]
    return Phrase(words=(Phrase(words=tuple(words[:2])), words[2]))


@pytest.fixture
def store(phrase: Phrase, tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    make(store, phrase)
    return store


def files(store: Store, recipe: Recipe) -> list[Path]:
    """What must be whole of an artefact."""
    return [store.folder(recipe) / name for name in (*store.result(recipe)["files"], RECORD)]


def truncate(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lengthen(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"\n")


def flip_bit(path: Path, place: int | None = None) -> None:
    """Flip a bit and leave no trace in the times."""
    status = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 if place is None else place // 8] ^= 1 << (
        0 if place is None else place % 8
    )
    with path.open("r+b") as stream:
        stream.write(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def break_json(path: Path) -> None:
    path.write_bytes(b"{" * path.stat().st_size)


VISIBLE: list[Callable[[Path], None]] = [truncate, empty, lengthen, Path.unlink]


@pytest.mark.parametrize("damage", VISIBLE)
def test_every_file_that_is_not_there_as_it_was_makes_its_artefact_missing(
    store: Store, phrase: Phrase, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    every = with_ancestors([phrase])
    assert not store.verify(every)
    for recipe in every:
        for path in files(store, recipe):
            if path.stat().st_size == 0 and damage in {truncate, empty}:
                continue
            if path.name == RECORD and damage is lengthen:
                continue  # a line more makes no other record
            shutil.move(path, tmp_path / "kept")
            shutil.copy2(tmp_path / "kept", path)
            damage(path)
            assert [item for item in every if not store.has(item)] == [recipe], path
            assert [(found.recipe, found.file) for found in store.verify(every)] == [(recipe, path)]
            path.unlink(missing_ok=True)
            shutil.move(tmp_path / "kept", path)
            assert store.has(recipe)


def test_a_flipped_bit_in_any_file_is_found_by_digest(store: Store, phrase: Phrase) -> None:
    every = with_ancestors([phrase])
    for recipe in every:
        for path in files(store, recipe):
            if path.name != RECORD and path.stat().st_size:
                flip_bit(path)
                assert [(found.recipe, found.file) for found in store.verify(every)] == [
                    (recipe, path)
                ]
                assert store.has(recipe), "no file is read each time"
                flip_bit(path)
    assert not store.verify(every)


@pytest.mark.parametrize("name", [RECORD, DESCRIPTION])
def test_records_that_are_no_json_are_found(store: Store, phrase: Phrase, name: str) -> None:
    break_json(store.folder(phrase) / name)
    assert [found.file.name for found in store.verify([phrase])] == [name]
    assert len(list(store.artefacts())) == len(with_ancestors([phrase])) - 1, (
        "estimates go on without it"
    )
    if name == RECORD:
        assert make(store, phrase) == [phrase]


def test_a_log_is_no_part_of_what_was_made(store: Store, phrase: Phrase) -> None:
    (store.folder(phrase) / LOG).unlink()
    assert store.has(phrase) and not store.verify([phrase])


def test_damage_is_logged_once_with_the_file(
    store: Store, phrase: Phrase, caplog: pytest.LogCaptureFixture
) -> None:
    path = store.folder(phrase) / "phrase.txt"
    truncate(path)
    for _ in range(3):
        assert not store.has(phrase)
    (message,) = [
        record.getMessage() for record in caplog.records if record.levelno == logging.WARNING
    ]
    assert str(path) in message and "bytes and should have" in message and phrase.label in message


def test_a_file_that_another_process_damages_is_seen(tmp_path: Path) -> None:
    mine, word = Store(tmp_path), Word(text="hello")
    mine.build(word, write_word)
    assert mine.has(word)
    truncate(Store(tmp_path).folder(word) / "more" / "word.txt")
    assert not mine.has(word)
    assert Store(tmp_path).build(word, write_word)
    assert mine.has(word)
