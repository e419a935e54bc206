"""Models in memory, each loaded once in a process for all decoders, ensembles and scorers that use
it.

A model in use is never loaded again. The models used last stay too, as the members of an ensemble
that is searched, or the models of one system, are soon needed again: up to `MOST_KEPT` of them, of
files of up to `MOST_BYTES`.
"""

from __future__ import annotations

import functools
import gc
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from pseudogec.seq2seq import compat
from pseudogec.seq2seq.model_files import in_fairseqs_format, model_file

MOST_BYTES = 8 * 2**30
MOST_KEPT = 16

Loaded = TypeVar("Loaded")


Precision = Literal["fp32", "fp16"]
"""In which a model is computed; fp16 needs a GPU."""


class _Key(NamedTuple):
    kind: Hashable
    folder: Path
    size: int
    modified: int


_alive: WeakValueDictionary[_Key, Any] = WeakValueDictionary()
_kept: OrderedDict[_Key, Any] = OrderedDict()
_remembering: list[Callable[[], None]] = []  # functions that empty the caches of `remembered`
_lock = threading.RLock()


def shared(folder: Path, kind: Hashable, load: Callable[[], Loaded]) -> Loaded:
    """The result of ``load`` for a folder's model file; loaded again only if the file has changed.

    Args:
        folder: the model's folder.
        kind: distinguishes the forms of one file in different programs.
        load: makes an object that supports weak references.

    Raises:
        DataError: there is no model file.
    """
    status = model_file(folder).stat()
    key = _Key(kind, folder.resolve(), status.st_size, status.st_mtime_ns)
    with _lock:
        loaded: Loaded | None = _alive.get(key)
        if loaded is None:
            for earlier in [
                kept for kept in _kept if (kept.kind, kept.folder) == (key.kind, key.folder)
            ]:
                del _kept[earlier]  # the file has changed
            loaded = load()
            _alive[key] = loaded
        _kept[key] = loaded
        _kept.move_to_end(key)
        while len(_kept) > MOST_KEPT or (
            sum(kept.size for kept in _kept) > MOST_BYTES and len(_kept) > 1
        ):
            _kept.popitem(last=False)
        return loaded


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A fairseq model, ready to decode; in use as long as this object is referred to."""

    model: Any
    task: Any  # fairseq's, with the dictionaries
    device: Any


def load(folder: Path, precision: Precision = "fp32") -> LoadedModel:
    """The fairseq model of a folder; each precision has a model of its own in memory.

    Raises:
        DataError: there is no model file.
    """
    return shared(folder, ("fairseq", precision), lambda: _load(folder, precision))


def _load(folder: Path, precision: Precision) -> LoadedModel:
    compat.apply()
    import torch
    from fairseq import checkpoint_utils

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with compat.isolated(), in_fairseqs_format(folder) as path:
        models, _, task = checkpoint_utils.load_model_ensemble_and_task(
            [str(path)], arg_overrides={"data": str(folder)}
        )
    model = models[0].to(device).eval()
    if precision == "fp16":
        model.half()
    return LoadedModel(model, task, device)


def remembered(at_most: int) -> Callable[[Callable[..., Loaded]], Callable[..., Loaded]]:
    """`functools.lru_cache` for functions that return models; `release` empties it too."""

    def decorate(make: Callable[..., Loaded]) -> Callable[..., Loaded]:
        cached = functools.lru_cache(maxsize=at_most)(make)
        _remembering.append(cached.cache_clear)
        return cached

    return decorate


def release() -> None:
    """Drop all models and free their memory; one that is still in use is read again at the next
    request.
    """
    with _lock:
        for forget in _remembering:
            forget()
        _kept.clear()
        gc.collect()  # fairseq's models refer to themselves
        if not _alive:
            # What is left is mostly imported modules. To search them again before every training
            # took 0.6 s.
            gc.freeze()
        _alive.clear()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
