"""The example of the package's README runs, and the package stands alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import artefacts

PACKAGE = Path(artefacts.__file__).parent
OTHERS = ("pseudogec", "learner_world")


@pytest.mark.slow
def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    [code] = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.S)
    (tmp_path / "example.py").write_text(code)
    for _ in range(2):
        run = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert run.stdout == "{'sum': 4950}\n", run.stderr
    assert len(list((tmp_path / "results").glob("*/*/result.json"))) == 2


def test_the_package_imports_nothing_of_the_study_and_nothing_heavy() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not [alias.name for alias in node.names if alias.name.startswith(OTHERS)], path.name
            elif isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(OTHERS), path.name
    code = "import sys, artefacts; print(*{'torch', 'distributed', 'dask', 'rich', 'numpy', 'pandas'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


def test_what_the_package_offers_is_there() -> None:
    assert sorted(artefacts.__all__) == artefacts.__all__
    assert all(hasattr(artefacts, name) for name in artefacts.__all__)
