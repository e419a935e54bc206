"""Dictionaries, sentences in fairseq's memory-mapped format, and the folders of a training."""

from __future__ import annotations

import itertools
import os
import shutil
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import digest_file
from pseudogec.text import Vocabulary
from pseudogec.text.subwords import FAIRSEQ_SYMBOLS as SPECIAL_SYMBOLS

SOURCE, TARGET = "src", "trg"
SIDES = (SOURCE, TARGET)
DICTIONARY = "dict.txt"
"""A text's dictionary."""

BEGINNING, PADDING, END, UNKNOWN = range(4)
"""The numbers of `SPECIAL_SYMBOLS`."""

_MAGIC = b"MMIDIDX\x00\x00"
_VERSION = 1
_TYPE_CODES: dict[np.dtype[Any], int] = {np.dtype(np.uint16): 8, np.dtype(np.uint32): 9}
_HEADER = len(_MAGIC) + 17  # magic, version, code of the type, number of sentences
_FLUSHED_AT = 1 << 16  # subwords kept until they are written


def data_name(side: str) -> str:
    """A dataset's file, without ending: "train.src-trg.src" or "train.src-trg.trg"."""
    return f"train.{SOURCE}-{TARGET}.{side}"


def dictionary_name(side: str) -> str:
    return f"dict.{side}.txt"


class Layout(NamedTuple):
    """The files of binarised data, without their endings, and of their dictionaries."""

    data: tuple[str, ...]
    dictionaries: tuple[str, ...]


PAIRS = Layout(tuple(map(data_name, SIDES)), tuple(map(dictionary_name, SIDES)))
TEXT = Layout(("train",), (DICTIONARY,))


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
                path,
                f"{subword!r} is a symbol of fairseq's own, which a dictionary file must "
                "not contain",
                line_number,
            )
        numbers[subword] = len(numbers)
    return numbers


def read_text_numbers(path: Path) -> dict[str, int]:
    """The number of every subword that a text may contain: a subword spelt like a symbol of fairseq
    counts as unknown.
    """
    return {
        subword: number
        for subword, number in read_dictionary(path).items()
        if subword not in SPECIAL_SYMBOLS
    }


def check_dictionaries(folder: Path, dictionary: Path, names: Sequence[str]) -> None:
    """Refuse a folder of a dataset or model whose dictionaries differ from the dictionary in use.

    Raises:
        UserError: a dictionary in the folder differs.
        DataError: a dictionary is missing from the folder.
    """
    digest = digest_file(dictionary)
    for name in names:
        if digest_file(folder / name) != digest:
            raise UserError(
                f"{folder} was made with another vocabulary than {dictionary}: its {name} differs. "
                "Datasets and models that work together need one dictionary; binarise or train "
                "again with it"
            )


# --- Binarised pairs and texts


class _Numbers(dict[str, int]):
    def __missing__(self, subword: str) -> int:
        return UNKNOWN


class _SentenceWriter:
    """One side of a dataset in fairseq's ``mmap`` format
    (``fairseq.data.indexed_dataset.MMapIndexedDataset``).

    ``NAME.bin`` gets the numbers of the subwords, ``NAME.idx`` the sizes of all sentences and then
    their places.
    """

    def __init__(self, folder: Path, name: str, numbers: _Numbers) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._data, self._index = (folder / f"{name}.bin").open("wb"), folder / f"{name}.idx"
        self._numbers = numbers
        # The narrowest type that holds every number, with the bounds that fairseq chose.
        self._dtype = np.dtype(np.uint16 if len(numbers) < 65500 else np.uint32)
        self._waiting: list[str] = []
        self._sizes = array("i")
        self.unknown = 0

    @property
    def sentences(self) -> int:
        return len(self._sizes)

    def add(self, subwords: Sequence[str]) -> None:
        self._waiting += subwords
        self._waiting.append(SPECIAL_SYMBOLS[END])
        self._sizes.append(len(subwords) + 1)
        if len(self._waiting) >= _FLUSHED_AT:
            self._flush()

    def _flush(self) -> None:
        numbers = np.fromiter(
            map(self._numbers.__getitem__, self._waiting), self._dtype, len(self._waiting)
        )
        self.unknown += int(np.count_nonzero(numbers == UNKNOWN))
        self._data.write(numbers.data)
        self._waiting.clear()

    def finish(self) -> int:
        """Write the remaining data and the index; returns the number of tokens, ends of sentence
        included.
        """
        self._flush()
        self._data.close()
        if not self._sizes:
            raise UserError(f"{self._index}: there is no sentence to binarise")
        sizes = np.array(self._sizes, dtype=np.int32)
        lengths = sizes.astype(np.int64) * self._dtype.itemsize
        header = _MAGIC + struct.pack("<QBQ", _VERSION, _TYPE_CODES[self._dtype], len(sizes))
        self._index.write_bytes(header + sizes.tobytes() + (np.cumsum(lengths) - lengths).tobytes())
        return int(sizes.sum(dtype=np.int64))


@dataclass(frozen=True)
class BinarisedSize:
    pairs: int
    tokens: dict[str, int]  # subwords of a side ("src", "trg"), ends of sentence included
    unknown: dict[str, int]  # subwords of a side that the dictionary lacks


