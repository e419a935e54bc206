"""The programs under a locale that is not UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", ["correct", "noise --list", "score --help"])
def test_a_locale_that_is_not_utf_8_is_named(command: str) -> None:
    """Packages would read their word lists in its encoding, and words could not be printed."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    program = [sys.executable, "-m", "pseudogec", *command.split()]
    done = subprocess.run(program, input="café\n", env=environment, capture_output=True, text=True, check=False)
    if "--help" in command:
        assert done.returncode == 0
    else:
        assert done.returncode == 2
        assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1 and "PYTHONUTF8=1" in done.stderr
