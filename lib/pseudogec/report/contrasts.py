"""Comparisons of systems: how large a difference is, how far it can be trusted, and whether it agrees with the papers' claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from statistics import fmean
from typing import Any, Literal

import numpy as np
import pandas as pd

from artefacts.errors import UserError
from pseudogec.evaluate import (
    ERRANT,
    MOST_SEEDS,
    Estimate,
    Pool,
    compare,
    compare_values,
    holm,
    seeds_to_decide,
    spread_of_seeds,
)
from pseudogec.report.display import Html, Nothing
from pseudogec.report.findings import in_points, with_interval
from pseudogec.report.intervals import Dot, Row, interval_table
from pseudogec.report.methods import method_label, readable
from pseudogec.report.papers import named_table, paper_scores, published_tables
from pseudogec.report.tables import THIS_STUDY
from pseudogec.report.trainings import EQUAL_BUDGETS, Budget
from pseudogec.study import System

_MEASURES = {measure.label: measure.of for measure in ERRANT.measures}
_NAMES = {measure.label: measure.name for measure in ERRANT.measures}

LOSS = "loss"
"""Validation loss, in bits per subword, as a measure of comparisons."""

NOTE = (
    "In points, with 95% intervals over test sentences and seeds; validation loss in bits per subword, over seeds alone. *: "
    "more than chance (p < 0.05, corrected by Holm's method for the number of rows). Models: how many each side has, one for "
    "each seed; equal seeds are paired where both sides have five or more. Where a side has a single model, the result "
    "holds for this model only: other seeds are not allowed for. Differences are of unrounded scores."
)

NOTE_ON_MARKS = (
    "*: differs from the baseline by more than chance, over sentences and seeds (p < 0.05, corrected by Holm's method for the "
    "number of rows tested; rows of one seed and rows without a baseline are not tested)."
)

MARK = " *"
"""Marks a difference that is more than chance."""

NOT_COMPARED = Nothing("This profile has nothing to compare here.")

_Kind = tuple[tuple[str, Any], ...]
"""The choices that make up a system, as names and values, without the seed; the method is the first."""

_NO_METHOD = ("method", "none")

_TOGETHER = ("architecture", "track")
"""Choices in which a system and its baseline are the same."""


@dataclass(frozen=True)
class Side:
    """All seeds of one kind of system.

    Attributes:
        counts: how the names of measures end, such as `` on fce-test`` or, on the first test corpus, nothing -> seed -> counts of
            every sentence, (sentences, 3): tp, fp, fn.
        losses: seed -> validation loss; those that are known.
    """

    name: str
    counts: Mapping[str, Mapping[int, np.ndarray]]
    losses: Mapping[int, float] = field(default_factory=dict)

    def scores(self, measure: str) -> dict[int, float]:
        """Seed -> score or loss."""
        if measure == LOSS:
            return dict(self.losses)
        name, on, test = measure.partition(" on ")
        return {seed: float(_MEASURES[name](counts.sum(axis=0))) for seed, counts in self.counts[on + test].items()}

    @property
    def at_the_floor(self) -> bool:
        return fmean(self.scores("F0.5").values()) < FLOOR / 100


@dataclass(frozen=True)
class Contrast:
    """One kind of system against another.

    Attributes:
        label: what is compared with what.
        differences: measure -> first minus second.
        sides: both.
        system: one of the first kind, where they are of a grid.
        budgets: of the trainings of both sides, where they are single models.
        of_settings: whether they differ in the setting, a part of which is how many updates it takes.
    """

    label: str
    differences: Mapping[str, Estimate]
    sides: tuple[Side, ...] = ()
    system: System | None = None
    budgets: tuple[Budget, Budget] | None = None
    of_settings: bool = False

    @property
    def seeds(self) -> tuple[int, ...]:
        return next(iter(self.differences.values())).seeds

    @property
    def of_one_model(self) -> bool:
        """Whether a side is a single model, so that nothing follows for the way in which it was made."""
        return min(self.seeds) == 1

    @property
    def at_the_floor(self) -> bool:
        """Whether neither side corrects enough for their difference to mean anything."""
        return bool(self.sides) and all(side.at_the_floor for side in self.sides)

    @property
    def unequal_budgets(self) -> str:
        """Why the trainings of both sides are not comparable, in numbers; empty where they are."""
        if self.budgets is None:
            return ""
        one, other = self.budgets
        return one.other_passes(other) or ("" if self.of_settings else one.other_updates(other))

    @property
    def untested(self) -> Verdict | None:
        """The verdict where the comparison can decide no claim; ``None`` if it can."""
        if self.at_the_floor:
            return Verdict.UNINFORMATIVE
        if self.unequal_budgets:
            return Verdict.NOT_COMPARABLE
        return Verdict.NOT_TESTED if self.of_one_model else None

    @property
    def remark(self) -> str:
        """What the reader of a difference must know of both sides; empty if nothing."""
        if self.at_the_floor:
            return f"F0.5 below {FLOOR:g}"
        return self.unequal_budgets or (self.budgets[0].other_updates(self.budgets[1]) if self.budgets else "")

    def under_equal_variances(self, measure: str, pool: Pool | None) -> Estimate | None:
        return pool.difference(self.differences[measure], *(side.name for side in self.sides)) if pool and self.sides else None


FLOOR = 5.0
"""If both systems have a lower F0.5, in points, they correct next to nothing, and their difference says nothing."""


def contrast(
    label: str,
    first: Side,
    second: Side,
    system: System | None = None,
    budgets: tuple[Budget, Budget] | None = None,
    of_settings: bool = False,
) -> Contrast:
    """Compare two kinds of systems by P, R and F0.5 on each test corpus, and by validation loss where it is known."""
    differences = {
        name + ending: compare(first.counts[ending], second.counts[ending], of)
        for ending in first.counts
        for name, of in _MEASURES.items()
    }
    if first.losses and second.losses:
        differences[LOSS] = compare_values(first.losses, second.losses)
    return Contrast(label, differences, (first, second), system, budgets, of_settings)


def pool_of(sides: Iterable[Side], measure: str) -> Pool | None:
    """The spread over seeds of all systems of a table, without those at the floor; ``None`` if there are none."""
    systems = {side.name: side.scores(measure) for side in sides if not side.at_the_floor}
    return Pool(systems) if systems else None


def note_on_pools(pools: Mapping[str, Pool | None]) -> str:
    """What the intervals under equal variances rest on; empty where there are none."""
    told = [
        f"{measure} {100 * pool.variance**0.5:.2f} points ({pool.degrees_of_freedom} degrees of freedom; Bartlett's p = "
        f"{'none' if pool.bartlett != pool.bartlett else f'{pool.bartlett:.2f}'})"
        for measure, pool in pools.items()
        if pool and pool.degrees_of_freedom
    ]
    if not told:
        return ""
    return (
        "Under equal variances: as if all systems of the table spread alike over seeds, with the seed as a block. Standard "
        f"deviation: {'; '.join(told)}. A small p of Bartlett's test speaks against equal variances."
    )


def clear(contrasts: Sequence[Contrast], measure: str) -> list[bool]:
    """Which of a table's differences in one measure are more than chance: p below 0.05, corrected for their number."""
    p_values = iter(holm([item.differences[measure].p_value for item in contrasts if measure in item.differences]))
    return [measure in item.differences and next(p_values) < 0.05 for item in contrasts]


