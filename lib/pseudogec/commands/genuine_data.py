"""Genuine data as the command line of ``pseudogec noise`` gives them: two sides of text, or M2 files."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines
from pseudogec.corpora import Pair, read_parallel, sample
from pseudogec.edits import Annotator, EditProfile, apply_edits, read_m2
from pseudogec.noise import NoiseResources
from pseudogec.text import Bpe

SAMPLE = 1000
"""Most sentences of a text whose edits are found or typed to describe it."""


class GenuineData(ABC):
    """Ungrammatical sentences of learners with their corrections."""

    @abstractmethod
    def resources(self, needs_pairs: bool) -> NoiseResources:
        """What methods learn from the data; edits are kept only where the method needs them.

        Raises:
            DataError: a file is missing or malformed.
        """

    @abstractmethod
    def edit_profile(self, annotator: Annotator) -> EditProfile:
        """The edits of a sample, typed by an annotator."""


class ParallelData(GenuineData):
    """Two sides of text, line by line."""

    def __init__(self, source: Path, target: Path) -> None:
        self._source, self._target = source, target

    def resources(self, needs_pairs: bool) -> NoiseResources:
        """See :class:`GenuineData`."""
        pairs = read_parallel(self._source, self._target)
        if not needs_pairs:
            return NoiseResources.from_sentences(pair.target for pair in pairs)
        held = list(pairs)
        return NoiseResources.from_genuine((pair.source for pair in held), (pair.target for pair in held))

    def edit_profile(self, annotator: Annotator) -> EditProfile:
        """See :class:`GenuineData`; the edits are found by the annotator."""
        count = sum(1 for _ in read_parallel(self._source, self._target))
        return profile_of_pairs(sample(read_parallel(self._source, self._target), min(count, SAMPLE), seed=1), annotator)


class AnnotatedData(GenuineData):
    """M2 files: the edits are known."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._sentences = [sentence for path in paths for sentence in read_m2(path)]

    def resources(self, needs_pairs: bool) -> NoiseResources:
        """See :class:`GenuineData`; words are counted in the first annotator's corrections."""
        words = Counter(word for item in self._sentences for word in apply_edits(item.source, item.annotators.get(0, ())))
        return NoiseResources(words, annotated=self._sentences)

    def edit_profile(self, annotator: Annotator) -> EditProfile:
        """See :class:`GenuineData`; the files' edits are kept and typed anew, for files name types in several ways."""
        chosen = sample(self._sentences, min(len(self._sentences), SAMPLE), seed=1)
        typed = [(item.source, edits) for item in annotator.retype(chosen) for edits in item.annotators.values() or [()]]
        return EditProfile.of(typed)


def profile_of_pairs(pairs: Sequence[Pair], annotator: Annotator) -> EditProfile:
    """The edits that an annotator finds in pairs; pieces are joined to words first."""
    sources, targets = [Bpe.undo(pair.source) for pair in pairs], [Bpe.undo(pair.target) for pair in pairs]
    return EditProfile.of(zip(sources, annotator.annotate(sources, targets), strict=True))


def refuse_empty(path: Path) -> None:
    """Refuse a file without a line.

    Raises:
        DataError: the file is empty or cannot be read.
    """
    if next(read_lines(path), None) is None:
        raise DataError(path, "the file is empty; sentences were expected")


def genuine_paths(options: argparse.Namespace) -> list[Path]:
    """The files of genuine data that the options name."""
    return [path for path in (options.genuine_source, options.genuine_target, *options.genuine_m2) if path is not None]


def read_genuine(options: argparse.Namespace) -> GenuineData | None:
    """The genuine data that the options name; None where they name none.

    Raises:
        UserError: the options do not go together.
        DataError: a file is missing or malformed.
    """
    if (options.genuine_source is None) != (options.genuine_target is None):
        raise UserError("--genuine-source and --genuine-target belong together; give both or neither")
    if options.genuine_m2 and options.genuine_source is not None:
        raise UserError("genuine data are either --genuine-source and --genuine-target or --genuine-m2; give one of the two")
    for path in genuine_paths(options):
        refuse_empty(path)
    if options.genuine_m2:
        return AnnotatedData(options.genuine_m2)
    return None if options.genuine_source is None else ParallelData(options.genuine_source, options.genuine_target)
