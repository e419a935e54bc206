"""Back-translation: a reverse model translates grammatical sentences into what learners might write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import Field

from pseudogec.noise.method import METHODS, DecoderMethod, ReverseDecoder


@METHODS.register
class BackTranslation(DecoderMethod):
    """Plain beam search (Sennrich et al. 2016)."""

    name = "backtrans"
    label = "Backtrans"
    colour = "#E69F00"
    summary = "back-translate by beam search (Sennrich et al. 2016)"

    beam: int = Field(5, ge=1, description="hypotheses kept at each step")

    def translate(
        self,
        decoder: ReverseDecoder,
        sentences: Sequence[Sequence[str]],
        seed: int,
        first_index: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[list[str]]:
        """The best hypothesis of each sentence."""
        found = decoder.decode(sentences, beam=self.beam, seed=seed, first_index=first_index, progress=progress)
        return [hypotheses[0].subwords for hypotheses in found]


@METHODS.register
class NoisyBackTranslation(DecoderMethod):
    """Beam search with r * beta_random, r ~ U[0, 1], added to the score of every candidate (Xie et al. 2018; TASLP III-A)."""

    name = "backtrans_noisy"
    label = "Backtrans (noisy)"
    colour = "#D55E00"
    colour_with_sse = "#882255"
    summary = "back-translate by beam search with noise on every candidate's score (Xie et al. 2018)"

    beam: int = Field(5, ge=1, description="hypotheses kept at each step")
    beta_random: float = Field(6.0, ge=0, description="strength of the noise; 0 is plain beam search")

    def translate(
        self,
        decoder: ReverseDecoder,
        sentences: Sequence[Sequence[str]],
        seed: int,
        first_index: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[list[str]]:
        """The best hypothesis of each sentence, noise included."""
        found = decoder.decode(
            sentences, beam=self.beam, beta_random=self.beta_random, seed=seed, first_index=first_index, progress=progress
        )
        return [hypotheses[0].subwords for hypotheses in found]


@METHODS.register
class SampledBackTranslation(DecoderMethod):
    """Sampling from the model's full distribution (Edunov et al. 2018)."""

    name = "backtrans_sample"
    label = "Backtrans (sample)"
    colour = "#CC79A7"
    summary = "back-translate by sampling from the reverse model's full distribution (Edunov et al. 2018)"

    temperature: float = Field(1.0, gt=0, description="divides the logits; above 1 flattens the distribution")

    def translate(
        self,
        decoder: ReverseDecoder,
        sentences: Sequence[Sequence[str]],
        seed: int,
        first_index: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[list[str]]:
        """One draw for each sentence."""
        drawn = decoder.sample(sentences, temperature=self.temperature, seed=seed, first_index=first_index, progress=progress)
        return [hypotheses[0].subwords for hypotheses in drawn]
