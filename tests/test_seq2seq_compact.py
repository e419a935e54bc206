"""Compact models: rounded as said, read by everything that decodes, and unable to run a program."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training
from pseudogec.artefacts.errors import DataError
from pseudogec.seq2seq import (
    Decoder,
    checkpoints,
    train,
)
from pseudogec.seq2seq.detector import Detector, make_compact_detector, train_detector
from pseudogec.seq2seq.model_files import make_compact, read_weights, write_rounded
from pseudogec.seq2seq.options import DetectorOptions

Models = dict[str, tuple[Path, Path]]

SENTENCES = [source for source, _ in make_pairs(30, seed=9)]
SHAPES = {
    "one embedding": TINY,
    "three embeddings": TINY.model_copy(update={"share_embeddings": "none", "pre_norm": True}),
    "copying": TINY.model_copy(
        update={"name": "copy_transformer", "fairseq_options": {"copy-attention-heads": 2}}
    ),
}


def as_rounded(weights: np.ndarray) -> np.ndarray:
    """A matrix whose rows are whole multiples of a 127th of their largest value; a vector in half
    precision.
    """
    if weights.ndim < 2:
        return weights.astype(np.float16).astype(np.float32)
    step = (
        (np.abs(weights).max(axis=1, keepdims=True) / np.float32(127))
        .astype(np.float16)
        .astype(np.float32)
    )
    return np.clip(np.round(weights / np.where(step, step, 1)), -127, 127) * step


def test_matrices_are_rounded_to_8_bits_a_row(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1)
    matrix = (
        numbers.normal(size=(40, 300)).astype(np.float32)
        * np.logspace(-3, 3, 40, dtype=np.float32)[:, None]
    )
    matrix[5] = 0
    weights = {
        "matrix": torch.tensor(matrix),
        "vector": torch.arange(7.0),
        "cube": torch.ones(3, 4, 5),
        "half": torch.ones(2).half(),
    }
    write_rounded(weights, tmp_path / "weights")
    found = read_weights(tmp_path / "weights")
    assert {name: value.shape for name, value in found.items()} == {
        name: value.shape for name, value in weights.items()
    }
    assert {value.dtype for value in found.values()} == {torch.float32}
    # In half precision, 127 steps are wrong by up to 127 / 2048 of one
    step = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(found["matrix"].numpy() - matrix) <= (0.5 + 127 / 2048) * step).all()
    assert np.array_equal(found["matrix"].numpy(), as_rounded(matrix))
    assert torch.equal(found["vector"], weights["vector"])
    assert (tmp_path / "weights").stat().st_size < 1.1 * matrix.size


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dictionary(
        make_pairs(300, seed=1), tmp_path_factory.mktemp("dictionary") / "dict.txt"
    )


@pytest.fixture(scope="module")
def dataset(dictionary: Path) -> Path:
    return make_dataset(dictionary.parent / "data", dictionary, 300, seed=1)


@pytest.fixture(scope="module")
def models(dictionary: Path, dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Models:
    """A trained model of each shape, and its compact form."""
    made = {}
    for name, shape in SHAPES.items():
        folder = tmp_path_factory.mktemp("model")
        train([dataset], None, dictionary, folder / "trained", shape, short_training(), seed=1)
        (folder / "compact").mkdir()
        make_compact(folder / "trained", folder / "compact")
        made[name] = folder / "trained", folder / "compact"
    return made


@pytest.fixture(scope="module")
def compact(models: Models) -> Path:
    return models["one embedding"][1]


def rounded_by_hand(model: Path, folder: Path) -> Path:
    """A model in fairseq's format with rounded weights."""
    shutil.copytree(model, folder, ignore=shutil.ignore_patterns("ctranslate2-*"))
    state = checkpoints.load(model / "model.pt")
    state["model"] = {
        name: torch.tensor(as_rounded(value.numpy())) for name, value in state["model"].items()
    }
    checkpoints.save(state, folder / "model.pt")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_a_compact_model_decodes_as_one_with_rounded_weights(
    shape: str, models: Models, tmp_path: Path
) -> None:
    model, compact = models[shape]
    files = {"model.safetensors", "model.json", "dict.src.txt", "dict.trg.txt"}
    assert {path.name for path in compact.iterdir() if path.is_file()} == files
    expected = rounded_by_hand(model, tmp_path / "rounded")
    for options in ({"n_best": 3}, {"beta_random": 4.0, "seed": 2}):
        ours, theirs = (
            Decoder([folder]).decode(SENTENCES, **options) for folder in (compact, expected)
        )
        assert [[found.subwords for found in each] for each in ours] == [
            [found.subwords for found in each] for each in theirs
        ]
        assert [found[0].score for found in ours] == pytest.approx(
            [found[0].score for found in theirs], abs=1e-5
        )
    ours, theirs = (Decoder([folder, model]).decode(SENTENCES) for folder in (compact, expected))
    assert [found[0].subwords for found in ours] == [found[0].subwords for found in theirs]