def binarise(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], dictionary: Path, folder: Path
) -> BinarisedSize:
    """Write sentence pairs, in subwords, as a binarised dataset: the bytes that
    ``fairseq-preprocess`` writes.

    The folder then holds ``train.src-trg.{src,trg}.{bin,idx}`` and ``dict.{src,trg}.txt``, for
    training or validation.

    Raises:
        DataError: the dictionary, of both sides, is missing or malformed.
        UserError: there is no pair.
    """
    numbers = _Numbers(read_dictionary(dictionary))
    writers = {side: _SentenceWriter(folder, data_name(side), numbers) for side in SIDES}
    source_writer, target_writer = writers[SOURCE], writers[TARGET]
    for source, target in pairs:
        source_writer.add(source)
        target_writer.add(target)
    tokens = {side: writer.finish() for side, writer in writers.items()}
    for side in SIDES:
        shutil.copyfile(dictionary, folder / dictionary_name(side))
    return BinarisedSize(
        source_writer.sentences, tokens, {side: writer.unknown for side, writer in writers.items()}
    )


@dataclass(frozen=True)
class BinarisedTextSize:
    sentences: int
    tokens: int  # ends of sentence included
    unknown: int  # subwords that the dictionary lacks


def binarise_text(
    sentences: Iterable[Sequence[str]], dictionary: Path, folder: Path
) -> BinarisedTextSize:
    """Write sentences, in subwords, as a binarised text for a language model: ``train.bin``,
    ``train.idx`` and ``dict.txt``.

    Raises:
        DataError: the dictionary is missing or malformed.
        UserError: there is no sentence.
    """
    writer = _SentenceWriter(folder, TEXT.data[0], _Numbers(read_dictionary(dictionary)))
    for sentence in sentences:
        writer.add(sentence)
    tokens = writer.finish()
    shutil.copyfile(dictionary, folder / DICTIONARY)
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


def _read_header(path: Path) -> tuple[np.dtype[Any], int]:
    if not path.is_file():
        raise DataError(path, "is missing; the folder holds no binarised dataset")
    with path.open("rb") as stream:
        header = stream.read(_HEADER)
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        raise DataError(path, "is not an index of fairseq's mmap format")
    types = {code: dtype for dtype, code in _TYPE_CODES.items()}
    count = int(struct.unpack("<Q", header[-8:])[0])
    return types[header[-9]], count


def _read_index(data: Path) -> tuple[np.dtype[Any], np.ndarray]:
    index = data.with_name(f"{data.name}.idx")
    dtype, count = _read_header(index)
    return dtype, np.fromfile(index, dtype=np.int32, count=count, offset=_HEADER)


# --- The folders of a training


def prepare(
    train_data: Sequence[Path],
    valid_data: Path | None,
    dictionary: Path,
    folder: Path,
    layout: Layout = PAIRS,
    at_once: int | None = None,
) -> list[Path]:
    """Link datasets as ``train``, ``train1``, ``train2``, ... and ``valid``, and copy the
    dictionary.

    fairseq concatenates the training splits of a folder, and repeats the first one as
    ``--upsample-primary`` says. It reads several folders one after the other, as shards of one
    training, and calls each an epoch.

    Returns:
        The shards' folders, with at most ``at_once`` sentences each as near as whole datasets
        allow; ``folder`` itself if one is enough.
    """
    if not train_data:
        raise UserError("no training data: give at least one binarised dataset")
    if os.pathsep in str(folder):
        raise UserError(
            f"fairseq cannot read data from {folder}: it splits paths at "
            f"`{os.pathsep}`; train in another folder"
        )
    for dataset in (*train_data, *filter(None, [valid_data])):
        check_dictionaries(dataset, dictionary, layout.dictionaries)
    runs = [(0, len(train_data))]
    if at_once is not None:
        runs = _runs(
            [_read_header(dataset / f"{layout.data[0]}.idx")[1] for dataset in train_data], at_once
        )
    shutil.rmtree(folder, ignore_errors=True)
    shards = (
        [folder / f"shard{number}" for number in range(1, len(runs) + 1)]
        if len(runs) > 1
        else [folder]
    )
    for shard, (begin, end) in zip(shards, runs, strict=True):
        shard.mkdir(parents=True)
        for number, dataset in enumerate(train_data[begin:end]):
            _link(dataset, shard, f"train{number or ''}", layout)
    if valid_data is not None:
        _link(valid_data, shards[0], "valid", layout)
    for name in layout.dictionaries:
        shutil.copyfile(dictionary, shards[0] / name)
    return shards


def as_argument(shards: Sequence[Path]) -> str:
    return os.pathsep.join(map(str, shards))


def _runs(sizes: Sequence[int], at_once: int) -> list[tuple[int, int]]:
    """Where the fewest runs of equally many datasets begin and end that are small enough, as near
    as whole datasets allow.
    """
    for count in range(1, len(sizes) + 1):
        runs = list(itertools.pairwise(number * len(sizes) // count for number in range(count + 1)))
        if all(sum(sizes[begin:end]) <= at_once for begin, end in runs):
            break
    return runs


def _link(dataset: Path, folder: Path, split: str, layout: Layout) -> None:
    for stem in layout.data:
        for ending in (".bin", ".idx"):
            file = dataset / f"{stem}{ending}"
            if not file.exists():
                raise UserError(f"{dataset} holds no binarised dataset: {file.name} is missing")
            (folder / f"{split}{stem.removeprefix('train')}{ending}").symlink_to(file.resolve())
