"""A classifier that tells whether a sentence holds an error (Kiyono et al. 2019, section 4.5; Asano et al. 2019).

The papers fine-tune BERT. This one fine-tunes a correction model, encoder and decoder: it reads the sentence, and the classifier
looks at the probability with which it would write each piece again. Pooling the output of the encoder alone, as one does with
BERT, told far less in the embedded world (an area under the ROC curve of 0.70 against 0.82): what is wrong is what the decoder
would write otherwise. A whole model that classifies, reading the text on both sides, is BART's way (Lewis et al. 2020, section
3.1).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from artefacts.errors import DataError, UserError
from artefacts.files import write_atomically
from pseudogec.seq2seq.binarise import SIDES, dictionary_name
from pseudogec.seq2seq.detector_options import DetectorOptions
from pseudogec.seq2seq.model_file import model_options

Pieces = Sequence[str]
Labelled = tuple[Sequence[Pieces], Sequence[bool]]
"""Sentences in pieces, and whether each holds an error."""

_WEIGHTS, _DESCRIPTION = "classifier.safetensors", "detector.json"


class DetectorResult(BaseModel):
    """What a training of a detector did.

    Attributes:
        epoch: the one that was kept, from 1.
        validation_losses: cross-entropy of each epoch, in nats a sentence.
        accuracy: of the kept one on the validation sentences; an error is detected at a probability of 0.5 or more.
        precision: of the sentences in which it detects an error, the share that have one.
        recall: of the sentences that have an error, the share in which it detects one.
        f05: of detection; 0 to 1, as all of these.
        share_with_error: of the validation sentences; always saying the more frequent label is right in this share or 1 minus it.
        sentences: trained on.
    """

    model_config = ConfigDict(frozen=True)

    epoch: int
    validation_losses: list[float]
    accuracy: float
    precision: float
    recall: float
    f05: float
    share_with_error: float
    sentences: int


class Detector:
    """A trained classifier. It needs nothing but its folder.

    Args:
        folder: as `train_detector` leaves it.
        max_tokens: most pieces a batch, padding included.

    Raises:
        DataError: a file is missing, or the description is no detector's.
    """

    def __init__(self, folder: Path, max_tokens: int = 4000) -> None:
        files = [_WEIGHTS, _DESCRIPTION, *map(dictionary_name, SIDES)]
        for name in files:
            if not (folder / name).exists():
                raise DataError(folder / name, f"no such file; a detector's folder holds {', '.join(files)}")
        try:
            architecture = json.loads((folder / _DESCRIPTION).read_text(encoding="utf-8"))["architecture"]
        except (ValueError, KeyError, TypeError):
            raise DataError(folder / _DESCRIPTION, "does not describe a detector; train it anew") from None
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        from pseudogec.seq2seq.detector_network import DetectorNetwork

        self._max_tokens = max_tokens
        self._network = DetectorNetwork(folder, architecture)
        try:
            self._network.set_weights(load_file(folder / _WEIGHTS))
        except (ValueError, SafetensorError) as error:
            raise DataError(folder / _WEIGHTS, f"cannot be read into the detector ({error})") from None

    def probabilities(self, sentences: Sequence[Pieces]) -> list[float]:
        """The probability that each sentence holds an error, whatever other sentences come with it.

        Args:
            sentences: in pieces. A sentence that is empty holds none; of one that is longer than the model's positions, the
                beginning is read.
        """
        return self._network.probabilities(sentences, self._max_tokens).tolist()


def train_detector(
    sentences: Sequence[Pieces],
    has_error: Sequence[bool],
    validation: Labelled,
    initial_model: Path,
    save_dir: Path,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> DetectorResult:
    """Train a detector: all weights of a correction model and the two new ones, by cross-entropy on the labels as they are.

    ``save_dir`` then holds the weights (``classifier.safetensors``), the model's architecture, the options and the result
    (``detector.json``), and the dictionaries. Equal arguments give equal files. Empty sentences and those longer than the model's
    positions are not trained on.

    Args:
        sentences: in pieces.
        has_error: the label of each. Corrected sentences, as examples without errors, help a good deal beside the learners'.
        validation: sentences and labels that choose the epoch; they should be as the sentences to come will be.
        initial_model: folder of a correction model.
        save_dir: where to.
        options: how to train.
        seed: of the order of batches and of dropout.
        progress: called with sentences done and sentences in all epochs.

    Raises:
        UserError: sentences and labels differ in number, there are not both sentences with and without errors that the model can
            read, or the training breaks down.
        DataError: there is no model in the folder.
    """
    for texts, labels in ((sentences, has_error), validation):
        if len(texts) != len(labels):
            raise UserError(f"an error detector needs a label for each sentence, not {len(labels)} for {len(texts)}")
    if len(set(has_error)) < 2 or not validation[0]:
        raise UserError("an error detector needs sentences with and without errors, and sentences to validate on")
    from safetensors.torch import save

    from pseudogec.seq2seq import detector_network, loaded_models

    save_dir.mkdir(parents=True, exist_ok=True)
    architecture = detector_network.architecture_of(model_options(initial_model))
    for name in map(dictionary_name, SIDES):
        shutil.copyfile(initial_model / name, save_dir / name)
    network = detector_network.DetectorNetwork(save_dir, architecture, options.dropout)
    network.model.load_state_dict(loaded_models.load(initial_model).model.state_dict())
    usable = [number for number, pieces in enumerate(sentences) if 0 < len(pieces) <= network.longest]
    training = [sentences[number] for number in usable], [has_error[number] for number in usable]
    if len(set(training[1])) < 2:
        raise UserError(
            f"of the sentences with and without errors {len(usable)} can be read by {initial_model}, which takes 1 to "
            f"{network.longest} pieces, and an error detector needs both kinds; give shorter ones"
        )
    losses = detector_network.fine_tune(network, training, validation, options, seed, progress)
    result = DetectorResult(
        epoch=losses.index(min(losses)) + 1,
        validation_losses=losses,
        **_quality(network.probabilities(validation[0]) >= 0.5, np.array(validation[1], dtype=bool)),
        share_with_error=sum(validation[1]) / len(validation[1]),
        sentences=len(usable),
    )
    with write_atomically(save_dir / _WEIGHTS) as stream:
        stream.write(save(network.weights()))
    description = {"options": options.model_dump(), "seed": seed, "architecture": architecture, "result": result.model_dump()}
    with write_atomically(save_dir / _DESCRIPTION) as stream:
        stream.write(json.dumps(description, indent=1, sort_keys=True).encode())
    return result


def _quality(detected: np.ndarray, has_error: np.ndarray) -> dict[str, float]:
    """Accuracy, and precision, recall and F0.5 of detecting; 1 where there is nothing to get wrong, as ERRANT counts."""
    right = float((detected & has_error).sum())
    precision = right / detected.sum() if detected.any() else 1.0
    recall = right / has_error.sum() if has_error.any() else 1.0
    weighted = 0.25 * precision + recall
    f05 = 1.25 * precision * recall / weighted if weighted else 0.0
    return {"accuracy": float((detected == has_error).mean()), "precision": precision, "recall": recall, "f05": f05}
