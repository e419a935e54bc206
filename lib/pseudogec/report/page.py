"""The index page of a run: notebooks, tables, figures, and how it was run."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import NamedTuple

from pseudogec.files import write_atomically
from pseudogec.study import Study
from pseudogec.study.progress import format_duration

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .75rem; text-align: left; }
figure { margin: 1.5rem 0; } img { max-width: 100%; height: auto; }
.failed { color: #a40000; font-weight: bold; } pre { overflow-x: auto; background: #f6f6f6; padding: .75rem; }
"""


class NotebookOutcome(NamedTuple):
    """How a notebook's execution went."""

    name: str
    executed: Path
    seconds: float
    error: str | None


def write_index(study: Study, outcomes: Sequence[NotebookOutcome], seconds: float, worker_seconds: float | None = None) -> Path:
    """Write ``<outputs>/index.html`` and return its path.

    Args:
        study: the study that was run.
        outcomes: of the notebooks of this run.
        seconds: the run's time, which is short where the store held the artefacts.
        worker_seconds: what it took to make all artefacts behind the notebooks, in any run, summed over workers; left out when
            not known.
    """
    profile = study.profile
    kind = (
        "a simulation: its numbers come from the embedded world, not from the paper's data"
        if profile.simulation
        else "real learner text"
    )
    parts = [
        f"<h1>Pseudo data for grammatical error correction: {escape(profile.name)}</h1>",
        f"<p>{escape(profile.description)} This is {kind}.</p>",
        "<h2>Notebooks</h2>",
        _notebooks(study, outcomes),
        "<h2>Figures</h2>",
        *_figures(study),
        "<h2>Tables</h2>",
        _tables(study),
        "<h2>How it was run</h2>",
        f"<p>Seeds {', '.join(map(str, study.seeds))}; this run {format_duration(seconds)} on {study.engine.workers} workers"
        f"{_whole_work(worker_seconds)}; "
        f"{platform.machine()}, Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}. "
        f"{_all_scores(study)}</p>",
        f"<details><summary>The profile, complete</summary><pre>{escape(_profile_text(study))}</pre></details>",
    ]
    page = (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{escape(profile.name)}: pseudo data for GEC</title>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )
    path = study.outputs / "index.html"
    with write_atomically(path) as stream:
        stream.write(page.encode())
    return path


def _all_scores(study: Study) -> str:
    if not (study.outputs / "scores.parquet").exists():
        return ""
    return "All scores, by level and error type, are in <a href='scores.parquet'>scores.parquet</a>."


def _whole_work(worker_seconds: float | None) -> str:
    return "" if worker_seconds is None else f", everything behind it {format_duration(worker_seconds)} of one worker's time"


def _notebooks(study: Study, outcomes: Sequence[NotebookOutcome]) -> str:
    ran = {outcome.name: outcome for outcome in outcomes}
    rows = []
    for name in study.profile.notebooks:
        outcome = ran.get(name)
        if outcome is None:
            state = "not in this run"
        else:
            state = (
                f"executed in {format_duration(outcome.seconds)}"
                if outcome.error is None
                else f"<span class='failed'>failed</span><pre>{escape(outcome.error)}</pre>"
            )
        executed = (study.outputs / "notebooks" / f"{name}.ipynb").exists()
        shown = f"<a href='notebooks/{name}.ipynb'>{name}</a>" if executed else name
        rows.append(f"<tr><td>{shown}</td><td>{state}</td></tr>")
    return "<table><tr><th>notebook</th><th></th></tr>" + "".join(rows) + "</table>"


def _figures(study: Study) -> list[str]:
    names = sorted(path.stem for path in (study.outputs / "figures").glob("*.png"))
    return [
        f"<figure><a href='figures/{name}.svg'><img src='figures/{name}.png' alt='Figure {escape(name)}'></a>"
        f"<figcaption>{escape(name)}</figcaption></figure>"
        for name in names
    ]


def _tables(study: Study) -> str:
    names = sorted(path.stem for path in (study.outputs / "tables").glob("*.csv"))
    return "<ul>" + "".join(f"<li><a href='tables/{name}.csv'>{escape(name)}</a></li>" for name in names) + "</ul>"


def _profile_text(study: Study) -> str:
    import yaml

    return yaml.safe_dump(study.profile.model_dump(mode="json", by_alias=True), sort_keys=False)
