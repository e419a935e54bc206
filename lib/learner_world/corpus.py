"""Corpora of the simulated world: seed text in three registers, and learners' sentences with their true corrections.

Everything here is made by a program: no sentence was written by a person, and every correction is known because the mistake was
made on purpose. Sentence *i* of a stream depends only on the seed and *i*. The words of a right sentence determine the part
(train, valid, test) that it can belong to, so no sentence of valid or test occurs in train or in the seed text, for any seeds.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from learner_world.draws import Choice, Draws, Streams
from learner_world.mistakes import LEVELS, Edit, make_mistakes, typed, write_wrong
from learner_world.noun_phrases import Writer
from learner_world.registers import LEARNER, REGISTERS, Register
from learner_world.sentences import write_sentence
from learner_world.tokens import Token
from learner_world.words import Words

SHORTEST, LONGEST = 4, 60
"""Sentences with fewer or more tokens are skipped."""

SPLITS = ("train", "valid", "test")
_VALID_SHARE, _TEST_SHARE = 0.12, 0.12

LEVEL_SHARES: Mapping[str, float] = {"A": 0.35, "B": 0.35, "C": 0.2, "N": 0.1}
"""Shares of the levels in a learner corpus, unless the caller says otherwise."""


@dataclass(frozen=True)
class LearnerSentence:
    """A simulated learner's sentence.

    Attributes:
        source: what the learner wrote.
        target: the right sentence.
        edits: the corrections with their true ERRANT types; applied to ``source`` they give ``target``.
        level: A, B, C (CEFR) or N (native).
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    edits: tuple[Edit, ...]
    level: str


def seed_sentences(register: str, count: int, seed: int = 1) -> Iterator[list[str]]:
    """Sentences of a register, hardly ever the same twice; a longer request begins with the shorter one's sentences.

    Args:
        register: ``simple``, ``encyclopedic`` or ``newswire``.
        count: how many.
        seed: another seed gives other sentences.

    Raises:
        ValueError: no such register.
    """
    if register not in REGISTERS:
        raise ValueError(
            f"no register {register!r} in the simulated world; there are {', '.join(REGISTERS)}"
        )
    yield from _texts(REGISTERS[register], count, seed)


def _texts(register: Register, count: int, seed: int) -> Iterator[list[str]]:
    for texts, _, draws in _right_sentences(register, f"{register.name} {seed}", "train", count):
        yield blemished(texts, register, draws)


def learner_sentences(
    count: int,
    split: Literal["train", "valid", "test"],
    seed: int = 1,
    levels: Mapping[str, float] | None = None,
) -> Iterator[LearnerSentence]:
    """Learners' sentences with corrections; targets are distinct, and some sentences have no mistake.

    Args:
        count: how many.
        split: no target of one split occurs in another, nor one of valid and test in the seed text.
        seed: another seed gives other sentences.
        levels: weights of the levels (A, B, C, N); default ``LEVEL_SHARES``.

    Raises:
        ValueError: no such split or level.
    """
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}; there are {', '.join(SPLITS)}")
    weights = dict(levels or LEVEL_SHARES)
    if (
        not weights
        or set(weights) - set(LEVELS)
        or min(weights.values()) < 0
        or not any(weights.values())
    ):
        raise ValueError(
            f"levels must give non-negative weights to some of {', '.join(LEVELS)}, not all 0; got {weights}"
        )
    choice = Choice(list(weights), list(weights.values()))
    for texts, tokens, draws in _right_sentences(LEARNER, f"learner {split} {seed}", split, count):
        level = draws.pick(choice)
        mistakes = [typed(mistake) for mistake in make_mistakes(tokens, level, draws)]
        source, edits = write_wrong(tokens, mistakes)
        yield LearnerSentence(tuple(source), tuple(texts), tuple(edits), level)


def _right_sentences(
    register: Register, stream: str, split: str, count: int
) -> Iterator[tuple[list[str], list[Token], Draws]]:
    """Distinct right sentences of a split, with their annotated tokens and the rest of their random draws."""
    streams, words = Streams(stream), _words(register.name)
    seen: set[bytes] = set()
    index = 0
    while len(seen) < count:
        draws = Draws(streams[index])
        index += 1
        tokens = write_sentence(Writer(register, words, draws))
        if not SHORTEST <= len(tokens) <= LONGEST:
            continue
        texts = [token.text for token in tokens]
        digest = hashlib.blake2b(" ".join(texts).lower().encode(), digest_size=10).digest()
        if digest in seen or _split_of(digest) != split:
            continue
        seen.add(digest)
        yield texts, tokens, draws


def _split_of(digest: bytes) -> str:
    share = digest[0] / 256 + digest[1] / 65536
    return (
        "test"
        if share < _TEST_SHARE
        else "valid"
        if share < _TEST_SHARE + _VALID_SHARE
        else "train"
    )


@functools.cache
def _words(register: str) -> Words:
    return Words(LEARNER if register == LEARNER.name else REGISTERS[register])


def blemished(texts: list[str], register: Register, draws: Draws) -> list[str]:
    """Sometimes a trace of careless extraction, as in seed text: empty brackets, a cut sentence, a dateline, no final mark."""
    if not draws.chance(register.blemishes):
        return texts
    match int(draws.uniform() * 4):
        case 0:
            place = 1 + int(draws.uniform() * (len(texts) - 1))
            return [*texts[:place], "(", ")", *texts[place:]]
        case 1:
            return texts[: max(SHORTEST, len(texts) - 3)]
        case 2:
            return ["-", *texts]
        case _:
            return texts[:-1]
