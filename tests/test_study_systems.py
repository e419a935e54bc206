"""Systems of several steps: what a profile may say, how they are planned, and what they share."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from artefacts import Store, missing
from artefacts.errors import UserError
from artefacts.files import read_lines
from pseudogec.corpora import part_of_each
from pseudogec.correct import EditReranking, Models, RightToLeft, Spelling, TypeDropping, UnknownWords
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
    return planner.correction(Pipeline(name=name, seed=seed), "world-test").steps


def test_a_system_of_one_model_exists_for_each_seed_and_an_ensemble_once(planner: Planner) -> None:
    assert [system.seed for system in pipelines(planner.profile, "pretlarge")] == list(planner.profile.seeds)
    assert [system.seed for system in pipelines(planner.profile, "pretlarge+sse+r2l")] == [0]


def test_a_single_model_is_the_same_work_as_in_a_grid(planner: Planner) -> None:
    choice = planner.profile.models["pretlarge"]
    system = System(**choice.model_dump(), noise=planner.profile.methods.get(choice.method), seed=2)
    assert planner.correction(Pipeline(name="pretlarge", seed=2), "world-test") == planner.correction(system, "world-test")


def test_steps_come_in_their_order_and_systems_share_the_first_ones(planner: Planner) -> None:
    whole = steps(planner, "+type dropping")
    assert [type(correction.step) for correction in whole] == [Spelling, Models, UnknownWords, EditReranking, TypeDropping]
    assert steps(planner, "spellcheck+ensemble") == whole[:2]
    assert whole[0].before is None and whole[1].before == whole[0]


def test_ranking_is_by_models_of_the_same_data_read_from_right_to_left(planner: Planner) -> None:
    forwards, backwards = steps(planner, "pretlarge+sse+r2l")
    assert isinstance(forwards.step, Models) and isinstance(backwards.step, RightToLeft)
    assert forwards.step.n_best == 5
    assert (len(forwards.needs["models"]), len(backwards.needs["models"])) == (3, 1)
    for ordinary, mirrored in zip(forwards.needs["models"], backwards.needs["models"], strict=False):
        while True:
            assert isinstance(ordinary, TrainedModel) and isinstance(mirrored, TrainedModel)
            assert all(isinstance(data, Mirrored) for data in (*mirrored.data, mirrored.validation))
            assert [data.data for data in mirrored.data] == list(ordinary.data)
            if ordinary.initial is None:
                break
            ordinary, mirrored = ordinary.initial, mirrored.initial
        assert mirrored.initial is None


def test_what_is_tuned_is_tuned_on_development_data_and_never_on_a_test_set(planner: Planner) -> None:
    tuned = ("spellcheck+ensemble", "+type dropping", "pretlarge+sse+r2l+sed")
    searches = [steps(planner, name)[-1].needs["found"] for name in tuned]
    for search in searches:
        assert search.references.corpus == planner.development
        for step in search.before.steps:
            assert step.corpus == planner.development
    assert planner.development not in planner.tests.values()


def test_what_a_track_with_few_pairs_is_tuned_on_was_not_trained_on(planner: Planner) -> None:
    dropping = steps(planner, "low resource+ensemble+post")[-1]
    search = dropping.needs["found"]
    for corpus in (search.references.corpus, *(step.corpus for step in search.before.steps)):
        assert isinstance(corpus, SplitCorpus) and corpus.part == "remaining"


def test_the_low_resource_track_knows_no_genuine_pair_but_those_of_its_own(planner: Planner) -> None:
    choice = planner.profile.models["low_resource"]
    model = planner.model(System(**choice.model_dump(), noise=planner.profile.methods.get(choice.method), seed=1))
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
            assert isinstance(stage.validation, BinarisedPairs) and isinstance(stage.validation.corpus, SplitCorpus)
        copying = False


def test_a_split_of_rewrites_keeps_all_references(tmp_path: Path) -> None:
    names = ("src", "ref0", "ref1")
    for name in names:
        (tmp_path / name).write_text("".join(f"{name} {number} .\n" for number in range(8)))
    jfleg = {"source": "jfleg", "files": [str(tmp_path / name) for name in names]}
    split = Planner(load_profile(CLASSROOM, [f"corpora.development={jfleg}"]), tmp_path).tracks["low_resource"].genuine
    store = Store(tmp_path / "store")
    for recipe in missing([split], store):
        store.build(recipe, lambda item, folder: item.build(folder, store, lambda *_: None))
    files = [list(read_lines(store.folder(split) / f"{name}.txt")) for name in ("source", "reference0", "reference1")]
    assert len(files[0]) == 6, "three of four sentences"
    for sides in zip(*files, strict=True):
        assert [side.split()[0] for side in sides] == list(names)
        assert len({side.split()[1] for side in sides}) == 1


def test_a_split_keeps_the_proportions_of_levels() -> None:
    levels = ["A"] * 100 + ["B"] * 60 + ["C"] * 20
    drawn = part_of_each(levels, 0.75, seed=1)
    assert Counter(levels[place] for place in drawn) == {"A": 75, "B": 45, "C": 15}
    assert drawn == part_of_each(levels, 0.75, seed=1) != part_of_each(levels, 0.75, seed=2)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("systems.pretlarge.steps=[{step: models, models: pretlarg}]", ["systems.pretlarge", "did you mean `pretlarge`"]),
        ("systems.pretlarge.after=pretlarge+see", ["systems.pretlarge.after", "did you mean `pretlarge+sse`"]),
        ("systems.pretlarge.after=pretlarge", ["systems.pretlarge", "continues itself"]),
        ("systems.pretlarge.steps=[{step: modles, models: pretlarge}]", ["systems.pretlarge.steps", "models"]),
        ("systems.pretlarge.steps=[{step: models, models: [pretlarge, realistic]}]", ["several models", "ensemble: all"]),
        ("systems.pretlarge.steps=[{step: right_to_left, models: pretlarge}]", ["right_to_left", "`n_best` above 1"]),
        ("systems.pretlarge.steps=[{step: error_detection, model: pretlarge}]", ["error_detection", "must come before"]),
        ("systems.spellcheck.steps=[{step: spelling, language_model: false}]", ["spelling", "casing: false"]),
        (
            "systems.pretlarge.steps=[{step: models, models: [realistic, low_resource], ensemble: all}]",
            ["systems.pretlarge", "low_resource and restricted"],
        ),
        ("language_model=null", ["needs a language model", "language_model"]),
        ("language_model.sentences=7", ["language_model.sentences", "7", "multiple"]),
        ("language_model.architecture.attention_heads=5", ["language_model.architecture", "multiple of attention_heads"]),
        ("models.pretlarge.method=backtrans_nosy", ["models.pretlarge", "did you mean `backtrans_noisy`"]),
        ("models.pretlarge.architecture=copi", ["models.pretlarge", "did you mean `copy`"]),
        ("models.pretlarge.track=low", ["models.pretlarge", "low_resource"]),
        ("grids.transfer_low_resource.setting=sequential", ["transfer_low_resource", "in_domain"]),
        ("architectures.copy.dropout=2", ["architectures.copy.dropout", "less than"]),
        ("comparisons.top_systems=[pretlage]", ["comparisons.top_systems", "did you mean `pretlarge`"]),
        ("notebooks.05_top_systems=[top_system]", ["notebooks.05_top_systems", "did you mean `top_systems`"]),
        ("corpora.tests.world-test.metrics=gleu", ["corpora.tests.world-test", "add `errant`"]),
    ],
)
def test_what_is_wrong_with_a_system_is_refused(override: str, words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        load_profile(CLASSROOM, [override])
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("step", ["{step: right_to_left, models: pretlarge}", "{step: unknown_words}"])
def test_steps_that_read_the_profile_s_subwords_cannot_follow_released_models(step: str) -> None:
    release = "step: released_models, checkpoints: a.pt, source_dictionary: s, target_dictionary: t, codes: c, n_best: 5"
    with pytest.raises(UserError, match=r"systems\.pretlarge\.steps\.1: the step .* the profile's subwords"):
        load_profile(CLASSROOM, [f"systems.pretlarge.steps=[{{{release}}}, {step}]"])


def test_a_classifier_in_a_folder_is_known_by_its_files(tmp_path: Path) -> None:
    def planned() -> object:
        gate = f"{{step: error_detection, threshold: 0.5, hugging_face: {{name: {tmp_path / 'classifier'}}}}}"
        profile = load_profile(CLASSROOM, [f"systems.pretlarge.steps=[{{step: spelling}}, {gate}]"])
        return Planner(profile, PROJECT).correction(pipelines(profile, "pretlarge")[0], "world-test").key

    (tmp_path / "classifier").mkdir()
    (tmp_path / "classifier" / "weights").write_bytes(b"one")
    before = planned()
    assert planned() == before
    (tmp_path / "classifier" / "weights").write_bytes(b"other")
    assert planned() != before


def test_a_checkpoint_that_is_missing_is_named_before_anything_runs(tmp_path: Path) -> None:
    release = "{step: released_models, checkpoints: there.pt, source_dictionary: s.txt, target_dictionary: t.txt, codes: c}"
    profile = load_profile(CLASSROOM, [f"systems.pretlarge.steps=[{release}]", f"data_folder={tmp_path}"])
    planner = Planner(profile, PROJECT)
    with pytest.raises(UserError, match=r"s\.txt"):
        planner.correction(pipelines(profile, "pretlarge")[0], "world-test")
