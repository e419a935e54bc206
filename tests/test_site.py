"""The site of a run: its pages stand by themselves, and say what the notebooks and their files say."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urldefrag

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup, Tag
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from pseudogec.commands.execute_notebook import CellError, execute
from pseudogec.report.papers import published_items
from pseudogec.report.site import NotebookRun, read_run, record_run, write_site
from pseudogec.report.site.notebook_page import mathml, read_page, write_as_shown
from pseudogec.report.site.pages import _Shown
from pseudogec.study import PROJECT, Study
from site_example import FAILURE

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def outputs(example_site: Path) -> Path:
    return example_site


def pages(outputs: Path) -> dict[Path, BeautifulSoup]:
    found = [outputs / "index.html", *sorted((outputs / "site").glob("*.html"))]
    return {path: read(path) for path in found}


def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def one(page: BeautifulSoup | Tag, selector: str) -> Tag:
    found = page.select(selector)
    assert len(found) == 1, f"{selector}: {len(found)} found"
    return found[0]


def test_every_executed_notebook_has_a_page_with_its_title_and_neighbours(outputs: Path) -> None:
    executed = sorted(path.stem for path in (outputs / "notebooks").glob("*.ipynb"))
    assert sorted(path.stem for path in (outputs / "site").glob("*.html")) == [*executed, "papers"]
    shown, failing = (read(outputs / "site" / f"{name}.html") for name in ("10_shown", "11_failing"))
    assert one(shown, "title").get_text() == "10 · Shown · classroom"
    assert one(shown, "a[rel=next]")["href"] == "11_failing.html"
    assert one(shown, "a[rel=prev]")["href"] == f"{executed[-3]}.html"
    assert not failing.select("a[rel=next]")


def test_every_link_and_every_file_is_there(outputs: Path) -> None:
    ids = {path.resolve(): {str(element["id"]) for element in page.select("[id]")} for path, page in pages(outputs).items()}
    for path, page in pages(outputs).items():
        for element in page.select("[href], [src]"):
            url = str(element.get("href") or element.get("src"))
            if url == "data:," or (element.name == "a" and re.match("https?://", url)):
                continue  # an icon that is none; what prose refers to
            target, fragment = urldefrag(unquote(url))
            assert not re.match(r"[a-z]+:|/", target), f"{path.name} reaches out of the folder: {url}"
            file = (path.parent / target).resolve() if target else path.resolve()
            assert file.is_relative_to(outputs.resolve()), f"{path.name}: {url}"
            assert file.is_file(), f"{path.name}: {url}"
            assert not fragment or fragment in ids[file], f"{path.name}: {url}"


def test_nothing_is_loaded_from_elsewhere(outputs: Path) -> None:
    for path in [*pages(outputs), outputs / "site" / "site.css", outputs / "site" / "site.js"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"""(src|srcset)\s*=\s*["']?https?:|<link[^>]+https?:|url\(|@import|cdn|require\.js""", text), (
            path.name
        )
        assert "file://" not in text
        assert str(outputs.parent) not in text


def test_every_picture_says_what_it_shows_and_has_a_size(outputs: Path) -> None:
    for path, page in pages(outputs).items():
        for picture in page.select("figure img"):
            assert str(picture["alt"]).strip(), path.name
            assert int(str(picture["width"])) > 100
            assert int(str(picture["height"])) > 100


def test_ids_are_unique_and_pages_have_landmarks(outputs: Path) -> None:
    for path, page in pages(outputs).items():
        ids = [str(element["id"]) for element in page.select("[id]")]
        assert len(ids) == len(set(ids)), path.name
        assert one(page, "html")["lang"] == "en"
        assert one(page, "main")["id"] == "content"
        assert one(page, "a.skip")["href"] == "#content"
        assert len(page.select("h1")) == 1, path.name
        assert page.select("header") and page.select("nav[aria-label]")


def test_a_saved_figure_comes_with_its_words_and_files(outputs: Path) -> None:
    figure = one(read(outputs / "site" / "10_shown.html"), "#figure-a_line")
    picture = one(figure, "img")
    assert picture["src"] == "../figures/a_line.png"
    assert one(figure, "a.enlarge")["href"] == "../figures/a_line.svg"
    for words in ("A line & its <points>.", "pairs (1 to 4)", "F0.5 (percent) (3 to 5.5)", "method: ours"):
        assert words in str(picture["alt"])
    assert "A line & its <points>." in one(figure, "figcaption").get_text()
    assert {link.get_text() for link in figure.select(".files a")} == {"PNG", "SVG", "data (CSV)"}
    rows = list(csv.DictReader((outputs / "figures" / "a_line.csv").open()))
    assert [float(row["score"]) for row in rows] == [3.0, 5.5, 4.0]


