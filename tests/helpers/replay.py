"""A build played again from the seconds that its artefacts took, with what is told of it while it
runs.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pseudogec.artefacts import Recipe, TimeLeft


class Prediction(NamedTuple):
    """Seconds after the build began, and those that it is said to take from there."""

    now: float
    said: float


def replay(
    todo: Sequence[Recipe], took: Mapping[str, float], left: TimeLeft, every: float
) -> Iterator[Prediction]:
    """Yield what is predicted from the beginning to the end of a build, whose moment is that of the
    last prediction.

    Whatever is ready begins on the first worker that is free, in the order of ``todo``. Before each
    prediction, all artefacts in work say how far they are.

    Args:
        todo: what was built, parents first.
        took: seconds, by key.
        left: predicts.
        every: seconds between predictions.
    """
    place = {recipe.key: number for number, recipe in enumerate(todo)}
    waiting = {recipe.key: sum(parent.key in place for parent in recipe.parents) for recipe in todo}
    children: dict[str, list[Recipe]] = defaultdict(list)
    for recipe in todo:
        for parent in recipe.parents:
            children[parent.key].append(recipe)
    ready = [(place[recipe.key], recipe) for recipe in todo if not waiting[recipe.key]]
    heapq.heapify(ready)
    at_work: list[tuple[float, int, float]] = []  # end, place in todo, beginning
    now, number = 0.0, 0
    while ready or at_work:
        while ready and len(at_work) < left.workers:
            begun, recipe = heapq.heappop(ready)
            heapq.heappush(at_work, (now + took[recipe.key], begun, now))
            left.progress(recipe, 0.0, now)
        while number * every < at_work[0][0]:
            now = number * every
            for end, one, beginning in at_work:
                left.progress(todo[one], (now - beginning) / (end - beginning), now)
            yield Prediction(now, left.seconds(now))
            number += 1
        now, done, _ = heapq.heappop(at_work)
        left.finished(todo[done], now)
        for child in children[todo[done].key]:
            waiting[child.key] -= 1
            if not waiting[child.key]:
                heapq.heappush(ready, (place[child.key], child))
    yield Prediction(now, left.seconds(now))
