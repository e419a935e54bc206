"""Models at work on words: a model's or an ensemble's corrections."""

from __future__ import annotations

from collections.abc import Sequence

from pseudogec.correct.step import Candidate, Corrected, Progress, Tokens
from pseudogec.seq2seq import Decoder, Hypothesis
from pseudogec.text import Bpe


class ModelStep:
    """Corrects by one model, or by several whose probabilities are averaged at each step.

    An empty sentence and one that is longer than the models' positions are left as they are; a note says so of the latter.

    Args:
        decoder: the models.
        bpe: their segmentation.
        beam: hypotheses kept at each step of the search.
        n_best: corrections kept for a step that chooses among them; 1: none but the best.
        length_penalty: exponent of the length that divides a log-probability.
    """

    def __init__(self, decoder: Decoder, bpe: Bpe, beam: int = 5, n_best: int = 1, length_penalty: float = 1.0) -> None:
        self._decoder, self._bpe = decoder, bpe
        self._beam, self._n_best, self._length_penalty = beam, n_best, length_penalty

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Correct what the steps before left; see `Step`.

        Raises:
            UserError: more corrections are asked for than the beam holds.
        """
        segmented = [self._bpe.apply(sentence.tokens) for sentence in before]
        decoded = self._decoder.decode(
            segmented, beam=self._beam, n_best=self._n_best, length_penalty=self._length_penalty, progress=progress
        )
        return [self._corrected(*item) for item in zip(before, segmented, decoded, strict=True)]

    def _corrected(self, sentence: Corrected, pieces: list[str], hypotheses: Sequence[Hypothesis]) -> Corrected:
        longest = self._decoder.longest_source
        note = f"left as it was: its {len(pieces)} pieces are more than the models' {longest}" if len(pieces) > longest else ""
        best = hypotheses[0].pieces
        # An unchanged sentence keeps tokens that look like pieces themselves, such as "@@", which cannot be joined again.
        tokens = sentence.tokens if best == pieces else tuple(self._bpe.undo(best))
        if self._n_best == 1:
            return Corrected(tokens, note)
        candidates = tuple(Candidate(tuple(found.pieces), found.score) for found in hypotheses)
        return Corrected(tokens, note, candidates, corrected_pieces=tuple(pieces))
