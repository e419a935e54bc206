"""Builds that are stopped for long and continued."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from cluster_processes import wait_for

pytestmark = pytest.mark.slow

SUMS = """
import sys, time
from pathlib import Path
from typing import ClassVar
from artefacts import Engine, Recipe, Store

class Sum(Recipe):
    kind: ClassVar[str] = "sum"
    number: int
    terms: tuple["Sum", ...] = ()

    def build(self, folder, store, progress):
        with open(store.root / "built.txt", "a") as stream:
            stream.write(f"{self.key}\\n")
        for done in range(10):
            time.sleep(0.05)
            progress(done + 1, 10, "steps")
        total = self.number + sum(store.result(term)["result"]["sum"] for term in self.terms)
        (folder / "sum.txt").write_text(str(total))
        return {"sum": total}

if __name__ == "__main__":
    terms = [Sum(number=number) for number in range(16)]
    pairs = [Sum(number=0, terms=(first, second)) for first, second in zip(terms[::2], terms[1::2])]
    total = Sum(number=0, terms=tuple(pairs))
    store = Store(sys.argv[1])
    with Engine(store, workers=2) as engine:
        engine.build([total])
    print(store.result(total)["result"]["sum"])
"""
ARTEFACTS, TOTAL = 16 + 8 + 1, sum(range(16))


def sums_started(folder: Path, environment: dict[str, str], group: int = 0) -> subprocess.Popen[str]:
    script = folder / "sums.py"
    script.write_text(SUMS)
    command = [sys.executable, str(script), str(folder / "store")]
    environment = {**os.environ, **environment}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, text=True, process_group=group, cwd=folder, **pipes)


def built(folder: Path) -> Counter[str]:
    """How many times each artefact was begun."""
    file = folder / "store" / "built.txt"
    return Counter(file.read_text().split()) if file.exists() else Counter()


def assert_built_once(folder: Path, *programs: subprocess.Popen[str]) -> None:
    for program in programs:
        out, err = program.communicate(timeout=120)
        assert program.returncode == 0, err
        assert out.splitlines()[-1] == str(TOTAL)
    assert sorted(built(folder).values()) == [1] * ARTEFACTS
    assert not list((folder / "store" / ".work").iterdir())


def test_programs_that_are_stopped_for_longer_than_all_timeouts_go_on(tmp_path: Path) -> None:
    """Two programs want the same artefacts, so that each waits for locks of the other when all are stopped."""
    # The shortest that Dask takes. A worker that is silent for longer than the second is taken for dead, where it has a value.
    short = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s", "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "5s"}
    first = sums_started(tmp_path, short)
    second = sums_started(tmp_path, short, group=first.pid)
    try:
        wait_for(lambda: len(built(tmp_path)) > 4, "some artefacts are begun")
        family = [each for program in (first, second) for each in psutil.Process(program.pid).children(recursive=True)]
        os.killpg(first.pid, signal.SIGSTOP)
        wait_for(lambda: all(each.status() == psutil.STATUS_STOPPED for each in family), "all processes are stopped")
        begun = built(tmp_path)
        time.sleep(13)
        assert built(tmp_path) == begun
        os.killpg(first.pid, signal.SIGCONT)
        assert_built_once(tmp_path, first, second)
    finally:
        os.killpg(first.pid, signal.SIGCONT)
        first.kill()
        second.kill()
