"""The store: published whole or not at all, built once, never rebuilt."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from artefacts.errors import UserError
from artefacts.recipe import Recipe
from artefacts.store import Store


class Word(Recipe):
    kind: ClassVar[str] = "word"
    incidental: ClassVar[frozenset[str]] = frozenset({"nickname"})
    text: str
    nickname: str = ""


class Phrase(Recipe):
    kind: ClassVar[str] = "phrase"
    words: tuple[Word, ...]
    options: dict[str, Any]


class Slow(Recipe):
    kind: ClassVar[str] = "slow"
    resumable: ClassVar[bool] = True
    name: str


def write_word(recipe: Recipe, folder: Path) -> dict[str, Any]:
    assert isinstance(recipe, Word)
    (folder / "word.txt").write_text(recipe.text)
    return {"letters": len(recipe.text)}


def test_equal_content_gives_equal_keys_and_any_change_another() -> None:
    first = Phrase(words=(Word(text="a"), Word(text="b")), options={"x": 1, "y": 2})
    same = Phrase(words=(Word(text="a"), Word(text="b", nickname="other")), options={"y": 2, "x": 1})
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
    code = "import sys; sys.path.insert(0, sys.argv[1]); from test_study_store import Word; print(Word(text='ü').key)"
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
    assert {"recipe.json", "result.json", "log.txt", "word.txt"} == {path.name for path in store.folder(word).iterdir()}
    assert [recipe["fields"]["text"] for recipe, _ in store.artefacts()] == ["hello"]


def test_a_step_that_fails_leaves_no_artefact_but_its_log(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="x")

    def fail(recipe: Recipe, folder: Path) -> dict[str, Any]:
        (folder / "half.txt").write_text("half")
        raise ValueError("the step broke")

    with pytest.raises(ValueError, match="the step broke"):
        store.build(word, fail)
    assert not store.has(word)
    assert "the step broke" in (store.root / ".work" / word.key / "log.txt").read_text()
    assert store.build(word, write_word)
    assert not (store.folder(word) / "half.txt").exists()


def _sleep_forever(root: str, ready: Any) -> None:
    def step(recipe: Recipe, folder: Path) -> dict[str, Any]:
        (folder / "progress.txt").write_text("half")
        ready.set()
        time.sleep(600)
        return {}

    Store(root).build(Slow(name="s"), step)


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

    assert Store(tmp_path).build(Slow(name="s"), resume)
    assert found == ["half"]


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
    processes = [context.Process(target=_build_and_count, args=(str(tmp_path), counter)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert counter.value == 1


def test_a_full_disk_is_said_and_mended_by_running_again(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="x")

    def full(recipe: Recipe, folder: Path) -> dict[str, Any]:
        raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match="disk is full"):
        store.build(word, full)
    assert store.build(word, write_word)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere, so a missing permission cannot be made")
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match="no permission"):
        Store(tmp_path / "store")


def test_a_file_in_the_place_of_the_store_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "store"
    place.write_text("")
    with pytest.raises(UserError, match="store"):
        Store(place)


def test_a_file_in_the_place_of_the_locks_is_said(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="x")
    (tmp_path / ".locks").rmdir()
    (tmp_path / ".locks").touch()
    for change in (lambda: store.build(word, write_word), lambda: store.remove(word)):
        with pytest.raises(UserError, match=r"a file is in the way \(.*\.locks"):
            change()


class Named(Recipe):
    kind: ClassVar[str] = "named"
    incidental: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str
    text: str

    @property
    def label(self) -> str:
        return self.name


def test_an_artefact_is_found_under_any_label(tmp_path: Path) -> None:
    first, second = Named(name="validation", text="x"), Named(name="test", text="x")
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


def test_artefacts_of_other_processes_are_seen(tmp_path: Path) -> None:
    mine, other = Store(tmp_path), Store(tmp_path)
    words = [Word(text=str(number)) for number in range(20)]
    for word in words:
        assert not mine.has(word)
        other.build(word, write_word)
        assert mine.has(word)
