"""Back-translation of a shard: in parts that survive a kill, the same bytes however it is cut,
nothing lost.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from helpers.building import make
from pseudogec.artefacts.engine import Engine
from pseudogec.artefacts.store import Store
from pseudogec.noise import METHODS, DecoderMethod
from pseudogec.seq2seq.data import SIDES, read_binarised
from pseudogec.study import PROJECT, Planner, System, load_profile, pseudo_data
from pseudogec.study.pseudo_data import MisspeltData, PseudoData
from pseudogec.text import MASK

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

TINY = [
    "corpora.genuine.sentences=150",
    "corpora.validation.sentences=20",
    "subwords.merges=100",
    "pseudo_data.shard=50",
    "optimisations.joint.updates=10",
    "methods.spelt={method: backtrans, sse_rate: 0.2}",
    "methods.unspelt={method: backtrans, sse_rate: 0}",
    "methods.greedy={method: backtrans_noisy, beta_random: 0}",
    "methods.quirk={method: direct_noise, mu_keep: 1, legacy: true}",
]
BACK_TRANSLATION = [method.name for method in METHODS if issubclass(method, DecoderMethod)]
METHODS_OF_THE_STUDY = (
    "direct_noise",
    "direct_noise_spell",
    "realistic",
    "random",
    *BACK_TRANSLATION,
)
SMALL_PART = 16


@pytest.fixture(scope="module")
def planner() -> Planner:
    return Planner(load_profile(PROJECT / "params" / "smoke.yaml", TINY), PROJECT)


@pytest.fixture(scope="module")
def trained(planner: Planner, one_thread: None, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store that holds the reverse model and all that it needs."""
    store = Store(tmp_path_factory.mktemp("trained"))
    make(store, planner.reverse_model())
    return store


@pytest.fixture
def store(trained: Store, tmp_path: Path) -> Store:
    """A store of the test's own, which holds the reverse model."""
    shutil.copytree(trained.root, tmp_path / "store")
    return Store(tmp_path / "store")


def shard(planner: Planner, method: str) -> PseudoData:
    common: dict[str, Any] = {
        "seed_corpus": "everyday",
        "setting": "joint",
        "pseudo_pairs": 50,
        "upsample": 1,
        "seed": 1,
    }
    system = System(method=method, noise=planner.profile.methods[method], **common)
    (found,) = planner.pseudo_data(system)
    return found


def sources(recipe: PseudoData, store: Store) -> list[list[str]]:
    """The source side of a built shard, in subwords."""
    return side(recipe, store, "src")


def side(recipe: PseudoData, store: Store, name: str) -> list[list[str]]:
    return [pair[SIDES.index(name)] for pair in read_binarised(store.folder(recipe))]


def build_until_third_part(root: str, recipe: PseudoData, ready: Any) -> None:
    """What the process to be killed does: it never gets past the middle of the third part."""
    pseudo_data.PART = SMALL_PART
    store = Store(root)
    make(store, recipe.seed_text)

    def progress(done: float, total: float, text: str) -> None:
        if done > 2 * SMALL_PART:
            ready.set()
            time.sleep(600)

    make(store, recipe, progress=progress)


def test_a_killed_shard_goes_on_and_ends_with_the_same_bytes(
    planner: Planner, store: Store, trained: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = shard(planner, "backtrans_noisy")
    make(trained, recipe)
    undisturbed = trained.result(recipe)
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    process = context.Process(target=build_until_third_part, args=(str(store.root), recipe, ready))
    process.start()
    assert ready.wait(300)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert not store.has(recipe)
    parts = store.root / ".work" / recipe.key / "work" / "parts"
    finished = {path: path.stat().st_mtime_ns for path in parts.glob("*.json")}
    assert len(finished) == 2

    monkeypatch.setattr(pseudo_data, "PART", SMALL_PART)
    seen: list[float] = []

    def progress(done: float, total: float, text: str) -> None:
        seen.append(done)
        assert all(path.stat().st_mtime_ns == time for path, time in finished.items())

    make(store, recipe, progress=progress)
    resumed = store.result(recipe)
    assert seen[:2] == [SMALL_PART, 2 * SMALL_PART], "finished parts are read, not made again"
    assert seen[-1] == 50
    assert resumed["files"] == undisturbed["files"]
    assert resumed["result"] == undisturbed["result"]
    names = {path.name for path in store.folder(recipe).iterdir()}
    assert names == {*undisturbed["files"], "recipe.json", "result.json", "log.txt"}, (
        "nothing half-made is published"
    )


def test_spelling_errors_come_on_top_and_at_rate_zero_change_nothing(
    planner: Planner, store: Store
) -> None:
    plain, spelt = shard(planner, "backtrans"), shard(planner, "spelt")
    assert shard(planner, "unspelt") == plain
    make(store, plain, spelt)
    pairs = list(zip(sources(plain, store), sources(spelt, store), strict=True))
    assert sum(before != after for before, after in pairs) > 40
    assert isinstance(spelt, MisspeltData)
    assert spelt.pseudo_data.key == plain.key, "nothing is translated twice"
    assert side(spelt, store, "trg") == side(plain, store, "trg")


def test_any_number_of_processes_makes_the_same_bytes_with_every_method(
    planner: Planner, store: Store
) -> None:
    """A shard of each method: in this process, and by the study's engine with two workers."""
    shards = [shard(planner, method) for method in METHODS_OF_THE_STUDY]
    make(store, *shards)
    alone = {recipe.key: store.result(recipe)["files"] for recipe in shards}
    for recipe in shards:
        store.remove(recipe)
    with Engine(store, workers=2) as engine:
        assert engine.build(shards) == len(shards)
    assert {recipe.key: store.result(recipe)["files"] for recipe in shards} == alone


def test_the_authors_quirk_puts_masks_before_the_targets_of_unchanged_sentences(
    planner: Planner, tmp_path: Path
) -> None:
    recipe, store = shard(planner, "quirk"), Store(tmp_path)
    make(store, recipe)
    for source, target in read_binarised(store.folder(recipe)):
        masks = len(target) - len(source)
        assert 1 <= masks <= 8
        assert target == [MASK] * masks + source
