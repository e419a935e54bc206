"""The folder of a model: weights and options, as trained or in compact form, and dictionaries.

A trained model is ``model.pt``, in fairseq's format. Its compact form takes a quarter of the space,
and reading it cannot run a program: ``model.safetensors``, in which every matrix is rounded to 8
bits, and ``model.json``, the options as numbers and names. `Decoder` and `LanguageModel` read
either; training starts from ``model.pt`` alone.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pseudogec.artefacts.errors import DataError
from pseudogec.artefacts.files import write_atomically, write_json
from pseudogec.seq2seq import checkpoints, compat
from pseudogec.seq2seq.options import Architecture, LanguageModelArchitecture

if TYPE_CHECKING:
    from torch import Tensor

MODEL = "model.pt"
COMPACT, DESCRIPTION = "model.safetensors", "model.json"

_LARGEST = 127  # whole number of 8 bits
_SCALE = ".scale"  # stands behind a matrix's name


def model_file(folder: Path) -> Path:
    """The file with the weights.

    Raises:
        DataError: there is none.
    """
    for path in (folder / MODEL, folder / COMPACT):
        if path.exists():
            return path
    raise DataError(
        folder / MODEL,
        f"no such file; a model folder holds {MODEL} or {COMPACT}, and its dictionaries",
    )


def model_options(folder: Path) -> Namespace:
    """fairseq's options of the model in a folder, without reading the weights.

    Raises:
        DataError: there is no model, or it cannot be read without executing what it holds.
    """
    path = model_file(folder)
    configuration = (
        _described(folder)[0] if path.name == COMPACT else checkpoints.load(path, mmap=True)["cfg"]
    )
    options = configuration["model"]
    return (
        options if isinstance(options, Namespace) else Namespace(arch=options["_name"], **options)
    )


def max_positions(folder: Path) -> int:
    """Most subwords, end of sentence included, that the model in a folder can take on either
    side.
    """
    options = model_options(folder)
    return int(min(options.max_source_positions, options.max_target_positions))


@contextmanager
def in_fairseqs_format(folder: Path) -> Iterator[Path]:
    """The file of a model for fairseq's readers; that of a compact one exists while the context
    lasts.

    Raises:
        DataError: there is no model, or it is damaged.
    """
    path = model_file(folder)
    if path.name == MODEL:
        yield path
        return
    configuration, same = _described(folder)
    weights = read_weights(path)
    weights |= {name: weights[other] for name, other in same.items()}
    with tempfile.TemporaryDirectory(prefix="pseudogec-") as place:
        import torch

        torch.save(checkpoints.bare_weights(configuration, weights), Path(place) / MODEL)
        yield Path(place) / MODEL


# The compact form


def has_compact_form(architecture: Architecture | LanguageModelArchitecture) -> bool:
    """Whether numbers and names are enough to describe a model, without texts that fairseq
    evaluates as Python.
    """
    transformer = architecture.name.startswith(("transformer", "copy_transformer"))
    return transformer and not any(
        isinstance(value, str) for value in architecture.fairseq_options.values()
    )


def make_compact(model: Path, folder: Path) -> int:
    """Write the compact form of a trained model, and its dictionaries, into a folder; returns the
    number of weights.

    Raises:
        DataError: there is no ``model.pt``, or it is damaged.
    """
    state = checkpoints.load(model / MODEL)
    names = checkpoints.canonical_names(state["model"])
    own = {name: value for name, value in state["model"].items() if names[name] == name}
    options, task = state["cfg"]["model"], state["cfg"]["task"]
    described = architecture_of(options) if isinstance(options, Namespace) else options
    same = {name: other for name, other in names.items() if name != other}
    # Paths, and texts that are defaults, are left out; fairseq fills them in.
    parts = {"model": described, "task": task}
    plain = {
        part: {name: value for name, value in said.items() if _is_plain(value)}
        for part, said in parts.items()
    }
    write_json(folder / DESCRIPTION, {**plain, "same": same})
    write_rounded(own, folder / COMPACT)
    for path in model.glob("dict*.txt"):
        shutil.copyfile(path, folder / path.name)
    return sum(value.numel() for value in own.values())


def write_rounded(weights: Mapping[str, Tensor], path: Path) -> None:
    """Write weights with every matrix rounded to 8 bits.

    A matrix becomes whole numbers from -127 to 127, and ``NAME.scale``, by which those of each row
    are multiplied. Scales and vectors, a fiftieth of a model, are written in half precision.
    """
    import torch
    from safetensors.torch import save

    rounded = {}
    for name, value in weights.items():
        if value.dim() < 2:
            rounded[name] = value.half()
            continue
        rows = value.float().flatten(1)
        scale = (rows.abs().amax(1, keepdim=True) / _LARGEST).half()
        whole = (
            (rows / scale.float().clamp_min(torch.finfo().tiny)).round().clamp(-_LARGEST, _LARGEST)
        )
        rounded[name] = whole.to(torch.int8).view(value.shape)
        rounded[name + _SCALE] = scale.squeeze(1)
    with write_atomically(path) as stream:
        stream.write(save(rounded))


def read_weights(path: Path) -> dict[str, Tensor]:
    """The weights of a safetensors file in full precision; matrices rounded by `write_rounded` are
    multiplied by their scales.

    Raises:
        DataError: the file is missing or damaged.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        weights = load_file(path)
        scales = {
            name: weights.pop(name + _SCALE)
            for name, value in list(weights.items())
            if value.dtype == torch.int8
        }
        weights = {name: value.float() for name, value in weights.items()}
        for name, scale in scales.items():
            weights[name] = (weights[name].flatten(1) * scale.float().unsqueeze(1)).view(
                weights[name].shape
            )
    except (OSError, SafetensorError, LookupError, RuntimeError) as error:
        raise DataError(
            path, f"cannot be read as weights of a model ({type(error).__name__}: {error})"
        ) from None
    return weights


def architecture_of(model_options: Namespace) -> dict[str, Any]:
    """The options of fairseq that describe the model, without those of its training and files."""
    compat.apply()
    from fairseq.models import ARCH_MODEL_REGISTRY

    parser = ArgumentParser()
    ARCH_MODEL_REGISTRY[model_options.arch].add_args(parser)
    names = {"arch", *vars(parser.parse_args([]))} - {"encoder_embed_path", "decoder_embed_path"}
    return {name: value for name, value in vars(model_options).items() if name in names}


def require_plain(options: Mapping[str, Any]) -> None:
    """Refuse options that are neither numbers nor names, which a compact model or a detector has
    alone.

    Raises:
        ValueError: names the option.
    """
    for name, value in options.items():
        if not _is_plain(value):
            raise ValueError(f"the option {name} is neither a number nor a name")


def _is_plain(value: Any) -> bool:
    return (
        re.fullmatch(r"\w*", value) is not None
        if isinstance(value, str)
        else value is None or isinstance(value, int | float)
    )


def _described(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """fairseq's configuration of a compact model, and the names of weights that are the same as
    others.

    Raises:
        DataError: the description is missing or is not what `make_compact` writes.
    """
    path = folder / DESCRIPTION
    try:
        said = json.loads(path.read_bytes())
        model, task, same = dict(said["model"]), dict(said["task"]), dict(said["same"])
        require_plain(model)
        require_plain(task)
        options = Namespace(**model, task=task["_name"]) if "arch" in model else model
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DataError(
            path, f"does not describe a model ({type(error).__name__}: {error})"
        ) from None
    return {"model": options, "task": task | {"data": str(folder)}}, same
