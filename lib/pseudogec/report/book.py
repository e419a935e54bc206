"""The book of a run: its executed notebooks as pages that need no server and no network.

Sphinx makes the pages, with myst-nb, which reads notebooks, and sphinx-book-theme. Pages show figures from the folders
``figures`` and ``tables`` beside the book, and link to the files there.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pseudogec import METADATA
from pseudogec.report.display import TABLE_ATTRIBUTE
from pseudogec.report.papers import PAPERS, PLACES, published_items

if TYPE_CHECKING:
    from docutils.nodes import Element, Node
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

TITLE = "Pseudo data for grammatical error correction"

INDEX = "index"
"""The front page: a notebook that is executed after the others, as it shows their results."""

_SETTINGS: dict[str, Any] = {
    "project": TITLE,
    "html_title": TITLE,
    "extensions": ["myst_nb", "sphinx_copybutton", "pseudogec.report.book"],
    "html_theme": "sphinx_book_theme",
    "html_theme_options": {
        "home_page_in_toc": True,
        "show_toc_level": 2,
        "use_download_button": False,
        "use_fullscreen_button": False,
        "navbar_persistent": [],
        "footer_content_items": [],
    },
    "html_static_path": ["_static"],
    "html_css_files": ["book.css"],
    "html_math_renderer": "mathml",
    "html_copy_source": False,
    "html_show_copyright": False,
    "myst_enable_extensions": ["amsmath", "dollarmath"],
    "myst_dmath_double_inline": True,
    "myst_heading_anchors": 3,
    "myst_all_links_external": True,
    "nb_execution_mode": "off",
    "nb_merge_streams": True,
    "nb_render_markdown_format": "myst",
    "nb_code_prompt_show": "Show {type}",
    "nb_code_prompt_hide": "Hide {type}",
}

_OPEN = {"algorithm", "exercise"}
"""Tags of cells whose code is not folded."""

_BLANK = {"cell_type": "markdown", "id": "blank", "metadata": {}}


def write_book(outputs: Path, chapters: Sequence[str]) -> Path:
    """Write the book of a folder of results into its folder ``site``.

    Args:
        chapters: names of notebooks, in order; those that were not executed are left out.

    Returns:
        The front page.
    """
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    chapters = [name for name in chapters if (outputs / "notebooks" / f"{name}.ipynb").is_file()]
    with tempfile.TemporaryDirectory(prefix="pseudogec-") as folder, docutils_namespace():
        source, made = Path(folder, "source"), Path(folder, "site")
        (source / "_static").mkdir(parents=True)
        style = files(__package__).joinpath("book.css").read_text(encoding="utf-8")
        (source / "_static" / "book.css").write_text(style, encoding="utf-8")
        for name in (INDEX, *chapters):
            (source / f"{name}.ipynb").write_text(json.dumps(_page(outputs, name, chapters)), encoding="utf-8")
        (source / "papers.md").write_text(_papers(chapters), encoding="utf-8")
        Sphinx(source, None, made, Path(folder, "doctrees"), "html", _SETTINGS, status=None, warning=sys.stderr).build()
        (made / ".buildinfo").unlink()  # only for later builds into this folder, and not the same each time
        shutil.rmtree(outputs / "site", ignore_errors=True)
        shutil.move(made, outputs / "site")
    return outputs / "site" / "index.html"


def _page(outputs: Path, name: str, chapters: Sequence[str]) -> dict[str, Any]:
    """An executed notebook as the book shows it: code folded, figures and tables with links to their files."""
    path = outputs / "notebooks" / f"{name}.ipynb"
    if path.is_file():
        notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    else:
        notebook = {"cells": [{**_BLANK, "source": f"# {TITLE}"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] != "code" or "".join(cell["source"]).strip()]
    injected = any("injected-parameters" in _tags(cell) for cell in cells)
    cells = [cell for cell in cells if not (injected and "parameters" in _tags(cell))]
    for cell in cells:
        cell["source"] = re.sub(r"\]\((\w+)\.ipynb", r"](\1.html", "".join(cell["source"]))
        if cell["cell_type"] == "code":
            if "injected-parameters" in _tags(cell) or name == INDEX:
                cell["metadata"]["tags"] = ["remove-input"]
            elif not _OPEN & {*_tags(cell)}:
                cell["metadata"]["tags"] = [*_tags(cell), "hide-input"]
            cell["outputs"] = list(_outputs(cell["outputs"], outputs))
    cells = list(_with_something(cells))
    if name == INDEX:
        listed = "\n".join([*chapters, "papers"])
        cells.append({**_BLANK, "id": "toctree", "source": f"```{{toctree}}\n:hidden:\n\n{listed}\n```"})
    return {**notebook, "cells": cells}


def _with_something(cells: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The cells of sections that show something; a section whose every output says that there is nothing is left out."""
    sections: list[list[dict[str, Any]]] = [[]]
    for cell in cells:
        if cell["cell_type"] == "markdown" and cell["source"].startswith("## "):
            sections.append([])
        sections[-1].append(cell)
    for section in sections:
        outputs = [output for cell in section for output in cell.get("outputs", ())]
        shown = [output for output in outputs if not _says_nothing(output)]
        if shown or not outputs:
            for cell in section:
                if "outputs" in cell:
                    cell["outputs"] = [output for output in cell["outputs"] if output in shown]
                yield cell