def as_table(contrasts: Iterable[Contrast], note: str = "") -> Nothing | Html:
    """Contrasts with their intervals in F0.5; other measures open below each.

    Args:
        note: a further sentence below.
    """
    listed = list(contrasts)
    if not listed:
        return NOT_COMPARED
    headline = ERRANT.headline.label
    pool = pool_of((side for item in listed for side in item.sides), headline)
    marks = {name: clear(listed, name) for name in dict.fromkeys(name for item in listed for name in item.differences)}
    rows = []
    for place, item in enumerate(listed):
        told = {
            name: (as_loss if name == LOSS else with_interval)(found) + (MARK if marks[name][place] else "")
            for name, found in item.differences.items()
        }
        pooled = item.under_equal_variances(headline, pool)
        details = [f"{_readable_measure(name)} {text}" for name, text in told.items() if name != headline]
        details += [f"{headline} under equal variances {with_interval(pooled)}"] if pooled else []
        details += [f"models: {' against '.join(map(str, item.seeds))}", *filter(None, [item.remark])]
        shown = [told[headline], *([f"loss {told[LOSS]}"] if LOSS in told else [])]
        dot = _dot(item.differences[headline], "clear" if marks[headline][place] else "open")
        rows.append(Row(item.label, "<br>".join(shown), [dot], details=details))
    told_of = f"{headline} with 95% intervals. *: more than chance. Open a row for the other measures."
    more = " ".join(filter(None, [NOTE, note_on_pools({headline: pool})]))
    return Html(interval_table(rows, ("Difference", "Points", headline), f"{told_of} {note}".strip(), more))


