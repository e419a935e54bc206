"""Metrics from outside: a class that would give wrong figures, or fail after days, is refused with
its name and the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from pseudogec.artefacts.errors import UserError
from pseudogec.evaluate import Gold, Measure, Metric

GOLD = Gold.parallel([["a"], ["b"], ["c"]], [[["a"], ["B"], ["c"]]])
HYPOTHESES = [["a"], ["B"], ["d"]]


def share(sums: np.ndarray) -> Any:
    return sums[..., 0] / sums[..., 1]


def statistics(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows)


class Exact(Metric):
    name = "exact"
    label = "Exact match"
    measures = (Measure("exact", "EM", "Exact match", share),)
    returned: ClassVar[Any] = statistics((1, 1), (1, 1), (0, 1))

    def statistics(self, gold: Gold, hypotheses: Any) -> np.ndarray:
        return self.returned


def test_what_is_right_is_scored() -> None:
    assert Exact().score(GOLD, HYPOTHESES).headline == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "of",
    [
        lambda sums: sums[0] / sums[1],
        lambda sums: sums.sum(),
    ],
)
def test_a_measure_of_one_sum_alone_is_refused(
    of: Callable[[np.ndarray], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Exact, "measures", (Measure("exact", "EM", "Exact match", of),))
    with pytest.raises(UserError, match=r"test_evaluate_metric:Exact.*`exact`"):
        Exact().score(GOLD, HYPOTHESES)
