"""Models that travel with the results: which do, what they are used for, and what happens to
damaged ones.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from helpers.smallest_study import SMALLEST
from pseudogec import play
from pseudogec.__main__ import main
from pseudogec.artefacts import Store, missing
from pseudogec.play.corruption import Corruptor
from pseudogec.seq2seq import Decoder
from pseudogec.study import PACK, Study
from pseudogec.study.corrector import Corrector, find_system, to_train
from pseudogec.study.models import MOST_WEIGHTS, CompactModel, TrainedModel
from pseudogec.text import load_bpe

SENTENCE = "The old teacher sees the dogs ."

# The models are those of the tests of the cells to play with.
OVERRIDES = [
    "models.base={}",
    "systems.base.steps=[{step: models, models: base}]",
    "systems.careful={after: base, steps: [{step: unknown_words}]}",
    "comparisons.top_systems=[base, careful]",
    "own_text=[base, careful]",
    *SMALLEST,
]


def test_the_models_of_the_systems_for_readers_travel() -> None:
    planner = Study.open("classroom", packs=False).planner
    systems = planner.profile.own_text
    assert systems == planner.profile.comparisons["top_systems"]
    kinds = [model.kind for model in planner.compact_models]
    assert kinds.count("detector") == 1 and set(kinds) == {"model", "detector"}
    assert planner.for_readers(planner.reverse_model()) == CompactModel(
        model=planner.reverse_model()
    )
    assert planner.for_readers(planner.bpe) is planner.bpe
    weights = sum(model.weights for model in planner.compact_models if model.kind == "model")
    assert 2_000_000 < weights < MOST_WEIGHTS


@pytest.fixture(scope="module")
def study(shared_store: Path, scheduler: str, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """With a pack in its folder of results."""
    outputs = tmp_path_factory.mktemp("outputs")
    opened = Study.open(
        "smoke", OVERRIDES, store=shared_store, scheduler=scheduler, outputs=outputs
    )
    realistic = Corruptor(opened).recipe("realistic")
    with opened.engine:
        opened.build([*opened.planner.compact_models.values(), *realistic.parents])
    opened.write_pack(outputs / PACK)
    return opened


@pytest.fixture
def clone(study: Study, tmp_path: Path) -> Study:
    """The same results with an empty store."""
    return Study.open(
        "smoke", OVERRIDES, store=tmp_path / "store", workers=1, outputs=study.outputs, packs=True
    )


@pytest.mark.slow
def test_cells_show_the_same_where_models_come_from_a_pack(study: Study, clone: Study) -> None:
    def shown(opened: Study) -> list[str]:
        systems = opened.comparison("top_systems")
        panels = (
            play.noise_sliders(opened, SENTENCE),
            play.every_method(opened, SENTENCE),
            play.own_text(opened, systems, SENTENCE),
        )
        return [panel.content for panel in panels]

    assert shown(clone) == shown(study)
    assert not any("role='alert'" in content for content in shown(clone))
    assert not list(clone.store.artefacts()), "nothing was built"


@pytest.mark.slow
def test_a_travelling_model_serves_readers_and_nothing_else(study: Study, clone: Study) -> None:
    system = find_system(clone, "base")
    (scored,) = (
        step.needs["models"][0] for step in clone.planner.correction(system, clone.test).steps
    )
    assert to_train(clone, system) == []
    assert not clone.store.can_read(scored, in_full=True)
    fields = {name: getattr(scored, name) for name in TrainedModel.model_fields}
    further = TrainedModel(**{**fields, "initial": scored})
    assert scored in missing([further], clone.store), "what is built rests on the store"
    compact, whole = (
        study.store.folder(recipe) for recipe in (study.planner.for_readers(scored), scored)
    )
    assert (compact / "model.safetensors").exists() and (whole / "model.pt").exists()
    sources = [line.split() for line in study.lines(study.planner.tests[study.test], "source.txt")][
        :20
    ]
    bpe = load_bpe(study.store.folder(study.planner.bpe))
    for folder, as_scored in ((compact, False), (whole, True)):
        found = Decoder([folder]).decode([bpe.apply(tokens) for tokens in sources])
        corrected = Corrector(study, system, as_scored=as_scored)(sources)
        # The step after the model puts back what readers want as they typed it.
        assert [list(trace.steps[0][1].tokens) for trace in corrected] == [
            bpe.undo(hypotheses[0].subwords) for hypotheses in found
        ]


def corrected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[str, str]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"He depend of it .\n")))
    assert main(["correct", *options]) == 0
    out = capsys.readouterr()
    return out.out, out.err


@pytest.mark.slow
def test_the_command_corrects_by_what_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PSEUDOGEC_PACKS", "yes")
    classroom = Study.open("classroom", store=tmp_path / "store")
    assert not any(
        to_train(classroom, find_system(classroom, name)) for name in classroom.profile.own_text
    )
    store = ("--store", str(tmp_path / "store"))
    text, told = corrected(monkeypatch, capsys, *store)
    assert text.strip() and told == "corrected by the system careful of the profile public\n"
    text, told = corrected(monkeypatch, capsys, "--profile", "classroom", *store)
    assert text.strip() and told == (
        "corrected by the system pretlarge+sse+r2l+sed of the profile classroom\n"
    )
    assert corrected(monkeypatch, capsys, "--system", "pretlarge+sse", *store)[1] == ""
    assert not list(Store(tmp_path / "store").artefacts()), "nothing was built"
    main(["correct", "--list", *store])
    listed = capsys.readouterr().out
    assert "pretlarge+sse: the model pretlarge_sse\n" in listed and "not trained yet" in listed
