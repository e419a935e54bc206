"""Random streams: one for each sentence, whatever the order."""

from __future__ import annotations

import numpy as np
import pytest

from pseudogec.random_streams import SentenceStreams, bounded, uniforms


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


@pytest.mark.parametrize("seed", [1, "abc"])
@pytest.mark.parametrize("first", [0, 12_345, 2**33])
def test_the_words_of_many_streams_are_those_of_each(seed: int | str, first: int) -> None:
    streams = SentenceStreams(seed)
    counts = [0, 1, 5, 4, 0, 300, 2]
    expected = [
        streams[first + place].bit_generator.random_raw(count).tolist()
        for place, count in enumerate(counts)
    ]
    together = np.split(streams.words(first, counts), np.cumsum(counts)[:-1])
    assert [words.tolist() for words in together] == expected


@pytest.mark.parametrize("below", [1, 2, 7, 3_000_001, 2**31 + 1, 2**32 - 1, 2**32])
def test_numbers_made_of_words_are_those_of_the_generator(below: int) -> None:
    streams = SentenceStreams(2)
    for index in range(50):
        words = streams.words(index, [120])
        random = streams[index]
        assert uniforms(words[:20]).tolist() == random.random(20).tolist()
        draws, taken = bounded(words[20:], below)
        assert draws[taken][:60].tolist() == random.integers(below, size=60).tolist()
