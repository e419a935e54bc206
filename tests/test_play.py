"""Cells to play with: what they show is what the methods do, and moving a control changes it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from scipy.stats import chisquare

from helpers.noising import make_noiser
from helpers.smallest_study import SMALLEST
from pseudogec import play
from pseudogec.edits import load_annotator
from pseudogec.noise import NoiseResources, noised_tokens
from pseudogec.play.cells import taken_actions
from pseudogec.play.corruption import Corruptor
from pseudogec.random_streams import SentenceStreams
from pseudogec.seq2seq import Decoder
from pseudogec.study import Pipeline, Study
from pseudogec.study.corrector import Corrector, needed
from pseudogec.text import Bpe

pytestmark = pytest.mark.slow

# What these models have learnt does not matter here; `absent` is never built.
OVERRIDES = [
    "models.base={}",
    "systems.base.steps=[{step: models, models: base}]",
    "systems.careful={after: base, steps: [{step: unknown_words}]}",
    # Of a method that no other test has, since several share the store.
    "methods.of_nobody={method: direct_noise, mu_mask: 0.123}",
    "models.absent={method: of_nobody, seed_corpus: everyday, setting: joint, pseudo_pairs: 100}",
    "systems.absent.steps=[{step: models, models: absent}]",
    *SMALLEST,
]
SENTENCE = "The old teacher sees the dogs ."
TOKENS = SENTENCE.split()
BASE, CAREFUL, ABSENT = (Pipeline(name=name, seed=1) for name in ("base", "careful", "absent"))


@pytest.fixture(scope="module")
def study(shared_store: Path, scheduler: str) -> Study:
    opened = Study.open("smoke", OVERRIDES, store=shared_store, scheduler=scheduler)
    corruptor = Corruptor(opened)
    realistic = corruptor.recipe("realistic")
    with opened.engine:
        opened.build([opened.planner.reverse_model(), *realistic.parents, *needed(opened, CAREFUL)])
    return opened


@pytest.fixture
def empty(tmp_path: Path) -> Study:
    return Study.open("smoke", store=tmp_path / "store", workers=1)


def words(html: str) -> str:
    """What is read, without how it looks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@pytest.mark.parametrize("mu_mask", [0.0, 0.3, 0.8])
def test_direct_noise_is_that_of_the_noiser(study: Study, mu_mask: float) -> None:
    bpe = Bpe.load(study.store.folder(study.planner.bpe) / "codes.txt")
    genuine = (
        (study.store.folder(study.planner.genuine) / "target.txt")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    noiser = make_noiser(
        "direct_noise",
        {"mu_mask": mu_mask},
        NoiseResources.from_sentences(map(str.split, genuine), bpe),
    )
    for draw in range(1, 6):
        expected = noiser.operations(bpe.apply(TOKENS), SentenceStreams(draw)[0])
        assert (
            list(Corruptor(study).corrupt(TOKENS, "direct_noise", draw, {"mu_mask": mu_mask}))
            == expected
        )


@pytest.mark.parametrize("mu_mask", [0.1, 0.5])
def test_operations_come_at_the_rates_of_the_sweep(study: Study, mu_mask: float) -> None:
    """TASLP section IV-B: mu_keep is 0.2; deletion and insertion share what mu_mask leaves."""
    corruptor, drawn = Corruptor(study), dict.fromkeys(("mask", "delete", "insert", "keep"), 0)
    for draw in range(300):
        for kind, count in taken_actions(
            corruptor.corrupt(TOKENS, "direct_noise", draw, {"mu_mask": mu_mask})
        ).items():
            drawn[kind] += count
    rest = (1 - 0.2 - mu_mask) / 2
    expected = [share * sum(drawn.values()) for share in (mu_mask, rest, rest, 0.2)]
    assert chisquare(list(drawn.values()), expected).pvalue > 0.001


@pytest.mark.parametrize("beta", [0.0, 6.0])
def test_a_noisy_beam_is_that_of_the_decoder(study: Study, beta: float) -> None:
    corruptor = Corruptor(study)
    bpe = Bpe.load(study.store.folder(study.planner.bpe) / "codes.txt")
    for draw in (1, 2):
        operations = corruptor.corrupt(TOKENS, "backtrans_noisy", draw, {"beta_random": beta})
        decoder = Decoder(
            [study.store.folder(study.planner.for_readers(study.planner.reverse_model()))]
        )
        ((best,),) = decoder.decode([bpe.apply(TOKENS)], beam=5, beta_random=beta, seed=draw)
        assert noised_tokens(map(tuple, operations)) == bpe.undo(best.subwords)


def test_a_slider_changes_what_is_shown_and_back_again(study: Study) -> None:
    panel = play.noise_sliders(study, SENTENCE)
    first = panel.content
    assert "direct noise, μ_mask 0.3" in words(first) and "noisy beam, β_random 6" in words(first)
    panel.controls["mu_mask"].value = 0.8
    # Mu_keep is 0.2, so nothing is left for them
    assert "delete 0 (0), insert 0 (0)" in words(panel.content)
    panel.controls["mu_mask"].value = 0.3
    assert panel.content == first
    panel.controls["beta_random"].value = 10.0
    assert panel.content != first
    panel.controls["beta_random"].value = 6.0
    panel.controls["draw"].value = 2
    assert panel.content != first


def test_every_method_of_the_profile_has_its_row(study: Study) -> None:
    panel = play.every_method(study, SENTENCE)
    assert panel.content.count("<tr>") == len(study.profile.methods)
    assert "alert" not in panel.content
    before = panel.content
    panel.controls["sentence"].value = "A small bird sings ."
    assert panel.content != before and "bird" in words(panel.content)


def test_ones_own_text_is_corrected_by_every_system_with_typed_edits(study: Study) -> None:
    text = ["The dogs sees the house .", "He have a car ."]
    panel = play.own_text(study, [BASE, CAREFUL, ABSENT], " ".join(text))
    sources = [line.split() for line in text]
    annotator = load_annotator(study.profile.annotator)
    for pipeline in (BASE, CAREFUL):
        panel.controls["shown"].value = pipeline.name
        for source, trace in zip(sources, Corrector(study, pipeline)(sources), strict=True):
            assert trace.source == tuple(source)
            for edit in annotator.annotate([source], [trace.tokens])[0]:
                assert edit.type in panel.content
        assert all(name in words(panel.content) for name, _ in trace.steps)
    panel.controls["shown"].value = "absent"
    assert "not in the store" in panel.content


def test_what_is_not_in_the_store_is_said_to_be_missing_and_not_built(empty: Study) -> None:
    for panel in (
        play.noise_sliders(empty, SENTENCE),
        play.every_method(empty, SENTENCE),
        play.own_text(empty, empty.comparison("top_systems"), SENTENCE),
    ):
        assert "in the store yet" in panel.content and "role='alert'" in panel.content
    assert not list(empty.store.artefacts())
