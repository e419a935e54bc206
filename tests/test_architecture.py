"""What may import what, and what is committed: rules of lib/README.md that a linter does not
know.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIB = ROOT / "lib"
STAGES = [
    "artefacts",
    "languages",
    "text",
    "edits",
    "corpora",
    "seq2seq",
    "noise",
    "evaluate",
    "correct",
    "study",
    "report",
    "play",
    "commands",
]
HEAVY = {"torch", "fairseq", "spacy", "errant", "ctranslate2", "matplotlib"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(LIB).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(LIB.rglob("*.py"))
}


def imports(module: str, lazy: bool = True) -> Iterator[str]:
    """Absolute names of what a module imports, for type checkers too, and, if ``lazy``, inside
    functions.
    """
    nodes = [MODULES[module]]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level and node.module, (
                f"{module}, line {node.lineno}: imports are absolute"
            )
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif lazy or not isinstance(node, ast.FunctionDef):
            nodes += ast.iter_child_nodes(node)


def importers(imported: str, among: str = "") -> set[str]:
    """The modules of a package that import another package."""
    return {
        module
        for module in MODULES
        if f"{module}.".startswith(among)
        and any(f"{name}.".startswith(f"{imported}.") for name in imports(module))
    }


def stage_of(name: str) -> int | None:
    parts = name.split(".")
    return (
        STAGES.index(parts[1])
        if parts[0] == "pseudogec" and len(parts) > 1 and parts[1] in STAGES
        else None
    )


def test_a_stage_imports_only_earlier_stages() -> None:
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        for name in imports(module)
        if (stage := stage_of(module)) is not None
        and (imported := stage_of(name)) is not None
        and imported > stage
    ]
    assert not wrong


def test_only_seq2seq_imports_fairseq() -> None:
    found = importers("fairseq") | importers("fairseq_cli")
    assert all(module.startswith("pseudogec.seq2seq.") for module in found)


def test_stages_are_cheap_to_import() -> None:
    code = (
        f"import sys, {', '.join(f'pseudogec.{stage}' for stage in STAGES)}; "
        f"print(*sorted({HEAVY} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=LIB
    )
    assert (run.returncode, run.stdout.split()) == (0, []), (
        f"import what costs seconds where it is used: {run.stdout}{run.stderr}"
    )


def test_no_committed_file_knows_the_machine_it_was_written_on() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], capture_output=True, cwd=ROOT, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git clone, so there is no list of committed files")
    machine_path = re.compile(rb"(?<![\w.])/(?:root|work|home|Users|opt/\w+)/\w+")
    paths = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    assert not [path for path in paths if path.is_file() and machine_path.search(path.read_bytes())]
