"""Systems of several steps: what a profile may say, how they are planned, and what they share."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from helpers.building import make
from pseudogec.artefacts import Store
from pseudogec.artefacts.files import read_lines
from pseudogec.corpora import part_of_each
from pseudogec.correct import (
    EditReranking,
    Models,
    RightToLeft,
    Spelling,
    TypeDropping,
    UnknownWords,
)
from pseudogec.study import PROJECT, Planner, load_profile
from pseudogec.study.corpora import SplitCorpus
from pseudogec.study.grid import Pipeline, System
from pseudogec.study.models import BinarisedPairs, Mirrored, TrainedModel
from pseudogec.study.planning import pipelines
from pseudogec.study.pseudo_data import NoisedData

CLASSROOM = PROJECT / "params" / "classroom.yaml"


@pytest.fixture(scope="module")
def planner() -> Planner:
    return Planner(load_profile(CLASSROOM), PROJECT)


def steps(planner: Planner, name: str, seed: int = 0) -> tuple:
    return planner.correction(Pipeline(name=name, seed=seed), "classroom-test").steps


def test_a_system_of_one_model_exists_for_each_seed_and_an_ensemble_once(planner: Planner) -> None:
    assert [system.seed for system in pipelines(planner.profile, "pretlarge")] == list(
        planner.profile.seeds
    )
    assert [system.seed for system in pipelines(planner.profile, "pretlarge+sse+r2l")] == [0]


def test_a_single_model_is_the_same_work_as_in_a_grid(planner: Planner) -> None:
    choice = planner.profile.models["pretlarge"]
    system = System(**choice.model_dump(), noise=planner.profile.methods.get(choice.method), seed=2)
    assert planner.correction(
        Pipeline(name="pretlarge", seed=2), "classroom-test"
    ) == planner.correction(system, "classroom-test")


def test_steps_come_in_their_order_and_systems_share_the_first_ones(planner: Planner) -> None:
    whole = steps(planner, "+type dropping")
    assert [type(correction.step) for correction in whole] == [
        Spelling,
        Models,
        UnknownWords,
        EditReranking,
        TypeDropping,
    ]
    assert steps(planner, "spellcheck+ensemble") == whole[:2]
    assert whole[0].before is None and whole[1].before == whole[0]


def test_ranking_is_by_models_of_the_same_data_read_from_right_to_left(planner: Planner) -> None:
    forwards, backwards = steps(planner, "pretlarge+sse+r2l")
    assert isinstance(forwards.step, Models) and isinstance(backwards.step, RightToLeft)
    assert forwards.step.n_best == 5
    assert (len(forwards.needs["models"]), len(backwards.needs["models"])) == (3, 1)
    for ordinary, mirrored in zip(
        forwards.needs["models"], backwards.needs["models"], strict=False
    ):
        while True:
            assert isinstance(ordinary, TrainedModel) and isinstance(mirrored, TrainedModel)
            assert all(isinstance(data, Mirrored) for data in (*mirrored.data, mirrored.validation))
            assert [data.data for data in mirrored.data] == list(ordinary.data)
            if ordinary.initial is None:
                break
            ordinary, mirrored = ordinary.initial, mirrored.initial
        assert mirrored.initial is None


def test_what_is_tuned_is_tuned_on_development_data_and_never_on_a_test_set(
    planner: Planner,
) -> None:
    tuned = ("spellcheck+ensemble", "+type dropping", "pretlarge+sse+r2l+sed")
    searches = [steps(planner, name)[-1].needs["found"] for name in tuned]
    for search in searches:
        assert search.references.corpus == planner.development
        for step in search.before.steps:
            assert step.corpus == planner.development
    assert planner.development not in planner.tests.values()


def test_the_low_resource_track_knows_no_genuine_pair_but_those_of_its_own(
    planner: Planner,
) -> None:
    choice = planner.profile.models["low_resource"]
    model = planner.model(
        System(**choice.model_dump(), noise=planner.profile.methods.get(choice.method), seed=1)
    )
    copying = True
    stages = []
    stage: TrainedModel | None = model
    while stage is not None:
        stages.append(stage)
        stage = stage.initial
    for stage in reversed(stages):
        for data in stage.data:
            if isinstance(data, BinarisedPairs) and not copying:
                assert isinstance(data.corpus, SplitCorpus) and data.corpus.part == "training"
            if isinstance(data, NoisedData):
                assert isinstance(data.genuine, SplitCorpus)
                assert data.references is not None and data.references.corpus == data.genuine
        if not copying:
            assert isinstance(stage.validation, BinarisedPairs) and isinstance(
                stage.validation.corpus, SplitCorpus
            )
        copying = False


def test_a_split_of_rewrites_keeps_all_references(tmp_path: Path) -> None:
    names = ("src", "ref0", "ref1")
    for name in names:
        (tmp_path / name).write_text("".join(f"{name} {number} .\n" for number in range(8)))
    jfleg = {"source": "jfleg", "files": [str(tmp_path / name) for name in names]}
    split = (
        Planner(load_profile(CLASSROOM, [f"corpora.development={jfleg}"]), tmp_path)
        .tracks["low_resource"]
        .genuine
    )
    store = Store(tmp_path / "store")
    make(store, split)
    files = [
        list(read_lines(store.folder(split) / f"{name}.txt"))
        for name in ("source", "reference0", "reference1")
    ]
    assert len(files[0]) == 6, "three of four sentences"
    for sides in zip(*files, strict=True):
        assert [side.split()[0] for side in sides] == list(names)
        assert len({side.split()[1] for side in sides}) == 1


def test_a_split_keeps_the_proportions_of_levels() -> None:
    levels = ["A"] * 100 + ["B"] * 60 + ["C"] * 20
    drawn = part_of_each(levels, 0.75, seed=1)
    assert Counter(levels[place] for place in drawn) == {"A": 75, "B": 45, "C": 15}
    assert drawn == part_of_each(levels, 0.75, seed=1) != part_of_each(levels, 0.75, seed=2)


def test_an_encoder_is_known_by_its_files(tmp_path: Path) -> None:
    def planned() -> object:
        gate = f"{{step: error_detection, threshold: 0.5, hugging_face: {tmp_path}}}"
        profile = load_profile(CLASSROOM, [f"systems.pretlarge.steps=[{{step: spelling}}, {gate}]"])
        return (
            Planner(profile, PROJECT)
            .correction(pipelines(profile, "pretlarge")[0], "classroom-test")
            .key
        )

    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes(b"one")
    before = planned()
    assert planned() == before
    (tmp_path / "model.safetensors").write_bytes(b"other")
    assert planned() != before
