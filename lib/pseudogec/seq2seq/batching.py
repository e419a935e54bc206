"""fairseq's batch maker (``fairseq.data.data_utils_fast``) for builds without its compiled module.

The functions keep fairseq's names, arguments and results, so that fairseq calls them unawares; batches equal those of the
compiled build one for one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]


def _boundaries(lengths: list[int], max_tokens: int, max_sentences: int, multiple: int) -> list[int]:
    """Positions at which a sequence of sentences is cut into batches.

    An open batch ``[start, end)`` grows by its *tail* ``[end, position]`` each time both together have an allowed number of
    sentences (fewer than ``multiple``, or a multiple of it). Once both together are too large, the open batch is closed and the
    tail becomes the open one; a tail that is itself too large is closed too, without its newest sentence.
    """
    boundaries: list[int] = []
    start = end = 0
    batch_longest = tail_longest = 0
    for position, length in enumerate(lengths):
        if length > tail_longest:
            tail_longest = length
        longest = batch_longest if batch_longest > tail_longest else tail_longest
        sentences = position + 1 - start
        full = sentences > max_sentences or sentences * longest > max_tokens
        if full:
            boundaries.append(end)
            start = end
            if tail_longest * (position + 1 - end) > max_tokens:
                boundaries.append(position)
                start = position
                tail_longest = length
            longest = tail_longest
        if full or sentences < multiple or sentences % multiple == 0:
            end = position + 1
            batch_longest = longest
            tail_longest = 0
    if end != len(lengths):
        boundaries.append(end)
    return boundaries


def batch_by_size_vec(
    indices: Int64Array, num_tokens_vec: Int64Array, max_tokens: int, max_sentences: int, bsz_mult: int
) -> list[Int64Array]:
    """Cut sentences into consecutive batches whose padded size stays within limits.

    Args:
        indices: sentence numbers in the order of batching, shape (n,).
        num_tokens_vec: their lengths in tokens, shape (n,).
        max_tokens: most tokens a batch may hold, padding included (longest length x sentences); 0 or less: no limit.
        max_sentences: most sentences a batch may hold; 0 or less: no limit.
        bsz_mult: sentences in a batch are fewer than this or a multiple of it, where the limits allow.

    Raises:
        AssertionError: a sentence alone is longer than ``max_tokens`` (as fairseq's compiled module does).
    """
    if len(indices) == 0:
        return []
    if 0 < max_tokens < int(np.max(num_tokens_vec)):
        raise AssertionError(f"Sentences lengths should not exceed max_tokens={max_tokens}")
    boundaries = _boundaries(
        num_tokens_vec.tolist(),
        max_tokens if max_tokens > 0 else sys.maxsize,
        max_sentences if max_sentences > 0 else sys.maxsize,
        bsz_mult,
    )
    return np.split(indices, boundaries)


def batch_by_size_fn(
    indices: Int64Array, num_tokens_fn: Callable[[int], int], max_tokens: int, max_sentences: int, bsz_mult: int
) -> list[Int64Array]:
    """`batch_by_size_vec` with the length of a sentence given by a function of its number."""
    lengths = np.fromiter(map(num_tokens_fn, indices), dtype=np.int64, count=len(indices))
    return batch_by_size_vec(indices, lengths, max_tokens, max_sentences, bsz_mult)


def batch_fixed_shapes_fast(
    indices: Int64Array, num_tokens_fn: Callable[[int], int], fixed_shapes_sorted: Int64Array
) -> list[list[int]]:
    """Cut sentences into consecutive batches that fit one of the given shapes.

    Args:
        indices: sentence numbers in the order of batching, shape (n,).
        num_tokens_fn: the length of a sentence, given its number.
        fixed_shapes_sorted: allowed (sentences, tokens a sentence), ascending, shape (shapes, 2).
    """
    shapes = fixed_shapes_sorted.tolist()
    batches: list[list[int]] = []
    batch: list[int] = []
    longest = first_shape = 0
    for index in indices.tolist():
        longest = max(longest, num_tokens_fn(index))
        while first_shape < len(shapes) and (len(batch) + 1 > shapes[first_shape][0] or longest > shapes[first_shape][1]):
            first_shape += 1
        if first_shape == len(shapes):
            batches.append(batch)
            batch = []
            longest = first_shape = 0
        batch.append(index)
    if batch:
        batches.append(batch)
    return batches
