"""Noisers for tests: by a method's name, what they learn from, and what they do to a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pseudogec.edits import AnnotatedSentence, load_annotator
from pseudogec.noise import METHODS, NoiseProfile, Noiser, NoiseResources, TextMethod
from pseudogec.random_streams import SentenceStreams


def make_noiser(name: str, parameters: Mapping[str, Any], resources: NoiseResources) -> Noiser:
    method = METHODS.make({METHODS.tag: name, **parameters})
    assert isinstance(method, TextMethod)
    return Noiser(method, resources)


def learnt_from(
    sources: Iterable[Sequence[str]], targets: Iterable[Sequence[str]]
) -> NoiseResources:
    """What genuine pairs of words teach."""
    sources, targets = list(sources), list(targets)
    edits = load_annotator().annotate(sources, targets)
    annotated = [
        AnnotatedSentence(tuple(source), {0: found})
        for source, found in zip(sources, edits, strict=True)
    ]
    return NoiseResources(
        Counter(word for target in targets for word in target), annotated=annotated
    )


def noised(noiser: Noiser, sentences: Sequence[Sequence[str]], seed: int) -> NoiseProfile:
    streams = SentenceStreams(seed)
    kinds = (
        operation.kind
        for place, words in enumerate(sentences)
        for operation in noiser.operations(words, streams[place])
    )
    return NoiseProfile(
        len(sentences), sum(map(len, sentences)), dict(sorted(Counter(kinds).items()))
    )
