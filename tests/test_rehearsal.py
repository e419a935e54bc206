"""Every stage of training of the profiles for GPUs, rehearsed on the CPU: three updates,
checkpoints, and a resume in between.

A stage keeps the options that its profile asks for: architecture, optimiser, precision, update
frequency, selection. Sizes alone are shrunk. Stages that are then the same are rehearsed once.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from helpers.seq2seq_training import assert_same_weights, updates_saved, weights_of
from helpers.seq2seq_world import (
    TINY,
    WORDS,
    make_dataset,
    make_dictionary,
    make_pairs,
    short_training,
)
from pseudogec.artefacts import with_ancestors
from pseudogec.seq2seq import (
    Architecture,
    Decoder,
    LanguageModel,
    LanguageModelArchitecture,
    Optimisation,
    binarise_text,
    training,
)
from pseudogec.seq2seq.training import TrainingProgress, TrainingResult, train, train_language_model
from pseudogec.study import Study
from pseudogec.study.models import TrainedModel, Training

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("one_thread", "half_precision_on_the_cpu"),
    pytest.mark.skipif(
        torch.cuda.is_available(), reason="a rehearsal on the CPU; a GPU runs the stages themselves"
    ),
]

AMOUNTS = ("small", "medium", "large", "curve", "realistic", "low_resource")
# With one amount of pseudo data and one seed, the stages are the same and planned in a tenth of the
# time.
ONE_OF_EACH = ("seeds=[1]", *(f"scale.{name}=$base" for name in AMOUNTS))
PROFILES = {
    "paper": ONE_OF_EACH,
    "paper-emnlp2019": ONE_OF_EACH,
    "choe2019": ONE_OF_EACH,
    "learners-gpu": (),
}
UPDATES = 3
SMALL = {"attention_heads": 2, "model_size": 32, "feed_forward_size": 64}
SMALL_CONVOLUTIONS = {
    "decoder-embed-dim": 16,
    "decoder-out-embed-dim": 16,
    "decoder-layers": "[(16, 3)] * 2",
}


@pytest.fixture
def half_precision_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU computes in half precision too, only slowly. fairseq asks for the number of the GPU
    that holds the weights.
    """
    monkeypatch.setattr(torch.cuda, "current_device", lambda: None)
    monkeypatch.setattr(training, "_refuse_precision", lambda _: None)
    monkeypatch.setattr(training, "_autocasts", lambda _: False)


class Stage(NamedTuple):
    """What distinguishes a training but for sizes and data."""

    architecture: Architecture | LanguageModelArchitecture
    optimisation: Optimisation
    fine_tunes: bool
    several_datasets: bool
    upsample: bool

    @classmethod
    def of(cls, recipe: Training) -> Stage:
        is_model = isinstance(recipe, TrainedModel)
        return cls(
            _small_architecture(recipe.architecture),
            _short_optimisation(recipe.optimisation),
            is_model and recipe.initial is not None,
            len(recipe.data) > 1,
            is_model and recipe.upsample > 1,
        )


def _small_architecture(
    architecture: Architecture | LanguageModelArchitecture,
) -> Architecture | LanguageModelArchitecture:
    if isinstance(architecture, Architecture):
        options = {
            name: 2 if name.endswith("heads") else value
            for name, value in architecture.fairseq_options.items()
        }
        layers = {"encoder_layers": 2, "decoder_layers": 2}
        return architecture.model_copy(update={**SMALL, **layers, "fairseq_options": options})
    if architecture.name.startswith("transformer"):
        return architecture.model_copy(update={**SMALL, "layers": 2})
    return architecture.model_copy(
        update={"fairseq_options": {**architecture.fairseq_options, **SMALL_CONVOLUTIONS}}
    )


def _short_optimisation(optimisation: Optimisation) -> Optimisation:
    changes: dict[str, object] = {"updates": UPDATES, "max_tokens": 60}
    if optimisation.checkpoint_updates is not None:
        changes["checkpoint_updates"] = 1
    if optimisation.pairs_at_once is not None:
        changes["pairs_at_once"] = 60
    return optimisation.model_copy(update=changes)