def _readable_measure(name: str) -> str:
    measure, on, test = name.partition(" on ")
    return measure + on + readable(test)


def _dot(difference: Estimate, look: str) -> Dot:
    low, high = (100 * end for end in difference.interval)
    return Dot(100 * difference.value, low, high, look)


def as_loss(difference: Estimate) -> str:
    """A difference of losses with its 95% interval; alone, if a side has one seed and nothing follows for others."""
    low, high = difference.interval
    return f"{difference.value:+.3f}" + (f" [{low:+.3f}, {high:+.3f}]" if high - low < float("inf") else "")


def opponents(grid: Iterable[System], column: str, against: Any) -> Iterator[tuple[str, list[System], list[System]]]:
    """Pair each kind of system of a grid with the one that differs from it in one choice.

    Args:
        column: the choice: ``method``, ``seed_corpus``, ``setting``, ``pseudo_pairs``, ``upsample``, ``architecture``, ``track``,
            or a method's parameter.
        against: the value that all others are paired with; the method ``none``, the baseline, is paired with every system of its
            architecture and track.

    Yields:
        A label such as ``Direct noise against Baseline``, and the systems of both sides, one for each seed.

    Raises:
        UserError: systems are to be paired with the baseline, and the grid has several of one architecture and track.
    """
    kinds: dict[_Kind, list[System]] = {}
    for system in grid:
        kinds.setdefault(_kind(system), []).append(system)
    if (column, against) == _NO_METHOD:
        for kind in filter(_is_baseline, kinds):
            baselines = dict.fromkeys(system.name for system in kinds[kind])
            if len(baselines) > 1:
                told = ", ".join(baselines)
                raise UserError(f"the grid has several baselines ({told}); keep one, with `grid.only(setting=[...])`")
    for label, kind, opponent in _pairs(kinds, column, against):
        yield label, kinds[kind], kinds[opponent]


def _pairs(kinds: Collection[_Kind], column: str, against: Any) -> Iterator[tuple[str, _Kind, _Kind]]:
    varying = _varying(kinds) - {column}
    for kind in kinds:
        choices = dict(kind)
        paired = (column, against) == _NO_METHOD
        opponent = _baseline(choices) if paired else tuple({**choices, column: against}.items())
        if _is_baseline(kind) or choices.get(column, against) == against or opponent not in kinds:
            continue
        context = ", ".join(_shown(name, value) for name, value in kind if name in varying)
        label = f"{_shown(column, choices[column])} against {_shown(column, against)}"
        yield (f"{context}: {label}" if context else label), kind, opponent


def _kind(system: System) -> _Kind:
    if system.method == "none":
        return _baseline(system.choices)
    names = ("method", "seed_corpus", "setting", "pseudo_pairs", "upsample", *_TOGETHER)
    return (*((name, getattr(system, name)) for name in names), *system.point.items())


def _baseline(choices: Mapping[str, Any]) -> _Kind:
    """The system without pseudo data that one with these choices is paired with; papers do not print all choices."""
    return (_NO_METHOD, *((name, choices[name]) for name in _TOGETHER if name in choices))


def _is_baseline(kind: _Kind) -> bool:
    return kind[0] == _NO_METHOD


def _varying(kinds: Iterable[_Kind]) -> set[str]:
    """The choices in which systems with pseudo data differ, and which a label must therefore name."""
    values: dict[str, set[Any]] = {}
    for kind in kinds:
        if not _is_baseline(kind):
            for name, value in kind:
                values.setdefault(name, set()).add(value)
    return {name for name, found in values.items() if len(found) > 1}


def _shown(name: str, value: Any) -> str:
    if name == "method":
        return method_label(value)
    if name == "pseudo_pairs":
        return f"{value:,} pairs"
    return f"{name} = {value:g}" if isinstance(value, int | float) else readable(str(value))


