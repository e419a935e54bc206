"""The sentences of the classroom: everyday ones, blogs and novels, which come with the project
(`texts/README.md`).

The words of an everyday sentence decide whether learners write it in training, validation,
development or test data, or whether it is seed text. No two sentences of all texts are nearly the
same.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from pydantic import Field

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import read_lines
from pseudogec.corpora.formats import SENTENCE_FORMATS, SentenceFormat
from pseudogec.text import tokenise

Text = Literal["everyday", "blogs", "novels"]
Part = Literal["train", "valid", "dev", "test", "seed"]
_PLACES = {
    "train": (0, 0.4),
    "valid": (0.4, 0.43),
    "dev": (0.43, 0.48),
    "test": (0.48, 0.54),
    "seed": (0.54, 1),
}
"""Where parts begin and end, as shares of the everyday sentences."""


@SENTENCE_FORMATS.register
class ClassroomSentences(SentenceFormat):
    """Seed text of the classroom: sentences that nobody changed, of one kind of text."""

    name = "classroom"
    simulated = True

    text: Text = Field(description="kind of text")


@functools.cache
def classroom_sentences(text: Text, part: Part) -> Sequence[list[str]]:
    """The tokenised sentences of a part, in an order that their words decide; blogs and novels are
    seed text alone.
    """
    files = Path(__file__).with_name("texts")
    if text != "everyday":
        return [line.split() for line in _in_order(list(read_lines(files / f"{text}.txt.xz")))]
    lines = _in_order([line.partition("\t")[0] for line in read_lines(files / "everyday.tsv.xz")])
    start, end = (round(share * len(lines)) for share in _PLACES[part])
    return list(tokenise(lines[start:end]))


def taken(sentences: Sequence[list[str]], first: int, count: int, what: str) -> Sequence[list[str]]:
    """So many sentences from a place on.

    Raises:
        UserError: there are fewer.
    """
    if first + count > len(sentences):
        raise UserError(
            f"{what} of the classroom has {len(sentences):,} sentences; "
            f"{first + count:,} are needed"
        )
    return sentences[first : first + count]


def _in_order(lines: list[str]) -> list[str]:
    return sorted(lines, key=lambda line: blake2b(line.encode(), digest_size=8).digest())