def test_the_caption_of_a_figure_is_not_repeated_below_it(outputs: Path) -> None:
    page = read(outputs / "site" / "10_shown.html")
    shown = page.select("figcaption, .output")
    assert sum(element.get_text().count("A line & its <points>.") for element in shown) == 1


def test_a_figure_that_was_not_saved_is_shown_all_the_same(outputs: Path) -> None:
    page = read(outputs / "site" / "10_shown.html")
    [picture] = [figure for figure in page.select("figure img") if "a_line" not in str(figure["src"])]
    assert (outputs / "site" / str(picture["src"])).read_bytes().startswith(b"\x89PNG")


def test_a_table_leads_to_its_data_and_says_what_its_headers_head(outputs: Path) -> None:
    box = one(read(outputs / "site" / "10_shown.html"), "#table-a_table")
    assert one(box, "a")["href"] == "../tables/a_table.csv"
    assert [str(cell["scope"]) for cell in box.select("thead th")] == ["col", "col"]
    caption = one(box, ".caption")
    assert caption["id"] == one(box, "table")["aria-describedby"]
    assert caption.get_text().startswith("What is shown. Simulation")


def test_a_table_of_many_columns_is_printed_on_a_sheet_of_its_own_breadth(outputs: Path) -> None:
    systems = one(read(outputs / "site" / "05_top_systems.html"), "#table-top_systems_taslp2020")
    narrow = one(read(outputs / "site" / "10_shown.html"), "#table-a_table")
    assert "wide" in systems["class"] and "wide" not in narrow["class"]


def test_every_table_has_data_that_can_be_read(outputs: Path) -> None:
    for path, page in pages(outputs).items():
        for box in page.select("main.page div.table, .columns div.table"):
            data = path.parent / str(box.select("a[href$='.csv']")[-1]["href"])
            rows = list(csv.reader(data.open(encoding="utf-8", newline="")))
            assert len(rows) > 1 or not box.select("thead"), data


def test_code_is_folded_and_there(outputs: Path) -> None:
    for path in sorted((outputs / "site").glob("[01]*.html")):
        cells = nbformat.read(outputs / "notebooks" / f"{path.stem}.ipynb", as_version=4).cells
        unfolded = [cell for cell in cells if {"algorithm", "exercise"} & {*cell.metadata.get("tags", ())}]
        code = read(path).select("details.code")
        assert len(code) > len(unfolded) == sum(details.has_attr("open") for details in code)
    assert "axes.legend" in read(outputs / "site" / "10_shown.html").get_text()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_formula_of_the_notebooks_becomes_mathml(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            for block, line in re.findall(r"\$\$(.+?)\$\$|(?<![\\`])\$([^$`]+?)\$", text, re.DOTALL):
                converted = mathml(block or line, block=bool(block))
                assert "<math" in converted, f"{path.stem}: cannot be converted: {block or line}"


def test_mathml_means_what_the_formula_means() -> None:
    fraction = BeautifulSoup(mathml(r"\frac{TP}{TP+FP}", block=True), "html.parser")
    top, bottom = one(fraction, "mfrac").find_all("mrow", recursive=False)
    assert (top.get_text(), bottom.get_text()) == ("TP", "TP+FP")
    assert one(fraction, "math")["display"] == "block"
    assert "argmin" in BeautifulSoup(mathml(r"\arg\min_\Theta", block=False), "html.parser").get_text()


@pytest.mark.parametrize(
    "formula", [r"\frac{a}{", r"\nosuchcommand x", r"\begin{aligned}a & = b \\ & = c\end{aligned}", r"a \\ b"]
)
def test_a_formula_that_cannot_be_converted_is_shown_as_it_was_typed(formula: str) -> None:
    assert BeautifulSoup(mathml(formula, block=True), "html.parser").get_text() == formula


def test_headings_are_listed_and_links_between_notebooks_lead_to_pages(outputs: Path) -> None:
    page = read(outputs / "site" / "10_shown.html")
    assert [link["href"] for link in page.select(".contents li a")] == ["#a-heading", "#a-heading-2"]
    links = {link.get_text(): link["href"] for link in page.select(".prose a")}
    assert links == {"the failing one": "11_failing.html"}, "a file that is not among the results is no link"


def test_an_anchor_in_the_prose_is_no_link_to_numbers(tmp_path: Path) -> None:
    shown = new_output("display_data", data={"text/markdown": "The best is 5.5."})
    cells = [new_markdown_cell("# A\n\n<a id='here'></a>"), new_code_cell("", outputs=[shown], metadata={"tags": ["finding"]})]
    (tmp_path / "notebooks").mkdir()
    nbformat.write(new_notebook(cells=cells), tmp_path / "notebooks" / "a.ipynb")
    [headline] = read_page(tmp_path, "a").headlines
    assert (headline.anchor, headline.data) == ("finding-1", "")


def test_a_failed_notebook_is_shown_as_failed(outputs: Path) -> None:
    page = read(outputs / "site" / "11_failing.html")
    assert FAILURE.strip() in one(page, "section.failed").get_text()
    assert "ZeroDivisionError" in one(page, "pre.failure").get_text()
    index = read(outputs / "index.html")
    row = one(index, "main").find("a", string="11 · Failing")
    assert row is not None and "failed" in row.find_parent("tr").get_text()  # type: ignore[union-attr]
    assert FAILURE.strip() in one(index, "details.failed").get_text()


def test_a_notebook_whose_kernel_dies_is_kept_up_to_there(tmp_path: Path) -> None:
    codes = ("profile = ''", "print('begun')", "import os; os._exit(9)", "print('never')")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new_notebook(cells=list(map(new_code_cell, codes)), metadata=kernel), tmp_path / "source.ipynb")
    executed = tmp_path / "executed.ipynb"
    executed.write_text("what an earlier run left")
    with pytest.raises(CellError) as told:
        execute(tmp_path / "source.ipynb", executed, {})
    assert (told.value.cell, told.value.traceback) == (3, ()) and "kernel died" in told.value.error
    assert [len(cell.outputs) for cell in nbformat.read(executed, as_version=4).cells] == [0, 1, 0, 0]


