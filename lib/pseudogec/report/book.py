"""The book of a run: its executed notebooks as pages that need no server and no network.

Sphinx makes the pages, with myst-nb, which reads notebooks, and sphinx-book-theme. The run's
figures and tables are copied into the book, so its folder can be moved and put on any server.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import sys
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pseudogec import METADATA
from pseudogec.report.display import TABLE_ATTRIBUTE
from pseudogec.report.papers import PAPERS, PLACES, published_items

if TYPE_CHECKING:
    from docutils.nodes import Element, Node
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

    from pseudogec.study import Profile

TITLE = "Pseudo data for grammatical error correction"

INDEX = "index"
"""The front page: a notebook that is executed after the others, as it shows their results."""

_SETTINGS: dict[str, Any] = {
    "project": TITLE,
    "html_title": TITLE,
    "extensions": [
        "myst_nb",
        "sphinx_copybutton",
        "sphinx.ext.autodoc",
        "sphinx.ext.napoleon",
        "pseudogec.report.book",
    ],
    "add_module_names": False,
    "maximum_signature_line_length": 60,
    "python_display_short_literal_types": True,
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

_SHOWING = ("report.", "findings.", "samples.", "diagrams.")

_OPEN = {"algorithm", "exercise"}
"""Tags of cells whose code is not folded."""

_TABLE_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\.\./tables/[^)]*\)")
"""A number that is a link to a table, which only the book's own run has."""

_OTHERS = ":caption: Further\n:hidden:\n\npapers\npython"

_PYTHON = """\
# Use it from Python

`pip install .` in a clone takes what noise, M2 and GLEU scores and tests of differences need.
Extras: `.[errant]` edits and their types, `.[spelling]` noise from dictionaries, `.[study]`
trainings and notebooks.

```python
from pseudogec import noised, score, compare, corrected

pairs = noised(["He goes home ."], "direct_noise", seed=1)  # [(source, target), ...]
pairs = noised(sentences, "realistic", genuine="mine.m2")
a, b = score("a.txt", "test.m2"), score("b.txt", "test.m2")  # print P, R, F0.5 and the signature
compare(a, b)  # prints the difference, its 95% interval and p
corrected(["They was happy."])
```

For texts of any size, in constant memory:
`pseudogec noise --method direct_noise --input text.gz --output-prefix pseudo`.

```{eval-rst}
.. automodule:: pseudogec.api
   :members: noised, score, compare, corrected
   :member-order: bysource
```
"""

_BLANK = {"cell_type": "markdown", "id": "blank", "metadata": {}}


@dataclass(frozen=True, eq=False)
class Part:
    """The executed notebooks of a run, as a part of the book.

    Attributes:
        name: the run's profile.
        kind: what its sentences are.
        outputs: the run's folder; of other runs than the book's own the notebooks alone are read.
        chapters: names of notebooks, in order; those that were not executed are left out.
    """

    name: str
    kind: Literal["real learners", "simulation"]
    outputs: Path
    chapters: Sequence[str]

    @classmethod
    def of(cls, profile: Profile, outputs: Path) -> Self:
        return cls(
            profile.name,
            "simulation" if profile.simulation else "real learners",
            outputs,
            list(profile.notebooks),
        )

    @property
    def executed(self) -> list[str]:
        return [
            name
            for name in self.chapters
            if (self.outputs / "notebooks" / f"{name}.ipynb").is_file()
        ]


def write_book(own: Part, before: Sequence[Part] = ()) -> Path:
    """Write the book of a run, behind the parts of others, into the folder ``site`` of its outputs.

    The first part's front page is the book's; the run's own is a page, too. A notebook's page has
    its name, and that of its profile, too, if an earlier part has the same notebook.

    Returns:
        The front page.
    """
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    parts = [*before, own]
    pages: dict[Part, dict[str, str]] = {}
    for part in parts:
        taken = set().union(*pages.values())
        front = [INDEX] if part in (parts[0], own) else []
        pages[part] = {
            name: f"{part.name}-{name}" if name in taken else name
            for name in (*front, *part.executed)
        }
    with tempfile.TemporaryDirectory(prefix="pseudogec-") as folder, docutils_namespace():
        source, site = Path(folder, "source"), Path(folder, "site")
        (source / "_static").mkdir(parents=True)
        style = files(__package__).joinpath("book.css").read_text(encoding="utf-8")
        (source / "_static" / "book.css").write_text(style, encoding="utf-8")
        for part in parts:
            for name, page in pages[part].items():
                content = _page(part, name, pages, is_own=part is own)
                (source / f"{page}.ipynb").write_text(json.dumps(content), encoding="utf-8")
        (source / "papers.md").write_text(_papers(pages), encoding="utf-8")
        (source / "python.md").write_text(_PYTHON, encoding="utf-8")
        Sphinx(
            source,
            None,
            site,
            Path(folder, "doctrees"),
            "html",
            _SETTINGS,
            status=None,
            warning=sys.stderr,
        ).build()
        # Only for later builds into this folder, and not the same each time
        (site / ".buildinfo").unlink()
        for kind in ("figures", "tables"):
            if (own.outputs / kind).is_dir():
                shutil.copytree(own.outputs / kind, site / kind)
        shutil.rmtree(own.outputs / "site", ignore_errors=True)
        shutil.move(site, own.outputs / "site")
    return own.outputs / "site" / "index.html"