class Rehearsals:
    """The stages that were rehearsed, each with the folder of its model."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._dictionary = make_dictionary(make_pairs(200, seed=1), folder / "dict.txt")
        self._pairs = [
            make_dataset(folder / f"pairs{number}", self._dictionary, 70, seed=number)
            for number in range(4)
        ]
        self._text = folder / "text"
        binarise_text(
            (target for _, target in make_pairs(100, seed=5)), self._dictionary, self._text
        )
        self._models: dict[str, Path] = {}  # by the stage in words

    def knows(self, stage: Stage) -> bool:
        return str(stage) in self._models

    def rehearse(self, recipe: Training) -> Path:
        """Train the recipe's stage, interrupted after two of its updates, and resumed; returns the
        model's folder.
        """
        stage = Stage.of(recipe)
        if str(stage) not in self._models:
            initial = (
                self.rehearse(recipe.initial)
                if isinstance(recipe, TrainedModel) and recipe.initial is not None
                else None
            )
            folder = Path(tempfile.mkdtemp(dir=self._folder))
            self.interrupt(stage, folder, initial)
            result = self.train(stage, folder, initial)
            assert result.updates == UPDATES and result.chosen
            _check(folder)
            self._models[str(stage)] = folder
        return self._models[str(stage)]

    def interrupt(self, stage: Stage, folder: Path, initial: Path | None = None) -> None:
        with pytest.raises(KeyboardInterrupt):
            self.train(stage, folder, initial, _interrupt, seconds_between_saves=0.0)
        assert updates_saved(folder) == UPDATES - 1

    def train(
        self,
        stage: Stage,
        folder: Path,
        initial: Path | None = None,
        progress: Callable[[TrainingProgress], None] | None = None,
        seconds_between_saves: float = 120.0,
    ) -> TrainingResult:
        common = {"seed": 1, "progress": progress, "seconds_between_saves": seconds_between_saves}
        if isinstance(stage.architecture, LanguageModelArchitecture):
            return train_language_model(
                [self._text],
                self._text,
                self._dictionary,
                folder,
                stage.architecture,
                stage.optimisation,
                **common,
            )
        datasets = self._pairs[1 : 4 if stage.several_datasets else 2]
        return train(
            datasets,
            self._pairs[0],
            self._dictionary,
            folder,
            stage.architecture,
            stage.optimisation,
            initial_model=initial,
            upsample_primary=2 if stage.upsample else 1,
            **common,
        )


def _check(folder: Path) -> None:
    """The model is finite and serves."""
    assert all(value.isfinite().all() for value in weights_of(folder / "model.pt").values())
    if (folder / "dict.txt").exists():
        (score,) = LanguageModel(folder).log_probabilities([WORDS[:3]])
    else:
        ((best,),) = Decoder([folder]).decode([WORDS[:3]])
        score = best.score
    assert -math.inf < score < 0


def _interrupt(now: TrainingProgress) -> None:
    # A report follows its update, and a state is saved after the report.
    if now.update == UPDATES:
        raise KeyboardInterrupt


def _stages(profile: str, store: Path) -> list[Training]:
    """One training of each of a profile's stages."""
    study = Study.open(profile, PROFILES[profile], store=store, without_data=True)
    grids = dict.fromkeys(name for names in study.profile.notebooks.values() for name in names)
    recipes = with_ancestors(recipe for name in grids for recipe in study.recipes(name))
    return list(
        {
            str(Stage.of(recipe)): recipe for recipe in recipes if isinstance(recipe, Training)
        }.values()
    )


def test_every_stage_trains_saves_and_resumes(tmp_path: Path, subtests: pytest.Subtests) -> None:
    rehearsals = Rehearsals(tmp_path)
    for profile in PROFILES:
        for recipe in _stages(profile, tmp_path / "store"):
            if not rehearsals.knows(Stage.of(recipe)):
                options = (
                    f"{recipe.architecture.name}, {recipe.optimisation.optimiser}, "
                    f"{recipe.optimisation.precision}"
                )
                with subtests.test(f"{profile}: {recipe.label}: {options}"):
                    rehearsals.rehearse(recipe)


@pytest.mark.parametrize("optimiser", ["adam", "adafactor"])
def test_a_resumed_training_in_half_precision_ends_with_the_same_weights(
    tmp_path: Path, optimiser: str
) -> None:
    optimisation = short_training(
        optimiser=optimiser, precision="fp16", learning_rate=1e-4, updates=UPDATES, max_tokens=60
    )
    stage = Stage(TINY, optimisation, fine_tunes=False, several_datasets=False, upsample=False)
    rehearsals = Rehearsals(tmp_path)
    rehearsals.train(stage, tmp_path / "whole")
    rehearsals.interrupt(stage, tmp_path / "resumed")
    rehearsals.train(stage, tmp_path / "resumed")
    assert_same_weights(
        weights_of(tmp_path / "resumed/model.pt"), weights_of(tmp_path / "whole/model.pt")
    )
