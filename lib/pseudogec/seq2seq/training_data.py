"""The folder that a training reads: binarised datasets under the names by which fairseq combines them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from pseudogec.errors import UserError
from pseudogec.files import digest_file
from pseudogec.seq2seq.binarise import SIDES, SOURCE, TARGET, data_name, dictionary_name


def prepare(train_data: Sequence[Path], valid_data: Path | None, dictionary: Path, folder: Path) -> None:
    """Link datasets as ``train``, ``train1``, ``train2``, ... and ``valid``, and copy the dictionary for both sides.

    fairseq concatenates the training splits, and repeats the first one when ``--upsample-primary`` says so.

    Raises:
        UserError: no training data was given, or a dataset is missing or was binarised with another dictionary.
    """
    if not train_data:
        raise UserError("no training data: give at least one binarised dataset")
    expected = digest_file(dictionary)
    splits = [(f"train{number or ''}", dataset) for number, dataset in enumerate(train_data)]
    splits += [("valid", valid_data)] if valid_data is not None else []
    folder.mkdir(parents=True, exist_ok=True)
    for split, dataset in splits:
        check_dictionaries(dataset, dictionary, expected)
        for side in SIDES:
            for ending in ("bin", "idx"):
                link = folder / f"{split}.{SOURCE}-{TARGET}.{side}.{ending}"
                file = dataset / f"{data_name(side)}.{ending}"
                if not file.exists():
                    raise UserError(f"{dataset} holds no binarised dataset: {file.name} is missing")
                link.unlink(missing_ok=True)
                link.symlink_to(file.resolve())
    for side in SIDES:
        shutil.copyfile(dictionary, folder / dictionary_name(side))


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
        if digest_file(folder / dictionary_name(side)) != digest:
            raise UserError(
                f"{folder} was made with another vocabulary than {dictionary}: its {dictionary_name(side)} differs. "
                "Datasets and models that work together need one dictionary; binarise or train again with it"
            )
