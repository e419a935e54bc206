"""Corpora as a profile names them: a format, its files, and how to read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from artefacts.errors import UserError
from pseudogec.corpora.annotated import read_annotated, read_bea_json
from pseudogec.corpora.learner_markup import read_lang8, read_nucle
from pseudogec.corpora.line_based import read_jfleg, read_parallel, read_plain
from pseudogec.corpora.pair import Pair
from pseudogec.corpora.raw_text import read_cirrussearch, read_gigaword
from pseudogec.corpora.splits import WHOLE, Share

Item = TypeVar("Item")


class CorpusFiles(BaseModel):
    """Files of a corpus and their format.

    Attributes:
        name: what tables and messages call the corpus.
        format: of sentences ``plain``, ``cirrussearch``, ``gigaword``; of pairs ``parallel`` (source, target), ``jfleg`` (source,
            then references), ``m2``, ``bea_json``, ``lang8``, ``nucle``.
        paths: the files; but for parallel and jfleg they are read one after the other.
        tokenised: for plain and parallel text: tokens with spaces between, or raw text to tokenise.
        annotator: for m2, bea_json and nucle: whose corrections; ``all`` (m2 only) gives a pair for each annotator.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    format: Literal["plain", "cirrussearch", "gigaword", "parallel", "jfleg", "m2", "bea_json", "lang8", "nucle"]
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


def open_sentences(corpus: CorpusFiles, share: Share = WHOLE, told: Callable[[int], None] | None = None) -> Iterator[list[str]]:
    """Yield the grammatical sentences of a corpus: of text all, of pairs the targets.

    Args:
        corpus: its files.
        share: of text, read only these of each file's lines, pages or documents.
        told: of text, called with the number of bytes read since the last call, before decompression.

    Raises:
        UserError: the corpus is empty (found when it has been read).
        DataError: a file is missing or malformed.
    """
    sentences: Iterable[list[str]]
    match corpus.format:
        case "plain":
            sentences = chain.from_iterable(read_plain(path, corpus.tokenised, share, told) for path in corpus.paths)
        case "cirrussearch":
            sentences = chain.from_iterable(read_cirrussearch(path, share, told) for path in corpus.paths)
        case "gigaword":
            sentences = chain.from_iterable(read_gigaword(path, share, told) for path in corpus.paths)
        case _:
            return (pair.target for pair in open_pairs(corpus))
    # A share may well hold nothing of what is read.
    return _refuse_empty(sentences, corpus.name) if share == WHOLE else iter(sentences)


def _pairs(corpus: CorpusFiles) -> Iterator[Pair]:
    match corpus.format:
        case "parallel":
            if len(corpus.paths) != 2:
                raise UserError(
                    f"corpus {corpus.name!r}: parallel text needs 2 paths, source and target, not {len(corpus.paths)}"
                )
            yield from read_parallel(*corpus.paths, tokenised=corpus.tokenised)
        case "jfleg":
            for sentence in read_jfleg(corpus.paths[0], corpus.paths[1:]):
                yield from (Pair(sentence.source, reference) for reference in sentence.references)
        case "m2" | "bea_json" | "lang8" | "nucle":
            for path in corpus.paths:
                yield from _pairs_of_file(path, corpus)
        case _:
            raise UserError(f"corpus {corpus.name!r} is of format {corpus.format}, which holds sentences, not pairs")


def _pairs_of_file(path: Path, corpus: CorpusFiles) -> Iterator[Pair]:
    if corpus.format == "lang8":
        return read_lang8(path)
    if corpus.format == "m2":
        return read_annotated(path, corpus.annotator)
    if corpus.annotator == "all":
        raise UserError(f"corpus {corpus.name!r}: {corpus.format} takes the number of one annotator, not 'all'")
    return read_bea_json(path, corpus.annotator) if corpus.format == "bea_json" else read_nucle(path, corpus.annotator)


def _refuse_empty(items: Iterable[Item], name: str) -> Iterator[Item]:
    empty = True
    for item in items:
        empty = False
        yield item
    if empty:
        raise UserError(f"corpus {name!r} is empty: its files hold no sentence")
