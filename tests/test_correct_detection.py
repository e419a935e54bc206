"""Corrections only where an error is detected: the step, the threshold, and encoders as
classifiers.
"""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.recipe import with_ancestors
from pseudogec.correct import Corrected, ErrorDetection, ReadyStep, choose_threshold
from pseudogec.correct.detection import ErrorProbabilities
from pseudogec.evaluate import precision_recall_f05

SOURCES = [["He", "go", "."], ["She", "goes", "."], [], ["\x07", "😀"]]
CORRECTED = [
    Corrected(tuple(words)) for words in (["He", "goes", "."], ["She", "went", "."], [], ["😀"])
]


def gate(probabilities: ErrorProbabilities, threshold: float) -> ReadyStep:
    return partial(
        ErrorDetection(model="any").gate, probabilities=probabilities, threshold=threshold
    )


def probabilities(sentences):
    """Of an error, known by the first word."""
    known = {"He": 0.9, "She": 0.12, "\x07": 0.5}
    return [known[tokens[0]] if tokens else 0.0 for tokens in sentences]


def test_a_sentence_is_corrected_only_where_an_error_is_detected():
    found = gate(probabilities, threshold=0.5)(SOURCES, CORRECTED)
    assert [sentence.tokens for sentence in found] == [
        ("He", "goes", "."),
        ("She", "goes", "."),
        (),
        ("😀",),
    ]
    assert found[0].note == "p(error) = 0.90"
    assert found[1].note == "p(error) = 0.12, below 0.50: left as it was written"


def brute_force(probabilities: np.ndarray, corrected: np.ndarray, unchanged: np.ndarray) -> float:
    """The best F0.5 of all gates, each counted anew from its definition."""
    scores = []
    for threshold in [
        0.0,
        *probabilities,
        2.0,
        *(probabilities[:, None] + probabilities[None, :]).ravel() / 2,
    ]:
        totals = sum(
            (after if probability >= threshold else before)
            for probability, after, before in zip(probabilities, corrected, unchanged, strict=True)
        )
        scores.append(float(precision_recall_f05(*totals)[2]))
    return max(scores)


@pytest.mark.parametrize("seed", range(20))
def test_the_threshold_is_the_best_of_all(seed):
    numbers = np.random.default_rng(seed)
    # Few different probabilities in half of the cases: sentences of equal probability are decided
    # together.
    found = numbers.random(25) if seed % 2 else numbers.integers(0, 6, 25) / 5
    errors = numbers.integers(0, 4, 25)
    right = numbers.integers(0, errors + 1)
    corrected = np.stack([right, numbers.integers(0, 4, 25), errors - right], axis=1)
    unchanged = np.stack([np.zeros_like(errors), np.zeros_like(errors), errors], axis=1)
    chosen = choose_threshold(found.tolist(), corrected, unchanged)
    assert chosen.f05 == pytest.approx(brute_force(found, corrected, unchanged))
    assert (
        chosen.f05
        >= chosen.f05_of_all
        == pytest.approx(float(precision_recall_f05(*corrected.sum(axis=0))[2]))
    )
    applied = np.where((found >= chosen.threshold)[:, None], corrected, unchanged).sum(axis=0)
    assert float(precision_recall_f05(*applied)[2]) == pytest.approx(chosen.f05)
    # It survives being written down.
    assert json.loads(json.dumps(chosen._asdict()))["threshold"] == chosen.threshold


@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip(
        "transformers", reason="encoders of BERT's kind are an option: make encoder"
    )


LETTERS = "abcdefghijklmnopqrstuvwxyz.,'"
LONGEST = 24


@pytest.fixture(scope="module")
def encoder(transformers, tmp_path_factory) -> Path:
    """A tiny BERT with random weights and WordPieces of single letters."""
    import torch

    folder = tmp_path_factory.mktemp("bert")
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *LETTERS,
        *(f"##{letter}" for letter in LETTERS),
    ]
    (folder / "vocab.txt").write_text("\n".join(pieces))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    configuration = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=LONGEST,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        transformers.BertModel(configuration).save_pretrained(folder)
    return folder


