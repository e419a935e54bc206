"""A Dask scheduler and workers as processes of their own."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """Wait for something that must come; returns what the condition gave."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds:g} s"
        time.sleep(0.05)
    return found


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def start_scheduler(stack: contextlib.ExitStack) -> tuple[subprocess.Popen[bytes], str]:
    port = free_port()
    words = [
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-dashboard",
    ]
    process = stack.enter_context(
        subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL)
    )
    stack.callback(process.kill)
    return process, f"tcp://127.0.0.1:{port}"


@contextlib.contextmanager
def dask_worker(address: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        address,
        "--no-dashboard",
        *arguments,
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()
