"""fairseq's compiled functions, which its pure wheel lacks, in numpy: batches, blocks of token streams, counts of BLEU.

`compat` puts this module in the place of ``fairseq.data.data_utils_fast`` and ``fairseq.data.token_block_utils_fast``. Names,
arguments and results of the functions are those of a compiled fairseq.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
LONGEST_NGRAM = 4

# --- Batches


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
        max_tokens: most tokens a batch, padding included (longest length x sentences); 0 or less: no limit.
        max_sentences: most sentences a batch; 0 or less: no limit.
        bsz_mult: sentences in a batch are fewer than this or a multiple of it, where the limits allow.

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


def batch_by_size_fn(
    indices: Int64Array, num_tokens_fn: Callable[[int], int], max_tokens: int, max_sentences: int, bsz_mult: int
) -> list[Int64Array]:
    """`batch_by_size_vec` with the length of a sentence given by a function of its number."""
    lengths = np.fromiter(map(num_tokens_fn, indices), dtype=np.int64, count=len(indices))
    return batch_by_size_vec(indices, lengths, max_tokens, max_sentences, bsz_mult)


def batch_fixed_shapes_fast(
    indices: Int64Array, num_tokens_fn: Callable[[int], int], fixed_shapes_sorted: Int64Array
) -> list[list[int]]:
    """Cut sentences into consecutive batches that fit one of the shapes (sentences, tokens per sentence), sorted upwards."""
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


# --- Blocks: language models read a corpus as one stream of tokens, cut into blocks


def _equal_blocks(sizes: Int64Array, block_size: int) -> Int64Array:
    """Blocks of ``block_size`` tokens across the bounds of sentences; the last one may be shorter."""
    total = int(sizes.sum())
    starts = np.arange(0, total, block_size, dtype=np.int64)
    return np.stack([starts, np.minimum(starts + block_size, total)], axis=1)


def _sentence_blocks(sizes: Int64Array) -> Int64Array:
    ends = sizes.cumsum()
    return np.stack([ends - sizes, ends], axis=1)


def _whole_sentence_blocks(sizes: Int64Array, block_size: int) -> Int64Array:
    """As many whole sentences a block as fit; a longer sentence is a block of its own."""
    blocks: list[tuple[int, int]] = []
    start = end = 0
    for size in sizes.tolist():
        if end > start and end - start + size > block_size:
            blocks.append((start, end))
            start = end
        end += size
    if end > start:
        blocks.append((start, end))
    return np.array(blocks, dtype=np.int64).reshape(-1, 2)


def _document_blocks(sizes: Int64Array, block_size: int, separator_size: int) -> Int64Array:
    """Whole sentences of one document a block; a sentence of ``separator_size`` tokens ends a document and belongs to no block.

    Blocks of a single token are dropped, as fairseq does.
    """
    blocks: list[tuple[int, int]] = []
    start = end = 0
    for size in sizes.tolist():
        separates = size == separator_size
        if separates or (end > start and end - start + size > block_size):
            if end - start > 1:
                blocks.append((start, end))
            start = end
        end += size
        if separates:
            start = end
    if end - start > 1:
        blocks.append((start, end))
    return np.array(blocks, dtype=np.int64).reshape(-1, 2)


def _get_slice_indices_fast(sizes: Int64Array, break_mode: str | None, block_size: int, document_sep_len: int) -> Int64Array:
    """First token and last token + 1 of every block, shape (blocks, 2), given the tokens of every sentence, shape (n,).

    Modes are "none", "eos" (a sentence a block), "complete" (whole sentences) and "complete_doc", in which sentences of
    ``document_sep_len`` tokens separate documents.
    """
    if break_mode is None or break_mode == "none":
        return _equal_blocks(sizes, block_size)
    if break_mode == "complete":
        return _whole_sentence_blocks(sizes, block_size)
    if break_mode == "complete_doc":
        return _document_blocks(sizes, block_size, document_sep_len)
    if break_mode == "eos":
        return _sentence_blocks(sizes)
    raise ValueError(f"Invalid break_mode: {break_mode}")


def _get_block_to_dataset_index_fast(sizes: Int64Array, slice_indices: Int64Array) -> Int64Array:
    """The sentence in which a block starts, the offset within it, and the sentence in which it ends; shape (blocks, 3)."""
    starts = np.concatenate([[0], sizes.cumsum()])

    def sentence_of(tokens: Int64Array) -> Int64Array:
        # Of several sentences that start at a token (all but the last are empty) fairseq means the first.
        found = np.searchsorted(starts, tokens, side="left")
        return found - (starts[found] != tokens)

    begin, end = slice_indices[:, 0], slice_indices[:, 1]
    first = sentence_of(begin)
    last = np.where(end <= begin, first, sentence_of(np.maximum(end - 1, 0)))
    return np.stack([first, begin - starts[first], last], axis=1)


# --- BLEU


def _trim(ids: list[int], pad: int, eos: int) -> list[int]:
    """Drop padding on the left, padding and ends of sentence on the right (all but the first token, as fairseq does)."""
    start, end = 0, len(ids)
    while start < end and ids[start] == pad:
        start += 1
    while end > start + 1 and ids[end - 1] in (pad, eos):
        end -= 1
    return ids[start:end]


def _ngrams(ids: list[int], size: int) -> Counter[tuple[int, ...]]:
    return Counter(zip(*(ids[shift:] for shift in range(size)), strict=False))


def reset_bleu(statistics: Any, smoothed: bool) -> None:
    """Set a ``fairseq.scoring.bleu.BleuStat`` to zero; ``smoothed`` starts the counts of longer n-grams at one."""
    for field, _ in statistics._fields_:
        setattr(statistics, field, int(smoothed and field[-1] in "234"))


def add_to_bleu(statistics: Any, reference: list[int], prediction: list[int], pad: int, eos: int) -> None:
    """Add one sentence's n-gram matches to a ``fairseq.scoring.bleu.BleuStat``."""
    reference, prediction = _trim(reference, pad, eos), _trim(prediction, pad, eos)
    statistics.reflen += len(reference)
    statistics.predlen += len(prediction)
    for size in range(1, LONGEST_NGRAM + 1):
        predicted = _ngrams(prediction, size)
        matched = (predicted & _ngrams(reference, size)).total()
        setattr(statistics, f"count{size}", getattr(statistics, f"count{size}") + predicted.total())
        setattr(statistics, f"match{size}", getattr(statistics, f"match{size}") + matched)
