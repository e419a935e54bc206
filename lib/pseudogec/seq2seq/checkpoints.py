"""Checkpoints and model files in fairseq's format: read without executing code in them, written
atomically, averaged.

A PyTorch file is a pickle, and a pickle may name any function for the reader to call. torch's
weights-only reader calls only those that make tensors, plain containers and listed types. It reads
all files that this project writes, here and in fairseq. A file that needs more, such as a
checkpoint that others released, is refused unless the environment variable `TRUST` names it. So is
one with an option that fairseq might run: it passes the texts of some options to Python's `eval`.
"""

from __future__ import annotations

import argparse
import ast
import io
import logging
import os
import pickle
import re
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import write_atomically

LAST = "checkpoint_last.pt"  # the state from which an unfinished training continues

TRUST = "PSEUDOGEC_TRUST_CHECKPOINTS"
"""Environment variable: files or folders that fairseq may read even if they contain code, separated
as in ``PATH``.
"""

UNREADABLE = (
    *(pickle.UnpicklingError, struct.error, EOFError, RuntimeError, LookupError),
    *(ValueError, TypeError, AttributeError, AssertionError, ImportError),
)
"""Exceptions of readers of pickles for a file that is damaged or not a pickle."""

_NAMES = re.compile(r"[\w./:,@+~ -]*")
"""Names, paths, addresses, and lists of them: as Python, they call nothing and take no time."""

# In the text of an option; a product such as [0] * 10**9 would fill the memory
_MOST_VALUES = 10_000


class UnsafeFileError(DataError):
    """A file cannot be read without executing code in it."""


log = logging.getLogger(__name__)

# --- Reading


def allow_plain_types() -> None:
    """Let torch's weights-only reader make the one type beside tensors and containers that
    fairseq's model files hold.
    """
    import torch

    # For good, in all threads: a context manager that ends in one thread ends the permission for
    # all.
    torch.serialization.add_safe_globals([argparse.Namespace])


def load(path: Path, **options: Any) -> Any:
    """Read a checkpoint that this project wrote into main memory; options are those of
    ``torch.load``.

    Raises:
        UnsafeFileError: it contains more than this project writes, or an option with code, and is
            not trusted.
        DataError: it is damaged, or no file of PyTorch's.
        OSError: it cannot be opened.
    """
    import torch

    allow_plain_types()
    try:
        return _without_code(
            torch.load(path, map_location="cpu", weights_only=True, **options), path
        )
    except UNREADABLE as error:
        if function := _function_asked_for(error):
            raise UnsafeFileError(
                path, f"{_asks_for(function)}. No file that this project writes does so: remove it"
            ) from None
        raise DataError(path, f"is damaged, or no file of PyTorch's ({_reason(error)})") from None


def load_for_fairseq(torch_load: Callable[..., Any], file: Any, **options: Any) -> Any:
    """``torch.load`` for fairseq, which executes nothing unless the user trusts the file (a path or
    stream).

    Raises:
        UnsafeFileError: the file needs more, and the user has not named it.
        pickle.UnpicklingError: it is no file of PyTorch's; other errors of ``torch.load`` are
            passed on too.
    """
    if isinstance(file, io.BytesIO):  # data that another process of the same training has sent
        return torch_load(file, weights_only=False, **options)
    path = Path(getattr(file, "name", file)).resolve()
    try:
        return _without_code(torch_load(file, weights_only=True, **options), path)
    except pickle.UnpicklingError as error:
        if not _trusted(path):
            if function := _function_asked_for(error):
                raise UnsafeFileError(path, f"{_asks_for(function)}. {_to_allow(path)}") from None
            raise pickle.UnpicklingError(_reason(error)) from None
    if hasattr(file, "seek"):
        file.seek(0)
    return torch_load(file, weights_only=False, **options)


def _without_code(state: Any, path: Path) -> Any:
    """A copy of a checkpoint that holds plain containers alone, unless the user has named the file.

    torch's reader gives containers back with attributes of their own, which fairseq would read as
    options.
    """
    if _trusted(path):
        return state
    try:
        return plain(state)
    except ValueError as error:
        raise UnsafeFileError(
            path, f"{error}, which may run any program. {_to_allow(path)}"
        ) from None


def plain(value: Any, name: str = "", is_option: bool = False) -> Any:
    """A copy in new dicts, lists, tuples and namespaces, whose options hold nothing but numbers,
    names, and texts of literals.

    Options are what stands under "cfg" or, in early versions of fairseq, "args". Those of the log,
    which are never evaluated and full of signs, are left out.

    Raises:
        ValueError: an option is something else, such as a call, or ``$``, with which texts can be
            put together; names the option.
    """
    if isinstance(value, argparse.Namespace):
        return argparse.Namespace(**plain(vars(value), name, is_option))
    if isinstance(value, dict):
        if strange := next(
            (key for key in value if type(key) not in (str, int) or str(key).startswith("__")), None
        ):
            raise ValueError(f"has the key {str(strange)[:80]!r}")
        items = (
            (key, each)
            for key, each in value.items()
            if not (is_option and key == "job_logging_cfg")
        )
        return {
            key: plain(each, str(key), is_option or key in ("args", "cfg")) for key, each in items
        }
    if isinstance(value, list | tuple):
        copies = [plain(each, name, is_option) for each in value]
        return copies if isinstance(value, list) else tuple(copies)
    if is_option and not (
        type(value) in (NoneType, bool, int, float) or (type(value) is str and _is_harmless(value))
    ):
        raise ValueError(f"has the option {name} = {str(value)[:80]!r}")
    return value


