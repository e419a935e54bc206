"""Methods that make errors: one class for each, whose fields are its parameters.

A `TextMethod` changes the tokens of a sentence at random; in a `DecoderMethod` a reverse model
translates the sentence into text as learners might write it. A profile names a method by its
registered name or as ``package.module:Class``.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field

from pseudogec.artefacts.kinds import Component, Registry
from pseudogec.languages import PARTS

if TYPE_CHECKING:
    import numpy as np

    from pseudogec.noise.resources import NoiseResources
    from pseudogec.random_streams import SentenceStreams
    from pseudogec.seq2seq import Decoder, Hypothesis

    Search = Callable[..., Sequence[Sequence[Hypothesis]]]

OperationKind = Literal["keep", "mask", "delete", "insert", "replace", "swap", "shuffle", "spell"]


class Operation(NamedTuple):
    """One step of noising.

    The operations of a sentence cover it in order: their non-empty ``before`` joined by spaces give
    the grammatical sentence, their non-empty ``after`` the noised one.
    """

    kind: OperationKind
    before: str  # tokens joined by spaces; empty for an insertion
    after: str  # in their place; empty for a deletion


# A text has few distinct operations, each many times; looking one up takes a third of the time of
# making it.
_remembered = functools.lru_cache(maxsize=1 << 16)


@_remembered
def keep(token: str) -> Operation:
    return Operation("keep", token, token)


@_remembered
def delete(token: str) -> Operation:
    return Operation("delete", token, "")


@_remembered
def insert(token: str) -> Operation:
    return Operation("insert", "", token)


@_remembered
def mask(token: str, written: str) -> Operation:
    """A token that is masked, with the mask token; spelling errors do not change masks."""
    return Operation("mask", token, written)


def noised_tokens(operations: Iterable[Operation]) -> list[str]:
    tokens = [after for _, _, after in operations if after]
    text = " ".join(tokens)
    several = text.count(" ") >= len(tokens) > 0  # an operation has left several tokens
    return text.split(" ") if several else tokens


class Method(Component):
    """A way to make errors in grammatical text. Derive from `TextMethod` or `DecoderMethod`."""

    label: ClassVar[str]  # in tables and figures
    summary: ClassVar[str]  # the method and its source, in a line
    colour: ClassVar[str]  # in every figure, as #RRGGBB
    # With spelling errors on top; None: figures choose one
    colour_with_sse: ClassVar[str | None] = None

    needed_parts: ClassVar[tuple[str, ...]] = ()  # of the language (`languages.PARTS`)

    sse_rate: float = Field(
        0.0,
        ge=0,
        le=1,
        description="synthetic spelling errors per character, on top; the paper's is 0.003",
    )

    @property
    def needs_of_language(self) -> tuple[str, ...]:
        """The `needed_parts` that these parameters need."""
        return self.needed_parts

    @property
    def numbers(self) -> dict[str, float]:
        """The parameters that are numbers, by name: columns of the tidy table."""
        values = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {
            name: float(value)
            for name, value in values
            if isinstance(value, int | float) and not isinstance(value, bool)
        }

    def changed(self, **values: Any) -> Self:
        """The method with other values; those that depend on them, as ``mu_del`` on ``mu_mask``,
        are derived anew.

        Raises:
            ValidationError: there is no such parameter, or a value is impossible.
        """
        return type(self).model_validate(
            {**self.model_dump(include=self.model_fields_set), **values}
        )


METHODS = Registry(Method, "method")


class TextMethod(Method):
    """A method that changes the tokens of a sentence at random.

    A `Noiser` applies it: it joins and splits subwords, adds synthetic spelling errors, and keeps
    sentences from becoming empty.
    """

    unit: ClassVar[Literal["subword", "word"]] = "word"
    needs_pairs: ClassVar[bool] = False  # to learn from, not grammatical text alone
    learns: ClassVar[bool] = True  # from genuine data; otherwise all tracks share its pseudo data

    def learn(self, resources: NoiseResources) -> Any:
        """Learn from genuine data, once for a text; the result, which must be picklable, is passed
        to `draw`.

        Raises:
            UserError: the resources lack what the method learns from.
        """
        return None

    @abstractmethod
    def draw(
        self, tokens: Sequence[str], learnt: Any, random: np.random.Generator
    ) -> list[Operation]:
        """Draw the operations of a sentence.

        Args:
            tokens: a grammatical sentence of at least one token.
            learnt: what `learn` returned.
            random: the sentence's random stream, the only source of chance.

        Returns:
            Operations that cover the sentence in order; they may delete all of it.
        """

    def draw_block(
        self, sentences: Sequence[Sequence[str]], learnt: Any, streams: SentenceStreams, first: int
    ) -> tuple[list[list[str]], Counter[str]] | None:
        """Noise many sentences in one computation, for methods of this project that can do so
        faster than `draw`.

        Args:
            sentences: grammatical sentences, whose tokens are those on which the method is defined.
            learnt: what `learn` returned.
            streams: the random streams; that of the first sentence has the index ``first``.

        Returns:
            For each sentence the tokens that the operations of `draw` give, and empty ones where
            every token would be deleted; and how often each kind of operation occurs, without those
            of sentences that would be empty. None: `draw` must do it.
        """
        return None

    def target(
        self, tokens: Sequence[str], operations: Sequence[Operation], random: np.random.Generator
    ) -> list[str]:
        """The target of a noised source: the grammatical sentence itself, except with ``legacy`` of
        `DirectNoise`.

        The random stream is that from which the operations were drawn.
        """
        return list(tokens)


class DecoderMethod(Method):
    """A method in which a reverse model, trained from correct to ungrammatical text, translates
    each sentence.
    """

    @abstractmethod
    def search(self, decoder: Decoder) -> Search:
        """The search of the reverse model that this method makes, such as `Decoder.decode` with its
        options.
        """

    def choose(self, hypotheses: Sequence[Hypothesis]) -> Hypothesis:
        """The one of the hypotheses, ordered from best to worst, that becomes the ungrammatical
        sentence.
        """
        return hypotheses[0]

    def translate(
        self,
        decoder: Decoder,
        sentences: Sequence[Sequence[str]],
        seed: int,
        first_index: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[list[str]]:
        """An ungrammatical sentence, in subwords, for each grammatical one.

        ``seed`` and the place of a sentence in the text (``first_index`` is that of the first)
        decide all random numbers.
        """
        n_best_lists = self.search(decoder)(
            sentences, seed=seed, first_index=first_index, progress=progress
        )
        return [self.choose(hypotheses).subwords for hypotheses in n_best_lists]


def describe(method: type[Method]) -> Iterator[str]:
    needs = (
        (f"; the language must have {' and '.join(map(PARTS.__getitem__, parts))}")
        if (parts := method.needed_parts)
        else ""
    )
    yield f"{method.known_as()}: {method.summary}{needs}"
    for parameter, field in method.model_fields.items():
        default = (
            "" if field.is_required() or field.default is None else f"; default {field.default}"
        )
        yield f"    {parameter}: {field.description}{default}"
