"""The site of a run in a real browser, opened from the disk: it loads, sorts, enlarges, prints, and can be used by everyone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Playwright, expect

from browser.conftest import opened
from pseudogec.report.site import read_run, write_site

pytestmark = pytest.mark.slow

WIDTHS = (1280, 390)

NAMES = ("index", "01_generation_methods", "10_shown", "11_failing")
"""One page of each template: the index; a notebook's page, of a long notebook and a short one; one that failed."""

LIGHTNESS = "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number))"


@pytest.fixture(scope="module")
def outputs(chromium: str, example_site: Path) -> Path:
    return example_site


@pytest.fixture(scope="module", params=WIDTHS, ids="{} pixels".format)
def page(
    request: pytest.FixtureRequest, playwright: Playwright, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    with opened(playwright, chromium, tmp_path_factory.mktemp("profile"), request.param) as (_, tab):
        yield tab


def visit(page: Page, outputs: Path, name: str) -> None:
    place = outputs / "index.html" if name == "index" else outputs / "site" / f"{name}.html"
    page.goto(place.as_uri())


def column(page: Page, table: str, number: int) -> list[str]:
    return [text.strip() for text in page.locator(f"{table} tbody tr > :nth-child({number})").all_text_contents()]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_loads_without_complaint_and_asks_the_network_for_nothing(page: Page, outputs: Path, name: str) -> None:
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"{request.url} did not load"))
    page.on("request", lambda request: asked.append(request.url))
    visit(page, outputs, name)
    assert not complaints
    assert asked and all(url.startswith(("file://", "data:")) for url in asked)


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_drawn_and_described(page: Page, outputs: Path, name: str) -> None:
    visit(page, outputs, name)
    for picture in page.locator("main img").all():
        assert picture.evaluate("image => image.complete && image.naturalWidth > 100 && image.naturalHeight > 100")
        assert (picture.get_attribute("alt") or "").strip()
        drawn = picture.evaluate("image => [image.width / image.height, image.naturalWidth / image.naturalHeight]")
        assert drawn[0] == pytest.approx(drawn[1], rel=0.02), "stretched"


@pytest.mark.parametrize("name", NAMES)
def test_only_boxes_within_a_page_scroll_sideways(page: Page, outputs: Path, name: str) -> None:
    visit(page, outputs, name)
    width = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width[0] <= width[1]


