"""Searches that draw random numbers: noise in the beam, and sampling. Imports fairseq.

Every sentence has its own random stream, so that its output depends on the seed and its index alone, not on the batch it came in.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from fairseq.search import BeamSearch, Search


class SentenceGenerators:
    """Random numbers, a stream for each sentence.

    Noise in the beam takes a number for every hypothesis and piece at every step, so on a CPU they come from numpy's SFC64, 16
    bits each, in a third of the time of torch's generator; the noise then has steps of beta / 65,536, with the paper's beta a
    ten-thousandth of a nat. On a GPU they come from torch's generator there.

    Args:
        seed: of the family of streams.
        device: where the numbers are wanted.
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self._seed, self._device = seed, device
        self._fillers: dict[int, Callable[[Any], object]] = {}
        self._memory = torch.empty(0, device=device)

    def uniform(self, sentences: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
        """Draw from U[0, 1): the next numbers of every sentence's stream.

        Args:
            sentences: indices of sentences, shape (n,).
            shape: of the numbers of one sentence.

        Returns:
            Numbers of shape (n, *shape), which the next call overwrites: fresh memory for each step costs as much as the numbers.
        """
        count = math.prod(shape)
        if len(self._memory) < len(sentences) * count:
            self._memory = torch.empty(len(sentences) * count, device=self._device)
        numbers = self._memory[: len(sentences) * count].view(len(sentences), count)
        rows = numbers.numpy() if self._device.type == "cpu" else numbers
        for row, sentence in zip(rows, sentences.tolist(), strict=True):
            self._filler(sentence)(row)
        return numbers.view(len(sentences), *shape)

    def _filler(self, sentence: int) -> Callable[[Any], object]:
        """What writes the next numbers of a sentence's stream into an array (on a GPU: a tensor) of one dimension."""
        if sentence not in self._fillers:
            digest = hashlib.blake2b(f"{self._seed} {sentence}".encode(), digest_size=8).digest()
            seed = int.from_bytes(digest, "little") >> 1
            if self._device.type == "cpu":
                self._fillers[sentence] = partial(_fill, np.random.SFC64(seed))
            else:
                generator = torch.Generator(self._device).manual_seed(seed)
                self._fillers[sentence] = partial(torch.Tensor.uniform_, generator=generator)
        return self._fillers[sentence]


def _fill(bits: np.random.BitGenerator, row: np.ndarray) -> None:
    """Write multiples of 2**-16 in [0, 1)."""
    row[:] = bits.random_raw(-(-len(row) // 4)).view(np.uint16)[: len(row)]
    row *= np.float32(2.0**-16)


class Expansions(NamedTuple):
    """What one step of a noisy beam search chooses from, for those who watch it.

    Attributes:
        prefixes: the hypotheses so far, as numbers of pieces after a first end of sentence; shape (sentences, beam, pieces).
        scores: of the hypotheses, with the noise of earlier steps; shape (sentences, beam).
        log_probabilities: of every next piece; shape (sentences, beam, vocabulary).
        noise: what this step adds to them; the same shape.
    """

    prefixes: torch.Tensor
    scores: torch.Tensor
    log_probabilities: torch.Tensor
    noise: torch.Tensor


class NoisyBeamSearch(BeamSearch):
    """Beam search with random noise on every candidate (Xie et al. 2018; Kiyono et al., TASLP section III-A, "backtrans
    (noisy)").

    ``r * beta``, r ~ U[0, 1] drawn anew each time, is added to the log-probability of every expansion (hypothesis x next piece)
    before the beam keeps its best. The noise stays in the hypothesis's score.

    Args:
        dictionary: fairseq's target dictionary.
        beta: strength of the noise; 0 is plain beam search.
        generators: of the noise.
        observer: told of every step before it chooses; changes nothing.
    """

    def __init__(
        self,
        dictionary: Any,
        beta: float,
        generators: SentenceGenerators,
        observer: Callable[[Expansions], None] | None = None,
    ) -> None:
        super().__init__(dictionary)
        self._beta, self._generators, self._observer = beta, generators, observer

    def step(
        self, step: int, lprobs: Any, scores: Any, prev_output_tokens: Any = None, original_batch_idxs: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Choose the best expansions; see ``fairseq.search.Search.step``."""
        sentences, beam, vocabulary = lprobs.shape
        candidates = self._generators.uniform(original_batch_idxs, (beam, vocabulary))
        if self._observer is not None:
            prefixes = prev_output_tokens.view(sentences, beam, -1)
            before = scores[:, :, step - 1] if step else lprobs.new_zeros(sentences, beam)
            self._observer(Expansions(prefixes, before, lprobs, self._beta * candidates))
        torch.add(lprobs, candidates, alpha=self._beta, out=candidates)
        if step == 0:
            candidates = candidates[:, :1]  # all hypotheses are the same
        else:
            candidates += scores[:, :, step - 1].unsqueeze(-1)
        # Twice the beam, as fairseq does, so that enough are left when some of them end.
        best, places = largest(candidates.reshape(sentences, -1), 2 * beam)
        return best, places % vocabulary, places // vocabulary


_BLOCK = 64


def largest(values: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest values of each row, in descending order, with their places: ``torch.topk`` in half the time for long rows.

    The largest values lie in the blocks with the largest maxima, so the others need not be looked at.

    Args:
        values: shape (rows, columns).
        count: how many; fewer where a row is shorter. One value, fairseq's padding, is always left out.

    Returns:
        Values and places, both of shape (rows, count).
    """
    rows, columns = values.shape
    count, blocks = min(count, columns - 1), columns // _BLOCK
    if blocks <= count:
        found = values.topk(count)
        return found.values, found.indices
    maxima = values[:, : blocks * _BLOCK].view(rows, blocks, _BLOCK).amax(-1)
    block = torch.arange(_BLOCK, device=values.device)
    inside = (maxima.topk(count).indices.unsqueeze(-1) * _BLOCK + block).flatten(1)
    beyond = torch.arange(blocks * _BLOCK, columns, device=values.device).expand(rows, -1)
    places = torch.cat([inside, beyond], dim=1)
    found = values.gather(1, places).topk(count)
    return found.values, places.gather(1, found.indices)


class SentenceSampling(Search):
    """Draw every next piece from the model's full distribution (Edunov et al. 2018, "sampling"), with a beam of one.

    The piece in whose share of [0, 1) a random number lies is a draw from the distribution.

    Args:
        dictionary: fairseq's target dictionary.
        generators: of the draws.
    """

    def __init__(self, dictionary: Any, generators: SentenceGenerators) -> None:
        super().__init__(dictionary)
        self._generators = generators

    def step(
        self, step: int, lprobs: Any, scores: Any, prev_output_tokens: Any = None, original_batch_idxs: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Draw one expansion a sentence; see ``fairseq.search.Search.step``."""
        numbers = self._generators.uniform(original_batch_idxs, (3,)).double()
        cumulative = lprobs.squeeze(1).exp().cumsum(-1, dtype=torch.float64)
        # 16 bits of each of three numbers make one of 48, so that the rarest pieces have their chance.
        point = (numbers * 2.0**16).floor() @ numbers.new_tensor([2.0**-16, 2.0**-32, 2.0**-48]) * cumulative[:, -1]
        drawn = torch.searchsorted(cumulative, point.unsqueeze(-1), right=True)
        drawn_scores = lprobs.gather(2, drawn.unsqueeze(-1)).squeeze(-1)
        if step > 0:
            drawn_scores = drawn_scores + scores[:, :, step - 1]
        return drawn_scores, drawn, torch.zeros_like(drawn)
