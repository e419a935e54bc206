"""Pairs that a text method makes from grammatical text: genuine data for a study without learners' text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, SerializeAsAny, field_validator

from artefacts.errors import UserError
from pseudogec.corpora import PAIR_FORMATS, CorrectedSentence, FilePairs, Pair, is_clean_seed_text, read_plain
from pseudogec.edits import AnnotatedSentence, Edit
from pseudogec.noise.method import METHODS, Method, Operation, TextMethod, noised_tokens
from pseudogec.noise.noiser import Noiser
from pseudogec.noise.resources import NoiseResources
from pseudogec.random_streams import SentenceStreams

_TYPES = {"spell": "SPELL", "swap": "WO"}


@PAIR_FORMATS.register
class NoisedText(FilePairs):
    """Grammatical text, one tokenised sentence a line: a method makes the source, and the sentence is the target.

    With ``only`` and ``without`` of a file, some sentences are kept for validation. The edits are known, so no annotator
    is needed.
    """

    name = "noised"

    method: Annotated[SerializeAsAny[Method], BeforeValidator(METHODS.parse), PlainSerializer(METHODS.dump)] = Field(
        description="a text method that learns from no corpus, such as `rules`"
    )
    clean: bool = Field(False, description="leave out sentences that the authors' filter of seed text drops")
    longest: int | None = Field(None, ge=1, description="sentences of more tokens are left out")
    seed: int = Field(1, description="of the random streams, one for each sentence")

    @field_validator("method")
    @classmethod
    def _learns_nothing(cls, method: Method) -> Method:
        if not isinstance(method, TextMethod):
            raise ValueError(f"`{method.known_as()}` needs a model; name a text method")
        try:
            method.learn(NoiseResources())
        except UserError:
            raise ValueError(f"`{method.known_as()}` learns from a corpus; name a method that learns from none") from None
        return method

    def read_file(self, path: Path) -> Iterator[Pair]:
        """Yield the sentences of a file as pairs without errors; `read` makes the errors."""
        for sentence in read_plain(path):
            if self._takes(sentence):
                yield Pair(sentence, sentence)

    def _takes(self, sentence: list[str]) -> bool:
        if not sentence or (self.longest is not None and len(sentence) > self.longest):
            return False
        return not self.clean or is_clean_seed_text(" ".join(sentence))

    def read(self) -> Iterator[CorrectedSentence]:
        assert isinstance(self.method, TextMethod)  # by the field's check
        noiser, streams = Noiser(self.method, NoiseResources()), SentenceStreams(self.seed)
        for place, sentence in enumerate(super().read()):
            target = sentence.pair.target
            operations = noiser.operations(target, streams[place])
            annotated = AnnotatedSentence(tuple(noised_tokens(operations)), {0: tuple(_corrections(operations))})
            yield sentence._replace(pair=Pair(list(annotated.source), target), annotated=annotated)


def _corrections(operations: Iterable[Operation]) -> Iterator[Edit]:
    """The edits that undo operations, in order; their types are those that follow from the kind of operation."""
    place = 0
    for kind, before, after in operations:
        end = place + len(after.split())
        if before != after:
            step = "R" if before and after else "M" if before else "U"
            yield Edit(place, end, before, f"{step}:{_TYPES.get(kind, 'OTHER')}")
        place = end
