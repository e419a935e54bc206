"""The error detector: training, and what it says of sentences."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from helpers.seq2seq_world import (
    TINY,
    WORDS,
    make_dataset,
    make_dictionary,
    make_pairs,
    short_training,
)
from pseudogec.seq2seq.detector import Detector, DetectorResult, train_detector
from pseudogec.seq2seq.options import DetectorOptions
from pseudogec.seq2seq.training import train

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

LONGEST = 30
OPTIONS = DetectorOptions(learning_rate=3e-3, epochs=2, max_tokens=300)
FILES = {"classifier.safetensors", "detector.json", "dict.src.txt", "dict.trg.txt"}


def labelled(count: int, seed: int) -> tuple[list[list[str]], list[bool]]:
    """Learners' sentences, and whether they differ from what they should be."""
    pairs = make_pairs(count, seed)
    return [source for source, _ in pairs], [source != target for source, target in pairs]


def cyclic(count: int, seed: int) -> tuple[list[list[str]], list[bool]]:
    """A language in which an error can be seen: words follow one another in a ring; half of the
    sentences hold a wrong one.
    """
    numbers = np.random.default_rng(seed)
    sentences, labels = [], []
    for _ in range(count):
        start, length = numbers.integers(len(WORDS)), numbers.integers(3, 9)
        sentence = [WORDS[(start + place) % len(WORDS)] for place in range(length)]
        wrong = bool(numbers.random() < 0.5)
        if wrong:
            place = int(numbers.integers(1, length))
            others = [word for word in WORDS if word != sentence[place]]
            sentence[place] = others[int(numbers.integers(len(others)))]
        sentences.append(sentence)
        labels.append(wrong)
    return sentences, labels


def correction_model(folder: Path, **architecture: object) -> Path:
    dictionary = make_dictionary(make_pairs(300, seed=1), folder / "dict.txt")
    data = make_dataset(folder / "data", dictionary, 300, seed=1)
    chosen = TINY.model_copy(update={"max_positions": LONGEST + 1, **architecture})
    train([data], None, dictionary, folder / "model", chosen, short_training(), seed=1)
    return folder / "model"


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return correction_model(tmp_path_factory.mktemp("correction"))


@pytest.fixture(scope="module")
def trained(model, tmp_path_factory) -> tuple[Path, DetectorResult]:
    """A detector of errors in the cyclic language."""
    folder = tmp_path_factory.mktemp("detector")
    options = OPTIONS.model_copy(update={"epochs": 6, "learning_rate": 1e-2})
    return folder, train_detector(
        *cyclic(1500, seed=1), cyclic(200, seed=2), model, folder, options, seed=1
    )


def test_errors_are_detected_in_sentences_that_were_not_seen(trained):
    folder, result = trained
    sentences, labels = cyclic(300, seed=3)
    found = np.array(Detector.load(folder).probabilities(sentences))
    assert ((found >= 0.5) == np.array(labels)).mean() > 0.85
    assert result.accuracy > 0.85


def test_the_result_is_that_of_the_kept_epoch(trained):
    folder, result = trained
    sentences, labels = cyclic(200, seed=2)
    found, wrong = np.array(Detector.load(folder).probabilities(sentences)), np.array(labels)
    assert len(result.validation_losses) == 6 and result.sentences == 1500
    assert result.epoch == 1 + int(np.argmin(result.validation_losses))
    loss = -np.mean(
        [math.log(p if label else 1 - p) for p, label in zip(found, labels, strict=True)]
    )
    assert loss == pytest.approx(min(result.validation_losses), rel=1e-4)
    detected = found >= 0.5
    precision, recall = (
        (detected & wrong).sum() / detected.sum(),
        (detected & wrong).sum() / wrong.sum(),
    )
    assert (result.accuracy, result.precision, result.recall) == pytest.approx(
        ((detected == wrong).mean(), precision, recall)
    )
    assert result.f05 == pytest.approx(1.25 * precision * recall / (0.25 * precision + recall))
    assert result.share_with_error == pytest.approx(wrong.mean())


def test_probabilities_do_not_depend_on_the_company(trained):
    folder, _ = trained
    detector = Detector.load(folder)
    sentences, _ = labelled(60, seed=4)
    together = detector.probabilities(sentences)
    assert together == pytest.approx(
        [detector.probabilities([sentence])[0] for sentence in sentences], abs=1e-5
    )
    assert together[::-1] == pytest.approx(detector.probabilities(sentences[::-1]), abs=1e-5)
    assert together == pytest.approx(detector.probabilities(sentences, max_tokens=20), abs=1e-5)


def test_before_training_errors_are_what_the_correction_model_holds_unlikely(model, tmp_path):
    """The definition: the logit is the logarithm of the sum over places of exp(shift + scale * log
    p(piece)).
    """
    import torch
    from fairseq import checkpoint_utils

    sentences, labels = labelled(30, seed=5)
    still = DetectorOptions(learning_rate=1e-12, epochs=1, dropout=0.0)
    train_detector(
        sentences, labels, (sentences, labels), model, tmp_path / "detector", still, seed=1
    )
    (network,), _, task = checkpoint_utils.load_model_ensemble_and_task(
        [str(model / "model.pt")], arg_overrides={"data": str(model)}
    )
    dictionary = task.target_dictionary
    end = dictionary.eos()
    expected = []
    with torch.no_grad():
        network.eval()
        for sentence in sentences:
            row = [*map(dictionary.index, sentence), end]
            output = network(
                torch.tensor([row]), torch.tensor([len(row)]), torch.tensor([[end, *row[:-1]]])
            )
            kept = network.get_normalized_probs(output, log_probs=True)[0].gather(
                1, torch.tensor(row)[:, None]
            )
            expected.append(float(torch.sigmoid(torch.logsumexp(-0.3 * kept - 3.0, dim=0))))
    assert Detector.load(tmp_path / "detector").probabilities(sentences) == pytest.approx(
        expected, abs=1e-4
    )


@pytest.mark.parametrize(
    "architecture", [{}, {"name": "copy_transformer", "share_embeddings": "all"}]
)
def test_equal_arguments_give_equal_files_that_need_nothing_else(architecture, tmp_path):
    import shutil

    initial = correction_model(tmp_path, **architecture)
    found = []
    before = np.random.get_state()[1].copy()
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        folder = tmp_path / name
        result = train_detector(
            *labelled(120, seed=6), labelled(40, seed=7), initial, folder, OPTIONS, seed
        )
        assert {path.name for path in folder.iterdir()} == FILES
        found.append((result, {path.name: path.read_bytes() for path in folder.iterdir()}))
    assert found[0] == found[1] != found[2]
    assert found[0][1]["classifier.safetensors"] != found[2][1]["classifier.safetensors"]
    assert (np.random.get_state()[1] == before).all()
    assert str(tmp_path).encode() not in b"".join(found[0][1].values())
    description = json.loads(found[0][1]["detector.json"])
    assert (
        DetectorOptions(**description["options"]) == OPTIONS
        and DetectorResult(**description["result"]) == found[0][0]
    )
    sentences, _ = labelled(20, seed=8)
    probabilities = Detector.load(tmp_path / "one").probabilities(sentences)
    shutil.rmtree(initial)
    (tmp_path / "one").rename(tmp_path / "elsewhere")
    assert Detector.load(tmp_path / "elsewhere").probabilities(sentences) == probabilities
