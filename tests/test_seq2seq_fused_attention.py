"""Fused attention gives what fairseq's attention gives: outputs, gradients, trainings."""

from __future__ import annotations

import copy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from pseudogec.seq2seq import compat, model_cache
from pseudogec.seq2seq.fused_attention import FusedAttention, MultiheadAttention
from pseudogec.seq2seq.training import train
from seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training

pytestmark = pytest.mark.slow

WIDTH, HEADS = 16, 4


def pair_of_attentions(**options) -> tuple[MultiheadAttention, MultiheadAttention]:
    """An attention of fairseq's and a fused one with the same weights."""
    torch.manual_seed(1)
    plain = MultiheadAttention(WIDTH, HEADS, encoder_decoder_attention=True, **options)
    with torch.no_grad():
        for weights in plain.parameters():
            weights.uniform_(-0.5, 0.5)
    fused = copy.deepcopy(plain)
    fused.__class__ = FusedAttention
    return plain, fused


def states(pieces: int, sentences: int, seed: int) -> torch.Tensor:
    return torch.randn(pieces, sentences, WIDTH, generator=torch.Generator().manual_seed(seed))


def padding_of(lengths: list[int]) -> torch.Tensor:
    """Sources are padded on the left."""
    longest = max(lengths)
    return torch.tensor([[place < longest - length for place in range(longest)] for length in lengths])


@pytest.mark.parametrize("padded", [False, True])
def test_attention_to_the_encoder_and_its_gradients(padded):
    padding = padding_of([5, 3, 1]) if padded else None
    results = []
    for attention in pair_of_attentions():
        query, key = states(4, 3, seed=1).requires_grad_(), states(5, 3, seed=2).requires_grad_()
        output, weights = attention(query, key, key, key_padding_mask=padding, static_kv=True, need_weights=False)
        assert weights is None
        (output * states(4, 3, seed=3)).sum().backward()
        gradients = [query.grad, key.grad, *(weights.grad for weights in attention.parameters())]
        results.append([output.detach(), *gradients])
    for plain, fused in zip(*results, strict=True):
        torch.testing.assert_close(fused, plain, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
def test_half_precision(precision):
    outputs = []
    for attention in pair_of_attentions():
        query, key = states(4, 2, seed=1).to(precision), states(6, 2, seed=2).to(precision)
        options = {"key_padding_mask": padding_of([6, 2]), "static_kv": True, "need_weights": False}
        outputs.append(attention.to(precision)(query, key, key, **options)[0])
    plain, fused = outputs
    assert fused.dtype == plain.dtype == precision
    torch.testing.assert_close(fused, plain, atol=0.05 if precision == torch.bfloat16 else 0.005, rtol=0.0)


def test_dropout_falls_on_weights_with_the_same_rate():
    draws = 4000
    deviations = []
    for attention in pair_of_attentions(dropout=0.3):
        query, key = states(1, 1, seed=1).expand(1, draws, WIDTH), states(6, 1, seed=2).expand(6, draws, WIDTH)
        output, _ = attention.train()(query, key, key, static_kv=True, need_weights=False)
        deviations.append(output[0].std(0))
        without, _ = attention.eval()(query[:, :1], key[:, :1], key[:, :1], static_kv=True, need_weights=False)
        error = deviations[-1] / draws**0.5
        assert ((output[0].mean(0) - without[0, 0]).abs() < 5 * error).all()  # the expected output is that without dropout
    torch.testing.assert_close(deviations[1], deviations[0], rtol=0.1, atol=0.01)


def test_weights_that_validation_asks_for_are_fairseqs():
    query, key = states(4, 2, seed=1), states(5, 2, seed=2)
    expected, found = (attention.eval()(query, key, key, static_kv=True) for attention in pair_of_attentions())
    assert all(torch.equal(one, other) for one, other in zip(expected, found, strict=True))


@pytest.mark.parametrize("name", ["transformer", "copy_transformer"])
def test_a_training_has_the_same_losses(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    make_dictionary(make_pairs(400, seed=1), tmp_path / "dict.txt")
    data, valid = (make_dataset(tmp_path / part, tmp_path / "dict.txt", 2000, seed) for part, seed in (("data", 1), ("valid", 2)))
    shape = TINY.model_copy(update={"name": name, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0})
    options = short_training(learning_rate=5e-3, warmup_updates=30, max_tokens=500, epochs=3)

    def trained(fused: bool):
        architecture = shape.model_copy(update={"fused": fused})
        return train([data], valid, tmp_path / "dict.txt", tmp_path / str(fused), architecture, options, 1, updates_per_point=5)

    calls = SimpleNamespace(fused=0)
    split = FusedAttention._split
    monkeypatch.setattr(FusedAttention, "_split", lambda *given: (setattr(calls, "fused", calls.fused + 1), split(*given))[1])
    plain = trained(fused=False)
    assert not calls.fused
    fused = trained(fused=True)
    assert calls.fused and plain.updates == fused.updates > 30
    for curve in ("training_curve", "validation_curve"):
        expected, found = ([point.loss for point in getattr(result, curve)] for result in (plain, fused))
        np.testing.assert_allclose(found, expected, rtol=1e-3)
    with compat.quiet():
        models = [model_cache.load(tmp_path / folder).model for folder in ("False", "True")]
    assert not any(isinstance(module, FusedAttention) for module in models[1].modules()), "a model file says nothing of it"
