"""Diagrams of methods: boxes and arrows, drawn like the figures and readable on paper without
colours.

Corners and colours show the kind of a box: text has square corners, a step of work round ones, a
model is an ellipse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import Literal, NamedTuple

from pseudogec.report.figures import Picture
from pseudogec.report.methods import method_label, readable
from pseudogec.study import Study
from pseudogec.study.profile import MorePseudoData, all_steps

Kind = Literal["genuine", "pseudo", "text", "step", "model"]

_SHAPES: Mapping[Kind, tuple[str, str]] = {
    "genuine": ("square,pad=0.5", "#d6e6f2"),
    "pseudo": ("square,pad=0.5", "#fbe3c2"),
    "text": ("square,pad=0.5", "#ffffff"),
    "step": ("round,pad=0.5,rounding_size=0.6", "#eeeeee"),
    "model": ("ellipse,pad=0.25", "#d3ede3"),
}
"""Kind of box -> its shape, as matplotlib names it, and its colour."""

_INK = "#222222"


class Box(NamedTuple):
    """A box of a diagram; columns and rows count from the upper left corner, and may be
    fractions.
    """

    kind: Kind
    text: str
    column: float
    row: float


def flow(
    boxes: Mapping[str, Box],
    arrows: Iterable[tuple[str, str]],
    caption: str,
    titles: Mapping[float, str] | None = None,
) -> Picture:
    """A diagram.

    Args:
        arrows: from one box to another, by their names.
        caption: a description, which also serves blind readers.
        titles: row -> heading at its left.
    """
    import matplotlib.pyplot as plt

    columns = max(box.column for box in boxes.values())
    rows = max(box.row for box in boxes.values())
    left = -1.2 if titles else -0.6
    width, height = columns + 0.75 - left, rows + 1.0
    figure, axes = plt.subplots(figsize=(1.45 * width, 0.85 * height))
    axes.set(xlim=(left, columns + 0.75), ylim=(rows + 0.5, -0.5))
    axes.axis("off")
    drawn = {}
    for name, box in boxes.items():
        shape, colour = _SHAPES[box.kind]
        look = {"boxstyle": shape, "facecolor": colour, "edgecolor": _INK, "linewidth": 1.1}
        drawn[name] = axes.text(
            box.column,
            box.row,
            box.text,
            ha="center",
            va="center",
            fontsize=10.5,
            color=_INK,
            bbox=look,
        )
    for row, title in (titles or {}).items():
        axes.text(
            left, row, title, ha="left", va="center", fontsize=11, fontweight="bold", color=_INK
        )
    figure.canvas.draw()  # boxes take their places, and arrows can end at their edges
    for start, end in arrows:
        look = {
            "arrowstyle": "-|>",
            "color": _INK,
            "linewidth": 1.2,
            "patchA": drawn[start].get_bbox_patch(),
            "patchB": drawn[end].get_bbox_patch(),
        }
        head, tail = ((boxes[name].column, boxes[name].row) for name in (end, start))
        axes.annotate("", head, tail, arrowprops=look)
    return Picture(figure, caption)


def pseudo_data() -> Picture:
    """From texts to pseudo pairs (TASLP sections III and IV-A)."""
    boxes = {
        "texts": Box("text", "texts:\nencyclopedia,\nnews, ...", 0, 0.6),
        "clean": Box("step", "split into\nsentences,\nfilter", 1.15, 0.6),
        "seed": Box("text", "seed corpus $\\mathcal{T}$:\ngrammatical\nsentences", 2.4, 0.6),
        "noise": Box("step", "add errors\n(notebook 01)", 3.75, 0),
        "source": Box("pseudo", "source $X$:\nthe sentence\nwith errors", 5.1, 0),
        "target": Box("pseudo", "target $Y$:\nthe sentence\nitself", 5.1, 1.2),
    }
    arrows = [
        ("texts", "clean"),
        ("clean", "seed"),
        ("seed", "noise"),
        ("noise", "source"),
        ("seed", "target"),
    ]
    caption = (
        "How pseudo pairs are made from a seed corpus. Texts are split into sentences and "
        "filtered. A method adds errors to each "
        "sentence. The sentence with errors is the source of a pseudo pair, the sentence itself "
        "its target."
    )
    return flow(boxes, arrows, caption)


def back_translation() -> Picture:
    """Training and use of the reverse model (TASLP section III-A)."""
    boxes = {
        "genuine": Box("genuine", "genuine pairs\n$X$ → $Y$", 0.2, 0),
        "turned": Box("genuine", "turned around\n$Y$ → $X$", 1.5, 0),
        "training": Box("step", "training", 2.6, 0),
        "model": Box("model", "reverse\nmodel", 3.6, 0),
        "seed": Box("text", "seed sentence\n$Y$: He depends on her .", 0.45, 1.3),
        "search": Box(
            "step", "beam search, scores\n$+\\; r\\,\\beta_{\\mathrm{random}}$", 3.6, 1.3
        ),
        "source": Box("pseudo", "source of a pseudo pair\n$X$: He depend of her .", 5.5, 1.3),
        "target": Box("pseudo", "target of the pair\n$Y$: He depends on her .", 5.5, 2.3),
    }
    arrows = [
        ("genuine", "turned"),
        ("turned", "training"),
        ("training", "model"),
        ("model", "search"),
        ("seed", "search"),
        ("search", "source"),
        ("seed", "target"),
    ]
    caption = (
        "Back-translation with noise. A reverse model learns to write errors, from genuine pairs "
        "turned around. Its beam search "
        "adds random numbers to the scores. Its output for a grammatical sentence is the source of "
        "a pseudo pair, the "
        "sentence itself its target."
    )
    return flow(boxes, arrows, caption, {0: "once", 1.3: "for each\nsentence"})


def joint_and_pretrain() -> Picture:
    """The two settings (TASLP equations 3 to 5)."""
    boxes = {
        "joint genuine": Box("genuine", "genuine pairs\n$k \\times \\mathcal{D}_g$", 0.3, 0),
        "joint pseudo": Box("pseudo", "pseudo pairs\n$\\mathcal{D}_p$", 0.3, 1),
        "mix": Box("step", "mix", 1.5, 0.5),
        "joint training": Box("step", "training", 3.65, 0.5),
        "joint model": Box("model", "corrector\n$\\hat\\Theta$", 4.9, 0.5),
        "pseudo": Box("pseudo", "pseudo pairs\n$\\mathcal{D}_p$", 0.3, 3),
        "pretraining": Box("step", "pretraining", 1.5, 3),
        "pretrained": Box("model", "$\\Theta'$", 2.6, 3),
        "fine-tuning": Box("step", "fine-tuning", 3.65, 3),
        "genuine": Box("genuine", "genuine pairs\n$\\mathcal{D}_g$", 3.65, 2),
        "model": Box("model", "corrector\n$\\hat\\Theta$", 4.9, 3),
    }
    arrows = [
        ("joint genuine", "mix"),
        ("joint pseudo", "mix"),
        ("mix", "joint training"),
        ("joint training", "joint model"),
        ("pseudo", "pretraining"),
        ("pretraining", "pretrained"),
        ("pretrained", "fine-tuning"),
        ("genuine", "fine-tuning"),
        ("fine-tuning", "model"),
    ]
    caption = (
        "The two settings. JOINT trains once, on a mixture of genuine and pseudo pairs; with "
        "upsampling each genuine pair stands "
        "in it k times. PRETRAIN trains on pseudo pairs first, then on genuine pairs alone."
    )
    return flow(boxes, arrows, caption, {0.5: "JOINT", 3: "PRETRAIN"})


def pipeline(study: Study, system: str) -> Picture:
    """The steps of a system from top to bottom; beside steps that use models, their training
    data.
    """
    boxes, arrows = {"0": Box("text", "sentence as it was written", 1, 0)}, list[tuple[str, str]]()
    steps = all_steps(study.profile, system)
    for number, step in enumerate(steps, start=1):
        boxes[f"{number}"] = Box(
            "step",
            f"{step.label.capitalize()}:\n{fill(step.describe().replace('_', ' '), 36)}",
            1,
            1.1 * number,
        )
        arrows.append((f"{number - 1}", f"{number}"))
        if trained := dict.fromkeys(_training(study, model) for model in step.model_names):
            boxes[f"models {number}"] = Box("pseudo", "\n".join(trained), 3, 1.1 * number)
            arrows.append((f"models {number}", f"{number}"))
    boxes["corrected"] = Box("text", "its correction", 1, 1.1 * len(steps) + 1)
    arrows.append((f"{len(steps)}", "corrected"))
    caption = (
        f"The system {readable(system)}, step by step, as the profile describes it; on the right "
        "the training data of its models."
    )
    return flow(boxes, arrows, caption)


def _training(study: Study, name: str) -> str:
    model = study.profile.models[name]
    pseudo = f"{model.pseudo_pairs:,} pairs of {method_label(model.method)}"
    genuine = (
        ("text and the same text with noise") if study.profile.corpora.noised else "genuine pairs"
    )
    names = {"pseudo": pseudo, "genuine": genuine, "in_domain": "those like the test set"}

    def described(part: str | MorePseudoData) -> str:
        return (
            names[part]
            if isinstance(part, str)
            else (f"{part.pseudo_pairs:,} pairs of {method_label(part.method)}")
        )

    stages = [
        [described(part) for part in stage.data if part != "copies"]
        for stage in study.profile.stages(model.setting)
    ]
    return fill(
        f"trained on {', then '.join(' and '.join(parts) for parts in stages if parts)}",
        24,
        break_on_hyphens=False,
    )
