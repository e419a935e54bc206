"""Learners of several levels, whose errors rules make: a noising method, and the pairs of the
classroom that it makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from pseudogec.corpora import PAIR_FORMATS, CorrectedSentence, Pair, PairFormat
from pseudogec.corpora.classroom import Part, classroom_sentences, taken
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.noise.learner_levels import Level
from pseudogec.noise.method import METHODS, Operation, TextMethod, noised_tokens
from pseudogec.noise.resources import NoiseResources
from pseudogec.noise.rules import RuleNoise
from pseudogec.random_streams import SentenceStreams

LEVELS: tuple[Level, ...] = ("A", "B", "C", "N")
SHARES = (0.35, 0.35, 0.2, 0.1)
"""Of each level in the classroom."""

Learnt = dict[Level, tuple[RuleNoise, Any]]


@METHODS.register
class LearnerNoise(TextMethod):
    """Each sentence is written by a learner of a level, with `RuleNoise` at this level's rates."""

    name = "learners"
    label = "Learners' rules"
    needed_parts: ClassVar[tuple[str, ...]] = ("handbook",)
    learns = False
    colour = "#C3B469"
    summary = (
        "the errors of the classroom's learners: rules at rates fitted to counts of W&I, by level"
    )

    level: Level | None = Field(
        None, description="of all learners; by default each sentence has a learner of its own"
    )

    def learn(self, resources: NoiseResources) -> Learnt:
        methods = {
            level: RuleNoise.model_validate({"level": level})
            for level in ((self.level,) if self.level else LEVELS)
        }
        return {level: (method, method.learn(resources)) for level, method in methods.items()}

    def draw(
        self, tokens: Sequence[str], learnt: Learnt, random: np.random.Generator
    ) -> list[Operation]:
        return [operation for operation, _ in self.draw_typed(tokens, learnt, random)[1]]

    def draw_typed(
        self, tokens: Sequence[str], learnt: Learnt, random: np.random.Generator
    ) -> tuple[Level, list[tuple[Operation, str]]]:
        """The level of the learner, and the operations of `draw` with the main ERRANT types of
        their errors.
        """
        level = self.level or LEVELS[int(random.choice(len(LEVELS), p=SHARES))]
        method, words = learnt[level]
        return level, method.draw_typed(tokens, words, random)


@PAIR_FORMATS.register
class ClassroomPairs(PairFormat):
    """Everyday sentences with learners' errors, made by rules at the rates of the learner's level.
    Every true edit is known.
    """

    name = "classroom"
    simulated = True
    added_later: ClassVar[frozenset[str]] = frozenset({"level"})

    split: Part = Field(description="disjoint parts of the everyday sentences")
    sentences: int = Field(gt=0, description="number of pairs; fewer are the first of more")
    level: Level | None = Field(
        None, description="of all learners; by default each sentence has a learner of its own"
    )

    @property
    def expected_sentences(self) -> float:
        return self.sentences

    def read(self) -> Iterator[CorrectedSentence]:
        sentences = taken(
            classroom_sentences("everyday", self.split), 0, self.sentences, f"the part {self.split}"
        )
        return learner_sentences(sentences, f"classroom {self.split}", self.level)


def learner_sentences(
    sentences: Iterable[list[str]], seed: str, level: Level | None = None
) -> Iterator[CorrectedSentence]:
    """What learners write for grammatical sentences, with the true types of their errors; a random
    stream for each sentence.
    """
    learners, streams = LearnerNoise.model_validate({"level": level}), SentenceStreams(seed)
    learnt = learners.learn(NoiseResources())
    for place, tokens in enumerate(sentences):
        of_learner, typed = learners.draw_typed(tokens, learnt, streams[place])
        source = noised_tokens(operation for operation, _ in typed)
        edits = tuple(_edits(typed))
        if source:
            yield CorrectedSentence(
                Pair(source, tokens), of_learner, AnnotatedSentence(tuple(source), {0: edits})
            )


def _edits(typed: Iterable[tuple[Operation, str]]) -> Iterator[Edit]:
    """The edits that undo operations, in order, without words that stay at their beginning and
    end.
    """
    place = 0
    for (_, before, after), kind in typed:
        right, written = before.split(), after.split()
        start, end = place, place + len(written)
        place = end
        if before == after:
            continue
        while right and written and right[-1] == written[-1]:
            right, written, end = right[:-1], written[:-1], end - 1
        while right and written and right[0] == written[0]:
            right, written, start = right[1:], written[1:], start + 1
        step = _step(before.lower(), after.lower())
        yield Edit(start, end, " ".join(right), f"{step}:{kind}")


def _step(right: str, written: str) -> str:
    """Whether words are missing (M), unnecessary (U) or replaced (R), the capital of a sentence's
    first word aside.
    """
    if not written or right.startswith(f"{written} ") or right.endswith(f" {written}"):
        return "M"
    return (
        "U"
        if not right or written.startswith(f"{right} ") or written.endswith(f" {right}")
        else "R"
    )
