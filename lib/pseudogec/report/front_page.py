"""What the front page of a run shows (``notebooks/index.ipynb``): the claims that the other notebooks tested, and the chapters.

The claims come from the tables that :meth:`pseudogec.report.Report.claims` saves. Where there is nothing to show, a function
gives an empty text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape

import pandas as pd

from pseudogec.report.contrasts import Verdict
from pseudogec.report.display import Finding, Html
from pseudogec.report.report import Report
from pseudogec.report.systems import SystemsReport
from pseudogec.report.tables import THIS_STUDY
from pseudogec.study import PROJECT, Study

SEVERAL = "several verdicts"
"""What is said of a claim that several comparisons test, with different outcomes."""

_VERDICTS = {str(verdict): verdict for verdict in Verdict}

_SHOWN = 8.0
"""Points either way that a plot shows; longer intervals are cut off."""

_WIDTH, _ROW = 200, 16

_COLOURS = {"agrees": "#00694d", "disagrees": "#a63d00", "open": "#6b6b6b", "missing": "#9a9a9a"}


def claims(study: Study) -> Html:
    """One row for each tested claim: its text, our differences with intervals beside the paper's, and the verdict."""
    rows = [
        _row(str(text), part)
        for (_, text), part in _claims(study).groupby(["notebook", "claim"], sort=False)
        if set(part.verdict.dropna()) - {Verdict.NOT_TESTED}
    ]
    if not rows:
        return Html()
    ticks = "".join(
        f"<text x='{_place(at)}' y='12' text-anchor='middle' font-size='11' fill='currentColor'>{at:+d}</text>" for at in (-5, 5)
    )
    titles = ("Claim", f"Difference in points{_svg(ticks, 14)}", "Verdict")
    head = "".join(f"<th scope='col'>{title}</th>" for title in titles)
    note = "Dots: here, with 95% intervals over test sentences and seeds. ◇: in the paper. Open a claim for its numbers."
    return Html(f"<table class='claims'><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table><p>{note}</p>")


def verdicts(study: Study) -> Html:
    """A bar of the verdicts on all claims."""
    found = _claims(study)
    given = [_verdict(part.verdict.dropna()) for _, part in found.groupby(["notebook", "claim"], sort=False)]
    counts = {name: given.count(name) for name in (*Verdict, SEVERAL) if name in given}
    parts = "".join(
        f"<span class='verdict {_look(name)}' style='flex:{count}'>{_sign(name)} {count}</span>" for name, count in counts.items()
    )
    said = ", ".join(f"{_sign(name)} {name}: {count}" for name, count in counts.items())
    return Html(f"<div class='verdicts' style='display:flex'>{parts}</div><p>{len(given)} claims. {said}.</p>" if given else "")


def one_sentence(report: Report) -> Html:
    """A sentence as the systems of notebook 05 correct it; empty where it may not be passed on."""
    shown = SystemsReport(report, report.study.comparison("top_systems", notebook="05_top_systems")).one_sentence()
    return shown if isinstance(shown, Html) else Html()


def chapters(study: Study) -> Finding:
    """The notebooks of the profile, each with the question that it asks."""
    lines = []
    for name in study.profile.notebooks:
        path = PROJECT / "notebooks" / f"{name}.ipynb"
        text = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]) if path.is_file() else f"# {name}"
        title, _, rest = text.partition("\n")
        asked = re.search(r"\*\*Question.*?\*\*.*?([A-Z][^.?]*\?)", rest, re.DOTALL)
        lines.append(f"- [{title.removeprefix('# ')}]({name}.ipynb){': ' + asked[1] if asked else ''}")
    return Finding("\n".join(lines))


def _claims(study: Study) -> pd.DataFrame:
    """The points of all claims, in the order of the notebooks."""
    order = list(study.profile.notebooks)
    found = [pd.read_csv(path) for path in (study.outputs / "tables").glob("claims_*_points.csv")]
    known = [table for table in found if not table.empty and set(table.notebook) <= set(order)]
    known.sort(key=lambda table: order.index(table.notebook[0]))
    return pd.concat(known, ignore_index=True) if known else pd.DataFrame(columns=["notebook", "claim", "verdict"])


def _verdict(found: Iterable[str]) -> str:
    words = list(dict.fromkeys(found)) or [Verdict.NOT_TESTED]
    return words[0] if len(words) == 1 else SEVERAL


def _look(verdict: str) -> str:
    return "open" if verdict == SEVERAL else _VERDICTS[verdict].look


def _sign(verdict: str) -> str:
    return "◐" if verdict == SEVERAL else _VERDICTS[verdict].sign


def _row(text: str, part: pd.DataFrame) -> str:
    about, *_ = rows = part.to_dict("records")
    ours, theirs = ([row for row in rows if (row["study"] == THIS_STUDY) == own] for own in (True, False))
    numbers = ["{comparison}: {points:+.1f} [{low:+.1f}, {high:+.1f}], {verdict}".format_map(row) for row in ours] + [
        "In the paper, {comparison}: {points:+.1f}".format_map(row) for row in theirs
    ]
    listed = "".join(f"<li>{escape(number)}</li>" for number in numbers)
    source = (
        f"{escape(about['made in'])}; {about['measure']}; <a href='{about['notebook']}.ipynb'>chapter {about['notebook'][:2]}</a>"
    )
    details = f"<details><summary>{escape(text)}</summary><ul><li>{source}</li>{listed}</ul></details>"
    height = _ROW * max(len(ours), 1)
    drawn = [f"<line x1='{_place(0)}' x2='{_place(0)}' y1='0' y2='{height}' stroke='currentColor' stroke-dasharray='2 2'/>"]
    for number, row in enumerate(ours):
        look, y = _look(row["verdict"]), _ROW * (number + 0.5)
        colour = _COLOURS[look]
        drawn.append(
            f"<g class='{look}' fill='{colour}' stroke='{colour}'><line x1='{_place(row['low'])}' x2='{_place(row['high'])}' "
            f"y1='{y}' y2='{y}' stroke-width='2.5'/><circle cx='{_place(row['points'])}' cy='{y}' r='4'/></g>"
        )
    drawn += [
        f"<path d='M{_place(row['points'])} {height / 2 - 5}l5 5l-5 5l-5 -5z' fill='none' stroke='currentColor'/>"
        for row in theirs
    ]
    verdict = _verdict(row["verdict"] for row in ours)
    said = f"<span class='verdict {_look(verdict)}'>{_sign(verdict)} {verdict}</span>"
    spoken = f"<title>{escape('; '.join(numbers))}</title>"
    plot = _svg("".join([spoken, *drawn]), height, "role='img'")
    return f"<tr><th scope='row'>{details}</th><td>{plot}</td><td>{said}</td></tr>"


def _svg(drawn: str, height: int, said: str = "aria-hidden='true'") -> str:
    return f"<svg viewBox='0 0 {_WIDTH} {height}' width='100%' {said}>{drawn}</svg>"


def _place(points: float) -> float:
    """Where a number of points stands in a plot."""
    return round(_WIDTH * (0.5 + 0.48 * max(-1.0, min(1.0, points / _SHOWN))), 1)