def sentences_of_letters(count: int, seed: int) -> tuple[list[list[str]], list[bool]]:
    """Sentences of words of two letters; one with the letter z has an error. Some are longer than
    the encoder can read.
    """
    numbers = np.random.default_rng(seed)
    sentences = [
        ["".join(numbers.choice([*LETTERS[:-4]], 2)) for _ in range(numbers.integers(1, 16))]
        for _ in range(count)
    ]
    labels = [bool(numbers.random() < 0.5) for _ in sentences]
    for sentence, wrong in zip(sentences, labels, strict=True):
        if wrong:
            sentence[numbers.integers(min(len(sentence), 8))] = "za"
    return sentences, labels


def test_an_encoder_learns_to_detect_errors(transformers, encoder, tmp_path):
    import torch

    from pseudogec.seq2seq import DetectorOptions
    from pseudogec.seq2seq.detector import Encoder, train_encoder

    options = DetectorOptions(learning_rate=3e-3, epochs=5, max_tokens=200)
    training, held_out = sentences_of_letters(600, seed=1), sentences_of_letters(200, seed=2)
    results = [
        train_encoder(*training, held_out, encoder, tmp_path / name, options, seed=1)
        for name in ("one", "again")
    ]
    assert results[0] == results[1] and results[0].accuracy > 0.95
    assert (tmp_path / "one/model.safetensors").read_bytes() == (
        tmp_path / "again/model.safetensors"
    ).read_bytes()

    sentences, _ = sentences_of_letters(70, seed=3)
    model = transformers.BertForSequenceClassification.from_pretrained(tmp_path / "one").eval()
    tokeniser = transformers.BertTokenizerFast.from_pretrained(tmp_path / "one")
    with torch.no_grad():
        inputs = [
            tokeniser(" ".join(words), return_tensors="pt", truncation=True, max_length=LONGEST)
            for words in sentences
        ]
        expected = [torch.sigmoid(model(**each).logits).item() for each in inputs]
    # One by one above, in batches here.
    assert Encoder(tmp_path / "one").probabilities([*sentences, []]) == pytest.approx(
        [*expected, 0], abs=1e-5
    )


def test_an_encoder_that_cannot_be_read_is_refused(transformers, encoder, tmp_path):
    from pseudogec.seq2seq.detector import Encoder

    shutil.copytree(encoder, tmp_path / "encoder")
    (tmp_path / "encoder" / "model.safetensors").unlink()
    with pytest.raises(UserError, match="encoder"):
        Encoder(tmp_path / "encoder")


def test_a_profile_names_an_encoder(encoder, tmp_path):
    from pseudogec.seq2seq.detector import Encoder
    from pseudogec.study import Study
    from pseudogec.study.corrector import Corrector, find_system

    detection = f"{{step: error_detection, threshold: 0.5, hugging_face: {encoder}}}"
    overrides = [
        "systems.careful.steps=[{step: spelling, language_model: false, casing: "
        f"false}}, {detection}]"
    ]
    study = Study.open("smoke", overrides, store=tmp_path / "store", workers=1)
    sentences = [
        ["this", "is", number, "speling"]
        for number in ("one", "two", "three", "four", "five", "six")
    ]
    system = find_system(study, "careful")
    with study.engine:
        traces = Corrector(study, system)(sentences)
    [trained] = [
        recipe
        for recipe in with_ancestors([study.planner.correction(system, "classroom-test")])
        if recipe.kind == "encoder"
    ]
    found = Encoder(study.store.folder(trained)).probabilities(sentences)
    for sentence, trace, probability in zip(sentences, traces, found, strict=True):
        mended = [*sentence[:3], "spelling"]
        assert [*trace.tokens] == (mended if probability >= 0.5 else sentence)
