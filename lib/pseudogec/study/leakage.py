"""Whether sentences of a test set occur in the data that systems learn from, by their text and not
by names of files.

Some sentences occur in two corpora by chance: *I look forward to hearing from you soon .*, and
sentences of an essay's task, which many writers copy. Hence only sentences of `COUNTED_FROM` tokens
or more count, and as many are allowed as `chance_allows`.

Between W&I and FCE (train, dev, test), corpora with no text in common, these shares of a test set's
sentences occur in another:

    tokens at least                                1           8          10          12
    W&I dev in W&I train                         3.2%        0.8%        0.4%        0.4%
    FCE dev in FCE train                        13.6%        3.3%        1.5%        0.4%
    FCE test in FCE train                        7.5%        0.9%        0.1%        0.1%
    W&I dev in 1.07 million sentences of books   0.6%        none        none        none
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import chain, count
from pathlib import Path
from textwrap import shorten
from typing import Any, ClassVar

from pseudogec.artefacts import Artefacts, Progress, Recipe, with_ancestors
from pseudogec.artefacts.errors import UserError
from pseudogec.corpora import CorrectedSentence
from pseudogec.study.corpora import (
    Corpus,
    LearnsFromText,
    PartOfCorpus,
    Purpose,
    SeedCorpus,
    SeedText,
    Sides,
    Use,
    WrittenCorpus,
)
from pseudogec.study.results import ScoredCorrection

COUNTED_FROM = 12
"""Tokens of the shortest sentences that count."""

CHANCE = 0.005
"""The share of a test set's counted sentences that occurs in another corpus by chance, rounded up
from the table above.
"""

_SHOWN = 3
_PURPOSES: dict[Purpose, str] = {
    "training": "trained on it",
    "dictionary": "learnt from it",
    "tuning": "tuned on it",
}


def chance_allows(counted: int) -> int:
    """The number of sentences that may occur in another corpus by chance: in one of a thousand
    corpora more would.
    """
    # The distribution of `scipy.stats.binom`, which takes a second to import
    from scipy.special import bdtr

    return next(shared for shared in count() if bdtr(shared, counted, CHANCE) >= 0.999)


class Overlap(Recipe):
    """Which sentences of a test set occur in a text, on either side. It has no files, only a
    result.
    """

    kind: ClassVar[str] = "overlap"
    seconds_a_unit: ClassVar[float] = 0.0000001  # a byte of text
    test: WrittenCorpus
    text: WrittenCorpus | SeedCorpus | SeedText

    @property
    def label(self) -> str:
        return f"{self.test.label}-in-{self.text.label}"

    @property
    def work(self) -> float:
        return self.text.work * self.text.bytes_a_unit

    def build(self, folder: Path, store: Artefacts, progress: Progress) -> dict[str, Any]:
        return find_overlap(
            self.test.sides(store.folder(self.test)), self.text.sides(store.folder(self.text))
        )

    def portable_result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        return {**result, "examples": []}


class WithoutTestSentences(PartOfCorpus):
    """A corpus without the pairs of which a side occurs in a test set; short ones stay, which occur
    everywhere.
    """

    tests: tuple[WrittenCorpus, ...]

    def _part(
        self, levels: Sequence[str], sentences: Iterable[CorrectedSentence], store: Artefacts
    ) -> Iterator[CorrectedSentence]:
        tested = {
            _digest(side)
            for test in self.tests
            for sides in test.sides(store.folder(test))
            for side in _counted(sides)
        }
        return (
            each for each in sentences if tested.isdisjoint(map(_digest, map(" ".join, each.pair)))
        )


def _counted(sides: Sides) -> Sides:
    """The sides of a sentence that is long enough, by its source, to count."""
    return sides if sides[0].count(" ") + 1 >= COUNTED_FROM else ()


def find_overlap(test: Iterable[Sides], text: Iterable[Sides]) -> dict[str, Any]:
    """Look for a test set's sentences in a text; both are read once.

    Returns:
        ``counted``: how many of the test set's sentences are long enough to count, by their
        sources. ``found``: the places of those that occur in the text. ``examples``: the longest of
        the text's sentences that do, each under ``said``.
    """
    places: dict[bytes, list[int]] = {}
    counted = 0
    for place, sides in enumerate(test):
        counted += bool(_counted(sides))
        for digest in set(map(_digest, _counted(sides))):
            places.setdefault(digest, []).append(place)
    shared: set[int] = set()
    said: list[str] = []  # chance explains the shorter ones, and says the same sentence again
    for side in chain.from_iterable(text):
        if not shared.issuperset(fresh := places.get(_digest(side), ())):
            shared.update(fresh)
            said = sorted([*said, side], key=len)[-_SHOWN:]
    return {
        "counted": counted,
        "found": sorted(shared),
        "examples": [{"said": [side]} for side in reversed(said)],
    }


def _digest(sentence: str) -> bytes:
    """Of a sentence without its spaces and capitals, so that neither tokenisation nor case hides
    it.
    """
    return blake2b(sentence.replace(" ", "").casefold().encode(), digest_size=8).digest()


@dataclass(frozen=True)
class Check:
    """A test set and one text that systems learn from, to be compared."""

    test: WrittenCorpus
    text: str
    overlaps: tuple[Overlap, ...]  # one for each part of the text that is built by itself
    uses: tuple[tuple[Purpose, str], ...]  # the things learnt from the text
    tuned_on: bool  # whether the profile allows systems to be tuned on this test set

    def of(self, results: Sequence[dict[str, Any]]) -> CheckResult:
        """The result of the check, from the overlaps' results."""
        shared = {place for result in results for place in result["found"]}
        examples = [example for result in results for example in result["examples"]]
        return CheckResult(self, results[0]["counted"], len(shared), examples)


