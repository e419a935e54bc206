"""Training a model in this process: fairseq's trainer, our loop, checkpoints that survive a kill, and one model file at the end.

The loop gives bit for bit the weights of ``fairseq-train`` with the same arguments. It is our own for four reasons: progress and
loss curves without parsing a log, checkpoints that cost little (a state to resume from every few minutes, bare weights
otherwise), a model file that is the choice among them, and no state left behind in the process.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from pseudogec.errors import UserError
from pseudogec.files import digest_file, write_atomically
from pseudogec.seq2seq import session, training_data
from pseudogec.seq2seq.binarise import SIDES, SOURCE, TARGET, dictionary_name
from pseudogec.seq2seq.model_file import MODEL
from pseudogec.seq2seq.options import Architecture, Optimisation

RESULT = "training.json"
_WORK = "unfinished"


class TrainingProgress(NamedTuple):
    """Where a training stands.

    Attributes:
        update: updates done.
        total_updates: updates in all.
        loss: label-smoothed loss of the last update, bits a target piece.
        updates_per_second: speed since this process took up the training.
        seconds_left: at this speed.
    """

    update: int
    total_updates: int
    loss: float
    updates_per_second: float
    seconds_left: float


class LossPoint(BaseModel):
    """Loss at an update, in bits a target piece.

    Attributes:
        update: updates done.
        epoch: pass over the data, from 1.
        loss: with label smoothing, as training minimises it.
        nll_loss: without; perplexity is 2 to its power.
    """

    model_config = ConfigDict(frozen=True)

    update: int
    epoch: int
    loss: float
    nll_loss: float

    @property
    def perplexity(self) -> float:
        """2 to the power of the plain loss."""
        return float(2**self.nll_loss)


class TrainingResult(BaseModel):
    """What a training did.

    Attributes:
        arguments: the arguments of ``fairseq-train`` that say the same; paths are those of the run.
        updates: updates done.
        epochs: passes over the data begun.
        seconds: time from start to model file, without a killed process's share after its last saved state.
        target_words: target pieces trained on, ends of sentence included, every epoch counted.
        words_per_second: target pieces a second within the training loop.
        parameters: trained parameters.
        pairs: training pairs an epoch, repetitions counted.
        skipped_pairs: training pairs left out for their length.
        training_curve: mean losses since the point before.
        validation_curve: losses on the validation data, one a checkpoint.
        chosen: the checkpoints whose weights (or mean of weights) are the model.
        device: "cpu", or the GPU's name.
        fairseq_version: of fairseq.
        torch_version: of torch.
    """

    model_config = ConfigDict(frozen=True)

    arguments: list[str]
    updates: int
    epochs: int
    seconds: float
    target_words: int
    words_per_second: float
    parameters: int
    pairs: int
    skipped_pairs: int
    training_curve: list[LossPoint]
    validation_curve: list[LossPoint]
    chosen: list[str]
    device: str
    fairseq_version: str
    torch_version: str


def train(
    train_data: Sequence[Path],
    valid_data: Path | None,
    dictionary: Path,
    save_dir: Path,
    architecture: Architecture,
    optimisation: Optimisation,
    seed: int,
    initial_model: Path | None = None,
    upsample_primary: int = 1,
    progress: Callable[[TrainingProgress], None] | None = None,
    updates_per_point: int = 25,
    seconds_between_saves: float = 120.0,
) -> TrainingResult:
    """Train a model, or go on where a killed training of the same ``save_dir`` stood; a finished one is only reported.

    ``save_dir`` then holds ``model.pt`` (weights and configuration in fairseq's format), ``dict.src.txt``, ``dict.trg.txt`` and
    ``training.json`` (the result). A resumed training ends with the same weights as an undisturbed one, on a CPU bit for bit.

    Args:
        train_data: folders written by `binarise`; the first is the primary (genuine) one.
        valid_data: the folder of the validation data; ``None``: no validation.
        dictionary: the dictionary with which all of them were binarised.
        save_dir: where to.
        architecture: the model.
        optimisation: how it is trained.
        seed: of initial weights, order of batches and dropout.
        initial_model: folder of a model whose weights training starts from, with a fresh optimiser (fine-tuning).
        upsample_primary: how often the first dataset is repeated in an epoch when there are several.
        progress: called about twice a second.
        updates_per_point: distance of the points of the training curve.
        seconds_between_saves: how often the full state is saved to resume from.

    Raises:
        UserError: data, dictionary, initial model or options do not fit together or do not fit this machine, or ``save_dir``
            holds an unfinished training with other options.
    """
    if (save_dir / RESULT).exists():
        return TrainingResult.model_validate_json((save_dir / RESULT).read_text(encoding="utf-8"))
    if optimisation.selection == "best" and valid_data is None:
        raise UserError('selection "best" chooses by validation perplexity and needs validation data')
    work = save_dir / _WORK
    training_data.prepare(train_data, valid_data, dictionary, work / "data")
    if initial_model is not None:
        training_data.check_dictionaries(initial_model, dictionary, digest_file(dictionary))
    with session.isolated():
        from pseudogec.seq2seq.training_run import TrainingRun

        arguments = _arguments(work, architecture, optimisation, seed, upsample_primary, valid_data is not None)
        run = TrainingRun(
            arguments=arguments,
            optimisation=optimisation,
            folder=work,
            initial_model=None if initial_model is None else initial_model / MODEL,
            progress=progress or (lambda _: None),
            updates_per_point=updates_per_point,
            seconds_between_saves=seconds_between_saves,
        )
        result = run.to_the_end(save_dir / MODEL)
    for side in SIDES:
        shutil.copyfile(dictionary, save_dir / dictionary_name(side))
    with write_atomically(save_dir / RESULT) as stream:
        stream.write(result.model_dump_json(indent=1).encode())
    shutil.rmtree(work)
    return result


def _arguments(
    work: Path, architecture: Architecture, optimisation: Optimisation, seed: int, upsample_primary: int, validate: bool
) -> list[str]:
    """The training's arguments for ``fairseq-train``.

    Raises:
        UserError: half precision was asked for, and there is no GPU.
    """
    import torch

    arguments: list[Any] = [work / "data", "--save-dir", work, "--source-lang", SOURCE, "--target-lang", TARGET, "--seed", seed]
    arguments += ["--upsample-primary", upsample_primary, "--task", "translation", "--dataset-impl", "mmap"]
    arguments += architecture.fairseq_arguments() + optimisation.fairseq_arguments()
    # One process, one device: several trainings share a machine through the study's scheduler. Batches are made without processes
    # of their own, which workers of a scheduler may not start.
    arguments += ["--distributed-world-size", "1", "--num-workers", "0"]
    if not torch.cuda.is_available():
        if optimisation.precision != "fp32":
            raise UserError(f"precision {optimisation.precision} needs a GPU, and torch sees none here; use fp32")
        # On a CPU a thread that makes batches ahead would only compete for the core.
        arguments += ["--cpu", "--data-buffer-size", "0"]
    if not validate:
        # fairseq-train loads the validation data even then, so it is given a name that exists.
        arguments += ["--disable-validation", "--valid-subset", "train"]
    return [str(argument) for argument in arguments]
