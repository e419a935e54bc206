"""Writes the pages of a site, each from a template, and what they share."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

from artefacts.files import write_atomically
from artefacts.progress import format_duration
from pseudogec.quick_imports import skip_address_grammars
from pseudogec.report.site.run_record import PAGES, RunRecord

INDEX = "index.html"


def write_site(outputs: Path, run: RunRecord) -> Path:
    """Write the site of a folder of results and return its index.

    The index is ``<outputs>/index.html``, all else is in ``<outputs>/site``. Pages link to notebooks, figures and tables where
    they are.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    skip_address_grammars()
    from pseudogec.report.site.notebook_page import read_page

    shutil.rmtree(outputs / PAGES, ignore_errors=True)
    for name in ("site.css", "site.js"):
        _write(outputs / PAGES / name, files(__package__).joinpath("templates", name).read_text(encoding="utf-8"))
    executed = [name for name in run.notebooks if (outputs / "notebooks" / f"{name}.ipynb").is_file()]
    pages = [read_page(outputs, name) for name in executed]
    environment = Environment(
        loader=PackageLoader("pseudogec.report.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["duration"] = format_duration
    for before, page, after in zip([None, *pages], pages, [*pages[1:], None], strict=False):
        shown: dict[str, Any] = {"page": page, "before": before, "after": after, "root": "../", "site": ""}
        _write(outputs / PAGES / f"{page.name}.html", environment.get_template("notebook.html").render(run=run, **shown))
    index = environment.get_template("index.html").render(
        run=run, pages={page.name: page for page in pages}, metrics=_metrics(outputs), root="", site=f"{PAGES}/"
    )
    _write(outputs / INDEX, index)
    return outputs / INDEX


def _metrics(outputs: Path) -> list[str]:
    """Signatures of the metrics behind the scores of all notebooks; none before the first whole run."""
    import pandas as pd

    path = outputs / "scores.parquet"
    return sorted(set(pd.read_parquet(path, columns=["signature"]).signature)) if path.is_file() else []


def _write(path: Path, text: str) -> None:
    with write_atomically(path) as stream:
        stream.write(text.encode())
