"""Checkpoint files in fairseq's format, written atomically: full states to resume from, and bare weights to choose from."""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from artefacts.files import write_atomically
from pseudogec.seq2seq import safe_loading

LAST = "checkpoint_last.pt"

log = logging.getLogger(__name__)


def save(state: Mapping[str, Any], path: Path) -> None:
    """Write a checkpoint under a temporary name and rename it: a kill or a power cut meanwhile leaves the earlier one whole."""
    import torch

    with write_atomically(path, lasting=True) as stream:
        torch.save(state, stream)


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint into main memory, without executing what it holds.

    Raises:
        UnsafeFileError: it is not one of ours.
        DataError: it is damaged.
    """
    state: dict[str, Any] = safe_loading.load(path)
    return state


def load_if_whole(path: Path) -> dict[str, Any] | None:
    """Read a checkpoint; one that is missing, or damaged by more than a kill (a full disk, a power cut), counts as none.

    Raises:
        UnsafeFileError: it is whole, and not one of ours.
    """
    if not path.exists():
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # torch writes check sums, and does not read them
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        damaged = str(error)
    if damaged is None:
        return load(path)
    log.warning("%s is damaged (%s); training starts again from the beginning", path, damaged)
    path.unlink()
    return None


def bare_weights(cfg: Any, model: Mapping[str, Any]) -> dict[str, Any]:
    """What decoding and fine-tuning need of a checkpoint, in fairseq's format: no optimiser's state, no position in the data.

    Args:
        cfg: the training's configuration, as plain containers.
        model: the weights by name.
    """
    # fairseq takes a checkpoint without this history for one of an early release.
    history = {"criterion_name": "", "optimizer_name": "", "lr_scheduler_state": {}, "num_updates": 0}
    return {
        "args": None,
        "cfg": cfg,
        "model": model,
        "optimizer_history": [history],
        "extra_state": {"train_iterator": {"epoch": 1}},
        "task_state": {},
    }
