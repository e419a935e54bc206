"""The book of a run: a page for every notebook, nothing from the network, no solutions for a
class.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Playwright

from browser.conftest import opened
from pseudogec.commands.execute_notebook import as_read
from pseudogec.report.book import Part, mathml, write_book
from pseudogec.study import PROJECT
from pseudogec.study.study import open_profile

pytestmark = pytest.mark.slow

SOURCES = sorted(path for path in (PROJECT / "notebooks").glob("*.ipynb"))

NAMES = ("index", "01_generation_methods", "05_top_systems")


def chapters(outputs: Path) -> list[str]:
    return sorted(path.stem for path in (outputs / "notebooks").glob("[0-9]*.ipynb"))


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the committed notebooks of the classroom, with the files of one table, and their
    book.
    """
    folder = tmp_path_factory.mktemp("book") / "outputs"
    shutil.copytree(PROJECT / "outputs" / "classroom" / "notebooks", folder / "notebooks")
    (folder / "tables").mkdir()
    (folder / "tables" / "generation_methods.csv").write_text("method,f05\nnone,1.0\n")
    write_book(Part("classroom", "simulation", folder, chapters(folder)))
    return folder


def links(page: Path) -> Iterator[str]:
    """What a page links to or loads."""
    for url in re.findall(r"""(?:href|src)=["']([^"']+)["']""", page.read_text(encoding="utf-8")):
        yield unquote(urldefrag(url)[0])


def test_a_book_has_a_page_for_every_notebook_and_no_warning(
    outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        write_book(
            Part("classroom", "simulation", outputs, [*chapters(outputs), "10_never_executed"])
        )
        == outputs / "site" / "index.html"
    )
    assert not capsys.readouterr().err
    pages = {path.stem for path in (outputs / "site").glob("*.html")}
    assert pages >= {"index", "papers", "search", *chapters(outputs)}
    assert "10_never_executed" not in pages


def test_links_between_pages_and_to_data_lead_somewhere(outputs: Path) -> None:
    seen = {
        link
        for name in NAMES
        for link in links(outputs / "site" / f"{name}.html")
        if re.fullmatch(r"[^:]+\.(html|csv)", link)
    }
    assert {"01_generation_methods.html", "tables/generation_methods.csv"} <= seen
    written_by_hand = {link for link in seen if link.startswith("tables/")} - {
        "tables/generation_methods.csv"
    }
    assert all((outputs / "site" / link).is_file() for link in seen - written_by_hand)


def test_a_class_gets_no_solutions(outputs: Path, tmp_path: Path) -> None:
    assert "Solution of exercise" in (outputs / "site" / "01_generation_methods.html").read_text()
    shutil.copytree(outputs / "notebooks", tmp_path / "notebooks")
    for executed in (tmp_path / "notebooks").glob("*.ipynb"):
        executed.write_text(json.dumps(as_read(json.loads(executed.read_text()), course=True)))
    write_book(Part("mine", "simulation", tmp_path, ["01_generation_methods"]))
    page = (tmp_path / "site" / "01_generation_methods.html").read_text()
    assert "Exercise 1." in page and "Solution of exercise" not in page


def test_parts_of_other_runs_come_first_and_link_to_each_other(tmp_path: Path) -> None:
    shutil.copytree(PROJECT / "outputs" / "classroom" / "notebooks", tmp_path / "notebooks")
    own = Part("classroom", "simulation", tmp_path, ["04_scaling"])
    before = [
        Part.of(open_profile(name), PROJECT / "outputs" / name)
        for name in ("learners", "what-they-buy")
    ]
    front = write_book(own, before)
    pages = {path.stem: path.read_text() for path in front.parent.glob("*.html")}
    assert {
        "04_scaling",
        "classroom-04_scaling",
        "classroom-index",
        "09_what_pseudo_data_buy",
    } <= set(pages)
    titles = [re.search(r"<title>(.*?)</title>", page, re.DOTALL)[1] for page in pages.values()]
    assert len(set(titles)) == len(titles)
    assert (
        "classroom-04_scaling.html" in pages["04_scaling"]
        and ("Real learners, profile learners") in pages["04_scaling"]
    )
    assert not re.search('alt="_images', "".join(pages.values())), (
        "pictures of other runs are described, too"
    )
    for page in pages.values():
        named = {
            unquote(urldefrag(url)[0]) for url in re.findall(r"""href=["']([^"':]+\.html)""", page)
        }
        assert named <= {f"{name}.html" for name in pages}


def test_without_a_front_page_there_is_a_list_of_chapters(outputs: Path, tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    shutil.copy(outputs / "notebooks" / "04_scaling.ipynb", tmp_path / "notebooks")
    assert (
        "04_scaling.html"
        in write_book(Part("mine", "simulation", tmp_path, ["04_scaling"])).read_text()
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_formula_of_the_notebooks_becomes_mathml(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            for block, line in re.findall(
                r"\$\$(.+?)\$\$|(?<![\\`])\$([^$`]+?)\$", text, re.DOTALL
            ):
                converted = mathml(block or line, block=bool(block))
                assert "<math" in converted and not re.search(r"\\[A-Za-z]", converted), (
                    f"{path.stem}: {block or line}"
                )


@pytest.fixture(scope="module")
def phone(
    playwright: Playwright, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    with opened(playwright, chromium, tmp_path_factory.mktemp("profile"), 390) as (_, tab):
        yield tab


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_read_on_a_phone_without_network(phone: Page, outputs: Path, name: str) -> None:
    asked: list[str] = []
    phone.on("request", lambda request: asked.append(request.url))
    phone.goto((outputs / "site" / f"{name}.html").as_uri())
    assert asked and all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    assert phone.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    faults = Axe().run(phone).response["violations"]
    assert not [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")]
