"""Sentence pairs into fairseq's memory-mapped files, streamed: memory does not grow with the text."""

from __future__ import annotations

import shutil
import struct
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from artefacts.errors import DataError, UserError
from artefacts.files import write_atomically
from pseudogec.seq2seq.vocabulary import END, SPECIAL_SYMBOLS, UNKNOWN, read_dictionary

SOURCE, TARGET = "src", "trg"
SIDES = (SOURCE, TARGET)
TEXT, DICTIONARY = "train", "dict.txt"
"""The names of a binarised text's files (without ending) and of its dictionary."""

_MAGIC = b"MMIDIDX\x00\x00"
_VERSION = 1
_TYPE_CODES: dict[np.dtype[Any], int] = {np.dtype(np.uint16): 8, np.dtype(np.uint32): 9}
_HEADER = len(_MAGIC) + 17  # magic, version, code of the type, number of sentences
_BYTES_OF_SENTENCE = 12  # its size and its place
_FLUSHED_AT = 1 << 16  # pieces held before they are written; bytes of the index read at once, a multiple of 4
_END_OF_SENTENCE = SPECIAL_SYMBOLS[END]


def data_name(side: str) -> str:
    """The name of a dataset's file, without ending: "train.src-trg.src" or "train.src-trg.trg"."""
    return f"train.{SOURCE}-{TARGET}.{side}"


def dictionary_name(side: str) -> str:
    """The name of a side's dictionary: "dict.src.txt" or "dict.trg.txt"."""
    return f"dict.{side}.txt"


class _Numbers(dict[str, int]):
    """The number of every piece, known or not."""

    def __missing__(self, piece: str) -> int:
        return UNKNOWN


class _SideWriter:
    """One side of a dataset in fairseq's ``mmap`` format (``fairseq.data.indexed_dataset.MMapIndexedDataset``).

    Args:
        data: where the numbers of the pieces go.
        index: where the sizes and places of the sentences go, which it holds one after the other.
        sizes: an empty file, to keep the sizes until the index can be written.
        numbers: of the pieces.
    """

    def __init__(self, data: IO[bytes], index: IO[bytes], sizes: IO[bytes], numbers: _Numbers) -> None:
        self._data, self._index, self._sizes, self._numbers = data, index, sizes, numbers
        # The narrowest type that holds every number, with the bounds that fairseq chose.
        self._dtype = np.dtype(np.uint16 if len(numbers) < 65500 else np.uint32)
        self._waiting: list[str] = []
        self._waiting_sizes: list[int] = []
        self.sentences = 0
        self.unknown = 0

    def add(self, pieces: Sequence[str]) -> None:
        self._waiting += pieces
        self._waiting.append(_END_OF_SENTENCE)
        self._waiting_sizes.append(len(pieces) + 1)
        self.sentences += 1
        if len(self._waiting) >= _FLUSHED_AT:
            self._flush()

    def _flush(self) -> None:
        numbers = np.fromiter(map(self._numbers.__getitem__, self._waiting), self._dtype, len(self._waiting))
        self.unknown += int(np.count_nonzero(numbers == UNKNOWN))
        self._data.write(numbers.data)
        self._sizes.write(np.array(self._waiting_sizes, dtype=np.int32).data)
        self._waiting.clear()
        self._waiting_sizes.clear()

    def finish(self) -> int:
        """Write what waits and the index; returns the number of tokens, ends of sentence included."""
        self._flush()
        self._index.write(_header(self._dtype, self.sentences))
        self._sizes.seek(0)
        shutil.copyfileobj(self._sizes, self._index)
        self._sizes.seek(0)
        start = 0  # of a sentence in the data, in bytes
        while block := self._sizes.read(_FLUSHED_AT):
            lengths = np.frombuffer(block, dtype=np.int32).astype(np.int64) * self._dtype.itemsize
            ends = start + np.cumsum(lengths)
            self._index.write((ends - lengths).data)
            start = int(ends[-1])
        return start // self._dtype.itemsize