Pages = Mapping[Part, Mapping[str, str]]
"""The pages of each part's notebooks, by their names."""


def _page(part: Part, name: str, pages: Pages, is_own: bool) -> dict[str, Any]:
    """An executed notebook as the book shows it: code folded, figures and tables with links to
    their files.
    """
    path = part.outputs / "notebooks" / f"{name}.ipynb"
    if path.is_file():
        notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    else:
        notebook = {
            "cells": [{**_BLANK, "source": f"# {TITLE}"}],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }

    known = {name for its in pages.values() for name in its}

    def link(text: str) -> str:
        # A chapter that the book does not have is named without a link.
        text = re.sub(
            r"\[([^\]]*)\]\((\w+)\.ipynb\)",
            lambda named: named[0] if named[2] in known else named[1],
            text,
        )
        text = re.sub(
            r"(\]\(|href=')(\w+)\.ipynb",
            lambda match: f"{match[1]}{_page_of(match[2], part, pages)}.html",
            text,
        )
        return text.replace("](../tables/", "](tables/") if is_own else _TABLE_LINK.sub(r"\1", text)

    cells = [
        cell
        for cell in notebook["cells"]
        if cell["cell_type"] != "code" or "".join(cell["source"]).strip()
    ]
    injected = any("injected-parameters" in _tags(cell) for cell in cells)
    cells = [cell for cell in cells if not (injected and "parameters" in _tags(cell))]
    for cell in cells:
        cell["source"] = link("".join(cell["source"]))
        if cell["cell_type"] == "code":
            if "injected-parameters" in _tags(cell) or name == INDEX or _only_shows(cell["source"]):
                cell["metadata"]["tags"] = ["remove-input"]
            elif not _OPEN & {*_tags(cell)}:
                cell["metadata"]["tags"] = [*_tags(cell), "hide-input"]
            cell["outputs"] = list(
                _outputs(cell["outputs"], part.outputs if is_own else None, link)
            )
    cells = list(_with_something(cells))
    if len(pages) > 1:
        _name_part(cells[0], part, name, pages)
    if pages[part][name] == INDEX:
        cells.append({**_BLANK, "id": "toctree", "source": _contents(pages)})
    return {**notebook, "cells": cells}


def _page_of(notebook: str, part: Part, pages: Pages) -> str:
    """The page of a notebook that a part links to: its own, or else the first one."""
    return next(
        (each[notebook] for each in (pages[part], *pages.values()) if notebook in each), notebook
    )


def _name_part(first: dict[str, Any], part: Part, name: str, pages: Pages) -> None:
    """Write into a page's first cell where its numbers come from, and which other parts have the
    same chapter.
    """
    title, _, rest = first["source"].partition("\n")
    page = pages[part][name]
    if page != name:
        title = f"# Overview ({part.name})" if name == INDEX else f"{title} ({part.name})"
    others = [
        f"[{other.name}]({its[name]}.html)"
        for other, its in pages.items()
        if name in its and other is not part
    ]
    same = f"; the same chapter of {', '.join(others)}" if others and name != INDEX else ""
    first["source"] = f"{title}\n\n*{part.kind.capitalize()}, profile {part.name}{same}.*\n{rest}"


def _contents(pages: Pages) -> str:
    """The table of contents: one for each kind of sentences, and one of further pages."""
    listed: dict[str, list[str]] = {}
    for part, its in pages.items():
        listed.setdefault(part.kind, []).extend(page for page in its.values() if page != INDEX)
    trees = [
        f":caption: {kind.capitalize()}\n:hidden:\n\n" + "\n".join(its)
        for kind, its in listed.items()
    ]
    return "\n\n".join(f"```{{toctree}}\n{tree}\n```" for tree in [*trees, _OTHERS])


def _only_shows(source: str) -> bool:
    """Whether a cell only calls the report, so that its source tells a reader nothing."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:  # such as a line for the shell
        return False
    return all(
        isinstance(each, ast.Expr) and ast.unparse(each).startswith(_SHOWING) for each in statements
    )


def _with_something(cells: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The cells of sections that show something; a section whose every output says that there is
    nothing is left out.
    """
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


