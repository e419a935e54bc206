"""Classifiers that say whether a sentence contains an error (Kiyono et al. 2019, section 4.5; Asano
et al. 2019).

The papers fine-tune BERT, as `Encoder` does with a model of this kind. `Detector` is made from a
correction model, encoder and decoder, and needs no other: it gets the sentence as source and
target, and uses the probability of each subword of the target. Pooling the output of the correction
model's encoder alone was far worse on simulated sentences: an area under the ROC curve of 0.70
instead of 0.82. BART too classifies with both sides of the model (Lewis et al. 2020, section 3.1).
Imports fairseq.
"""

from __future__ import annotations

import json
import math
import shutil
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import write_atomically
from pseudogec.seq2seq import compat, model_cache
from pseudogec.seq2seq.data import END, PADDING, SIDES, UNKNOWN, dictionary_name, read_dictionary
from pseudogec.seq2seq.memory import BatchLimit, in_batches
from pseudogec.seq2seq.model_files import (
    architecture_of,
    model_options,
    read_weights,
    require_plain,
    write_rounded,
)
from pseudogec.seq2seq.options import DetectorOptions
from pseudogec.seq2seq.search import Sentence, like_lengths

compat.apply()

import torch  # noqa: E402
from fairseq import models  # noqa: E402
from fairseq.data import Dictionary  # noqa: E402
from safetensors.torch import save  # noqa: E402
from torch.nn import functional  # noqa: E402

Labelled = tuple[Sequence[Sentence], Sequence[bool]]
"""Sentences in subwords, and whether each contains an error."""

_WEIGHTS, _DESCRIPTION = "classifier.safetensors", "detector.json"

_WARMUP = 0.1  # share of the updates in which the learning rate rises

_SCALE, _SHIFT = -0.3, -3.0
"""Of a log-probability, before training. Flat, so that all unlikely subwords of a sentence learn,
not only the unlikeliest; low, so that many likely ones do not add up to an error."""


class DetectorResult(BaseModel):
    """The result of a detector's training. An error is detected at a probability of 0.5 or more;
    shares lie between 0 and 1.
    """

    model_config = ConfigDict(frozen=True)

    epoch: int  # the one that was kept, from 1
    validation_losses: list[float]  # cross-entropy of each epoch, in nats a sentence
    accuracy: float  # this and the following: of the kept epoch, on the validation sentences
    precision: float
    recall: float
    f05: float
    share_with_error: float
    sentences: int  # trained on


