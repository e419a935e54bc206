"""Training a model: fairseq's trainer in our loop, checkpoints that survive a kill, and one model file at the end.

With several GPUs the same loop runs in processes of its own (`pseudogec.seq2seq.distributed`).
"""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from artefacts.errors import UserError
from artefacts.files import digest_file, flush_to_disk, write_atomically
from pseudogec.seq2seq import compat, data
from pseudogec.seq2seq.checkpoints import MODEL
from pseudogec.seq2seq.options import Architecture, FairseqOptions, LanguageModelArchitecture, Optimisation, fairseq_arguments

RESULT = "training.json"
_WORK = "unfinished"


class TrainingProgress(NamedTuple):
    """Where a training stands.

    Attributes:
        update: updates done.
        total_updates: updates in all.
        loss: label-smoothed loss of the last update, bits a target subword.
        updates_per_second: speed since this process took up the training.
        seconds_left: at this speed.
    """

    update: int
    total_updates: int
    loss: float
    updates_per_second: float
    seconds_left: float


class LossPoint(BaseModel):
    """Loss at an update, in bits a target subword.

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
        """2 to the power of the plain loss; infinite where a float ends, as while a training breaks down."""
        return math.inf if self.nll_loss >= sys.float_info.max_exp else 2.0**self.nll_loss


class TrainingJob(BaseModel):
    """A training, as it is told to the processes that do it.

    Attributes:
        arguments: of ``fairseq-train``, for one process.
        optimisation: the same options in the field's terms.
        folder: where checkpoints are kept.
        output: the model file to write.
        initial_model: model file whose weights training starts from.
        fused_attention: see `Architecture`.
        updates_per_point: distance of the points of the training curve.
        seconds_between_saves: how often the full state is saved.
    """

    model_config = ConfigDict(frozen=True)

    arguments: list[str]
    optimisation: Optimisation
    folder: Path
    output: Path
    initial_model: Path | None = None
    fused_attention: bool = False
    updates_per_point: int = 25
    seconds_between_saves: float = 120.0


class TrainingResult(BaseModel):
    """What a training did.

    Attributes:
        arguments: the arguments of ``fairseq-train`` that say the same for one process; paths are those of the run. Data that
            are read in shards are several folders, each of which fairseq calls an epoch.
        processes: processes that shared each update's batches.
        updates: updates done.
        epochs: passes over the data begun.
        seconds: time from start to model file, without a killed process's share after its last saved state.
        target_words: target subwords trained on, ends of sentence included, every epoch counted.
        words_per_second: target subwords a second within the training loop.
        parameters: trained parameters.
        pairs: training pairs (of a language model: sentences) an epoch, repetitions counted.
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
    processes: int = 1
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
    processes: int | None = None,
    launcher: Sequence[str] | None = None,
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
        processes: processes that share each update's batches, each with a GPU of its own (without GPUs: each with a core);
            ``None``: as many as this process sees GPUs. As many of them are used as divide ``update_frequency``, so that an
            update's batches, and so the model but for rounding and dropout, are the same for any number; a training may go on
            with another number than it began with.
        launcher: a command that starts the processes (of several machines with a common file system) when
            ``-m MODULE FILE`` is put behind it, in ``torchrun``'s manner; it says how many there are. For example ``srun
            --ntasks-per-node=1 torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint HOST:PORT`` in words.

    Raises:
        UserError: data, dictionary, initial model or options do not fit together or do not fit this machine, or ``save_dir``
            holds an unfinished training with other options or data of another size.
        RuntimeError: one of several processes failed; training again goes on from the last saved state.
    """
    if (result := _finished(save_dir)) is not None:
        return result
    _refuse_impossible(optimisation, valid_data is not None)
    folder, at_once = save_dir / _WORK / "data", optimisation.pairs_at_once
    shards = data.prepare_pairs(train_data, valid_data, dictionary, folder, at_once, upsample_primary)
    if initial_model is not None:
        data.check_dictionaries(initial_model, dictionary, digest_file(dictionary))
    task: FairseqOptions = {
        "source-lang": data.SOURCE,
        "target-lang": data.TARGET,
        "task": "translation",
        "upsample-primary": upsample_primary,
    }
    job = training_job(
        [*fairseq_arguments(task), *architecture.fairseq_arguments()],
        shards,
        optimisation,
        seed,
        save_dir,
        valid_data is not None,
    )
    changes = {
        "initial_model": None if initial_model is None else (initial_model / MODEL).absolute(),
        "fused_attention": architecture.fused_attention,
        "updates_per_point": updates_per_point,
        "seconds_between_saves": seconds_between_saves,
    }
    result = _run(job.model_copy(update=changes), progress, processes, launcher)
    return _finish(save_dir, result, dictionary, map(data.dictionary_name, data.SIDES))


def train_language_model(
    train_data: Sequence[Path],
    valid_data: Path | None,
    dictionary: Path,
    save_dir: Path,
    architecture: LanguageModelArchitecture,
    optimisation: Optimisation,
    seed: int,
    progress: Callable[[TrainingProgress], None] | None = None,
    seconds_between_saves: float = 120.0,
    processes: int | None = None,
    launcher: Sequence[str] | None = None,
) -> TrainingResult:
    """Train a language model on texts written by `binarise_text`; all else is as for `train`.

    ``save_dir`` then holds ``model.pt``, ``dict.txt`` and ``training.json`` (the result).
    """
    if (result := _finished(save_dir)) is not None:
        return result
    _refuse_impossible(optimisation, valid_data is not None)
    shards = data.prepare_texts(train_data, valid_data, dictionary, save_dir / _WORK / "data", optimisation.pairs_at_once)
    arguments = ["--task", "language_modeling", *architecture.fairseq_arguments()]
    job = training_job(arguments, shards, optimisation, seed, save_dir, valid_data is not None)
    job = job.model_copy(update={"seconds_between_saves": seconds_between_saves})
    return _finish(save_dir, _run(job, progress, processes, launcher), dictionary, [data.DICTIONARY])


def training_job(
    arguments: Sequence[str], shards: Sequence[Path], optimisation: Optimisation, seed: int, save_dir: Path, validate: bool
) -> TrainingJob:
    """A training of any kind of model.

    Args:
        arguments: for ``fairseq-train``: the task and the model.
        shards: folders of training data to read one after the other.
        optimisation: how it is trained.
        seed: of initial weights, order of batches and dropout.
        save_dir: the model's folder.
        validate: whether there are validation data.
    """
    import torch

    on_cpu = not torch.cuda.is_available()
    common: FairseqOptions = {
        "save-dir": str(save_dir / _WORK),
        "seed": seed,
        "dataset-impl": "mmap",
        # Several trainings share a machine through the study's scheduler. Batches are made without processes of their own, which
        # workers of a scheduler may not start.
        "distributed-world-size": 1,
        "num-workers": 0,
        # On a CPU a thread that makes batches ahead would only compete for the core.
        "cpu": on_cpu,
        "data-buffer-size": 0 if on_cpu else None,
        # fairseq-train loads the validation data even if it does not use them, so it is given a name that exists.
        "disable-validation": not validate,
        "valid-subset": None if validate else "train",
    }
    whole = [data.as_argument(shards), *arguments, *optimisation.fairseq_arguments(len(shards)), *fairseq_arguments(common)]
    return TrainingJob(
        arguments=whole, optimisation=optimisation, folder=(save_dir / _WORK).absolute(), output=(save_dir / MODEL).absolute()
    )


def _finished(save_dir: Path) -> TrainingResult | None:
    path = save_dir / RESULT
    return TrainingResult.model_validate_json(path.read_text(encoding="utf-8")) if path.exists() else None


def _refuse_impossible(optimisation: Optimisation, validate: bool) -> None:
    """Refuse options that this machine or the data cannot serve.

    Raises:
        UserError: half precision was asked for, and there is no GPU; or the best of the checkpoints, and nothing to validate on;
            or a schedule without its warm-up.
    """
    import torch

    if optimisation.selection == "best" and not validate:
        raise UserError('selection "best" chooses by validation perplexity and needs validation data')
    if optimisation.schedule == "inverse_sqrt" and not optimisation.warmup_updates:
        raise UserError("the schedule inverse_sqrt needs warmup_updates of at least 1 (the papers' is 4000)")
    if optimisation.precision != "fp32" and not torch.cuda.is_available():
        raise UserError(f"precision {optimisation.precision} needs a GPU, and torch sees none here; use fp32")


def _run(
    job: TrainingJob,
    progress: Callable[[TrainingProgress], None] | None,
    processes: int | None,
    launcher: Sequence[str] | None,
) -> TrainingResult:
    """Do a training, or go on where a killed one stood, up to the model file."""
    from pseudogec.seq2seq import distributed

    progress = progress or (lambda _: None)
    number = 1 if launcher else distributed.usable_processes(processes, job.optimisation.update_frequency)
    if launcher or number > 1:
        return distributed.run(job, progress, number, launcher)
    with compat.isolated():
        from pseudogec.seq2seq.training_loop import TrainingRun

        return TrainingRun(job, progress).to_the_end()


def _finish(save_dir: Path, result: TrainingResult, dictionary: Path, names: Iterable[str]) -> TrainingResult:
    """Write the dictionaries and, last of all files, the result; remove what only the unfinished training needed."""
    for name in names:
        shutil.copyfile(dictionary, save_dir / name)
    for file in filter(Path.is_file, save_dir.iterdir()):
        flush_to_disk(file)  # whoever finds the result, even after a power cut, finds what it tells of
    with write_atomically(save_dir / RESULT, lasting=True) as stream:
        stream.write(result.model_dump_json(indent=1).encode())
    shutil.rmtree(save_dir / _WORK)
    return result