@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_serious(page: Page, outputs: Path, name: str) -> None:
    visit(page, outputs, name)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    found = Axe().run(page).response["violations"]
    faults = [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: {fault['nodes'][0]['html'][:200]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", NAMES)
def test_colours_can_be_told_apart_in_the_dark_too(page: Page, outputs: Path, name: str) -> None:
    page.emulate_media(color_scheme="dark")
    visit(page, outputs, name)
    assert page.evaluate(LIGHTNESS) < 50
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    found = Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    page.emulate_media(color_scheme="light")
    faults = [f"{node['html'][:200]}: {node['any'][0]['message']}" for fault in found for node in fault["nodes"]]
    assert not faults, "\n".join(faults)


def test_who_likes_it_dark_prints_on_white_all_the_same(page: Page, outputs: Path) -> None:
    page.emulate_media(color_scheme="dark", media="print")
    visit(page, outputs, "10_shown")
    assert page.evaluate(LIGHTNESS) == 255
    page.emulate_media(color_scheme="light", media="screen")


def test_links_lead_from_page_to_page(page: Page, outputs: Path) -> None:
    visit(page, outputs, "index")
    page.get_by_role("link", name="10 · Shown").first.click()
    expect(page).to_have_title("10 · Shown · classroom")
    page.get_by_role("link", name="11 · Failing", exact=True).click()
    expect(page.get_by_role("region", name="Failure")).to_contain_text("division by zero")
    page.get_by_role("link", name="Pseudo data for grammatical error correction").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pseudo data for grammatical error correction")


def test_a_table_sorts_by_mouse(page: Page, outputs: Path) -> None:
    visit(page, outputs, "10_shown")
    table = "#table-a_table"
    button = page.locator(table).get_by_role("button", name="value")
    header = page.locator(f"{table} thead th").nth(1)
    button.click()
    assert column(page, table, 2) == ["-3.0 ± 1", "2.0", "10.5 ± 0.1", ""], "by number, what is missing last"
    expect(header).to_have_attribute("aria-sort", "ascending")
    button.click()
    assert column(page, table, 2) == ["10.5 ± 0.1", "2.0", "-3.0 ± 1", ""]
    expect(header).to_have_attribute("aria-sort", "descending")
    button.click()
    assert column(page, table, 1) == ["ten", "two", "none", "minus"], "as it was"
    assert header.get_attribute("aria-sort") is None


def test_a_table_sorts_by_keyboard_and_by_one_column_at_a_time(page: Page, outputs: Path) -> None:
    visit(page, outputs, "10_shown")
    table = "#table-a_table"
    page.locator(table).get_by_role("button", name="name").focus()
    page.keyboard.press("Enter")
    assert column(page, table, 1) == ["minus", "none", "ten", "two"]
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert column(page, table, 1) == ["minus", "two", "ten", "none"]
    assert page.locator(f"{table} [aria-sort]").count() == 1


def test_days_sort_by_day(page: Page, outputs: Path) -> None:
    visit(page, outputs, "index")
    cells = page.locator("table.notebooks tbody td:nth-child(2)").all()
    for place, cell in enumerate(cells):
        cell.evaluate("(cell, day) => { cell.textContent = day; }", f"2026-0{1 + place * 2 % 5}-{10 + place * 7 % 11}")
    page.get_by_role("button", name="Last run").click()
    days = [day.strip() for day in page.locator("table.notebooks tbody td:nth-child(2)").all_text_contents()]
    assert len(set(days)) > 5
    assert days == sorted(days)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_with_a_head_sorts_and_keeps_its_rows(page: Page, outputs: Path, name: str) -> None:
    visit(page, outputs, name)
    for table in page.locator("main table:has(thead)").all():
        rows = sorted(table.locator("tbody tr").all_text_contents())
        for button in table.locator("button.sort").all():
            button.evaluate("button => button.click()")
        assert sorted(table.locator("tbody tr").all_text_contents()) == rows


@pytest.mark.parametrize("key", ["click", "Enter"])
def test_a_figure_enlarges_and_escape_leads_back(page: Page, outputs: Path, key: str) -> None:
    visit(page, outputs, "10_shown")
    link = page.locator("#figure-a_line a.enlarge")
    small = link.locator("img").bounding_box()
    if key == "click":
        link.click()
    else:
        link.focus()
        page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name="Enlarged figure")
    expect(dialog).to_be_visible()
    picture = dialog.locator("img")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth") > 0
    assert picture.get_attribute("alt") == link.locator("img").get_attribute("alt")
    large = picture.bounding_box()
    assert small and large and large["width"] * large["height"] > small["width"] * small["height"]
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert link.evaluate("link => link === document.activeElement")


def test_the_first_stop_of_the_keyboard_skips_to_the_content(page: Page, outputs: Path) -> None:
    visit(page, outputs, "10_shown")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_code_unfolds_at_one_press(page: Page, outputs: Path) -> None:
    visit(page, outputs, "10_shown")
    code = page.get_by_text('report.table(shown, "a_table", "What is shown.")')
    expect(code).to_be_hidden()
    page.get_by_role("button", name="Show all code").click()
    expect(code).to_be_visible()


def test_in_print_everything_is_unfolded_and_navigation_is_gone(page: Page, outputs: Path, tmp_path: Path) -> None:
    visit(page, outputs, "10_shown")
    page.evaluate(
        "addEventListener('beforeprint', () => { window.folded = document.querySelectorAll('details:not([open])').length; })"
    )
    page.pdf(path=tmp_path / "page.pdf")
    assert page.evaluate("window.folded") == 0
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    page.emulate_media(media="print")
    for navigation in page.locator("nav").all():
        expect(navigation).to_be_hidden()
    page.emulate_media(media="screen")
    expect(page.get_by_text("axes.legend")).to_be_hidden()


@pytest.fixture(scope="module")
def lesson(outputs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the slides of notebook 01, of a site for a course."""
    course = tmp_path_factory.mktemp("course") / "outputs"
    shutil.copytree(outputs, course)
    run = read_run(course)
    assert run is not None
    write_site(course, run, course=True)
    return (course / "site" / "01_generation_methods-slides.html").as_uri()


def test_slides_fit_and_axe_finds_nothing_serious_on_them(page: Page, lesson: str) -> None:
    page.goto(lesson)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert not [fault["id"] for fault in Axe().run(page).response["violations"] if fault["impact"] in ("serious", "critical")]


def test_arrow_keys_lead_from_slide_to_slide(page: Page, lesson: str) -> None:
    page.goto(lesson)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#slide-2")).to_be_focused()
    expect(page.locator("#slide-2")).to_be_in_viewport()
    assert page.url.endswith("#slide-2")


def test_arrow_keys_scroll_a_slide_that_is_longer_than_the_window(page: Page, lesson: str) -> None:
    assert page.viewport_size is not None
    if page.viewport_size["width"] < 640:
        pytest.skip("on a phone the slides are one page, which scrolls as a whole")
    page.goto(lesson)
    content = page.locator("#slide-1 .content")
    longer = "box => { box.insertAdjacentHTML('beforeend', '<p>More.</p>'.repeat(200)); dispatchEvent(new Event('resize')); }"
    content.evaluate(longer)
    content.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("document.querySelector('#slide-1 .content').scrollTop > 0")
    page.keyboard.press("PageDown")
    expect(page.locator("#slide-2")).to_be_focused()
