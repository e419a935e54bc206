"""Snapshots with their losses, operating points, and which of a study's seeds are finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.smallest_study import SMALLEST
from pseudogec.corpora import read_plain
from pseudogec.correct import THRESHOLDS, proposed_edits
from pseudogec.edits import annotator_of, apply_edits, read_m2
from pseudogec.evaluate import ERRANT, Gold
from pseudogec.study import Study
from pseudogec.study.corrections import read_corrected
from pseudogec.text import load_bpe

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(shared_store: Path, scheduler: str, tmp_path_factory: pytest.TempPathFactory) -> Study:
    opened = Study.open(
        "smoke",
        SMALLEST,
        store=shared_store,
        scheduler=scheduler,
        outputs=tmp_path_factory.mktemp("outputs"),
    )
    opened.build(opened.recipes("genuine_pairs"))
    return opened


def test_the_lowest_of_a_training_s_losses_is_chosen(study: Study) -> None:
    for system in study.grid("genuine_pairs"):
        record = study.result(study.planner.model(system))["validation_curve"]
        # A model is one checkpoint here, so the training has seen its loss, too.
        assert study.losses(system) == pytest.approx(
            {point["epoch"]: point["nll_loss"] for point in record}, rel=1e-3
        )
        snapshot = study.planner.snapshot(system)
        chosen = min(study.losses(system), key=study.losses(system).__getitem__)
        model = study.store.folder(study.planner.model(system)) / f"model_after_{chosen}.pt"
        assert (study.store.folder(snapshot) / "model.pt").read_bytes() == model.read_bytes()
        assert study.validation_loss(system) == min(study.losses(system).values())


def test_a_tuned_score_is_that_of_the_text_with_these_edits(study: Study) -> None:
    system, planner = study.grid("genuine_pairs")[-1], study.planner
    shares = planner.edit_shares(system, study.test)
    before, annotator = (
        read_corrected(study.store.folder(shares.correction)),
        annotator_of(planner.annotator),
    )
    sources = list(read_plain(study.store.folder(shares.correction.corpus) / "source.txt"))
    gold = Gold.annotated(list(read_m2(study.store.folder(shares.references) / "references.m2")))
    bpe = load_bpe(study.store.folder(planner.bpe))
    threshold = study.curve(system).best_threshold(THRESHOLDS)
    shares_of_edits = proposed_edits(before, annotator, bpe, 1.0)
    made = [
        [edit for edit, share in found.items() if share >= threshold - 5e-4]
        for found in shares_of_edits
    ]
    kept = [apply_edits(source, edits) for source, edits in zip(sources, made, strict=True)]
    found = study.tuned_score(system).figures
    assert found["tp"] == pytest.approx(ERRANT.score(gold, kept, annotator)["tp"], abs=1), (
        "edits that touch may be cut otherwise"
    )
    table = study.scores([system], by="level", tuned=True)
    assert table.tp.sum() == found["tp"]


def test_a_seed_is_finished_when_all_its_models_are_measured(study: Study, tmp_path: Path) -> None:
    grid = study.grid("genuine_pairs", seeds=[1, 2])
    assert {system.seed for system in study.finished(grid, curves=True)} == {1}
    assert not Study.open("smoke", SMALLEST, store=tmp_path).finished(grid)


def test_of_each_training_the_model_is_kept_that_is_better_on_development_data(
    study: Study,
) -> None:
    systems = study.grid("genuine_pairs", passes=[1, 2])
    study.build(study.measures(systems, curves=True))
    kept = study.best_on_development(systems)
    assert len(kept) == len(systems) / 2
    for system in kept:
        both = systems.only(method=system.method, track=system.track, seed=system.seed)
        assert study.development_f05(system) == max(map(study.development_f05, both))
