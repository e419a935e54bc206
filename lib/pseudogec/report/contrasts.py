"""Comparisons of systems: how large a difference is, how far it can be trusted, and whether it agrees with the papers' claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from artefacts.errors import UserError
from pseudogec.evaluate import ERRANT, MOST_SEEDS, Estimate, Versions, compare, holm, seeds_to_decide, spread_of_seeds
from pseudogec.report.display import Finding
from pseudogec.report.findings import MARK, in_points, with_interval
from pseudogec.report.methods import method_label
from pseudogec.report.papers import named_table, paper_scores, published_tables
from pseudogec.study import System
from pseudogec.study.overview import EQUAL_BUDGETS, Budget

_MEASURES = {measure.label: measure.of for measure in ERRANT.measures}
_NAMES = {measure.label: measure.name for measure in ERRANT.measures}

NOTE = (
    "In points, with 95% intervals over test sentences and seeds. \\*: more than chance (p < 0.05, corrected by Holm's method "
    "for the number of rows). Models: how many each side has, one for each seed. Where a side has a single model (*1*), the "
    "result holds for this model only, not for the way in which it was made: other seeds are not allowed for. "
    "Differences are of unrounded scores."
)

NOTE_ON_MARKS = (
    "*: differs from the baseline by more than chance, over sentences and seeds (p < 0.05, corrected by Holm's method for the "
    "number of rows tested; rows of one seed and rows without a baseline are not tested)."
)

_Kind = tuple[tuple[str, Any], ...]
"""The choices that make up a system, as names and values, without the seed; the method is the first."""

_NO_METHOD = ("method", "none")

_TOGETHER = ("architecture", "track")
"""Choices in which a system and its baseline are the same."""


@dataclass(frozen=True)
class Contrast:
    """One kind of system against another.

    Attributes:
        label: what is compared with what.
        differences: measure -> first minus second.
        system: one of the first kind, where they are of a grid.
        budgets: of the trainings of both sides, where they are single models.
    """

    label: str
    differences: Mapping[str, Estimate]
    system: System | None = None
    budgets: tuple[Budget, Budget] | None = None

    @property
    def seeds(self) -> tuple[int, ...]:
        return next(iter(self.differences.values())).seeds

    @property
    def of_one_model(self) -> bool:
        """Whether a side is a single model, so that nothing follows for the way in which it was made."""
        return min(self.seeds) == 1

    @property
    def unequal_budgets(self) -> str:
        """Why the trainings of both sides are not comparable, in numbers; empty where they are."""
        return self.budgets[0].unlike(self.budgets[1]) if self.budgets else ""


def contrast(
    label: str,
    first: Versions,
    second: Versions,
    system: System | None = None,
    budgets: tuple[Budget, Budget] | None = None,
) -> Contrast:
    """Compare two kinds of systems by their counts of every sentence, (sentences, 3): tp, fp, fn; one matrix a seed."""
    return Contrast(label, {name: compare(first, second, of) for name, of in _MEASURES.items()}, system, budgets)


def clear(contrasts: Sequence[Contrast], measure: str) -> list[bool]:
    """Which of a table's differences in one measure are more than chance: p below 0.05, corrected for their number."""
    return [p_value < 0.05 for p_value in holm([item.differences[measure].p_value for item in contrasts])]


def as_table(contrasts: Iterable[Contrast]) -> Finding:
    """Contrasts as a Markdown table with a note on how to read it, or one line if there are none."""
    listed = list(contrasts)
    if not listed:
        return Finding("This profile has nothing to compare here.")
    columns = []
    for measure in _MEASURES:
        cells = [with_interval(item.differences[measure]) for item in listed]
        columns.append([cell + MARK if marked else cell for cell, marked in zip(cells, clear(listed, measure), strict=True)])
    head = ["| difference | models | " + " | ".join(_MEASURES) + " |", "|:---" * (len(_MEASURES) + 2) + "|"]
    rows = [
        f"| {item.label} | {', '.join(map(str, item.seeds))} | {' | '.join(cells)} |"
        for item, *cells in zip(listed, *columns, strict=True)
    ]
    return Finding("\n".join([*head, *rows, "", NOTE]))


