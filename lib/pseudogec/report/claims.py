"""The papers' claims beside what is found here: one tidy frame, and how it is shown.

A notebook saves the differences that bear on its claims. The front page judges all of them together
(`evaluate.judged`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from pseudogec.evaluate import (
    ALPHA,
    FLOOR,
    MARGIN,
    MOST_SEEDS,
    Contrast,
    Direction,
    Estimate,
    Statement,
    Verdict,
    judged,
    seed_variances,
)
from pseudogec.report.contrasts import paper_differences
from pseudogec.report.display import Html
from pseudogec.report.findings import in_points, with_interval
from pseudogec.report.intervals import Dot, Row, interval_table
from pseudogec.report.papers import named_table, paper_scores, published_tables
from pseudogec.report.tables import THIS_STUDY
from pseudogec.report.trainings import EQUAL_BUDGETS
from pseudogec.study import Pipeline, System

NOTE = (
    "Dots: here, with 95% intervals over test sentences and seeds; several where a claim has "
    "several amounts, methods or stages. "
    "◇: in the paper. Open a claim for its numbers."
)

HOW_JUDGED = (
    "p is corrected for the number of comparisons in the whole list (Holm; for no difference and "
    "harm Bonferroni); a claim "
    f"is decided where p is below {ALPHA:g}. No difference: the interval, so corrected, lies "
    f"within {MARGIN:g} point either way. "
    f"No gain: it lies below {MARGIN:g} point; harmful: below zero, and not within the margin. "
    "Uninformative: both systems have "
    f"an F0.5 below {FLOOR:g}. Not tested: a side has one seed, or was not trained. "
    f"{EQUAL_BUDGETS} In the paper: differences of "
    "the means that it prints, without a spread; their setting is named where ours is another. "
    "These models: one system a "
    "side, over sentences alone. Seeds to decide: with so many on each side, four studies of five "
    "decide what is open, if the "
    "difference is as large as here. Undecidable here: no number of seeds would, because of the "
    "sentences alone."
)

UNCORRECTED = (
    "These intervals are not corrected for their number. The front page judges all claims together."
)

PAPER = "paper"

SHOWN = {
    Verdict.AS_CLAIMED: ("agrees", "✓"),
    Verdict.CONTRADICTED: ("disagrees", "✗"),
    Verdict.NO_DIFFERENCE: ("disagrees", "="),
    Verdict.HARMFUL: ("disagrees", "↓"),
    Verdict.NOT_DECIDED: ("open", "○"),
    Verdict.UNDECIDABLE: ("open", "∞"),
    Verdict.NOT_COMPARABLE: ("open", "≠"),
    Verdict.UNINFORMATIVE: ("open", "⌊"),
    Verdict.NOT_TESTED: ("missing", "·"),
    Verdict.SEVERAL: ("open", "◐"),
}
"""The class of a verdict in the style sheet, and a sign, as not everybody sees colours."""


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about one choice, as a comparison that decides it.

    Attributes:
        source: where it is made: published tables, such as ``taslp2020:VI, taslp2020:Fig.4``, or
            another place in words.
        column: the choice, as of :func:`opponents`; ``system`` where the grid has systems of
            several steps.
        against: the value that the others are compared with.
        direction: how the others differ from it, according to the paper.
        measure: ``P``, ``R`` or ``F0.5``.
        margin: the points within which a claim of no difference holds, and below which one of no
            gain does.
        rows: the rows of the published tables that it rests on, as of :func:`paper_differences`.
        theirs: the paper's names for ``column`` and ``against``, where they differ from ours; of
            systems, its names for both.
        where: what is special about our setting, in a word or two.
    """

    text: str
    source: str
    grid: Sequence[System | Pipeline]
    column: str = "method"
    against: Any = "none"
    direction: Direction = "higher"
    measure: str = "F0.5"
    margin: float = MARGIN
    rows: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    theirs: tuple[str, Any] | None = None
    where: str = ""

    @property
    def made_in(self) -> str:
        return ", ".join(
            named_table(part) if part in self.tables else part for part in self.source.split(", ")
        )

    @property
    def tables(self) -> list[str]:
        """The published tables among its sources."""
        known = published_tables()
        return [part for part in self.source.split(", ") if part in known]

    def in_the_paper(self) -> dict[str, float]:
        if self.column == "system":
            if not (self.tables and self.theirs):
                return {}
            ours, other = self.theirs
            printed = paper_scores(self.tables[0]).drop_duplicates("system").set_index("system").f05
            return {f"{ours} against {other}": printed[ours] - printed[other]}
        return paper_differences(
            self.tables, self.measure, *(self.theirs or (self.column, self.against)), self.rows
        )

    @property
    def setting_in_the_paper(self) -> str:
        """The setting of the paper's numbers if ours are all of others, as where it trains jointly
        and we pretrain.
        """
        theirs = {
            str(row["setting"])
            for table in map(paper_scores, self.tables)
            for row in table.to_dict("records")
            if row["method"] != "none"
            and all(row[name] in values for name, values in self.rows.items())
        }
        # Choe et al. name tracks in the place of settings.
        single = (
            system for system in self.grid if isinstance(system, System) and system.method != "none"
        )
        ours = {name for system in single for name in (system.setting, system.track)}
        return theirs.pop() if ours and len(theirs) == 1 and not ours & theirs else ""


