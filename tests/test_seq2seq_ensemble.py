"""Ensembles by their definition: the mean of the members' probabilities at each step; and models
that are loaded once.
"""

from __future__ import annotations

import gc
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training
from pseudogec.artefacts.errors import UserError
from pseudogec.seq2seq import (
    Decoder,
    LanguageModelArchitecture,
    binarise_text,
    checkpoints,
    model_cache,
    train,
    train_language_model,
)
from pseudogec.seq2seq.data import BEGINNING, END, PADDING, UNKNOWN, read_dictionary

pytestmark = pytest.mark.slow

COPYING = TINY.model_copy(
    update={"name": "copy_transformer", "fairseq_options": {"copy-attention-heads": 2}}
)
ENSEMBLES = {
    "plain": ("one", "two"),
    "copying": ("one", "copying"),
    "three": ("one", "two", "copying"),
}


@pytest.fixture(scope="module")
def folder(one_thread, tmp_path_factory) -> Path:
    """The models one, two and copying, and the language model ``language``."""
    folder = tmp_path_factory.mktemp("models")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    data = make_dataset(folder / "data", dictionary, 800, seed=1)
    optimisation = short_training(learning_rate=5e-3, warmup_updates=30, max_tokens=500, epochs=5)
    for name, architecture, seed in (("one", TINY, 1), ("two", TINY, 2), ("copying", COPYING, 3)):
        train([data], None, dictionary, folder / name, architecture, optimisation, seed)
    binarise_text([target for _, target in make_pairs(100, seed=1)], dictionary, folder / "text")
    shape = LanguageModelArchitecture(
        layers=1, attention_heads=2, model_size=32, feed_forward_size=64, max_positions=20
    )
    train_language_model(
        [folder / "text"], None, dictionary, folder / "language", shape, short_training(epochs=1), 1
    )
    return folder


@pytest.fixture(params=ENSEMBLES)
def ensemble(request, folder) -> list[Path]:
    return [folder / name for name in ENSEMBLES[request.param]]


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return [source for source, _ in make_pairs(25, seed=5)]


def next_probabilities(model: Path, source: list[int], prefix: list[int]) -> np.ndarray:
    """One model's distribution over the next piece, for one sentence without batch, padding, or
    states kept between steps.
    """
    network = model_cache.load(model).model
    with torch.no_grad():
        output = network(
            torch.tensor([[*source, END]]),
            torch.tensor([len(source) + 1]),
            torch.tensor([[END, *prefix]]),
        )
        found = network.get_normalized_probs(output, log_probs=False)[0, -1].double().numpy()
    assert found.sum() == pytest.approx(1.0, abs=1e-5)
    return found


def mean_probabilities(models: list[Path], source: list[int], prefix: list[int]) -> np.ndarray:
    return np.mean([next_probabilities(model, source, prefix) for model in models], axis=0)


def score_by_hand(models: list[Path], source: list[int], target: list[int]) -> float:
    """The sum over the steps of the logarithm of the members' mean probability."""
    steps = enumerate([*target, END])
    return sum(
        math.log(mean_probabilities(models, source, target[:place])[number])
        for place, number in steps
    )


def numbers_of(folder: Path, pieces: list[str]) -> list[int]:
    numbers = read_dictionary(folder / "dict.src.txt")
    return [numbers.get(piece, UNKNOWN) for piece in pieces]


def test_scores_are_sums_of_logarithms_of_mean_probabilities(ensemble, sentences):
    candidates = [[sentence, sentence[::-1], [*sentence, "ba"], []] for sentence in sentences[:8]]
    found = Decoder(ensemble).score(sentences[:8], candidates, length_penalty=0.0)
    for sentence, targets, scores in zip(sentences, candidates, found, strict=False):
        source = numbers_of(ensemble[0], sentence)
        expected = [
            score_by_hand(ensemble, source, numbers_of(ensemble[0], target)) for target in targets
        ]
        assert scores == pytest.approx(expected, abs=1e-3)


