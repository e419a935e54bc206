"""Damage to artefacts: what is found, what is said, and that all is whole again after one run."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch

from artefacts.engine import missing, with_ancestors
from artefacts.errors import DataError, UserError
from artefacts.recipe import Recipe
from artefacts.record import DESCRIPTION, LOG, RECORD, FlawError, read_record
from artefacts.store import CheckedStore, Store
from pseudogec.study import PROJECT, Planner, System, load_profile
from pseudogec.study.correction_recipes import Score

TINY = [
    "corpora.genuine.sentences=150",
    "corpora.validation.sentences=20",
    "corpora.tests.world-test.sentences=20",
    "subwords.merges=100",
    "pseudo_data.shard=50",
    "optimisations.copying.updates=4",
    "optimisations.joint.updates=4",
]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def score() -> Score:
    """All kinds of a plain study: world corpora, pieces, pairs, pseudo data, models, a correction, references, a score."""
    planner = Planner(load_profile(PROJECT / "params" / "smoke.yaml", TINY), PROJECT)
    system = System(
        method="direct_noise", seed_corpus="simple", setting="joint", pseudo_pairs=50, upsample=1, parameters=(), seed=1
    )
    return planner.score(system, "world-test")


def make(store: Store, *targets: Recipe) -> list[Recipe]:
    """Build what the store lacks as a worker does, in this process; returns what was missing."""
    todo = missing(targets, store)
    checked = CheckedStore(store.root)
    for recipe in todo:
        store.build(recipe, lambda item, folder: item.build(folder, checked, lambda *_: None))
    return todo


@pytest.fixture(scope="module")
def built(score: Score, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The whole study; it stays as it is."""
    place = tmp_path_factory.mktemp("study")
    make(Store(place / "store"), *with_ancestors([score]))
    return Store((place / "store").rename(place / "whole"))


@pytest.fixture
def store(built: Store) -> Iterator[Store]:
    """The same in a folder of the test's own, always at one place: model files name the folder where they were trained."""
    place = built.root.parent / "store"
    shutil.copytree(built.root, place)
    yield Store(place)
    shutil.rmtree(place)


def files(store: Store, recipe: Recipe) -> list[Path]:
    """What must be whole of an artefact."""
    return [store.folder(recipe) / name for name in (*store.result(recipe)["files"], RECORD, DESCRIPTION)]


def lasting(store: Store, recipe: Recipe) -> dict[str, str]:
    """Digests of the files that are the same however long their making took."""
    listed = store.result(recipe)["files"]
    return {name: file["sha256"] for name, file in listed.items() if name != "training.json"}