def claim_rows(
    claims: Sequence[tuple[Claim, Sequence[Contrast]]], notebook: str, profile: str
) -> pd.DataFrame:
    """The differences behind claims, one a row: ours with what a verdict needs, then those of the
    papers.
    """
    compared = [(claim, item) for claim, contrasts in claims for item in contrasts]
    # Of a measure of a comparison, in points, as all numbers of the rows
    variances: dict[tuple[str, int], float] = {}
    for measure in {claim.measure for claim, _ in compared}:
        own = [item for claim, item in compared if claim.measure == measure]
        estimates = seed_variances([item.differences[measure] for item in own])
        variances |= {
            (measure, id(item)): 1e4 * (each or 0.0)
            for item, each in zip(own, estimates, strict=True)
        }
    rows: list[dict[str, Any]] = []
    for claim, contrasts in claims:
        about = {
            "notebook": notebook,
            "profile": profile,
            "claim": claim.text,
            "made in": claim.made_in,
            "measure": claim.measure,
        }
        for item in contrasts:
            difference = item.differences[claim.measure]
            low, high = (100 * end for end in difference.interval)
            elsewhere = {
                name.removeprefix(claim.measure): with_interval(other)
                for name, other in item.differences.items()
                if name.startswith(f"{claim.measure} on ")
            }
            rows.append(
                about
                | {
                    "study": THIS_STUDY,
                    "comparison": f"{claim.where}: {item.label}" if claim.where else item.label,
                    "difference": with_interval(difference),
                    "points": 100 * difference.value,
                    "low": low,
                    "high": high,
                    "models": " against ".join(map(str, item.seeds)),
                    "remark": item.remark,
                    "untested": item.untested,
                    "direction": claim.direction,
                    "margin": claim.margin,
                    "standard error": 100 * difference.standard_error,
                    "degrees of freedom": difference.degrees_of_freedom,
                    "sentences": difference.sentences,
                    "variance of sentences": 1e4 * difference.of_sentences,
                    "variance of a seed": variances[claim.measure, id(item)],
                    "paired": difference.paired,
                }
                | elsewhere
            )
        setting = claim.setting_in_the_paper
        rows += [
            about
            | {
                "study": PAPER,
                "comparison": label,
                "difference": in_points(points),
                "points": points,
                "remark": setting,
            }
            for label, points in claim.in_the_paper().items()
        ]
        if not contrasts:
            rows.append(about | {"study": THIS_STUDY, "untested": Verdict.NOT_TESTED})
    return pd.DataFrame(rows)


def read_rows(file: Path | TextIO) -> pd.DataFrame:
    """The rows of :func:`claim_rows` from a CSV file."""
    return pd.read_csv(file, dtype={"remark": str, "untested": str}).fillna({"remark": ""})


