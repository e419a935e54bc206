"""An executed notebook as HTML: nbconvert's exporter, with formulas as MathML and pictures as files."""

from __future__ import annotations

import base64
import re
import struct
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from traitlets import Any as AnyTrait
from traitlets import Unicode

from artefacts.files import write_atomically
from pseudogec.report.display import METADATA
from pseudogec.report.site.mathematics import mathml
from pseudogec.report.site.run_record import PAGES

_DOTS_A_PIXEL = 1.5
"""Pictures are drawn for dense screens and print: how many of their dots make a pixel of the page."""

_OTHERWISE_ALT = "A figure without a description; the text around it and the code above say what it shows."


class Pictures(Preprocessor):
    """Finds or writes the file of each PNG among a notebook's outputs; drops captions, which go with their pictures."""

    outputs = AnyTrait(help="The folder of results, a Path.")
    notebook = Unicode(help="The notebook's name, for files of pictures that have no name of their own.")

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Say in each picture's metadata where its files are, and how large it is."""
        if cell.cell_type != "code":
            return cell, resources
        cell.outputs = [output for output in cell.outputs if not _about(output).get("caption_of")]
        for place, output in enumerate(cell.outputs):
            if "image/png" in output.get("data", {}):
                output.metadata["picture"] = self._picture(output, f"{self.notebook}-{index + 1}-{place + 1}")
        return cell, resources

    def _picture(self, output: NotebookNode, otherwise: str) -> dict[str, Any]:
        about = _about(output)
        name = about.get("figure", "")
        stem = self.outputs / "figures" / name
        if not name or not stem.with_name(f"{name}.png").is_file():
            name, stem = otherwise, self.outputs / PAGES / "pictures" / otherwise
            with write_atomically(stem.with_name(f"{name}.png")) as stream:
                stream.write(base64.b64decode(output.data["image/png"]))
        files = {kind: stem.with_name(f"{name}.{kind}") for kind in ("png", "svg", "csv")}
        links = {kind: relative(path, self.outputs) for kind, path in files.items() if path.is_file()}
        dots = _size(files["png"])
        return {
            "name": name,
            "links": links,
            "width": round(dots[0] / _DOTS_A_PIXEL),
            "height": round(dots[1] / _DOTS_A_PIXEL),
            "alt": output.metadata.get("image/png", {}).get("alt") or _OTHERWISE_ALT,
            "caption": about.get("caption", ""),
        }


def relative(path: Path, outputs: Path) -> str:
    """A file of the results as a page of a notebook links to it."""
    return f"../{path.relative_to(outputs).as_posix()}"


def _about(output: NotebookNode) -> Any:
    return output.get("metadata", {}).get(METADATA, {})


def _size(png: Path) -> tuple[int, int]:
    """Width and height in dots, which stand behind the signature of a PNG and the name of its first chunk."""
    with png.open("rb") as stream:
        width, height = struct.unpack(">II", stream.read(24)[16:])
    return width, height


class _Renderer(IPythonRenderer):
    """Markdown with formulas as MathML; links to notebooks lead to their pages."""

    def block_math(self, body: str) -> str:
        return mathml(body, block=True)

    def inline_math(self, body: str) -> str:
        return mathml(body, block=False)

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        page = re.fullmatch(r"(\w+)\.ipynb(#.*)?", url)
        if page:
            return str(super().link(text, f"{page[1]}.html{(page[2] or '').lower()}", title))
        # A file beside the notebooks' sources is none of the results.
        return str(super().link(text, url, title)) if re.match(r"https?:|#", url) else text


class PageExporter(HTMLExporter):
    """Makes the content of a page of an executed notebook.

    Args:
        outputs: the folder of results.
        notebook: the notebook's name.
    """

    exclude_anchor_links = True

    def __init__(self, outputs: Path, notebook: str) -> None:
        super().__init__(template_name="classic", preprocessors=[Pictures(outputs=outputs, notebook=notebook, enabled=True)])
        self.raw_template = (Path(__file__).parent / "templates" / "cells.html").read_text(encoding="utf-8")
        self.config.NbConvertBase.display_data_priority = ["text/html", "text/markdown", "image/png", "text/plain"]

    @pass_context
    def markdown2html(self, context: Context, source: str) -> str:
        """Markdown to HTML; the name is nbconvert's."""
        return str(MarkdownWithMath(renderer=_Renderer(escape=False, exclude_anchor_links=True)).render(source))
