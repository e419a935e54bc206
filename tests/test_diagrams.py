"""Diagrams: boxes that stand apart from each other, inside the picture."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch

from pseudogec.report import diagrams
from pseudogec.report.figures import Picture


@pytest.mark.parametrize("draw", [diagrams.pseudo_data, diagrams.back_translation, diagrams.joint_and_pretrain])
def test_no_two_boxes_of_a_diagram_touch_and_none_is_cut_off(draw: Callable[[], Picture]) -> None:
    picture = draw()
    figure, (axes,) = picture.figure, picture.figure.axes
    figure.canvas.draw()
    patches = [patch for text in axes.texts if isinstance(patch := text.get_bbox_patch(), FancyBboxPatch)]
    boxes = [patch.get_window_extent() for patch in patches]
    assert len(boxes) > 5
    assert not [pair for pair in combinations(boxes, 2) if pair[0].padded(2).overlaps(pair[1])]
    whole = figure.bbox
    assert all(whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1 for box in boxes)
    assert picture.caption
    plt.close(figure)
