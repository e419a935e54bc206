"""The house rules of lib/README.md that a linter does not know.

Docstrings, naming and style are held by ruff (`make lint`).
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "lib" / "pseudogec"

FOUNDATIONS = ["errors", "files", "random_streams"]  # any part may import these
STAGES = [
    "text",
    "edits",
    "corpora",
    "noise",
    "seq2seq",
    "evaluate",
    "correct",
    "study",
    "report",
    "play",
]  # each imports those before it
COMMANDS = ["__main__", "commands"]  # on top: these may import everything

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
LONGEST_CELL = 25
HEAVY = ["torch", "fairseq", "spacy", "errant", "ctranslate2", "matplotlib"]

SOURCES = sorted(PACKAGE.rglob("*.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def part_of(path: Path) -> str:
    """The stage, foundation or command that a file belongs to; empty for the package's own ``__init__``."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, absolute dotted name) of everything that a file imports, inside functions too."""
    package = path.relative_to(PACKAGE.parent).parts[:-1]
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def allowed_parts(part: str) -> set[str]:
    """The parts of the package that a part may import, itself among them."""
    if part in FOUNDATIONS:
        return set(FOUNDATIONS)
    if part in STAGES:
        return {*FOUNDATIONS, *STAGES[: STAGES.index(part) + 1]}
    return {*FOUNDATIONS, *STAGES, *COMMANDS}


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_part_imports_only_what_stands_above_it(path: Path) -> None:
    part = part_of(path)
    assert part in {"", *FOUNDATIONS, *STAGES, *COMMANDS}, f"{relative(path)} belongs to no part that lib/README.md knows"
    for line, name in imports(path):
        top, _, rest = name.partition(".")
        imported = rest.partition(".")[0]
        known = {*FOUNDATIONS, *STAGES, *COMMANDS}
        if top == "pseudogec" and imported in known:
            assert imported in allowed_parts(part), f"{relative(path)}:{line}: `{part}` may not import `{imported}`"


@pytest.mark.parametrize("path", [path for path in SOURCES if part_of(path) != "seq2seq"], ids=relative)
def test_only_seq2seq_imports_fairseq(path: Path) -> None:
    lines = [line for line, name in imports(path) if name.partition(".")[0] in {"fairseq", "fairseq_cli"}]
    assert not lines, f"{relative(path)}: line {lines} imports fairseq; only seq2seq does"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_file_is_short(path: Path) -> None:
    count = len(path.read_text(encoding="utf-8").splitlines())
    assert count <= LONGEST_FILE, f"{relative(path)} has {count} lines; at most {LONGEST_FILE} are readable"


@pytest.mark.parametrize("path", [*SOURCES, *sorted(ROOT.glob("*.py"))], ids=relative)
def test_functions_fit_on_a_screen(path: Path) -> None:
    too_long = []
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            described = first.end_lineno if ast.get_docstring(node) else node.lineno - 1  # the docstring does not count
            length = (node.end_lineno or 0) - (described or 0)
            if length > LONGEST_FUNCTION:
                too_long.append(f"{node.name} (line {node.lineno}, {length} lines)")
    assert not too_long, f"{relative(path)}: more than {LONGEST_FUNCTION} lines: {', '.join(too_long)}"


@pytest.mark.parametrize("stage", STAGES)
def test_stage_is_on_the_map(stage: str) -> None:
    readme = (ROOT / "lib" / "README.md").read_text(encoding="utf-8")
    assert f"| `{stage}/` |" in readme, f"lib/README.md does not describe {stage}/"


@pytest.mark.parametrize("folder", sorted({path.parent for path in SOURCES}), ids=relative)
def test_folder_says_why_it_exists(folder: Path) -> None:
    assert (folder / "__init__.py").is_file(), f"{relative(folder)} has no __init__.py"
    assert ast.get_docstring(parse(folder / "__init__.py")), f"{relative(folder)}/__init__.py has no docstring"


@pytest.mark.parametrize("stage", [stage for stage in STAGES if (PACKAGE / stage / "__init__.py").exists()])
def test_stage_is_cheap_to_import(stage: str) -> None:
    code = f"import sys, pseudogec.{stage}; print(*sorted(set(sys.modules) & {set(HEAVY)}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT / "lib")
    assert run.returncode == 0, run.stderr
    loaded = run.stdout.split()
    assert not loaded, f"importing pseudogec.{stage} imports {loaded}, which cost seconds; import them where they are used"


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_notebook_is_source(path: Path) -> None:
    for number, cell in enumerate(code_cells(path), start=1):
        assert not cell["outputs"] and cell["execution_count"] is None, f"code cell {number} holds outputs; run `make format`"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_notebook_is_of_format_4_5_with_an_id_for_each_cell(path: Path) -> None:
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    ids = [cell.id for cell in notebook.cells]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_notebook_has_one_cell_of_parameters(path: Path) -> None:
    tagged = [cell for cell in code_cells(path) if "parameters" in cell["metadata"].get("tags", [])]
    assert len(tagged) == 1, "papermill needs exactly one code cell tagged `parameters`"
    assert "".join(tagged[0]["source"]).startswith('profile = "classroom"\noverrides = []')


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_notebook_cells_are_short(path: Path) -> None:
    for number, cell in enumerate(code_cells(path), start=1):
        count = len("".join(cell["source"]).splitlines())
        assert count <= LONGEST_CELL, f"code cell {number} has {count} lines; at most {LONGEST_CELL}, the rest belongs into lib/"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_notebook_uses_the_environments_own_kernel(path: Path) -> None:
    assert json.loads(path.read_text(encoding="utf-8"))["metadata"]["kernelspec"]["name"] == "python3"


def test_no_committed_file_knows_the_machine_it_was_written_on() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], capture_output=True, cwd=ROOT, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git clone, so there is no list of committed files")
    machine_path = re.compile(rb"(?<![\w.])/(?:root|work|home|Users|opt/\w+)/\w+")
    found = []
    for name in listing.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file():
            for number, line in enumerate(path.read_bytes().splitlines(), start=1):
                if machine_path.search(line):
                    found.append(f"{name}:{number}")
    assert not found, f"absolute paths of one machine in {', '.join(found)}"