def paper_differences(
    tables: Iterable[str], measure: str, column: str, against: Any, rows: Mapping[str, Sequence[Any]]
) -> dict[str, float]:
    """Differences, in points, between rows of published tables that differ in one choice.

    The papers print means over seeds without their spread, so no interval can be given.

    Args:
        tables: such as ``taslp2020:IV``; a row that several have is taken once.
        measure: ``P``, ``R`` or ``F0.5``.
        column: the choice; ``against`` is the value that the others are compared with, as of :func:`opponents`.
        rows: column -> values; other rows except the baseline are left out.

    Returns:
        Label of the comparison -> the difference; comparisons of which the papers print only one side are left out.
    """
    printed: dict[_Kind, float] = {}
    for table in map(paper_scores, tables):
        names = ["method", "seed_corpus", "setting", "pseudo_pairs"]
        # Where these do not tell the rows apart, their names do: stages of training, kinds of models.
        names += ["system"] if table.duplicated(names).any() else []
        table = table.astype({"pseudo_pairs": int})
        for row in table.to_dict("records"):
            baseline = row["method"] == "none"
            if baseline or all(row[name] in values for name, values in rows.items()):
                kind = _baseline({}) if baseline else tuple((name, row[name]) for name in names)
                printed.setdefault(kind, row[_NAMES[measure]])
    found = {label: printed[kind] - printed[opponent] for label, kind, opponent in _pairs(printed, column, against)}
    return {label: difference for label, difference in found.items() if difference == difference}


# What the papers claim

Direction = Literal["higher", "lower", "not higher", "no clear difference"]


class Verdict(StrEnum):
    """What a comparison says of a claim; with its class in the style sheet, and a sign, as not everybody sees colours."""

    AS_CLAIMED = "as claimed", "agrees", "✓"
    CONTRADICTED = "contradicted", "disagrees", "✗"
    NO_DIFFERENCE = "no difference", "disagrees", "="
    HARMFUL = "harmful", "disagrees", "↓"
    NOT_DECIDED = "not decided", "open", "○"
    NOT_COMPARABLE = "not comparable", "open", "≠"
    UNINFORMATIVE = "uninformative", "open", "⌊"
    NOT_TESTED = "not tested", "missing", "·"

    look: str
    sign: str

    def __new__(cls, words: str, look: str, sign: str) -> Verdict:
        made = str.__new__(cls, words)
        made._value_, made.look, made.sign = words, look, sign
        return made


_VERDICTS = {str(verdict): verdict for verdict in Verdict}

MARGIN = 1.0
"""Points of F0.5, precision or recall within which two systems are called equal, unless a claim says otherwise."""


def note_on_claims(made: Sequence[Claim]) -> str:
    """How the verdicts of a table of claims are reached, with the margins of its claims."""
    margins = _points(sorted({claim.margin for claim in made}))
    return (
        "In points, with 95% intervals over test sentences and seeds. p is corrected for the number of tested comparisons of "
        "this table (by Holm's method; for no difference and harm by Bonferroni's); a claim is decided where p is below 0.05. "
        f"No difference: the interval, so corrected, lies within {margins} either way. No gain: it lies below {margins}; "
        f"harmful: below zero, and not within the margin. Uninformative: both systems have an F0.5 below {FLOOR:g}. Not "
        f"tested: a side has one seed, or was not trained. {EQUAL_BUDGETS} In the paper: differences of the means that it "
        "prints, without a spread; their setting is named where ours is another. Seeds to decide: with so many on each side, "
        "four studies of five decide what is open here, if the true difference is as large as here or, the second number, as in "
        "the paper (where it compares others, the one that takes most seeds), and if seeds spread as those of this table do."
    )


