"""Profiles: what is accepted, what is refused, and whether the message says where and what would be
right.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.report.trainings import stages_table
from pseudogec.study import PROJECT, Study, load_profile
from pseudogec.study.grid import expand

CLASSROOM = PROJECT / "params" / "classroom.yaml"
ALL_PROFILES = sorted({*(PROJECT / "params").glob("*.yaml")} - {PROJECT / "params" / "design.yaml"})


@pytest.mark.parametrize("path", ALL_PROFILES, ids=lambda path: path.stem)
def test_every_profile_that_we_ship_is_valid(path: Path) -> None:
    profile = load_profile(path)
    assert profile.name == path.stem
    for axes in profile.grids.values():
        assert len(expand(axes, profile.methods, profile.seeds)) > 0
    for notebook in profile.notebooks:
        assert (PROJECT / "notebooks" / f"{notebook}.ipynb").is_file()


def test_a_profile_holds_only_what_differs_from_the_one_it_extends(tmp_path: Path) -> None:
    child = tmp_path / "child.yaml"
    child.write_text("extends: classroom\nseeds: [7]\ncorpora: {genuine: {sentences: 11}}\n")
    parent, profile = load_profile(CLASSROOM), load_profile(child, library=CLASSROOM.parent)
    assert profile.seeds == (7,)
    assert profile.corpora.genuine.sentences == 11
    assert profile.corpora.seeds == parent.corpora.seeds
    assert profile.optimisations == parent.optimisations


def test_an_override_changes_one_key() -> None:
    profile = load_profile(CLASSROOM, ["corpora.genuine.sentences=123", "seeds=[5, 6]"])
    assert profile.corpora.genuine.sentences == 123
    assert profile.seeds == (5, 6)


def test_an_override_does_not_change_what_yaml_writes_as_the_same() -> None:
    """`reverse: *joint` in `smoke`: the reverse model may get a length of its own."""
    smoke = CLASSROOM.parent / "smoke.yaml"
    changed, plain = (
        load_profile(smoke, overrides).optimisations
        for overrides in (["optimisations.reverse.updates=3"], [])
    )
    assert changed["reverse"].updates == 3
    assert changed["joint"] == plain["joint"] == plain["reverse"]


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("architecure={}", ["architecure", "`architecture`"]),
        ("corpora.genuine.sentence=3", ["corpora.genuine", "sentence", "`sentences`"]),
        ("architecture.dropout=1.5", ["architecture.dropout", "1.5"]),
        ("seeds=[]", ["seeds"]),
        (
            "systems.x.steps=[{step: models, models: [a], nbest: 2}]",
            ["systems.x.steps.0.nbest", "`n_best`"],
        ),
        ("seeds=[1, 2, 1]", ["seeds", "1"]),
        ("seeds=[0]", ["seeds", "0"]),
        ("name=../evil", ["name", "'../evil'"]),
        ("seeds=2024-13-45", ["--set seeds=2024-13-45"]),
        (
            "grids.generation_methods.method=[direct_nose]",
            ["grids.generation_methods", "`direct_noise`"],
        ),
        ("grids.generation_methods.pseudo_pairs=7", ["grids.generation_methods.pseudo_pairs", "7"]),
        ("grids.generation_methods.seed_corpus=everyda", ["seed_corpus `everyda`", "`everyday`"]),
        ("settings.joint=[{data: [genuine], optimisation: jont}]", ["settings.joint", "`joint`"]),
        (
            "notebooks.01_generation_methods=[mu_musk]",
            ["notebooks.01_generation_methods", "`mu_mask`"],
        ),
        ("corpora.genuine.source=clasroom", ["corpora.genuine", "classroom"]),
        ("reverse_model=[{data: [pseudo], optimisation: joint}]", ["reverse_model"]),
        ("models.pretlarge.method=none", ["models.pretlarge", "`method`"]),
        (
            "first_stages=[{data: [in_domain], optimisation: joint}]",
            ["in_domain", "`low_resource`"],
        ),
        ("grids.generation_methods.baseline=joint", ["grids.generation_methods.baseline"]),
        ("grids.generation_methods.also=[{metod: none}]", ["also.0.metod", "`method`"]),
        ("scale.bas=12000", ["--set scale.bas=12000", "scale.bas", "`base`"]),
        ("grids.generation_methods.pseudo_pairs=$bas", ["generation_methods.pseudo_pairs", "$bas"]),
        ("scale.base=501", ["scale.base", "pseudo_data.shard"]),
        ("scale.base=$base", ["classroom.yaml", "stands for itself"]),
        ("optimisations={}", ["there is no optimisation"]),
        ("name=..", ["name", "pattern"]),
        (f"name={'x' * 300}", ["name", "100 characters"]),
        ("decoding.beam=1000000", ["decoding.beam", "100"]),
        ("scale.base=25000000", ["scale.base", "10,000 shards", "pseudo_data.shard"]),
        ("novalue", ["--set novalue", "key=value"]),
        ("seeds.first=3", ["seeds"]),
    ],
)
def test_what_is_wrong_is_refused_with_file_key_and_what_would_be_right(
    override: str, words: list[str]
) -> None:
    with pytest.raises(UserError) as caught:
        load_profile(CLASSROOM, [override])
    for word in words:
        assert word in str(caught.value)


MINE = """\
extends: smoke
description: several mistakes
corpora:
  seeds:
    replace: true
    mine: {source: plain, files: text.txt}
