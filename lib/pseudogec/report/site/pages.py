"""Writes the pages of a site, each from a template, and what they share."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from artefacts.files import write_atomically
from artefacts.progress import format_duration
from pseudogec.quick_imports import skip_address_grammars
from pseudogec.report.conclusions import STUDY, conclusion
from pseudogec.report.contrasts import NOT_IN_THIS_RUN
from pseudogec.report.papers import PAPERS, PLACES, PublishedItem, published_items
from pseudogec.report.site.pack_facts import pack_facts
from pseudogec.report.site.run_record import PAGES, RunRecord

if TYPE_CHECKING:
    from pseudogec.report.site.notebook_page import NotebookPage

INDEX = "index.html"

PAPERS_PAGE = "papers.html"
"""Page of all tables and figures of the papers, beside those of the notebooks."""

HEADLINE = "figure-gains_over_baseline"
"""The figure that stands first on the index: what each method gains, here and in the paper."""

SHAPES = {
    "as claimed": ("agrees", "✓"),
    "the opposite": ("disagrees", "✗"),
    "clearly higher": ("disagrees", "✗"),
    "clearly lower": ("disagrees", "✗"),
    "not decided": ("open", "○"),
    "not comparable": ("open", "≠"),
    NOT_IN_THIS_RUN: ("missing", "·"),
}
"""Verdict -> its class in the style sheet and the sign before it, as not everybody sees colours; others are mixed."""


def write_site(outputs: Path, run: RunRecord, course: bool = False) -> Path:
    """Write the site of a folder of results and return its index.

    The index is ``<outputs>/index.html``, all else is in ``<outputs>/site``. Pages link to notebooks, figures and tables where
    they are.

    Args:
        course: whether to write slides of each notebook, too.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    skip_address_grammars()
    from pseudogec.report.site.notebook_page import count_verdicts, read_page
    from pseudogec.report.site.slides import slides

    shutil.rmtree(outputs / PAGES, ignore_errors=True)
    for name in ("site.css", "site.js", *(("slides.css", "slides.js") if course else ())):
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
        shown: dict[str, Any] = {"page": page, "before": before, "after": after, "root": "../", "site": "", "course": course}
        _write(outputs / PAGES / f"{page.name}.html", environment.get_template("notebook.html").render(run=run, **shown))
        if course:
            made = environment.get_template("slides.html").render(run=run, page=page, slides=slides(page.html))
            _write(outputs / PAGES / f"{page.name}-slides.html", made)
    links = _links(pages)
    items = [(item, [(name, _counterpart(links, item, name)) for name in item.ours]) for item in published_items()]
    lacking = [item for item, found in items if found and not any(link for _, link in found)]
    counts = {place: sum(item.place == place and item not in lacking for item, _ in items) for place in PLACES}
    papers = {
        "items": items,
        "papers": PAPERS,
        "places": PLACES,
        "counts": counts,
        "lacking": lacking,
        "executed": executed,
        "root": "../",
        "site": "",
    }
    _write(outputs / PAGES / PAPERS_PAGE, environment.get_template("papers.html").render(run=run, **papers))
    index = environment.get_template("index.html").render(
        run=run,
        pages={page.name: page for page in pages},
        verdicts=count_verdicts(row["verdict"] for page in pages for table in page.claims for row in table.rows),
        shapes=SHAPES,
        not_in_this_run=NOT_IN_THIS_RUN,
        headline=_headline(pages),
        metrics=_metrics(outputs),
        conclusion=_conclusion(run.profile, outputs),
        pack=pack_facts(outputs),
        course=course,
        root="",
        site=f"{PAGES}/",
    )
    _write(outputs / INDEX, index)
    return outputs / INDEX


def _links(pages: Sequence[NotebookPage]) -> dict[tuple[str, str], str]:
    """Notebook and anchor of a saved table or figure, such as ``table-scaling``, or ``#heading`` -> where it is."""
    links = dict[tuple[str, str], str]()
    for page in pages:
        named = {f"#{entry.anchor}": entry for entry in page.headings}
        named |= {entry.anchor: entry for entry in (*page.tables, *page.figures)}
        links |= {(page.name, name): f"{page.name}.html#{entry.anchor}" for name, entry in named.items()}
    return links


def _counterpart(links: Mapping[tuple[str, str], str], item: PublishedItem, name: str) -> str:
    """The place of our table or figure of that name, of the kind of the paper's if there are both; empty if there is none."""
    other = {"table": "figure", "figure": "table"}[item.kind]
    anchors = [name] if name.startswith("#") else [f"{kind}-{name}" for kind in (item.kind, other)]
    return next((links[item.notebook, anchor] for anchor in anchors if (item.notebook, anchor) in links), "")


def _headline(pages: Sequence[NotebookPage]) -> str:
    """The figure that stands first on the index, with links from there; empty where the run has none."""
    from bs4 import BeautifulSoup, Tag

    for page in pages:
        figure = BeautifulSoup(page.html, "html.parser").find(id=HEADLINE)
        if isinstance(figure, Tag):
            del figure["id"]
            return str(figure).replace('"../', '"')
    return ""


def _conclusion(profile: str, outputs: Path) -> str:
    """What is concluded from the whole study, as HTML; empty where that was not written for these results."""
    from nbconvert.filters import markdown2html

    text = conclusion(profile, STUDY, outputs, tables="tables/")
    return markdown2html(text) if text else ""


def _metrics(outputs: Path) -> list[str]:
    """Signatures of the metrics behind the scores of all notebooks; none before the first whole run."""
    import pandas as pd

    path = outputs / "scores.parquet"
    return sorted(set(pd.read_parquet(path, columns=["signature"]).signature)) if path.is_file() else []


def _write(path: Path, text: str) -> None:
    with write_atomically(path) as stream:
        stream.write(text.encode())
