"""Dictionaries, sentences in fairseq's memory-mapped format, and the folders of a training.

Everything is streamed, so memory does not grow with the text.
"""

from __future__ import annotations

import itertools
import math
import os
import shutil
import struct
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from artefacts.errors import DataError, UserError
from artefacts.files import digest_file, write_atomically
from pseudogec.text import Vocabulary
from pseudogec.text.subwords import FAIRSEQ_SYMBOLS as SPECIAL_SYMBOLS

SOURCE, TARGET = "src", "trg"
SIDES = (SOURCE, TARGET)
TEXT, DICTIONARY = "train", "dict.txt"
"""The names of a binarised text's files (without ending) and of its dictionary."""

BEGINNING, PADDING, END, UNKNOWN = range(4)
"""The numbers of `SPECIAL_SYMBOLS`."""

_MAGIC = b"MMIDIDX\x00\x00"
_VERSION = 1
_TYPE_CODES: dict[np.dtype[Any], int] = {np.dtype(np.uint16): 8, np.dtype(np.uint32): 9}
_HEADER = len(_MAGIC) + 17  # magic, version, code of the type, number of sentences
_BYTES_OF_SENTENCE = 12  # its size and its place
_FLUSHED_AT = 1 << 16  # subwords kept until they are written; bytes of the index read at once, a multiple of 4


def data_name(side: str) -> str:
    """A dataset's file, without ending: "train.src-trg.src" or "train.src-trg.trg"."""
    return f"train.{SOURCE}-{TARGET}.{side}"


def dictionary_name(side: str) -> str:
    return f"dict.{side}.txt"


# --- Dictionaries


def read_dictionary(path: Path) -> dict[str, int]:
    """The number of every subword, special symbols included.

    Raises:
        DataError: a line is not a subword and its count, or a subword occurs twice.
    """
    numbers = {symbol: number for number, symbol in enumerate(SPECIAL_SYMBOLS)}
    for line_number, subword in enumerate(Vocabulary.load(path), start=1):
        if subword in numbers:
            raise DataError(
                path, f"{subword!r} is a symbol of fairseq's own, which a dictionary file must not contain", line_number
            )
        numbers[subword] = len(numbers)
    return numbers


def read_text_numbers(path: Path) -> dict[str, int]:
    """The number of every subword that a text may contain: a subword spelt like a symbol of fairseq counts as unknown."""
    return {subword: number for subword, number in read_dictionary(path).items() if subword not in SPECIAL_SYMBOLS}


def check_dictionaries(
    folder: Path, dictionary: Path, digest: str, names: Sequence[str] = tuple(map(dictionary_name, SIDES))
) -> None:
    """Refuse a folder of a dataset or model whose dictionaries have another `digest_file` than the dictionary in use.

    Raises:
        UserError: a dictionary in the folder differs.
        DataError: a dictionary is missing from the folder.
    """
    for name in names:
        if digest_file(folder / name) != digest:
            raise UserError(
                f"{folder} was made with another vocabulary than {dictionary}: its {name} differs. "
                "Datasets and models that work together need one dictionary; binarise or train again with it"
            )


# --- Binarised pairs and texts


class _Numbers(dict[str, int]):
    def __missing__(self, subword: str) -> int:
        return UNKNOWN


class _SentenceWriter:
    """One side of a dataset in fairseq's ``mmap`` format (``fairseq.data.indexed_dataset.MMapIndexedDataset``).

    ``data`` gets the numbers of the subwords, ``index`` the sizes of all sentences and then their places. ``sizes`` is an empty
    file that keeps the sizes until the index can be written.
    """

    def __init__(self, data: IO[bytes], index: IO[bytes], sizes: IO[bytes], numbers: _Numbers) -> None:
        self._data, self._index, self._sizes, self._numbers = data, index, sizes, numbers
        # The narrowest type that holds every number, with the bounds that fairseq chose.
        self._dtype = np.dtype(np.uint16 if len(numbers) < 65500 else np.uint32)
        self._waiting: list[str] = []
        self._waiting_sizes: list[int] = []
        self.sentences = 0
        self.unknown = 0

    def add(self, subwords: Sequence[str]) -> None:
        self._waiting += subwords
        self._waiting.append(SPECIAL_SYMBOLS[END])
        self._waiting_sizes.append(len(subwords) + 1)
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
        """Write the remaining data and the index; returns the number of tokens, ends of sentence included."""
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


