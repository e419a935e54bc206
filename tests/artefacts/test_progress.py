"""The time that a build still takes, held against builds whose end is known, and what is shown of
it.
"""

from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import ClassVar

import pytest

from helpers.replay import replay
from pseudogec.artefacts import Estimator, ProgressLine, Recipe, Store, TimeLeft
from pseudogec.artefacts.plan import CPU_TRAINING


class Text(Recipe):
    kind: ClassVar[str] = "time_left_text"
    pages: int

    @property
    def work(self) -> float:
        return self.pages


class Model(Recipe):
    kind: ClassVar[str] = "time_left_model"
    texts: tuple[Text | Model, ...] = ()
    updates: int

    @property
    def work(self) -> float:
        return self.updates

    @property
    def operations(self) -> float:
        return CPU_TRAINING * self.updates  # a second each


TODO = [
    *(texts := [Text(pages=number) for number in (10, 20, 30, 40)]),
    *(models := [Model(texts=(text,), updates=100) for text in texts]),
    Model(texts=tuple(models), updates=200),
]


@pytest.mark.parametrize("slower", [0.3, 1, 5])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_it_is_about_right_and_falls_whatever_the_machine_s_speed(
    workers: int, slower: float, tmp_path: Path
) -> None:
    took = {recipe.key: recipe.work * slower for recipe in TODO}
    left = TimeLeft(TODO, Estimator(Store(tmp_path)), workers)
    predictions = list(replay(TODO, took, left, every=5.0))
    end = predictions[-1].now
    late = [(end - now, said) for now, said in predictions if now > end / 10]
    assert all(true / 2 <= said <= 2 * true for true, said in late if true)
    rises = sum(max(0.0, said - before) for (_, before), (_, said) in itertools.pairwise(late))
    assert rises < end / 10
    assert late[-1][1] == 0


def test_what_is_done_within_a_training_counts(tmp_path: Path) -> None:
    training = Model(updates=1000)
    left = TimeLeft([training], Estimator(Store(tmp_path)), workers=1)
    left.progress(training, 0.0, now=0.0)
    left.progress(training, 0.8, now=400.0)
    assert left.seconds(400.0) == pytest.approx(100, rel=0.1)


def test_a_build_says_what_it_builds_and_how_far_it_is(tmp_path: Path) -> None:
    shown = io.StringIO()
    text, model = Text(pages=10), Model(updates=1000)
    line = ProgressLine(shown)
    with line.building(TimeLeft([text, model], Estimator(Store(tmp_path)), workers=1), needed=41):
        line.finished(text)
        line.progress(text, 60, 100, "pages")  # a message that is late
        line.progress(model, 500, 1000, "updates   9.0/s")
        said = line._line()
    for part in ("2 of 41", "16 min 50 s", "time_left_model 1"):
        assert part in shown.getvalue()
    for part in ("1/2", " left ", "500/1,000 updates", "9.0/s"):
        assert part in said
