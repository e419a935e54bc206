"""What writers wrote where a token would have been right: the edits of genuine data in reverse (Choe et al. 2019, section 4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from artefacts.errors import UserError
from pseudogec.edits import DETECTION_TYPES, AnnotatedSentence, Edit


class WrittenFor(NamedTuple):
    """One edit of the dictionary.

    Attributes:
        correct: the token that would have been right.
        written: what was written; see :class:`EditDictionary`.
        times: how often.
        share: of all times that the token would have been right.
    """

    correct: str
    written: str
    times: int
    share: float


@dataclass(frozen=True)
class DictionarySummary:
    """How much an edit dictionary holds.

    Attributes:
        entries: correct tokens.
        edits: distinct edits, leaving a token alone not among them.
        occurrences: how often its tokens would have been right.
        identity_share: share of these in which writers did write them.
    """

    entries: int
    edits: int
    occurrences: int
    identity_share: float


class EditDictionary:
    """Correct token to what was written for it, with counts; the token itself, left alone, counts too.

    Args:
        counts: correct token to written text to count. The text is empty where the token was missing, and two tokens where a
            superfluous one stood before it.

    Raises:
        UserError: there is no entry.
    """

    def __init__(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.counts = {token: dict(sorted(counts[token].items())) for token in sorted(counts)}
        if not self.counts:
            raise UserError(
                "the edit dictionary is empty: no edit occurs often enough; give more genuine data, or lower minimum_count"
            )

    @classmethod
    def from_annotated(cls, sentences: Iterable[AnnotatedSentence], minimum_count: int = 4) -> EditDictionary:
        """Collect edits (Choe et al. 2019, algorithm 1).

        Edits of more than one token on either side are left out, as are errors without a correction.

        Args:
            sentences: genuine sentences with their edits; each annotator counts as a sentence of its own. Read once.
            minimum_count: what was written less often for a token is dropped, and then tokens that were only ever left alone.
        """
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for edits in sentence.annotators.values() or [()]:
                for correct, written in _written_for(sentence.source, edits):
                    counts[correct][written] += 1
        frequent = {
            correct: {written: count for written, count in alternatives.items() if count >= minimum_count}
            for correct, alternatives in counts.items()
        }
        return cls({correct: alternatives for correct, alternatives in frequent.items() if alternatives.keys() - {correct}})

    def summary(self) -> DictionarySummary:
        """Count entries, edits and tokens that were left alone."""
        occurrences = sum(sum(written.values()) for written in self.counts.values())
        identical = sum(written.get(token, 0) for token, written in self.counts.items())
        edits = sum(len(written.keys() - {token}) for token, written in self.counts.items())
        return DictionarySummary(len(self.counts), edits, occurrences, identical / occurrences)

    def most_frequent(self, most: int = 10) -> list[WrittenFor]:
        """The most frequent edits, ties in alphabetical order; ``pandas.DataFrame`` makes a table of them."""
        edits = [
            WrittenFor(token, text, count, count / sum(written.values()))
            for token, written in self.counts.items()
            for text, count in written.items()
            if text != token
        ]
        return sorted(edits, key=lambda edit: (-edit.times, edit.correct, edit.written))[:most]


def _written_for(source: tuple[str, ...], edits: Iterable[Edit]) -> Iterable[tuple[str, str]]:
    """Pairs of a correct token and what the writer put in its place."""
    standing: list[str | None] = list(source)  # None: not known to be right
    edits = list(edits)
    for edit in edits:
        standing[edit.start : edit.end] = [None] * (edit.end - edit.start)
    for edit in edits:
        if edit.type in DETECTION_TYPES:
            continue
        correct, written = edit.alternatives[0].split(), source[edit.start : edit.end]
        if len(correct) == 1 and len(written) <= 1:
            yield correct[0], "".join(written)
        elif not correct and len(written) == 1 and edit.end < len(source):
            follower = standing[edit.end]
            if follower is not None:
                yield follower, f"{written[0]} {follower}"
                standing[edit.end] = None  # not left alone: it had a superfluous neighbour
    yield from ((token, token) for token in standing if token is not None)
