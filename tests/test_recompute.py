"""README's findings, recomputed from the packs by a program of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_every_number_of_readme_s_findings_is_recomputed() -> None:
    program = Path(__file__).parent / "recompute" / "readme.py"
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
