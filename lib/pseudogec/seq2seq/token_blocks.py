"""fairseq's cutter of token streams (``fairseq.data.token_block_utils_fast``) for builds without its compiled module.

Language models read a corpus as one stream of tokens, cut into blocks. The functions keep fairseq's names, arguments and results.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]


def _equal_blocks(sizes: Int64Array, block_size: int) -> Int64Array:
    """Blocks of ``block_size`` tokens that take no notice of sentences; the last one may be shorter."""
    total = int(sizes.sum())
    starts = np.arange(0, total, block_size, dtype=np.int64)
    return np.stack([starts, np.minimum(starts + block_size, total)], axis=1)


def _sentence_blocks(sizes: Int64Array) -> Int64Array:
    """One block a sentence."""
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
    """First token and last token + 1 of every block, shape (blocks, 2).

    Args:
        sizes: tokens of every sentence, shape (n,).
        break_mode: "none", "eos" (a sentence a block), "complete" (whole sentences) or "complete_doc".
        block_size: tokens of a block; "eos" takes no notice of it.
        document_sep_len: tokens of the sentence that separates documents.

    Raises:
        ValueError: the mode is none of these.
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
