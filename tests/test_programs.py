"""What the programs have in common, in a shell: their standard streams may be full or closed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN_ALL = Path(__file__).parents[1] / "run_all.py"
PSEUDOGEC = f"{sys.executable} -m pseudogec"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("program", [f"{sys.executable} {RUN_ALL} --profile smoke --plan", f"{PSEUDOGEC} noise --list"])
def test_a_full_disk_behind_standard_output_is_said(program: str) -> None:
    done = shell(f"{program} > /dev/full")
    assert done.returncode == 1
    assert "the disk is full" in done.stderr and "Traceback" not in done.stderr


def test_programs_work_when_standard_streams_are_closed() -> None:
    assert shell(f"{PSEUDOGEC} correct --profile smoke --list <&-").returncode == 0
    assert shell(f"{PSEUDOGEC} noise --list >&-").returncode == 0
    silent = shell(f"{PSEUDOGEC} noise --method nothing 2>&-")
    assert (silent.returncode, silent.stdout, silent.stderr) == (2, "", "")
