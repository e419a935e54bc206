"""A beam search that is watched: the same search, and what is told of it is what the definition says."""

from __future__ import annotations

import pytest

from pseudogec.seq2seq import Decoder, train
from pseudogec.seq2seq.search import END_OF_SENTENCE, BeamTrace
from seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training

pytestmark = pytest.mark.slow

BEAM, BETA = 4, 5.0


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    folder = tmp_path_factory.mktemp("traced")
    dictionary = make_dictionary(make_pairs(400, 1), folder / "dict.txt")
    data = make_dataset(folder / "data", dictionary, 300, seed=1)
    train([data], None, dictionary, folder / "model", TINY, short_training(), seed=1)
    return Decoder([folder / "model"], engine="fairseq")


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return [target for _, target in make_pairs(8, 7)]


@pytest.fixture(scope="module")
def traces(decoder: Decoder, sentences: list[list[str]]) -> list[BeamTrace]:
    return [decoder.trace(sentence, beam=BEAM, beta_random=BETA, seed=3) for sentence in sentences]


@pytest.mark.parametrize("beta", [0.0, BETA])
def test_a_watched_search_finds_the_same(decoder: Decoder, sentences: list[list[str]], beta: float) -> None:
    for sentence in sentences:
        traced = decoder.trace(sentence, beam=BEAM, beta_random=beta, seed=3).outputs
        (untraced,) = decoder.decode([sentence], beam=BEAM, n_best=BEAM, beta_random=beta, seed=3)
        assert [output.subwords for output in traced] == [output.subwords for output in untraced]
        assert [output.score for output in traced] == pytest.approx([output.score for output in untraced], abs=1e-4)


def test_noise_is_a_fresh_number_between_0_and_beta_on_every_expansion(traces: list[BeamTrace]) -> None:
    for trace in traces:
        found = [expansion.noise for step in trace.steps for expansion in step.expansions]
        assert min(found) >= 0 and max(found) <= BETA
        assert len(set(found)) > 0.95 * len(found)  # numbers of 16 bits meet by chance now and then


def test_scores_are_log_probabilities_with_all_noise_so_far(traces: list[BeamTrace]) -> None:
    for trace in traces:
        noise: dict[tuple[str, ...], float] = {(): 0.0}
        for step in trace.steps:
            for hypothesis in step.hypotheses:
                assert hypothesis.score == pytest.approx(hypothesis.log_probability + noise[hypothesis.subwords], abs=1e-3)
            for expansion in step.expansions:
                prefix = step.hypotheses[expansion.hypothesis].subwords
                noise[(*prefix, expansion.subword)] = noise[prefix] + expansion.noise
                expected = expansion.log_probability + noise[(*prefix, expansion.subword)]
                assert expansion.score == pytest.approx(expected, abs=1e-3)


def test_outputs_are_the_first_to_be_finished_by_score_over_length(traces: list[BeamTrace]) -> None:
    """Length normalisation counts the end of sentence (fairseq's, and `Decoder.decode`'s)."""
    for trace in traces:
        finished = [
            (expansion.score / (len(step.hypotheses[expansion.hypothesis].subwords) + 1))
            for step in trace.steps
            for expansion in step.expansions
            if expansion.fate == "finished" and expansion.subword == END_OF_SENTENCE
        ]
        expected = sorted(finished[:BEAM], reverse=True)
        assert [output.score for output in trace.outputs] == pytest.approx(expected, abs=1e-4)
