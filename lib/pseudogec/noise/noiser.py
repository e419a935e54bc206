"""What every noising method is: tokens and a random stream in, operations out."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

OperationKind = Literal["keep", "mask", "delete", "insert", "replace", "swap", "shuffle", "spell"]


class Operation(NamedTuple):
    """One step of noising.

    The operations of a sentence cover it in order: their non-empty ``before`` joined by spaces give the grammatical sentence,
    their non-empty ``after`` the noised one.

    Attributes:
        kind: what was done.
        before: the tokens it was done to, joined by spaces; empty for an insertion.
        after: what stands in their place; empty for a deletion.
    """

    kind: OperationKind
    before: str
    after: str


# A text's operations are few and come again and again, so each is made once: to look one up takes a third of the time.
_remembered = functools.lru_cache(maxsize=1 << 16)


@_remembered
def keep(token: str) -> Operation:
    """A token that stays as it is."""
    return Operation("keep", token, token)


@_remembered
def delete(token: str) -> Operation:
    """A token that goes."""
    return Operation("delete", token, "")


@_remembered
def insert(token: str) -> Operation:
    """A token that comes from nowhere."""
    return Operation("insert", "", token)


@_remembered
def mask(token: str, written: str) -> Operation:
    """A token that is masked, and how the mask is written."""
    return Operation("mask", token, written)


class NoiseParameters(BaseModel):
    """What every method takes.

    Attributes:
        sse_rate: rate of synthetic spelling errors per character on top of the method (TASLP section IV-E2: 0.003).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sse_rate: float = Field(0.0, ge=0, le=1, description="synthetic spelling errors per character, on top; the paper's is 0.003")


class Noiser(ABC):
    """A noising method with its parameters and resources, ready to use.

    Subclasses define :meth:`draw`. A noiser holds no random state, may be pickled, and never empties a sentence: when every token
    would go, one of them, drawn with equal chances, stays.
    """

    unit: ClassVar[Literal["piece", "word"]] = "word"
    """What the method is defined on: BPE pieces or words."""

    @abstractmethod
    def draw(self, tokens: Sequence[str], random: np.random.Generator) -> list[Operation]:
        """Draw the operations of a sentence of at least one token; deleting everything is allowed here."""

    def operations(self, tokens: Sequence[str], random: np.random.Generator) -> list[Operation]:
        """Noise a sentence and tell what was done to it.

        Args:
            tokens: a grammatical sentence.
            random: the sentence's random stream.

        Returns:
            Operations that cover the sentence in order; none for an empty sentence.
        """
        if not tokens:
            return []
        operations = self.draw(tokens, random)
        if not any(operation.after for operation in operations):
            covering = [number for number, operation in enumerate(operations) if operation.before]
            survivor = covering[int(random.integers(len(covering)))]
            operations[survivor] = keep(operations[survivor].before)
        return operations

    def __call__(self, tokens: Sequence[str], random: np.random.Generator) -> list[str]:
        """Noise a sentence.

        Args:
            tokens: a grammatical sentence.
            random: the sentence's random stream.

        Returns:
            The ungrammatical sentence; empty only when ``tokens`` is.
        """
        return noised_tokens(self.operations(tokens, random))

    def target(self, tokens: Sequence[str], operations: Sequence[Operation], random: np.random.Generator) -> list[str]:
        """The target that belongs to a noised source: the grammatical sentence itself, but for the authors' quirk.

        Args:
            tokens: the grammatical sentence.
            operations: what :meth:`operations` made of it.
            random: the sentence's random stream, after that call.
        """
        return list(tokens)


def noised_tokens(operations: Iterable[Operation]) -> list[str]:
    """The tokens that operations leave."""
    tokens = [after for _, _, after in operations if after]
    text = " ".join(tokens)
    several = text.count(" ") >= len(tokens) > 0  # an operation has left several tokens
    return text.split(" ") if several else tokens