def truncate(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lengthen(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"\n")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def flip_bit(path: Path, place: int | None = None) -> None:
    """Flip a bit and leave no trace in the times."""
    status = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 if place is None else place // 8] ^= 1 << (0 if place is None else place % 8)
    with path.open("r+b") as stream:
        stream.write(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def break_json(path: Path) -> None:
    path.write_bytes(b"{" * path.stat().st_size)


VISIBLE: list[Callable[[Path], None]] = [truncate, empty, lengthen, Path.unlink, replace_by_folder]


@pytest.mark.parametrize("damage", VISIBLE)
def test_every_file_that_is_not_there_as_it_was_makes_its_artefact_missing(
    store: Store, score: Score, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    every = with_ancestors([score])
    assert not store.damaged(every) and not store.verify(every)
    for recipe in every:
        for path in files(store, recipe):
            if path.stat().st_size == 0 and damage in {truncate, empty}:
                continue
            shutil.move(path, tmp_path / "kept")
            shutil.copy2(tmp_path / "kept", path)
            damage(path)
            assert [item for item in every if not store.has(item)] == [recipe], path
            assert [(found.recipe, found.file) for found in store.damaged(every)] == [(recipe, path)]
            assert [(found.recipe, found.file) for found in store.verify(every)] == [(recipe, path)]
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            shutil.move(tmp_path / "kept", path)
            assert store.has(recipe)


def test_a_flipped_bit_in_any_file_is_found_by_digest(store: Store, score: Score) -> None:
    every = with_ancestors([score])
    draw = random.Random(1)
    for recipe in every:
        for path in filter(lambda path: path.stat().st_size, files(store, recipe)):
            place = draw.randrange(8 * path.stat().st_size)
            flip_bit(path, place)
            assert [(found.recipe, found.file) for found in store.verify(every)] == [(recipe, path)], place
            assert store.has(recipe) == (path.name not in {RECORD, DESCRIPTION}), "only what is small is read each time"
            flip_bit(path, place)
    assert not store.verify(every)


@pytest.mark.parametrize("name", [RECORD, DESCRIPTION])
def test_records_that_are_no_json_make_the_artefact_missing(store: Store, score: Score, name: str) -> None:
    break_json(store.folder(score) / name)
    assert not store.has(score)
    assert [found.problem for found in store.damaged([score])] == ["is not readable JSON"]
    assert len(list(store.artefacts())) == len(with_ancestors([score])) - 1, "estimates go on without it"
    assert make(store, score) == [score]


def test_no_bit_of_a_record_can_flip_unseen(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="x")
    store.build(word, write_word)
    path = store.folder(word) / RECORD
    for place in range(8 * path.stat().st_size):
        flip_bit(path, place)
        with pytest.raises(FlawError):
            read_record(path.parent)
        flip_bit(path, place)
    assert read_record(path.parent)["result"] == {"letters": 1}


def test_a_log_is_no_part_of_what_was_made(store: Store, score: Score) -> None:
    (store.folder(score) / LOG).unlink()
    assert store.has(score) and not store.verify([score])


def test_artefacts_of_versions_that_sealed_no_record_are_checked_by_their_digests(store: Store, score: Score) -> None:
    path = store.folder(score) / RECORD
    record = {name: value for name, value in json.loads(path.read_text()).items() if name not in {"sha256", "recipe_sha256"}}
    path.write_text(json.dumps(record, indent=1))
    assert store.has(score) and not store.verify([score])
    flip_bit(store.folder(score) / "score.json")
    assert [found.file.name for found in store.verify([score])] == ["score.json"]


def test_damage_is_said_once_with_the_file(store: Store, score: Score, caplog: pytest.LogCaptureFixture) -> None:
    path = store.folder(score) / "score.json"
    truncate(path)
    for _ in range(3):
        assert not store.has(score)
    (message,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert str(path) in message and "bytes and should have" in message and score.label in message


def test_what_is_damaged_is_built_anew_to_the_same_bytes_and_nothing_else(store: Store, built: Store, score: Score) -> None:
    every = with_ancestors([score])
    for number, recipe in enumerate(every):
        untouched = {item.key: store.folder(item).stat().st_ino for item in every if item != recipe}
        listed = [path for path in files(store, recipe) if path.stat().st_size]
        VISIBLE[number % len(VISIBLE)](listed[number % len(listed)])
        assert make(store, score, recipe) == [recipe]
        assert lasting(store, recipe) == lasting(built, recipe)
        assert {item.key: store.folder(item).stat().st_ino for item in every if item != recipe} == untouched
    assert not store.verify(every)
    assert not list((store.root / ".work").iterdir())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_random_damage_one_run_makes_everything_whole(store: Store, built: Store, score: Score, seed: int) -> None:
    every, draw = with_ancestors([score]), random.Random(seed)
    harmed = set()
    for recipe in draw.sample(every, k=len(every) // 2):
        damage = draw.choice([*VISIBLE, flip_bit, break_json])
        path = draw.choice([path for path in files(store, recipe) if path.stat().st_size])
        damage(path)
        harmed.add(recipe.key)
    damaged = {found.recipe for found in store.verify(every)}
    assert {recipe.key for recipe in damaged} == harmed
    for recipe in damaged:
        store.remove(recipe)
    assert {recipe.key for recipe in make(store, score, *damaged)} == harmed
    assert not store.verify(every)
    assert all(lasting(store, recipe) == lasting(built, recipe) for recipe in every)


def repair(root: Path, targets: list[Recipe], outcome: Any) -> None:
    torch.set_num_threads(1)
    store = Store(root)
    make(store, *targets)
    outcome.put(len(store.verify(targets)))


def test_several_processes_repair_one_store_together(store: Store, built: Store, score: Score) -> None:
    every, draw = with_ancestors([score]), random.Random(4)
    for recipe in every:
        if draw.random() < 0.7:
            draw.choice(VISIBLE)(draw.choice([path for path in files(store, recipe) if path.stat().st_size]))
    context = multiprocessing.get_context("spawn")
    outcome = context.Queue()
    processes = [context.Process(target=repair, args=(store.root, every, outcome)) for _ in range(2)]
    for process in processes:
        process.start()
    assert [outcome.get(timeout=100) for _ in processes] == [0, 0]
    for process in processes:
        process.join()
    assert all(lasting(store, recipe) == lasting(built, recipe) for recipe in every)
    assert not list((store.root / ".work").iterdir())


def test_a_step_refuses_a_parent_whose_bit_has_flipped(store: Store, score: Score) -> None:
    path = store.folder(score.correction) / "hypotheses.txt"
    flip_bit(path)
    store.remove(score)
    for _ in range(2):  # the second time in a process that has read the file before
        with pytest.raises(DataError, match=r"hypotheses\.txt.*SHA-256.*--verify") as refusal:
            make(store, score)
        assert score.correction.label in str(refusal.value)
        assert not store.has(score)
    for damage in store.verify(with_ancestors([score])):
        store.remove(damage.recipe)
    assert len(make(store, score)) == 2


def test_a_parent_that_somebody_removes_meanwhile_is_named(store: Store, score: Score) -> None:
    for recipe in (score, score.correction):
        store.remove(recipe)
    with pytest.raises(DataError, match="was removed from the store meanwhile") as refusal:
        store.build(score, lambda item, folder: item.build(folder, CheckedStore(store.root), lambda *_: None))
    assert score.correction.label in str(refusal.value)


def test_a_corpus_file_that_is_edited_while_a_study_is_open_is_refused(tmp_path: Path) -> None:
    pairs = ["S a b\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||0\n\n", "S x y\nA 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0\n\n"]
    (tmp_path / "pairs.m2").write_text(pairs[0])
    (tmp_path / "text.txt").write_text("a b .\n")
    overrides = [
        f"data_folder={tmp_path}",
        "corpora.genuine={source: m2, files: [pairs.m2]}",
        "corpora.seeds.simple={source: plain, files: text.txt}",
    ]
    planner = Planner(load_profile(PROJECT / "params" / "smoke.yaml", overrides), PROJECT)
    seed_corpus = next(recipe for recipe in with_ancestors([planner.seed_text("simple", 0)]) if recipe.kind == "seed_corpus")
    (tmp_path / "pairs.m2").write_text(pairs[1])
    (tmp_path / "text.txt").write_text("x y .\n")
    store = Store(tmp_path / "store")
    for recipe, file in ((planner.genuine, "pairs.m2"), (seed_corpus, "text.txt")):
        with pytest.raises(DataError, match=rf"{file}: has changed since the study was opened"):
            make(store, recipe)
        assert not store.has(recipe)


# Small recipes, for what does not depend on what is made.


class Word(Recipe):
    kind: ClassVar[str] = "word"
    incidental: ClassVar[frozenset[str]] = frozenset({"nickname"})
    text: str
    nickname: str = ""

    @property
    def label(self) -> str:
        return self.nickname or self.text


class Lasting(Word):
    resumable: ClassVar[bool] = True


def write_word(recipe: Recipe, folder: Path) -> dict[str, Any]:
    assert isinstance(recipe, Word)
    (folder / "word.txt").write_text(recipe.text)
    (folder / "more").mkdir(exist_ok=True)
    (folder / "more" / "word.txt").write_text(recipe.text * 2)
    return {"letters": len(recipe.text)}


def fail(recipe: Recipe, folder: Path) -> dict[str, Any]:
    raise ValueError("the step broke")


def test_a_damaged_artefact_keeps_its_name_until_the_new_one_is_there(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="hello")
    store.build(word, write_word)
    (store.folder(word) / "word.txt").unlink()
    with pytest.raises(ValueError, match="the step broke"):
        store.build(word, fail)
    assert (store.folder(word) / "more" / "word.txt").read_text() == "hellohello"
    assert store.build(word, write_word)
    assert not store.verify([word])


def test_a_file_in_the_place_of_an_artefact_gives_way(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="hello")
    store.build(word, write_word)
    shutil.rmtree(store.folder(word))
    store.folder(word).write_text("no folder")
    assert not store.has(word)
    assert [found.file.name for found in store.damaged([word])] == [RECORD]
    assert store.build(word, write_word)
    assert store.has(word)


def test_a_file_in_the_place_of_a_kind_is_said(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("no folder")
    with pytest.raises(UserError, match="a file is in the way"):
        Store(tmp_path).has(Word(text="hello"))


def test_what_was_removed_is_never_taken_for_unfinished_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumable step goes on from what it finds; a damaged artefact must not be what it finds."""
    store, word = Store(tmp_path), Lasting(text="hello")
    store.build(word, write_word)
    with monkeypatch.context() as killed:

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        killed.setattr(shutil, "rmtree", stop)  # the process ends in the middle of the removal
        with pytest.raises(KeyboardInterrupt):
            store.remove(word)
    assert not store.has(word)
    found: list[str] = []

    def look(recipe: Recipe, folder: Path) -> dict[str, Any]:
        found.extend(path.name for path in folder.rglob("*.txt") if path.name != LOG)
        return write_word(recipe, folder)

    assert store.build(word, look)
    assert found == []
    assert not list((tmp_path / ".work").iterdir())


def test_everything_is_on_the_disk_before_it_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, word = Store(tmp_path), Word(text="hello")
    flushed: set[int] = set()
    published: list[Path] = []
    fsync, rename = os.fsync, Path.rename

    def note_flush(descriptor: int) -> None:
        fsync(descriptor)
        flushed.add(os.fstat(descriptor).st_ino)

    def note_rename(path: Path, target: Path) -> Path:
        written = [path, *path.rglob("*")]
        assert not [file for file in written if file.stat().st_ino not in flushed]
        published.append(target)
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(Path, "rename", note_rename)
    store.build(word, write_word)
    assert published == [store.folder(word)]


@pytest.mark.parametrize("code", [28, 122], ids=["disk full", "quota"])
def test_a_disk_that_is_full_when_files_reach_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """File systems that put off writing find out only then."""
    store, word = Store(tmp_path), Word(text="hello")

    def full(descriptor: int) -> None:
        raise OSError(code, "no room")

    with monkeypatch.context() as changed:
        changed.setattr(os, "fsync", full)
        with pytest.raises(UserError, match="disk is full"):
            store.build(word, write_word)
    assert not store.has(word)
    assert store.build(word, write_word)


def test_a_change_that_leaves_no_trace_in_times_is_seen(tmp_path: Path) -> None:
    """A change within the same tick of the clock, or after it was set back, can leave a folder's times as they were."""
    mine, other = Store(tmp_path), Store(tmp_path)
    first, word = Word(text="first"), Word(text="word")
    other.build(first, write_word)
    assert not mine.has(word)
    hidden = Word(text="word", nickname="under another name")
    other.build(hidden, write_word)
    status = (tmp_path / "word").stat()
    unchanged = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_nlink)
    mine._listings["word"] = mine._listings["word"]._replace(state=unchanged)
    assert not mine.build(word, fail), "who builds looks anew"
    mine._listings["word"] = mine._listings["word"]._replace(state=unchanged, folders={}, made=time.monotonic())
    assert mine.folder(word) == other.folder(hidden)
    mine._listings["word"] = mine._listings["word"]._replace(state=unchanged, folders={}, made=time.monotonic())
    while not mine.has(word):  # half a second at most
        time.sleep(0.05)


def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, other = Store(tmp_path), Store(tmp_path)
    jumps = random.Random(1)
    monkeypatch.setattr(time, "time", lambda: jumps.uniform(0, 4e9))
    words = [Word(text=str(number)) for number in range(30)]
    for number, word in enumerate(words):
        assert not other.has(word)
        assert store.build(word, write_word)
        os.utime(tmp_path / "word", ns=(0, 10**18 + number % 3))
        assert other.has(word)
        assert store.result(word)["seconds"] < 60
    assert not store.build(words[0], fail)


def test_a_file_that_another_process_damages_is_seen(tmp_path: Path) -> None:
    mine, word = Store(tmp_path), Word(text="hello")
    mine.build(word, write_word)
    assert mine.has(word)
    truncate(Store(tmp_path).folder(word) / "more" / "word.txt")
    assert not mine.has(word)
    assert Store(tmp_path).build(word, write_word)
    assert mine.has(word)


def test_a_whole_check_tells_how_far_it_is(tmp_path: Path) -> None:
    store, words = Store(tmp_path), [Word(text="x" * size) for size in (10, 1000, 100_000)]
    for word in words:
        store.build(word, write_word)
    told: list[tuple[float, float, str]] = []
    assert store.verify([*words, *words, Word(text="never built")], lambda *now: told.append(now)) == []
    done = [now[0] for now in told]
    assert done == sorted(done) and done[-1] == told[-1][1] == 3 * (10 + 1000 + 100_000)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything, so a missing permission cannot be made")
def test_what_may_not_be_read_is_not_taken_for_damaged(tmp_path: Path) -> None:
    store, word = Store(tmp_path), Word(text="hello")
    store.build(word, write_word)
    (store.folder(word) / "word.txt").chmod(0)
    with pytest.raises(UserError, match="no permission"):
        store.verify([word])
