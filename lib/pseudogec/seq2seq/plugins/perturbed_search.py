"""Searches that draw random numbers: noise in the beam, and sampling. Imports fairseq.

Every sentence has its own random stream, so that its output depends on the seed and its index alone, not on the batch it came in.
"""

from __future__ import annotations

import hashlib
from typing import Any

import torch
from fairseq.search import BeamSearch, Search


class SentenceGenerators:
    """torch's random generators, one a sentence.

    Args:
        seed: of the family of streams.
        device: where the numbers are drawn.
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self._seed, self._device = seed, device
        self._generators: dict[int, torch.Generator] = {}

    def uniform(self, sentences: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
        """Draw from U[0, 1): the next numbers of every sentence's stream.

        Args:
            sentences: indices of sentences, shape (n,).
            shape: of the numbers of one sentence.

        Returns:
            Numbers of shape (n, *shape).
        """
        numbers = torch.empty((len(sentences), *shape), device=self._device)
        for row, sentence in zip(numbers, sentences.tolist(), strict=True):
            torch.rand(shape, generator=self._of(sentence), out=row)
        return numbers

    def _of(self, sentence: int) -> torch.Generator:
        if sentence not in self._generators:
            digest = hashlib.blake2b(f"{self._seed} {sentence}".encode(), digest_size=8).digest()
            generator = torch.Generator(self._device)
            generator.manual_seed(int.from_bytes(digest, "little") >> 1)
            self._generators[sentence] = generator
        return self._generators[sentence]


class NoisyBeamSearch(BeamSearch):
    """Beam search with random noise on every candidate (Xie et al. 2018; Kiyono et al., TASLP section III-A, "backtrans
    (noisy)").

    ``r * beta``, r ~ U[0, 1] drawn anew each time, is added to the log-probability of every expansion (hypothesis x next piece)
    before the beam keeps its best. The noise stays in the hypothesis's score.

    Args:
        dictionary: fairseq's target dictionary.
        beta: strength of the noise; 0 is plain beam search.
        generators: of the noise.
    """

    def __init__(self, dictionary: Any, beta: float, generators: SentenceGenerators) -> None:
        super().__init__(dictionary)
        self._beta, self._generators = beta, generators

    def step(
        self, step: int, lprobs: Any, scores: Any, prev_output_tokens: Any = None, original_batch_idxs: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Choose the best expansions; see ``fairseq.search.Search.step``."""
        noise = self._generators.uniform(original_batch_idxs, tuple(lprobs.shape[1:]))
        found: tuple[torch.Tensor, torch.Tensor, torch.Tensor] = super().step(step, lprobs + self._beta * noise, scores)
        return found


class SentenceSampling(Search):
    """Draw every next piece from the model's full distribution (Edunov et al. 2018, "sampling"), with a beam of one.

    The piece with the largest log-probability plus Gumbel noise is a draw from the distribution.

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
        uniform = self._generators.uniform(original_batch_idxs, tuple(lprobs.shape[1:]))
        tiny = torch.finfo(uniform.dtype).tiny
        gumbel = -torch.log(-torch.log(uniform.clamp(min=tiny)))
        drawn = (lprobs + gumbel).argmax(dim=-1)
        drawn_scores = lprobs.gather(2, drawn.unsqueeze(-1)).squeeze(-1)
        if step > 0:
            drawn_scores = drawn_scores + scores[:, :, step - 1]
        return drawn_scores, drawn, torch.zeros_like(drawn)
