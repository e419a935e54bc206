"""The folder that a training reads: binarised datasets under the names by which fairseq combines them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from pseudogec.errors import UserError
from pseudogec.files import digest_file
from pseudogec.seq2seq.binarise import DICTIONARY, SIDES, SOURCE, TARGET, TEXT, data_name, dictionary_name


def prepare(train_data: Sequence[Path], valid_data: Path | None, dictionary: Path, folder: Path) -> None:
    """Link datasets as ``train``, ``train1``, ``train2``, ... and ``valid``, and copy the dictionary for both sides.

    fairseq concatenates the training splits, and repeats the first one when ``--upsample-primary`` says so.

    Raises:
        UserError: no training data was given, or a dataset is missing or was binarised with another dictionary.
    """
    digest = digest_file(dictionary)
    for split, dataset in _splits(train_data, valid_data):
        check_dictionaries(dataset, dictionary, digest)
        for side in SIDES:
            _link(dataset / data_name(side), folder / f"{split}.{SOURCE}-{TARGET}.{side}")
    for side in SIDES:
        shutil.copyfile(dictionary, folder / dictionary_name(side))


def prepare_text(train_data: Sequence[Path], valid_data: Path | None, dictionary: Path, folder: Path) -> None:
    """The same for a language model: texts written by `binarise_text`, and one dictionary.

    Raises:
        UserError: no training data was given, or a text is missing or was binarised with another dictionary.
    """
    digest = digest_file(dictionary)
    for split, text in _splits(train_data, valid_data):
        _check_dictionary(text, DICTIONARY, dictionary, digest)
        _link(text / TEXT, folder / split)
    shutil.copyfile(dictionary, folder / DICTIONARY)


def _splits(train_data: Sequence[Path], valid_data: Path | None) -> list[tuple[str, Path]]:
    """The names by which fairseq finds the data."""
    if not train_data:
        raise UserError("no training data: give at least one binarised dataset")
    splits = [(f"train{number or ''}", data) for number, data in enumerate(train_data)]
    return splits + ([("valid", valid_data)] if valid_data is not None else [])


def _link(data: Path, name: Path) -> None:
    """Link the two files of binarised data; both names are without ending."""
    name.parent.mkdir(parents=True, exist_ok=True)
    for ending in (".bin", ".idx"):
        file, link = data.with_name(data.name + ending), name.with_name(name.name + ending)
        if not file.exists():
            raise UserError(f"{data.parent} holds no binarised dataset: {file.name} is missing")
        link.unlink(missing_ok=True)
        link.symlink_to(file.resolve())


def check_dictionaries(folder: Path, dictionary: Path, digest: str) -> None:
    """Refuse a dataset or a model whose pieces have other numbers than the dictionary's.

    Args:
        folder: holds ``dict.src.txt`` and ``dict.trg.txt``.
        dictionary: the dictionary in use, for the message.
        digest: its `pseudogec.files.digest_file`.

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
