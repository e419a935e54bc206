"""Ranking from right to left (Kiyono et al. 2020, section IV-E, after Liu et al. 2016 and Sennrich et al. 2016)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from artefacts.errors import UserError
from pseudogec.correct.step import Candidate, Corrected, Progress, Tokens
from pseudogec.seq2seq import Decoder
from pseudogec.text import Bpe

_SENTENCES_AT_ONCE = 1000
"""Sentences whose candidates are scored in one call: enough to fill batches of like length."""


class RightToLeftStep:
    """Chooses among the n best corrections: the sum of both directions' scores is highest.

    The models were trained on pairs of which both sides are reversed, piece by piece, and so they score them. Of equal sums the
    correction that stood first wins. The corrections stay, in their new order and with their sums.

    Args:
        decoder: the models from right to left, whose probabilities are averaged piece by piece.
        bpe: their segmentation.
        length_penalty: exponent of the length that divides a log-probability, as in the search from left to right.
    """

    def __init__(self, decoder: Decoder, bpe: Bpe, length_penalty: float = 1.0) -> None:
        self._decoder, self._bpe, self._length_penalty = decoder, bpe, length_penalty

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Rank the corrections of the step before; see `Step`.

        Raises:
            UserError: the step before left no corrections to choose from.
        """
        if any(sentence.tokens and not sentence.candidates for sentence in before):
            raise UserError("the step before kept no corrections to choose from; let it keep several (`n_best`)")
        after: list[Corrected] = []
        for first in range(0, len(before), _SENTENCES_AT_ONCE):
            batch = before[first : first + _SENTENCES_AT_ONCE]
            # Where there is nothing to choose nothing is scored: sentences that the models before left alone.
            choices = [sentence.candidates if len(sentence.candidates) > 1 else () for sentence in batch]
            scores = self._decoder.score(
                [sentence.corrected_pieces[::-1] for sentence in batch],
                [[candidate.pieces[::-1] for candidate in found] for found in choices],
                self._length_penalty,
            )
            after += [self._ranked(sentence, found) for sentence, found in zip(batch, scores, strict=True)]
            if progress is not None:
                progress(len(after), len(before))
        return after

    def _ranked(self, sentence: Corrected, scores: Sequence[float]) -> Corrected:
        if not scores:
            return Corrected(sentence.tokens)
        if -math.inf in scores:
            return Corrected(sentence.tokens, "not ranked: too long for the models from right to left")
        sums = [candidate.score + score for candidate, score in zip(sentence.candidates, scores, strict=True)]
        order = sorted(range(len(sums)), key=lambda place: -sums[place])  # stable: of equals the first stays first
        ranked = tuple(Candidate(sentence.candidates[place].pieces, sums[place]) for place in order)
        note = f"candidate {order[0] + 1} of {len(ranked)}"
        tokens = sentence.tokens if order[0] == 0 else tuple(self._bpe.undo(ranked[0].pieces))
        return Corrected(tokens, note, ranked, sentence.corrected_pieces)
