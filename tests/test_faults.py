"""Programs that die at any moment: nothing is lost, built twice or left running; `tests/faults/`
does it at length.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from helpers.smallest_study import SMALLEST

pytestmark = pytest.mark.slow

KILL_STUDY = Path(__file__).parent / "faults" / "kill_study.py"


def test_a_study_whose_parts_are_killed_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    arguments = ["--kills", "4", "--seed", "3", "--apart", "10", "--folder", str(tmp_path)]
    # A part of the smallest study: two systems.
    part = [
        "grids.seed_corpus.method=[none, direct_noise]",
        "grids.seed_corpus.seed_corpus=everyday",
    ]
    overrides = [word for override in (*SMALLEST, *part) for word in ("--set", override)]
    command = [sys.executable, str(KILL_STUDY), *arguments, "--only", "02", *overrides]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 kills" in done.stdout


@pytest.fixture
def endless_notebook(tmp_path: Path) -> Path:
    """A notebook that tells that it runs and then does not end."""
    cells = [
        nbformat.v4.new_code_cell("profile = 'smoke'", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(
            "import pathlib, time; pathlib.Path('running').touch(); time.sleep(600)"
        ),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = tmp_path / "endless.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), path)
    return path


def test_a_notebook_ends_with_the_program_that_executes_it(
    endless_notebook: Path, tmp_path: Path
) -> None:
    code = f"""
from pathlib import Path
from pseudogec.commands.execute_notebook import execute
execute(Path({str(endless_notebook)!r}), Path({str(tmp_path / "done.ipynb")!r}), {{}})
"""
    with subprocess.Popen([sys.executable, "-c", code]) as program:
        deadline = time.monotonic() + 120
        while not (tmp_path / "running").exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        family = psutil.Process(program.pid).children(recursive=True)
        assert family
        program.kill()
    _, alive = psutil.wait_procs(family, timeout=30)
    assert not alive
    assert not (tmp_path / "done.ipynb").exists()