def spoil(folder: Path, file: str, change: Callable[[dict[str, Any]], object]) -> None:
    described = json.loads((folder / file).read_text(encoding="utf-8"))
    change(described)
    (folder / file).write_text(json.dumps(described), encoding="utf-8")


CODE = "__import__('os').abort()"
"""fairseq has Python evaluate some options that are texts."""


@pytest.mark.slow
def test_a_compact_detector_says_what_one_with_rounded_weights_says(
    models: Models, tmp_path: Path
) -> None:
    labelled = SENTENCES, [number % 2 == 0 for number in range(len(SENTENCES))]
    train_detector(
        *labelled,
        labelled,
        models["one embedding"][0],
        tmp_path / "trained",
        DetectorOptions(epochs=1),
        seed=1,
    )
    (tmp_path / "compact").mkdir()
    make_compact_detector(tmp_path / "trained", tmp_path / "compact")
    by_hand, compact = (Detector.load(tmp_path / name) for name in ("trained", "compact"))
    by_hand.set_weights(
        {name: torch.tensor(as_rounded(value.numpy())) for name, value in by_hand.weights().items()}
    )
    assert compact.probabilities(SENTENCES) == pytest.approx(
        by_hand.probabilities(SENTENCES), abs=1e-6
    )
    spoil(
        tmp_path / "compact",
        "detector.json",
        lambda said: said["architecture"].update(adaptive_softmax_cutoff=CODE),
    )
    with pytest.raises(DataError, match=r"detector\.json"):
        Detector.load(tmp_path / "compact")


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["model"].update(adaptive_softmax_cutoff=CODE),
        lambda said: said["model"].update(max_source_positions=CODE),
        lambda said: said["model"].update(decoder_layers=["1"]),
        lambda said: said["task"].update(eval_bleu_args=CODE),
        lambda said: said.pop("model"),
    ],
    ids=["code", "code in place of a number", "a list", "code of the task", "no options"],
)
def test_a_description_that_make_compact_does_not_write_is_refused(
    change: Callable[[dict[str, Any]], object], compact: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(
        compact, tmp_path / "model", ignore=shutil.ignore_patterns("ctranslate2-*")
    )
    spoil(folder, "model.json", change)
    with pytest.raises(DataError, match=r"model\.json"):
        Decoder([folder]).decode(SENTENCES)


class Malicious:
    """Whoever reads its pickle ends the program."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return exec, (CODE,)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["ctranslate2", "fairseq"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:-1],
        lambda whole: whole[:1000],
        lambda whole: pickle.dumps(Malicious()),
    ],
    ids=["empty", "a byte short", "cut", "a pickle"],
)
def test_weights_that_are_damaged_or_a_pickle_are_refused(
    damage: Callable[[bytes], bytes], engine: Any, compact: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(
        compact, tmp_path / "model", ignore=shutil.ignore_patterns("ctranslate2-*")
    )
    (folder / "model.safetensors").write_bytes(damage((compact / "model.safetensors").read_bytes()))
    with pytest.raises(DataError, match=r"model\.safetensors"):
        Decoder([folder], engine=engine).decode(SENTENCES)
