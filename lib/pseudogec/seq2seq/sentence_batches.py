"""Which sentences are decoded together."""

from __future__ import annotations

from collections.abc import Iterator

# Sentences share a batch only if their lengths, rounded up to this, agree; the longest output allowed then depends on the
# sentence alone.
_LENGTH_STEP = 8


def rounded(length: int) -> int:
    """A length rounded up to the next of those that share batches."""
    return -(-length // _LENGTH_STEP) * _LENGTH_STEP


def fill(lengths: list[tuple[int, int]], max_tokens: int) -> Iterator[list[int]]:
    """Batches of sentences of like length.

    Args:
        lengths: length and place of every sentence.
        max_tokens: most pieces a batch, padding and ends of sentence included; a longer sentence has a batch of its own.

    Yields:
        Places of the sentences of a batch; all their lengths agree when rounded up.
    """
    batch: list[int] = []
    bucket = 0
    for length, place in sorted(lengths, reverse=True):  # longest first: too large a batch shows at once
        if batch and (rounded(length) != bucket or (len(batch) + 1) * (bucket + 1) > max_tokens):
            yield batch
            batch = []
        bucket = rounded(length)
        batch.append(place)
    if batch:
        yield batch
