"""A Dask cluster of separate processes on one machine, started by Dask's own programs, for tests
that kill and measure.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.cluster_processes import free_port, wait_for

Process = subprocess.Popen[bytes]
HOST = "127.0.0.1"


class DaskProcesses:
    """A `dask scheduler` and some `dask worker` (each a nanny and its worker), as a user would
    start them.

    Args:
        log: where they write what they say.
        workers: how many.
    """

    def __init__(self, log: Path, workers: int) -> None:
        self._log: IO[bytes] = log.open("ab")
        self._port = free_port()
        self.address = f"tcp://{HOST}:{self._port}"
        self.scheduler = self._start_scheduler()
        self.nannies = [self._start_worker() for _ in range(workers)]

    def _start(self, module: str, *arguments: str) -> Process:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *arguments]
        return subprocess.Popen(command, stdout=self._log, stderr=self._log)

    def _start_scheduler(self) -> Process:
        process = self._start(
            "dask_scheduler", "--host", HOST, "--port", str(self._port), "--dashboard-address", ":0"
        )
        wait_for(lambda: _listens(self._port), "the scheduler listens", 120)
        return process

    def _start_worker(self) -> Process:
        # A worker that is just starting when the scheduler dies would wait for another without end.
        return self._start(
            "dask_worker",
            self.address,
            "--nthreads",
            "1",
            "--memory-limit",
            "0",
            "--death-timeout",
            "20",
        )

    def restart_scheduler(self) -> None:
        """Start another scheduler at the same address."""
        self.scheduler.wait()
        wait_for(lambda: not _listens(self._port), "the port is free", 120)
        self.scheduler = self._start_scheduler()

    def restart_worker(self, number: int) -> None:
        """Start another nanny with its worker."""
        self.nannies[number].wait()
        self.nannies[number] = self._start_worker()

    def restart_ended_workers(self) -> None:
        """Start nannies again that have ended: one gives up if its worker dies before it has
        started.
        """
        for number, nanny in enumerate(self.nannies):
            if nanny.poll() is not None:
                self.restart_worker(number)

    def workers(self, number: int) -> list[psutil.Process]:
        """The worker process of a nanny, if it runs."""
        with contextlib.suppress(psutil.NoSuchProcess):
            children = psutil.Process(self.nannies[number].pid).children()
            return [child for child in children if "spawn_main" in " ".join(_command(child))]
        return []

    def close(self) -> None:
        """End all of them, and what they started."""
        ended = [self.scheduler, *self.nannies]
        family = [child for process in ended for child in _children(process.pid)]
        for process in ended:
            process.kill()
            process.wait()
        for child in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        self._log.close()

    def __enter__(self) -> DaskProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def _command(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


def _children(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).children(recursive=True)
    return []


def run_all_command(repository: Path, folder: Path, *arguments: str) -> list[str]:
    """The batch program with a store and outputs in a folder."""
    places = ["--store", str(folder / "store"), "--outputs", str(folder / "outputs")]
    return [
        sys.executable,
        str(repository / "run_all.py"),
        "--profile",
        "smoke",
        *places,
        *arguments,
    ]
