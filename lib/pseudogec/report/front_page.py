"""What the front page of a run shows (``notebooks/index.ipynb``): the claims that the other
notebooks tested, and the chapters.

The claims come from the tables that :meth:`pseudogec.report.Report.claims` saves. Where there is
nothing to show, a function gives an empty text.
"""

from __future__ import annotations

import json
import re

import pandas as pd

from pseudogec import METADATA
from pseudogec.evaluate import Verdict
from pseudogec.report.claims import SHOWN, claims_html, read_rows, verdict_of, with_verdicts
from pseudogec.report.display import Finding, Html
from pseudogec.report.report import Report
from pseudogec.report.systems import SystemsReport
from pseudogec.study import PROJECT, Study


def claims(study: Study) -> Html:
    """The tested claims, judged together: a line for each, and above them a bar of all verdicts."""
    rows = _claims(study)
    if rows.empty:
        return Html("")
    rows = with_verdicts(rows)
    verdicts = {
        text: verdict_of(part.verdict.dropna()) for text, part in rows.groupby("claim", sort=False)
    }
    counts = [
        (name, *SHOWN[name], list(verdicts.values()).count(name))
        for name in Verdict
        if name in verdicts.values()
    ]
    parts = "".join(
        f"<span class='verdict {look}' style='flex:{count}'>{sign} {count}</span>"
        for _, look, sign, count in counts
    )
    said = ", ".join(f"{sign} {name}: {count}" for name, _, sign, count in counts)
    bar = (
        f"<div class='verdicts' style='display:flex'>{parts}</div><p>{len(verdicts)} claims. "
        f"{said}.</p>"
    )
    tested = [text for text, verdict in verdicts.items() if verdict != Verdict.NOT_TESTED]
    return Html(bar + claims_html(rows[rows.claim.isin(tested)]))


def genuine_pairs(study: Study) -> None:
    """Show the figure of gains against genuine pairs from chapter 10 of this run, or of the first
    one that the profile names.
    """
    from IPython.display import display

    for name in (study.profile.name, *study.profile.judged_with):
        path = PROJECT / "outputs" / name / "notebooks" / "10_few_genuine_pairs.ipynb"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.is_file() else []
        outputs = [output for cell in cells for output in cell.get("outputs", ())]
        about = [output.get("metadata", {}).get(METADATA, {}) for output in outputs]
        figures = [
            output
            for output, its in zip(outputs, about, strict=True)
            if "kinds_of_noise" in its.values()
        ]
        for output in figures:
            display(
                {kind: "".join(data) for kind, data in output["data"].items()},
                metadata=output["metadata"],
                raw=True,
            )
        if figures:
            return


def one_sentence(report: Report) -> Html:
    """A sentence as the systems of notebook 05 correct it; empty where it may not be passed on, or
    a system is not built yet.
    """
    study = report.study
    systems = study.comparison("top_systems", notebook="05_top_systems")
    if not all(study.store.can_read(study.planner.score(system, study.test)) for system in systems):
        return Html("")
    shown = SystemsReport(report, systems).one_sentence()
    return shown if isinstance(shown, Html) else Html()


def chapters(study: Study) -> Finding:
    """The notebooks of the profile, each with the question that it asks."""
    lines = []
    for name in study.profile.notebooks:
        path = PROJECT / "notebooks" / f"{name}.ipynb"
        text = (
            "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
            if path.is_file()
            else f"# {name}"
        )
        title, _, rest = text.partition("\n")
        asked = re.search(r"\*\*Question.*?\*\*.*?([A-Z][^.?]*\?)", rest, re.DOTALL)
        lines.append(
            f"- [{title.removeprefix('# ')}]({name}.ipynb){': ' + asked[1] if asked else ''}"
        )
    return Finding("\n".join(lines))


def _claims(study: Study) -> pd.DataFrame:
    """The rows of all claims, of this profile and of others that bear on them, in the order of the
    notebooks.
    """
    order = list(study.profile.notebooks)
    folders = [study.outputs, *(PROJECT / "outputs" / name for name in study.profile.judged_with)]
    paths = [
        path for folder in folders for path in sorted((folder / "tables").glob("claims_*.csv"))
    ]
    tables = [read_rows(path) for path in paths]
    known = [
        table
        for table in tables
        if table.notebook.isin(order).all() or study.profile.name not in set(table.profile)
    ]
    known.sort(key=lambda table: table.notebook[0])
    return pd.concat(known, ignore_index=True) if known else pd.DataFrame()
