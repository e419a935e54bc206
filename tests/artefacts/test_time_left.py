"""The time that a build still takes, held against builds whose end is known, and what is shown of it."""

from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import ClassVar

import pytest

from artefacts import Estimator, Recipe, RichDisplay, Store, TimeLeft
from artefacts.files import write_json
from artefacts.store import RECORD
from replay import replay


class Text(Recipe):
    kind: ClassVar[str] = "time_left_text"
    pages: int

    @property
    def work(self) -> float:
        return self.pages

    @property
    def label(self) -> str:
        return f"{self.pages} pages"


class Model(Recipe):
    kind: ClassVar[str] = "time_left_model"
    resumable: ClassVar[bool] = True
    texts: tuple[Text | Model, ...] = ()
    updates: int
    shape: str = "small"

    @property
    def work(self) -> float:
        return self.updates

    @property
    def work_kind(self) -> str:
        return f"{self.kind} {self.shape}"

    @property
    def operations(self) -> float:
        return 45e9 * self.updates  # by default a second each


TODO = [
    *(texts := [Text(pages=number) for number in (10, 20, 30, 40)]),
    *(models := [Model(texts=(text,), updates=100) for text in texts]),
    Model(texts=tuple(models), updates=200),
]
GUESSED = {recipe.key: recipe.work for recipe in TODO}


def time_left(tmp_path: Path, workers: int = 2, measured: bool = False, todo: list[Recipe] = TODO) -> TimeLeft:
    """Of a store that has measured nothing, or that has measured what is guessed."""
    store = Store(tmp_path)
    for recipe in (Text(pages=1), Model(updates=1)) if measured else ():
        store.build(recipe, lambda *_: {})
        write_json(store.folder(recipe) / RECORD, {**store.result(recipe), "seconds": 1.0})
    return TimeLeft(todo, Estimator(store), workers)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_it_is_the_truth_where_all_takes_as_long_as_expected(workers: int, tmp_path: Path) -> None:
    left = time_left(tmp_path, workers, measured=True)
    foreseen, predictions = left.foreseen(), list(replay(TODO, GUESSED, left, every=7.0))
    end = predictions[-1].now
    assert foreseen == (pytest.approx(end), True)
    assert [said for _, said in predictions] == pytest.approx([end - now for now, _ in predictions])
    assert left.share_done == 1


def test_it_is_known_when_most_of_what_is_left_was_measured_and_falls_from_then_on(tmp_path: Path) -> None:
    # Trainings take thrice as long as guessed, which the first seconds of the first training tell.
    took = {recipe.key: recipe.work * (3 if isinstance(recipe, Model) else 1) for recipe in TODO}
    predictions = list(replay(TODO, took, time_left(tmp_path), every=5.0))
    end = predictions[-1].now
    unknown = list(itertools.takewhile(lambda prediction: prediction.said is None, predictions))
    first_training_begins = 40  # when the first worker has no texts left
    assert first_training_begins <= unknown[-1].now < first_training_begins + 30
    said = [(now, seconds) for now, seconds in predictions[len(unknown) :] if seconds is not None]
    assert len(said) == len(predictions) - len(unknown)
    for now, seconds in said:
        if now > end / 4:
            assert seconds == pytest.approx(end - now, rel=0.25)
    falling = [seconds for now, seconds in said if now > end / 4]
    assert sorted(falling, reverse=True) == falling


def test_what_is_done_within_a_training_counts_and_so_does_the_time_since(tmp_path: Path) -> None:
    training = Model(updates=1000)
    left = time_left(tmp_path, workers=1, todo=[training])
    left.progress(training, 0.0, now=0.0)
    left.progress(training, 0.1, now=50.0)  # after its start, twice as fast as guessed
    left.progress(training, 0.3, now=150.0)
    assert left.share_done == pytest.approx(0.3)
    assert (said := left.seconds(150.0)) == pytest.approx(350, rel=0.1)
    assert left.seconds(170.0) == pytest.approx(said - 20)


