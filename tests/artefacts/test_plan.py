"""Estimates from guesses and from what a store has measured."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from artefacts import Estimator, Machine, Recipe, Store, make_plan
from artefacts.files import write_json
from artefacts.plan import elapsed
from artefacts.store import RECORD


class Pages(Recipe):
    kind: ClassVar[str] = "bpe"
    seconds_a_unit: ClassVar[float] = 0.001
    pages: int

    @property
    def work(self) -> float:
        return self.pages


class Novelty(Pages):
    kind: ClassVar[str] = "novelty"
    seconds_a_unit: ClassVar[float] = 1.0
    seconds_to_begin: ClassVar[float] = 4.0


def test_estimates_are_guesses_until_the_store_has_measured(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert Estimator(store).seconds(Pages(pages=10)) == pytest.approx(10 * Pages.seconds_a_unit)
    assert Estimator(store).seconds(Novelty(pages=10)) == pytest.approx(14)


def test_estimates_use_the_stores_median_rate(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for pages, seconds in ((10, 20.0), (100, 300.0), (1000, 9000.0)):  # 2, 3 and 9 seconds a page
        recipe = Pages(pages=pages)
        store.build(recipe, lambda *_: {})
        write_json(store.folder(recipe) / RECORD, {**store.result(recipe), "seconds": seconds})
    assert Estimator(store).seconds(Pages(pages=50)) == pytest.approx(150)
    assert Estimator(store).seconds(Novelty(pages=10)) == pytest.approx(14)


class Training(Pages):
    kind: ClassVar[str] = "training"
    needs_gpu: ClassVar[bool] = True

    @property
    def operations(self) -> float:
        return self.pages * 1e12

    @property
    def expected_bytes(self) -> float:
        return 1000.0

    @property
    def bytes_at_work(self) -> float:
        return 500.0


def test_a_speed_is_that_of_the_device_it_was_measured_on(tmp_path: Path) -> None:
    store, machine = Store(tmp_path), Machine(gpu_training=2.0, cpu_training=0.1)
    for device, pages, seconds in (("cpu", 10, 500.0), ("NVIDIA V100", 20, 40.0)):
        recipe = Training(pages=pages)
        assert Estimator(store, machine).seconds(recipe, on_gpu=device != "cpu") == pytest.approx(
            pages / (0.1 if device == "cpu" else 2.0)
        )
        store.build(recipe, lambda *_, device=device: {"device": device})
        write_json(store.folder(recipe) / RECORD, {**store.result(recipe), "seconds": seconds})
    estimator = Estimator(store, machine)
    assert (estimator.seconds(Training(pages=1)), estimator.seconds(Training(pages=1), on_gpu=True)) == (50, 2)


class Decoding(Pages):
    kind: ClassVar[str] = "decoding"
    needs_gpu: ClassVar[bool] = True
    bytes_a_unit: ClassVar[float] = 7.0

    @property
    def decoded(self) -> float:
        return self.pages * 2


def test_a_recipe_tells_its_cost_and_a_machine_its_speed(tmp_path: Path) -> None:
    machine = Machine.model_validate({"gpu_training": 20, "cpu_training": 0.5, "gpu_decoding": 100, "seconds": {"novelty": 3}})
    store = Store(tmp_path)
    estimator = Estimator(store, machine)
    training, decoding = Training(pages=60), Decoding(pages=1000)
    assert (estimator.seconds(training, on_gpu=True), estimator.seconds(training)) == (3, 120)
    assert (estimator.seconds(decoding, on_gpu=True), estimator.seconds(decoding)) == (20, 1)
    assert estimator.seconds(Novelty(pages=10)) == 30
    assert (estimator.bytes(training), estimator.bytes(decoding)) == (1000, 7000)
    plan = make_plan([training, decoding], store, estimator, cores=1, gpus=1)
    assert (plan.gpu_seconds, plan.bytes) == (23, 8500)


def test_a_training_on_a_cpu_tells_the_speed_of_others_of_another_shape(tmp_path: Path) -> None:
    class Other(Training):
        @property
        def work_kind(self) -> str:
            return "training of another shape"

    def train(pages: int, seconds: float) -> None:
        trained = Training(pages=pages)
        store.build(trained, lambda *_: {"device": "cpu"})
        write_json(store.folder(trained) / RECORD, {**store.result(trained), "seconds": seconds})

    store, unmeasured = Store(tmp_path), Estimator(Store(tmp_path)).seconds(Other(pages=10))
    train(1, 30.0)  # mostly its start
    assert Estimator(store).seconds(Other(pages=10)) == pytest.approx(unmeasured)
    assert not Estimator(store).is_measured(Other(pages=10))
    train(200, 100.0)
    train(300, 150.0)
    assert Estimator(store).seconds(Other(pages=10)) == pytest.approx(5)
    assert Estimator(store).is_measured(Other(pages=10))
    assert Estimator(store, Machine(cpu_training=1)).seconds(Other(pages=10)) == pytest.approx(10), "what is said is taken"


@pytest.mark.parametrize(("cores", "gpus", "expected"), [(2, 2, 20.0), (4, 2, 10.0), (1, 2, 20.0), (4, 1, 20.0)])
def test_a_worker_does_one_task_at_a_time_with_or_without_its_gpu(cores: int, gpus: int, expected: float) -> None:
    on_gpu, on_cpu = ([kind(pages=pages) for pages in (1, 2)] for kind in (Training, Pages))
    todo: list[Recipe] = [*on_gpu, *on_cpu]
    seconds = dict.fromkeys((recipe.key for recipe in todo), 10.0)
    assert elapsed(todo, seconds, {recipe.key: recipe in on_gpu for recipe in todo}, cores, gpus) == expected
