"""The example of the package's README runs, and the package stands alone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pseudogec import artefacts

PACKAGE = Path(artefacts.__file__).parent


@pytest.mark.slow
def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    [code] = re.findall(
        r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.S
    )
    (tmp_path / "example.py").write_text(code)
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert run.stdout == "{'sum': 4950}\n", run.stderr
    assert len(list((tmp_path / "results").glob("*/*/result.json"))) == 2
