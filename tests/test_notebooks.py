"""Every notebook with the code of its solutions, executed as the batch program does, on the
smallest study.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from helpers.exercises import CHECK_TAG, has_tag, is_solution, solution_code
from helpers.smallest_study import ARGUMENTS
from pseudogec.study import PROJECT, load_profile

pytestmark = pytest.mark.slow

_SOLVED = "solved"

OF_OTHERS = "11_todays_systems"
"""It shows corrections that others released, from the pack of the profile `released`, and nothing
of the smallest study.
"""

RELEASED = ["--profile", "released"]

EVERY = sorted(path.stem for path in (PROJECT / "notebooks").glob("*.ipynb"))
NOTEBOOKS = [name for name in EVERY if name != OF_OTHERS]


def run_all(store: Path, *arguments: str, profile: list[str] = ARGUMENTS) -> None:
    command = [
        sys.executable,
        str(PROJECT / "run_all.py"),
        *profile,
        "--jobs",
        "2",
        "--store",
        str(store),
    ]
    # A user's kernel chooses the backend that shows figures; the tests' own choice of another one
    # must not reach it.
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    if profile == RELEASED:
        # Tests build all that they need, and its files may not be here
        environment["PSEUDOGEC_PACKS"] = "yes"
    finished = subprocess.run(
        [*command, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("smoke")


@pytest.fixture(scope="module")
def solved(folder: Path) -> Path:
    """The notebooks with the code of their solutions."""
    (folder / "notebooks").mkdir()
    for name in EVERY:
        notebook = nbformat.read(PROJECT / "notebooks" / f"{name}.ipynb", as_version=4)
        for place, cell in reversed(list(enumerate(notebook.cells))):
            if is_solution(cell) and (code := solution_code(cell)):
                before = notebook.cells[place - 1]
                check = before.source if has_tag(before, CHECK_TAG) else ""
                solved = nbformat.v4.new_code_cell(
                    f"{code}\n{check}", metadata={"tags": [_SOLVED] if check else []}
                )
                notebook.cells.insert(place + 1, solved)
        nbformat.write(notebook, folder / "notebooks" / f"{name}.ipynb")
    return folder / "notebooks"


@pytest.fixture(scope="module")
def outputs(folder: Path, solved: Path, shared_store: Path) -> Path:
    run_all(shared_store, "--outputs", str(folder / "outputs"), "--notebooks", str(solved))
    return folder / "outputs"


@pytest.fixture(scope="module")
def of_others(folder: Path, solved: Path, shared_store: Path) -> Path:
    run_all(
        shared_store,
        "--outputs",
        str(folder / "released"),
        "--notebooks",
        str(solved),
        profile=RELEASED,
    )
    return folder / "released"


def cells(outputs: Path, name: str) -> list[dict[str, Any]]:
    notebook = json.loads((outputs / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("profile", ["smoke", "classroom", "paper", "paper-emnlp2019"])
def test_a_profile_lists_every_notebook(profile: str) -> None:
    own_study = (
        {"09_what_pseudo_data_buy", "10_few_genuine_pairs", "12_another_language"}
        if profile != "smoke"
        else set()
    )
    assert sorted(load_profile(PROJECT / "params" / f"{profile}.yaml").notebooks) == sorted(
        {*NOTEBOOKS} - own_study - {"index"}
    )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_to_its_end_and_says_that_it_shows_a_simulation(
    outputs: Path, name: str
) -> None:
    executed = cells(outputs, name)
    assert all(cell["execution_count"] for cell in executed)
    kinds = [output["output_type"] for cell in executed for output in cell["outputs"]]
    assert "error" not in kinds
    warned = [
        text
        for cell in executed
        for output in cell["outputs"]
        if output.get("name") == "stderr"
        for text in output["text"]
    ]
    assert not warned, "".join(warned)
    assert any("Simulation" in json.dumps(cell["outputs"]) for cell in executed)


def test_corrections_of_others_are_shown_from_the_pack_without_their_files(of_others: Path) -> None:
    executed = cells(of_others, OF_OTHERS)
    said = [json.dumps(cell["outputs"], ensure_ascii=False) for cell in executed]
    assert all(cell["execution_count"] for cell in executed)
    assert not any('"error"' in text or '"stderr"' in text for text in said)
    assert any("nothing is trained" in text for text in said)
    assert (
        sum(
            "✓" in text for cell, text in zip(executed, said, strict=True) if has_tag(cell, _SOLVED)
        )
        == 2
    )
    assert pd.read_csv(of_others / "tables" / "table_vii.csv").difference.tolist()[3] == 0


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_stub_is_not_done_yet_and_its_solution_passes_the_check(outputs: Path, name: str) -> None:
    for cell in cells(outputs, name):
        said = "".join(
            text
            for output in cell["outputs"]
            for text in output.get("data", {}).get("text/markdown", [])
        )
        if has_tag(cell, CHECK_TAG):
            assert "Not done yet" in said
        if has_tag(cell, _SOLVED):
            assert "✓" in said, f"{cell['source']}\n{said}"


def test_figures_tables_scores_and_pages_are_kept_as_files(outputs: Path) -> None:
    assert (outputs / "figures" / "mu_mask.png").stat().st_size > 5000
    assert (outputs / "figures" / "mu_mask.svg").stat().st_size > 5000
    table = pd.read_csv(outputs / "tables" / "generation_methods.csv")
    assert {"none", "direct_noise"} <= set(table.method)
    assert "01_generation_methods.html" in (outputs / "site" / "index.html").read_text()
    assert (outputs / "site" / "01_generation_methods.html").is_file()
    assert set(pd.read_parquet(outputs / "scores.parquet").level) >= {"all", "A", "B", "C", "N"}
    notebook = (outputs / "notebooks" / "01_generation_methods.ipynb").read_text()
    assert 'profile = \\"smoke\\"' in notebook


def test_every_grid_is_among_the_scores(outputs: Path) -> None:
    scores = pd.read_parquet(outputs / "scores.parquet")
    profile = load_profile(PROJECT / "params" / "smoke.yaml")
    shown = {name for names in profile.notebooks.values() for name in names}
    grids = [profile.grids[name] for name in shown & set(profile.grids)]
    settings = {setting for grid in grids for setting in grid.setting}
    settings |= {grid.baseline for grid in grids if "none" in grid.method}
    assert set(scores.setting) == settings | {""}
    systems = {
        system for name in shown & set(profile.comparisons) for system in profile.comparisons[name]
    }
    assert set(scores[scores.setting == ""].system) == systems


@pytest.mark.usefixtures("outputs")
def test_a_class_gets_everything_but_the_solutions(folder: Path, shared_store: Path) -> None:
    run_all(shared_store, "--outputs", str(folder / "course"), "--only", "04", "--course")
    given = folder / "course" / "notebooks" / "04_scaling.ipynb"
    source = nbformat.read(PROJECT / "notebooks" / given.name, as_version=4)
    kept = {cell.id for cell in source.cells if not is_solution(cell)}
    executed = nbformat.read(given, as_version=4)
    assert {cell.id for cell in executed.cells} == kept | {"injected-parameters"}
    pages = [path.read_text(encoding="utf-8") for path in (folder / "course").rglob("*.html")]
    assert any("Exercise 1" in page for page in pages)
    assert not any("Solution of exercise" in page for page in pages)
