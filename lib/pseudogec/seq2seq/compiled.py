"""fairseq's compiled functions, which its pure wheel lacks, in numpy: batches, and sentences of
token streams.

`compat` puts this module in the place of ``fairseq.data.data_utils_fast`` and
``fairseq.data.token_block_utils_fast``. Names, arguments and results of the functions are those of
a compiled fairseq.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]


def _boundaries(
    lengths: list[int], max_tokens: int, max_sentences: int, multiple: int
) -> list[int]:
    """Positions at which a sequence of sentences is cut into batches.

    An open batch ``[start, end)`` grows by its *tail* ``[end, position]`` each time both together
    have an allowed number of sentences (fewer than ``multiple``, or a multiple of it). Once both
    together are too large, the open batch is closed and the tail becomes the open one; a tail that
    is itself too large is closed too, without its newest sentence.
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
    indices: Int64Array,
    num_tokens_vec: Int64Array,
    max_tokens: int,
    max_sentences: int,
    bsz_mult: int,
) -> list[Int64Array]:
    """Cut sentences into consecutive batches whose padded size stays within limits.

    Args:
        indices: sentence numbers in the order of batching, shape (n,).
        num_tokens_vec: their lengths in tokens, shape (n,).
        max_tokens: most tokens a batch, padding included (longest length x sentences); 0 or less:
            no limit.
        max_sentences: most sentences a batch; 0 or less: no limit.
        bsz_mult: sentences in a batch are fewer than this or a multiple of it, where the limits
            allow.

    Raises:
        AssertionError: a sentence is longer than ``max_tokens``.
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


def _get_slice_indices_fast(
    sizes: Int64Array, break_mode: str, block_size: int, document_sep_len: int
) -> Int64Array:
    """First token and last token + 1 of every sentence, shape (n, 2), given their tokens, shape
    (n,).

    This is fairseq's mode "eos". Others, in which a block has several sentences or a part of one,
    are not used here.
    """
    if break_mode != "eos":
        raise ValueError(
            f"Invalid break_mode: {break_mode}; without fairseq's compiled modules "
            "only eos is known"
        )
    ends = sizes.cumsum()
    return np.stack([ends - sizes, ends], axis=1)


def _not_rewritten(*arguments: Any) -> Any:
    raise NotImplementedError("this needs fairseq's compiled modules")


# fairseq imports these names. It calls them for datasets whose lengths are not in an array, for
# batches of fixed shapes, and for blocks of several sentences.
batch_by_size_fn = batch_fixed_shapes_fast = _get_block_to_dataset_index_fast = _not_rewritten