def with_verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of :func:`claim_rows`, judged together: ``verdict``, ``p``, ``seeds to decide``,
    ``excludes the paper's``.
    """
    tested = rows[(rows.study == THIS_STUDY) & rows.untested.isna()]
    statements = [_statement(row) for row in tested.to_dict("records")]
    columns = ["verdict", "p", "seeds to decide"]
    table = rows.join(pd.DataFrame(judged(statements), index=tested.index, columns=columns))
    table["verdict"] = table.verdict.astype(object).fillna(rows.untested.astype(object))
    excluded = {place: _excludes(row, table) for place, row in tested.iterrows()}
    return table.assign(**{"excludes the paper's": pd.Series(excluded, dtype=object)})


def _statement(row: Mapping[Any, Any]) -> Statement:
    difference = Estimate(
        row["points"] / 100,
        row["standard error"] / 100,
        row["degrees of freedom"],
        (),
        int(row["sentences"]),
        row["variance of sentences"] / 1e4,
        paired=bool(row["paired"]),
    )
    return Statement(difference, row["direction"], row["margin"], row["variance of a seed"] / 1e4)


def _excludes(row: pd.Series, table: pd.DataFrame) -> bool:
    """Whether an interval excludes the difference that the paper prints; all of them where it
    compares others.
    """
    theirs = (
        table[(table.study == PAPER) & (table.claim == row.claim)].set_index("comparison").points
    )
    theirs = theirs[[row.comparison]] if row.comparison in theirs else theirs
    return bool(len(theirs)) and (row.low > theirs.max() or row.high < theirs.min())


def claims_html(rows: pd.DataFrame) -> Html:
    """A line for each claim, with its intervals, the paper's differences and, where it was judged,
    the verdict.
    """
    if rows.empty:
        return Html("")
    are_judged = "verdict" in rows
    listed = [
        _claim_row(str(text), part, are_judged) for text, part in rows.groupby("claim", sort=False)
    ]
    heads = ("Claim", "Difference in points", "Verdict" if are_judged else "Difference")
    return Html(
        interval_table(
            listed,
            heads,
            NOTE if are_judged else f"{NOTE} {UNCORRECTED}",
            HOW_JUDGED if are_judged else "",
        )
    )


def _claim_row(text: str, part: pd.DataFrame, are_judged: bool) -> Row:
    ours = [
        row
        for row in part[part.study == THIS_STUDY].to_dict("records")
        if row["points"] == row["points"]
    ]
    theirs = part[part.study == PAPER].to_dict("records")
    about = part.iloc[0]
    details = [f"{escape(about['made in'])}; {about['measure']}"]
    if are_judged:
        verdict = verdict_of(part[part.study == THIS_STUDY].verdict)
        look, sign = SHOWN[verdict]
        numbers = [row["difference"] for row in ours if row["verdict"] == verdict][:1]
        said = "<br>".join([f"<span class='verdict {look}'>{sign} {verdict}</span>", *numbers])
        details += [
            f"<a href='{name}.ipynb'>chapter {name[:2]}</a>" for name in part.notebook.unique()
        ]
    else:
        said = "<br>".join(row["difference"] for row in ours) or "not compared here"
    details += [f"{escape(row['comparison'])}: {escape(_told(row))}" for row in ours]
    for row in theirs:
        setting = f"{row['remark']}: " if row["remark"] else ""
        details.append(escape(f"In the paper, {setting}{row['comparison']}: {row['difference']}"))
    looks = [SHOWN[Verdict(row["verdict"])][0] if are_judged else "open" for row in ours]
    dots = [
        Dot(row["points"], row["low"], row["high"], look)
        for row, look in zip(ours, looks, strict=True)
    ]
    return Row(text, said, dots, [row["points"] for row in theirs], details)


def _told(row: Mapping[Any, Any]) -> str:
    parts = [row["difference"], f"{row['models']} models", row["remark"]]
    parts += [
        f"{row[name]}{name}" for name in row if name.startswith(" on ") and row[name] == row[name]
    ]
    if "verdict" in row:
        p_value, seeds = row["p"], row["seeds to decide"]
        parts += [str(row["verdict"])]
        parts += (
            [] if p_value != p_value else ["p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"]
        )
        parts += (
            []
            if not np.isfinite(seeds)
            else [f"{seeds:.0f} seeds to decide" if seeds < MOST_SEEDS else "very many seeds"]
        )
        parts += (
            ["the paper's difference is outside this interval"]
            if row["excludes the paper's"] is True
            else []
        )
    return "; ".join(filter(None, parts))


def verdict_of(words: Iterable[str]) -> Verdict:
    """The one verdict of a claim's comparisons: of those that decide it, else that it is open, else
    why it is not tested.
    """
    verdicts = [Verdict(word) for word in words]
    for open_ones in (
        (Verdict.UNINFORMATIVE, Verdict.NOT_TESTED, Verdict.NOT_COMPARABLE),
        (Verdict.UNDECIDABLE,),
        (Verdict.NOT_DECIDED,),
    ):
        verdicts = [verdict for verdict in verdicts if verdict not in open_ones] or verdicts
    return verdicts[0] if len(set(verdicts)) == 1 else Verdict.SEVERAL
