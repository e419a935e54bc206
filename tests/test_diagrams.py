"""Diagrams: boxes that stand apart from each other, inside the picture."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch

from pseudogec.report import diagrams
from pseudogec.report.figures import Picture
from pseudogec.study import Study


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


def test_a_system_s_diagram_tells_the_training_data_stage_by_stage(tmp_path: Path) -> None:
    def told(*overrides: str) -> str:
        figure = diagrams.pipeline(Study.open("classroom", overrides, store=tmp_path), "pretlarge").figure
        (trained,) = [" ".join(text.get_text().split()) for text in figure.axes[0].texts if "trained on" in text.get_text()]
        plt.close(figure)
        return trained

    pseudo = "3,000 pairs of Noisy back-translation"
    assert told() == f"trained on {pseudo}, then genuine pairs"
    assert told("models.pretlarge.setting=joint") == f"trained on genuine pairs and {pseudo}"
    mixed = told("models.pretlarge.setting=pretrain_joint")
    assert mixed == f"trained on {pseudo}, then genuine pairs and 1,000 pairs of Direct noise"
