"""When memory is too small: a training says what may help, and decoding loses no sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from helpers.seq2seq_training import train_tiny
from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs
from pseudogec.artefacts.errors import UserError
from pseudogec.seq2seq import Architecture, Decoder, checkpoints
from pseudogec.seq2seq.training import TrainingResult

PLUGIN = Path(__file__).parent / "small_memory"

pytestmark = pytest.mark.usefixtures("one_thread")


def small_memory(sentences: int, until: int = 0) -> Architecture:
    """A model for as many sentences as memory has room for, from an update on."""
    options = {"user-dir": str(PLUGIN), "memory-for-sentences": sentences, "memory-until": until}
    return TINY.model_copy(
        update={"name": "small_memory_transformer", "dropout": 0.0, "fairseq_options": options}
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with dict.txt, training data and validation data."""
    folder = tmp_path_factory.mktemp("data")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    make_dataset(folder / "genuine", dictionary, 150, seed=1)
    make_dataset(folder / "valid", dictionary, 50, seed=2)
    return folder


@pytest.fixture(scope="module")
def whole(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingResult, Path]:
    """A training with memory enough."""
    folder = tmp_path_factory.mktemp("whole") / "model"
    return train(data, folder, small_memory(1000)), folder


def train(
    data: Path, save_dir: Path, architecture: Architecture, **options: object
) -> TrainingResult:
    return train_tiny(
        data,
        save_dir,
        architecture=architecture,
        updates_per_point=1,
        **{"update_frequency": 2, **options},
    )


# --- Training


@pytest.mark.slow
@pytest.mark.parametrize("until", [0, 3])
def test_a_training_that_runs_out_of_memory_says_what_may_help(
    data: Path, tmp_path: Path, until: int
) -> None:
    with pytest.raises(UserError, match=f"after {until} updates .*max_tokens"):
        train(data, tmp_path / "model", small_memory(12, until))


# --- Decoding


def copy_with_memory_for(sentences: int, model: Path, folder: Path) -> Path:
    shutil.copytree(model, folder)
    state = checkpoints.load(folder / "model.pt")
    state["cfg"]["model"].memory_for_sentences = sentences
    checkpoints.save(state, folder / "model.pt")
    return folder


@pytest.mark.slow
def test_outputs_are_those_of_memory_enough(
    whole: tuple[TrainingResult, Path], tmp_path: Path
) -> None:
    """Also where they are random; sentences of one length, whose first batch would hold all of
    them.
    """
    small = copy_with_memory_for(4, whole[1], tmp_path / "small")
    sentences = [source for source, _ in make_pairs(60, seed=5)]
    enough, too_small = (Decoder([folder], engine="fairseq") for folder in (whole[1], small))
    for options in ({}, {"beam": 3, "n_best": 3}, {"beta_random": 4.0}):
        found, expected = (
            too_small.decode(sentences, **options),
            enough.decode(sentences, **options),
        )
        for one, other in zip(found, expected, strict=True):
            assert [hypothesis.subwords for hypothesis in one] == [
                hypothesis.subwords for hypothesis in other
            ]
            assert np.allclose(
                [each.score for each in one], [each.score for each in other], atol=1e-4
            )
    assert [h[0].subwords for h in too_small.sample(sentences)] == [
        h[0].subwords for h in enough.sample(sentences)
    ]
    candidates = [[sentence, sentence[1:]] for sentence in sentences]
    assert np.allclose(
        too_small.score(sentences, candidates), enough.score(sentences, candidates), atol=1e-4
    )