pseudo_data: {shard: 20000}
scale: {base: 500, seed_corpus: mine}
grids:
  mine:
    method: [none, direct_nose]
    seed_corpus: simpel
    setting: jont
    also:
      - {architecture: cpy}
notebooks: {00_data: [mine, nine]}
"""


def test_all_mistakes_are_told_at_once_each_with_its_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MINE)
    with pytest.raises(UserError) as caught:
        load_profile(path, library=CLASSROOM.parent)
    told = str(caught.value).splitlines()
    for line, key in (
        (8, "scale.base"),
        (11, "grids.mine.method.1"),
        (12, "grids.mine.seed_corpus"),
        (13, "grids.mine.setting"),
        (15, "grids.mine.also.0.architecture"),
        (16, "notebooks.00_data.1"),
    ):
        assert sum(said.startswith(f"{path}, line {line}: {key}: ") for said in told) == 1, (
            line,
            key,
        )
    assert len(set(told)) == len(told)


def test_a_name_that_another_file_uses_is_told_with_its_place(tmp_path: Path) -> None:
    """Own seed corpora take away the one that the comparisons of another profile name."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        "extends: smoke\ncorpora:\n  seeds: {replace: true, mine: {source: plain, "
        "files: text.txt}}\n"
    )
    with pytest.raises(UserError) as caught:
        load_profile(path, library=CLASSROOM.parent)
    [told] = [
        said for said in str(caught.value).splitlines() if "grids.mu_mask.seed_corpus" in said
    ]
    classroom = CLASSROOM.parent / "classroom.yaml"
    line = classroom.read_text().partition("  mu_mask:")[0].count("\n") + 1
    assert told.startswith(f"{classroom}, line {line}: ")
    assert "mine" in told


def test_an_amount_of_the_scale_is_said_once() -> None:
    profile = load_profile(CLASSROOM, ["scale.base=12000"])
    assert profile.grids["joint_vs_pretrain"].pseudo_pairs == (12000, 8000)
    assert profile.grids["curricula"].pseudo_pairs == (12000,)
    assert profile.models["pretlarge"].pseudo_pairs == 12000


def test_null_removes_and_replace_replaces_what_is_extended(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "extends: classroom\ncomparisons: {top_systems: null}\n"
        "corpora: {genuine: {replace: true, source: m2, files: [a.m2]}}\nnotebooks: {replace: "
        "true, 00_data: []}\n"
    )
    profile = load_profile(path, library=CLASSROOM.parent)
    assert "top_systems" not in profile.comparisons and "spelling" in profile.comparisons
    assert profile.corpora.genuine.name == "m2"
    assert list(profile.notebooks) == ["00_data"]


def test_a_changed_copy_of_a_profile_leaves_the_results_of_the_profile_alone(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "smoke.yaml"
    copy.write_text("extends: classroom\nseeds: [9]\n")
    opened = {
        name: Study.open(name, store=tmp_path / "store").outputs.name
        for name in (str(copy), "smoke")
    }
    assert list(opened.values()) == ["smoke-changed", "smoke"]


def test_a_data_folder_that_is_named_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("extends: learners\ndata_folder: nowhere\n")
    for profile, overrides in (
        ("learners", ["data_folder=/nope"]),
        ("learners", ["data_folder=nope"]),
        (tmp_path / "mine.yaml", []),
    ):
        with pytest.raises(UserError, match=r"data_folder: .*(/nope|nowhere)"):
            Study.open(profile, overrides, store=tmp_path / "store", packs=True)
    assert not (tmp_path / "store").exists()
    # Nobody named one, so the pack is read
    Study.open("learners", store=tmp_path / "store", packs=True)


def test_a_missing_profile_offers_the_nearest_name() -> None:
    with pytest.raises(DataError, match="classroom"):
        load_profile(PROJECT / "params" / "clasroom.yaml")


def test_broken_yaml_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("seeds: [1, 2\ncorpora: {}\n")
    with pytest.raises(DataError) as caught:
        load_profile(path)
    assert caught.value.line == 2
    assert "broken.yaml" in str(caught.value)


def test_a_key_that_is_there_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "extends: smoke\ngrids:\n  mine: {method: none}\nseeds: [1]\ngrids:\n  other: "
        "{method: none}\n"
    )
    with pytest.raises(DataError, match=r"mine\.yaml, line 5: .*`grids`"):
        load_profile(path, library=CLASSROOM.parent)


def test_parts_of_a_grid_replace_what_they_name() -> None:
    profile = load_profile(
        CLASSROOM,
        [
            "grids.generation_methods={method: [none, direct_noise], seed_corpus: everyday, setting: "
            "joint, pseudo_pairs: 6000, "
            "seeds: [1, 2], also: [{method: realistic, seeds: 1}, {setting: pretrain, baseline: "
            "baseline}]}"
        ],
    )
    grid = expand(profile.grids["generation_methods"], profile.methods, profile.seeds)
    assert [(system.name, system.seed) for system in grid] == [
        ("baseline", 1),
        ("baseline", 2),
        ("joint/direct_noise/everyday/6000", 1),
        ("joint/direct_noise/everyday/6000", 2),
        ("joint/realistic/everyday/6000", 1),
        ("pretrain/direct_noise/everyday/6000", 1),
        ("pretrain/direct_noise/everyday/6000", 2),
    ]


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"metod": "none"}, "grid.metod.*`method`"),
        ({"also": [{"seeds": "one"}]}, "grid.also.0.seeds.0"),
    ],
)
def test_wrong_axes_in_a_notebook_are_refused_with_their_place(
    axes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        Study.open("smoke", store=tmp_path).grid("generation_methods", **axes)


def test_the_stages_of_a_profile_are_shown_as_a_table() -> None:
    table = stages_table(
        load_profile(PROJECT / "params" / "paper.yaml"),
        ["joint_upsample", "pretrain", "pretrain_joint"],
    )
    assert list(table.setting) == [
        "joint_upsample",
        "pretrain",
        "pretrain",
        "pretrain_joint",
        "pretrain_joint",
    ]
    assert list(table.stage) == [1, 1, 2, 1, 2]
    assert list(table["trained on"])[:3] == ["genuine, repeated + pseudo", "pseudo", "genuine"]
    assert table["trained on"].iloc[-1] == "genuine + 240,000 of direct_noise"
    assert list(table.length)[:3] == ["40 epochs", "10 epochs", "30 epochs"]
    assert list(table["learning rate"])[2] == "3e-05"
    assert list(table.kept)[:3] == ["mean of the last 20", "last", "best on validation"]