@dataclass(frozen=True)
class BinarisedSize:
    """How much a binarised dataset holds.

    Attributes:
        pairs: sentence pairs.
        tokens: pieces of a side ("src", "trg"), ends of sentence included.
        unknown: pieces of a side that the dictionary lacks.
    """

    pairs: int
    tokens: dict[str, int]
    unknown: dict[str, int]


def binarise(pairs: Iterable[tuple[Sequence[str], Sequence[str]]], dictionary: Path, folder: Path) -> BinarisedSize:
    """Write sentence pairs as a binarised dataset: the bytes that ``fairseq-preprocess`` writes.

    The folder then holds ``train.src-trg.{src,trg}.{bin,idx}`` and ``dict.{src,trg}.txt``. Files appear under their names only
    when all is written. Whether it serves as training or as validation data is the training's affair.

    Args:
        pairs: source and target in pieces.
        dictionary: the joint dictionary of both sides, written by `write_dictionary`.
        folder: where to.

    Raises:
        DataError: the dictionary is missing or malformed.
        UserError: the folder cannot be written, or there is no pair.
    """
    numbers = _Numbers(read_dictionary(dictionary))
    with ExitStack() as stack:
        writers = {}
        for side in SIDES:
            data = stack.enter_context(write_atomically(folder / f"{data_name(side)}.bin"))
            index = stack.enter_context(write_atomically(folder / f"{data_name(side)}.idx"))
            sizes = stack.enter_context(tempfile.TemporaryFile(dir=folder))
            writers[side] = _SideWriter(data, index, sizes, numbers)
        source_writer, target_writer = writers[SOURCE], writers[TARGET]
        for source, target in pairs:
            source_writer.add(source)
            target_writer.add(target)
        if not source_writer.sentences:
            raise UserError(f"{folder}: there is no sentence pair to binarise")
        tokens = {side: writer.finish() for side, writer in writers.items()}
    for side in SIDES:
        with dictionary.open("rb") as original, write_atomically(folder / dictionary_name(side)) as copy:
            shutil.copyfileobj(original, copy)
    return BinarisedSize(source_writer.sentences, tokens, {side: writer.unknown for side, writer in writers.items()})


@dataclass(frozen=True)
class BinarisedTextSize:
    """How much a binarised text holds.

    Attributes:
        sentences: its sentences.
        tokens: pieces, ends of sentence included.
        unknown: pieces that the dictionary lacks.
    """

    sentences: int
    tokens: int
    unknown: int


def binarise_text(sentences: Iterable[Sequence[str]], dictionary: Path, folder: Path) -> BinarisedTextSize:
    """Write sentences as a binarised text for a language model: ``train.bin``, ``train.idx`` and ``dict.txt``.

    Args:
        sentences: in pieces.
        dictionary: of these pieces.
        folder: where to.

    Raises:
        DataError: the dictionary is missing or malformed.
        UserError: the folder cannot be written, or there is no sentence.
    """
    numbers = _Numbers(read_dictionary(dictionary))
    with ExitStack() as stack:
        data = stack.enter_context(write_atomically(folder / f"{TEXT}.bin"))
        index = stack.enter_context(write_atomically(folder / f"{TEXT}.idx"))
        writer = _SideWriter(data, index, stack.enter_context(tempfile.TemporaryFile(dir=folder)), numbers)
        for sentence in sentences:
            writer.add(sentence)
        if not writer.sentences:
            raise UserError(f"{folder}: there is no sentence to binarise")
        tokens = writer.finish()
    with dictionary.open("rb") as original, write_atomically(folder / DICTIONARY) as copy:
        shutil.copyfileobj(original, copy)
    return BinarisedTextSize(writer.sentences, tokens, writer.unknown)


def read_binarised(folder: Path) -> Iterator[tuple[list[str], list[str]]]:
    """The sentence pairs of a binarised dataset, source and target in pieces; streamed.

    Raises:
        DataError: the folder holds none.
    """
    return zip(*(_sentences(folder, side) for side in SIDES), strict=True)


