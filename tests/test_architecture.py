"""What may import what, and what is committed: rules of lib/README.md that a linter does not know."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
LIB = ROOT / "lib"
STAGES = ["text", "edits", "corpora", "seq2seq", "noise", "evaluate", "correct", "study", "report", "play", "commands"]
HEAVY = {"torch", "fairseq", "spacy", "errant", "ctranslate2", "matplotlib"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(LIB).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(LIB.rglob("*.py"))}
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}


def imports(module: str, lazy: bool = True) -> Iterator[str]:
    """Absolute names of what a module imports, for type checkers too, and, if ``lazy``, inside functions."""
    nodes = [MODULES[module]]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level and node.module, f"{module}, line {node.lineno}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif lazy or not isinstance(node, ast.FunctionDef):
            nodes += ast.iter_child_nodes(node)


def importers(imported: str, among: str = "") -> set[str]:
    """The modules of a package that import another package."""
    return {
        module
        for module in MODULES
        if f"{module}.".startswith(among) and any(f"{name}.".startswith(f"{imported}.") for name in imports(module))
    }


def stage_of(name: str) -> int | None:
    parts = name.split(".")
    return STAGES.index(parts[1]) if parts[0] == "pseudogec" and len(parts) > 1 and parts[1] in STAGES else None


@pytest.mark.parametrize(
    ("package", "others"), [("artefacts", ["learner_world", "pseudogec"]), ("learner_world", ["artefacts", "pseudogec"])]
)
def test_a_package_stands_alone(package: str, others: list[str]) -> None:
    assert not any(importers(other, f"{package}.") for other in others)


def test_a_stage_imports_only_earlier_stages() -> None:
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        for name in imports(module)
        if (stage := stage_of(module)) is not None and (imported := stage_of(name)) is not None and imported > stage
    ]
    assert not wrong


def test_only_seq2seq_imports_fairseq() -> None:
    found = importers("fairseq") | importers("fairseq_cli")
    assert all(module.startswith("pseudogec.seq2seq.") for module in found)


def test_no_modules_import_each_other() -> None:
    named = {
        module: {name if name in MODULES else name.rpartition(".")[0] for name in imports(module, lazy=False)}
        for module in MODULES
    }
    graph = {module: names & MODULES.keys() - {module} for module, names in named.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_stages_are_cheap_to_import() -> None:
    code = f"import sys, {', '.join(f'pseudogec.{stage}' for stage in STAGES)}; print(*sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=LIB)
    assert (run.returncode, run.stdout.split()) == (0, []), (
        f"import what costs seconds where it is used: {run.stdout}{run.stderr}"
    )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_source_that_papermill_can_execute(name: str) -> None:
    notebook = nbformat.read(NOTEBOOKS[name], as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert notebook.metadata.kernelspec.name == "python3"
    code: list[Any] = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code), "holds outputs; run `make format`"
    (parameters,) = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    assert parameters.source.startswith(('profile = "classroom"\noverrides = []', 'profile = "eight-seeds"\noverrides = []'))


def test_no_committed_file_knows_the_machine_it_was_written_on() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], capture_output=True, cwd=ROOT, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git clone, so there is no list of committed files")
    machine_path = re.compile(rb"(?<![\w.])/(?:root|work|home|Users|opt/\w+)/\w+")
    paths = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    assert not [path for path in paths if path.is_file() and machine_path.search(path.read_bytes())]