@contextmanager
def _writer(folder: Path, name: str, numbers: _Numbers) -> Iterator[_SentenceWriter]:
    """Writes ``name.bin`` and ``name.idx``, which appear when everything is written."""
    with (
        write_atomically(folder / f"{name}.bin") as data,
        write_atomically(folder / f"{name}.idx") as index,
        tempfile.TemporaryFile(dir=folder) as sizes,
    ):
        yield _SentenceWriter(data, index, sizes, numbers)


def _copy_dictionary(dictionary: Path, copy: Path) -> None:
    with dictionary.open("rb") as original, write_atomically(copy) as stream:
        shutil.copyfileobj(original, stream)


@dataclass(frozen=True)
class BinarisedSize:
    pairs: int
    tokens: dict[str, int]  # subwords of a side ("src", "trg"), ends of sentence included
    unknown: dict[str, int]  # subwords of a side that the dictionary lacks


def binarise(pairs: Iterable[tuple[Sequence[str], Sequence[str]]], dictionary: Path, folder: Path) -> BinarisedSize:
    """Write sentence pairs as a binarised dataset: the bytes that ``fairseq-preprocess`` writes.

    The folder then holds ``train.src-trg.{src,trg}.{bin,idx}`` and ``dict.{src,trg}.txt``, for training or validation. Files
    appear under their names only when all is written.

    Args:
        pairs: source and target in subwords.
        dictionary: of both sides.
        folder: the dataset's.

    Raises:
        DataError: the dictionary is missing or malformed.
        UserError: the folder cannot be written, or there is no pair.
    """
    numbers = _Numbers(read_dictionary(dictionary))
    with ExitStack() as stack:
        writers = {side: stack.enter_context(_writer(folder, data_name(side), numbers)) for side in SIDES}
        source_writer, target_writer = writers[SOURCE], writers[TARGET]
        for source, target in pairs:
            source_writer.add(source)
            target_writer.add(target)
        if not source_writer.sentences:
            raise UserError(f"{folder}: there is no sentence pair to binarise")
        tokens = {side: writer.finish() for side, writer in writers.items()}
    for side in SIDES:
        _copy_dictionary(dictionary, folder / dictionary_name(side))
    return BinarisedSize(source_writer.sentences, tokens, {side: writer.unknown for side, writer in writers.items()})


@dataclass(frozen=True)
class BinarisedTextSize:
    sentences: int
    tokens: int  # ends of sentence included
    unknown: int  # subwords that the dictionary lacks


def binarise_text(sentences: Iterable[Sequence[str]], dictionary: Path, folder: Path) -> BinarisedTextSize:
    """Write sentences, in subwords, as a binarised text for a language model: ``train.bin``, ``train.idx`` and ``dict.txt``.

    Raises:
        DataError: the dictionary is missing or malformed.
        UserError: the folder cannot be written, or there is no sentence.
    """
    with _writer(folder, TEXT, _Numbers(read_dictionary(dictionary))) as writer:
        for sentence in sentences:
            writer.add(sentence)
        if not writer.sentences:
            raise UserError(f"{folder}: there is no sentence to binarise")
        tokens = writer.finish()
    _copy_dictionary(dictionary, folder / DICTIONARY)
    return BinarisedTextSize(writer.sentences, tokens, writer.unknown)


def read_binarised(folder: Path) -> Iterator[tuple[list[str], list[str]]]:
    """The sentence pairs of a binarised dataset, source and target in subwords; streamed.

    Raises:
        DataError: the folder holds none.
    """
    return zip(*(_sentences(folder, side) for side in SIDES), strict=True)


def _sentences(folder: Path, side: str) -> Iterator[list[str]]:
    subwords = list(read_dictionary(folder / dictionary_name(side)))
    dtype, sizes = _read_index(folder / data_name(side))
    with (folder / f"{data_name(side)}.bin").open("rb") as data:
        for size in sizes.tolist():
            numbers = np.frombuffer(data.read(size * dtype.itemsize), dtype=dtype)
            yield [subwords[number] for number in numbers[:-1].tolist()]


