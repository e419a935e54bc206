"""JupyterLab as a student opens it: notebook 01 runs to its end, and its sliders change what it shows."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from playwright.sync_api import Locator, Page, Playwright, expect

from browser.conftest import opened
from pseudogec.study import PROJECT, Study
from smallest_study import SMALLEST

pytestmark = pytest.mark.slow

NOTEBOOK = "01_generation_methods"
PATIENCE = 100  # seconds that the whole notebook may take on a busy machine


@pytest.fixture(scope="module")
def store(chromium: str, shared_store: Path) -> Path:
    """What notebook 01 shows, so that running it trains nothing."""
    study = Study.open("smoke", SMALLEST, store=shared_store)
    with study.engine:
        study.build(study.targets([NOTEBOOK]))
    return shared_store


@pytest.fixture(scope="module")
def notebook(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the notebook with the small profile in its cell of parameters."""
    copied = tmp_path_factory.mktemp("notebooks") / f"{NOTEBOOK}.ipynb"
    content = nbformat.read(PROJECT / "notebooks" / copied.name, as_version=4)
    (parameters,) = (cell for cell in content.cells if "parameters" in cell.metadata.get("tags", []))
    changed = parameters.source.replace('profile = "classroom"', 'profile = "smoke"')
    parameters.source = changed.replace("overrides = []", f"overrides = {SMALLEST!r}")
    nbformat.write(content, copied)
    return copied


@pytest.fixture(scope="module")
def lab(notebook: Path, store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address at which JupyterLab shows the notebook; a new user's, without settings but one."""
    own = tmp_path_factory.mktemp("jupyter")
    tracker = own / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    tracker.parent.mkdir(parents=True)
    tracker.write_text('{"windowingMode": "none"}', encoding="utf-8")  # cells out of sight are on the page, too
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"} | {
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(own / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(own / "workspaces"),
        "PSEUDOGEC_STORE": str(store),
        "PSEUDOGEC_OUTPUTS": str(own / "outputs"),
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1"]
    options += [f"--IdentityProvider.token={token}", "--LabApp.news_url=None"]
    command = [sys.executable, "-m", "jupyterlab", str(notebook.parent), *options]
    with (own / "log.txt").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api?token={token}", server, own / "log.txt")
        yield f"http://127.0.0.1:{port}/lab/tree/{notebook.name}?token={token}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5)
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab does not answer:\n{log.read_text(encoding='utf-8')[-2000:]}")


@pytest.fixture(scope="module")
def page(playwright: Playwright, chromium: str, lab: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The notebook in a browser, after all its cells were run from the menu."""
    with opened(playwright, chromium, tmp_path_factory.mktemp("profile"), 1280) as (_, tab):
        tab.set_default_timeout(60_000)
        tab.goto(lab)
        tab.get_by_text("Python 3 (ipykernel)").first.wait_for()
        tab.get_by_role("menuitem", name="Run", exact=True).click()
        tab.get_by_text("Run All Cells", exact=True).click()
        yield tab


@pytest.fixture(scope="module")
def executed(page: Page, notebook: Path) -> list[NotebookNode]:
    """The notebook's code cells as JupyterLab saves them when the last of them has run."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        page.keyboard.press("Control+s")
        time.sleep(1)
        code = code_cells(notebook)
        if all(cell.execution_count for cell in code):
            return code
    pytest.fail(f"after {PATIENCE} s only {sum(bool(cell.execution_count) for cell in code)} of {len(code)} cells had run")


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def shown(cell: NotebookNode) -> list[dict[str, str]]:
    """What a reader without a kernel sees of a cell's outputs; an object's address in memory is no part of it."""
    # What is printed may come in one part or in several.
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    outputs = [{"printed": printed}, *(output.get("data", {}) for output in cell.outputs if output.output_type != "stream")]
    return [
        {kind: re.sub("0x[0-9a-f]+", "0x", str(text)).strip() for kind, text in data.items() if "widget" not in kind}
        for data in outputs
    ]


def cell_with(page: Page, text: str) -> Locator:
    cell = page.locator(".jp-CodeCell", has_text=text)
    cell.scroll_into_view_if_needed()
    return cell


def test_all_cells_run_to_the_end_without_an_error(executed: list[NotebookNode]) -> None:
    outputs = [output for cell in executed for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_a_notebook_opened_by_hand_shows_what_the_batch_shows(
    executed: list[NotebookNode], notebook: Path, store: Path, tmp_path: Path
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    environment |= {"PSEUDOGEC_STORE": str(store), "PSEUDOGEC_OUTPUTS": str(tmp_path / "outputs")}
    source, batch = tmp_path / "source.ipynb", tmp_path / "batch.ipynb"
    source.write_bytes(notebook.read_bytes())
    command = [sys.executable, "-m", "pseudogec.commands.execute_notebook", str(source), str(batch), "{}"]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=PATIENCE)
    for by_hand, by_batch in zip(executed, code_cells(batch), strict=True):
        # Executed copies leave out where artefacts were found, which differs from run to run.
        lasting = [output for output in shown(by_hand) if "This notebook rests on" not in output.get("text/plain", "")]
        assert lasting == shown(by_batch), by_hand.source


@pytest.mark.usefixtures("executed")
def test_a_slider_moved_by_keyboard_changes_the_sentence(page: Page) -> None:
    cell = cell_with(page, "play.noise_sliders")
    expect(cell).to_contain_text("direct noise, μ_mask 0.3")
    before = cell.locator("table").inner_text()
    handle = cell.locator(".noUi-handle").first
    handle.focus()
    for _ in range(4):
        handle.press("ArrowRight")
    expect(cell).to_contain_text("direct noise, μ_mask 0.5")
    expect(cell.get_by_label("μ_mask")).to_have_value("0.5")
    assert cell.locator("table").inner_text() != before
    field = cell.get_by_label("μ_mask")
    field.fill("0.3")
    field.press("Enter")
    expect(cell).to_contain_text("direct noise, μ_mask 0.3")
    assert cell.locator("table").inner_text() == before


@pytest.mark.usefixtures("executed")
def test_a_sentence_is_typed_and_an_impossible_one_is_answered(page: Page) -> None:
    cell = cell_with(page, "play.every_method")
    line = cell.get_by_label("Sentence")
    line.fill("A small bird sings.")
    line.press("Enter")
    expect(cell.get_by_role("row", name=re.compile("^Backtrans A"))).to_be_visible()
    line.fill("")
    line.press("Enter")
    expect(cell.get_by_role("alert")).to_contain_text("type a sentence")


@pytest.mark.usefixtures("executed")
def test_the_beam_is_stepped_through(page: Page) -> None:
    cell = cell_with(page, "play.noisy_beam")
    step = cell.get_by_label("Step of the search")
    step.fill("2")
    step.press("Enter")
    expect(cell.get_by_role("table")).to_contain_text("Step 2 of")
