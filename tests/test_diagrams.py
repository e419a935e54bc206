"""Diagrams: boxes that stand apart from each other, inside the picture."""

from __future__ import annotations

from pathlib import Path

from matplotlib import pyplot as plt

from pseudogec.report import diagrams
from pseudogec.study import Study


def test_a_system_s_diagram_tells_the_training_data_stage_by_stage(tmp_path: Path) -> None:
    def told(*overrides: str) -> str:
        figure = diagrams.pipeline(
            Study.open("classroom", overrides, store=tmp_path), "pretlarge"
        ).figure
        (trained,) = [
            " ".join(text.get_text().split())
            for text in figure.axes[0].texts
            if "trained on" in text.get_text()
        ]
        plt.close(figure)
        return trained

    pseudo = "4,000 pairs of Noisy back-translation"
    assert told() == f"trained on {pseudo}, then genuine pairs"
    assert told("models.pretlarge.setting=joint") == f"trained on genuine pairs and {pseudo}"
    mixed = told("models.pretlarge.setting=pretrain_joint")
    assert mixed == f"trained on {pseudo}, then genuine pairs and 1,000 pairs of Direct noise"
