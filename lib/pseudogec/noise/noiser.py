"""Applying a text method: subwords joined and split, spelling errors on top, no sentence emptied,
operations counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pseudogec.artefacts.errors import UserError
from pseudogec.corpora import M2
from pseudogec.languages import LANGUAGES
from pseudogec.noise.method import METHODS, Operation, TextMethod, keep, noised_tokens
from pseudogec.noise.resources import NoiseResources
from pseudogec.noise.spelling_errors import add_spelling_errors
from pseudogec.random_streams import SentenceStreams
from pseudogec.text import Bpe

_CACHED_OPERATIONS = 1 << 17  # about 50 MB
_BLOCK = 256  # sentences; the arrays of larger blocks leave the processor's cache, and take longer


class NoisedBlock(NamedTuple):
    """Sentences noised together, in their order, and how often each kind of operation occurs in
    them.
    """

    sentences: list[list[str]]
    sources: list[list[str]]
    targets: list[list[str]]
    operations: Counter[str]


class _InSubwords(dict[Operation, Operation]):
    """Operations on words, in subwords; each is split when it first occurs."""

    def __init__(self, bpe: Bpe) -> None:
        super().__init__()
        self._bpe = bpe

    def __reduce__(self) -> tuple[type[_InSubwords], tuple[Bpe]]:
        return (type(self), (self._bpe,))

    def __missing__(self, operation: Operation) -> Operation:
        if len(self) >= _CACHED_OPERATIONS:
            self.clear()
        before, after = (" ".join(self._bpe.apply(text.split())) for text in operation[1:])
        self[operation] = split = Operation(operation.kind, before, after)
        return split


class Noiser:
    """A text method with the data that it has learnt from. It has no random state and may be
    pickled.

    If the resources have a segmentation, sentences are in its subwords, whatever unit the method is
    defined on; otherwise their tokens are taken as they are.

    Raises:
        UserError: the method needs genuine data that the resources lack, or what the language
            lacks; or, from calls, a method that is not the project's own draws operations that do
            not cover the sentence.
    """

    def __init__(self, method: TextMethod, resources: NoiseResources) -> None:
        self.method, self.language = method, resources.language
        if lacking := self.language.lacks(method.needs_of_language):
            raise UserError(f"{method.known_as()}: {lacking}")
        try:
            self._learnt = method.learn(resources)
        except UserError as error:
            raise UserError(f"{method.known_as()}: {error}") from None
        self._from_outside = ":" in method.known_as()
        joined = resources.bpe is not None and method.unit == "word"
        self._joining = resources.bpe if joined else None
        self._splitting = None if joined else resources.bpe
        self._in_subwords = _InSubwords(resources.bpe) if resources.bpe else {}

    @classmethod
    def of(
        cls,
        method: str,
        texts: Callable[[], Iterable[list[str]]],
        genuine: Sequence[Path] = (),
        language: str = "en",
        **parameters: Any,
    ) -> Noiser:
        """A method by its name, with what it learns from: genuine data or, without any, the text
        itself, which is never held.

        Args:
            method: a registered name, or ``package.module:Class``.
            texts: begins to read the sentences, as tokens; may be called several times.
            genuine: M2 files, tokenised as the text is.
            language: of the text: ``en``, ``uk``, or ``package.module:Class``.
            parameters: of the method.

        Raises:
            UserError: there is no such method, parameter or language; it needs a reverse model,
                genuine data, or what the language lacks.
        """
        noise_method = METHODS.make({METHODS.tag: method, **parameters})
        if not isinstance(noise_method, TextMethod):
            raise UserError(
                f"the method {method} works with a reverse model; name it under "
                "`methods` in a profile instead"
            )
        if noise_method.needs_pairs and not genuine:
            raise UserError(f"{method} learns from learners' edits: give genuine data, as M2 files")
        pairs = M2.model_validate({"files": list(genuine)}) if genuine else None

        def learnt() -> Iterator[list[str]]:
            return (
                iter(texts())
                if pairs is None
                else (sentence.pair.target for sentence in pairs.read())
            )

        edits = pairs.read() if pairs is not None and noise_method.needs_pairs else ()
        annotated = [sentence.annotated for sentence in edits if sentence.annotated is not None]
        counts, spoken = Counter(chain.from_iterable(learnt())), LANGUAGES.make(language)
        return cls(
            noise_method,
            NoiseResources(counts, annotated=annotated, sentences=learnt, language=spoken),
        )

    def operations(self, tokens: Sequence[str], random: np.random.Generator) -> list[Operation]:
        """Noise a sentence with its random stream; the operations cover it in order.

        When every token would be deleted, one of them, drawn with equal chances, stays.
        """
        units = tokens if self._joining is None else self._joining.undo(tokens)
        if not units:
            return []
        drawn = list(self.method.draw(units, self._learnt, random))
        if self._from_outside:
            _check_cover(self.method, units, drawn)
        operations = _not_emptied(drawn, random)
        if self.method.sse_rate:
            misspelt = add_spelling_errors(
                operations, self.method.sse_rate, random, self._splitting, self.language
            )
            operations = _not_emptied(misspelt, random)
        return (
            operations
            if self._joining is None
            else [self._in_subwords[operation] for operation in operations]
        )

    def __call__(self, tokens: Sequence[str], random: np.random.Generator) -> list[str]:
        """The ungrammatical sentence; empty only when ``tokens`` is."""
        return noised_tokens(self.operations(tokens, random))

    def target(
        self, tokens: Sequence[str], operations: Sequence[Operation], random: np.random.Generator
    ) -> list[str]:
        return self.method.target(tokens, operations, random)

    def blocks(
        self, sentences: Iterable[list[str]], streams: SentenceStreams
    ) -> Iterator[NoisedBlock]:
        """Noise a text, a block of sentences at a time; the results are those of `operations` and
        `target` for each sentence.

        The method may draw a whole block. Sentences that this leaves empty, and all that it cannot
        draw so, follow one by one.
        """
        remaining, first = iter(sentences), 0
        one_by_one = self._from_outside or self._joining is not None or self.method.sse_rate > 0
        while block := list(islice(remaining, _BLOCK)):
            drawn = (
                None if one_by_one else self.method.draw_block(block, self._learnt, streams, first)
            )
            sources, counts = drawn or ([[]] * len(block), Counter())
            targets = list(block)
            for place, tokens in enumerate(block):
                if not sources[place]:
                    random = streams[first + place]
                    operations = self.operations(tokens, random)
                    sources[place], targets[place] = (
                        noised_tokens(operations),
                        self.target(tokens, operations, random),
                    )
                    counts.update([operation.kind for operation in operations])
            yield NoisedBlock(block, sources, targets, counts)
            first += len(block)


def _check_cover(
    method: TextMethod, tokens: Sequence[str], operations: Sequence[Operation]
) -> None:
    """Refuse operations that do not cover a sentence, for methods that our tests do not know."""
    covered = [token for operation in operations for token in operation.before.split()]
    if covered != list(tokens):
        raise UserError(
            f"{method.known_as()}: its operations must cover the sentence in order, kept words "
            "included; "
            f"those of {' '.join(tokens)!r} cover {' '.join(covered)!r}"
        )


def _not_emptied(operations: list[Operation], random: np.random.Generator) -> list[Operation]:
    if not any(operation.after for operation in operations):
        covering = [number for number, operation in enumerate(operations) if operation.before]
        survivor = covering[int(random.integers(len(covering)))]
        operations[survivor] = keep(operations[survivor].before)
    return operations


@dataclass(frozen=True)
class NoiseProfile:
    """Counts over a noised text."""

    sentences: int
    tokens: int  # before noising
    operations: dict[str, int]  # by kind

    @property
    def edits_per_token(self) -> float:
        """Operations other than keeping, per token of the grammatical text."""
        edits = sum(count for kind, count in self.operations.items() if kind != "keep")
        return edits / self.tokens if self.tokens else 0.0
