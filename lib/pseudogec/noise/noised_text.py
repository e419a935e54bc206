"""Pairs that a text method makes from grammatical text: genuine data for a study without learners'
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, SerializeAsAny, field_validator

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import read_lines
from pseudogec.corpora import (
    PAIR_FORMATS,
    CorrectedSentence,
    FilePairs,
    Pair,
    is_clean_seed_text,
    read_plain,
)
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.noise.method import METHODS, Method, Operation, TextMethod, noised_tokens
from pseudogec.noise.noiser import Noiser
from pseudogec.noise.resources import NoiseResources
from pseudogec.random_streams import SentenceStreams
from pseudogec.text import tokenise

_TYPES = {"spell": "SPELL", "swap": "WO"}


@PAIR_FORMATS.register
class NoisedText(FilePairs):
    """Grammatical text, one tokenised sentence a line: a method makes the source, and the sentence
    is the target.

    Of a file of tab-separated columns (``.tsv``, or ``.tsv.xz`` and the like) the first one is
    read, which is not tokenised.

    With ``only`` and ``without`` of a file, some sentences are kept for validation. The edits are
    known, so no annotator is needed.
    """

    name = "noised"
    added_later: ClassVar[frozenset[str]] = FilePairs.added_later | {"open_ended"}

    method: Annotated[
        SerializeAsAny[Method], BeforeValidator(METHODS.parse), PlainSerializer(METHODS.dump)
    ] = Field(description="a text method that learns from no corpus, such as `rules`")
    clean: bool = Field(
        False, description="leave out sentences that the authors' filter of seed text drops"
    )
    longest: int | None = Field(None, ge=1, description="sentences of more tokens are left out")
    seed: int = Field(1, description="of the random streams, one for each sentence")
    open_ended: float = Field(
        0.0,
        ge=0,
        le=1,
        description="share of sentences that both sides cut at a comma or before their last mark, "
        "as greetings and headings are",
    )

    @field_validator("method")
    @classmethod
    def _learns_nothing(cls, method: Method) -> Method:
        if not isinstance(method, TextMethod):
            raise ValueError(f"`{method.known_as()}` needs a model; name a text method")
        try:
            method.learn(NoiseResources())
        except UserError:
            raise ValueError(
                f"`{method.known_as()}` learns from a corpus; name a method that learns from none"
            ) from None
        return method

    def read_file(self, path: Path) -> Iterator[Pair]:
        """Yield the sentences of a file as pairs without errors; `read` makes the errors."""
        columns = ".tsv" in path.suffixes
        texts = (line.partition("\t")[0] for line in read_lines(path))
        sentences = tokenise(texts, self.language) if columns else read_plain(path)
        for sentence in sentences:
            if self._takes(sentence):
                yield Pair(sentence, sentence)

    def _takes(self, sentence: list[str]) -> bool:
        if not sentence or (self.longest is not None and len(sentence) > self.longest):
            return False
        return not self.clean or is_clean_seed_text(" ".join(sentence), self.language)

    def read(self) -> Iterator[CorrectedSentence]:
        assert isinstance(self.method, TextMethod)  # by the field's check
        noiser, streams = (
            Noiser(self.method, NoiseResources(language=self.language)),
            SentenceStreams(self.seed),
        )
        for place, sentence in enumerate(super().read()):
            random, target = streams[place], sentence.pair.target
            if self.open_ended and random.random() < self.open_ended:
                target = _open_ended(target, random)
            operations = noiser.operations(target, random)
            annotated = AnnotatedSentence(
                tuple(noised_tokens(operations)), {0: tuple(_corrections(operations))}
            )
            yield sentence._replace(pair=Pair(list(annotated.source), target), annotated=annotated)


def _open_ended(sentence: list[str], random: np.random.Generator) -> list[str]:
    """The sentence up to one of its commas, included or not, or without its last mark."""
    ends = [
        place + keeps
        for place, token in enumerate(sentence)
        if token == "," and place
        for keeps in (0, 1)
    ]
    if len(sentence) > 1 and not sentence[-1][-1].isalnum():
        ends.append(len(sentence) - 1)
    return sentence[: random.choice(ends)] if ends else sentence


def _corrections(operations: Iterable[Operation]) -> Iterator[Edit]:
    """The edits that undo operations, in order; their types are those that follow from the kind of
    operation.
    """
    place = 0
    for kind, before, after in operations:
        end = place + len(after.split())
        if before != after:
            step = "R" if before and after else "M" if before else "U"
            yield Edit(place, end, before, f"{step}:{_TYPES.get(kind, 'OTHER')}")
        place = end
