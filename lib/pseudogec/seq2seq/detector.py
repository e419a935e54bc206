"""A classifier that tells whether a sentence holds an error (Kiyono et al. 2019, section 4.5; Asano et al. 2019).

The papers fine-tune BERT. This one starts from the encoder of a correction model: it has read the pseudo data, which teach where
errors are. On the encoder's output, averaged over the sentence and joined with its maximum, stands one linear layer.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pseudogec.errors import DataError, UserError
from pseudogec.files import write_atomically
from pseudogec.seq2seq.binarise import SIDES, dictionary_name
from pseudogec.seq2seq.detector_options import DetectorOptions
from pseudogec.seq2seq.model_file import MODEL
from pseudogec.seq2seq.sentence_batches import fill

Pieces = Sequence[str]
Labelled = tuple[Sequence[Pieces], Sequence[bool]]
"""Sentences in pieces, and whether each holds an error."""

_CLASSIFIER, _RESULT = "classifier.safetensors", "detector.json"


class DetectorResult(BaseModel):
    """What a training of a detector did.

    Attributes:
        epoch: the one that was kept, from 1.
        validation_losses: cross-entropy of each epoch, in nats a sentence.
        accuracy: of the kept one on the validation sentences, at a probability of 0.5.
        share_with_error: of the validation sentences; always saying the more frequent label is right in this share or 1 minus it.
        sentences: trained on.
    """

    model_config = ConfigDict(frozen=True)

    epoch: int
    validation_losses: list[float]
    accuracy: float
    share_with_error: float
    sentences: int


class Detector:
    """A trained classifier.

    Args:
        folder: as `train_detector` leaves it.
        max_tokens: most pieces a batch, padding included.

    Raises:
        DataError: a file is missing.
    """

    def __init__(self, folder: Path, max_tokens: int = 4000) -> None:
        from safetensors.torch import load_file

        from pseudogec.seq2seq.detector_network import DetectorNetwork

        path = folder / _CLASSIFIER
        if not path.exists():
            raise DataError(path, "no such file; a detector's folder holds model.pt, its dictionary and this file")
        self._max_tokens = max_tokens
        self._network = DetectorNetwork(folder, dropout=0.0)
        self._network.load_state_dict(load_file(path))
        self._network.eval()

    def probabilities(self, sentences: Sequence[Pieces]) -> list[float]:
        """The probability that each sentence holds an error.

        Args:
            sentences: in pieces. A sentence that is empty holds none; of one that is longer than the encoder's positions, the
                beginning is read.
        """
        import torch

        found = [0.0] * len(sentences)
        shortened = [list(pieces[: self._network.longest]) for pieces in sentences]
        lengths = [(len(pieces), place) for place, pieces in enumerate(shortened) if pieces]
        with torch.no_grad():
            for places in fill(lengths, self._max_tokens):
                logits = self._network([shortened[place] for place in places])
                for place, probability in zip(places, torch.sigmoid(logits).tolist(), strict=True):
                    found[place] = probability
        return found


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
    """Train a detector: all weights of the encoder and the new layer, by cross-entropy on the labels as they are distributed.

    ``save_dir`` then holds the weights (``classifier.safetensors``), the model whose encoder it is (``model.pt``, for its shape),
    its dictionaries, and the result (``detector.json``). Equal arguments give equal files.

    Args:
        sentences: in pieces.
        has_error: the label of each.
        validation: sentences and labels that choose the epoch.
        initial_model: folder of a correction model.
        save_dir: where to.
        options: how to train.
        seed: of the new layer, the order of batches and dropout.
        progress: called with sentences done and sentences in all epochs.

    Raises:
        UserError: there are not both sentences with and without errors.
    """
    if len(set(has_error)) < 2 or not validation[0]:
        raise UserError("an error detector needs sentences with and without errors, and sentences to validate on")
    from safetensors.torch import save_file

    from pseudogec.seq2seq.detector_network import fine_tune

    save_dir.mkdir(parents=True, exist_ok=True)
    # The encoder's shape and dictionary are kept with the classifier, so that it needs no other folder.
    for name in (MODEL, *(dictionary_name(side) for side in SIDES)):
        shutil.copyfile(initial_model / name, save_dir / name)
    weights, losses, accuracy = fine_tune(save_dir, (sentences, has_error), validation, options, seed, progress)
    result = DetectorResult(
        epoch=losses.index(min(losses)) + 1,
        validation_losses=losses,
        accuracy=accuracy,
        share_with_error=sum(validation[1]) / len(validation[1]),
        sentences=len(sentences),
    )
    save_file(weights, save_dir / _CLASSIFIER)
    with write_atomically(save_dir / _RESULT) as stream:
        stream.write(json.dumps(result.model_dump(), indent=1).encode())
    return result
