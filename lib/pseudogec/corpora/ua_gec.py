"""UA-GEC (Syvokon et al. 2023): texts of native and other writers of Ukrainian with their corrections, read from its package.

The package's training documents are divided by their authors into pairs to train on, pairs for validation, and documents whose
corrected side is seed text. A document whose text was there before is left out, so that none is in two parts.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Literal, NamedTuple
from zipfile import BadZipFile, ZipFile

from pydantic import Field

from pseudogec.artefacts.errors import DataError
from pseudogec.corpora.formats import PAIR_FORMATS, SENTENCE_FORMATS, CorrectedSentence, FilePairs, FileSentences, Pair
from pseudogec.corpora.sampling import WHOLE, Share
from pseudogec.edits import AnnotatedSentence, Edit, load_annotator

Layer = Literal["gec-only", "gec-fluency"]
_PLACES = {"train": (0, 0.42), "valid": (0.42, 0.46), "seed": (0.46, 1)}
"""Where the parts of the training documents begin and end, as shares of their authors."""
_SENTENCES = {"train": 11_964, "valid": 1_334, "test": 2_676}
_MARKED = re.compile(r"\{([^{}]*)=>[^{}]*?:::error_type=([^{}]*?)\}")
_SPACES = re.compile(r"\s|\\n")
_TYPES = {"Spelling": "SPELL", "Punctuation": "PUNCT"}


class _Document(NamedTuple):
    """Sentences as tokens with spaces between, and the text in which each annotator's corrections are marked."""

    native: bool
    source: list[str]
    targets: list[list[str]]
    marked: list[str]


def _documents(path: Path, layer: Layer, part: str) -> Iterator[_Document]:
    known: set[str] = set()
    try:
        with ZipFile(path) as package:

            def read(name: str) -> str:
                return package.read(f"ua_gec/data/{name}").decode()

            rows = list(csv.DictReader(io.StringIO(read("metadata.csv"))))
            for row in sorted(rows, key=lambda row: row["partition"] != "test"):
                folder, number = f"{layer}/{row['partition']}", row["id"]
                source = read(f"{folder}/source-sentences-tokenized/{number}.src.txt")
                if source in known:
                    continue
                known.add(source)
                place = int(blake2b(row["author_id"].encode(), digest_size=8).hexdigest(), 16) / 2**64
                first, last = _PLACES.get(part, (0, 1))
                if (row["partition"] == "test") is (part == "test") and (part == "test" or first <= place < last):
                    of = [f"{number}.a{annotator}" for annotator in row["annotator_id"].split()]
                    targets = [read(f"{folder}/target-sentences-tokenized/{name}.txt").splitlines() for name in of]
                    marked = [read(f"{folder}/annotated/{name}.ann") for name in of]
                    yield _Document(row["is_native"] == "1", source.splitlines(), targets, marked)
    except (OSError, KeyError, BadZipFile) as error:
        raise DataError(path, f"is not the package of UA-GEC, ua_gec-2.1.3-py3-none-any.whl ({error})") from None


@PAIR_FORMATS.register
class UaGec(FilePairs):
    """Pairs of UA-GEC's documents, from its package. Training pairs have the first annotator's corrections, test pairs all.

    Edits are those of the annotator without types; each has the type of the correction that UA-GEC marks there.
    """

    name = "ua-gec"
    quickly_counted = True

    part: Literal["train", "valid", "test"] = Field(description="disjoint parts; `test` is the package's own")
    layer: Layer = Field("gec-only", description="whether errors of grammar alone are corrected, or also of style")

    @property
    def expected_sentences(self) -> float:
        return self.sentences or _SENTENCES[self.part]

    def read_file(self, path: Path) -> Iterator[CorrectedSentence]:
        annotator = load_annotator("untyped")
        for document in _documents(path, self.layer, self.part):
            wanted = slice(None if self.part == "test" else 1)
            sources = [line.split() for line in document.source]
            targets = [[line.split() for line in target] for target in document.targets[wanted]]
            edits = [
                _typed(sources, annotator.annotate(sources, target), marked)
                for target, marked in zip(targets, document.marked[wanted], strict=True)
            ]
            level = "native" if document.native else "learner"
            for source, target, *found in zip(sources, targets[0], *edits, strict=True):
                annotated = AnnotatedSentence(tuple(source), dict(enumerate(found)))
                yield CorrectedSentence(Pair(source, target), level, annotated)


@SENTENCE_FORMATS.register
class UaGecSentences(FileSentences):
    """The corrected side of documents of UA-GEC that are in no pair."""

    name = "ua-gec"
    layer: Layer = Field("gec-only", description="as of the pairs")

    def read_file(self, path: Path, share: Share = WHOLE, told: Callable[[int], None] | None = None) -> Iterator[list[str]]:
        for place, document in enumerate(_documents(path, self.layer, "seed")):
            if share.takes(place):
                yield from map(str.split, document.targets[0])


def _typed(sources: list[list[str]], edits: list[tuple[Edit, ...]], marked: str) -> Iterator[tuple[Edit, ...]]:
    """The edits of each sentence with the types of a document's marked corrections, which are found by their characters."""
    corrections = list(_corrections(marked))
    text = _SPACES.sub("", _MARKED.sub(r"\1", marked))
    if text != _SPACES.sub("", "".join(map("".join, sources))):
        corrections = []  # the tokenised text has other characters
    first = 0
    for tokens, found in zip(sources, edits, strict=True):
        ends = list(accumulate(map(len, tokens), initial=first))
        yield tuple(Edit(e.start, e.end, e.correction, _type(e, ends[e.start], ends[e.end], corrections)) for e in found)
        first = ends[-1]


def _corrections(marked: str) -> Iterator[tuple[int, int, str]]:
    """Where corrections begin and end, in characters of the source without spaces, and their types."""
    start = position = 0
    for match in _MARKED.finditer(marked):
        start += len(_SPACES.sub("", marked[position : match.start()]))
        end = start + len(_SPACES.sub("", match[1]))
        yield start, end, _TYPES.get(match[2], match[2].replace("/", ":").upper())
        start, position = end, match.end()


def _type(edit: Edit, start: int, end: int, corrections: list[tuple[int, int, str]]) -> str:
    step, _, untyped = edit.type.partition(":")
    near = [(abs(first - start) + abs(last - end), kind) for first, last, kind in corrections if first <= end and last >= start]
    return f"{step}:{min(near, default=(0, untyped))[1]}"
