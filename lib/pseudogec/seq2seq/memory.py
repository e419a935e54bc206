"""Too little memory: how it is detected, and how decoding continues in smaller batches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pseudogec.artefacts.errors import UserError
from pseudogec.seq2seq.search import like_lengths

_PHRASES = (
    "out of memory",
    "not enough memory",
    "can't allocate memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
)

Result = TypeVar("Result")

log = logging.getLogger(__name__)


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether torch or CTranslate2 raised it for lack of memory; only some of these errors have a
    type of their own.
    """
    return any(phrase in str(error) for phrase in _PHRASES)


@dataclass
class BatchLimit:
    """Most subwords of a batch, padding and ends of sentence included; it is lowered if memory is
    too small.
    """

    tokens: int


def in_batches(
    lengths: list[tuple[int, int]],
    limit: BatchLimit,
    compute: Callable[[list[int]], Sequence[Result]],
) -> Iterator[tuple[list[int], Sequence[Result]]]:
    """Compute sentences in batches of like length; a batch that does not fit into memory is halved,
    and so are later ones.

    Yields:
        The places of a batch, the longest sentence first, and their results.

    Raises:
        UserError: a sentence alone does not fit.
    """
    length_of = {place: length for length, place in lengths}
    for batch in like_lengths(lengths, limit.tokens):
        waiting = [batch]
        while waiting:
            places = waiting.pop()
            tokens = len(places) * (length_of[places[0]] + 1)
            if tokens > limit.tokens and len(places) > 1:
                half = len(places) // 2
                waiting += [places[half:], places[:half]]
                continue
            try:
                results = compute(places)
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
                problem = str(error).partition("\n")[0]
                if len(places) == 1:
                    raise UserError(
                        f"a sentence of {tokens} subwords does not fit into memory by "
                        f"itself ({problem})"
                    ) from error
            else:
                yield places, results
                continue
            # Outside the handler, so that nothing refers to the failed attempt any more.
            limit.tokens = tokens // 2
            log.warning(
                "a batch of %d subwords did not fit into memory (%s); it is halved, as are "
                "later ones",
                tokens,
                problem,
            )
            waiting.append(places)