def _points(margins: Sequence[float]) -> str:
    return f"{' or '.join(f'{margin:g}' for margin in margins)} point{'' if margins[-1] == 1 else 's'}"


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about one choice, as a comparison that decides it.

    Attributes:
        source: where it is made: published tables, such as ``taslp2020:VI, taslp2020:Fig.4``, or another place in words.
        column: the choice, as of :func:`opponents`.
        against: the value that the others are compared with.
        direction: how the others differ from it, according to the paper.
        measure: ``P``, ``R`` or ``F0.5``.
        margin: the points within which a claim of no difference holds, and below which one of no gain does.
        rows: the rows of the published tables that it rests on, as of :func:`paper_differences`.
        theirs: the paper's names for ``column`` and ``against``, where they differ from ours.
    """

    text: str
    source: str
    grid: Sequence[System]
    column: str = "method"
    against: Any = "none"
    direction: Direction = "higher"
    measure: str = "F0.5"
    margin: float = MARGIN
    rows: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    theirs: tuple[str, Any] | None = None

    @property
    def made_in(self) -> str:
        return ", ".join(named_table(part) if part in self.tables else part for part in self.source.split(", "))

    @property
    def tables(self) -> list[str]:
        """The published tables among its sources."""
        known = published_tables()
        return [part for part in self.source.split(", ") if part in known]

    def in_the_paper(self) -> dict[str, float]:
        return paper_differences(self.tables, self.measure, *(self.theirs or (self.column, self.against)), self.rows)

    @property
    def setting_in_the_paper(self) -> str:
        """The setting of the paper's numbers if ours are all of others, as where it trains jointly and we pretrain."""
        theirs = {
            str(row["setting"])
            for table in map(paper_scores, self.tables)
            for row in table.to_dict("records")
            if row["method"] != "none" and all(row[name] in values for name, values in self.rows.items())
        }
        # Choe et al. name tracks in the place of settings.
        ours = {name for system in self.grid if system.method != "none" for name in (system.setting, system.track)}
        return theirs.pop() if ours and len(theirs) == 1 and not ours & theirs else ""

    def leaning(self, difference: Estimate) -> tuple[Verdict, float]:
        """The verdict on the claim if a difference is more than chance, and the p-value of the test that it takes."""
        value, margin = difference.value, self.margin / 100
        if self.direction == "no clear difference":
            return Verdict.AS_CLAIMED if abs(value) < margin else Verdict.CONTRADICTED, difference.p_value_of_side(margin)
        if self.direction == "not higher":
            return Verdict.AS_CLAIMED if value < margin else Verdict.CONTRADICTED, difference.p_value_against(margin)
        return Verdict.AS_CLAIMED if (value > 0) == (self.direction == "higher") else Verdict.CONTRADICTED, difference.p_value

    def firmer(self, difference: Estimate) -> list[tuple[Verdict, float]]:
        """Verdicts that take the place of the first if their own p-values are small enough; earlier ones come first.

        A difference inside the margin is no difference, even if it is more than zero: the claim of a difference and that of none
        cannot both hold.
        """
        no_gain, margin = self.direction == "not higher", self.margin / 100
        found = []
        if abs(difference.value) < margin and self.direction != "no clear difference":
            verdict = Verdict.AS_CLAIMED if no_gain else Verdict.NO_DIFFERENCE
            found.append((verdict, difference.p_value_of_side(margin)))
        return [*found, (Verdict.HARMFUL, difference.p_value)] if no_gain and difference.value < 0 else found

    def distances(self, points: float) -> list[tuple[float, ...]]:
        """For each way to decide: the points between a difference and the value, or both, on whose sides a statement holds."""
        to_nearer, to_other = abs(abs(points) - self.margin), abs(points) + self.margin
        inside: list[tuple[float, ...]] = [(to_nearer, to_other)] if abs(points) < self.margin else []
        if self.direction == "no clear difference":
            return inside or [(to_nearer,)]
        return [(abs(points - (self.margin if self.direction == "not higher" else 0)),), *inside]


def _verdicts(tested: Sequence[tuple[Claim, Contrast, Estimate | None]]) -> list[tuple[Verdict, float | None]]:
    """The verdict on each comparison, and its p-value, corrected for their number, if it was tested.

    The first verdicts are corrected by Holm's method, firmer ones by Bonferroni's. Of a comparison's hypotheses one at most is
    true and can be rejected by mistake; in simulated tables of ten, both methods together do so in one of twenty.
    """
    verdicts: list[tuple[Verdict, float | None]] = [(found.untested or Verdict.NOT_TESTED, None) for _, found, _ in tested]
    open_ones = [
        (place, claim, difference) for place, (claim, found, difference) in enumerate(tested) if difference and not found.untested
    ]
    leanings = [claim.leaning(difference) for _, claim, difference in open_ones]
    corrected = holm([p_value for _, p_value in leanings])
    for (place, claim, difference), (leaning, _), p_value in zip(open_ones, leanings, corrected, strict=True):
        firmer = [(verdict, len(open_ones) * p_alone) for verdict, p_alone in claim.firmer(difference)]
        decided = [found for found in [*firmer, (leaning, p_value)] if found[1] < 0.05]
        verdicts[place] = decided[0] if decided else (Verdict.NOT_DECIDED, p_value)
    return verdicts


