"""Noisers for tests: by a method's name, what they learn from, and what they do to a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pseudogec.noise import NoiseProfile, Noiser, NoiseResources, TextMethod, make_method
from pseudogec.random_streams import SentenceStreams


def make_noiser(name: str, parameters: Mapping[str, Any], resources: NoiseResources) -> Noiser:
    method = make_method(name, parameters)
    assert isinstance(method, TextMethod)
    return Noiser(method, resources)


def learnt_from(sources: Iterable[Sequence[str]], targets: Iterable[Sequence[str]]) -> NoiseResources:
    """What genuine pairs of words teach."""
    pairs = [(" ".join(source), " ".join(target)) for source, target in zip(sources, targets, strict=True)]
    return NoiseResources(Counter(word for _, target in pairs for word in target.split()), pairs)


def noised(noiser: Noiser, sentences: Sequence[Sequence[str]], seed: int) -> NoiseProfile:
    streams = SentenceStreams(seed)
    kinds = (operation.kind for place, words in enumerate(sentences) for operation in noiser.operations(words, streams[place]))
    return NoiseProfile(len(sentences), sum(map(len, sentences)), dict(sorted(Counter(kinds).items())))
