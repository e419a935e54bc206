"""What the study leaves out of its corpora, and how it samples them."""

from __future__ import annotations

import heapq
import re
import string
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TypeVar

from artefacts.errors import UserError
from pseudogec.corpora.pair import Pair

Item = TypeVar("Item")

_PUNCTUATION = frozenset(string.punctuation)
_NOT_PRINTABLE_ASCII = re.compile(f"[^{re.escape(string.printable)}]")
_WIDE_SPACE = re.compile(r"\s{3,}")
_DIGIT_TOKEN = re.compile(r"\s\d[\d,/]*\s")


def drop_identical(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs whose source and target differ (TASLP section IV-A, after Chollampatt and Ng 2018)."""
    return (pair for pair in pairs if pair.source != pair.target)


def limit_length(pairs: Iterable[Pair], maximum: int, minimum: int = 1) -> Iterator[Pair]:
    """The pairs both of whose sides have ``minimum`` to ``maximum`` tokens."""
    return (pair for pair in pairs if minimum <= len(pair.source) <= maximum and minimum <= len(pair.target) <= maximum)


def is_clean_seed_text(line: str) -> bool:
    """Whether the authors' seed-text filter keeps a sentence.

    Their released filter drops a sentence of more than 80 or at most 2 tokens; of 10 or more tokens with at least 20% single
    punctuation characters; with a character outside ``string.printable``; with 3 or more white-space characters in a row; or
    with more than 10% digit tokens. As there, only a digit token with white space on both sides counts, one of two neighbours.

    Args:
        line: a tokenised sentence, tokens with spaces between.
    """
    line = line.strip()
    tokens = line.split(" ")
    if not 2 < len(tokens) <= 80:
        return False
    if len(tokens) >= 10 and sum(token in _PUNCTUATION for token in tokens) / len(tokens) >= 0.2:
        return False
    if _NOT_PRINTABLE_ASCII.search(line) or _WIDE_SPACE.search(line):
        return False
    return len(_DIGIT_TOKEN.findall(line)) / len(line.split()) <= 0.1


def clean_seed_text(sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """The sentences that the authors' seed-text filter keeps (see :func:`is_clean_seed_text`)."""
    return (list(sentence) for sentence in sentences if is_clean_seed_text(" ".join(sentence)))


def sample(items: Iterable[Item], count: int, seed: int | str) -> list[Item]:
    """Draw ``count`` items without replacement, each with the same chance, and keep the order of the corpus.

    An item is drawn when the hash of the seed and its position is among the ``count`` smallest: one pass over a corpus of any
    length, memory for the sample alone. A larger sample of the same corpus and seed contains the smaller one, so the sizes of
    a scaling experiment are nested.

    Raises:
        UserError: the corpus holds fewer than ``count`` items.
    """
    chosen: list[tuple[int, int, Item]] = []  # a heap whose first entry is the largest hash (kept negative)
    position = -1
    for position, item in enumerate(items):
        digest = blake2b(f"{seed}:{position}".encode(), digest_size=8).digest()
        entry = (-int.from_bytes(digest), position, item)
        if len(chosen) < count:
            heapq.heappush(chosen, entry)
        elif chosen and entry[0] > chosen[0][0]:
            heapq.heapreplace(chosen, entry)
    if len(chosen) < count:
        raise UserError(f"{count} sentences were asked for, but the corpus holds {position + 1}; ask for fewer or give more text")
    return [item for _, _, item in sorted(chosen, key=lambda entry: entry[1])]
