"""From profiles to recipes: what is shared, what is not, and whether the papers' studies can be
planned.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import chain
from pathlib import Path

import pytest

from helpers.building import make
from pseudogec.artefacts import Store, with_ancestors
from pseudogec.artefacts.errors import DataError
from pseudogec.evaluate import ERRANT, MaxMatch
from pseudogec.noise import DirectNoise
from pseudogec.study import PROJECT, Pipeline, Planner, Study, System, load_profile
from pseudogec.study.corpora import Corpus, SampledCorpus
from pseudogec.study.corrections import PreprocessedCorpus, Search
from pseudogec.study.grid import expand
from pseudogec.study.models import (
    BinarisedPairs,
    Mirrored,
    ReleasedModel,
    TrainedDetector,
    Training,
)
from pseudogec.study.planning import compared
from pseudogec.study.pseudo_data import BackTranslatedData, NoisedData

NOT_IN_A_GRID = {"upsample": 1, "seed": 1}


def planner(profile: str, *overrides: str) -> Planner:
    return Planner(
        load_profile(PROJECT / "params" / f"{profile}.yaml", overrides), PROJECT, without_data=True
    )


def system(plan: Planner, **changes: object) -> System:
    values: dict[str, object] = {
        "method": "direct_noise",
        "seed_corpus": "newswire",
        "setting": "pretrain",
        "pseudo_pairs": 1_400_000,
        **NOT_IN_A_GRID,
    }
    method = str({**values, **changes}["method"])
    return System.model_validate({**values, "noise": plan.profile.methods.get(method), **changes})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper", "paper-emnlp2019"])
def test_the_papers_study_can_be_planned_without_its_data(name: str) -> None:
    plan = planner(name)
    grids = (
        expand(axes, plan.profile.methods, plan.profile.seeds)
        for axes in plan.profile.grids.values()
    )
    systems = dict.fromkeys(chain.from_iterable(grids))
    test = next(iter(plan.tests))
    recipes = with_ancestors(plan.score(system, test) for system in systems)
    kinds = Counter(recipe.kind for recipe in recipes)
    # A sweep's point at a method's own parameters, or upsampling once, is a system of another grid:
    # trained once for both.
    assert kinds["score"] < len(systems)
    assert kinds["score"] == len({plan.score(system, test).key for system in systems})
    assert kinds["bpe"] == 1
    # 70 million pairs of either method from newspapers, in shards of 40,000, shared by all sizes,
    # settings and seeds.
    shards = [recipe for recipe in recipes if isinstance(recipe, NoisedData | BackTranslatedData)]
    newswire = Counter(
        recipe.method.name for recipe in shards if recipe.seed_text.name == "newswire"
    )
    assert newswire["backtrans_noisy"] == 1750
    reverse = {
        recipe.reverse_model.key for recipe in shards if isinstance(recipe, BackTranslatedData)
    }
    assert len(reverse) == 1, "one reverse model serves all back-translation"


def test_the_papers_numbers_are_in_the_recipes() -> None:
    plan = planner("paper")
    model = plan.model(system(plan))
    assert (
        model.architecture.encoder_layers,
        model.architecture.model_size,
        model.architecture.feed_forward_size,
    ) == (
        6,
        1024,
        4096,
    )
    assert model.optimisation.optimiser == "adafactor"
    assert model.optimisation.learning_rate == 3e-5
    assert model.optimisation.selection == "best"
    assert model.initial is not None
    assert model.initial.optimisation.epochs == 10
    assert (
        plan.model(
            system(plan, method="none", seed_corpus=None, setting="baseline", pseudo_pairs=0)
        ).optimisation.epochs
        == 40
    )
    plan = planner("paper-emnlp2019")
    assert plan.pseudo_data(system(plan))[0].method == DirectNoise.model_validate({"mu_mask": 0.5})


@pytest.mark.parametrize("name", ["classroom", "choe2019"])
def test_whatever_runs_a_network_asks_for_a_gpu(name: str, tmp_path: Path) -> None:
    """Training, back-translation, and the steps and searches of systems."""
    amounts = [
        f"scale.{amount}=$base" for amount in ("medium", "large", "realistic", "low_resource")
    ]
    study = Study.open(name, ["seeds=[1]", *amounts], store=tmp_path, without_data=True)
    grids = dict.fromkeys(grid for grids in study.profile.notebooks.values() for grid in grids)
    recipes = with_ancestors(recipe for grid in grids for recipe in study.recipes(grid))
    networks = Training, TrainedDetector, ReleasedModel
    without = {
        type(recipe).__name__
        for recipe in recipes
        if any(isinstance(one, networks) for one in recipe.parents) and not recipe.needs_gpu
    }
    assert not without
    assert any(isinstance(recipe, Search) and recipe.needs_gpu for recipe in recipes)


def test_a_sweeps_point_at_the_default_is_the_method_itself() -> None:
    plan = planner("classroom")
    values = {
        "seed_corpus": "everyday",
        "setting": "joint",
        "pseudo_pairs": plan.profile.pseudo_data.shard,
    }
    noise = plan.profile.methods["direct_noise"]
    own, other = (
        system(plan, **values, noise=noise.changed(mu_mask=value), swept=("mu_mask",))
        for value in (0.3, 0.5)
    )
    assert plan.model(system(plan, **values)) == plan.model(own)
    assert plan.model(system(plan, **values)) != plan.model(other)


def test_missing_corpora_are_named_before_anything_runs() -> None:
    with pytest.raises(DataError, match=r"A\.train\.gold\.bea19\.m2"):
        Planner(load_profile(PROJECT / "params" / "paper.yaml"), PROJECT)


def test_a_first_stage_that_teaches_copying_is_shared_by_both_directions() -> None:
    copying = "{data: [copies], optimisation: pretraining}"
    plan = planner(
        "smoke",
        f"settings.baseline=[{copying}, {{data: [genuine], optimisation: joint}}]",
        f"reverse_model=[{copying}, {{data: [genuine], optimisation: joint}}]",
    )
    baseline = plan.model(
        system(plan, method="none", seed_corpus=None, setting="baseline", pseudo_pairs=0)
    )
    reverse = plan.reverse_model()
    assert baseline.initial is not None and reverse.initial is not None
    assert baseline.initial.key == reverse.initial.key
    assert [
        [pairs.arrangement for pairs in model.data if isinstance(pairs, BinarisedPairs)]
        for model in (baseline.initial, baseline, reverse)
    ] == [
        ["copy"],
        ["correct"],
        ["reverse"],
    ]
    assert (
        baseline.validation.arrangement == "correct" and reverse.validation.arrangement == "reverse"
    )


def test_whatever_a_step_reads_is_its_recipes_parent() -> None:
    planner = Planner(load_profile(PROJECT / "params" / "smoke.yaml"), PROJECT)
    mirrored = Mirrored(data=planner.reverse_model().data[0], bpe=planner.bpe)
    assert set(mirrored.parents) == {mirrored.data, mirrored.data.bpe}, "the dictionary is read too"


@pytest.mark.parametrize(
    ("profile", "artefacts", "digest"),
    [
        ("classroom", 1348, "dbeda8b0b9c5be7d"),
        ("learners", 960, "2150d7ed40936d36"),
        ("public", 90, "1b5a76806bc70f8c"),
        ("released", 321, "fc6b168cd250fbfa"),
        ("what-they-buy", 3593, "50bd193e12f3a006"),
        ("what-they-buy-gpu", 240, "9686bcecb32eb768"),
    ],
)
def test_the_keys_of_artefacts_are_stable(
    profile: str, artefacts: int, digest: str, tmp_path: Path
) -> None:
    """What a store holds stays in use: a changed key means that everybody builds it again. No
    corpus is needed.
    """
    options = [f"data_folder={tmp_path}", "annotator=offline"]
    study = Study.open(profile, options, store=tmp_path / "store", without_data=True, packs=False)
    keys = sorted(f"{recipe.kind} {recipe.key}" for recipe in with_ancestors(study.targets()))
    assert (len(keys), sha256("\n".join(keys).encode()).hexdigest()[:16]) == (artefacts, digest)


def as_written(corpus: Corpus) -> Corpus:
    """The corpus before the steps that come before every model."""
    return corpus.correction.corpus if isinstance(corpus, PreprocessedCorpus) else corpus


def realistic(plan: Planner, **changes: object) -> System:
    values = {
        "method": "realistic",
        "seed_corpus": "books",
        "setting": "sequential",
        "pseudo_pairs": 40_000,
    }
    return system(plan, **{**values, **changes})


@pytest.mark.parametrize(
    ("track", "setting", "learnt_from"),
    [
        ("restricted", "sequential", "in_domain"),
        ("low_resource", "pretrain", "low_resource-training"),
        ("conll", "sequential", "conll-in_domain"),
    ],
)
def test_choe_s_noise_is_learnt_from_the_last_pairs_of_a_track(
    track: str, setting: str, learnt_from: str
) -> None:
    plan = planner("choe2019")
    (shard,) = plan.pseudo_data(realistic(plan, track=track, setting=setting))
    assert isinstance(shard, NoisedData) and shard.references is not None
    assert shard.genuine.name == shard.references.corpus.name == learnt_from


def test_choe_s_models_train_on_all_pairs_with_spellchecked_sources() -> None:
    plan = planner("choe2019")
    adapted = plan.model(realistic(plan))
    assert adapted.initial is not None
    for model, corpus in ((adapted, "in_domain"), (adapted.initial, "genuine")):
        (pairs,) = model.data
        assert isinstance(pairs, BinarisedPairs) and isinstance(pairs.corpus, PreprocessedCorpus)
        assert not pairs.drop_identical
        assert as_written(pairs.corpus).name == corpus
    before = plan.correction(realistic(plan), "BEA-valid").before
    assert before == plan.correction(Pipeline(name="spellcheck", seed=0), "BEA-valid"), (
        "the systems share the spellchecked text"
    )


def test_references_of_other_types_are_retyped_for_errant_alone() -> None:
    plan = planner("paper")
    model = system(plan)
    assert plan.score(model, "CoNLL-2014", ERRANT).references.retyped
    assert not plan.score(model, "CoNLL-2014", MaxMatch()).references.retyped
    assert not plan.score(model, "BEA-valid", ERRANT).references.retyped
    assert plan.references(plan.tests["CoNLL-2014"]).retyped, (
        "tables by type have the types of the scores"
    )
    assert not plan.references(plan.tests["BEA-valid"]).retyped


def low_resource(plan: Planner, **changes: object) -> System:
    return system(
        plan, method="realistic", pseudo_pairs=14_000_000, track="low_resource", **changes
    )


@pytest.mark.parametrize(("profile", "tunes"), [("paper", False), ("choe2019", True)])
def test_a_track_that_is_cut_from_a_test_set_is_scored_on_what_it_does_not_train_on(
    profile: str, tunes: bool
) -> None:
    """With Choe et al.'s rule (Dev-1K), these sentences choose the checkpoints too; else they are
    kept for the score alone.
    """
    plan = planner(profile)
    corpora = (
        {"seed_corpus": "encyclopedic"}
        if profile == "paper"
        else {"seed_corpus": "books", "pseudo_pairs": 45_000_000}
    )
    model_of = low_resource(plan).model_copy(update=corpora)
    scored = plan.score(model_of, "BEA-valid").references.corpus
    model = plan.model(model_of)
    (trained,) = (data for data in model.data if isinstance(data, BinarisedPairs))
    assert isinstance(model.validation, BinarisedPairs)
    assert scored not in (plan.tests["BEA-valid"], as_written(trained.corpus))
    assert (scored == as_written(model.validation.corpus)) is tunes
    assert plan.dataset(model_of, "BEA-valid") == "BEA-valid, held out of low_resource"
    assert plan.score(model_of, "CoNLL-2014").references.corpus == plan.tests["CoNLL-2014"]


def test_systems_without_models_are_scored_on_the_sentences_of_those_that_they_are_compared_with() -> (
    None
):
    plan = planner("choe2019")
    scored = {
        plan.test_sentences(pipeline, "BEA-valid").key
        for pipeline in compared(plan.profile, "low_resource_track")
    }
    assert "spellcheck" in plan.profile.comparisons["low_resource_track"]
    assert scored == {plan.tracks["low_resource"].validation.key}
    assert compared(plan.profile, "restricted_track")[0].track == "restricted"


def test_each_seed_may_have_draws_of_its_own() -> None:
    plan = planner("what-they-buy")
    grid = plan.profile.grids["genuine_pairs"].model_copy(update={"seeds": None})
    one, two = (
        [each for each in expand(grid, plan.profile.methods, (seed,)) if each.track == "1k"]
        for seed in (1, 2)
    )
    for first, second in zip(one, two, strict=True):
        models = plan.model(first), plan.model(second)
        shared = set(with_ancestors([models[0]])).intersection(with_ancestors([models[1]]))
        assert not any(
            isinstance(recipe, Training | NoisedData | SampledCorpus) for recipe in shared
        )
    passes = expand(plan.profile.grids["passes"], plan.profile.methods, (1,))
    assert len({plan.model(each) for each in passes}) * 5 == len(passes), (
        "one training gives the models of all passes"
    )
    samples = {
        recipe.key
        for each in one
        for recipe in with_ancestors([plan.model(each)])
        if isinstance(recipe, SampledCorpus)
    }
    assert len(samples) == 1, "all arms of a seed have the same genuine pairs"


def test_a_sample_of_genuine_pairs_is_corrected_and_part_of_a_larger_one(tmp_path: Path) -> None:
    lines = [f"S word {number} is{'' if number % 3 else ' a'}\n" for number in range(30)]
    edit = "A 2 3|||R:VERB|||was|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "genuine.m2").write_text(
        "\n".join(line + (edit if number % 2 else "") for number, line in enumerate(lines))
    )
    pairs = {"source": "m2", "files": str(tmp_path / "genuine.m2")}
    genuine = planner("learners", f"corpora.genuine={pairs}").genuine
    store, sources = Store(tmp_path / "store"), list[set[str]]()
    for sentences in (3, 9):
        sample = SampledCorpus(name="sample", corpus=genuine, sentences=sentences, seed=1)
        make(store, sample)
        source, target = (
            (store.folder(sample) / f"{side}.txt").read_text().splitlines()
            for side in ("source", "target")
        )
        assert len(source) == sentences and all(
            before != after for before, after in zip(source, target, strict=True)
        )
        sources.append(set(source))
    assert sources[0] < sources[1]
