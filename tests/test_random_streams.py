"""Random streams: one for each sentence, whatever the order."""

from __future__ import annotations

import numpy as np

from pseudogec.random_streams import SentenceStreams


def test_a_stream_depends_on_seed_and_index_alone() -> None:
    one, other = SentenceStreams(3), SentenceStreams(3)
    forwards = [one[index].random(5).tolist() for index in range(50)]
    backwards = [other[index].random(5).tolist() for index in reversed(range(50))]
    assert forwards == backwards[::-1]
    one[7].normal(size=3)  # however much of another stream was used
    assert one[0].random(5).tolist() == forwards[0]
    assert SentenceStreams("3")[0].random(5).tolist() == forwards[0]
    assert len({tuple(draws) for draws in forwards}) == 50


def test_streams_are_uniform_and_independent_across_sentences_and_seeds() -> None:
    streams, others = SentenceStreams(0), SentenceStreams(1)
    first = np.array([streams[index].random() for index in range(20_000)])
    second = np.array([others[index].random() for index in range(20_000)])
    for draws in (first, second):
        assert abs(draws.mean() - 0.5) < 4 / (12 * 20_000) ** 0.5
        assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 4 / 20_000**0.5
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / 20_000**0.5
