"""The loss computed in place, against fairseq's criterion, and trainings with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pseudogec.seq2seq import compat

compat.apply()

from fairseq.criterions.label_smoothed_cross_entropy import label_smoothed_nll_loss  # noqa: E402

from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training  # noqa: E402
from pseudogec.seq2seq.fused_loss import _SmoothedCrossEntropy  # noqa: E402
from pseudogec.seq2seq.training import train  # noqa: E402

PADDING, SUBWORDS, VOCABULARY = 1, 300, 50


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 5e-3)])
def test_losses_and_gradient_are_fairseqs(
    smoothing: float, dtype: torch.dtype, tolerance: float
) -> None:
    numbers = torch.Generator().manual_seed(1)
    logits = (4 * torch.randn(SUBWORDS, VOCABULARY, generator=numbers)).to(dtype)
    target = torch.randint(2, VOCABULARY, (SUBWORDS,), generator=numbers)
    target[::7] = PADDING
    theirs, ours = (logits.clone().requires_grad_() for _ in range(2))
    log_probabilities = torch.log_softmax(theirs, dim=-1, dtype=torch.float32)
    expected = label_smoothed_nll_loss(log_probabilities, target, smoothing, ignore_index=PADDING)
    found = _SmoothedCrossEntropy.apply(ours.clone(), target, smoothing, PADDING)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other.to(one.dtype), rtol=1e-5, atol=1e-3)
    for loss in (expected[0], found[0]):
        (3 * loss).backward()
    assert theirs.grad is not None and ours.grad is not None
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=tolerance, atol=3 * tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transformer", "copy_transformer"])
def test_a_fused_training_has_the_same_losses(name: str, tmp_path: Path) -> None:
    make_dictionary(make_pairs(400, seed=1), tmp_path / "dict.txt")
    data, valid = (
        make_dataset(tmp_path / part, tmp_path / "dict.txt", 2000, seed)
        for part, seed in (("data", 1), ("valid", 2))
    )
    shape = TINY.model_copy(
        update={"name": name, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
    )
    options = short_training(learning_rate=5e-3, warmup_updates=30, max_tokens=500, epochs=3)
    plain, fused = (
        train(
            [data],
            valid,
            tmp_path / "dict.txt",
            tmp_path / str(way),
            shape.model_copy(update={"fused": way}),
            options,
            1,
        )
        for way in (False, True)
    )
    assert plain.updates == fused.updates > 30
    for curve in ("training_curve", "validation_curve"):
        expected, found = (
            [point.loss for point in getattr(result, curve)] for result in (plain, fused)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-3)
