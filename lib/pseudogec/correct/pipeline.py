"""Steps one after the other, and what each of them did to every sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pseudogec.correct.step import Corrected, Progress, Step, Tokens, as_written


@dataclass(frozen=True)
class Trace:
    """A sentence on its way through a system.

    Attributes:
        source: its tokens as they were written.
        steps: each step's name, and the sentence after it.
    """

    source: tuple[str, ...]
    steps: tuple[tuple[str, Corrected], ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence after the last step."""
        return self.steps[-1][1].tokens if self.steps else self.source


def run(steps: Sequence[tuple[str, Step]], sources: Sequence[Tokens], progress: Progress | None = None) -> list[Trace]:
    """Correct sentences by a system.

    Args:
        steps: names and steps, in their order.
        sources: tokenised sentences.
        progress: told how far the step at work is.
    """
    before = as_written(sources)
    stages = []
    for _, step in steps:
        before = step(sources, before, progress)
        stages.append(before)
    names = [name for name, _ in steps]
    return [
        Trace(tuple(source), tuple(zip(names, (stage[place] for stage in stages), strict=True)))
        for place, source in enumerate(sources)
    ]