def test_the_index_names_notebooks_that_were_not_run(outputs: Path) -> None:
    name = read(outputs / "index.html").find("th", string="12_never_run")
    assert name is not None and "not yet" in name.find_parent("tr").get_text()  # type: ignore[union-attr]


def section(index: BeautifulSoup, title: str) -> list[Tag]:
    """What follows a heading of the index up to the next one."""
    heading = next(heading for heading in index.select("h3") if heading.get_text() == title)
    following = heading.find_next_siblings()
    end = next((place for place, element in enumerate(following) if element.name in ("h2", "h3")), len(following))
    return following[:end]


def test_the_index_repeats_findings_with_the_way_to_their_numbers(outputs: Path) -> None:
    findings = [
        element for element in section(read(outputs / "index.html"), "10 · Shown") if "finding" in element.get("class", "")
    ]
    assert len(findings) == 1, "a finding without a number is none"
    assert "The best is two (F0.5 5.5)." in findings[0].get_text()
    assert [link["href"] for link in findings[0].select("a")] == ["site/10_shown.html#finding-1", "tables/claims_shown.csv"]


def test_the_index_repeats_a_sentence_that_systems_correct_differently(outputs: Path) -> None:
    shown = one(read(outputs / "site" / "10_shown.html"), "#one-sentence")
    repeated = [table for table in read(outputs / "index.html").select("table") if table.get_text() == shown.table.get_text()]
    assert len(repeated) == 1
    assert "He go goes" in repeated[0].get_text()


def test_claims_that_a_run_cannot_compare_are_folded(outputs: Path) -> None:
    index = read(outputs / "index.html")
    folded = index.select("details .claims .verdict")
    assert folded and all("not tested" in verdict.get_text() for verdict in folded)
    assert len(index.select(".claims .verdict.missing")) == len(folded)


def test_the_index_repeats_claims_with_their_verdicts_and_numbers(outputs: Path) -> None:
    claims, links = section(read(outputs / "index.html"), "10 · Shown")[:2]
    assert one(claims, "strong").get_text() == "Noise helps"
    assert one(claims, ".verdict.agrees").get_text().split(maxsplit=1) == ["✓", "as claimed"]
    assert [line.get_text() for line in claims.select("li li")] == [
        "one against none: +1.0 (2/2) in F0.5",
        "two against none: +2.0 (2/2)",
        "In the paper: one against none: +3.0",
    ]
    assert [link["href"] for link in links.select("a")] == ["site/10_shown.html#table-claims_shown", "tables/claims_shown.csv"]


def test_the_index_counts_the_verdicts_on_claims(outputs: Path) -> None:
    index = read(outputs / "index.html")
    # A second verdict, under equal variances, is not counted.
    given = [verdict.get_text() for verdict in index.select(".claims .verdict:not(.verdict ~ .verdict)")]
    counted = one(index, "#findings + p + p").get_text()
    assert counted.startswith(f"Claims of the papers, {len(given)} in all: ")
    listed = " ".join(counted.split()).partition(": ")[2]
    counts = {verdict: int(count) for count, verdict in re.findall(r"(\d+) \W (\D+?)[,.]", listed)}
    assert counts["as claimed"] == given.count("✓ as claimed") > 0
    assert sum(counts.values()) == len(given)


