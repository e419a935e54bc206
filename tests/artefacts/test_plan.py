"""Estimates from guesses and from what a store has measured."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from pseudogec.artefacts import Estimator, Recipe, Store, make_plan
from pseudogec.artefacts.files import write_json
from pseudogec.artefacts.plan import CPU_TRAINING, GPU_DECODING, GPU_TRAINING, elapsed
from pseudogec.artefacts.store import RECORD


class Pages(Recipe):
    kind: ClassVar[str] = "bpe"
    seconds_a_unit: ClassVar[float] = 0.001
    pages: int

    @property
    def work(self) -> float:
        return self.pages


class Novelty(Pages):
    kind: ClassVar[str] = "novelty"
    seconds_a_unit: ClassVar[float] = 1.4


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


class Decoding(Pages):
    kind: ClassVar[str] = "decoding"
    needs_gpu: ClassVar[bool] = True
    bytes_a_unit: ClassVar[float] = 7.0

    @property
    def decoded(self) -> float:
        return self.pages * 2


def record(store: Store, recipe: Recipe, seconds: float, device: str = "cpu") -> None:
    store.build(recipe, lambda *_: {"device": device})
    write_json(store.folder(recipe) / RECORD, {**store.result(recipe), "seconds": seconds})


def test_estimates_are_guesses_until_the_store_has_measured_the_median_rate(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert Estimator(store).seconds(Pages(pages=10)) == pytest.approx(0.01)
    for pages, seconds in ((10, 20.0), (100, 300.0), (1000, 9000.0)):  # 2, 3 and 9 seconds a page
        record(store, Pages(pages=pages), seconds)
    assert Estimator(store).seconds(Pages(pages=50)) == pytest.approx(150)
    assert Estimator(store).seconds(Novelty(pages=10)) == pytest.approx(14)


def test_a_speed_is_that_of_the_device_it_was_measured_on(tmp_path: Path) -> None:
    store, training = Store(tmp_path), Training(pages=1)
    assert Estimator(store).seconds(training) == pytest.approx(1e12 / CPU_TRAINING)
    record(store, Training(pages=10), 500.0)
    assert Estimator(store).seconds(training, on_gpu=True) == pytest.approx(1e12 / GPU_TRAINING)
    record(store, Training(pages=20), 40.0, "NVIDIA V100")
    estimator = Estimator(store)
    assert (estimator.seconds(training), estimator.seconds(training, on_gpu=True)) == (50, 2)


def test_a_plan_adds_up_what_is_to_do(tmp_path: Path) -> None:
    store = Store(tmp_path)
    training, decoding = Training(pages=60), Decoding(pages=1000)
    plan = make_plan([training, decoding], store, Estimator(store), cores=1, gpus=1)
    seconds = [60e12 / GPU_TRAINING, 2000 / GPU_DECODING]
    assert [total.gpu_seconds for total in plan.totals] == pytest.approx(seconds)
    assert plan.longest_path == [(decoding, seconds[1])]
    assert (plan.elapsed, plan.bytes) == (pytest.approx(sum(seconds)), 1000 + 7000 + 500)


@pytest.mark.parametrize(
    ("cores", "gpus", "expected"), [(2, 2, 20.0), (4, 2, 10.0), (1, 2, 20.0), (4, 1, 20.0)]
)
def test_a_worker_does_one_task_at_a_time_with_or_without_its_gpu(
    cores: int, gpus: int, expected: float
) -> None:
    on_gpu, on_cpu = ([kind(pages=pages) for pages in (1, 2)] for kind in (Training, Pages))
    todo: list[Recipe] = [*on_gpu, *on_cpu]
    seconds = dict.fromkeys((recipe.key for recipe in todo), 10.0)
    assert (
        elapsed(todo, seconds, {recipe.key: recipe in on_gpu for recipe in todo}, cores, gpus)
        == expected
    )
