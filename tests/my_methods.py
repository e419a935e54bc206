"""Methods as a researcher would write them in a package of their own: nothing of this study names
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from pydantic import Field

from pseudogec.noise.method import DecoderMethod, Operation, TextMethod, keep
from pseudogec.seq2seq import Decoder, Hypothesis


class Shouting(TextMethod):
    """Write some words in capitals."""

    name = "shouting"
    label = "Shouting"
    colour = "#123456"
    summary = "write words in capitals"

    share: float = Field(0.5, ge=0, le=1, description="probability that a word is shouted")

    def draw(
        self, tokens: Sequence[str], learnt: None, random: np.random.Generator
    ) -> list[Operation]:
        """One operation for each word."""
        shouted = random.random(len(tokens)) < self.share
        return [
            Operation("replace", token, token.upper())
            if loud and token != token.upper()
            else keep(token)
            for token, loud in zip(tokens, shouted, strict=True)
        ]


class Forgetful(TextMethod):
    """A mistake: words that are kept have no operation."""

    name = "forgetful"
    label = "Forgetful"
    colour = "#123456"
    summary = "delete the first word"

    def draw(
        self, tokens: Sequence[str], learnt: None, random: np.random.Generator
    ) -> list[Operation]:
        """One operation for the first word alone."""
        return [Operation("delete", tokens[0], "")]


class WorstOfBeam(DecoderMethod):
    """The worst hypothesis of a beam."""

    name = "worst"
    label = "Backtrans (worst)"
    colour = "#654321"
    summary = "back-translate and take the hypothesis at a place of the beam"

    place: int = Field(2, ge=1, le=5, description="which hypothesis is taken, from the best")

    def search(self, decoder: Decoder) -> Callable[..., Sequence[Sequence[Hypothesis]]]:
        return partial(decoder.decode, n_best=5)

    def choose(self, hypotheses: Sequence[Hypothesis]) -> Hypothesis:
        """The hypothesis at the place, or the last that there is."""
        return hypotheses[: self.place][-1]
