"""The noisy beam, held against its definition."""

from __future__ import annotations

import pytest
import torch

from pseudogec.seq2seq import compat

compat.apply()

from fairseq.data import Dictionary  # noqa: E402  # after compat, as everywhere

from pseudogec.seq2seq.decode_fairseq import NoisyBeamSearch, SentenceGenerators  # noqa: E402

SENTENCES, BEAM, VOCABULARY, BETA = 6, 4, 500, 5.0


@pytest.mark.parametrize("step", [0, 1, 5])
def test_every_expansion_gets_a_fresh_number_between_0_and_beta(step: int) -> None:
    torch.manual_seed(step)
    log_probabilities = torch.randn(SENTENCES, BEAM, VOCABULARY).mul(3).log_softmax(-1)
    before = torch.randn(SENTENCES, BEAM, step)
    search = NoisyBeamSearch(Dictionary(), BETA, SentenceGenerators(3, torch.device("cpu")))
    scores, subwords, hypotheses = search.step(step, log_probabilities, before, original_batch_idxs=torch.arange(SENTENCES))
    assert scores.shape == (SENTENCES, 2 * BEAM)
    assert (scores.diff(dim=1) <= 0).all(), "the best first"
    without = log_probabilities + (before[:, :, -1:] if step else 0)
    if step == 0:
        assert not hypotheses.any(), "at first all hypotheses are the same"
    rows = torch.arange(SENTENCES).unsqueeze(1)
    noise = scores - without[rows, hypotheses, subwords]
    assert noise.min() >= -1e-5 and noise.max() <= BETA + 1e-5
    assert len(set(noise.flatten().tolist())) > 0.9 * noise.numel(), "numbers of 16 bits meet by chance now and then"
    sure = without.flatten(1).max(dim=1).values
    assert (scores[:, 0] >= sure).all(), "noise is never below 0"
    # Of what is left out, nothing can be sure of a place: without noise of its own it would have to be below the last kept.
    assert (without[:, : 1 if step == 0 else BEAM].flatten(1).topk(2 * BEAM + 1).values[:, -1] <= scores[:, -1] + 1e-5).all()
