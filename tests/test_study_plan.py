"""Plans: what a study takes before it is begun, against counting by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.shipped_profiles import SHIPPED
from pseudogec.artefacts import Estimator, with_ancestors
from pseudogec.artefacts.plan import make_plan
from pseudogec.artefacts.recipe import Recipe
from pseudogec.commands.run_all import main
from pseudogec.study import Study


def targets(profile: str, *overrides: str, store: Path) -> tuple[Study, list[Recipe]]:
    study = Study.open(profile, overrides, store=store, without_data=True)
    grids = dict.fromkeys(name for names in study.profile.notebooks.values() for name in names)
    return study, [recipe for name in grids for recipe in study.recipes(name)]


def longest(recipe: Recipe, seconds: dict[str, float]) -> float:
    """By trying all ways up; for small studies."""
    return seconds[recipe.key] + max(
        (longest(parent, seconds) for parent in recipe.parents), default=0.0
    )


def test_a_plan_counts_every_artefact_once_and_the_longest_path_is_the_longest(
    tmp_path: Path,
) -> None:
    study, wanted = targets("smoke", store=tmp_path)
    wanted = wanted[:6]
    estimator = Estimator(study.store)
    plan = make_plan(wanted, study.store, estimator, cores=2, gpus=0)
    every = with_ancestors(wanted)
    seconds = {recipe.key: estimator.seconds(recipe) for recipe in every}
    for counted in ("artefacts", "to_do"):
        assert sum(getattr(total, counted) for total in plan.totals) == len(every)
    assert sum(total.cpu_seconds for total in plan.totals) == pytest.approx(sum(seconds.values()))
    path = sum(seconds for _, seconds in plan.longest_path)
    assert path == pytest.approx(max(longest(recipe, seconds) for recipe in wanted))
    assert plan.elapsed == pytest.approx(max(path, sum(seconds.values()) / 2))


def test_what_is_in_the_store_is_done_and_its_speed_is_that_of_the_rest(tmp_path: Path) -> None:
    study, wanted = targets("smoke", store=tmp_path)
    corpora = [recipe for recipe in with_ancestors(wanted) if recipe.kind == "corpus"]
    study.store.build(
        corpora[0], lambda recipe, folder: recipe.build(folder, study.store, lambda *_: None)
    )
    plan = make_plan(wanted, study.store, Estimator(study.store), cores=2, gpus=0)
    kind = next(total for total in plan.totals if total.kind == "corpus")
    assert (kind.done, kind.to_do) == (1, len(corpora) - 1)
    result = study.store.result(corpora[0])
    rate = result["seconds"] / result["work"]
    assert kind.cpu_seconds == pytest.approx(rate * sum(recipe.work for recipe in corpora[1:]))
    size = sum(file["bytes"] for file in result["files"].values()) / result["work"]
    assert kind.bytes == pytest.approx(size * sum(recipe.work for recipe in corpora[1:]))


def test_what_only_finished_artefacts_were_made_from_is_not_to_be_built_again(
    tmp_path: Path,
) -> None:
    study, wanted = targets("smoke", store=tmp_path)
    score = next(recipe for recipe in wanted if recipe.kind == "score")
    study.store.build(score, lambda recipe, folder: {})
    plan = make_plan([score], study.store, Estimator(study.store), cores=2, gpus=0)
    assert sum(total.done for total in plan.totals) == 1
    assert (
        sum(total.to_do for total in plan.totals)
        == 0
        < sum(total.artefacts for total in plan.totals) - 1
    )


@pytest.mark.slow
def test_the_papers_study_has_the_right_order_of_magnitude(tmp_path: Path) -> None:
    """Against figures from elsewhere.

    Ott et al. 2018 train Transformer (big) at about 40,000 pieces a second and V100 in half
    precision. Ten epochs of 70 million pairs of 25 to 35 pieces then take 120 to 170 hours of one
    such GPU; table VII's two kinds of model with five seeds in the usual direction, and four from
    right to left, alone are 14 such trainings.
    """
    study, wanted = targets("paper", store=tmp_path)
    estimator = Estimator(study.store)
    models = [recipe for recipe in with_ancestors(wanted) if recipe.kind == "model"]
    largest = [recipe for recipe in models if recipe.operations and len(recipe.parents) > 1700]
    trainings = [estimator.seconds(recipe, on_gpu=True) / 3600 for recipe in largest]
    assert 120 * 0.8 <= min(trainings) <= max(trainings) <= 170 * 1.2
    plan = make_plan(wanted, study.store, estimator, cores=8, gpus=8)
    gpu_hours = sum(total.gpu_seconds for total in plan.totals) / 3600
    assert 14 * 120 < gpu_hours < 10 * len(largest) * 170
    # 70 million pairs of 25 to 35 pieces at two bytes a piece and side, with 12 bytes of index, for
    # each method.
    pairs = sum(total.bytes for total in plan.totals if total.kind == "pseudo_data")
    assert pairs > 2 * 70e6 * 2 * (25 * 2 + 12)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_profile_can_be_planned_without_its_data(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "--profile",
                name,
                "--plan",
                "--store",
                str(tmp_path / "store"),
                "--set",
                f"data_folder={tmp_path}",
            ]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert "Longest path" in printed
    assert "in all" in printed
    assert ("1x to 2x" in printed) == (" GPUs and " in printed)
    assert not list((tmp_path / "store").glob("*/*/result.json"))
