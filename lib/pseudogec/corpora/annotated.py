"""Corpora that are distributed with edits: M2 files and the JSON of the BEA-2019 shared task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines
from pseudogec.corpora.character_edits import CharacterEdit, corrected_sentences
from pseudogec.corpora.pair import Pair, tokenise_pairs
from pseudogec.edits import apply_edits, read_m2


def read_annotated(path: Path | str, annotator: int | Literal["all"] = 0) -> Iterator[Pair]:
    """Yield the pairs of an M2 file.

    Args:
        path: an M2 file, plain or compressed.
        annotator: whose corrections are taken; a sentence that this annotator did not touch is its own correction, as in the
            shared tasks' own conversion. ``"all"``: a pair for each annotator of a sentence.

    Raises:
        DataError: the file cannot be read, a line is malformed, or edits of one annotator overlap.
    """
    for place, sentence in enumerate(read_m2(path), start=1):
        source = list(sentence.source)
        chosen = sorted(sentence.annotators) or [0] if annotator == "all" else [annotator]
        for number in chosen:
            try:
                target = apply_edits(source, sentence.annotators.get(number, ()))
            except UserError as error:
                raise DataError(path, f"sentence {place}, annotator {number}: {error}") from None
            yield Pair(source, target)


def read_bea_json(path: Path | str, annotator: int = 0) -> Iterator[Pair]:
    """Yield the pairs of a corpus in the JSON format of the BEA-2019 shared task (W&I+LOCNESS and FCE).

    A line of the file is a text with edits in characters. Texts are split into sentences, corrected, and tokenised. Where an edit
    crosses the end of a sentence, the two sentences stay one pair. An error that was found but not corrected stays as it is.

    Args:
        path: the file, plain or compressed.
        annotator: whose edits are taken; a text without this annotator is refused.

    Raises:
        DataError: the file cannot be read, or a line is not such a text.
    """
    return tokenise_pairs(_raw_pairs(path, annotator))


class _Text(BaseModel):
    """A line of the file; its other keys (level, first language, ...) are not needed here."""

    text: str
    edits: list[tuple[int, list[tuple[int, int, str | None] | tuple[int, int, str | None, str]]]]  # FCE adds an error type

    def corrections(self, annotator: int) -> list[CharacterEdit]:
        """An annotator's edits in order, without those that give no correction (they may overlap the others)."""
        edits = dict(self.edits)[annotator]
        return sorted((start, end, correction) for start, end, correction, *_ in edits if correction is not None)


def _raw_pairs(path: Path | str, annotator: int) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        try:
            text = _Text.model_validate_json(line)
        except ValidationError as error:
            reason = error.errors()[0]
            where = "".join(f"{key}: " for key in reason["loc"][:1])
            raise DataError(
                path, f"expected a JSON object with 'text' and 'edits' as in BEA-2019 ({where}{reason['msg']})", number
            ) from None
        if annotator not in dict(text.edits):
            raise DataError(path, f"no annotator {annotator}; this text has {sorted(dict(text.edits))}", number)
        try:
            yield from corrected_sentences(text.text, text.corrections(annotator))
        except ValueError as error:
            raise DataError(path, str(error), number) from None