def _is_harmless(text: str) -> bool:
    """Whether Python would call nothing, and make few values, if it evaluated a text."""
    if _NAMES.fullmatch(text) or "$" in text:
        return "$" not in text
    try:
        return _size(ast.parse(text.strip(), mode="eval").body) <= _MOST_VALUES
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def _size(node: ast.expr | None) -> int:
    """How many values a literal, or a sum or product of such, has; ValueError for anything else."""
    match node:
        case ast.Constant(value):
            return len(value) + 1 if isinstance(value, str | bytes) else 1
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return _size(operand)
        case ast.List(elements) | ast.Tuple(elements) | ast.Set(elements):
            return 1 + sum(map(_size, elements))
        case ast.Dict(keys, values):
            return 1 + sum(map(_size, [*keys, *values]))
        case ast.BinOp(left, ast.Add(), right):
            return _size(left) + _size(right)
        case ast.BinOp(left, ast.Mult(), ast.Constant(int(times))) | ast.BinOp(
            ast.Constant(int(times)), ast.Mult(), left
        ):
            return _size(left) * max(times, 1)
    raise ValueError("no literal")


def _function_asked_for(error: Exception) -> str | None:
    """The name of the function or class that torch's reader refused to call, if that was the
    error.
    """
    match = (
        re.search(r"GLOBAL (\S+)", str(error))
        if isinstance(error, pickle.UnpicklingError)
        else None
    )
    return match[1] if match else None


def _asks_for(function: str) -> str:
    return f"asks for {function} to be called while it is read, which may run any program"


def _to_allow(path: Path) -> str:
    return (
        f"If you trust whoever made it, allow it by setting the environment variable {TRUST}={path}"
    )


def _reason(error: Exception) -> str:
    """torch's message without its advice."""
    match = re.search(r"WeightsUnpickler error: (.+)", str(error))
    return match[1].strip() if match else f"{type(error).__name__}: {error}".splitlines()[0]


def _trusted(path: Path) -> bool:
    named = (
        Path(name).expanduser().resolve()
        for name in os.environ.get(TRUST, "").split(os.pathsep)
        if name
    )
    return any(path.is_relative_to(trusted) for trusted in named)


def load_if_whole(path: Path) -> dict[str, Any] | None:
    """Read a checkpoint; None if it is missing, or damaged, as by a full disk or a power cut."""
    if not path.exists():
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # torch writes check sums, and does not read them
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        damaged = str(error)
    if damaged is None:
        state: dict[str, Any] = load(path)
        return state
    log.warning("%s is damaged (%s); training starts again from the beginning", path, damaged)
    path.unlink()
    return None


# --- Writing


def save(state: Mapping[str, Any], path: Path) -> None:
    """Write a checkpoint under a temporary name and rename it: a kill or a power cut meanwhile
    leaves the earlier one whole.
    """
    import torch

    with write_atomically(path, lasting=True) as stream:
        torch.save(state, stream)


def bare_weights(cfg: Any, model: Mapping[str, Any]) -> dict[str, Any]:
    """A checkpoint in fairseq's format without optimiser's state and position in the data."""
    # Without this history fairseq reads a checkpoint as one of an early release.
    history = {
        "criterion_name": "",
        "optimizer_name": "",
        "lr_scheduler_state": {},
        "num_updates": 0,
    }
    return {
        "args": None,
        "cfg": cfg,
        "model": model,
        "optimizer_history": [history],
        "extra_state": {"train_iterator": {"epoch": 1}},
        "task_state": {},
    }


def average_checkpoints(paths: Sequence[Path], output: Path) -> None:
    """Write a model whose every weight is the mean of the given checkpoints' (Kiyono et al., TASLP
    table II).

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
        if {name: value.shape for name, value in other.items()} != {
            name: value.shape for name, value in model.items()
        }:
            raise UserError(
                f"{path} and {paths[0]} are of different architectures and have no mean"
            )
        for name, total in sums.items():
            total += other[name].double()
    means = {name: (total / len(paths)).to(model[name].dtype) for name, total in sums.items()}
    average = {name: means[canonical[name]] for name in model}
    save(bare_weights(state["cfg"], average), output)


def canonical_names(model: Mapping[str, Any]) -> dict[str, str]:
    """Every weight's name with the first name of the same memory: shared weights (of embeddings)
    have several names.
    """
    first: dict[tuple[Any, ...], str] = {}
    return {
        name: first.setdefault((value.data_ptr(), value.shape, value.stride()), name)
        for name, value in model.items()
    }
