"""A beam search step by step: what each step chose from, with and without the noise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pseudogec.seq2seq.decode import Hypothesis
from pseudogec.seq2seq.vocabulary import END, read_dictionary

if TYPE_CHECKING:
    import torch

    from pseudogec.seq2seq.plugins.perturbed_search import Expansions

END_OF_SENTENCE = "</s>"
"""How the end of a sentence is written among its pieces."""


class PartialOutput(NamedTuple):
    """A hypothesis that a step expands.

    Attributes:
        pieces: what it has written so far.
        log_probability: what the model gives it, without any noise.
        score: the same with the noise of all steps so far.
    """

    pieces: tuple[str, ...]
    log_probability: float
    score: float


class Expansion(NamedTuple):
    """A hypothesis with one more piece.

    Attributes:
        hypothesis: which of the step's hypotheses, from 0.
        piece: the piece; `END_OF_SENTENCE` ends it.
        log_probability: of the whole, without any noise.
        noise: the random number that this step added: r * beta, r ~ U[0, 1].
        score: of the whole, with the noise of all steps so far: what it is ranked by.
        rank_without: its rank, from 1, among all expansions of the step if this step had added nothing.
        fate: whether the beam keeps it, puts it aside as finished, or drops it.
    """

    hypothesis: int
    piece: str
    log_probability: float
    noise: float
    score: float
    rank_without: int
    fate: Literal["kept", "finished", "dropped"]


class BeamStep(NamedTuple):
    """One step of a search.

    Attributes:
        hypotheses: what it expands; one at the first step, else as many as the beam holds.
        expansions: the best with noise, best first: twice as many as the beam holds, so that enough are left when some end.
        without_noise: the expansions that would have been the best if this step had added nothing, as many as the beam holds;
            of those the beam would keep, those dropped are what the noise has cost.
    """

    hypotheses: tuple[PartialOutput, ...]
    expansions: tuple[Expansion, ...]
    without_noise: tuple[Expansion, ...]


class BeamTrace(NamedTuple):
    """A search and what came of it.

    Attributes:
        steps: in their order.
        outputs: finished hypotheses, best first, scored as by `Decoder.decode`.
    """

    steps: tuple[BeamStep, ...]
    outputs: tuple[Hypothesis, ...]


class BeamRecorder:
    """Watches the search of one sentence (`pseudogec.seq2seq.plugins.perturbed_search`).

    Args:
        dictionary: the file of the model's target pieces.
        beam: hypotheses kept at each step.
    """

    def __init__(self, dictionary: Path, beam: int) -> None:
        self._pieces, self._beam = list(read_dictionary(dictionary)), beam
        self._steps: list[BeamStep] = []
        self._log_probabilities: dict[tuple[int, ...], float] = {(): 0.0}

    def trace(self, outputs: Sequence[Hypothesis]) -> BeamTrace:
        """What was seen, with what came of it."""
        return BeamTrace(tuple(self._steps), tuple(outputs))

    def __call__(self, seen: Expansions) -> None:
        """Take down one step."""
        expanded = self._beam if self._steps else 1  # at first all hypotheses are the same
        before = seen.scores[0, :expanded, None]
        without = before + seen.log_probabilities[0, :expanded]
        scores = (seen.log_probabilities[0, :expanded] + seen.noise[0, :expanded]) + before
        prefixes = [tuple(prefix[1:]) for prefix in seen.prefixes[0, :expanded].tolist()]
        hypotheses = tuple(
            PartialOutput(self._spelt(prefix), self._log_probabilities[prefix], score)
            for prefix, score in zip(prefixes, seen.scores[0, :expanded].tolist(), strict=True)
        )
        best = _places_of_largest(scores, 2 * self._beam)
        fates = self._fates(best, scores.shape[1])

        def expansion(place: int) -> Expansion:
            number, piece = divmod(place, scores.shape[1])
            log_probability = hypotheses[number].log_probability + seen.log_probabilities[0, number, piece].item()
            self._log_probabilities[(*prefixes[number], piece)] = log_probability
            return Expansion(
                hypothesis=number,
                piece=END_OF_SENTENCE if piece == END else self._pieces[piece],
                log_probability=log_probability,
                noise=seen.noise[0, number, piece].item(),
                score=scores.flatten()[place].item(),
                rank_without=1 + int((without > without.flatten()[place]).sum()),
                fate=fates.get(place, "dropped"),
            )

        unperturbed = _places_of_largest(without, self._beam)
        self._steps.append(BeamStep(hypotheses, tuple(map(expansion, best)), tuple(map(expansion, unperturbed))))

    def _spelt(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._pieces[number] for number in numbers)

    def _fates(self, best: Sequence[int], vocabulary: int) -> dict[int, Literal["kept", "finished", "dropped"]]:
        """What fairseq does with the best expansions: one that ends is finished if it is among the first of them, as many as the
        beam holds, and else dropped; of the others as many as the beam holds are kept.
        """
        fates: dict[int, Literal["kept", "finished", "dropped"]] = {}
        going_on = [place for place in best if place % vocabulary != END]
        fates |= dict.fromkeys(going_on[: self._beam], "kept")
        fates |= {place: "finished" for place in best[: self._beam] if place % vocabulary == END}
        return fates


def _places_of_largest(values: torch.Tensor, count: int) -> list[int]:
    """The places in flattened values of the largest, in descending order; impossible ones are left out."""
    flat = values.flatten()
    found = flat.topk(min(count, len(flat)))
    return [place for place, value in zip(found.indices.tolist(), found.values.tolist(), strict=True) if value > float("-inf")]
