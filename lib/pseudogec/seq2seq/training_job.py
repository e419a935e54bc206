"""What a training is and what came of it: records that its parts pass to each other."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from pseudogec.seq2seq.options import Optimisation


class TrainingProgress(NamedTuple):
    update: int
    total_updates: int
    loss: float  # of the last update, with label smoothing, in bits a target subword
    updates_per_second: float  # since this process took up the training
    seconds_left: float


class LossPoint(BaseModel):
    model_config = ConfigDict(frozen=True)

    update: int
    epoch: int  # from 1
    loss: float  # with label smoothing, as training minimises it
    nll_loss: float  # without

    @property
    def perplexity(self) -> float:
        """2 to the power of the plain loss; infinite where that exceeds a float, as while a
        training breaks down.
        """
        return math.inf if self.nll_loss >= sys.float_info.max_exp else 2.0**self.nll_loss


class TrainingJob(BaseModel):
    """The description of a training for its processes."""

    model_config = ConfigDict(frozen=True)

    arguments: list[str]  # of ``fairseq-train``, for one process
    optimisation: Optimisation
    folder: Path  # for checkpoints
    output: Path  # the model file to write; its snapshots are written beside it
    initial_model: Path | None = None  # the model file to start from
    fused: bool = False
    autocast: bool = False  # matrices are multiplied in bf16 by torch's autocast, on a CPU
    updates_per_point: int = 25
    seconds_between_saves: float = 120.0


class TrainingResult(BaseModel):
    model_config = ConfigDict(frozen=True)

    # Of the same training by ``fairseq-train``, whose epochs are the shards of data read in shards
    arguments: list[str]
    processes: int = 1
    updates: int
    epochs: int  # begun
    # From start to model file, without those of a killed process after its last saved state
    seconds: float
    target_words: int  # subwords, ends of sentence included, every epoch counted
    words_per_second: float  # target subwords a second within the training loop
    parameters: int
    pairs: int  # (of a language model: sentences) an epoch, repetitions counted
    skipped_pairs: int  # left out for their length
    training_curve: list[LossPoint]  # means since the point before
    validation_curve: list[LossPoint]  # one a checkpoint
    chosen: list[str]  # the checkpoints whose weights (or mean of weights) are the model
    device: str  # "cpu", or the GPU's name
    precision: str = ""  # that of the computation; older results do not say it
    fairseq_version: str
    torch_version: str


def snapshot_name(epoch: int) -> str:
    """The file, beside the model's, with the model after this epoch."""
    return f"model_after_{epoch}.pt"


def precision_here(precision: str) -> str:
    """The precision that "auto" stands for on this machine; any other stands for itself."""
    import torch

    if precision != "auto":
        return precision
    on_gpu = torch.cuda.is_available()
    fast = torch.cuda.is_bf16_supported(including_emulation=False) if on_gpu else computes_in_bf16()
    return "bf16" if fast else "fp32"


def computes_in_bf16() -> bool:
    """Whether this processor has instructions for bf16; emulation is slower than fp32."""
    import torch

    return any(
        torch.cpu.get_capabilities().get(name, False)
        for name in ("avx512_bf16", "amx_bf16", "bf16")
    )
