"""Decoding: both engines agree, random searches follow their definitions, and no sentence is
lost.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.seq2seq_world import (
    TINY,
    WORDS,
    make_dataset,
    make_dictionary,
    make_pairs,
    short_training,
)
from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.seq2seq import compat
from pseudogec.seq2seq.decode import Decoder
from pseudogec.seq2seq.options import AverageLast
from pseudogec.seq2seq.training import train

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def models(one_thread, tmp_path_factory) -> list[Path]:
    """Two models of one dictionary that have learnt to copy, by and large."""
    folder = tmp_path_factory.mktemp("models")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    data = make_dataset(folder / "data", dictionary, 2000, seed=1)
    optimisation = short_training(
        learning_rate=5e-3,
        warmup_updates=30,
        max_tokens=500,
        epochs=12,
        selection=AverageLast(average_last=2),
    )
    for seed in (1, 2):
        train(
            [data],
            None,
            dictionary,
            folder / str(seed),
            TINY.model_copy(update={"dropout": 0.0}),
            optimisation,
            seed,
        )
    return [folder / "1", folder / "2"]


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return [source for source, _ in make_pairs(80, seed=5)]


@pytest.fixture(scope="module")
def fairseq_decoder(models) -> Decoder:
    return Decoder(models[:1], engine="fairseq")


def some_piece_follows(decoder: Decoder, sentences) -> list[float]:
    """The log-probability that the output is not empty."""
    return [
        math.log1p(-math.exp(score))
        for (score,) in decoder.score(sentences, [[[]]] * len(sentences), length_penalty=0.0)
    ]


def best(outputs) -> list[list[str]]:
    return [hypotheses[0].subwords for hypotheses in outputs]


@pytest.mark.parametrize(("beam", "length_penalty"), [(1, 1.0), (5, 1.0), (5, 0.6), (12, 0.0)])
def test_both_engines_give_the_same_outputs(
    models, fairseq_decoder, sentences, beam, length_penalty
):
    fast = Decoder(models[:1], engine="ctranslate2").decode(
        sentences, beam=beam, length_penalty=length_penalty
    )
    general = fairseq_decoder.decode(sentences, beam=beam, length_penalty=length_penalty)
    assert best(fast) == best(general)
    # CTranslate2 rules the empty output out before it normalises the first step's probabilities,
    # fairseq afterwards.
    not_empty = some_piece_follows(fairseq_decoder, sentences)
    for one, other, offset in zip(fast, general, not_empty, strict=True):
        length = len(other[0].subwords) + 1
        if length - 1 == 1.5 * 8 + 10:
            # Cut at its longest, which fairseq scores with an end of sentence and CTranslate2
            # without
            continue
        assert one[0].score == pytest.approx(
            other[0].score - offset / length**length_penalty, abs=1e-4
        )


def test_both_engines_give_the_same_scores(models, fairseq_decoder, sentences):
    candidates = [[sentence, [*sentence, "ba"], sentence[1:], []] for sentence in sentences]
    fast = Decoder(models[:1], engine="ctranslate2").score(sentences, candidates)
    general = fairseq_decoder.score(sentences, candidates)
    assert np.allclose(fast, general, atol=1e-4)


def test_order_and_batches_do_not_matter(models, sentences):
    for engine in ("ctranslate2", "fairseq"):
        whole = Decoder(models[:1], engine=engine).decode(sentences)
        small = Decoder(models[:1], engine=engine, max_tokens=30).decode(sentences[::-1])
        assert best(whole) == best(small)[::-1]


def test_empty_and_too_long_sentences_come_back_unchanged(models):
    for engine in ("ctranslate2", "fairseq"):
        decoder = Decoder(models[:1], engine=engine)
        too_long = ["ba"] * 1024
        outputs = decoder.decode([[], too_long, ["ba"], []])
        assert [best(outputs)[place] for place in (0, 1, 3)] == [[], too_long, []]
        assert outputs[2][0].score != 0
        assert decoder.left_unchanged == 3
        assert decoder.score([too_long, ["ba"]], [[["ba"]], [too_long]]) == [
            [-math.inf],
            [-math.inf],
        ]


@pytest.mark.parametrize("engine", ["ctranslate2", "fairseq"])
def test_pieces_that_look_like_symbols_of_fairseq_are_unknown_text(models, engine):
    decoder = Decoder(models[:1], engine=engine)
    symbols = ["<s>", "<pad>", "</s>", "<unk>"]
    unknown = decoder.score([["ba", "unheard", "be"]], [[["ba", "unheard", "be"]]])[0][0]
    for symbol in symbols:
        assert decoder.score([["ba", symbol, "be"]], [[["ba", symbol, "be"]]])[0][
            0
        ] == pytest.approx(unknown, abs=1e-5)
    outputs = decoder.decode([["ba", symbol, "be"] for symbol in ["unheard", *symbols]])
    assert [hypotheses[0].score for hypotheses in outputs] == pytest.approx(
        [outputs[0][0].score] * 5, abs=1e-5
    )


def test_unknown_pieces_are_replaced_alike_by_both_engines(models, tmp_path):
    """A model whose weights make it write ``<unk>`` for one known piece."""
    from pseudogec.seq2seq import checkpoints

    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("dict.src.txt", "dict.trg.txt"):
        (folder / name).write_bytes((models[0] / name).read_bytes())
    state = checkpoints.load(models[0] / "model.pt")
    from pseudogec.seq2seq.data import UNKNOWN, read_dictionary

    number = read_dictionary(folder / "dict.src.txt")[WORDS[-1]]
    embedding = state["model"]["decoder.output_projection.weight"]
    embedding[UNKNOWN] = 1.5 * embedding[number]
    checkpoints.save(state, folder / "model.pt")
    sentences = [[WORDS[-1], WORDS[-2]], [WORDS[-3], WORDS[-1], WORDS[-1]], [WORDS[-1]] * 5]
    fast = Decoder([folder], engine="ctranslate2").decode(sentences)
    general = Decoder([folder], engine="fairseq").decode(sentences)
    assert best(fast) == best(general)
    assert not any("<unk>" in output for output in best(fast))


def test_an_ensemble_averages_probabilities(models, sentences):
    compat.apply()
    ensemble = Decoder(models)
    outputs = ensemble.decode(sentences[:20], beam=3)
    candidates = [[hypotheses[0].subwords] for hypotheses in outputs]
    together = ensemble.score(sentences[:20], candidates)
    assert np.allclose(together, [[hypotheses[0].score] for hypotheses in outputs], atol=1e-3)
    one_piece = [[WORDS[-1]]] * 2
    alone = [
        Decoder([model]).score([[WORDS[-1]]], [one_piece[:1]], length_penalty=0.0)[0][0]
        for model in models
    ]
    assert (
        min(alone) - 1e-6
        <= ensemble.score([[WORDS[-1]]], [one_piece[:1]], length_penalty=0.0)[0][0]
        <= max(alone) + 1e-6
    )


def test_noise_of_strength_zero_is_plain_beam_search(models, fairseq_decoder, sentences):
    compat.apply()
    from pseudogec.seq2seq.decode_fairseq import FairseqEngine, NoisyBeamSearch, SentenceGenerators

    plain = fairseq_decoder.decode(sentences, beta_random=0.0)

    class AlwaysNoisy(FairseqEngine):
        def _strategy(self, options):
            return NoisyBeamSearch(self._dictionary, 0.0, SentenceGenerators(0, self._device))

    noisy = Decoder(models[:1], engine="fairseq")
    noisy._general = AlwaysNoisy(models[:1])
    assert noisy.decode(sentences) == plain


def test_noise_is_added_to_every_candidate_before_the_beam_keeps_its_best():
    """Kiyono et al., TASLP section III-A: r * beta with r ~ U[0, 1] on the score of every
    hypothesis x next piece.
    """
    compat.apply()
    from fairseq.data import Dictionary
    from fairseq.search import BeamSearch

    from pseudogec.seq2seq.decode_fairseq import NoisyBeamSearch, SentenceGenerators

    dictionary = Dictionary()
    for word in WORDS:
        dictionary.add_symbol(word)
    log_probabilities = torch.log_softmax(
        torch.randn(2, 3, len(dictionary), generator=torch.Generator().manual_seed(1)), -1
    )
    scores = -torch.arange(6.0).view(2, 3, 1)
    sentences = torch.tensor([7, 9])
    cpu = torch.device("cpu")
    noise = SentenceGenerators(4, cpu).uniform(sentences, (3, len(dictionary)))
    assert noise.min() >= 0 and noise.max() <= 1 and noise.unique().numel() > 0.99 * noise.numel()
    expected = BeamSearch(dictionary).step(1, log_probabilities + 6 * noise, scores)
    search = NoisyBeamSearch(dictionary, 6.0, SentenceGenerators(4, cpu))
    found = search.step(1, log_probabilities, scores, None, sentences)
    assert torch.allclose(found[0], expected[0])
    assert all(torch.equal(one, other) for one, other in zip(found[1:], expected[1:], strict=True))
    again = search.step(1, log_probabilities, scores, None, sentences)
    assert not torch.equal(again[0], found[0])


def test_random_outputs_depend_on_seed_and_index_alone(fairseq_decoder, models, sentences):
    small = Decoder(models[:1], engine="fairseq", max_tokens=40)
    for decode in ("noise", "sample"):

        def run(decoder, part, first_index=0, seed=3, decode=decode):
            if decode == "noise":
                return best(
                    decoder.decode(part, beta_random=6.0, seed=seed, first_index=first_index)
                )
            return best(decoder.sample(part, seed=seed, first_index=first_index))

        whole = run(fairseq_decoder, sentences)
        assert run(fairseq_decoder, sentences) == whole
        assert run(small, sentences[30:50], first_index=30) == whole[30:50]
        assert run(fairseq_decoder, sentences, seed=4) != whole


def test_samples_follow_the_distribution():
    """Frequencies of drawn pieces against the given probabilities (chi-square, 0.1% level)."""
    compat.apply()
    from fairseq.data import Dictionary
    from scipy.stats import chisquare

    from pseudogec.seq2seq.decode_fairseq import SentenceGenerators, SentenceSampling

    draws, probabilities = 20_000, np.array([0.0, 0.5, 0.2, 0.15, 0.1, 0.03, 0.02])
    log_probabilities = torch.tensor(probabilities).log().float().expand(draws, 1, -1)
    past = torch.full((draws, 1, 1), -2.0)
    search = SentenceSampling(Dictionary(), SentenceGenerators(1, torch.device("cpu")))
    scores, drawn, _ = search.step(1, log_probabilities, past, None, torch.arange(draws))
    counts = np.bincount(drawn.flatten().numpy(), minlength=len(probabilities))
    assert counts[0] == 0
    assert chisquare(counts[1:], draws * probabilities[1:]).pvalue > 0.001
    assert torch.equal(scores, log_probabilities.gather(2, drawn.unsqueeze(-1)).squeeze(-1) - 2.0)


def test_what_cannot_be_decoded_is_refused(models, tmp_path):
    with pytest.raises(DataError, match=r"dict\.src\.txt"):
        Decoder([tmp_path])
    with pytest.raises(UserError, match="n_best"):
        Decoder(models).decode([["ba"]], beam=2, n_best=3)
    if not torch.cuda.is_available():
        with pytest.raises(UserError, match="fp16"):
            Decoder(models, precision="fp16")
    with pytest.raises(UserError, match="several models"):
        Decoder(models, engine="ctranslate2").decode([["ba"]])
    with pytest.raises(UserError, match="noise"):
        Decoder(models[:1], engine="ctranslate2").decode([["ba"]], beta_random=2.0)
    for name in ("dict.src.txt", "dict.trg.txt"):
        make_dictionary(make_pairs(2, seed=8), tmp_path / name)
    with pytest.raises(UserError, match=r"dict\."):
        Decoder([models[0], tmp_path])