def count_pairs(folder: Path) -> int:
    """The number of sentence pairs in a binarised dataset.

    Raises:
        DataError: the folder holds none.
    """
    return _read_header(folder / f"{data_name(SOURCE)}.idx")[1]


def deal_pairs(folder: Path, parts: Sequence[Path]) -> None:
    """Divide a binarised dataset into smaller ones in turn: pair i goes to the folder i mod n of ``parts``."""
    for side in SIDES:
        dtype, sizes = _read_index(folder / data_name(side))
        for number, part in enumerate(parts):
            with write_atomically(part / f"{data_name(side)}.bin") as stream:
                for subwords in _every(len(parts), number, folder / f"{data_name(side)}.bin", dtype, sizes):
                    stream.write(subwords.data)
            with write_atomically(part / f"{data_name(side)}.idx") as stream:
                dealt = sizes[number :: len(parts)]
                lengths = dealt.astype(np.int64) * dtype.itemsize
                stream.write(_header(dtype, len(dealt)) + dealt.tobytes() + (np.cumsum(lengths) - lengths).tobytes())


def _every(step: int, start: int, data: Path, dtype: np.dtype[Any], sizes: np.ndarray) -> Iterator[np.ndarray]:
    """The subwords of the sentences start, start + step, ..., thousands at a time."""
    block = max(_FLUSHED_AT // step, 1) * step  # so that every block begins with a sentence of the first part
    with data.open("rb") as stream:
        for first in range(0, len(sizes), block):
            of_block = sizes[first : first + block]
            subwords = np.frombuffer(stream.read(int(of_block.sum(dtype=np.int64)) * dtype.itemsize), dtype=dtype)
            yield subwords[np.repeat(np.arange(len(of_block)) % step == start, of_block)]


def _header(dtype: np.dtype[Any], sentences: int) -> bytes:
    return _MAGIC + struct.pack("<QBQ", _VERSION, _TYPE_CODES[dtype], sentences)


def _read_header(path: Path) -> tuple[np.dtype[Any], int]:
    """The type of a dataset's numbers, and its number of sentences."""
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER)
    except OSError as error:
        raise DataError(path, f"is not a binarised dataset ({error.strerror})") from None
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        raise DataError(path, "is not an index of fairseq's mmap format")
    types = {code: dtype for dtype, code in _TYPE_CODES.items()}
    count = int(struct.unpack("<Q", header[-8:])[0])
    if path.stat().st_size != _HEADER + count * _BYTES_OF_SENTENCE:
        raise DataError(path, f"is damaged or cut short: an index of {count} sentences has another size")
    return types[header[-9]], count


def _read_index(data: Path) -> tuple[np.dtype[Any], np.ndarray]:
    """The type of a dataset's numbers, and the size of each sentence."""
    index = data.with_name(f"{data.name}.idx")
    dtype, count = _read_header(index)
    return dtype, np.fromfile(index, dtype=np.int32, count=count, offset=_HEADER)


# --- The folders of a training


def prepare_pairs(
    train_data: Sequence[Path],
    valid_data: Path | None,
    dictionary: Path,
    folder: Path,
    pairs_at_once: int | None = None,
    upsample_primary: int = 1,
) -> list[Path]:
    """Link datasets as ``train``, ``train1``, ``train2``, ... and ``valid``, and copy the dictionary for both sides.

    fairseq concatenates the training splits of a folder, and repeats the first one as ``--upsample-primary`` says. It reads
    several folders one after the other, as shards of one training, and calls each an epoch. The primary (first) dataset is dealt
    out to all shards, so that each has the same mixture as the whole. For the arguments see `pseudogec.seq2seq.train`.

    Returns:
        The shards' folders, with at most ``pairs_at_once`` pairs each as near as whole datasets allow; ``folder`` itself if one
        is enough.
    """
    _check_data(train_data, valid_data, dictionary, tuple(map(dictionary_name, SIDES)))
    primary, others = train_data[0], train_data[1:]
    runs = [(0, len(others))]
    if pairs_at_once is not None:
        pairs = count_pairs(primary)
        dealt = pairs * (upsample_primary if others else 1)
        runs = _runs([count_pairs(data) for data in others], dealt, pairs_at_once, most=pairs)
    shards = _shard_folders(folder, len(runs))
    if len(shards) > 1:
        deal_pairs(primary, shards)
    else:
        _link_pairs(primary, folder, "train")
    for shard, (begin, end) in zip(shards, runs, strict=True):
        for number, dataset in enumerate(others[begin:end], start=1):
            _link_pairs(dataset, shard, f"train{number}")
    if valid_data is not None:
        _link_pairs(valid_data, shards[0], "valid")
    for side in SIDES:
        shutil.copyfile(dictionary, shards[0] / dictionary_name(side))
    return shards