def opponents(grid: Iterable[System], column: str, against: Any) -> Iterator[tuple[str, list[System], list[System]]]:
    """Pair each kind of system of a grid with the one that differs from it in one choice.

    Args:
        column: the choice: ``method``, ``seed_corpus``, ``setting``, ``pseudo_pairs``, ``upsample``, ``architecture``, ``track``,
            or a method's parameter.
        against: the value that all others are paired with; the method ``none``, the baseline, is paired with every system of its
            architecture and track.

    Yields:
        A label such as ``DirectNoise against Baseline``, and the systems of both sides, one for each seed.

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
    return f"{name} = {value:g}" if isinstance(value, int | float) else str(value)


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

NOT_IN_THIS_RUN = "not in this run"
"""The verdict on a claim where there is nothing to compare."""

NOT_DECIDED = "not decided"
"""The verdict where chance may have made the difference."""

MARGIN = 1.0
"""Points of F0.5, precision or recall within which two systems are called equal, unless a claim says otherwise."""


def note_on_claims(made: Sequence[Claim]) -> str:
    """How the verdicts of a table of claims are reached, with the margins of its claims of no difference or gain, if any."""
    note = (
        "In points, with 95% intervals over test sentences and seeds. p is corrected by Holm's method for all tested comparisons "
        "of this table; a claim is decided where p is below 0.05. Where a side has one seed nothing is decided, as another seed "
        f"may give another result. {EQUAL_BUDGETS} In the paper: differences of the means that it prints, without a spread, so "
        "they have no interval; their setting is named where ours is another. "
        f"{NOT_IN_THIS_RUN.capitalize()}: one side or both were not trained. Seeds to decide: with so many on each side, four "
        "studies of five decide what is open here, if the true difference is as large as here or, the second number, as in the "
        "paper (where it compares others, the one that takes most seeds), and if seeds spread as those of this table do."
    )
    margins = sorted({claim.margin for claim in made if claim.direction == "no clear difference"})
    if margins:
        note += (
            f" No difference: within {_points(margins)} either way. Such a claim is "
            "decided where the interval, corrected in the same way, lies wholly within that margin or wholly outside of it."
        )
    if gains := sorted({claim.margin for claim in made if claim.direction == "not higher"}):
        note += f" No gain: below {_points(gains)}; decided where the interval lies wholly below or above."
    return note


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

    def p_value(self, found: Contrast) -> float | None:
        """The uncorrected p-value of the test that decides the claim; ``None`` where the comparison cannot decide it."""
        difference = found.differences[self.measure]
        if found.of_one_model or found.unequal_budgets:
            return None
        if self.direction == "no clear difference":
            return difference.p_value_of_side(self.margin / 100)
        return difference.p_value_against(self.margin / 100 if self.direction == "not higher" else 0)

    def distances(self, points: float) -> tuple[float, ...]:
        """The points between a difference and the value, or both values, on whose sides the claim holds and fails."""
        if self.direction != "no clear difference":
            return (abs(points - (self.margin if self.direction == "not higher" else 0)),)
        to_nearer, to_other = abs(abs(points) - self.margin), abs(points) + self.margin
        return (to_nearer, to_other) if abs(points) < self.margin else (to_nearer,)

    def verdict(self, found: Contrast, p_value: float | None) -> str:
        """Whether a comparison agrees with the claim.

        Args:
            p_value: that of :meth:`p_value`, corrected for the number of comparisons.
        """
        if found.unequal_budgets:
            return "not comparable"
        if p_value is None or p_value >= 0.05:
            return NOT_DECIDED
        value = 100 * found.differences[self.measure].value
        if self.direction == "no clear difference":
            return "as claimed" if abs(value) < self.margin else "clearly higher" if value > 0 else "clearly lower"
        if self.direction == "not higher":
            return "as claimed" if value < self.margin else "clearly higher"
        return "as claimed" if (value > 0) == (self.direction == "higher") else "the opposite"


def claims_table(made: Sequence[tuple[Claim, Sequence[Contrast]]]) -> list[dict[str, str]]:
    """One row for each claim: its text and source, the differences there and here, the verdict, and what would decide it."""
    tested = [claim.p_value(found) for claim, compared in made for found in compared]
    comparable = sum(not found.unequal_budgets for _, compared in made for found in compared)
    corrected = iter(holm([p_value for p_value in tested if p_value is not None]))
    p_values = iter([None if p_value is None else next(corrected) for p_value in tested])
    spreads = {
        name: spread_of_seeds(found.differences[name] for claim, compared in made for found in compared if claim.measure == name)
        for name in {claim.measure for claim, _ in made}
    }
    rows = []
    for claim, compared in made:
        here, verdicts, needed = [], list[str](), list[str]()
        theirs, spread = claim.in_the_paper(), spreads[claim.measure]
        for found in compared:
            p_value = next(p_values)
            here.append(f"{found.label}: {with_interval(found.differences[claim.measure])} ({_reason(p_value, found)})")
            verdicts.append(claim.verdict(found, p_value))
            if verdicts[-1] == NOT_DECIDED and not found.of_one_model and spread is not None:
                needed.append(_seeds_needed(claim, found, theirs, spread, comparable))
        words = list(dict.fromkeys(verdicts)) or [NOT_IN_THIS_RUN]
        setting = claim.setting_in_the_paper
        rows.append(
            {
                "claim": claim.text,
                "made in": claim.made_in,
                "measure": claim.measure,
                "in the paper": "; ".join(
                    f"{setting + ': ' if setting else ''}{label}: {in_points(points)}" for label, points in theirs.items()
                ),
                "here": "; ".join(here) or "this profile has nothing to compare",
                "verdict": words[0] if len(words) == 1 else ", ".join(f"{verdicts.count(word)} {word}" for word in words),
                "seeds to decide": "; ".join(needed),
            }
        )
    return rows


def _seeds_needed(claim: Claim, found: Contrast, theirs: Mapping[str, float], spread: float, comparisons: int) -> str:
    """How many seeds a side would decide a comparison; ``theirs`` is what the paper prints for the claim."""
    difference = found.differences[claim.measure]

    def number(points: float) -> str:
        seeds = seeds_to_decide(difference, [each / 100 for each in claim.distances(points)], spread, comparisons)
        return f"{seeds:.0f}" if seeds <= MOST_SEEDS else f"more than {MOST_SEEDS}"

    text = f"{found.label}: {number(100 * difference.value)}"
    if not theirs:
        return text
    points = theirs.get(found.label, min(theirs.values(), key=lambda printed: min(claim.distances(printed))))
    return f"{text}, or {number(points)} for the paper's {in_points(points)}"


def _reason(p_value: float | None, found: Contrast) -> str:
    if p_value is None:
        return found.unequal_budgets or "one seed"
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
