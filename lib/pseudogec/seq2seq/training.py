"""Training a model: fairseq's trainer in our loop, checkpoints that survive a kill, and one model
file at the end.

With several GPUs the same loop runs in processes of its own (`pseudogec.seq2seq.distributed`).
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import flush_to_disk, write_atomically
from pseudogec.seq2seq import compat, data, distributed, model_cache
from pseudogec.seq2seq.model_files import MODEL
from pseudogec.seq2seq.options import (
    Architecture,
    FairseqOptions,
    LanguageModelArchitecture,
    Optimisation,
    fairseq_arguments,
)
from pseudogec.seq2seq.training_job import (
    TrainingJob,
    TrainingProgress,
    TrainingResult,
    computes_in_bf16,
    precision_here,
)

RESULT = "training.json"
_WORK = "unfinished"

log = logging.getLogger(__name__)


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
    launcher: Sequence[str] | None = None,
) -> TrainingResult:
    """Train a model, or continue a killed training of the same ``save_dir``; a finished one is only
    reported.

    ``save_dir`` then holds ``model.pt`` (weights and configuration in fairseq's format),
    ``dict.src.txt``, ``dict.trg.txt`` and ``training.json`` (the result). A resumed training ends
    with the same weights as an undisturbed one, on a CPU bit for bit.

    Args:
        train_data: folders written by `binarise`; the first is the primary (genuine) one.
        valid_data: the folder of the validation data; ``None``: no validation.
        dictionary: the dictionary with which all of them were binarised.
        save_dir: the model's folder.
        architecture: the model's shape.
        optimisation: how it is trained.
        seed: of initial weights, order of batches and dropout.
        initial_model: folder of a model whose weights training starts from, with a fresh optimiser
            (fine-tuning).
        upsample_primary: how often the first dataset is repeated in an epoch when there are
            several.
        progress: called about twice a second.
        updates_per_point: distance of the points of the training curve.
        seconds_between_saves: how often the full state is saved to resume from.
        launcher: the words of a command that starts the processes, also on several machines with a
            common file system, when ``-m MODULE ARGUMENTS`` follows it as with ``torchrun``; it
            sets their number. For example ``srun --ntasks-per-node=1 torchrun --nnodes 2
            --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint HOST:PORT``.

    Without a launcher, as many processes share each update's batches as this process sees GPUs.
    Their number is lowered until it divides ``update_frequency``, so that an update's batches, and
    so the model up to rounding and dropout, are the same for any number; a training may go on with
    another number than it began with.

    Models that this process keeps for decoding are released.

    Raises:
        UserError: data, dictionary, initial model, options and this machine do not fit together,
            ``save_dir`` holds an unfinished training with other options or data of another size, or
            a batch does not fit into memory.
        RuntimeError: one of several processes failed; a new call continues from the last saved
            state.
    """
    if (result := _finished(save_dir)) is not None:
        return result
    _refuse_impossible(optimisation, valid_data is not None)
    folder = save_dir / _WORK / "data"
    shards = data.prepare(
        train_data, valid_data, dictionary, folder, at_once=optimisation.pairs_at_once
    )
    if len(shards) > 1 and upsample_primary > 1:
        raise UserError(
            "data that are read in turns (pairs_at_once) cannot be upsampled; leave one of them out"
        )
    if initial_model is not None:
        data.check_dictionaries(initial_model, dictionary, data.PAIRS.dictionaries)
    task: FairseqOptions = {
        "source-lang": data.SOURCE,
        "target-lang": data.TARGET,
        "upsample-primary": upsample_primary,
    }
    job = training_job(
        [*fairseq_arguments(task), *architecture.fairseq_arguments()],
        shards,
        optimisation,
        seed,
        save_dir,
        valid_data is not None,
        initial_model=None if initial_model is None else (initial_model / MODEL).absolute(),
        fused=architecture.fused,
        updates_per_point=updates_per_point,
        seconds_between_saves=seconds_between_saves,
    )
    return _finish(save_dir, _run(job, progress, launcher), dictionary, data.PAIRS.dictionaries)


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
    launcher: Sequence[str] | None = None,
) -> TrainingResult:
    """Train a language model on texts written by `binarise_text`; everything else is as for
    `train`.

    ``save_dir`` then holds ``model.pt``, ``dict.txt`` and ``training.json`` (the result).
    """
    if (result := _finished(save_dir)) is not None:
        return result
    _refuse_impossible(optimisation, valid_data is not None)
    folder = save_dir / _WORK / "data"
    shards = data.prepare(
        train_data, valid_data, dictionary, folder, data.TEXT, optimisation.pairs_at_once
    )
    options = {"seconds_between_saves": seconds_between_saves}
    job = training_job(
        architecture.fairseq_arguments(),
        shards,
        optimisation,
        seed,
        save_dir,
        valid_data is not None,
        **options,
    )
    return _finish(save_dir, _run(job, progress, launcher), dictionary, data.TEXT.dictionaries)


def training_job(
    arguments: Sequence[str],
    shards: Sequence[Path],
    optimisation: Optimisation,
    seed: int,
    save_dir: Path,
    validate: bool,
    **options: Any,
) -> TrainingJob:
    """A training of any kind of model.

    ``arguments`` give the task and the model to ``fairseq-train``; ``options`` are further fields
    of `TrainingJob`.
    """
    import torch

    on_cpu = not torch.cuda.is_available()
    precision = precision_here(optimisation.precision)
    autocast = _autocasts(precision)
    of_fairseq = optimisation.model_copy(update={"precision": "fp32" if autocast else precision})
    common: FairseqOptions = {
        "save-dir": str(save_dir / _WORK),
        "seed": seed,
        "dataset-impl": "mmap",
        # Workers of the study's scheduler may not start processes that make batches.
        "distributed-world-size": 1,
        "num-workers": 0,
        # On a CPU a thread that makes batches ahead would only compete for the core.
        "cpu": on_cpu,
        "data-buffer-size": 0 if on_cpu else None,
        # fairseq-train loads validation data even if it does not use them, so the name must exist.
        "disable-validation": not validate,
        "valid-subset": None if validate else "train",
    }
    whole = [
        data.as_argument(shards),
        *arguments,
        *of_fairseq.fairseq_arguments(len(shards)),
        *fairseq_arguments(common),
    ]
    return TrainingJob(
        arguments=whole,
        optimisation=optimisation,
        folder=(save_dir / _WORK).absolute(),
        output=(save_dir / MODEL).absolute(),
        autocast=autocast,
        **options,
    )


def _finished(save_dir: Path) -> TrainingResult | None:
    path = save_dir / RESULT
    if not path.exists():
        return None
    shutil.rmtree(save_dir / _WORK, ignore_errors=True)  # there if it was killed while it tidied up
    return TrainingResult.model_validate_json(path.read_text(encoding="utf-8"))


def _refuse_impossible(optimisation: Optimisation, validate: bool) -> None:
    if optimisation.selection == "best" and not validate:
        raise UserError(
            'selection "best" chooses by validation perplexity and needs validation data'
        )
    _refuse_precision(optimisation.precision)


def _refuse_precision(precision: str) -> None:
    import torch

    precision = precision_here(precision)
    if _autocasts(precision):
        if not computes_in_bf16():
            raise UserError(
                "this processor cannot compute in bf16, and torch sees no GPU; use fp32"
            )
    elif precision != "fp32" and not torch.cuda.is_available():
        raise UserError(f"precision {precision} needs a GPU, and torch sees none here; use fp32")
    elif precision == "bf16" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise UserError(f"{torch.cuda.get_device_name()} cannot compute in bf16; use fp16, or fp32")


def _autocasts(precision: str) -> bool:
    """Whether bf16 is computed by torch's autocast, since fairseq's own way is made for GPUs."""
    import torch

    return precision == "bf16" and not torch.cuda.is_available()


def _run(
    job: TrainingJob,
    progress: Callable[[TrainingProgress], None] | None,
    launcher: Sequence[str] | None,
) -> TrainingResult:
    import torch

    progress = progress or (lambda _: None)
    processes = (
        1
        if launcher
        else distributed.usable_processes(
            torch.cuda.device_count(), job.optimisation.update_frequency
        )
    )
    model_cache.release()
    if launcher or processes > 1:
        return distributed.run(job, progress, processes, launcher)
    with compat.isolated():
        from pseudogec.seq2seq.training_loop import TrainingRun

        return TrainingRun(job, progress).to_the_end()


def _finish(
    save_dir: Path, result: TrainingResult, dictionary: Path, names: Iterable[str]
) -> TrainingResult:
    """Write the dictionaries and, last of all files, the result; remove files that only the
    unfinished training needed.
    """
    for name in names:
        shutil.copyfile(dictionary, save_dir / name)
    for file in filter(Path.is_file, save_dir.iterdir()):
        flush_to_disk(file)  # even after a power cut a result has its files
    with write_atomically(save_dir / RESULT, lasting=True) as stream:
        stream.write(result.model_dump_json(indent=1).encode())
    shutil.rmtree(save_dir / _WORK)
    return result