def prepare_texts(
    train_data: Sequence[Path], valid_data: Path | None, dictionary: Path, folder: Path, sentences_at_once: int | None = None
) -> list[Path]:
    """The same for a language model, with texts written by `binarise_text`; none of them is the primary one."""
    _check_data(train_data, valid_data, dictionary, (DICTIONARY,))
    runs = [(0, len(train_data))]
    if sentences_at_once is not None:
        sizes = [_read_header(text / f"{TEXT}.idx")[1] for text in train_data]
        runs = _runs(sizes, 0, sentences_at_once, most=len(train_data))
    shards = _shard_folders(folder, len(runs))
    for shard, (begin, end) in zip(shards, runs, strict=True):
        for number, text in enumerate(train_data[begin:end]):
            _link(text / TEXT, shard / f"train{number or ''}")
    if valid_data is not None:
        _link(valid_data / TEXT, shards[0] / "valid")
    shutil.copyfile(dictionary, shards[0] / DICTIONARY)
    return shards


def as_argument(shards: Sequence[Path]) -> str:
    return os.pathsep.join(map(str, shards))


def _check_data(train_data: Sequence[Path], valid_data: Path | None, dictionary: Path, names: Sequence[str]) -> None:
    if not train_data:
        raise UserError("no training data: give at least one binarised dataset")
    digest = digest_file(dictionary)
    for dataset in (*train_data, *([valid_data] if valid_data is not None else [])):
        check_dictionaries(dataset, dictionary, digest, names)


def _runs(sizes: Sequence[int], everywhere: int, at_once: int, most: int) -> list[tuple[int, int]]:
    """Cut a list of datasets into the fewest runs of equal length that are small enough, as near as whole datasets allow.

    Args:
        sizes: of the datasets.
        everywhere: size of the dataset that is dealt out to all runs.
        at_once: most pairs of both in a run.
        most: most runs.

    Returns:
        Where each run begins and ends; without datasets, as many empty runs as the dealt one needs.
    """
    fewest = max(math.ceil((sum(sizes) + everywhere) / at_once), 1)
    most = min(len(sizes) or fewest, most)
    for count in range(min(fewest, most), most + 1):
        runs = list(itertools.pairwise(number * len(sizes) // count for number in range(count + 1)))
        if all(sum(sizes[begin:end]) + math.ceil(everywhere / count) <= at_once for begin, end in runs):
            break
    return runs


def _shard_folders(folder: Path, shards: int) -> list[Path]:
    """The folders of the shards, empty."""
    if os.pathsep in str(folder):
        raise UserError(f"fairseq cannot read data from {folder}: it splits paths at `{os.pathsep}`; train in another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folders = [folder / f"shard{number}" for number in range(1, shards + 1)] if shards > 1 else [folder]
    for shard in folders:
        shard.mkdir(parents=True)
    return folders


def _link_pairs(dataset: Path, folder: Path, split: str) -> None:
    for side in SIDES:
        _link(dataset / data_name(side), folder / f"{split}.{SOURCE}-{TARGET}.{side}")


def _link(data: Path, name: Path) -> None:
    """Link the two files of binarised data, named without ending."""
    for ending in (".bin", ".idx"):
        file = data.with_name(data.name + ending)
        if not file.exists():
            raise UserError(f"{data.parent} holds no binarised dataset: {file.name} is missing")
        name.with_name(name.name + ending).symlink_to(file.resolve())
