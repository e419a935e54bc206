"""What a system is made of: steps, each of which goes on from what the one before left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

Tokens = Sequence[str]

Progress = Callable[[int, int], None]
"""Called with sentences done and sentences in all."""

SentenceScorer = Callable[[Sequence[Tokens]], Sequence[float]]
"""How likely a language model holds sentences: the log-probability of each, end of sentence included."""


class Candidate(NamedTuple):
    """One of several corrections of a sentence.

    Attributes:
        pieces: the correction, in pieces.
        score: how much its maker likes it; higher is better.
    """

    pieces: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Corrected:
    """A sentence after a step.

    Attributes:
        tokens: its tokens.
        note: why the step left it so, for people; empty where there is nothing to say.
        candidates: corrections to choose from, best first; empty unless the step made several.
        corrected_pieces: what the candidates are corrections of, in pieces; empty without candidates.
    """

    tokens: tuple[str, ...]
    note: str = ""
    candidates: tuple[Candidate, ...] = ()
    corrected_pieces: tuple[str, ...] = ()


class Step(Protocol):
    """One piece of a system."""

    def __call__(
        self, sources: Sequence[Tokens], before: Sequence[Corrected], progress: Progress | None = None
    ) -> list[Corrected]:
        """Correct sentences further.

        Args:
            sources: the sentences as they were written.
            before: what the steps before made of them, line for line; at first the sources themselves.
            progress: told how far the step is.
        """
        ...


def as_written(sources: Sequence[Tokens]) -> list[Corrected]:
    """What the first step goes on from: the sentences themselves."""
    return [Corrected(tuple(tokens)) for tokens in sources]
