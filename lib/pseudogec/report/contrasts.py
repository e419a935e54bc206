"""Systems against systems: how large a difference is, whether it may be chance, and what that says of the papers' claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pseudogec.evaluate import ERRANT, randomisation_p_values
from pseudogec.report.display import Finding
from pseudogec.report.findings import in_points
from pseudogec.report.methods import method_label
from pseudogec.study import System

_STATISTICS = {measure.label: measure.of for measure in ERRANT.measures}

SWAPS = 10_000

NOTE = (
    "In points, mean ± standard deviation over the seeds that both sides have. In brackets: how many seeds agree with the sign "
    f"of the mean, and *p* by approximate randomisation ({SWAPS:,} swaps). Differences are of unrounded scores."
)

NOTE_ON_MARKS = "*: all seeds agree that it differs from the baseline, and p < 0.05 by approximate randomisation over sentences."

NOTE_ON_ENSEMBLES = (
    " A system that exists once is compared with each model of one that exists for every seed; *p* is then the largest."
)

_Kind = tuple[tuple[str, Any], ...]
"""What was chosen for a system, as names and values, the seed aside."""

_BASELINE: _Kind = (("method", "none"),)


@dataclass(frozen=True)
class Contrast:
    """One kind of system against another.

    Attributes:
        label: what is compared with what.
        differences: measure -> first minus second in points, one value a seed.
        p_values: measure -> two-sided p-value of approximate randomisation, over the sentences of all seeds or (an ensemble
            against its models) the largest of those of each.
        system: one of the systems of the first kind, where they are of a grid.
    """

    label: str
    differences: dict[str, np.ndarray]
    p_values: dict[str, float]
    system: System | None = None

    def is_clear(self, measure: str) -> bool:
        """Whether the sentences speak against chance (p < 0.05) and all seeds agree in the sign."""
        signs = np.sign(self.differences[measure])
        return self.p_values[measure] < 0.05 and bool(np.all(signs == signs[0])) and bool(signs[0])

    def cell(self, measure: str) -> str:
        """The difference as a table prints it, such as ``+9.9 ± 0.6 (3/3, p < 0.001)``."""
        values = self.differences[measure]
        mean = float(values.mean())
        spread = f" ± {values.std(ddof=1):.1f}" if len(values) > 1 else ""
        agree = int(np.count_nonzero(values * mean > 0))
        p_value = self.p_values[measure]
        chance = "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
        return f"{in_points(mean)}{spread} ({agree}/{len(values)}, {chance})"


def contrast(label: str, first: Sequence[np.ndarray], second: Sequence[np.ndarray], system: System | None = None) -> Contrast:
    """Compare the counts of every sentence, (sentences, 3): tp, fp, fn, of two kinds of systems, seed for seed."""
    differences = {
        name: np.array([100 * float(of(one.sum(0)) - of(other.sum(0))) for one, other in zip(first, second, strict=True)])
        for name, of in _STATISTICS.items()
    }
    together = np.concatenate(first), np.concatenate(second)
    return Contrast(label, differences, randomisation_p_values(*together, _STATISTICS, SWAPS), system)


def contrast_each(label: str, first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> Contrast:
    """Compare every version of a system with every one of another, of which one exists once, such as an ensemble.

    The p-value is the largest of those of each: it says whether the one differs from all of them.
    """
    singles = [contrast(label, [one], [other]) for one in first for other in second]
    differences = {name: np.concatenate([single.differences[name] for single in singles]) for name in _STATISTICS}
    return Contrast(label, differences, {name: max(single.p_values[name] for single in singles) for name in _STATISTICS})


def as_table(contrasts: Iterable[Contrast], note: str = NOTE) -> Finding:
    """Contrasts as a Markdown table with a note on how to read it; a line that says so where there are none."""
    rows = [f"| {item.label} | {' | '.join(item.cell(measure) for measure in _STATISTICS)} |" for item in contrasts]
    if not rows:
        return Finding("This profile has nothing to compare here.")
    head = ["| difference | " + " | ".join(_STATISTICS) + " |", "|:---" * (len(_STATISTICS) + 1) + "|"]
    return Finding("\n".join([*head, *rows, "", note]))


def opponents(grid: Iterable[System], column: str, against: Any) -> Iterator[tuple[str, list[System], list[System]]]:
    """Pair each kind of system of a grid with the one that differs from it in one choice.

    Args:
        column: the choice: ``method``, ``seed_corpus``, ``setting``, ``pseudo_pairs``, ``upsample``, ``architecture``, ``track``,
            or a method's parameter.
        against: the value that all others are paired with; the method ``none``, the baseline, is paired with every system.

    Yields:
        What is compared with what, and the systems of both sides, one for each seed that both have.
    """
    kinds: dict[_Kind, dict[int, System]] = {}
    for system in grid:
        kinds.setdefault(_kind(system), {})[system.seed] = system
    varying = _varying(kinds) - {column}
    for kind, systems in kinds.items():
        choices = dict(kind)
        opponent = _BASELINE if (column, against) in _BASELINE else tuple({**choices, column: against}.items())
        if choices.get(column, against) == against or opponent not in kinds:
            continue
        context = ", ".join(_shown(name, value) for name, value in kind if name in varying)
        label = f"{_shown(column, choices[column])} against {_shown(column, against)}"
        if seeds := sorted(systems.keys() & kinds[opponent].keys()):
            whole = f"{context}: {label}" if context else label
            yield whole, [systems[seed] for seed in seeds], [kinds[opponent][seed] for seed in seeds]


def _kind(system: System) -> _Kind:
    if system.method == "none":
        return _BASELINE
    names = ("method", "seed_corpus", "setting", "pseudo_pairs", "upsample", "architecture", "track")
    return (*((name, getattr(system, name)) for name in names), *system.point.items())


def _varying(kinds: Iterable[_Kind]) -> set[str]:
    """The choices in which systems with pseudo data differ, and which a label must therefore name."""
    values: dict[str, set[Any]] = {}
    for kind in kinds:
        if kind != _BASELINE:
            for name, value in kind:
                values.setdefault(name, set()).add(value)
    return {name for name, found in values.items() if len(found) > 1}


def _shown(name: str, value: Any) -> str:
    if name == "method":
        return method_label(value)
    if name == "pseudo_pairs":
        return f"{value:,} pairs"
    return str(value) if name in {"setting", "seed_corpus", "architecture", "track"} else f"{name} = {value:g}"


# What the papers claim

Direction = Literal["higher", "lower", "no clear difference"]

Verdict = Literal["yes", "no", "open"]

_WORDS: dict[Verdict, str] = {"yes": "as claimed", "no": "the opposite", "open": "not decided"}

NOTE_ON_CLAIMS = (
    "A difference counts where all of several seeds agree and p < 0.05 by approximate randomisation over sentences; that there "
    "is none counts as claimed where p is larger, which is no proof. One seed alone decides nothing. "
    "In points, mean ± standard deviation over seeds, seeds of the same sign, p."
)


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about one choice, as a comparison that decides it.

    Attributes:
        column: the choice, as of :func:`opponents`.
        against: the value that the others are compared with.
        direction: what the paper says of the others.
        measure: ``P``, ``R`` or ``F0.5``.
    """

    text: str
    source: str
    grid: Sequence[System]
    column: str = "method"
    against: Any = "none"
    direction: Direction = "higher"
    measure: str = "F0.5"

    def verdict(self, found: Contrast) -> Verdict:
        """Whether a comparison says what the claim says.

        A difference counts when it is clear (:meth:`Contrast.is_clear`); one that is not leaves a claimed difference open. That
        there is none is left open where the sentences show a difference but the seeds disagree about its direction. Of one seed
        everything may hold of that model alone, so that a single seed leaves all open.
        """
        clear = found.is_clear(self.measure)
        if len(found.differences[self.measure]) < 2:
            return "open"
        if self.direction == "no clear difference":
            shown = found.p_values[self.measure] < 0.05
            return "no" if clear else "open" if shown else "yes"
        if not clear:
            return "open"
        risen = bool(np.mean(found.differences[self.measure]) > 0)
        return "yes" if risen == (self.direction == "higher") else "no"

    def in_words(self, found: Contrast) -> str:
        """The verdict; where a claim of no difference fails, on which side the difference is."""
        verdict = self.verdict(found)
        if verdict == "no" and self.direction == "no clear difference":
            return "clearly higher" if np.mean(found.differences[self.measure]) > 0 else "clearly lower"
        return _WORDS[verdict]

    def row(self, compared: Sequence[Contrast]) -> dict[str, str]:
        said = [self.in_words(found) for found in compared]
        words = list(dict.fromkeys(said)) or [_WORDS["open"]]
        return {
            "claim": self.text,
            "made in": self.source,
            "measure": self.measure,
            "here": "; ".join(f"{found.label}: {found.cell(self.measure)}" for found in compared)
            or "this profile has nothing to compare",
            "verdict": words[0] if len(words) == 1 else ", ".join(f"{said.count(word)} {word}" for word in words),
        }