def claims_table(
    made: Sequence[tuple[Claim, Sequence[Contrast]]], pools: Mapping[str, Pool | None] | None = None
) -> list[dict[str, str]]:
    """One row for each claim: its text and source, the differences there and here, the verdict, and what would decide it.

    Differences and verdicts come twice, the second time under equal variances, where only open verdicts may change.

    Args:
        pools: measure -> the spread over seeds of all systems of the table.
    """
    comparisons = [(claim, found) for claim, compared in made for found in compared]
    own = [(claim, found, found.differences[claim.measure]) for claim, found in comparisons]
    equal = [
        (claim, found, found.under_equal_variances(claim.measure, (pools or {}).get(claim.measure)))
        for claim, found in comparisons
    ]
    results = zip(own, _verdicts(own), equal, _verdicts(equal), strict=True)
    tested = sum(p_value is not None for _, p_value in _verdicts(own))
    spreads = {
        name: spread_of_seeds(found.differences[name] for claim, found in comparisons if claim.measure == name)
        for name in {claim.measure for claim, _ in made}
    }
    rows = []
    for claim, compared in made:
        here, pooled, verdicts, others, needed = list[str](), list[str](), list[Verdict](), list[Verdict](), list[str]()
        elsewhere: dict[str, list[str]] = {}
        theirs, spread, setting = claim.in_the_paper(), spreads[claim.measure], claim.setting_in_the_paper
        for found in compared:
            (*_, difference), (verdict, p_value), (*_, under_equal), (other, p_equal) = next(results)
            here.append(_told(found, difference, p_value))
            verdicts.append(verdict)
            open_before = under_equal is not None and verdict == Verdict.NOT_DECIDED
            others.append(other if open_before else verdict)
            if under_equal and p_equal is not None:
                pooled.append(_told(found, under_equal, p_equal))
            if verdict == Verdict.NOT_DECIDED and spread is not None:
                needed.append(_seeds_needed(claim, found, theirs, spread, tested))
            for name in found.differences:
                if name.startswith(f"{claim.measure} on "):
                    text = f"{found.label}: {with_interval(found.differences[name])}"
                    elsewhere.setdefault(name.removeprefix(f"{claim.measure} "), []).append(text)
        rows.append(
            {
                "claim": claim.text,
                "made in": claim.made_in,
                "measure": claim.measure,
                "in the paper": "; ".join(
                    f"{setting + ': ' if setting else ''}{label}: {in_points(points)}" for label, points in theirs.items()
                ),
                "here": "; ".join(here) or "this profile has nothing to compare",
                "verdict": _counted(verdicts),
                "under equal variances": "; ".join(pooled),
                "verdict under equal variances": _counted(others) if pooled else "",
                **{name: "; ".join(texts) for name, texts in elsewhere.items()},
                "seeds to decide": "; ".join(needed),
            }
        )
    return rows


def claims_as_points(made: Sequence[tuple[Claim, Sequence[Contrast]]]) -> list[dict[str, Any]]:
    """The differences behind a table of claims as numbers, one a row: ours with interval and verdict, the papers' alone."""
    tested = [(claim, found, found.differences[claim.measure]) for claim, compared in made for found in compared]
    verdicts = iter(_verdicts(tested))
    rows = []
    for claim, compared in made:
        about = {"claim": claim.text, "made in": claim.made_in, "measure": claim.measure}
        for found in compared:
            low, high = (100 * end for end in found.differences[claim.measure].interval)
            points = {"points": 100 * found.differences[claim.measure].value, "low": low, "high": high}
            rows.append(about | {"study": THIS_STUDY, "comparison": found.label, **points, "verdict": str(next(verdicts)[0])})
        rows += [
            about | {"study": "paper", "comparison": label, "points": points, "verdict": ""}
            for label, points in claim.in_the_paper().items()
        ]
    return rows


SEVERAL = "several verdicts"
"""What is said of a claim that several comparisons test, with different outcomes."""


