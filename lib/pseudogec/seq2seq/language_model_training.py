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
    common_arguments,
    finish,
    finished,
    run_training,
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

    Raises:
        UserError: data, dictionary or options do not fit together or do not fit this machine, or ``save_dir`` holds an
            unfinished training with other options.
    """
    if (result := finished(save_dir)) is not None:
        return result
    work = work_folder(save_dir)
    common = common_arguments(work, optimisation, seed, valid_data is not None)
    training_data.prepare_text(train_data, valid_data, dictionary, work / "data")
    arguments = [work / "data", "--task", "language_modeling", *architecture.fairseq_arguments(), *common]
    result = run_training(arguments, optimisation, save_dir, progress=progress, seconds_between_saves=seconds_between_saves)
    shutil.copyfile(dictionary, save_dir / DICTIONARY)
    finish(save_dir, result)
    return result
