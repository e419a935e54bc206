"""The error detector's network and its training. Imports torch and fairseq: only `pseudogec.seq2seq.detector` loads it."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from artefacts.errors import UserError
from pseudogec.seq2seq import compat, session
from pseudogec.seq2seq.binarise import SOURCE, TARGET, dictionary_name
from pseudogec.seq2seq.detector import Labelled, Pieces
from pseudogec.seq2seq.detector_options import DetectorOptions
from pseudogec.seq2seq.sentence_batches import fill
from pseudogec.seq2seq.vocabulary import END, PADDING, UNKNOWN, read_dictionary

compat.apply()

import torch  # noqa: E402
from fairseq import models  # noqa: E402
from fairseq.data import Dictionary  # noqa: E402
from torch.nn import functional  # noqa: E402

from pseudogec.seq2seq import plugins  # noqa: E402

plugins.register()

_WARMUP = 0.1
"""Share of the updates in which the learning rate rises."""

_SCALE, _SHIFT = -0.3, -3.0
"""Of a log-probability, before training. Flat, so that all unlikely pieces of a sentence learn, not only the unlikeliest; low, so
that many likely ones do not add up to an error."""

_VALIDATION_TOKENS = 4000
"""Most pieces a batch, padding included, when nothing is learnt."""


def architecture_of(model_options: Namespace) -> dict[str, Any]:
    """What of fairseq's options describes the model, and not its training or where its files lay."""
    parser = ArgumentParser()
    models.ARCH_MODEL_REGISTRY[model_options.arch].add_args(parser)
    names = {"arch", *vars(parser.parse_args([]))} - {"encoder_embed_path", "decoder_embed_path"}
    return {name: value for name, value in vars(model_options).items() if name in names}