def _sentences(folder: Path, side: str) -> Iterator[list[str]]:
    pieces = list(read_dictionary(folder / dictionary_name(side)))
    dtype, count = _read_header(folder / f"{data_name(side)}.idx")
    sizes = np.fromfile(folder / f"{data_name(side)}.idx", dtype=np.int32, count=count, offset=_HEADER)
    with (folder / f"{data_name(side)}.bin").open("rb") as data:
        for size in sizes.tolist():
            numbers = np.frombuffer(data.read(size * dtype.itemsize), dtype=dtype)
            yield [pieces[number] for number in numbers[:-1].tolist()]


def count_pairs(folder: Path) -> int:
    """The number of sentence pairs in a binarised dataset.

    Raises:
        DataError: the folder holds none.
    """
    return _read_header(folder / f"{data_name(SOURCE)}.idx")[1]


def count_sentences(text: Path) -> int:
    """The number of sentences in a binarised text.

    Raises:
        DataError: the folder holds none.
    """
    return _read_header(text / f"{TEXT}.idx")[1]


def deal_pairs(folder: Path, parts: Sequence[Path]) -> None:
    """Deal the pairs of a binarised dataset out to several smaller ones, as one deals cards: pair i goes to part i mod n.

    Args:
        folder: the dataset.
        parts: folders to write the parts to; each gets ``train.src-trg.{src,trg}.{bin,idx}``.

    Raises:
        DataError: the folder holds no dataset.
        UserError: a part cannot be written.
    """
    for side in SIDES:
        data = folder / data_name(side)
        dtype, count = _read_header(data.with_name(f"{data.name}.idx"))
        sizes = np.fromfile(data.with_name(f"{data.name}.idx"), dtype=np.int32, count=count, offset=_HEADER)
        for number, part in enumerate(parts):
            with write_atomically(part / f"{data_name(side)}.bin") as stream:
                for pieces in _every(len(parts), number, data.with_name(f"{data.name}.bin"), dtype, sizes):
                    stream.write(pieces.data)
            with write_atomically(part / f"{data_name(side)}.idx") as stream:
                dealt = sizes[number :: len(parts)]
                lengths = dealt.astype(np.int64) * dtype.itemsize
                stream.write(_header(dtype, len(dealt)) + dealt.tobytes() + (np.cumsum(lengths) - lengths).tobytes())


def _every(step: int, start: int, data: Path, dtype: np.dtype[Any], sizes: np.ndarray) -> Iterator[np.ndarray]:
    """The pieces of the sentences start, start + step, ..., some thousand sentences at a time."""
    block = max(_FLUSHED_AT // step, 1) * step  # so that every block begins with a sentence of the first part
    with data.open("rb") as stream:
        for first in range(0, len(sizes), block):
            of_block = sizes[first : first + block]
            pieces = np.frombuffer(stream.read(int(of_block.sum(dtype=np.int64)) * dtype.itemsize), dtype=dtype)
            yield pieces[np.repeat(np.arange(len(of_block)) % step == start, of_block)]


def _header(dtype: np.dtype[Any], sentences: int) -> bytes:
    """The first bytes of an index."""
    return _MAGIC + struct.pack("<Q", _VERSION) + struct.pack("<B", _TYPE_CODES[dtype]) + struct.pack("<Q", sentences)


def _read_header(path: Path) -> tuple[np.dtype[Any], int]:
    """The type of a dataset's numbers, and how many sentences it holds."""
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER)
    except OSError as error:
        raise DataError(path, f"is not a binarised dataset ({error.strerror})") from None
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        raise DataError(path, "is not an index of fairseq's mmap format")
    types = {code: dtype for dtype, code in _TYPE_CODES.items()}
    if header[-9] not in types:
        raise DataError(
            path, f"holds numbers of a type (code {header[-9]}) that is none of {', '.join(map(str, types.values()))}"
        )
    count = int(struct.unpack("<Q", header[-8:])[0])
    if path.stat().st_size != _HEADER + count * _BYTES_OF_SENTENCE:
        raise DataError(path, f"is damaged or cut short: an index of {count} sentences has another size")
    return types[header[-9]], count
