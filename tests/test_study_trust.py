"""A damaged study is built again to the same bytes; a corpus file that changes under an open study
is refused.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.building import make
from pseudogec.artefacts import DataError, Recipe, Store, with_ancestors
from pseudogec.study import PROJECT, Planner, System, load_profile
from pseudogec.study.results import ScoredCorrection

TINY = [
    "corpora.genuine.sentences=150",
    "corpora.validation.sentences=20",
    "corpora.tests.classroom-test.sentences=20",
    "subwords.merges=100",
    "pseudo_data.shard=50",
    "optimisations.copying.updates=4",
    "optimisations.joint.updates=4",
]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def score() -> ScoredCorrection:
    """All kinds of a plain study: corpora, pieces, pairs, pseudo data, models, a correction,
    references, a score.
    """
    planner = Planner(load_profile(PROJECT / "params" / "smoke.yaml", TINY), PROJECT)
    noise = planner.profile.methods["direct_noise"]
    common: dict[str, Any] = {
        "seed_corpus": "everyday",
        "setting": "joint",
        "pseudo_pairs": 50,
        "upsample": 1,
        "seed": 1,
    }
    system = System(method="direct_noise", noise=noise, **common)
    return planner.score(system, "classroom-test")


@pytest.fixture(scope="module")
def built(score: ScoredCorrection, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The whole study; it stays as it is."""
    place = tmp_path_factory.mktemp("study")
    make(Store(place / "store"), *with_ancestors([score]))
    return Store((place / "store").rename(place / "whole"))


@pytest.fixture
def store(built: Store) -> Iterator[Store]:
    """The same in a folder of the test's own, always at one place: model files name the folder
    where they were trained.
    """
    place = built.root.parent / "store"
    shutil.copytree(built.root, place)
    yield Store(place)
    shutil.rmtree(place)


def lasting(store: Store, recipe: Recipe) -> dict[str, str]:
    """Digests of the files that are the same however long their making took."""
    listed = store.result(recipe)["files"]
    return {name: file["sha256"] for name, file in listed.items() if name != "training.json"}


@pytest.mark.slow
def test_what_is_damaged_is_built_again_to_the_same_bytes_and_nothing_else(
    store: Store, built: Store, score: ScoredCorrection
) -> None:
    every = with_ancestors([score])
    for recipe in every:
        untouched = {item.key: store.folder(item).stat().st_ino for item in every if item != recipe}
        (store.folder(recipe) / next(iter(store.result(recipe)["files"]))).unlink()
        assert make(store, score, recipe) == [recipe]
        assert lasting(store, recipe) == lasting(built, recipe)
        assert {
            item.key: store.folder(item).stat().st_ino for item in every if item != recipe
        } == untouched
    assert not store.verify(every)
    assert not list((store.root / ".work").iterdir())


def test_a_corpus_file_that_is_edited_while_a_study_is_open_is_refused(tmp_path: Path) -> None:
    pairs = [
        "S a b\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||0\n\n",
        "S x y\nA 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0\n\n",
    ]
    (tmp_path / "pairs.m2").write_text(pairs[0])
    (tmp_path / "text.txt").write_text("a b .\n")
    overrides = [
        f"data_folder={tmp_path}",
        "corpora.genuine={source: m2, files: [pairs.m2]}",
        "corpora.seeds.everyday={source: plain, files: text.txt}",
    ]
    planner = Planner(load_profile(PROJECT / "params" / "smoke.yaml", overrides), PROJECT)
    seed_corpus = next(
        recipe
        for recipe in with_ancestors([planner.seed_text("everyday", 0)])
        if recipe.kind == "seed_corpus"
    )
    (tmp_path / "pairs.m2").write_text(pairs[1])
    (tmp_path / "text.txt").write_text("x y .\n")
    store = Store(tmp_path / "store")
    for recipe, file in ((planner.genuine, "pairs.m2"), (seed_corpus, "text.txt")):
        with pytest.raises(DataError, match=str(file)):
            make(store, recipe)
        assert not store.has(recipe)
