"""Corpora as a profile names them: a format, its files, and how to read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from pseudogec.corpora.annotated import read_annotated, read_bea_json
from pseudogec.corpora.line_based import read_jfleg, read_parallel, read_plain
from pseudogec.corpora.pair import Pair
from pseudogec.errors import UserError

Item = TypeVar("Item")


class CorpusFiles(BaseModel):
    """Files of a corpus and their format.

    Attributes:
        name: what tables and messages call the corpus.
        format: ``plain`` (sentences), ``parallel`` (first source, then target file), ``m2``, ``bea_json``, or ``jfleg`` (source,
            then references).
        paths: the files; plain, m2 and bea_json files are read one after the other.
        tokenised: for plain and parallel text: tokens with spaces between, or raw text to tokenise.
        annotator: for m2 and bea_json: whose corrections; ``all`` (m2 only) gives a pair for each annotator.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    format: Literal["plain", "parallel", "m2", "bea_json", "jfleg"]
    paths: tuple[Path, ...] = Field(min_length=1)
    tokenised: bool = True
    annotator: int | Literal["all"] = 0


def open_pairs(corpus: CorpusFiles) -> Iterator[Pair]:
    """Yield the pairs of a corpus; JFLEG gives a pair for each reference.

    Raises:
        UserError: the corpus is empty (found when it has been read), its format holds no pairs, or parallel text lacks a file.
        DataError: a file is missing or malformed.
    """
    return _refuse_empty(_pairs(corpus), corpus.name)


def open_sentences(corpus: CorpusFiles) -> Iterator[list[str]]:
    """Yield the grammatical sentences of a corpus: of plain text all, of pairs the targets.

    Raises:
        UserError: the corpus is empty (found when it has been read).
        DataError: a file is missing or malformed.
    """
    if corpus.format != "plain":
        return (pair.target for pair in open_pairs(corpus))
    return _refuse_empty((tokens for path in corpus.paths for tokens in read_plain(path, corpus.tokenised)), corpus.name)


def _pairs(corpus: CorpusFiles) -> Iterator[Pair]:
    match corpus.format:
        case "parallel":
            if len(corpus.paths) != 2:
                raise UserError(
                    f"corpus {corpus.name!r}: parallel text needs 2 paths, source and target, not {len(corpus.paths)}"
                )
            yield from read_parallel(*corpus.paths, tokenised=corpus.tokenised)
        case "m2":
            for path in corpus.paths:
                yield from read_annotated(path, corpus.annotator)
        case "bea_json":
            if corpus.annotator == "all":
                raise UserError(f"corpus {corpus.name!r}: bea_json takes the number of one annotator, not 'all'")
            for path in corpus.paths:
                yield from read_bea_json(path, corpus.annotator)
        case "jfleg":
            for sentence in read_jfleg(corpus.paths[0], corpus.paths[1:]):
                yield from (Pair(sentence.source, reference) for reference in sentence.references)
        case "plain":
            raise UserError(
                f"corpus {corpus.name!r} is plain text and holds no pairs; pairs come from parallel, m2, bea_json or jfleg"
            )


def _refuse_empty(items: Iterable[Item], name: str) -> Iterator[Item]:
    empty = True
    for item in items:
        empty = False
        yield item
    if empty:
        raise UserError(f"corpus {name!r} is empty: its files hold no sentence")
