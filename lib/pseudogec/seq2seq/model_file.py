"""Reading a model folder: its weights' configuration and its dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from artefacts.errors import DataError
from pseudogec.seq2seq import safe_loading

MODEL = "model.pt"


def model_options(folder: Path) -> Any:
    """fairseq's options of the model in a folder (a namespace), without reading the weights.

    Raises:
        DataError: there is no model file, or it is not fairseq's, or it cannot be read without executing what it holds.
    """
    path = folder / MODEL
    if not path.exists():
        raise DataError(path, "no such file; a model folder holds model.pt, dict.src.txt and dict.trg.txt")
    try:
        return safe_loading.load(path, mmap=True)["cfg"]["model"]
    except (KeyError, TypeError) as error:
        raise DataError(path, f"is not a model file in fairseq's format ({error})") from None


def max_positions(folder: Path) -> int:
    """Most pieces, end of sentence included, that the model in a folder can take on either side."""
    options = model_options(folder)
    return int(min(options.max_source_positions, options.max_target_positions))
