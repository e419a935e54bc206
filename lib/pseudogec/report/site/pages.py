"""Writes the pages of a site, each from a template, and what they share."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from artefacts.files import write_atomically
from artefacts.progress import format_duration
from pseudogec.report.conclusions import STUDY, conclusion
from pseudogec.report.contrasts import Verdict
from pseudogec.report.papers import PAPERS, PLACES, PublishedItem, published_items
from pseudogec.report.site.pack_facts import pack_facts
from pseudogec.report.site.run_record import PAGES, RunRecord
from pseudogec.report.tables import THIS_STUDY

if TYPE_CHECKING:
    from pseudogec.report.site.notebook_page import NotebookPage

INDEX = "index.html"

PAPERS_PAGE = "papers.html"
"""Page of all tables and figures of the papers, beside those of the notebooks."""

HEADLINE = "figure-gains_over_baseline"
"""The figure that stands first on the index: what each method gains, here and in the paper."""


def write_site(outputs: Path, run: RunRecord, course: bool = False) -> Path:
    """Write the site of a folder of results and return its index.

    The index is ``<outputs>/index.html``, all else is in ``<outputs>/site``. Pages link to notebooks, figures and tables where
    they are.

    Args:
        course: whether to write slides of each notebook, too.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

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
    items = [_Shown.of(item, links, outputs) for item in published_items()]
    papers = {
        "items": items,
        "papers": PAPERS,
        "counts": Counter(shown.place for shown in items),
        "rows": [sum(shown.rows[place] for shown in items) for place in (0, 1)],
        "executed": executed,
        "root": "../",
        "site": "",
    }
    _write(outputs / PAGES / PAPERS_PAGE, environment.get_template("papers.html").render(run=run, **papers))
    index = environment.get_template("index.html").render(
        run=run,
        pages={page.name: page for page in pages},
        verdicts=count_verdicts(row["verdict"] for page in pages for table in page.claims for row in table.rows),
        shapes={verdict: (verdict.look, verdict.sign) for verdict in Verdict},
        not_tested=Verdict.NOT_TESTED,
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


@dataclass(frozen=True)
class _Shown:
    """A table or figure of a paper in this run.

    Attributes:
        links: names of our counterparts, and where they are; empty for those that this run does not have.
        place: a key of ``PLACES``, or ``lacking``.
        rows: how many rows of results (of a figure, points) have ours beside them, and how many there are.
    """

    item: PublishedItem
    links: list[tuple[str, str]]
    place: str
    rows: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, item: PublishedItem, known: Mapping[tuple[str, str], str], outputs: Path) -> _Shown:
        links = [(name, _counterpart(known, item, name)) for name in item.ours]
        if links and not any(link for _, link in links):
            return cls(item, links, "lacking")
        if item.place != "beside":
            return cls(item, links, item.place)
        beside, every = rows = _rows(item, outputs)
        return cls(item, links, "beside" if beside == every else "part" if beside else "print", rows)

    @property
    def words(self) -> str:
        counted = " ({} of {} rows)".format(*self.rows) if self.place == "part" else ""
        return PLACES.get(self.place, "") + counted


_THEIRS = rf"^(?:paper[_ ](?!seed_corpus|pseudo_pairs)|{'|'.join(PAPERS.values())}|.*, paper$)"
_OURS = rf"^(?:f05$|{THIS_STUDY}|.*, here$)"
"""The columns of a saved table with a paper's numbers, and with ours."""


def _rows(item: PublishedItem, outputs: Path) -> tuple[int, int]:
    """How many rows of a paper's table have numbers of ours beside them, and how many it has, by the data that a run saved."""
    import pandas as pd

    folder = outputs / f"{item.kind}s"
    tables = [pd.read_csv(path, dtype=str) for name in item.ours if (path := folder / f"{name}.csv").is_file()]
    beside = every = 0
    for table in tables:
        if "study" in table:  # points of a curve, which stand for each other by rank
            of_study = table.groupby(["study", "method"]).pseudo_pairs.nunique().unstack(0, fill_value=0)
            theirs, ours = (of_study.get(name, of_study.iloc[:, 0] * 0) for name in (PAPERS[item.source], THIS_STUDY))
            beside, every = beside + int(theirs.clip(upper=ours).sum()), every + int(theirs.sum())
        else:
            theirs, ours = (table.filter(regex=kind).notna().any(axis=1) for kind in (_THEIRS, _OURS))
            beside, every = beside + int((theirs & ours).sum()), every + int(theirs.sum())
    return beside, every


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
