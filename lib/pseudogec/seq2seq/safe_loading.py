"""Reading PyTorch files without executing what they hold.

A PyTorch file is a pickle, and a pickle may name any function of any module for the reader to call. torch's weights-only reader
calls none but those that make tensors, plain containers and listed types. All that this project writes is read so, by itself and
by fairseq. A file that needs more, as a checkpoint that others released may, is read when the user has named it in the
environment variable `TRUST`, and refused otherwise.
"""

from __future__ import annotations

import argparse
import io
import os
import pickle
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from artefacts.errors import DataError

TRUST = "PSEUDOGEC_TRUST_CHECKPOINTS"
"""Environment variable: files, or folders of files, that fairseq may read whatever they hold, separated as in ``PATH``."""


UNREADABLE = (
    *(pickle.UnpicklingError, struct.error, EOFError, RuntimeError, LookupError),
    *(ValueError, TypeError, AttributeError, AssertionError, ImportError),
)
"""What readers of pickles raise on a file that is damaged or no pickle."""


class UnsafeFileError(DataError):
    """A file cannot be read without executing what it holds."""


def allow_plain_types() -> None:
    """Let torch's weights-only reader make the one type beside tensors and containers that fairseq's model files hold."""
    import torch

    # For the whole process and for good: the allowance that a context manager gives ends for all threads at once.
    torch.serialization.add_safe_globals([argparse.Namespace])


def load(path: Path, **options: Any) -> Any:
    """Read a file that this project wrote, into main memory.

    Args:
        path: the file.
        options: further ones of ``torch.load``.

    Raises:
        UnsafeFileError: it asks for what this project never writes.
        DataError: it is damaged, or no file of PyTorch's.
        OSError: it cannot be opened.
    """
    import torch

    allow_plain_types()
    try:
        return torch.load(path, map_location="cpu", weights_only=True, **options)
    except UNREADABLE as error:
        if function := _function_asked_for(error):
            raise UnsafeFileError(path, f"{_asks_for(function)}. Nothing that this project writes does so: remove it") from None
        raise DataError(path, f"is damaged, or no file of PyTorch's ({_reason(error)})") from None


def load_for_fairseq(torch_load: Callable[..., Any], file: Any, **options: Any) -> Any:
    """What ``torch.load`` gives to fairseq: without executing anything, unless the user trusts the file.

    Args:
        torch_load: torch's own function.
        file: a path, or a stream.
        options: further ones of ``torch.load``.

    Raises:
        UnsafeFileError: the file needs more, and the user has not named it.
        pickle.UnpicklingError: it is no file of PyTorch's; other errors of ``torch.load`` pass through too.
    """
    if isinstance(file, io.BytesIO):  # no file: what another process of the same training has sent
        return torch_load(file, weights_only=False, **options)
    path = Path(getattr(file, "name", file)).resolve()
    try:
        return torch_load(file, weights_only=True, **options)
    except pickle.UnpicklingError as error:
        if not _trusted(path):
            if function := _function_asked_for(error):
                advice = f"If you trust whoever made it, allow it by setting the environment variable {TRUST}={path}"
                raise UnsafeFileError(path, f"{_asks_for(function)}. {advice}") from None
            raise pickle.UnpicklingError(_reason(error)) from None
    if hasattr(file, "seek"):
        file.seek(0)
    return torch_load(file, weights_only=False, **options)


def _function_asked_for(error: Exception) -> str | None:
    """The name of the function or class that torch's reader refused to call, if that was its trouble."""
    found = re.search(r"GLOBAL (\S+)", str(error)) if isinstance(error, pickle.UnpicklingError) else None
    return found[1] if found else None


def _asks_for(function: str) -> str:
    return f"asks for {function} to be called while it is read, which may run any program"


def _reason(error: Exception) -> str:
    """What torch says without its advice."""
    found = re.search(r"WeightsUnpickler error: (.+)", str(error))
    return found[1].strip() if found else f"{type(error).__name__}: {error}".splitlines()[0]


def _trusted(path: Path) -> bool:
    named = (Path(name).expanduser().resolve() for name in os.environ.get(TRUST, "").split(os.pathsep) if name)
    return any(path.is_relative_to(trusted) for trusted in named)
