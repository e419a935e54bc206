"""The folders that a training reads: binarised datasets under the names by which fairseq combines them, in turns or at once."""

from __future__ import annotations

import itertools
import math
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from artefacts.errors import UserError
from artefacts.files import digest_file
from pseudogec.seq2seq.binarise import (
    DICTIONARY,
    SIDES,
    SOURCE,
    TARGET,
    TEXT,
    count_pairs,
    count_sentences,
    data_name,
    deal_pairs,
    dictionary_name,
)


def prepare(
    train_data: Sequence[Path],
    valid_data: Path | None,
    dictionary: Path,
    folder: Path,
    pairs_at_once: int | None = None,
    upsample_primary: int = 1,
) -> list[Path]:
    """Link datasets as ``train``, ``train1``, ``train2``, ... and ``valid``, and copy the dictionary for both sides.

    fairseq concatenates the training splits of a folder, and repeats the first one when ``--upsample-primary`` says so. Given
    several folders, it takes one after the other, an "epoch" each. The primary (first) dataset is dealt out to all of them, so
    that every turn has the same mixture as the whole.

    Args:
        train_data: folders written by `binarise`; the first is the primary one.
        valid_data: the folder of the validation data; ``None``: no validation.
        dictionary: the dictionary with which all of them were binarised.
        folder: where to.
        pairs_at_once: most pairs in a folder, as near as whole datasets allow, and as every folder needs a pair of the primary
            one; ``None``: all.
        upsample_primary: how often the first dataset is repeated when there are several.

    Returns:
        The folders to read in turn; ``folder`` itself if one is enough.

    Raises:
        UserError: no training data was given, a dataset is missing or was binarised with another dictionary, or fairseq cannot
            read from this folder.
        DataError: a dataset's index is malformed.
    """
    digest = digest_file(dictionary)
    for dataset in _all(train_data, valid_data):
        check_dictionaries(dataset, dictionary, digest)
    primary, others = train_data[0], train_data[1:]
    runs = [(0, len(others))]
    if pairs_at_once is not None:
        pairs = count_pairs(primary)
        dealt = pairs * (upsample_primary if others else 1)
        runs = _runs([count_pairs(data) for data in others], dealt, pairs_at_once, most=pairs)
    folders = _folders(folder, len(runs))
    if len(folders) > 1:
        deal_pairs(primary, folders)
    else:
        _link_pairs(primary, folder, "train")
    for turn, (begin, end) in zip(folders, runs, strict=True):
        for number, dataset in enumerate(others[begin:end], start=1):
            _link_pairs(dataset, turn, f"train{number}")
    if valid_data is not None:
        _link_pairs(valid_data, folders[0], "valid")
    for side in SIDES:
        shutil.copyfile(dictionary, folders[0] / dictionary_name(side))
    return folders


def prepare_text(
    train_data: Sequence[Path], valid_data: Path | None, dictionary: Path, folder: Path, sentences_at_once: int | None = None
) -> list[Path]:
    """The same for a language model: texts written by `binarise_text`, and one dictionary. No text is the primary one.

    Raises:
        UserError: no training data was given, a text is missing or was binarised with another dictionary, or fairseq cannot read
            from this folder.
        DataError: a text's index is malformed.
    """
    digest = digest_file(dictionary)
    for text in _all(train_data, valid_data):
        _check_dictionary(text, DICTIONARY, dictionary, digest)
    runs = [(0, len(train_data))]
    if sentences_at_once is not None:
        runs = _runs([count_sentences(text) for text in train_data], 0, sentences_at_once, most=len(train_data))
    folders = _folders(folder, len(runs))
    for turn, (begin, end) in zip(folders, runs, strict=True):
        for number, text in enumerate(train_data[begin:end]):
            _link(text / TEXT, turn / f"train{number or ''}")
    if valid_data is not None:
        _link(valid_data / TEXT, folders[0] / "valid")
    shutil.copyfile(dictionary, folders[0] / DICTIONARY)
    return folders


def as_argument(folders: Sequence[Path]) -> str:
    """The folders as ``fairseq-train`` takes them."""
    return os.pathsep.join(map(str, folders))


def _all(train_data: Sequence[Path], valid_data: Path | None) -> list[Path]:
    if not train_data:
        raise UserError("no training data: give at least one binarised dataset")
    return [*train_data, *([valid_data] if valid_data is not None else [])]


def _runs(sizes: Sequence[int], everywhere: int, at_once: int, most: int) -> list[tuple[int, int]]:
    """Cut a list of datasets into the fewest runs of equal length that are small enough, as near as whole datasets allow.

    Args:
        sizes: of the datasets.
        everywhere: size of what is dealt out to all runs.
        at_once: most of both together in a run.
        most: most runs.

    Returns:
        Where each run begins and ends; without datasets, as many empty ones as what is dealt out needs.
    """
    fewest = max(math.ceil((sum(sizes) + everywhere) / at_once), 1)
    most = min(len(sizes) or fewest, most)
    for count in range(min(fewest, most), most + 1):
        runs = list(itertools.pairwise(number * len(sizes) // count for number in range(count + 1)))
        if all(sum(sizes[begin:end]) + math.ceil(everywhere / count) <= at_once for begin, end in runs):
            break
    return runs


def _folders(folder: Path, turns: int) -> list[Path]:
    """The folders of the turns, empty.

    Raises:
        UserError: fairseq would take the path for several.
    """
    if os.pathsep in str(folder):
        raise UserError(f"fairseq cannot read data from {folder}: it splits paths at `{os.pathsep}`; train in another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folders = [folder / f"turn{number}" for number in range(1, turns + 1)] if turns > 1 else [folder]
    for turn in folders:
        turn.mkdir(parents=True)
    return folders


def _link_pairs(dataset: Path, folder: Path, split: str) -> None:
    for side in SIDES:
        _link(dataset / data_name(side), folder / f"{split}.{SOURCE}-{TARGET}.{side}")


def _link(data: Path, name: Path) -> None:
    """Link the two files of binarised data; both names are without ending."""
    for ending in (".bin", ".idx"):
        file = data.with_name(data.name + ending)
        if not file.exists():
            raise UserError(f"{data.parent} holds no binarised dataset: {file.name} is missing")
        name.with_name(name.name + ending).symlink_to(file.resolve())


def check_dictionaries(folder: Path, dictionary: Path, digest: str) -> None:
    """Refuse a dataset or a model whose pieces have other numbers than the dictionary's.

    Args:
        folder: holds ``dict.src.txt`` and ``dict.trg.txt``.
        dictionary: the dictionary in use, for the message.
        digest: its `artefacts.files.digest_file`.

    Raises:
        UserError: a dictionary in the folder differs.
        DataError: a dictionary is missing from the folder.
    """
    for side in SIDES:
        _check_dictionary(folder, dictionary_name(side), dictionary, digest)


def _check_dictionary(folder: Path, name: str, dictionary: Path, digest: str) -> None:
    if digest_file(folder / name) != digest:
        raise UserError(
            f"{folder} was made with another vocabulary than {dictionary}: its {name} differs. "
            "Datasets and models that work together need one dictionary; binarise or train again with it"
        )