def test_the_index_says_how_it_was_run(outputs: Path) -> None:
    run = read_run(outputs)
    assert run is not None
    facts = one(read(outputs / "index.html"), ".facts").get_text()
    for said in ("classroom", "a simulation", "1, 2, 3", f"torch {run.versions['torch']}", run.machine["Processor"], "errant:"):
        assert said in facts
    assert run.settings in read(outputs / "index.html").get_text()


def test_the_same_results_give_the_same_bytes(outputs: Path, tmp_path: Path) -> None:
    run = read_run(outputs)
    assert run is not None
    copies = []
    for name in ("one", "other"):
        copy = tmp_path / name
        shutil.copytree(outputs, copy)
        write_site(copy, run)
        copies.append({path.relative_to(copy): path.read_bytes() for path in copy.rglob("*") if path.is_file()})
    assert copies[0] == copies[1]


def test_a_run_of_some_notebooks_keeps_what_is_known_of_the_others(tmp_path: Path) -> None:
    study = Study.open("smoke", store=tmp_path / "store", outputs=tmp_path / "outputs")
    names = list(study.profile.notebooks)
    record_run(
        study, {names[0]: NotebookRun(seconds=1, date="2026-01-01"), names[1]: NotebookRun(seconds=1, date="2026-01-01")}, 1, 1
    )
    record_run(study, {names[1]: NotebookRun(seconds=2, date="2026-01-02", error="no")}, 1, 1)
    run = read_run(tmp_path / "outputs")
    assert run is not None
    assert run.notebooks[names[0]] == NotebookRun(seconds=1, date="2026-01-01")
    assert run.notebooks[names[1]] == NotebookRun(seconds=2, date="2026-01-02", error="no")
    assert run.notebooks[names[2]] is None
    assert list(run.notebooks) == names
    changed = Study.open("smoke", ["seeds=[7]"], store=tmp_path / "store", outputs=tmp_path / "outputs")
    record = record_run(changed, {names[2]: NotebookRun(seconds=3, date="2026-01-03")}, 1, 1)
    assert [name for name, known in record.notebooks.items() if known] == [names[2]]  # the others were run with other settings


def test_a_record_of_another_version_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"profile": "smoke"}')
    assert read_run(tmp_path) is None


def test_a_cell_over_several_rows_is_in_each_row_of_the_data(tmp_path: Path) -> None:
    """Pandas writes the first level of a grouped table once for its rows."""
    index = pd.MultiIndex.from_tuples([("joint", 1), ("joint", 2), ("pretrain", 1)], names=["setting", "pairs"])
    columns = pd.MultiIndex.from_tuples([("F0.5", "mean"), ("F0.5", "sd"), ("seeds", "")])
    table = BeautifulSoup(pd.DataFrame([[1, 2, 3], [4, 5, 6], [7, 8, 9]], index, columns).to_html(), "html.parser").table
    assert table is not None
    write_as_shown(table, tmp_path / "table.csv")
    rows = list(csv.reader((tmp_path / "table.csv").read_text().splitlines()))
    assert rows[-3:] == [["joint", "1", "1", "2", "3"], ["joint", "2", "4", "5", "6"], ["pretrain", "1", "7", "8", "9"]]
    assert rows[0][2] == "F0.5" and rows[1][2:4] == ["mean", "sd"]


def test_rows_of_the_papers_tables_are_counted(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "figures").mkdir()
    item = next(each for each in published_items() if (each.source, each.number) == ("taslp2020", "IV"))
    rows = "method,f05,paper_f05\nnone,40,37.7\ndirect_noise,41,40.9\nbacktrans_noisy,,39.1\nrealistic,42,\n"
    (tmp_path / "tables" / "generation_methods.csv").write_text(rows)
    links = {(item.notebook, "table-generation_methods"): "there"}
    some = _Shown.of(item, links, tmp_path)
    assert (some.place, some.rows, some.words) == ("part", (2, 3), "in part (2 of 3 rows)")
    (tmp_path / "tables" / "generation_methods.csv").write_text(rows.replace("_noisy,,", "_noisy,43,"))
    assert (_Shown.of(item, links, tmp_path).place, _Shown.of(item, {}, tmp_path).place) == ("beside", "lacking")
    curve = next(each for each in published_items() if (each.source, each.number) == ("taslp2020", "4"))
    points = "study,method,pseudo_pairs\nthis study,realistic,1\nthis study,direct_noise,1\n"
    theirs = "".join(f"Kiyono et al. 2020,direct_noise,{pairs}\n" for pairs in (10, 20, 30))
    (tmp_path / "figures" / "scaling.csv").write_text(points + theirs)
    assert _Shown.of(curve, {(curve.notebook, "figure-scaling"): "there"}, tmp_path).rows == (1, 3)
