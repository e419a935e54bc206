"""What stands before models and scores: steps that every model's text goes through, and references
with types of their own.
"""

from __future__ import annotations

from pathlib import Path

from helpers.building import make
from pseudogec.artefacts import Recipe
from pseudogec.artefacts.store import Store
from pseudogec.edits import read_m2
from pseudogec.seq2seq import read_binarised
from pseudogec.study import PROJECT, Planner, System, load_profile
from pseudogec.text import Bpe

M2 = """S He know teh dogs .
A 1 2|||SVA|||knows|||REQUIRED|||-NONE-|||0
A 2 3|||Mec|||the|||REQUIRED|||-NONE-|||0
A 3 4|||Nn|||dog|||REQUIRED|||-NONE-|||0

S He sleeps .
"""
SPELLING = "{step: spelling, language_model: false, casing: false}"
BASELINE = System(
    method="none", seed_corpus=None, setting="baseline", pseudo_pairs=0, upsample=1, seed=1
)


def planner(folder: Path, *overrides: str) -> Planner:
    (folder / "x.m2").write_text(M2)
    own = [
        f"data_folder={folder}",
        "annotator=offline",
        "subwords.merges=5",
        "corpora.genuine={source: m2, files: [x.m2]}",
    ]
    # Not of such text
    own += [
        f"grids.{name}.curves=false"
        for name in ("operating_points", "genuine_pairs", "more_pairs", "another_language")
    ]
    return Planner(load_profile(PROJECT / "params" / "smoke.yaml", [*own, *overrides]), PROJECT)


def built(recipe: Recipe, folder: Path) -> Path:
    store = Store(folder / "store")
    make(store, recipe)
    return store.folder(recipe)


def test_models_are_trained_on_preprocessed_sources_and_correct_such(tmp_path: Path) -> None:
    plan = planner(tmp_path, f"preprocessing=[{SPELLING}]", "corpora.unchanged=keep")
    pairs = plan.model(BASELINE).data[0]
    in_subwords = read_binarised(built(pairs, tmp_path))
    assert [" ".join(Bpe.undo(side)) for side in next(in_subwords)] == [
        "He know the dogs .",
        "He knows the dog .",
    ]
    assert len(list(in_subwords)) == 1, "the unchanged pair is kept"
    before = plan.correction(BASELINE, next(iter(plan.tests))).before
    assert before is not None and before.step.known_as() == "spelling"


def test_without_preprocessing_unchanged_pairs_alone_are_left_out(tmp_path: Path) -> None:
    pairs = planner(tmp_path).model(BASELINE).data[0]
    assert len(list(read_binarised(built(pairs, tmp_path)))) == 1
    assert planner(tmp_path, "preprocessing=[]").model(BASELINE).data[0] == pairs


def test_retyped_references_keep_their_spans(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    given, retyped = (
        next(
            iter(read_m2(built(plan.references(plan.genuine, retyped), tmp_path) / "references.m2"))
        )
        for retyped in (False, True)
    )
    # The file has NUCLE's types, which a table by type cannot show beside ERRANT's
    for found in (given, retyped):
        assert [edit.type for edit in found.annotators[0]] == [
            "R:VERB:SVA",
            "R:SPELL",
            "R:NOUN:NUM",
        ]
    spans = [
        [(edit.start, edit.end, edit.correction) for edit in found.annotators[0]]
        for found in (given, retyped)
    ]
    assert spans[0] == spans[1]