def train_detector(
    sentences: Sequence[Sentence],
    has_error: Sequence[bool],
    validation: Labelled,
    initial_model: Path,
    save_dir: Path,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> DetectorResult:
    """Train a detector: all weights of a correction model and the two new ones, by cross-entropy.

    ``save_dir`` then holds the weights (``classifier.safetensors``), the model's architecture, the
    options and the result (``detector.json``), and the dictionaries. Equal arguments give equal
    files. Empty sentences and those longer than the model's positions are not trained on.

    Raises:
        UserError: there are not both sentences with and without errors that the model can read, or
            the training diverges.
        DataError: there is no model in the folder.
    """
    save_dir.mkdir(parents=True, exist_ok=True)
    architecture = architecture_of(model_options(initial_model))
    for name in map(dictionary_name, SIDES):
        shutil.copyfile(initial_model / name, save_dir / name)
    detector = Detector(save_dir, architecture, options.dropout)
    detector.model.load_state_dict(model_cache.load(initial_model).model.state_dict())
    model_cache.release()  # training needs the memory
    result = _train(detector, sentences, has_error, validation, options, seed, progress)
    with write_atomically(save_dir / _WEIGHTS) as stream:
        stream.write(save(detector.weights()))
    description = {
        "options": options.model_dump(),
        "seed": seed,
        "architecture": architecture,
        "result": result.model_dump(),
    }
    with write_atomically(save_dir / _DESCRIPTION) as stream:
        stream.write(json.dumps(description, indent=1, sort_keys=True).encode())
    return result


def train_encoder(
    sentences: Sequence[Sentence],
    has_error: Sequence[bool],
    validation: Labelled,
    initial_model: Path,
    save_dir: Path,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> DetectorResult:
    """As `train_detector`, of an encoder and for sentences of words; ``save_dir`` then holds files
    of Hugging Face's formats.

    Raises:
        UserError: as `train_detector`; or the package ``transformers`` is missing, or the encoder
            cannot be read.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)  # of the classifier's first weights
        encoder = Encoder(initial_model)
    result = _train(encoder, sentences, has_error, validation, options, seed, progress)
    encoder.model.save_pretrained(save_dir)
    encoder.tokeniser.save_pretrained(save_dir)
    return result


def _train(
    detector: Classifier,
    sentences: Sequence[Sentence],
    has_error: Sequence[bool],
    validation: Labelled,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> DetectorResult:
    usable = [
        number for number, subwords in enumerate(sentences) if 0 < len(subwords) <= detector.longest
    ]
    training = [sentences[number] for number in usable], [has_error[number] for number in usable]
    if len(set(training[1])) < 2 or not validation[0]:
        raise UserError(
            "an error detector needs sentences with and without errors, and sentences "
            "to validate on"
        )
    losses = _fine_tune(detector, training, validation, options, seed, progress)
    return DetectorResult(
        epoch=losses.index(min(losses)) + 1,
        validation_losses=losses,
        **_quality(
            np.array(detector.probabilities(validation[0])) >= 0.5,
            np.array(validation[1], dtype=bool),
        ),
        share_with_error=sum(validation[1]) / len(validation[1]),
        sentences=len(usable),
    )


def _quality(detected: np.ndarray, has_error: np.ndarray) -> dict[str, float]:
    """Accuracy, and precision, recall and F0.5 of detection, with ERRANT's conventions on empty
    counts.
    """
    right = float((detected & has_error).sum())
    precision = right / detected.sum() if detected.any() else 1.0
    recall = right / has_error.sum() if has_error.any() else 1.0
    weighted = 0.25 * precision + recall
    f05 = 1.25 * precision * recall / weighted if weighted else 0.0
    return {
        "accuracy": float((detected == has_error).mean()),
        "precision": precision,
        "recall": recall,
        "f05": f05,
    }


def make_compact_detector(detector: Path, folder: Path) -> int:
    """Write a detector with every matrix rounded to 8 bits into a folder; returns the number of
    weights.
    """
    weights = read_weights(detector / _WEIGHTS)
    write_rounded(weights, folder / _WEIGHTS)
    for name in (_DESCRIPTION, *map(dictionary_name, SIDES)):
        shutil.copyfile(detector / name, folder / name)
    return sum(value.numel() for value in weights.values())


class Classifier(torch.nn.Module):
    """Gives each sentence, called with some of them, the logit of an error; ``longest`` subwords or
    words can be read.
    """

    longest: int

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def weights(self) -> dict[str, torch.Tensor]:
        """A copy of the trained weights, by name; shared weights are contained once."""
        return {name: value.detach().cpu().clone() for name, value in self.named_parameters()}

    def set_weights(self, weights: Mapping[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, value in self.named_parameters():
                value.copy_(weights[name])

    def probabilities(self, sentences: Sequence[Sentence], max_tokens: int = 4000) -> list[float]:
        """The probability that each sentence contains an error; it does not depend on the other
        sentences.

        It is 0 for an empty sentence; of one that is too long, the beginning is read. A batch has
        at most ``max_tokens`` subwords (words, for an encoder), padding included.
        """
        self.eval()
        by_place = np.zeros(len(sentences))
        shortened = [list(subwords[: self.longest]) for subwords in sentences]
        lengths = [(len(subwords), place) for place, subwords in enumerate(shortened) if subwords]

        def compute(places: list[int]) -> list[float]:
            return torch.sigmoid(self([shortened[place] for place in places])).tolist()

        with torch.no_grad():
            for places, probabilities in in_batches(lengths, BatchLimit(max_tokens), compute):
                by_place[places] = probabilities
        return by_place.tolist()


class Encoder(Classifier):
    """An encoder of BERT's kind in a folder, with one output on top, which `train_encoder` trains;
    it reads words.

    Raises:
        UserError: the package ``transformers`` is missing, or the folder has no such model in
            safetensors.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        try:
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        except ModuleNotFoundError:
            raise UserError(
                "an encoder needs the package transformers; `make encoder` installs it"
            ) from None
        try:
            self.tokeniser: Any = AutoTokenizer.from_pretrained(folder)
            self.model: Any = AutoModelForSequenceClassification.from_pretrained(
                folder, num_labels=1, use_safetensors=True
            )
        except (OSError, ValueError) as error:
            raise UserError(
                f"the encoder {folder} cannot be read: {str(error).splitlines()[0]}"
            ) from None
        self.longest = min(
            self.tokeniser.model_max_length, self.model.config.max_position_embeddings
        )
        self.to("cuda" if torch.cuda.is_available() else "cpu")

    def forward(self, sentences: Sequence[Sentence]) -> torch.Tensor:
        """The logit of an error in each sentence, (sentences,)."""
        texts = [" ".join(words) for words in sentences]
        encoded = self.tokeniser(
            texts, return_tensors="pt", padding=True, truncation=True, max_length=self.longest
        )
        return self.model(**encoded.to(self.device)).logits.squeeze(1)


class Detector(Classifier):
    """A correction model with a sentence as source and target, and a classifier on the probability
    of each subword.

    Each subword has a log-probability; scaled and shifted it is the logit of an error at this
    place. The sentence's logit is the logarithm of the sum of the places' exponentials, so that one
    certain error is enough.
    """

    def __init__(self, folder: Path, architecture: Mapping[str, Any], dropout: float = 0.0) -> None:
        super().__init__()
        files = {side: folder / dictionary_name(side) for side in SIDES}
        self._numbers = {side: read_dictionary(file) for side, file in files.items()}
        with compat.isolated():
            source, target = (Dictionary.load(str(file)) for file in files.values())
            self.model: Any = models.build_model(
                Namespace(**{**architecture, "dropout": dropout}),
                SimpleNamespace(source_dictionary=source, target_dictionary=target),
            )
        self.longest = int(min(self.model.max_positions())) - 1  # subwords that the model can read
        self.scale = torch.nn.Parameter(torch.tensor(_SCALE))
        self.shift = torch.nn.Parameter(torch.tensor(_SHIFT))
        self.to("cuda" if torch.cuda.is_available() else "cpu")

    @classmethod
    def load(cls, folder: Path) -> Detector:
        """The detector in a folder written by `train_detector`.

        Raises:
            DataError: a file is missing, or is not a detector's.
        """
        try:
            architecture = json.loads((folder / _DESCRIPTION).read_text(encoding="utf-8"))[
                "architecture"
            ]
            require_plain(architecture)
        except (OSError, ValueError, KeyError, TypeError):
            raise DataError(
                folder / _DESCRIPTION, "does not describe a detector; train it again"
            ) from None
        detector = cls(folder, architecture)
        detector.set_weights(read_weights(folder / _WEIGHTS))
        return detector

    def forward(self, sentences: Sequence[Sentence]) -> torch.Tensor:
        """The logit of an error in each sentence, (sentences,)."""
        sources, targets = (self._rows(sentences, side) for side in SIDES)
        width = max(map(len, sources))
        # The source is padded on the left and the target on the right, as correction models are
        # trained.
        read = torch.tensor(
            [[PADDING] * (width - len(row)) + row for row in sources], device=self.device
        )
        written = torch.tensor(
            [row + [PADDING] * (width - len(row)) for row in targets], device=self.device
        )
        previous = torch.tensor(
            [[END, *row[:-1]] + [PADDING] * (width - len(row)) for row in targets],
            device=self.device,
        )
        lengths = torch.tensor([len(row) for row in sources], device=self.device)
        with compat.quiet():
            output = self.model(read, lengths, previous)
            # (sentences, subwords, vocabulary)
            distribution = self.model.get_normalized_probs(output, log_probs=True)
        kept = distribution.gather(2, written.unsqueeze(2)).squeeze(2)
        logits = self.scale * kept + self.shift
        return torch.logsumexp(logits.masked_fill(written == PADDING, float("-inf")), dim=1)

    def _rows(self, sentences: Sequence[Sentence], side: str) -> list[list[int]]:
        numbers = self._numbers[side]
        return [
            [*(numbers.get(subword, UNKNOWN) for subword in subwords), END]
            for subwords in sentences
        ]


def _fine_tune(
    detector: Classifier,
    training: Labelled,
    validation: Labelled,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> list[float]:
    """Train a detector, restore the epoch with the lowest validation loss, and return every epoch's
    loss.
    """
    labels = np.array(validation[1], dtype=bool)
    losses: list[float] = []
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for _ in _epochs(detector, training, options, seed, progress):
            losses.append(_cross_entropy(np.array(detector.probabilities(validation[0])), labels))
            if math.isnan(losses[-1]):
                raise UserError(
                    f"training the error detector diverged in epoch {len(losses)}; a "
                    "lower learning_rate may help"
                )
            if losses[-1] == min(losses):
                weights = detector.weights()
    detector.set_weights(weights)
    return losses


def _cross_entropy(probabilities: np.ndarray, labels: np.ndarray) -> float:
    smallest = np.finfo(np.float32).tiny
    return float(
        -np.log(np.maximum(np.where(labels, probabilities, 1 - probabilities), smallest)).mean()
    )


def _epochs(
    detector: Classifier,
    training: Labelled,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[None]:
    sentences, labels = training
    batches = list(
        like_lengths(
            [(len(subwords), place) for place, subwords in enumerate(sentences)], options.max_tokens
        )
    )
    updates = len(batches) * options.epochs
    optimiser = torch.optim.Adam(detector.parameters(), options.learning_rate)
    warmup = max(1, round(_WARMUP * updates))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda update: min((update + 1) / warmup, (updates - update) / max(1, updates - warmup)),
    )
    order = np.random.default_rng(seed)
    done = 0
    for _ in range(options.epochs):
        detector.train()
        for number in order.permutation(len(batches)):
            places = batches[number]
            targets = torch.tensor(
                [float(labels[place]) for place in places], device=detector.device
            )
            logits = detector([sentences[place] for place in places])
            loss = functional.binary_cross_entropy_with_logits(logits, targets)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(detector.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += len(places)
            if progress is not None:
                progress(done, len(sentences) * options.epochs)
        yield
