"""Fused attention gives what fairseq's attention gives: outputs, gradients, kept states, trainings, searches."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch

from pseudogec.seq2seq import compat, model_cache
from pseudogec.seq2seq.data import binarise_text
from pseudogec.seq2seq.decode import Decoder
from pseudogec.seq2seq.decode_fairseq import FairseqEngine
from pseudogec.seq2seq.fused_attention import FusedAttention, MultiheadAttention, use_fused_attention
from pseudogec.seq2seq.model_cache import Computation
from pseudogec.seq2seq.options import Architecture, AverageLast, LanguageModelArchitecture
from pseudogec.seq2seq.search import Batch, SearchOptions
from pseudogec.seq2seq.training import train, train_language_model
from seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training

pytestmark = pytest.mark.slow

WIDTH, HEADS = 16, 4


def pair_of_attentions(**options) -> tuple[MultiheadAttention, MultiheadAttention]:
    """An attention of fairseq's and a fused one with the same weights."""
    torch.manual_seed(1)
    plain = MultiheadAttention(WIDTH, HEADS, **options)
    with torch.no_grad():
        for weights in plain.parameters():
            weights.uniform_(-0.5, 0.5)
    fused = copy.deepcopy(plain)
    assert use_fused_attention(fused) == 1
    assert isinstance(fused, FusedAttention)
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
    for attention in pair_of_attentions(encoder_decoder_attention=True):
        query, key = states(4, 3, seed=1).requires_grad_(), states(5, 3, seed=2).requires_grad_()
        output, weights = attention(query, key, key, key_padding_mask=padding, static_kv=True, need_weights=False)
        assert weights is None
        (output * states(4, 3, seed=3)).sum().backward()
        gradients = [query.grad, key.grad, *(weights.grad for weights in attention.parameters())]
        results.append([output.detach(), *gradients])
    for plain, fused in zip(*results, strict=True):
        torch.testing.assert_close(fused, plain, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("autocast", [False, True])
def test_half_precision(precision, autocast):
    if autocast and precision == torch.float16 and not torch.amp.autocast_mode.is_autocast_available("cpu"):
        pytest.skip("torch has no autocast on this CPU")
    padding = padding_of([6, 2])
    outputs = []
    for attention in pair_of_attentions(encoder_decoder_attention=True):
        query, key = states(4, 2, seed=1), states(6, 2, seed=2)
        if not autocast:
            attention, query, key = attention.to(precision), query.to(precision), key.to(precision)
        with torch.autocast("cpu", dtype=precision, enabled=autocast):
            output, _ = attention(query, key, key, key_padding_mask=padding, static_kv=True, need_weights=False)
        outputs.append(output)
    plain, fused = outputs
    assert fused.dtype == plain.dtype == precision
    torch.testing.assert_close(fused, plain, atol=0.05 if precision == torch.bfloat16 else 0.005, rtol=0.0)


def test_masks_of_the_future_and_of_padding_add_up():
    future = torch.triu(torch.full((4, 4), float("-inf")), 1)
    padding = torch.tensor([[False] * 4, [False, False, False, True]])
    outputs = []
    for attention in pair_of_attentions(self_attention=True):
        query = states(4, 2, seed=1)
        options = {"key_padding_mask": padding, "attn_mask": future, "need_weights": False}
        # The first is by torch in both; what is kept makes fairseq compute the second itself.
        with compat.quiet():
            alone, _ = attention(query, query, query, **options)
        kept, _ = attention(query, query, query, incremental_state={}, **options)
        torch.testing.assert_close(kept, alone, atol=1e-6, rtol=1e-5)
        outputs.append(kept)
    torch.testing.assert_close(outputs[1], outputs[0], atol=1e-6, rtol=1e-5)


def test_a_query_that_may_look_at_nothing_brings_no_new_undefined_numbers():
    padding = torch.tensor([[False, False, True], [True, True, True]])
    outputs = []
    for attention in pair_of_attentions(encoder_decoder_attention=True):
        query, key = states(2, 2, seed=1).requires_grad_(), states(3, 2, seed=2)
        output, _ = attention(query, key, key, key_padding_mask=padding, static_kv=True, need_weights=False)
        output[:, 0].sum().backward()
        outputs.append((output.detach(), query.grad))
    for plain, fused in zip(*outputs, strict=True):
        assert not (fused.isnan() & ~plain.isnan()).any()
        torch.testing.assert_close(fused[:, 0], plain[:, 0], atol=1e-6, rtol=1e-5)


def test_dropout_falls_on_weights_with_the_same_rate():
    draws = 4000
    means, deviations = [], []
    for attention in pair_of_attentions(encoder_decoder_attention=True, dropout=0.3):
        query, key = states(1, 1, seed=1).expand(1, draws, WIDTH), states(6, 1, seed=2).expand(6, draws, WIDTH)
        output, _ = attention.train()(query, key, key, static_kv=True, need_weights=False)
        means.append(output[0].mean(0))
        deviations.append(output[0].std(0))
        without, _ = attention.eval()(query[:, :1], key[:, :1], key[:, :1], static_kv=True, need_weights=False)
        error = deviations[-1] / draws**0.5
        assert ((means[-1] - without[0, 0]).abs() < 5 * error).all()  # the expected output is that without dropout
    torch.testing.assert_close(deviations[1], deviations[0], rtol=0.1, atol=0.01)


@pytest.mark.parametrize("beam", [1, 3])
def test_steps_with_kept_states_and_a_reordered_beam(beam):
    """Two sentences; after the first step their hypotheses change places, after the second the first sentence ends."""
    padding = padding_of([4, 2]).repeat_interleave(beam, 0)
    source = states(4, 2, seed=9).repeat_interleave(beam, 1)
    outputs = []
    for own, other in zip(
        pair_of_attentions(self_attention=True), pair_of_attentions(encoder_decoder_attention=True), strict=True
    ):
        other.set_beam_size(beam)
        kept: dict[str, dict[str, torch.Tensor | None]] = {}
        found, rows, encoded, mask = [], 2 * beam, source, padding
        for step in range(4):
            query = states(1, rows, seed=step)
            found.append(own(query, query, query, incremental_state=kept, need_weights=False)[0])
            options = {"incremental_state": kept, "static_kv": True, "need_weights": False}
            found.append(other(query, encoded, encoded, key_padding_mask=mask, **options)[0])
            order = torch.arange(rows).view(-1, beam).flip(1).flatten()
            if step == 1:
                order = order[beam:]
            for attention in (own, other):
                attention.reorder_incremental_state(kept, order)
            rows, encoded, mask = len(order), encoded[:, order], mask[order]
        outputs.append(found)
    for plain, fused in zip(*outputs, strict=True):
        torch.testing.assert_close(fused, plain, atol=1e-6, rtol=1e-5)


def test_weights_that_are_asked_for_are_fairseqs():
    plain, fused = pair_of_attentions(encoder_decoder_attention=True)
    query, key = states(4, 2, seed=1), states(5, 2, seed=2)
    for options in ({"need_weights": True}, {"need_head_weights": True}):
        expected, found = (attention(query, key, key, static_kv=True, **options) for attention in (plain, fused))
        assert all(torch.equal(one, other) for one, other in zip(expected, found, strict=True))


def test_attentions_with_more_than_the_plain_kind_are_left_alone():
    attention = MultiheadAttention(WIDTH, HEADS, add_bias_kv=True)
    assert use_fused_attention(attention) == 0
    assert type(attention) is MultiheadAttention


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("fused")
    make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    make_dataset(folder / "data", folder / "dict.txt", 2000, seed=1)
    make_dataset(folder / "valid", folder / "dict.txt", 100, seed=2)
    return folder


SHAPE = TINY.model_copy(update={"encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0})


def trained(folder: Path, name: str, architecture: Architecture = SHAPE, seed: int = 1, **changes: object):
    options = {"learning_rate": 5e-3, "warmup_updates": 30, "max_tokens": 500, "epochs": 8} | changes
    data, valid = [folder / "data"], folder / "valid"
    return train(
        data, valid, folder / "dict.txt", folder / name, architecture, short_training(**options), seed, updates_per_point=5
    )


@pytest.fixture(scope="module")
def models(folder) -> list[Path]:
    """Two models that have learnt to copy, by and large."""
    for seed in (1, 2):
        trained(folder, str(seed), seed=seed, selection=AverageLast(average_last=2))
    return [folder / "1", folder / "2"]


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return [source for source, _ in make_pairs(60, seed=5)]


@pytest.mark.parametrize("name", ["transformer", "copy_transformer"])
def test_a_training_has_the_same_losses(folder, name):
    shape = SHAPE.model_copy(update={"name": name})
    plain, fused = (
        trained(folder, f"{name}-{fused}", shape.model_copy(update={"fused": fused}), epochs=3) for fused in (False, True)
    )
    assert plain.updates == fused.updates > 30
    for curve in ("training_curve", "validation_curve"):
        expected, found = ([point.loss for point in getattr(result, curve)] for result in (plain, fused))
        np.testing.assert_allclose(found, expected, rtol=1e-3)
    assert plain.training_curve[-1].loss < plain.training_curve[0].loss


def test_a_model_file_says_nothing_of_how_it_was_computed(folder):
    trained(folder, "plain", epochs=1)
    trained(folder, "fused", SHAPE.model_copy(update={"fused": True}), epochs=1)
    plain, fused = (model_cache.load(folder / name).model for name in ("plain", "fused"))
    assert not any(isinstance(module, FusedAttention) for module in fused.modules())
    for (name, expected), (_, found) in zip(plain.named_parameters(), fused.named_parameters(), strict=True):
        torch.testing.assert_close(found, expected, atol=2e-3, rtol=0.05, msg=name)


def same_outputs(models, sentences, **options) -> None:
    plain, fused = (Decoder(models, engine="fairseq", fused_attention=fused) for fused in (False, True))
    results = [
        decoder.sample(sentences, seed=3) if options.get("sample") else decoder.decode(sentences, **options)
        for decoder in (plain, fused)
    ]
    for expected, found in zip(*results, strict=True):
        assert [hypothesis.subwords for hypothesis in found] == [hypothesis.subwords for hypothesis in expected]
        np.testing.assert_allclose([h.score for h in found], [h.score for h in expected], atol=1e-4)


def test_plain_beam(models, sentences):
    same_outputs(models[:1], sentences, n_best=5)


def test_noisy_beam(models, sentences):
    same_outputs(models[:1], sentences, n_best=5, beta_random=2.0, seed=1)


def test_ensemble(models, sentences):
    same_outputs(models, sentences, n_best=5)


def test_sampling(models, sentences):
    same_outputs(models[:1], sentences, sample=True)


def test_copy_transformer(folder, sentences):
    trained(folder, "copy", SHAPE.model_copy(update={"name": "copy_transformer"}), epochs=4)
    same_outputs([folder / "copy"], sentences, n_best=5)


def test_unknown_pieces_are_replaced_alike(models):
    same_outputs(models[:1], [["ba", "never-seen", "ko"], ["never-seen"]], n_best=3)


def test_scores_of_candidates_do_not_depend_on_the_beam_before(models, sentences):
    """Hypotheses of one beam share their source's keys; candidates that are scored afterwards do not."""
    candidates = [[sentence, sentence[::-1], []] for sentence in sentences]
    expected = Decoder(models, engine="fairseq").score(sentences, candidates)
    fused = Decoder(models, engine="fairseq", fused_attention=True)
    for _ in range(2):
        np.testing.assert_allclose(np.array(fused.score(sentences, candidates)), np.array(expected), atol=1e-4)
        fused.decode(sentences, beam=3)


def test_the_same_model_decodes_in_both_ways_side_by_side(models, sentences):
    plain = FairseqEngine(models[:1])
    FairseqEngine(models[:1], Computation(fused_attention=True))
    assert not any(isinstance(module, FusedAttention) for module in model_cache.load(models[0]).model.modules())
    assert plain.log_probabilities(sentences[:3], sentences[:3])


@pytest.mark.parametrize("fused", [False, True])
def test_half_precision_decodes_nearly_alike(models, sentences, fused):
    """On a GPU only `Decoder` offers it; the engine runs anywhere.

    Noise brings candidates closer together, so rounding decides between them more often. It can also exchange two hypotheses in
    the beam, which then get each other's noise, so scores with noise are not compared.
    """
    lengths: dict[int, list[list[str]]] = {}
    for sentence in sentences[:20]:
        lengths.setdefault(len(sentence), []).append(sentence)
    full, half = (FairseqEngine(models[:1], Computation(precision, fused)) for precision in ("fp32", "fp16"))
    alike: dict[float, list[bool]] = {0.0: [], 2.0: []}
    for length, sources in lengths.items():
        batch = Batch(list(range(len(sources))), sources, longest_output=2 * length + 10)
        for noise, same in alike.items():
            options = SearchOptions(beta_random=noise)
            for (expected, *_), (found, *_) in zip(full.search(batch, options), half.search(batch, options), strict=True):
                same.append(found.subwords == expected.subwords)
                assert noise or not same[-1] or found.score == pytest.approx(expected.score, abs=0.02)
        np.testing.assert_allclose(half.log_probabilities(sources, sources), full.log_probabilities(sources, sources), atol=0.1)
    assert np.mean(alike[0.0]) >= 0.95
    assert np.mean(alike[2.0]) >= 0.8


def test_a_language_model(folder):
    text = [target for _, target in make_pairs(300, seed=1)]
    binarise_text(text, folder / "dict.txt", folder / "text")
    shape = LanguageModelArchitecture(layers=2, attention_heads=2, model_size=32, feed_forward_size=64)
    options = short_training(label_smoothing=0.0, selection=AverageLast(average_last=1))
    train_language_model([folder / "text"], None, folder / "dict.txt", folder / "lm", shape, options, seed=1)
    plain = model_cache.load(folder / "lm").model
    fused = copy.deepcopy(plain)
    assert use_fused_attention(fused) == shape.layers
    inputs = torch.randint(4, 12, (3, 7), generator=torch.Generator().manual_seed(1))
    with torch.no_grad(), compat.quiet():
        expected, found = (model(src_tokens=inputs)[0] for model in (plain, fused))
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
        kept: dict[str, object] = {}
        steps = [fused(src_tokens=inputs[:, : step + 1], incremental_state=kept)[0] for step in range(7)]
    torch.testing.assert_close(torch.cat(steps, dim=1), expected, atol=1e-4, rtol=1e-4)
