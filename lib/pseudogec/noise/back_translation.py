"""Back-translation: a reverse model translates grammatical sentences into what learners might
write.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pydantic import Field

from pseudogec.noise.method import METHODS, DecoderMethod

if TYPE_CHECKING:
    from pseudogec.noise.method import Search
    from pseudogec.seq2seq import Decoder


@METHODS.register
class BackTranslation(DecoderMethod):
    """Plain beam search (Sennrich et al. 2016)."""

    name = "backtrans"
    label = "Back-translation"
    colour = "#E69F00"
    summary = "back-translate by beam search (Sennrich et al. 2016)"

    beam: int = Field(5, ge=1, description="hypotheses kept at each step")

    def search(self, decoder: Decoder) -> Search:
        return partial(decoder.decode, beam=self.beam)


@METHODS.register
class NoisyBackTranslation(BackTranslation):
    """Beam search with r * beta_random, r ~ U[0, 1], added to the score of every candidate (Xie et
    al. 2018).

    Kiyono et al. (TASLP III-A) say: to the score of each hypothesis in the beam.
    """

    name = "backtrans_noisy"
    label = "Noisy back-translation"
    colour = "#D55E00"
    colour_with_sse = "#882255"
    summary = (
        "back-translate by beam search with noise on every candidate's score (Xie et al. 2018)"
    )

    beta_random: float = Field(
        6.0, ge=0, description="strength of the noise; 0 is plain beam search"
    )

    def search(self, decoder: Decoder) -> Search:
        return partial(decoder.decode, beam=self.beam, beta_random=self.beta_random)


@METHODS.register
class SampledBackTranslation(DecoderMethod):
    """Sampling from the model's full distribution (Edunov et al. 2018)."""

    name = "backtrans_sample"
    label = "Sampled back-translation"
    colour = "#CC79A7"
    summary = (
        "back-translate by sampling from the reverse model's full distribution (Edunov et al. 2018)"
    )

    temperature: float = Field(
        1.0, gt=0, description="divides the logits; above 1 flattens the distribution"
    )

    def search(self, decoder: Decoder) -> Search:
        return partial(decoder.sample, temperature=self.temperature)
