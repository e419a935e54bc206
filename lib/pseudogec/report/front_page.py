"""What the front page of a run shows (``notebooks/index.ipynb``): the claims that the other notebooks tested, and the chapters.

The claims come from the tables that :meth:`pseudogec.report.Report.claims` saves. Where there is nothing to show, a function
gives an empty text.
"""

from __future__ import annotations

import json
import re

import pandas as pd

from pseudogec.report.contrasts import SEVERAL, Verdict, claims_html, look_of, sign_of, verdict_of
from pseudogec.report.display import Finding, Html
from pseudogec.report.report import Report
from pseudogec.report.systems import SystemsReport
from pseudogec.study import PROJECT, Study


def claims(study: Study) -> Html:
    """One row for each tested claim: its text, our differences with intervals beside the paper's, and the verdict."""
    found = _claims(study)
    tested = set(found[~found.verdict.isin(["", Verdict.NOT_TESTED])].dropna(subset="verdict").claim)
    return claims_html(found[found.claim.isin(tested)])


def verdicts(study: Study) -> Html:
    """A bar of the verdicts on all claims."""
    found = _claims(study)
    given = [verdict_of(part.verdict.dropna()) for _, part in found.groupby(["notebook", "claim"], sort=False)]
    counts = {name: given.count(name) for name in (*Verdict, SEVERAL) if name in given}
    parts = "".join(
        f"<span class='verdict {look_of(name)}' style='flex:{count}'>{sign_of(name)} {count}</span>"
        for name, count in counts.items()
    )
    said = ", ".join(f"{sign_of(name)} {name}: {count}" for name, count in counts.items())
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
