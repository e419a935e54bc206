"""JupyterLab as a student opens it in a fresh clone.

Notebook 01 runs to its end on the smallest study, and its sliders change what it shows. Notebook 03
runs to its end on what is committed; then a cell is changed by hand, so that one model is trained.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.reader import NotJSONError
from playwright.sync_api import BrowserContext, Locator, Page, Playwright, expect

from browser.conftest import opened
from helpers.smallest_study import SMALLEST
from pseudogec.commands.execute_notebook import execute
from pseudogec.study import PACK, PROJECT, Study

pytestmark = pytest.mark.slow

NOTEBOOK, COMMITTED = "01_generation_methods", "03_joint_vs_pretrain"
PATIENCE = 200  # seconds that the whole notebook may take on a busy machine


@pytest.fixture(scope="module")
def store(chromium: str, shared_store: Path) -> Path:
    """What notebook 01 shows, so that running it trains nothing."""
    study = Study.open("smoke", SMALLEST, store=shared_store)
    with study.engine:
        study.build(study.targets([NOTEBOOK]))
    return shared_store


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of a fresh clone that notebooks use: no results but the classroom's committed
    pack.
    """
    clone = tmp_path_factory.mktemp("clone")
    for part in ("lib", "params", "notebooks", f"outputs/classroom/{PACK}"):
        shutil.copytree(PROJECT / part, clone / part, ignore=shutil.ignore_patterns("__pycache__"))
    return clone


@pytest.fixture(scope="module")
def notebook(clone: Path) -> Path:
    """Notebook 01 of the clone with the small profile in its cell of parameters."""
    path = clone / "notebooks" / f"{NOTEBOOK}.ipynb"
    content = nbformat.read(path, as_version=4)
    (parameters,) = (
        cell for cell in content.cells if "parameters" in cell.metadata.get("tags", [])
    )
    changed = parameters.source.replace('profile = "classroom"', 'profile = "smoke"')
    parameters.source = changed.replace("overrides = []", f"overrides = {SMALLEST!r}")
    nbformat.write(content, path)
    return path


