"""Models in memory: each is loaded once a process, whoever decodes with it alone, in an ensemble, or scores with it.

A model that somebody holds is never loaded again. Beyond that the models used last stay, up to `MOST_KEPT` of them and as much
as `MOST_BYTES` of model files, for those who come back to them: the members of an ensemble that is searched, the models of one
system.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from artefacts.errors import DataError
from pseudogec.seq2seq.checkpoints import MODEL

MOST_BYTES = 8 * 2**30
"""Bytes of model files whose models stay in memory although nobody holds them; the one used longest ago goes first."""

MOST_KEPT = 16
"""Models that stay in memory although nobody holds them: a worker decodes with hundreds, one after the other."""

Loaded = TypeVar("Loaded")


class Computation(NamedTuple):
    """How a model is computed; outputs are the same but for rounding.

    Attributes:
        precision: "fp32", or on a GPU "fp16".
        fused_attention: fairseq's models compute attention by torch's fused function (`pseudogec.seq2seq.fused_attention`).
    """

    precision: Literal["fp32", "fp16"] = "fp32"
    fused_attention: bool = False


AS_TRAINED = Computation()


class _Key(NamedTuple):
    kind: Hashable
    folder: Path
    size: int
    modified: int


_alive: WeakValueDictionary[_Key, Any] = WeakValueDictionary()
_kept: OrderedDict[_Key, Any] = OrderedDict()
_lock = threading.RLock()
_times_loaded = 0


def shared(folder: Path, kind: Hashable, load: Callable[[], Loaded]) -> Loaded:
    """What ``load`` makes of a folder's model file; made anew only if the file has changed.

    Args:
        folder: the model's folder.
        kind: tells apart what different programs make of one file.
        load: makes an object that can be referred to weakly.

    Raises:
        DataError: there is no model file.
    """
    global _times_loaded
    path = folder / MODEL
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(path, "no such file; a model folder holds model.pt and its dictionaries") from None
    key = _Key(kind, folder.resolve(), status.st_size, status.st_mtime_ns)
    with _lock:
        loaded: Loaded | None = _alive.get(key)
        if loaded is None:
            _forget_earlier(key)
            loaded = load()
            _alive[key] = loaded
            _times_loaded += 1
        _kept[key] = loaded
        _kept.move_to_end(key)
        while len(_kept) > MOST_KEPT or (sum(kept.size for kept in _kept) > MOST_BYTES and len(_kept) > 1):
            _kept.popitem(last=False)
        return loaded


def _forget_earlier(key: _Key) -> None:
    """Let go of what a file held before it changed."""
    for kept in [kept for kept in _kept if (kept.kind, kept.folder) == (key.kind, key.folder)]:
        del _kept[kept]


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A fairseq model, ready to decode. It counts as in use as long as this object is held.

    Attributes:
        model: on the device where it decodes, in evaluation mode.
        task: fairseq's task, which knows the dictionaries.
        device: where it is.
    """

    model: Any
    task: Any
    device: Any


def load(folder: Path, computation: Computation = AS_TRAINED) -> LoadedModel:
    """The fairseq model of a folder; one that is computed in another way is another model in memory.

    Raises:
        DataError: there is no model file.
    """
    return shared(folder, ("fairseq", computation), lambda: _load(folder, computation))


def _load(folder: Path, computation: Computation) -> LoadedModel:
    from pseudogec.seq2seq import compat

    compat.apply()
    import torch
    from fairseq import checkpoint_utils

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with compat.isolated():
        models, _, task = checkpoint_utils.load_model_ensemble_and_task(
            [str(folder / MODEL)], arg_overrides={"data": str(folder)}
        )
    model = models[0].to(device).eval()
    if computation.precision == "fp16":
        model.half()
    if computation.fused_attention:
        from pseudogec.seq2seq.fused_attention import use_fused_attention

        use_fused_attention(model)
    return LoadedModel(model, task, device)


def times_loaded() -> int:
    """How often a model file was read in this process, into fairseq or CTranslate2."""
    return _times_loaded


def in_memory() -> int:
    """How many models are in memory, held by somebody or kept."""
    return len(_alive)


def release() -> None:
    """Let go of all models; one that somebody still holds is read anew for whoever asks next."""
    with _lock:
        _kept.clear()
        _alive.clear()