def _says_nothing(output: dict[str, Any]) -> bool:
    data = output.get("data", {})
    said = ["".join(data[kind]).strip() for kind in ("text/markdown", "text/html") if kind in data]
    marked = any("nothing" in about for about in output.get("metadata", {}).values())
    return marked or (bool(said) and not any(said))


def _tags(cell: dict[str, Any]) -> list[str]:
    return list(cell["metadata"].get("tags", ()))


def _outputs(given: Sequence[dict[str, Any]], outputs: Path) -> Iterator[dict[str, Any]]:
    captions = {about["caption_of"] for output in given if "caption_of" in (about := _about(output))}
    for output in given:
        data, about = output.get("data", {}), _about(output)
        if about.get("caption_of"):
            continue
        if "figure" in about and (outputs / "figures" / f"{about['figure']}.png").is_file():
            alt = output["metadata"].get("image/png", {}).get("alt", "")
            caption = about["caption"] if about["figure"] in captions else ""
            data = {"text/html": _figure(outputs, about["figure"], alt, caption)}
        elif "text/html" in data:
            html = re.sub(r"href='(\w+)\.ipynb", r"href='\1.html", "".join(data["text/html"]))
            links = "".join(_file(outputs, "tables", name, "csv") for name in re.findall(rf'{TABLE_ATTRIBUTE}="([^"]+)"', html))
            data = {
                "text/html": html
                and f"<div class='wide' tabindex='0' role='group' aria-label='Table'>{html}</div><p class='files'>{links}</p>"
            }
        elif "text/markdown" in data:
            data = {"text/markdown": re.sub(r"\]\((\w+)\.ipynb", r"](\1.html", "".join(data["text/markdown"]))}
        yield {**output, "data": data} if data else output


def _about(output: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = output.get("metadata", {}).get(METADATA, {})
    return found


def _figure(outputs: Path, name: str, alt: str, caption: str) -> str:
    links = "".join(_file(outputs, "figures", name, kind) for kind in ("png", "svg", "csv"))
    with (outputs / "figures" / f"{name}.png").open("rb") as file:
        width = int.from_bytes(file.read(20)[16:], "big")  # in pixels, of the PNG's header
    # Labels stay readable on a phone, where a wide figure scrolls.
    picture = f"<img class='dark-light' style='min-width:{0.36 * width:.0f}px' src='../figures/{name}.png' alt='{escape(alt)}'>"
    told = f"{escape(caption)} <span class='files'>{links}</span>"
    return f"<figure id='figure-{name}'><a href='../figures/{name}.svg'>{picture}</a><figcaption>{told}</figcaption></figure>"


def _file(outputs: Path, folder: str, name: str, kind: str) -> str:
    """A link to a file of a figure or table, if there is one."""
    path = f"{folder}/{name}.{kind}"
    said = "data (CSV)" if kind == "csv" else kind.upper()
    return f"<a href='../{path}'>{said}</a> " if (outputs / path).is_file() else ""


def _papers(chapters: Sequence[str]) -> str:
    """A page that lists every numbered table and figure of the papers, and where it is in the book."""
    lines = ["# Tables and figures of the papers, and where they are here"]
    for source, paper in PAPERS.items():
        lines += ["", f"## {paper}", "", "| In the paper | What it shows | Here | Notebook |", "|:---|:---|:---|:---|"]
        for item in published_items():
            if item.source == source:
                place = PLACES[item.place] if item.notebook in chapters else ""
                link = f"[{item.notebook[:2]}]({item.notebook}.html)" if place else ""
                told = "; ".join(filter(None, [place, item.note.replace("|", "\\|")]))
                lines.append(f"| {item.kind} {item.number} | {item.shows} | {told} | {link} |")
    return "\n".join(lines)


# Formulas

_KNOWN_OTHERWISE = {r"\arg": r"\operatorname{arg}", r"\textsc": r"\text"}
"""Commands that the converter does not know, and what stands for them."""


_LONG = 30
"""Characters of LaTeX from which a formula within a line may be wider than a phone, and scrolls by itself."""


def mathml(formula: str, block: bool) -> str:
    """A formula, LaTeX without dollars, as MathML."""
    from latex2mathml.converter import convert

    known = re.sub(r"\\[A-Za-z]+", lambda command: _KNOWN_OTHERWISE.get(command[0], command[0]), formula.strip())
    return str(convert(known, display="block" if block else "inline"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx write formulas as MathML."""
    from docutils.nodes import SkipNode

    def visit(block: bool) -> Any:
        def write(self: HTML5Translator, node: Element) -> None:
            formula = node.astext()
            if block or len(formula) > _LONG:
                scrolls = "tabindex='0' role='group' aria-label='Formula'"
                self.body.append(f"<span class='formula{' block' if block else ''}' {scrolls}>{mathml(formula, block)}</span>")
            else:
                self.body.append(mathml(formula, block))
            raise SkipNode

        return write, _nothing

    app.add_html_math_renderer("mathml", visit(block=False), visit(block=True))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _nothing(self: HTML5Translator, node: Node) -> None:
    pass
