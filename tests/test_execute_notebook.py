"""A notebook that is executed by itself: where its kernel listens, and that it comes out the same
each time.
"""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from pseudogec.commands.execute_notebook import execute

pytestmark = pytest.mark.slow

ASKS_HOW_IT_IS_REACHED = """
import json, ipykernel
with open(ipykernel.get_connection_file()) as file:
    print(json.load(file)["transport"], greeting)
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    parameters = new_code_cell('greeting = "hello"', metadata={"tags": ["parameters"]})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = tmp_path / "source.ipynb"
    nbformat.write(
        new_notebook(cells=[parameters, new_code_cell(ASKS_HOW_IT_IS_REACHED)], metadata=kernel),
        path,
    )
    return path


def executed(source: Path, target: Path) -> bytes:
    execute(source, target, {"greeting": "good day"})
    return target.read_bytes()


def printed(notebook: bytes) -> list[list[str]]:
    return [output["text"] for cell in json.loads(notebook)["cells"] for output in cell["outputs"]]


def test_a_kernel_listens_at_sockets_and_needs_no_port(source: Path, tmp_path: Path) -> None:
    assert printed(executed(source, tmp_path / "executed.ipynb")) == [["ipc good day\n"]]


def test_a_notebook_executed_twice_has_the_same_bytes(source: Path, tmp_path: Path) -> None:
    assert executed(source, tmp_path / "one.ipynb") == executed(source, tmp_path / "two.ipynb")
