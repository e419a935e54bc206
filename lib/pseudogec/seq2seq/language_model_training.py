"""Training a language model in this process, as `pseudogec.seq2seq.train` trains a sequence-to-sequence model."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from pseudogec.seq2seq import training_data
from pseudogec.seq2seq.binarise import DICTIONARY
from pseudogec.seq2seq.language_model_options import LanguageModelArchitecture
from pseudogec.seq2seq.options import Optimisation
from pseudogec.seq2seq.train import (
    TrainingProgress,
    TrainingResult,
    finish,
    finished,
    refuse_impossible,
    run_training,
    training_job,
    work_folder,
)


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
    """Train a language model, or go on where a killed training of the same ``save_dir`` stood; a finished one is only reported.

    ``save_dir`` then holds ``model.pt``, ``dict.txt`` and ``training.json`` (the result). ``pairs`` of the result are sentences.

    Args:
        train_data: folders written by `binarise_text`.
        valid_data: the folder of the validation data; ``None``: no validation.
        dictionary: the dictionary with which all of them were binarised.
        save_dir: where to.
        architecture: the model.
        optimisation: how it is trained.
        seed: of initial weights, order of batches and dropout.
        progress: called about twice a second.
        seconds_between_saves: how often the full state is saved to resume from.
        processes: processes that share each update's batches; see `pseudogec.seq2seq.train.train`.
        launcher: a command that starts them; see there.

    Raises:
        UserError: data, dictionary or options do not fit together or do not fit this machine, or ``save_dir`` holds an
            unfinished training with other options or data of another size.
        RuntimeError: one of several processes failed; training again goes on from the last saved state.
    """
    if (result := finished(save_dir)) is not None:
        return result
    validate = valid_data is not None
    refuse_impossible(optimisation, validate)
    data = training_data.prepare_text(
        train_data, valid_data, dictionary, work_folder(save_dir) / "data", optimisation.pairs_at_once
    )
    arguments = ["--task", "language_modeling", *architecture.fairseq_arguments()]
    job = training_job(arguments, data, optimisation, seed, save_dir, validate)
    job = job.model_copy(update={"seconds_between_saves": seconds_between_saves})
    result = run_training(job, progress, processes, launcher)
    shutil.copyfile(dictionary, save_dir / DICTIONARY)
    finish(save_dir, result)
    return result