@pytest.fixture(scope="module")
def lab(
    clone: Path, shared_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Path], str]]:
    """A function from a notebook to its address in the JupyterLab of a new user, with one setting
    changed.
    """
    own = tmp_path_factory.mktemp("jupyter")
    tracker = (
        own / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    )
    tracker.parent.mkdir(parents=True)
    # Cells out of sight are on the page, too
    tracker.write_text('{"windowingMode": "none"}', encoding="utf-8")
    of_tests = {"MPLBACKEND", "PSEUDOGEC_PACKS"}
    environment = {name: value for name, value in os.environ.items() if name not in of_tests} | {
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(own / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(own / "workspaces"),
        "PSEUDOGEC_STORE": str(shared_store),
        "PYTHONPATH": str(clone / "lib"),
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    options = [
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.ip=127.0.0.1",
    ]
    options += [f"--IdentityProvider.token={token}"]
    [disabled] = re.findall(
        r"/(jupyter labextension disable) (\S+)$", (PROJECT / "Makefile").read_text(), re.MULTILINE
    )
    subprocess.run(
        [sys.executable, "-m", *disabled[0].split(), "--level=user", disabled[1]],
        env=environment,
        check=True,
    )
    command = [sys.executable, "-m", "jupyterlab", str(clone / "notebooks"), *options]
    with (own / "log.txt").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api?token={token}", server, own / "log.txt")
        # Each notebook has its own workspace, since JupyterLab shows a workspace in one tab only.
        yield (
            lambda notebook: (
                f"http://127.0.0.1:{port}/lab/workspaces/{notebook.stem}/tree/{notebook.name}?token={token}"
            )
        )
    finally:
        server.terminate()
        try:
            server.wait(timeout=60)
        # JupyterLab waits for its kernels, for ever if one of them does not answer
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


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
def browser(
    playwright: Playwright, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    with opened(playwright, chromium, tmp_path_factory.mktemp("profile"), 1280) as (context, _):
        context.set_default_timeout(60_000)
        yield context


@pytest.fixture(scope="module")
def page(browser: BrowserContext, lab: Callable[[Path], str], notebook: Path, store: Path) -> Page:
    """Notebook 01, after all its cells were run from the menu."""
    return run_all_cells(browser, lab(notebook))


@pytest.fixture(scope="module")
def executed(page: Page, notebook: Path) -> list[NotebookNode]:
    return saved(page, notebook)


def run_all_cells(browser: BrowserContext, address: str) -> Page:
    tab = browser.new_page()
    tab.goto(address)
    tab.get_by_role("button", name="Python 3 (ipykernel) | Idle").wait_for()
    tab.get_by_role("menuitem", name="Run", exact=True).click()
    tab.get_by_text("Run All Cells", exact=True).click()
    return tab


def saved(page: Page, notebook: Path) -> list[NotebookNode]:
    """A notebook's code cells as JupyterLab saves them when the last of them has run."""
    code: list[NotebookNode] = []
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        page.keyboard.press("Control+s")
        time.sleep(1)
        with contextlib.suppress(NotJSONError):  # the file is being written
            code = code_cells(notebook)
        if code and all(cell.execution_count for cell in code):
            return code
    pytest.fail(
        f"after {PATIENCE} s only {sum(bool(cell.execution_count) for cell in code)} of "
        f"{len(code)} cells had run"
    )


def code_cells(path: Path) -> list[NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def shown(cell: NotebookNode) -> list[dict[str, str]]:
    """What a reader without a kernel sees of a cell's outputs; an object's address in memory is no
    part of it.
    """
    # What is printed may come in one part or in several.
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    outputs = [
        {"printed": printed},
        *(output.get("data", {}) for output in cell.outputs if output.output_type != "stream"),
    ]
    return [
        {
            kind: re.sub("0x[0-9a-f]+", "0x", str(text)).strip()
            for kind, text in data.items()
            if "widget" not in kind
        }
        for data in outputs
    ]


def cell_with(page: Page, text: str) -> Locator:
    cell = page.locator(".jp-CodeCell", has_text=text)
    cell.scroll_into_view_if_needed()
    return cell


def check_outputs(executed: list[NotebookNode]) -> None:
    """Something was drawn, and nothing went wrong."""
    outputs = [output for cell in executed for output in cell.outputs]
    assert not [
        output
        for output in outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_all_cells_run_to_the_end_without_an_error(executed: list[NotebookNode]) -> None:
    check_outputs(executed)


def test_a_notebook_opened_by_hand_shows_what_the_batch_shows(
    executed: list[NotebookNode], notebook: Path, store: Path, tmp_path: Path
) -> None:
    environment = {"PSEUDOGEC_STORE": str(store), "PSEUDOGEC_OUTPUTS": str(tmp_path / "outputs")}
    source, batch = tmp_path / "source.ipynb", tmp_path / "batch.ipynb"
    source.write_bytes(notebook.read_bytes())
    execute(source, batch, {}, environment=environment)
    by_batch = {cell.id: shown(cell) for cell in code_cells(batch)}
    for by_hand in executed:
        # Executed copies leave out where artefacts were found, which differs from run to run.
        lasting = [
            output
            for output in shown(by_hand)
            if "This notebook needs" not in output.get("text/plain", "")
        ]
        assert lasting == by_batch[by_hand.id], by_hand.source


@pytest.mark.usefixtures("executed")
def test_a_slider_moved_by_keyboard_changes_the_sentence(page: Page) -> None:
    cell = cell_with(page, "play.noise_sliders")
    expect(cell).to_contain_text("direct noise, μ_mask 0.3")
    before = cell.locator("table").inner_text()
    handle = cell.locator(".noUi-handle").first
    handle.focus()
    for _ in range(4):
        handle.press("ArrowRight")
    expect(cell).to_contain_text(re.compile(r"direct noise, μ_mask 0\.5\b"))
    assert cell.locator("table").inner_text() != before
    for _ in range(4):
        handle.press("ArrowLeft")
    # Not the 0.35 on the way
    expect(cell).to_contain_text(re.compile(r"direct noise, μ_mask 0\.3\b"))
    assert cell.locator("table").inner_text() == before


@pytest.mark.usefixtures("executed")
def test_a_sentence_is_typed_and_an_impossible_one_is_answered(page: Page) -> None:
    cell = cell_with(page, "play.every_method")
    line = cell.get_by_label("Sentence")
    line.fill("A small bird sings.")
    line.press("Enter")
    expect(cell.get_by_role("row", name=re.compile("^Back-translation A"))).to_be_visible()
    line.fill("")
    line.press("Enter")
    expect(cell.get_by_role("alert")).to_contain_text("type a sentence")


# Enough updates to see the progress bar, which disappears when the training is over.
ONE_MODEL = f"""\
study = Study.open("smoke", {[*SMALLEST, "optimisations.joint.updates=300"]!r})
grid = study.grid("joint_vs_pretrain", method="direct_noise", setting="joint", pseudo_pairs=300, seeds=1)
grid"""


@pytest.fixture(scope="module")
def committed(
    browser: BrowserContext, lab: Callable[[Path], str], clone: Path
) -> tuple[Page, list[NotebookNode]]:
    """Notebook 03 as it is committed, run to its end, and its code cells."""
    notebook = clone / "notebooks" / f"{COMMITTED}.ipynb"
    page = run_all_cells(browser, lab(notebook))
    return page, saved(page, notebook)


def test_a_fresh_clone_shows_what_is_committed_and_trains_nothing(
    committed: tuple[Page, list[NotebookNode]],
) -> None:
    page, executed = committed
    check_outputs(executed)
    expect(page.locator(".jp-CodeCell", has_text="report.begin(").first).to_contain_text(
        "in the pack, 0 to build"
    )
    assert not page.get_by_text("are to be built").count()
    assert not page.get_by_text("get notified about official Jupyter news").count()


@pytest.mark.usefixtures("store")
def test_a_size_changed_by_hand_trains_one_model_with_its_progress_shown(
    committed: tuple[Page, list[NotebookNode]],
) -> None:
    page, _ = committed
    changed = cell_with(page, 'grid = study.grid("joint_vs_pretrain"')
    changed.locator(".cm-content").fill(ONE_MODEL)
    page.keyboard.press("Shift+Enter")
    expect(changed.get_by_role("cell", name="300")).to_be_visible()
    scores = cell_with(page, "scores = study.scores(grid)")
    scores.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(scores).to_contain_text(
        re.compile(r"artefacts are to be built, about .*\bmodel 1\b"), timeout=PATIENCE * 1000
    )
    expect(scores).to_contain_text(re.compile(r"model \d+/300 updates"), timeout=PATIENCE * 1000)
    expect(scores.locator(".jp-InputArea-prompt")).to_have_text(
        re.compile(r"\[\d+\]:"), timeout=PATIENCE * 1000
    )
    expect(scores).not_to_contain_text("Traceback")