@dataclass(frozen=True)
class CheckResult:
    """How many of the ``counted`` sentences of the test set occur in the text, and examples."""

    check: Check
    counted: int
    shared: int
    examples: Sequence[Mapping[str, Any]]

    @cached_property
    def overlaps(self) -> bool:
        """Whether more sentences occur in both than chance explains."""
        return self.shared > chance_allows(self.counted)

    @property
    def refused(self) -> bool:
        """Whether the scores would be invalid: only tuning is allowed, where the profile says
        so.
        """
        return self.overlaps and not (
            self.check.tuned_on and {purpose for purpose, _ in self.check.uses} == {"tuning"}
        )

    @property
    def summary(self) -> str:
        if not self.shared:
            return f"none of its {self.counted:,} sentences of {COUNTED_FROM} tokens or more"
        explained = f"chance explains up to {chance_allows(self.counted):,}"
        return (
            f"{self.shared:,} of its {self.counted:,} sentences of {COUNTED_FROM} tokens or "
            f"more; {explained}"
        )

    def explain(self) -> str:
        """The problem in a few lines: the use of the text, the number of sentences, and
        examples.
        """
        learnt = "; ".join(
            f"{verb}: {', '.join(what for other, what in self.check.uses if other == purpose)}"
            for purpose, verb in _PURPOSES.items()
            if purpose in dict(self.check.uses)
        )
        message = (
            f"the test set {self.check.test.name} shares sentences with {self.check.text} "
            f"({learnt}): {self.summary}"
        )
        shown = (
            shorten(example["said"][0], 100, placeholder=" ...")
            for example in self.examples[:_SHOWN]
        )
        return "\n".join([message, *(f"    {sentence}" for sentence in shown)])

    @property
    def remedy(self) -> str:
        remedy = (
            f"a test set without sentences of {self.check.text}, or {self.check.text} without "
            "the test set's"
        )
        only_tuned = {purpose for purpose, _ in self.check.uses} == {"tuning"}
        if self.check.text == "genuine":
            remedy += " (`without_test_sentences: true` under `corpora`)"
        allowed = (
            "; if the paper tunes on the set that it reports, write `tuned_on: true` in that "
            "test set's section"
        )
        return remedy + (allowed if only_tuned else "")


def checks_of(scores: Iterable[ScoredCorrection], tuned_on: Collection[Corpus]) -> list[Check]:
    """Compare the test set of each planned score with every text that its system learns from.

    Args:
        tuned_on: the test sets on which the profile allows tuning.
    """
    by_test: dict[WrittenCorpus, list[ScoredCorrection]] = {}
    for score in scores:
        (test,) = score.references.corpus.origin
        by_test.setdefault(test, []).append(score)
    checks = []
    for test, scored in by_test.items():
        by_name: dict[str, list[Use]] = {}
        for use in uses_of(scored):
            name = f"seeds.{use.text.name}" if isinstance(use.text, SeedText) else use.text.name
            by_name.setdefault(name, []).append(use)
        for name, uses in by_name.items():
            # Many shards have the same
            texts = dict.fromkeys(part for use in uses for part in use.text.origin)
            learnt = dict.fromkeys((use.purpose, use.what) for use in uses)
            overlaps = tuple(Overlap(test=test, text=part) for part in texts)
            checks.append(Check(test, name, overlaps, tuple(learnt), test in tuned_on))
    return checks


def uses_of(recipes: Iterable[Recipe]) -> Iterator[Use]:
    """The texts that recipes and their ancestors learn from, each use once."""
    learners = (recipe for recipe in with_ancestors(recipes) if isinstance(recipe, LearnsFromText))
    uses = {
        (use.text.key, use.purpose, use.what): use for learner in learners for use in learner.uses()
    }
    yield from uses.values()


def refuse(findings: Iterable[CheckResult]) -> None:
    """Raise UserError if sentences of a test set occur in the data that its systems learn from; it
    names them.
    """
    leaks = [finding for finding in findings if finding.refused]
    if leaks:
        raise UserError(
            "\n".join(f"{leak.explain()}\n    right would be: {leak.remedy}" for leak in leaks)
        )
