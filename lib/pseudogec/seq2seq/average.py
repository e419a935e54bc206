"""The mean of several checkpoints' weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from artefacts.errors import UserError
from pseudogec.seq2seq import checkpoints


def average_checkpoints(paths: Sequence[Path], output: Path) -> None:
    """Write a model whose every weight is the mean of the given checkpoints' (Kiyono et al., TASLP table III).

    Sums are taken in double precision. Weights that are one (shared embeddings) stay one in the file. Neither the optimiser's
    state nor the position in the data is kept.

    Args:
        paths: checkpoints of one architecture.
        output: the model file, in fairseq's format.

    Raises:
        UserError: no checkpoint was given, or two differ in their weights' names or shapes.
    """
    if not paths:
        raise UserError("no checkpoints to average")
    state = checkpoints.load(paths[0])
    model = state["model"]
    canonical = _canonical_names(model)
    sums = {name: model[name].double() for name in set(canonical.values())}
    for path in paths[1:]:
        other = checkpoints.load(path)["model"]
        if {name: value.shape for name, value in other.items()} != {name: value.shape for name, value in model.items()}:
            raise UserError(f"{path} and {paths[0]} are of different architectures and have no mean")
        for name, total in sums.items():
            total += other[name].double()
    means = {name: (total / len(paths)).to(model[name].dtype) for name, total in sums.items()}
    average = {name: means[canonical[name]] for name in model}
    checkpoints.save(checkpoints.bare_weights(state["cfg"], average), output)


def _canonical_names(model: dict[str, Any]) -> dict[str, str]:
    """Every weight's name -> the first name of the same memory."""
    first: dict[tuple[Any, ...], str] = {}
    return {name: first.setdefault((value.data_ptr(), value.shape, value.stride()), name) for name, value in model.items()}
