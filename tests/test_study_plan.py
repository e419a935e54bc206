"""Plans: what a study takes before it is begun, against counting by hand."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from artefacts import Estimator, Machine, load_machine, with_ancestors
from artefacts.errors import DataError
from artefacts.plan import make_plan
from artefacts.recipe import Recipe
from pseudogec.commands.run_all import main
from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.study import Study
from shipped_profiles import SHIPPED

MACHINE = Machine(gpus=8, cores=8)  # type: ignore[call-arg]  # pydantic fills the defaults


def targets(profile: str, *overrides: str, store: Path) -> tuple[Study, list[Recipe]]:
    study = Study.open(profile, overrides, store=store, without_data=True)
    grids = dict.fromkeys(name for names in study.profile.notebooks.values() for name in names)
    return study, [recipe for name in grids for recipe in study.recipes(name)]


def longest(recipe: Recipe, seconds: dict[str, float]) -> float:
    """By trying all ways up; for small studies."""
    return seconds[recipe.key] + max((longest(parent, seconds) for parent in recipe.parents), default=0.0)


def test_a_plan_counts_every_artefact_once_and_the_longest_path_is_the_longest(tmp_path: Path) -> None:
    study, wanted = targets("smoke", store=tmp_path)
    wanted = wanted[:6]
    estimator = Estimator(study.store)
    plan = make_plan(wanted, study.store, estimator, cores=2, gpus=0)
    every = with_ancestors(wanted)
    seconds = {recipe.key: estimator.seconds(recipe) for recipe in every}
    assert sum(kind.artefacts for kind in plan.kinds) == sum(kind.to_do for kind in plan.kinds) == len(every)
    assert plan.cpu_seconds == pytest.approx(sum(seconds.values()))
    assert plan.gpu_seconds == 0
    assert plan.path_seconds == pytest.approx(max(longest(recipe, seconds) for recipe in wanted))
    shared = [one for one in every if sum(one in other.parents for other in every) > 1]
    assert sum(kind.shared for kind in plan.kinds) == len(shared)


def test_time_lies_between_the_longest_path_and_one_worker(tmp_path: Path) -> None:
    study, wanted = targets("smoke", store=tmp_path)
    estimator = Estimator(study.store)
    plans = [make_plan(wanted, study.store, estimator, cores=cores, gpus=0) for cores in (1, 2, 4, 1000)]
    assert plans[0].elapsed == pytest.approx(plans[0].cpu_seconds)
    assert plans[-1].elapsed == pytest.approx(plans[-1].path_seconds)
    for more, plan in itertools.pairwise(plans):
        assert plan.elapsed <= more.elapsed * 1.001
    for plan in plans:
        assert plan.elapsed >= max(plan.path_seconds, plan.cpu_seconds / plan.cores) * 0.999


def test_what_is_in_the_store_is_done_and_its_speed_is_that_of_the_rest(tmp_path: Path) -> None:
    study, wanted = targets("smoke", store=tmp_path)
    corpora = [recipe for recipe in with_ancestors(wanted) if recipe.kind == "corpus"]
    study.store.build(corpora[0], lambda recipe, folder: recipe.build(folder, study.store, lambda *_: None))
    plan = make_plan(wanted, study.store, Estimator(study.store), cores=2, gpus=0)
    kind = next(kind for kind in plan.kinds if kind.kind == "corpus")
    assert (kind.done, kind.to_do) == (1, len(corpora) - 1)
    result = study.store.result(corpora[0])
    rate = result["seconds"] / result["work"]
    assert kind.cpu_seconds == pytest.approx(rate * sum(recipe.work for recipe in corpora[1:]))
    size = sum(file["bytes"] for file in result["files"].values()) / result["work"]
    assert kind.bytes == pytest.approx(size * sum(recipe.work for recipe in corpora[1:]))
    assert plan.measured == pytest.approx(kind.cpu_seconds / plan.cpu_seconds)


def test_what_only_finished_artefacts_were_made_from_is_not_to_be_built_again(tmp_path: Path) -> None:
    study, wanted = targets("smoke", store=tmp_path)
    score = next(recipe for recipe in wanted if recipe.kind == "score")
    study.store.build(score, lambda recipe, folder: {})
    plan = make_plan([score], study.store, Estimator(study.store), cores=2, gpus=0)
    assert sum(kind.done for kind in plan.kinds) == 1
    assert sum(kind.to_do for kind in plan.kinds) == 0 < sum(kind.artefacts for kind in plan.kinds) - 1


@pytest.mark.slow
def test_the_papers_study_has_the_right_order_of_magnitude(tmp_path: Path) -> None:
    """Against figures from elsewhere.

    Ott et al. 2018 train Transformer (big) at about 40,000 pieces a second and V100 in half precision. Ten epochs of 70 million
    pairs of 25 to 35 pieces then take 120 to 170 hours of one such GPU; table VII's two kinds of model with five seeds in the
    usual direction, and four from right to left, alone are 14 such trainings.
    """
    study, wanted = targets("paper", store=tmp_path)
    estimator = Estimator(study.store, MACHINE)
    models = [recipe for recipe in with_ancestors(wanted) if recipe.kind == "model"]
    largest = [recipe for recipe in models if recipe.operations and len(recipe.parents) > 1700]
    trainings = [estimator.seconds(recipe, on_gpu=True) / 3600 for recipe in largest]
    assert 120 * 0.8 <= min(trainings) <= max(trainings) <= 170 * 1.2
    plan = make_plan(wanted, study.store, estimator, cores=8, gpus=8)
    assert plan.gpu_seconds / 3600 > 14 * 120
    assert plan.gpu_seconds / 3600 < 10 * len(largest) * 170
    assert plan.path_seconds < plan.elapsed
    # 70 million pairs of 25 to 35 pieces at two bytes a piece and side, with 12 bytes of index, for each method.
    pairs = sum(kind.bytes for kind in plan.kinds if kind.kind == "pseudo_data")
    assert pairs > 2 * 70e6 * 2 * (25 * 2 + 12)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_profile_can_be_planned_without_its_data(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", name, "--plan", "--store", str(tmp_path / "store"), "--set", f"data_folder={tmp_path}"]) == 0
    printed = capsys.readouterr().out
    assert "Longest path" in printed
    assert "in all" in printed
    assert not list((tmp_path / "store").glob("*/*/result.json"))


def test_a_machines_description_changes_the_plan_and_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "machine.yaml"
    file.write_text("gpus: 64\ncores: 128\ngpu_training: 400\nseconds: {score: 1.5}\n")
    machine = load_machine(file)
    assert (machine.gpus, machine.gpu_training) == (64, 400)
    study, wanted = targets("learners-gpu", store=tmp_path / "store")
    slow, fast = (Estimator(study.store, each) for each in (MACHINE, machine))
    model = next(recipe for recipe in with_ancestors(wanted) if recipe.kind == "model")
    at_work = [each.seconds(model, on_gpu=True) - model.seconds_to_begin for each in (slow, fast)]
    assert at_work[0] == pytest.approx(10 * at_work[1])
    score = next(recipe for recipe in wanted if recipe.kind == "score")
    assert fast.seconds(score) == pytest.approx(1.5 * score.work)
    for content, words in (
        (b"gpu: 3\n", "gpu.*known keys: cores, gpus"),
        (b"gpus: -1\n", "gpus"),
        (b"seconds: {scores: 1}\n", "seconds.*did you mean `score`"),
        (b"seconds: {score: -1}\n", "seconds.score.*greater than or equal to 0"),
        (b"[\n", "not YAML"),
        (b"gpus: \xe9\n", "not valid UTF-8"),
    ):
        file.write_bytes(content)
        with pytest.raises(DataError, match=words):
            load_machine(file)
    file.write_text("gpus: 0\n")
    assert main(["--profile", "paper", "--plan", "--store", str(tmp_path / "store"), "--machine", str(file)]) == 2
    assert "computes in fp16, which needs a GPU" in capsys.readouterr().err


@pytest.mark.skipif(not computes_in_bf16(), reason="this processor cannot compute in bf16")
def test_a_processor_that_computes_in_bf16_needs_no_gpu_for_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = tmp_path / "machine.yaml"
    machine.write_text("gpus: 0\ncores: 2\n")
    plan = ["--plan", "--store", str(tmp_path / "store"), "--machine", str(machine)]
    assert main(["--profile", "smoke", "--set", "optimisations.joint.precision=bf16", *plan]) == 0
    assert "On 2 CPU cores about" in capsys.readouterr().out


def test_a_check_says_what_is_missing_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--check", "--store", str(tmp_path / "store"), "--profile"]
    assert main([*arguments, "smoke"]) == 0
    capsys.readouterr()
    assert main([*arguments, "learners", "--set", f"data_folder={tmp_path}"]) == 1
    assert "A.train.gold.bea19.m2" in capsys.readouterr().out
