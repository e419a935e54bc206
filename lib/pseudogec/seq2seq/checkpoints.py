"""Checkpoints and model files in fairseq's format: read without executing code in them, written atomically, averaged.

A PyTorch file is a pickle, and a pickle may name any function for the reader to call. torch's weights-only reader calls only
those that make tensors, plain containers and listed types. It reads all files that this project writes, here and in fairseq. A
file that needs more, such as a checkpoint that others released, is refused unless the environment variable `TRUST` names it. So
is one with an option that fairseq might run: it passes the texts of some options to Python's `eval`.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from artefacts.errors import DataError, UserError
from artefacts.files import write_atomically

LAST = "checkpoint_last.pt"  # the state from which an unfinished training continues

TRUST = "PSEUDOGEC_TRUST_CHECKPOINTS"
"""Environment variable: files or folders that may be read even if they contain code, separated as in ``PATH``."""

UNREADABLE = (
    *(pickle.UnpicklingError, struct.error, EOFError, RuntimeError, LookupError),
    *(ValueError, TypeError, AttributeError, AssertionError, ImportError),
)
"""Exceptions of readers of pickles for a file that is damaged or not a pickle."""

_CALL = re.compile(r"[^\s\[({,:*+%-]\s*\(")
"""In a text that Python evaluates, anything else before a bracket may be a function; ``[(512, 3)] * 2`` has none."""


class UnsafeFileError(DataError):
    """A file cannot be read without executing code in it."""


# --- Reading


def load(file: Any, map_location: Any = "cpu", **options: Any) -> Any:
    """``torch.load`` for a path or stream, which executes nothing unless the user trusts the file.

    Raises:
        UnsafeFileError: the file, or one of its options, holds code, and is not trusted.
        DataError: it is damaged, or no file of PyTorch's.
        OSError: it cannot be opened.
    """
    import torch

    # For good, in all threads: a context manager that ends in one thread ends the permission for all.
    torch.serialization.add_safe_globals([argparse.Namespace])
    path = Path(file if isinstance(file, str | Path) else file.name).resolve()
    trusted = _trusted(path)
    try:
        state = torch.load(file, map_location=map_location, weights_only=not trusted, **options)
        if isinstance(state, Mapping) and not trusted:
            refuse_code([state.get("args"), state.get("cfg")])  # of early versions, and of later ones
    except UNREADABLE as error:
        if found := re.search(r"GLOBAL (\S+)|has the option .*", str(error)):
            problem = f"asks for {found[1]} to be called while it is read" if found[1] else found[0]
            allow = f"If you trust whoever made it, set the environment variable {TRUST}={path}"
            raise UnsafeFileError(path, f"{problem}, which may run any program. {allow}") from None
        raise DataError(path, f"is damaged, or no file of PyTorch's ({str(error).partition(chr(10))[0]})") from None
    return state


def refuse_code(options: Any, name: str = "") -> None:
    """Refuse options of fairseq that hold anything but numbers, and texts that call nothing where Python evaluates them.

    Raises:
        ValueError: names the option.
    """
    options = vars(options) if isinstance(options, argparse.Namespace) else options
    if isinstance(options, dict):
        for key, value in options.items():
            refuse_code(value, str(key))
    elif isinstance(options, list | tuple):
        for value in options:
            refuse_code(value, name)
    elif not (options is None or isinstance(options, int | float | str)) or _CALL.search(str(options)):
        raise ValueError(f"has the option {name} = {str(options)[:80]!r}")


def _trusted(path: Path) -> bool:
    named = (Path(name).expanduser().resolve() for name in os.environ.get(TRUST, "").split(os.pathsep) if name)
    return any(path.is_relative_to(trusted) for trusted in named)


# --- Writing


def save(state: Mapping[str, Any], path: Path) -> None:
    """Write a checkpoint under a temporary name and rename it: a kill or a power cut meanwhile leaves the earlier one whole."""
    import torch

    with write_atomically(path, lasting=True) as stream:
        torch.save(state, stream)


def bare_weights(cfg: Any, model: Mapping[str, Any]) -> dict[str, Any]:
    """A checkpoint in fairseq's format without optimiser's state and position in the data."""
    # Without this history fairseq reads a checkpoint as one of an early release.
    history = {"criterion_name": "", "optimizer_name": "", "lr_scheduler_state": {}, "num_updates": 0}
    return {
        "args": None,
        "cfg": cfg,
        "model": model,
        "optimizer_history": [history],
        "extra_state": {"train_iterator": {"epoch": 1}},
        "task_state": {},
    }


def average_checkpoints(paths: Sequence[Path], output: Path) -> None:
    """Write a model whose every weight is the mean of the given checkpoints' (Kiyono et al., TASLP table II).

    Sums are taken in double precision. Shared weights (of embeddings) stay shared in the file.

    Raises:
        UserError: no checkpoint was given, or two differ in their weights' names or shapes.
    """
    if not paths:
        raise UserError("no checkpoints to average")
    state = load(paths[0])
    model = state["model"]
    canonical = canonical_names(model)
    sums = {name: model[name].double() for name in set(canonical.values())}
    for path in paths[1:]:
        other = load(path)["model"]
        if {name: value.shape for name, value in other.items()} != {name: value.shape for name, value in model.items()}:
            raise UserError(f"{path} and {paths[0]} are of different architectures and have no mean")
        for name, total in sums.items():
            total += other[name].double()
    means = {name: (total / len(paths)).to(model[name].dtype) for name, total in sums.items()}
    average = {name: means[canonical[name]] for name in model}
    save(bare_weights(state["cfg"], average), output)


def canonical_names(model: Mapping[str, Any]) -> dict[str, str]:
    """Every weight's name with the first name of the same memory: shared weights (of embeddings) have several names."""
    first: dict[tuple[Any, ...], str] = {}
    return {name: first.setdefault((value.data_ptr(), value.shape, value.stride()), name) for name, value in model.items()}
