"""What ``pseudogec noise`` tells of the data it made and of what it learnt, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from pseudogec.edits import EditProfile, type_distance
from pseudogec.noise import EditDictionary, NoiseProfile

_TYPES_SHOWN = 12
_EDITS_SHOWN = 10


def describe_noise(made: NoiseProfile) -> Iterator[str]:
    """Sentences, tokens, edits a token, and how often each operation was done."""
    yield f"{'sentences':<20}{made.sentences:>12,}"
    yield f"{'tokens':<20}{made.tokens:>12,}"
    yield f"{'edits a token':<20}{made.edits_per_token:>12.3f}"
    total = sum(made.operations.values())
    yield f"{'operation':<20}{'count':>12}{'share':>9}"
    for kind, count in sorted(made.operations.items(), key=lambda item: -item[1]):
        yield f"  {kind:<18}{count:>12,}{count / total:>9.1%}"


def describe_types(noised: EditProfile, genuine: EditProfile, annotator: str) -> Iterator[str]:
    """The error types of noised and of genuine text, the most frequent first, and their distance.

    Args:
        noised: the edits of noised text.
        genuine: the edits of genuine text.
        annotator: signature of the annotator that typed both.
    """
    shares = {
        name: tuple(text.types.get(name, 0) / text.edits if text.edits else 0.0 for text in (noised, genuine))
        for name in {**noised.types, **genuine.types}
    }
    frequent = sorted(shares, key=lambda name: (-max(shares[name]), name))[:_TYPES_SHOWN]
    yield f"{'':<20}{'noised':>12}{'genuine':>12}"
    yield f"{'sentences typed':<20}{noised.sentences:>12,}{genuine.sentences:>12,}"
    yield f"{'edits a token':<20}{noised.edits_per_token:>12.3f}{genuine.edits_per_token:>12.3f}"
    for name in frequent:
        yield f"  {name:<18}{shares[name][0]:>12.1%}{shares[name][1]:>12.1%}"
    yield f"{'types in all':<20}{len(noised.types):>12}{len(genuine.types):>12}"
    distance = type_distance(noised.types, genuine.types)
    yield f"distance of types   {distance:>12.3f}  (Jensen-Shannon, base 2: 0 the same shares, 1 no type in common)"
    yield f"annotator           {annotator}"


def describe_dictionary(dictionary: EditDictionary) -> Iterator[str]:
    """The size of an edit dictionary and its most frequent edits."""
    summary = dictionary.summary()
    yield f"{'entries':<20}{summary.entries:>12,}  correct tokens"
    yield f"{'edits':<20}{summary.edits:>12,}  distinct"
    yield f"{'left alone':<20}{summary.identity_share:>12.1%}  of {summary.occurrences:,} times that these tokens were right"
    yield f"{'correct':<16}{'written':<16}{'times':>8}{'share':>9}"
    for edit in dictionary.most_frequent(_EDITS_SHOWN):
        yield f"{edit.correct:<16}{edit.written or '(nothing)':<16}{edit.times:>8,}{edit.share:>9.1%}"
