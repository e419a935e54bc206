"""UA-GEC (Syvokon et al. 2023): texts of native and other writers of Ukrainian with their
corrections, read from its package.

The package's training documents are divided by their authors into pairs to train on, pairs for
validation, and documents whose corrected side is seed text. A document whose text was there before
is left out, so that none is in two parts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Literal
from zipfile import BadZipFile, ZipFile

from pydantic import Field

from pseudogec.artefacts.errors import DataError
from pseudogec.corpora.formats import (
    PAIR_FORMATS,
    SENTENCE_FORMATS,
    CorrectedSentence,
    FilePairs,
    FileSentences,
    Pair,
)
from pseudogec.corpora.sampling import WHOLE, Share
from pseudogec.edits import AnnotatedSentence, Edit, load_annotator

_PLACES = {"train": (0, 0.42), "valid": (0.42, 0.46), "seed": (0.46, 1), "test": (0, 1)}
"""Where the parts of the training documents, and of the test documents, begin and end, as shares of
their authors.
"""
_SENTENCES = {"train": 11_964, "valid": 1_334, "test": 2_676}
_MARKED = re.compile(r"\{([^{}]*)=>([^{}]*?):::error_type=([^{}]*?)\}")
_TYPES = {"Spelling": "SPELL", "Punctuation": "PUNCT"}

Sentences = list[list[str]]


def _documents(
    path: Path, part: str
) -> Iterator[tuple[str, Sentences, list[tuple[Sentences, str]]]]:
    """Yield the writer's level, the source, and of each annotator the target and the text in which
    the corrections are marked.
    """
    known: set[str] = set()
    try:
        with ZipFile(path) as package:

            def read(name: str) -> str:
                return package.read(f"ua_gec/data/{name}").decode()

            for row in sorted(
                csv.DictReader(read("metadata.csv").splitlines()), key=lambda row: row["partition"]
            ):
                folder, number = f"gec-only/{row['partition']}", row["id"]
                source = read(f"{folder}/source-sentences-tokenized/{number}.src.txt")
                place = (
                    int(blake2b(row["author_id"].encode(), digest_size=8).hexdigest(), 16) / 2**64
                )
                is_wanted = (row["partition"] == "test") is (part == "test") and _PLACES[part][
                    0
                ] <= place < _PLACES[part][1]
                if is_wanted and source not in known:
                    names = [f"{number}.a{annotator}" for annotator in row["annotator_id"].split()]
                    targets = [
                        _split(read(f"{folder}/target-sentences-tokenized/{name}.txt"))
                        for name in names
                    ]
                    marked = [read(f"{folder}/annotated/{name}.ann") for name in names]
                    yield (
                        "native" if row["is_native"] == "1" else "learner",
                        _split(source),
                        [*zip(targets, marked, strict=True)],
                    )
                known.add(source)
    except (OSError, KeyError, BadZipFile) as error:
        raise DataError(
            path, f"is not the package of UA-GEC, ua_gec-2.1.3-py3-none-any.whl ({error})"
        ) from None


def _split(text: str) -> Sentences:
    return [line.split() for line in text.splitlines()]


@PAIR_FORMATS.register
class UaGec(FilePairs):
    """Pairs of UA-GEC's documents, from its package. Training pairs have the first annotator's
    corrections, test pairs all.

    Grammar alone is corrected, not style. Edits are those of the annotator without types; each has
    the type of the correction of the same words that UA-GEC marks in the document.
    """

    name = "ua-gec"
    quickly_counted = True

    part: Literal["train", "valid", "test"] = Field(
        description="disjoint parts; `test` is the package's own"
    )

    @property
    def expected_sentences(self) -> float:
        return self.sentences or _SENTENCES[self.part]

    def read_file(self, path: Path) -> Iterator[CorrectedSentence]:
        annotator = load_annotator("untyped")
        for level, sources, corrected in _documents(path, self.part):
            edits = [
                [
                    _typed(source, untyped, marked)
                    for source, untyped in zip(
                        sources, annotator.annotate(sources, target), strict=True
                    )
                ]
                for target, marked in corrected[: None if self.part == "test" else 1]
            ]
            for source, target, *gold in zip(sources, corrected[0][0], *edits, strict=True):
                yield CorrectedSentence(
                    Pair(source, target),
                    level,
                    AnnotatedSentence(tuple(source), dict(enumerate(gold))),
                )


def _typed(source: list[str], edits: tuple[Edit, ...], marked: str) -> tuple[Edit, ...]:
    types = {
        tuple("".join(side.split()) for side in match.groups()[:2]): match[3]
        for match in _MARKED.finditer(marked)
    }

    def type_of(edit: Edit) -> str:
        sides = "".join(source[edit.start : edit.end]), edit.correction.replace(" ", "")
        marked = types.get(
            sides, "OTHER" if any(map(str.isalnum, "".join(sides))) else "Punctuation"
        )
        return f"{edit.type[0]}:{_TYPES.get(marked, marked.replace('/', ':').upper())}"

    return tuple(replace(edit, type=type_of(edit)) for edit in edits)


@SENTENCE_FORMATS.register
class UaGecSentences(FileSentences):
    """The corrected side of documents of UA-GEC that are in no pair."""

    name = "ua-gec"

    def read_file(
        self, path: Path, share: Share = WHOLE, on_read: Callable[[int], None] | None = None
    ) -> Iterator[list[str]]:
        for place, (_, _, corrected) in enumerate(_documents(path, "seed")):
            if share.takes(place):
                yield from corrected[0][0]
