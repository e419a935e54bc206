"""Tiny trainings for tests: ours, fairseq's own, and one that is killed; and whether two have the
same weights.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from helpers.fairseq_programs import FAIRSEQ
from helpers.seq2seq_world import TINY, short_training
from pseudogec.seq2seq import checkpoints
from pseudogec.seq2seq.data import as_argument
from pseudogec.seq2seq.options import Architecture, Optimisation
from pseudogec.seq2seq.training import TrainingResult, train

_TESTS = Path(__file__).parents[1]
ENVIRONMENT = os.environ | {
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": f"{_TESTS}{os.pathsep}{_TESTS.parent / 'lib'}",
}

TWO_PROCESSES = [
    sys.executable,
    "-m",
    "torch.distributed.run",
    "--standalone",
    "--local-addr=127.0.0.1",
    "--nproc-per-node=2",
]
"""A launcher that has two processes share a training."""


def train_tiny(
    data: Path,
    save_dir: Path,
    *,
    datasets: Sequence[str] = ("genuine",),
    valid: str | None = "valid",
    seed: int = 1,
    architecture: Architecture = TINY,
    **options: Any,
) -> TrainingResult:
    """Train on datasets of a folder that has ``dict.txt`` too; the further options are those of
    `Optimisation` and of `train`.
    """
    optimisation = optimisation_among(options)
    return train(
        [data / name for name in datasets],
        data / valid if valid else None,
        data / "dict.txt",
        save_dir,
        architecture,
        optimisation,
        seed,
        **options,
    )


def optimisation_among(options: dict[str, Any], **defaults: Any) -> Optimisation:
    """A short training with those of the options that say how to train; they are taken out."""
    chosen = {key: options.pop(key) for key in list(options) if key in Optimisation.model_fields}
    return short_training(**defaults | chosen)


def run_fairseq(*arguments: object) -> None:
    """Run a program of fairseq's, such as ``train``."""
    command = [*FAIRSEQ, *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT, timeout=120)


def train_by_fairseq(arguments: Sequence[str], folders: Sequence[Path], save_dir: Path) -> None:
    """Run ``fairseq-train`` with the arguments of one of our trainings on data in other folders."""
    changed = [as_argument(folders), *arguments[1:]]
    changed[changed.index("--save-dir") + 1] = str(save_dir)
    run_fairseq("train", *changed, "--no-progress-bar")


def kill_while_saving(training: str, saves: int) -> None:
    """Do a training in a child that is killed by SIGKILL in the middle of writing a checkpoint.

    Args:
        training: Python statements, in which ``Path`` is known.
        saves: which of the checkpoints that it writes, from 1.
    """
    script = f"""
        import os, signal
        from pathlib import Path
        import torch
        torch.set_num_threads(1)

        save, calls = torch.save, 0

        def save_half_and_die(state, stream):
            global calls
            calls += 1
            if calls < {saves}:
                return save(state, stream)
            stream.write(b"half a checkpoint")
            stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)

        torch.save = save_half_and_die
    """
    program = textwrap.dedent(script) + textwrap.dedent(training)
    child = subprocess.run(
        [sys.executable, "-c", program], env=ENVIRONMENT, check=False, timeout=120
    )
    assert child.returncode == -signal.SIGKILL


def updates_saved(save_dir: Path) -> int:
    """The updates of the state from which an unfinished training would go on."""
    state = checkpoints.load(save_dir / "unfinished/checkpoint_last.pt")
    return int(state["optimizer_history"][-1]["num_updates"])


def weights_of(path: Path) -> dict[str, torch.Tensor]:
    """The weights of a model file or checkpoint by name."""
    weights = checkpoints.load(path)["model"]
    # A placeholder that fairseq never fills: whatever the memory held.
    return {
        name: value
        for name, value in weights.items()
        if not name.endswith("embed_positions._float_tensor")
    }


def assert_same_weights(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> None:
    """They are equal bit for bit."""
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)


def assert_close_weights(first: Path, second: Path, rtol: float, atol: float) -> None:
    """The weights of two model files of ours are equal but for rounding."""
    one, other = checkpoints.load(first)["model"], checkpoints.load(second)["model"]
    assert one.keys() == other.keys()
    for name, weights in one.items():
        # A bias of the keys moves all scores of a query alike, so its true gradient is nought, and
        # Adam amplifies what rounding leaves of it.
        if not name.endswith("k_proj.bias"):
            torch.testing.assert_close(weights, other[name], rtol=rtol, atol=atol)