class DetectorNetwork(torch.nn.Module):
    """A correction model that reads a sentence and is asked, piece by piece, whether it would write the sentence again.

    At each place stands the log-probability of the piece that is there; scaled and shifted it is the logit of an error at this
    place. The sentence's logit is the logarithm of the sum of the places' exponentials, so that one certain error is enough.

    Args:
        folder: holds the two dictionaries.
        architecture: of the correction model, see `architecture_of`.
        dropout: in the model, while it is trained.

    Attributes:
        longest: most pieces that the model can read.
    """

    def __init__(self, folder: Path, architecture: Mapping[str, Any], dropout: float = 0.0) -> None:
        super().__init__()
        files = {side: folder / dictionary_name(side) for side in (SOURCE, TARGET)}
        self._numbers = {side: read_dictionary(file) for side, file in files.items()}
        with session.isolated():
            source, target = (Dictionary.load(str(file)) for file in files.values())
            self.model: Any = models.build_model(
                Namespace(**{**architecture, "dropout": dropout}),
                SimpleNamespace(source_dictionary=source, target_dictionary=target),
            )
        self.longest = int(min(self.model.max_positions())) - 1
        self.scale = torch.nn.Parameter(torch.tensor(_SCALE))
        self.shift = torch.nn.Parameter(torch.tensor(_SHIFT))
        self.to("cuda" if torch.cuda.is_available() else "cpu")

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.scale.device

    def forward(self, sentences: Sequence[Pieces]) -> torch.Tensor:
        """The logit of an error in each sentence, (sentences,)."""
        sources, targets = (self._rows(sentences, side) for side in (SOURCE, TARGET))
        width = max(map(len, sources))
        # The source is padded on the left and the target on the right, as correction models are trained.
        read = torch.tensor([[PADDING] * (width - len(row)) + row for row in sources], device=self.device)
        written = torch.tensor([row + [PADDING] * (width - len(row)) for row in targets], device=self.device)
        previous = torch.tensor([[END, *row[:-1]] + [PADDING] * (width - len(row)) for row in targets], device=self.device)
        lengths = torch.tensor([len(row) for row in sources], device=self.device)
        with session.quiet():
            output = self.model(read, lengths, previous)
            distribution = self.model.get_normalized_probs(output, log_probs=True)  # (sentences, pieces, vocabulary)
        kept = distribution.gather(2, written.unsqueeze(2)).squeeze(2)
        logits = self.scale * kept + self.shift
        return torch.logsumexp(logits.masked_fill(written == PADDING, float("-inf")), dim=1)

    def weights(self) -> dict[str, torch.Tensor]:
        """A copy of what training changes, by name; what is shared within the model is there once."""
        return {name: value.detach().cpu().clone() for name, value in self.named_parameters()}

    def set_weights(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Take over what `weights` gave.

        Raises:
            ValueError: they are another network's.
        """
        own = dict(self.named_parameters())
        if {name: value.shape for name, value in own.items()} != {name: value.shape for name, value in weights.items()}:
            raise ValueError("these are the weights of another network")
        with torch.no_grad():
            for name, value in own.items():
                value.copy_(weights[name])

    def _rows(self, sentences: Sequence[Pieces], side: str) -> list[list[int]]:
        numbers = self._numbers[side]
        return [[*(numbers.get(piece, UNKNOWN) for piece in pieces), END] for pieces in sentences]

    def probabilities(self, sentences: Sequence[Pieces], max_tokens: int = _VALIDATION_TOKENS) -> np.ndarray:
        """The probability of an error in each sentence, (sentences,); see `Detector.probabilities`."""
        self.eval()
        found = np.zeros(len(sentences))
        shortened = [list(pieces[: self.longest]) for pieces in sentences]
        with torch.no_grad():
            for places in fill([(len(pieces), place) for place, pieces in enumerate(shortened) if pieces], max_tokens):
                found[places] = torch.sigmoid(self([shortened[place] for place in places])).cpu().numpy()
        return found


def fine_tune(
    network: DetectorNetwork,
    training: Labelled,
    validation: Labelled,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> list[float]:
    """Train a network and leave it as it was after the epoch with the lowest validation loss.

    The arguments are those of `train_detector`; no sentence to train on may be empty or too long.

    Returns:
        Every epoch's validation loss.

    Raises:
        UserError: a loss is no number any more.
    """
    labels = np.array(validation[1], dtype=bool)
    losses: list[float] = []
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for _ in _epochs(network, training, options, seed, progress):
            losses.append(cross_entropy(network.probabilities(validation[0]), labels))
            if math.isnan(losses[-1]):
                raise UserError(f"training the error detector broke down in epoch {len(losses)}; a lower learning_rate may help")
            if losses[-1] == min(losses):
                weights = network.weights()
    network.set_weights(weights)
    return losses


def cross_entropy(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Of probabilities of an error and whether there is one, in nats a sentence."""
    smallest = np.finfo(np.float32).tiny
    return float(-np.log(np.maximum(np.where(labels, probabilities, 1 - probabilities), smallest)).mean())


def _epochs(
    network: DetectorNetwork,
    training: Labelled,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[None]:
    """Train, and pause after every pass over the sentences."""
    sentences, labels = training
    batches = list(fill([(len(pieces), place) for place, pieces in enumerate(sentences)], options.max_tokens))
    updates = len(batches) * options.epochs
    optimiser = torch.optim.Adam(network.parameters(), options.learning_rate)
    warmup = max(1, round(_WARMUP * updates))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda update: min((update + 1) / warmup, (updates - update) / max(1, updates - warmup))
    )
    order = np.random.default_rng(seed)
    done = 0
    for _ in range(options.epochs):
        network.train()
        for number in order.permutation(len(batches)):
            places = batches[number]
            targets = torch.tensor([float(labels[place]) for place in places], device=network.device)
            logits = network([sentences[place] for place in places])
            loss = functional.binary_cross_entropy_with_logits(logits, targets)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += len(places)
            if progress is not None:
                progress(done, len(sentences) * options.epochs)
        yield
