"""Tables, figures and sentences about results, held against their definitions on small tables made
by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from pandas.errors import MergeError

from pseudogec.artefacts.errors import UserError
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.report import Report, figures, findings
from pseudogec.report.display import LEARNT_NOTHING
from pseudogec.report.markup import marked_edits, marked_operations
from pseudogec.report.papers import paper_datasets, paper_gains, paper_scores
from pseudogec.report.tables import beside_paper, comparison, noise_profiles, summarise
from pseudogec.study import Study

PAPER_NAMES = {"simple": "simplewiki", "newswire": "gigaword"}


def row(method: str, seed: int, f05: float, **changes: Any) -> dict[str, Any]:
    """One line of tidy scores; precision and recall follow F0.5 at a distance."""
    genuine = method == "none"
    values = {
        "method": method,
        "seed_corpus": "" if genuine else "simple",
        "setting": "baseline" if genuine else "joint",
        "pseudo_pairs": 0 if genuine else 4000,
        "upsample": 1,
        "parameters": "",
        "seed": seed,
        "dataset": "test",
        "precision": f05 + 0.1,
        "recall": f05 - 0.1,
        "f05": f05,
        "signature": "errant|v:3",
    }
    return {**values, **changes}


@pytest.fixture
def scores() -> pd.DataFrame:
    """Three seeds of a baseline and of a method that is 2, 4 and 6 points better."""
    baseline = [row("none", seed, 0.30) for seed in (1, 2, 3)]
    return pd.DataFrame(
        [*baseline, *(row("direct_noise", seed, 0.30 + 0.02 * seed) for seed in (1, 2, 3))]
    )


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return Report(Study.open("smoke", store=tmp_path / "store", outputs=tmp_path / "outputs"))


# The paper's numbers


def test_the_papers_baseline_is_as_printed() -> None:
    table = paper_scores("taslp2020:IV").set_index("method")
    assert tuple(table.loc["none", ["precision", "recall", "f05"]]) == (45.2, 22.7, 37.7)
    assert tuple(table.loc["direct_noise", ["precision", "recall", "f05"]]) == (48.3, 25.4, 40.9)
    assert table.loc["none", "pseudo_pairs"] == 0
    assert table.loc["none", "seed_corpus"] == ""


def test_an_unknown_table_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"taslp2020:IX.*emnlp2019:2.*taslp2020:IV"):
        paper_scores("taslp2020:IX")
    with pytest.raises(UserError, match="taslp2020"):
        paper_datasets("acl1999")


def test_published_f05_agrees_with_published_precision_and_recall() -> None:
    table = paper_scores("taslp2020:VI")
    again = 1.25 * table.precision * table.recall / (0.25 * table.precision + table.recall)
    # Rounding, and a mean of F0.5 over seeds, which is not the F0.5 of the means.
    assert (table.f05 - again).abs().max() < 0.3


# Tables


def test_a_summary_is_mean_and_sample_deviation_in_percent(scores: pd.DataFrame) -> None:
    table = summarise(scores, ["method"])
    assert list(table.method) == ["none", "direct_noise"]
    assert list(table.seeds) == [3, 3]
    assert list(table.f05) == pytest.approx([30, 34])
    assert list(table.precision) == pytest.approx([40, 44])
    assert list(table.f05_sd) == pytest.approx([0, 2])  # of 32, 34, 36


def test_the_precision_of_models_that_make_no_edit_does_not_count() -> None:
    """By convention it is 1, which would look like a good score."""
    rows = {
        "method": ["a", "a", "b"],
        "seed": [1, 2, 1],
        "precision": [0.4, 1.0, 1.0],
        "recall": 0.1,
        "f05": 0.2,
    }
    table = summarise(
        pd.DataFrame({**rows, "tp": [4, 0, 0], "fp": [6, 0, 0]}), ["method"]
    ).set_index("method")
    assert table.precision["a"] == pytest.approx(40) and math.isnan(table.precision["b"])


def test_rows_of_the_paper_stand_beside_ours_in_our_order(scores: pd.DataFrame) -> None:
    ours = summarise(scores[::-1], ["method"])
    table = beside_paper(ours, ["method"], "taslp2020:IV", {})
    assert list(table.method) == ["direct_noise", "none", "backtrans_noisy", "direct_noise_spell"]
    assert list(table.paper_f05) == [40.9, 37.7, 39.1, 40.4]
    assert list(table.f05[:2]) == pytest.approx([34, 30])
    assert table.f05[2:].isna().all()


def test_seed_corpora_are_joined_by_what_they_stand_for() -> None:
    ours = [
        row("direct_noise", 1, 0.4, seed_corpus=name) for name in ("simple", "newswire", "blogs")
    ]
    table = beside_paper(
        summarise(pd.DataFrame(ours), ["method", "seed_corpus"]),
        ["method", "seed_corpus"],
        "taslp2020:V",
        PAPER_NAMES,
    )
    assert list(table.seed_corpus[:3]) == ["simple", "newswire", "blogs"]
    assert list(table.paper_f05[:2]) == [40.9, 41.0]
    assert math.isnan(table.paper_f05[2])
    assert list(table.paper_seed_corpus[:2]) == ["simplewiki", "gigaword"]
    shown = comparison(table, ["method", "seed_corpus"], "", "taslp2020:V").data["", "seed corpus"]
    assert list(shown[:3]) == ["simple (paper: simplewiki)", "newswire (paper: gigaword)", "blogs"]
    assert set(shown[3:]) == {"", "wikipedia", "simplewiki", "gigaword"}


@pytest.mark.parametrize("with_baseline", [True, False])
def test_sizes_are_matched_by_rank_whether_or_not_there_is_a_baseline(with_baseline: bool) -> None:
    rows = ["setting", "method", "pseudo_pairs"]
    ours = [
        row("direct_noise", 1, 0.4, setting="pretrain", pseudo_pairs=pairs)
        for pairs in (4000, 40_000)
    ]
    if with_baseline:
        ours = [row("none", 1, 0.3), *ours]
    table = beside_paper(summarise(pd.DataFrame(ours), rows), rows, "taslp2020:VI", {})
    found = table[table.f05.notna() & (table.method == "direct_noise")]
    assert list(found.pseudo_pairs) == [4000, 40_000]
    assert list(found.paper_pseudo_pairs) == [1_400_000, 14_000_000]
    assert list(found.paper_f05) == [39.1, 42.0]
    assert len(table) == len(paper_scores("taslp2020:VI"))
    # A row that the paper alone has is named by the paper's size.
    shown = comparison(table, rows, "", "taslp2020:VI").data["", "pseudo pairs"]
    assert shown.iloc[-1] == "14,000,000"


def test_a_published_table_that_needs_more_columns_is_refused(scores: pd.DataFrame) -> None:
    with pytest.raises(MergeError):
        beside_paper(summarise(scores, ["method"]), ["method"], "taslp2020:VI", {})
    with pytest.raises(KeyError, match="upsample"):
        beside_paper(summarise(scores, ["upsample"]), ["upsample"], "taslp2020:VI", {})


def bold_cells(html: str) -> list[str]:
    """Texts of the cells that the style sheet of a styled table prints in bold."""
    rule = next((part for part in re.findall(r"([^{}]*)\{[^}]*font-weight: bold", html)), "")
    names = re.findall(r"#(T_\w+?_row\d+_col\d+)", rule)
    return [re.findall(rf'id="{name}"[^>]*>([^<]*)<', html)[0] for name in names]


def test_the_best_of_each_column_is_bold_and_the_caption_is_kept(scores: pd.DataFrame) -> None:
    table = beside_paper(summarise(scores, ["method"]), ["method"], "taslp2020:IV", {})
    html = comparison(table, ["method"], "How it came about.", "taslp2020:IV").to_html()
    assert "How it came about." in html
    assert "Spelling confusions" in html
    assert "Kiyono et al. 2020, table IV" in html
    assert sorted(bold_cells(html)) == sorted(
        ["44.0", "24.0", "34.0 ± 2.0", "48.3", "31.2", "40.9"]
    )


# Sentences


def test_nearness_is_a_rank_correlation_of_distance_and_score() -> None:
    distances = {"realistic": 0.3, "backtrans": 0.4, "random": 0.5, "direct_noise": 0.8}
    falling = zip(distances, (0.4, 0.3, 0.2, 0.1), strict=True)
    table = pd.DataFrame([row(method, 1, value) for method, value in falling])
    assert "over 4 methods: **-1.00**" in findings.nearness(distances, table)
    assert "too few" in findings.nearness({"realistic": 0.3}, table)
    assert "the same mean" in findings.nearness(distances, table.assign(f05=0.0))


def test_a_sweep_over_two_parameters_is_refused(scores: pd.DataFrame) -> None:
    points = {(2, 0.0): 0.30, (2, 6.0): 0.31, (5, 0.0): 0.36, (5, 6.0): 0.33}
    table = pd.DataFrame(
        [
            row("backtrans_noisy", 1, f05, beam=beam, beta_random=beta, system=f"{beam} {beta}")
            for (beam, beta), f05 in points.items()
        ]
    )
    baseline = scores[scores.method == "none"]
    with pytest.raises(UserError, match="beta_random"):
        figures.sweep(table, "beta_random", "beta", baseline, {})


# Noise profiles


def test_a_profile_counts_operations_and_leaves_out_what_was_marked_but_not_corrected() -> None:
    genuine = {
        "tokens": 50,
        "edits": 10,
        "types": {"M:DET": 4, "R:VERB:SVA": 3, "U:PREP": 2, "UNK": 1},
    }
    table = noise_profiles(
        {"direct_noise": {"tokens": 10, "edits": 5, "types": {"R:OTHER": 5}}}, genuine
    ).set_index("method")
    columns = ["edits per token", "missing", "replacement", "unnecessary"]
    assert list(table.loc["genuine", columns]) == pytest.approx([9 / 50, 4 / 9, 3 / 9, 2 / 9])
    assert list(table.loc["Direct noise", columns]) == pytest.approx([0.5, 0, 1, 0])
    assert table.loc["genuine", "distance to genuine"] == 0
    assert table.loc["Direct noise", "distance to genuine"] == pytest.approx(1)


def test_type_shares_are_of_each_texts_own_edits() -> None:
    genuine = {"tokens": 50, "edits": 10, "types": {"M:DET": 4, "U:DET": 2, "R:NOUN": 3, "UNK": 1}}
    mine = {"tokens": 10, "edits": 4, "types": {"R:NOUN": 1, "R:OTHER": 3}}
    axes = figures.noise_types({"mine": mine}, genuine, most=2).figure.axes[0]  # type: ignore[union-attr]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["DET", "NOUN", "all others"]
    assert [bar.get_width() for bar in axes.containers[0]] == pytest.approx([0, 25, 75])
    assert list(axes.lines[0].get_xdata()) == pytest.approx([200 / 3, 100 / 3, 0]), (
        "the learners' shares"
    )


# Markup


def test_text_is_escaped() -> None:
    shown = marked_operations([("<b>", [("keep", "<i>", "<i>"), ("replace", "a&b", "<u>")])])
    assert "&lt;b&gt;" in shown
    assert "&lt;i&gt;" in shown
    assert "<s>a&amp;b</s>" in shown
    assert not {"<b>", "<i>", "<u>"} & set(shown.replace("<", " <").replace(">", "> ").split())
    assert "&lt;x&gt;" in marked_edits([("A", AnnotatedSentence(("<x>",), {}))])


def test_edits_are_marked_in_place() -> None:
    edits = (Edit(3, 3, "to", "M:PREP"), Edit(1, 2, "goes", "R:VERB:SVA"), Edit(4, 5, "", "U:DET"))
    shown = marked_edits(
        [("B", AnnotatedSentence(("He", "go", "often", "the", "the", "school"), {0: edits}))]
    )
    plain = re.sub(r"<(?!/?s>|/?sub>)[^>]*>", "", shown)
    assert plain == (
        "BHe <s>go</s> goes <sub>R:VERB:SVA</sub> often to <sub>M:PREP</sub> the "
        "<s>the</s> <sub>U:DET</sub> school"
    )


# Figures


def test_shares_of_error_types_are_of_each_level() -> None:
    edits = pd.DataFrame(
        {"level": ["A"] * 4 + [""] * 2, "error_type": ["DET", "DET", "DET", "NOUN", "NOUN", "VERB"]}
    )
    axes = figures.error_types_by_level(edits, most=2).figure.axes[0]
    unknown, beginners = ([bar.get_height() for bar in container] for container in axes.containers)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["DET", "NOUN"]
    assert beginners == pytest.approx([75, 25])
    assert unknown[-1] == pytest.approx(50)


def test_a_sweep_has_a_point_for_each_value_and_a_dot_for_each_model(scores: pd.DataFrame) -> None:
    points = [(0.5, 1, 0.35), (0.5, 2, 0.37), (0.1, 1, 0.30), (0.1, 2, 0.34)]
    swept = pd.DataFrame(
        [row("direct_noise", seed, f05, mu_mask=value) for value, seed, f05 in points]
    )
    baseline = scores[scores.method == "none"]
    axes = figures.sweep(swept, "mu_mask", "mu", baseline, {"Kiyono et al. 2020": 0.3}).figure.axes[
        0
    ]
    line = next(line for line in axes.lines if line.get_label() == "Direct noise")
    assert list(line.get_xdata()) == [0.1, 0.5]
    assert list(line.get_ydata()) == pytest.approx([32, 36])
    dots = [(0.5, 35), (0.5, 37), (0.1, 30), (0.1, 34)]
    assert [tuple(place) for place in axes.collections[0].get_offsets()] == [
        pytest.approx(dot) for dot in dots
    ]
    labels = axes.get_legend_handles_labels()[1]
    assert set(labels) == {"Direct noise", "Baseline", "best in Kiyono et al. 2020"}


def test_a_line_for_each_method_and_the_baseline_over_all_sizes(scores: pd.DataFrame) -> None:
    ours = [
        row(method, 1, pairs / 1e5, pseudo_pairs=pairs)
        for method in ("direct_noise", "mine")
        for pairs in (8000, 1000)
    ]
    table = pd.concat([pd.DataFrame(ours), scores[scores.method == "none"]])
    axes = figures.against_size(table, "pseudo_pairs", "pseudo pairs").figure.axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert set(lines) == {"Direct noise", "mine", "Baseline"}
    assert list(lines["mine"].get_xdata()) == [1000, 8000]
    assert list(lines["mine"].get_ydata()) == pytest.approx([1, 8])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1,000", "8,000"]
    assert list(lines["Baseline"].get_ydata()) == pytest.approx([30, 30])


# The report of a study


def test_a_figure_is_kept_as_png_and_svg_with_the_same_bytes_each_time(
    report: Report, scores: pd.DataFrame
) -> None:
    folder = report.study.outputs / "figures"

    def draw() -> None:
        report.figure(
            figures.against_size(
                scores.assign(pseudo_pairs=1000 * scores.seed), "pseudo_pairs", "pairs"
            ),
            "sizes",
        )

    draw()
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    draw()
    assert set(first) == {"sizes.csv", "sizes.png", "sizes.svg"}
    assert first["sizes.png"].startswith(b"\x89PNG")
    assert b"<svg" in first["sizes.svg"]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first


def test_a_figure_of_one_s_own_is_kept_too(report: Report) -> None:
    figure, axes = plt.subplots()
    axes.plot([1, 2])
    report.figure(figures.Picture(figure), "mine")
    assert {path.name for path in (report.study.outputs / "figures").glob("mine.*")} == {
        "mine.png",
        "mine.svg",
    }


def test_a_loss_is_flat_if_the_last_quarter_of_its_stage_hardly_lowers_it() -> None:
    def points(system: str, stage: int, losses: Mapping[int, float]) -> pd.DataFrame:
        choices = {
            "system": system,
            "method": "mine",
            "setting": "joint",
            "pseudo_pairs": 1,
            "architecture": "default",
            "seed": 1,
        }
        rows = [
            {**choices, "stage": stage, "update": n, "passes": n / 100, "loss": loss}
            for n, loss in losses.items()
        ]
        return pd.DataFrame(rows)

    falling = points("falling", 1, {100: 9.0, 200: 5.0}), points("falling", 2, {300: 1.0, 600: 0.9})
    # The losses of checkpoints go up and down
    waves = {100: 3.0, 200: 2.5, 300: 1.0, 325: 0.98, 350: 1.02, 375: 0.98, 400: 1.0}
    # On the line from 0.998 to 0.942
    down = {100: 3.0, 200: 2.5, 300: 1.0, 325: 0.97, 350: 1.0, 375: 0.93, 400: 0.95}
    ends = [
        points("flat", 1, {300: 2.0, 400: 1.99}),
        points("waving", 1, waves),
        points("waving down", 1, down),
    ]
    ends += [points("rising", 1, {300: 2.0, 400: 2.1})]
    curves = pd.concat([*falling, *ends, points("once", 1, {400: 1.0})])
    text = findings.at_the_end(curves, figures.names_of_curves(curves))
    falls = "still falling at its end: falling (-10.0%), waving down (-5.6%)"
    others = "flat: flat (-0.5%), waving (+0.0%); rising again: rising (+5.0%)"
    assert text.startswith(f"**Here**, validation loss is {falls}; {others}. ")
    [axes] = figures.learning_curves(curves).figure.axes  # type: ignore[union-attr]
    assert {line.get_label(): list(line.get_ydata()) for line in axes.lines}["falling"] == [
        1.0,
        0.9,
    ], "of the last stage alone"
    assert len(axes.lines) == 6


def test_rankings_of_two_runs_are_compared_over_the_methods_of_both() -> None:
    ours = {"none": 0.2, "direct_noise": 0.3, "backtrans": 0.4, "realistic": 0.5, "mine": 0.9}
    same = {"none": 1, "direct_noise": 2, "backtrans": 3, "realistic": 4, "as written": 0}
    text = findings.rank_agreement(ours, same, "other")
    assert (
        "over 4 systems" in text
        and ("**+1.00** (exact *p* = 0.083; the least that 4 can have is 0.083)") in text
    )
    assert text.endswith("in `other` Realistic noise > Back-translation > Direct noise > Baseline.")
    assert "no rank correlation" in findings.rank_agreement(ours, dict.fromkeys(same, 1), "other")
    # One pair of six turned
    assert "**+0.67**" in findings.rank_agreement(
        ours, {**same, "none": 2, "direct_noise": 1}, "other"
    )
    assert "too few" in findings.rank_agreement(ours, {"none": 1}, "other")


def test_gains_are_drawn_where_none_of_the_paper_s_methods_is_compared() -> None:
    row = {
        "method": "my_method",
        "gain": 1.0,
        "low": 0.5,
        "high": 1.5,
        "clear": True,
        "at_the_floor": False,
    }
    picture = figures.gains_over_baseline(pd.DataFrame([row]), paper_gains("taslp2020:IV"))
    assert isinstance(picture, figures.Picture)
    assert list(picture.data.method) == ["my_method"]


def test_models_that_learnt_nothing_have_no_figure() -> None:
    gain = {
        "method": "direct_noise",
        "gain": 0.0,
        "low": -0.1,
        "high": 0.1,
        "clear": False,
        "at_the_floor": True,
    }
    said = figures.gains_over_baseline(pd.DataFrame([gain]), paper_gains("taslp2020:IV"))
    assert said == LEARNT_NOTHING
