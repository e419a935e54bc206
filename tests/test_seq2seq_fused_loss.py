"""The loss computed in place, against fairseq's criterion."""

from __future__ import annotations

import pytest
import torch

from pseudogec.seq2seq import compat

compat.apply()

from fairseq.criterions.label_smoothed_cross_entropy import label_smoothed_nll_loss  # noqa: E402

from pseudogec.seq2seq.fused_loss import _SmoothedCrossEntropy  # noqa: E402

PADDING, SUBWORDS, VOCABULARY = 1, 300, 50


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 5e-3)])
def test_losses_and_gradient_are_fairseqs(smoothing: float, dtype: torch.dtype, tolerance: float) -> None:
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
