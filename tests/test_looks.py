"""The visual language: colours that everybody can tell apart, filled and hollow markers, tables
that a screen reader can read.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from my_methods import Shouting
from pseudogec.noise import DirectNoise
from pseudogec.report import figures
from pseudogec.report.figures import CORPUS_COLOURS, LEVEL_COLOURS, colours_of
from pseudogec.report.methods import METHOD_COLOURS, method_label, show_methods
from pseudogec.report.papers import paper_gains
from pseudogec.report.tables import StyledTable, as_csv, comparison, styled, summarise
from pseudogec.study import PROJECT, load_profile

# How people without cones of one kind see linear RGB (Machado, Oliveira and Fernandes 2009, table
# 1, severity 1.0).
SIGHT = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
    "full": np.eye(3).tolist(),
}
TOLD_APART = 15.0  # CIE 1976 difference; about 2.3 is just noticeable when patches touch
CONTRAST = 2.0  # on white, as WCAG measures it


CLASSROOM = load_profile(PROJECT / "params" / "classroom.yaml").methods
show_methods(CLASSROOM)  # the cases below are made of its colours


@pytest.fixture(autouse=True)
def _classroom() -> None:
    """Other tests show methods of their own."""
    show_methods(CLASSROOM)


def linear(colour: str) -> np.ndarray:
    """Linear RGB of ``#rrggbb`` (IEC 61966-2-1)."""
    channels = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB, D65."""
    xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ) @ np.clip(rgb, 0, 1)
    ratio = xyz / np.array([0.95047, 1.0, 1.08883])
    cubic = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * cubic[1] - 16, 500 * (cubic[0] - cubic[1]), 200 * (cubic[1] - cubic[2])])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(
    "palette",
    [METHOD_COLOURS, LEVEL_COLOURS, {colour: colour for colour in CORPUS_COLOURS.values()}],
    ids=["methods", "levels", "corpora"],
)
def test_colours_are_told_apart_by_every_sight(palette: Mapping[str, str], sight: str) -> None:
    seen = {name: lab(np.array(SIGHT[sight]) @ linear(colour)) for name, colour in palette.items()}
    close = {
        (first, second): round(float(np.linalg.norm(seen[first] - seen[second])), 1)
        for first, second in itertools.combinations(seen, 2)
        if np.linalg.norm(seen[first] - seen[second]) < TOLD_APART
    }
    assert not close


@pytest.mark.parametrize(
    "colour", sorted({*METHOD_COLOURS.values(), *LEVEL_COLOURS.values(), *CORPUS_COLOURS.values()})
)
def test_colours_stand_out_from_the_page(colour: str) -> None:
    luminance = linear(colour) @ np.array([0.2126, 0.7152, 0.0722])
    assert 1.05 / (luminance + 0.05) >= CONTRAST


@pytest.mark.parametrize("name", ["classroom", "paper"])
def test_methods_and_seed_corpora_of_a_profile_have_a_colour_and_a_name(name: str) -> None:
    profile = load_profile(PROJECT / "params" / f"{name}.yaml")
    shown = {method for grid in profile.grids.values() for method in grid.method}
    show_methods(profile.methods)
    assert shown <= set(METHOD_COLOURS)
    assert all(method_label(name) != name for name in shown)
    assert method_label("backtrans_noisy_sse") == "Noisy back-translation + SSE"
    assert set(profile.corpora.seeds) <= set(CORPUS_COLOURS)


def test_colours_are_a_methods_own_and_all_different() -> None:
    colours = colours_of([*METHOD_COLOURS, "mine", "yours"])
    assert colours["direct_noise"] == METHOD_COLOURS["direct_noise"]
    assert len(set(colours.values())) == len(METHOD_COLOURS) + 2


def test_an_entry_of_a_profile_has_the_label_and_colour_of_its_class() -> None:
    show_methods(
        {"mild": DirectNoise(mu_mask=0.1), "strong": DirectNoise(mu_mask=0.5), "loud": Shouting()}
    )
    assert [method_label(name) for name in ("mild", "strong", "loud")] == [
        "Direct noise",
        "Direct noise (strong)",
        "Shouting",
    ]
    assert METHOD_COLOURS["mild"] == DirectNoise.colour
    assert METHOD_COLOURS["loud"] == Shouting.colour
    assert "strong" not in METHOD_COLOURS  # it gets a further one


def scores(f05: Mapping[tuple[str, int], float]) -> pd.DataFrame:
    """Tidy scores of methods and seeds; precision and recall equal F0.5."""
    rows = [
        {
            "method": method,
            "system": method,
            "seed": seed,
            "precision": value,
            "recall": value,
            "f05": value,
        }
        for (method, seed), value in f05.items()
    ]
    return pd.DataFrame(rows)


def test_each_study_has_a_panel_of_its_gains_on_one_scale() -> None:
    choices = {"method": "direct_noise", "setting": "pretrain", "study": "this study"}
    ours = pd.DataFrame(
        [
            {
                **choices,
                "pseudo_pairs": size,
                "gain": 1.0,
                "low": 0.5,
                "high": 1.5,
                "at_the_floor": False,
            }
            for size in (8, 32)
        ]
    )
    table = pd.concat([ours, paper_gains("taslp2020:VI").query("setting == 'pretrain'")])
    left, right = figures.gains(table, "pseudo_pairs", "pairs", "What was found", [1]).figure.axes
    (hollow,) = [line.lines[0] for line in right.containers if line.get_label() == "Direct noise"]
    assert hollow.get_markerfacecolor() == "none"
    assert list(hollow.get_xdata()) == pytest.approx([1_400_000, 14_000_000], rel=0.1), (
        "beside the other method, at its size"
    )
    assert list(hollow.get_ydata()) == pytest.approx([39.1 - 37.7, 42.0 - 37.7])
    assert [axes.get_title() for axes in (left, right)] == ["this study", "Kiyono et al. 2020"]
    assert left.get_ylim() == right.get_ylim()
    assert left.containers[0].has_yerr and not right.containers[0].has_yerr


def test_gains_of_a_figure_count_from_the_baseline_of_their_paper() -> None:
    [best] = paper_gains("emnlp2019:4", "emnlp2019:Fig.1").query("pseudo_pairs == 70_000_000").gain
    assert best == pytest.approx(45.9 - 38.8)


def test_gains_in_several_measures_stand_beside_each_other_without_a_line() -> None:
    measures = ("precision", "recall", "f05")
    paper = paper_gains("taslp2020:IV", measures=measures)
    noisy = paper[paper.method == "backtrans_noisy"].set_index("measure").gain
    assert dict(noisy) == pytest.approx({"P": 41.7 - 45.2, "R": 31.2 - 22.7, "F0.5": 39.1 - 37.7})
    ours = paper.assign(study="this study", gain=1.0, low=0.5, high=1.5, at_the_floor=False)
    left, right = figures.gains(
        pd.concat([ours, paper]), "measure", "", "What was found", [1]
    ).figure.axes
    assert [text.get_text() for text in right.get_xticklabels()] == ["P", "R", "F0.5"]
    assert left.get_ylabel() == "gain (points)"
    places = {line.get_label(): line.lines[0] for line in right.containers}
    assert places["Noisy back-translation"].get_linestyle() == "None"
    assert len({tuple(line.get_xdata()) for line in places.values()}) == len(places), (
        "methods stand side by side"
    )


# Tables


def test_marks_stand_behind_the_measures_they_speak_of() -> None:
    table = summarise(scores({("none", 1): 0.3, ("realistic", 1): 0.4}), ["method"])
    cells = comparison(table, ["method"], "", None, {("realistic",): {"recall": " *"}}).data
    assert list(cells["this study", "R"]) == ["30.0", "40.0 *"]
    assert list(cells["this study", "P"]) == ["30.0", "40.0"]


def test_texts_of_cells_and_captions_are_escaped() -> None:
    html = styled(
        pd.DataFrame({"a": ["p < 0.001"], "b": ["<b>"], "<img src=x>": [1]}), "p < 0.05"
    ).to_html()
    assert "<img" not in html
    assert "p &lt; 0.001" in html
    assert "&lt;b&gt;" in html
    assert "p &lt; 0.05" in html


@pytest.mark.parametrize(
    "text", ["=1+1", "+train", "-x", "-2+3+cmd|' /C calc'!A0", "@sum(A1)", "\t=1", "+1(A)"]
)
def test_a_text_that_a_spreadsheet_would_compute_is_quoted(text: str) -> None:
    assert as_csv(pd.DataFrame({text: [text]})).decode().count(f"'{text}") == 2


def test_numbers_of_a_csv_are_not_quoted() -> None:
    cells = {
        "a": [-1.5, 2],
        "b": [-1, None],
        "c": ["+2.1 [-0.4, +4.6] *", "-3"],
        "d": ["a=b", "1-2"],
    }
    assert "'" not in as_csv(pd.DataFrame(cells)).decode()


def test_the_same_table_has_the_same_bytes_each_time() -> None:
    def made(first: str) -> StyledTable:
        return styled(pd.DataFrame({"a": [first, "y"], "b": ["1.0", "2.0"]}), "caption")

    assert made("x").to_html() == made("x").to_html()
    assert repr(made("x")) == repr(made("x"))
    assert (
        re.findall("T_[0-9a-f]+", made("x").to_html())[0]
        != re.findall("T_[0-9a-f]+", made("z").to_html())[0]
    )
    assert repr(made("x")).split() == ["a", "b", "x", "1.0", "y", "2.0"]