def claims_as_rows(points: pd.DataFrame, tables: Sequence[Mapping[str, str]] = ()) -> list[Row]:
    """A row for each claim, as text, intervals with the paper's differences, and verdict.

    Args:
        points: of :func:`claims_as_points`, with their ``notebook``.
        tables: of :func:`claims_table` for the same claims, if their texts are to open below.
    """
    rows = []
    texts = {table["claim"]: table for table in tables}
    for (_, text), part in points.groupby(["notebook", "claim"], sort=False):
        about, *_ = records = part.to_dict("records")
        ours = [row for row in records if row["study"] == THIS_STUDY]
        theirs = [row for row in records if row["study"] != THIS_STUDY]
        chapter = f"<a href='{about['notebook']}.ipynb'>chapter {about['notebook'][:2]}</a>"
        details = [f"{escape(about['made in'])}; {about['measure']}; {chapter}"]
        if texts:
            details += [
                f"{name}: {escape(told)}" for name, told in list(texts[str(text)].items())[3:] if told and name != "verdict"
            ]
        else:
            details += [
                escape("{comparison}: {points:+.1f} [{low:+.1f}, {high:+.1f}], {verdict}".format_map(row)) for row in ours
            ]
            details += [escape("In the paper, {comparison}: {points:+.1f}".format_map(row)) for row in theirs]
        verdict = verdict_of(row["verdict"] for row in ours)
        said = f"<span class='verdict {look_of(verdict)}'>{sign_of(verdict)} {verdict}</span>"
        dots = [Dot(row["points"], row["low"], row["high"], look_of(row["verdict"])) for row in ours]
        rows.append(Row(str(text), said, dots, [row["points"] for row in theirs], details))
    return rows


def claims_html(points: pd.DataFrame, tables: Sequence[Mapping[str, str]] = (), more: str = "") -> Html:
    """The claims that were tested; see :func:`claims_as_rows`."""
    note = (
        "Dots: here, with 95% intervals over test sentences and seeds; several where a claim has several amounts, methods "
        "or stages. ◇: in the paper. Open a claim for its numbers."
    )
    rows = claims_as_rows(points, tables) if len(points) else []
    return Html(interval_table(rows, ("Claim", "Difference in points", "Verdict"), note, more) if rows else "")


def verdict_of(found: Iterable[str]) -> str:
    """The one verdict of a claim's comparisons, or ``SEVERAL``; those that cannot decide count only where there are no others."""
    words = list(dict.fromkeys(found)) or [Verdict.NOT_TESTED]
    words = [word for word in words if word not in (Verdict.UNINFORMATIVE, Verdict.NOT_TESTED, Verdict.NOT_COMPARABLE)] or words
    return words[0] if len(words) == 1 else SEVERAL


def look_of(verdict: str) -> str:
    return "open" if verdict == SEVERAL else _VERDICTS[verdict].look


def sign_of(verdict: str) -> str:
    return "◐" if verdict == SEVERAL else _VERDICTS[verdict].sign


def _counted(verdicts: Sequence[Verdict]) -> str:
    words = list(dict.fromkeys(verdicts)) or [Verdict.NOT_TESTED]
    return words[0] if len(words) == 1 else ", ".join(f"{verdicts.count(word)} {word}" for word in words)


def _seeds_needed(claim: Claim, found: Contrast, theirs: Mapping[str, float], spread: float, comparisons: int) -> str:
    """How many seeds a side would decide a comparison; ``theirs`` is what the paper prints for the claim."""
    difference = found.differences[claim.measure]

    def number(points: float) -> str:
        ways = ([each / 100 for each in distances] for distances in claim.distances(points))
        seeds = min(seeds_to_decide(difference, distances, spread, comparisons) for distances in ways)
        return f"{seeds:.0f}" if seeds <= MOST_SEEDS else f"more than {MOST_SEEDS}"

    text = f"{found.label}: {number(100 * difference.value)}"
    if not theirs:
        return text
    points = theirs.get(found.label, min(theirs.values(), key=lambda printed: min(map(min, claim.distances(printed)))))
    return f"{text}, or {number(points)} for the paper's {in_points(points)}"


def _told(found: Contrast, difference: Estimate, p_value: float | None) -> str:
    tested = "" if p_value is None else "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
    return f"{found.label}: {with_interval(difference)} ({'; '.join(filter(None, [tested, found.remark])) or 'one seed'})"