def test_a_resumed_training_is_projected_from_where_it_went_on(tmp_path: Path) -> None:
    training = Model(updates=1000)
    left = time_left(tmp_path, workers=1, todo=[training])
    left.progress(training, 0.0, now=0.0)
    left.progress(training, 0.5, now=3.0)
    left.progress(training, 0.6, now=103.0)
    assert left.seconds(103.0) == pytest.approx(400)


def test_it_is_never_negative(tmp_path: Path) -> None:
    text = Text(pages=10)
    left = time_left(tmp_path, workers=1, measured=True, todo=[text])
    left.progress(text, 0.0, now=0.0)
    said = [left.seconds(now) for now in (0.0, 5.0, 10.0, 50.0)]
    assert said == pytest.approx([10, 5, 0, 10])  # a late one is expected to be a quarter later still
    left.finished(text, now=60.0)
    assert left.seconds(60.0) == 0


def test_a_training_of_another_shape_is_expected_to_take_as_trainings_take(tmp_path: Path) -> None:
    first, other = Model(updates=100), Model(updates=100, shape="large")
    left = time_left(tmp_path, workers=1, todo=[first, other])
    left.progress(first, 0.0, now=0.0)
    left.progress(first, 0.01, now=3.0)
    left.finished(first, now=300.0)
    assert left.seconds(300.0) == pytest.approx(300, rel=0.1)


def test_what_another_program_builds_tells_nothing_of_the_time(tmp_path: Path) -> None:
    left = time_left(tmp_path, workers=1, measured=True, todo=[Text(pages=10), Text(pages=20)])
    left.finished(Text(pages=10), now=1.0)
    assert left.seconds(1.0) == pytest.approx(20)


def test_a_chain_of_trainings_waits_for_gpus(tmp_path: Path) -> None:
    class OnGpu(Model):
        kind: ClassVar[str] = "time_left_on_gpu"
        needs_gpu: ClassVar[bool] = True

        @property
        def operations(self) -> float:
            return 40e12 * self.updates  # by default a second each on a GPU

    todo = [OnGpu(updates=updates) for updates in (100, 200, 300)]
    foreseen, _ = TimeLeft(todo, Estimator(Store(tmp_path)), workers=4, gpu_workers=1).foreseen()
    assert foreseen == pytest.approx(600)


def test_a_build_says_beforehand_what_it_builds_and_then_how_far_it_is(tmp_path: Path) -> None:
    shown = io.StringIO()
    text, model = Text(pages=10), Model(updates=1000)
    left = time_left(tmp_path, workers=1, measured=True, todo=[text, model])
    display = RichDisplay(shown)
    with display.building(left, needed=41):
        about = "about 16 min 50 s on 1 worker (time_left_text 1, time_left_model 1)"
        assert shown.getvalue() == f"2 of 41 artefacts are to be built, {about}\n".replace("_", " ")
        display.finished(text)
        display.progress(text, 60, 100, "pages")  # a message that is late
        display.progress(model, 500, 1000, "updates   9.0/s")
        assert left.share_done == pytest.approx(510 / 1010)
    line = shown.getvalue().splitlines()[1]
    assert line.startswith("build   1/2   ") and " left   time_left_" in line
    quiet = io.StringIO()
    with RichDisplay(quiet, announces=False).building(left, needed=41):
        assert not quiet.getvalue()


def test_a_build_of_unknown_length_says_so(tmp_path: Path) -> None:
    shown = io.StringIO()
    model = Model(updates=1000)
    display = RichDisplay(shown)
    with display.building(time_left(tmp_path, todo=[model]), needed=1):
        display.progress(model, 0, 1000, "updates   2.5/s [/b]")  # no markup
    first, line = shown.getvalue().splitlines()
    assert first.endswith("about 16 min 40 s on 2 workers by a first guess (time left model 1)")
    assert line == "build   0/1   time left unknown   time_left_model 0/1,000 updates   time_left_model   2.5/s [/b]"