def _outputs(
    of_cell: Sequence[dict[str, Any]], outputs: Path | None, link: Callable[[str], str]
) -> Iterator[dict[str, Any]]:
    """Outputs with links to the files of figures and tables in the book's own run; without a run,
    as they are.
    """
    captions = {
        about["caption_of"] for output in of_cell if "caption_of" in (about := _about(output))
    }
    for output in of_cell:
        data, about = output.get("data", {}), _about(output)
        if "caption_of" in about:
            continue
        if "figure" in about and "image/png" in data:
            alt = output["metadata"].get("image/png", {}).get("alt", "")
            caption = about["caption"] if about["figure"] in captions else ""
            data = {
                "text/html": _figure(
                    outputs, about["figure"], "".join(data["image/png"]), alt, caption
                )
            }
        elif "text/html" in data:
            html = link("".join(data["text/html"]))
            tables = re.findall(rf'{TABLE_ATTRIBUTE}="([^"]+)"', html)
            links = (
                ""
                if outputs is None
                else "".join(_file(outputs, "tables", name, "csv") for name in tables)
            )
            data = {
                "text/html": html
                and "<div class='wide' tabindex='0' role='group' "
                f"aria-label='Table'>{html}</div><p class='files'>{links}</p>"
            }
        elif "text/markdown" in data:
            data = {"text/markdown": link("".join(data["text/markdown"]))}
        yield {**output, "data": data} if data else output


def _about(output: dict[str, Any]) -> dict[str, str]:
    about: dict[str, str] = output.get("metadata", {}).get(METADATA, {})
    return about


def _figure(outputs: Path | None, name: str, png: str, alt: str, caption: str) -> str:
    """A figure with links to its files in the book's own run; of another run, with the picture
    (base64) in the page.
    """
    path = (
        f"figures/{name}.png" if outputs and (outputs / "figures" / f"{name}.png").is_file() else ""
    )
    links = (
        "".join(_file(outputs, "figures", name, kind) for kind in ("png", "svg", "csv"))
        if outputs and path
        else ""
    )
    width = int.from_bytes(b64decode(png[:28])[16:20], "big")  # in pixels, of the PNG's header
    # Labels stay readable on a phone, where a wide figure scrolls.
    shape = f"class='dark-light' style='min-width:{0.36 * width:.0f}px' alt='{escape(alt)}'"
    picture = f"<img {shape} src='{path or f'data:image/png;base64,{png.strip()}'}'>"
    text = f"{escape(caption)} <span class='files'>{links}</span>"
    linked = f"<a href='figures/{name}.svg'>{picture}</a>" if path else picture
    focus = "" if path else " tabindex='0'"  # what scrolls can be reached by keyboard
    return f"<figure id='figure-{name}'{focus}>{linked}<figcaption>{text}</figcaption></figure>"


def _file(outputs: Path, folder: str, name: str, kind: str) -> str:
    """A link to a file of a figure or table, if there is one."""
    path = f"{folder}/{name}.{kind}"
    said = "data (CSV)" if kind == "csv" else kind.upper()
    return f"<a href='{path}'>{said}</a> " if (outputs / path).is_file() else ""


def _papers(pages: Pages) -> str:
    """A page that lists every numbered table and figure of the papers, and where it is in the
    book.
    """
    lines = ["# Tables and figures of the papers, and where they are here"]
    for source, paper in PAPERS.items():
        lines += [
            "",
            f"## {paper}",
            "",
            "| In the paper | What it shows | Here | Notebook |",
            "|:---|:---|:---|:---|",
        ]
        for item in published_items():
            if item.source == source:
                chapters = [its[item.notebook] for its in pages.values() if item.notebook in its]
                place = PLACES[item.place] if chapters else ""
                links = (
                    ", ".join(f"[{item.notebook[:2]}]({page}.html)" for page in chapters)
                    if place
                    else ""
                )
                here = "; ".join(filter(None, [place, item.note.replace("|", "\\|")]))
                lines.append(f"| {item.kind} {item.number} | {item.shows} | {here} | {links} |")
    return "\n".join(lines)


# Formulas

_KNOWN_OTHERWISE = {r"\arg": r"\operatorname{arg}", r"\textsc": r"\text"}
"""Commands that the converter does not know, and what stands for them."""


_LONG = 30
"""Characters of LaTeX from which a formula within a line may be wider than a phone, and scrolls by
itself.
"""


def mathml(formula: str, block: bool) -> str:
    """A formula, LaTeX without dollars, as MathML."""
    from latex2mathml.converter import convert

    known = re.sub(
        r"\\[A-Za-z]+",
        lambda command: _KNOWN_OTHERWISE.get(command[0], command[0]),
        formula.strip(),
    )
    return str(convert(known, display="block" if block else "inline"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx write formulas as MathML."""
    from docutils.nodes import SkipNode

    def visit(block: bool) -> Any:
        def write(self: HTML5Translator, node: Element) -> None:
            formula = node.astext()
            if block or len(formula) > _LONG:
                scrolls = "tabindex='0' role='group' aria-label='Formula'"
                self.body.append(
                    f"<span class='formula{' block' if block else ''}' "
                    f"{scrolls}>{mathml(formula, block)}</span>"
                )
            else:
                self.body.append(mathml(formula, block))
            raise SkipNode

        return write, _nothing

    app.add_html_math_renderer("mathml", visit(block=False), visit(block=True))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _nothing(self: HTML5Translator, node: Node) -> None:
    pass
