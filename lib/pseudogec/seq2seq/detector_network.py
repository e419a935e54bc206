"""The error detector's network and its training. Imports torch and fairseq: only `pseudogec.seq2seq.detector` loads it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from pseudogec.seq2seq import loaded_models, session
from pseudogec.seq2seq.binarise import SOURCE, dictionary_name
from pseudogec.seq2seq.detector_options import DetectorOptions
from pseudogec.seq2seq.sentence_batches import fill
from pseudogec.seq2seq.vocabulary import END, PADDING, UNKNOWN, read_dictionary

Pieces = Sequence[str]
Labelled = tuple[Sequence[Pieces], Sequence[bool]]

_WARMUP = 0.1
"""Share of the updates in which the learning rate rises."""


class DetectorNetwork(torch.nn.Module):
    """A correction model's encoder with a linear layer on the mean and the maximum of its output.

    Args:
        folder: of the correction model.
        dropout: share of these features that are dropped in training.

    Attributes:
        longest: most pieces that the encoder can read.
    """

    def __init__(self, folder: Path, dropout: float) -> None:
        super().__init__()
        loaded = loaded_models.load(folder)
        self._device = loaded.device
        self.encoder = copy.deepcopy(loaded.model.encoder)  # others may decode with the model as it is
        self.longest = int(self.encoder.max_positions()) - 1
        self._numbers = read_dictionary(folder / dictionary_name(SOURCE))
        self._dropout = dropout
        self.classifier = torch.nn.Linear(2 * self.encoder.embed_tokens.embedding_dim, 1).to(self._device)

    def forward(self, sentences: Sequence[Pieces]) -> torch.Tensor:
        """The logit of an error in each sentence, (sentences,)."""
        rows = [[*(self._numbers.get(piece, UNKNOWN) for piece in pieces), END] for pieces in sentences]
        width = max(map(len, rows))
        # Padded on the left, as correction models are trained.
        sources = torch.tensor([[PADDING] * (width - len(row)) + row for row in rows], device=self._device)
        lengths = torch.tensor([len(row) for row in rows], device=self._device)
        with session.quiet():
            output = self.encoder(sources, lengths)["encoder_out"][0].transpose(0, 1)  # (sentences, pieces, width)
        padding = (sources == PADDING).unsqueeze(2)
        mean = output.masked_fill(padding, 0.0).sum(1) / lengths.unsqueeze(1)
        highest = output.masked_fill(padding, float("-inf")).amax(1)
        features = functional.dropout(torch.cat([mean, highest], dim=1), self._dropout, self.training)
        return self.classifier(features).squeeze(1).float()


def fine_tune(
    folder: Path,
    training: Labelled,
    validation: Labelled,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[dict[str, torch.Tensor], list[float], float]:
    """Train a network; the arguments are those of `train_detector`.

    Returns:
        The weights after the epoch with the lowest validation loss; every epoch's loss; the kept weights' accuracy.
    """
    losses: list[float] = []
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = DetectorNetwork(folder, options.dropout)
        for _ in _epochs(network, training, options, seed, progress):
            loss, reached = _validate(network, validation)
            losses.append(loss)
            if loss == min(losses):
                accuracy = reached
                weights = {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}
    return weights, losses, accuracy


def _epochs(
    network: DetectorNetwork,
    training: Labelled,
    options: DetectorOptions,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[None]:
    """Train, and pause after every pass over the sentences."""
    sentences, labels = training
    batches = list(_batches(network, sentences, options.max_tokens))
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
            targets = torch.tensor([float(labels[place]) for place in places], device=network.classifier.weight.device)
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


def _batches(network: DetectorNetwork, sentences: Sequence[Pieces], max_tokens: int) -> Iterator[list[int]]:
    return fill(
        [(len(pieces), place) for place, pieces in enumerate(sentences) if 0 < len(pieces) <= network.longest], max_tokens
    )


def _validate(network: DetectorNetwork, validation: Labelled) -> tuple[float, float]:
    """Mean cross-entropy in nats, and accuracy at a probability of 0.5."""
    network.eval()
    sentences, labels = validation
    loss, right, counted = 0.0, 0, 0
    with torch.no_grad():
        for places in _batches(network, sentences, max_tokens=4000):
            logits = network([sentences[place] for place in places]).cpu()
            targets = torch.tensor([float(labels[place]) for place in places])
            loss += float(functional.binary_cross_entropy_with_logits(logits, targets, reduction="sum"))
            right += int(((logits > 0) == (targets > 0)).sum())
            counted += len(places)
    return loss / counted, right / counted
