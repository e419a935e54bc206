"""Models in memory: each is loaded once a process, whoever decodes with it alone, in an ensemble, or scores with it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

from pseudogec.errors import DataError
from pseudogec.seq2seq.model_file import MODEL

AT_ONCE = 16
"""Models that stay in memory: the 4 + 4 of the papers' largest system, twice. The one that was used longest ago goes first."""


class LoadedModel(NamedTuple):
    """A fairseq model, ready to decode.

    Attributes:
        model: on the device where it decodes, in evaluation mode.
        task: fairseq's task, which knows the dictionaries.
        device: where it is.
    """

    model: Any
    task: Any
    device: Any


def load(folder: Path) -> LoadedModel:
    """The model of a folder; loaded anew only if its file has changed.

    Raises:
        DataError: there is no model file.
    """
    path = folder / MODEL
    try:
        status = path.stat()
    except FileNotFoundError:
        raise DataError(path, "no such file; a model folder holds model.pt and its dictionaries") from None
    return _load(folder.resolve(), status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=AT_ONCE)
def _load(folder: Path, size: int, modified: int) -> LoadedModel:
    from pseudogec.seq2seq import compat

    compat.apply()
    import torch
    from fairseq import checkpoint_utils

    from pseudogec.seq2seq import plugins, session

    plugins.register()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with session.isolated():
        models, _, task = checkpoint_utils.load_model_ensemble_and_task(
            [str(folder / MODEL)], arg_overrides={"data": str(folder)}
        )
    return LoadedModel(models[0].to(device).eval(), task, device)


def times_loaded() -> int:
    """How often a model file was read in this process."""
    return _load.cache_info().misses


def release() -> None:
    """Let go of all models, CTranslate2's too."""
    from pseudogec.seq2seq import decode_ctranslate2

    _load.cache_clear()
    decode_ctranslate2.load.cache_clear()