def test_the_search_sees_the_mean_of_the_members_probabilities(ensemble, sentences):
    """Greedy search, step by step: at each step the piece whose mean probability is largest."""
    pieces = list(read_dictionary(ensemble[0] / "dict.trg.txt"))
    outputs = Decoder(ensemble).decode(sentences, beam=1, length_penalty=0.0)
    checked = 0
    for sentence, (output,) in zip(sentences, outputs, strict=True):
        source, prefix, total, clear = numbers_of(ensemble[0], sentence), [], 0.0, True
        while len(prefix) < 12:
            mean = mean_probabilities(ensemble, source, prefix)
            mean[[BEGINNING, PADDING]] = 0
            if not prefix:
                mean[END] = 0  # no search gives an empty output
            second, first = np.sort(mean)[-2:]
            clear &= bool(first - second > 1e-4 and np.argmax(mean) != UNKNOWN)
            total += math.log(first)
            if np.argmax(mean) == END:
                break
            prefix.append(int(np.argmax(mean)))
        if clear and len(prefix) < 12:  # where two pieces are as good as equal either may come
            assert output.subwords == [pieces[number] for number in prefix]
            assert output.score == pytest.approx(total, abs=1e-3)
            checked += 1
    assert checked > 15


def test_probabilities_too_small_for_a_float_keep_their_logarithm(folder, tmp_path):
    """Models so sure of themselves that their float32 probability of a wrong piece is 0."""
    for name in ("one", "two"):
        shutil.copytree(
            folder / name, tmp_path / name, ignore=shutil.ignore_patterns("ctranslate2-*")
        )
        state = checkpoints.load(tmp_path / name / "model.pt")
        for kind in ("weight", "bias"):
            state["model"][f"decoder.layers.0.final_layer_norm.{kind}"] *= 100
        checkpoints.save(state, tmp_path / name / "model.pt")
    models, wrong = [tmp_path / "one", tmp_path / "two"], [["ba", "ka", "fa", "ba"] * 4]
    alone = [
        Decoder([model]).score([["mo"]], [wrong], length_penalty=0.0)[0][0] for model in models
    ]
    (together,) = Decoder(models).score([["mo"]], [wrong], length_penalty=0.0)[0]
    assert min(alone) < -1000
    assert -math.inf < together < 0
    # No mean is less than half of the larger one
    assert together >= max(alone) - len(wrong[0] + [END]) * math.log(2)


# --- Refusals


def test_models_of_different_vocabularies_are_refused(folder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folder / "two", other)
    for name in ("dict.src.txt", "dict.trg.txt"):
        make_dictionary([*make_pairs(400, seed=1), (["new"], ["piece"])], other / name)
    with pytest.raises(UserError, match="vocabular") as refusal:
        Decoder([folder / "one", folder / "copying", other])
    assert str(other) in str(refusal.value) and str(folder / "one") in str(refusal.value)


# --- Models in memory


@pytest.fixture
def released():
    """Nothing is loaded before and after the test."""
    gc.collect()
    model_cache.release()
    yield
    model_cache.release()


def test_a_model_is_read_anew_once_its_file_has_changed(released, folder, sentences, tmp_path):
    shutil.copytree(
        folder / "one", tmp_path / "model", ignore=shutil.ignore_patterns("ctranslate2-*")
    )
    for engine in ("fairseq", "ctranslate2"):
        shutil.copyfile(folder / "one/model.pt", tmp_path / "model/model.pt")
        before = Decoder([tmp_path / "model"], engine=engine).decode(sentences)
        shutil.copyfile(folder / "two/model.pt", tmp_path / "model/model.pt")
        status = (tmp_path / "model/model.pt").stat()
        os.utime(tmp_path / "model/model.pt", ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        after = Decoder([tmp_path / "model"], engine=engine).decode(sentences)
        assert before == Decoder([folder / "one"], engine=engine).decode(sentences)
        assert after == Decoder([folder / "two"], engine=engine).decode(sentences)
