"""The copy-augmented Transformer against its definition (Choe et al. 2019, appendix A)."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training
from pseudogec.seq2seq.decode import Decoder
from pseudogec.seq2seq.decode_fairseq import FairseqEngine
from pseudogec.seq2seq.training import train

pytestmark = pytest.mark.slow

COPYING = TINY.model_copy(
    update={"name": "copy_transformer", "fairseq_options": {"copy-attention-heads": 2}}
)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    data = make_dataset(folder / "data", dictionary, 600, seed=1)
    train(
        [data],
        data,
        dictionary,
        folder / "model",
        COPYING,
        short_training(learning_rate=5e-3, epochs=4),
        seed=1,
    )
    return folder / "model"


@pytest.fixture(scope="module")
def loaded(model):
    return FairseqEngine([model])._models[0]


def batch() -> dict[str, torch.Tensor]:
    """Two sources (the first padded on its left) and the beginnings of two targets."""
    source = torch.tensor([[1, 1, 5, 9, 2], [7, 7, 8, 6, 2]])
    return {
        "src_tokens": source,
        "src_lengths": torch.tensor([3, 5]),
        "prev_output_tokens": torch.tensor([[2, 5], [2, 7]]),
    }


def test_probabilities_mix_generation_and_copying(loaded):
    with torch.no_grad():
        output = loaded(**batch())
        found = loaded.get_normalized_probs(output, log_probs=False)
        logs = loaded.get_normalized_probs(output, log_probs=True)
    logits, extra = output
    generated = torch.softmax(logits, dim=-1)
    copied = torch.zeros_like(generated)
    for sentence, pieces in enumerate(batch()["src_tokens"].tolist()):
        for place, piece in enumerate(pieces):
            copied[sentence, :, piece] += extra["attn"][0][sentence, :, place]
    share = extra["copy_share"]
    assert share.shape == (2, 2, 1) and (share > 0).all() and (share < 1).all()
    assert torch.allclose(found, (1 - share) * generated + share * copied, atol=1e-6)
    assert torch.allclose(found.sum(-1), torch.ones(2, 2), atol=1e-5)
    assert torch.allclose(logs.exp(), found, atol=1e-6)


def test_search_and_scores_agree(model):
    sentences = [source for source, _ in make_pairs(30, seed=5)]
    decoder = Decoder([model])
    outputs = decoder.decode(sentences, n_best=2)
    scores = decoder.score(sentences, [[h.subwords for h in hypotheses] for hypotheses in outputs])
    assert np.allclose(scores, [[h.score for h in hypotheses] for hypotheses in outputs], atol=1e-4)


def test_a_closed_gate_opens_in_the_given_updates(tmp_path):
    dictionary = make_dictionary(pairs := make_pairs(100, seed=1), tmp_path / "dict.txt")
    data = make_dataset(tmp_path / "data", dictionary, len(pairs), seed=1)
    still = {"dropout": 0.0, "fairseq_options": {"copy-attention-heads": 2, "copy-gate-warmup": 8}}
    train(
        [data],
        data,
        dictionary,
        tmp_path / "model",
        COPYING.model_copy(update=still),
        short_training(epochs=1),
        seed=1,
    )
    loaded = FairseqEngine([tmp_path / "model"])._models[0]

    def share() -> torch.Tensor:
        with torch.no_grad():
            return loaded(**batch())[1]["copy_share"]

    trained = share()
    assert (trained > 0).all(), "a trained model's gate is open"
    loaded.train()
    for updates, opening in ((0, 0), (2, 0.25), (8, 1), (20, 1)):
        loaded.set_num_updates(updates)
        assert torch.allclose(share(), opening * trained, atol=1e-6)


def test_an_open_gate_learns_to_close_again(loaded):
    """A gate that opens slowly is wide open in the end. Words that cannot be copied must still
    close it.
    """
    model, unknown = deepcopy(loaded), torch.full((2, 2, 1), 10)  # a subword of neither source
    gate = torch.nn.init.constant_(model.decoder.copy_gate.bias, 30.0)
    output = model(**batch())
    assert (output[1]["copy_share"] == 1).all()
    loss = -model.get_normalized_probs(output, log_probs=True).gather(2, unknown).mean()
    (gradient,) = torch.autograd.grad(loss, gate)
    assert gradient.item() == pytest.approx(1, abs=1e-3)  # that of -log sigmoid(-gate)
