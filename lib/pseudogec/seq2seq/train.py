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
    if (result := finished(save_dir)) is not None:
        return result
    work = work_folder(save_dir)
    common = common_arguments(work, optimisation, seed, valid_data is not None)
    training_data.prepare(train_data, valid_data, dictionary, work / "data")
    if initial_model is not None:
        training_data.check_dictionaries(initial_model, dictionary, digest_file(dictionary))
    arguments: list[Any] = [work / "data", "--source-lang", SOURCE, "--target-lang", TARGET, "--task", "translation"]
    arguments += ["--upsample-primary", upsample_primary, *architecture.fairseq_arguments(), *common]
    result = run_training(
        arguments,
        optimisation,
        save_dir,
        initial_model=initial_model,
        progress=progress,
        updates_per_point=updates_per_point,
        seconds_between_saves=seconds_between_saves,
    )
    for side in SIDES:
        shutil.copyfile(dictionary, save_dir / dictionary_name(side))
    finish(save_dir, result)
    return result


def finished(save_dir: Path) -> TrainingResult | None:
    """The result of a training that has come to its end."""
    path = save_dir / RESULT
    return TrainingResult.model_validate_json(path.read_text(encoding="utf-8")) if path.exists() else None


def work_folder(save_dir: Path) -> Path:
    """Where an unfinished training keeps its data and checkpoints."""
    return save_dir / _WORK


def run_training(
    arguments: Sequence[Any],
    optimisation: Optimisation,
    save_dir: Path,
    *,
    initial_model: Path | None = None,
    progress: Callable[[TrainingProgress], None] | None = None,
    updates_per_point: int = 25,
    seconds_between_saves: float = 120.0,
) -> TrainingResult:
    """Train what fairseq's arguments describe, or go on where a killed training stood, up to the file ``model.pt``.

    Args:
        arguments: of ``fairseq-train``.
        optimisation: the same in the field's terms.
        save_dir: where to; the other arguments are those of `train`.
    """
    with session.isolated():
        from pseudogec.seq2seq.training_run import TrainingRun

        run = TrainingRun(
            arguments=[str(argument) for argument in arguments],
            optimisation=optimisation,
            folder=work_folder(save_dir),
            initial_model=None if initial_model is None else initial_model / MODEL,
            progress=progress or (lambda _: None),
            updates_per_point=updates_per_point,
            seconds_between_saves=seconds_between_saves,
        )
        return run.to_the_end(save_dir / MODEL)


def finish(save_dir: Path, result: TrainingResult) -> None:
    """Write a training's result, last of all its files, and remove what only the unfinished one needed."""
    with write_atomically(save_dir / RESULT) as stream:
        stream.write(result.model_dump_json(indent=1).encode())
    shutil.rmtree(work_folder(save_dir))


def common_arguments(work: Path, optimisation: Optimisation, seed: int, validate: bool) -> list[Any]:
    """The arguments for ``fairseq-train`` that trainings of all kinds share.

    Raises:
        UserError: half precision was asked for, and there is no GPU; or the best of the checkpoints, and nothing to validate on.
    """
    import torch

    if optimisation.selection == "best" and not validate:
        raise UserError('selection "best" chooses by validation perplexity and needs validation data')
    arguments: list[Any] = ["--save-dir", work, "--seed", seed, "--dataset-impl", "mmap", *optimisation.fairseq_arguments()]
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
    return arguments
