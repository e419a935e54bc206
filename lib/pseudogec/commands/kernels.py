"""Kernels that start at once: each is forked from a process that has imported what notebooks need.

A fresh kernel of the study takes more than a second of processor time for its imports, and a batch starts one for each notebook.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import shutil
import signal
import sys
import threading
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from multiprocessing.forkserver import ensure_running
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from traitlets import Dict

_CONTEXT = multiprocessing.get_context("forkserver")
# On macOS some system libraries do not work in a forked process once they are loaded, so kernels import for themselves there.
_CONTEXT.set_forkserver_preload(["pseudogec.commands.kernel_imports"] if sys.platform == "linux" else [])

_NAME = "notebook kernel"

INLINE = "module://matplotlib_inline.backend_inline"
"""The backend with which matplotlib draws in notebooks, as the variable `MPLBACKEND` names it."""


def prepare_kernels() -> None:
    """Start the process from which kernels are forked; it imports while this process goes on."""
    ensure_running()


def end_kernels() -> None:
    """Kill the kernels that this process has started and that still run."""
    for process in multiprocessing.active_children():
        if process.name == _NAME:
            process.kill()


class ForkedKernelManager(AsyncKernelManager):
    """Starts kernels by forking."""

    environment = Dict(config=True, help="variables of the kernels, beside those of this process")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Not one that is installed: a user's own kernel of the same name may belong to another Python.
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self._kernel_spec = KernelSpec(argv=argv, language="python")
        self.provisioner = _ForkingProvisioner(kernel_id="", kernel_spec=self._kernel_spec, parent=self)


class _ForkingProvisioner(LocalProvisioner):
    parent: ForkedKernelManager
    process: Any

    async def launch_kernel(self, cmd: list[str], **options: Any) -> KernelConnectionInfo:
        environment = {**options["env"], **self.parent.environment, "MPLBACKEND": INLINE}
        self.process = _ForkedProcess(self.parent.connection_file, environment, options.get("cwd"))
        self.pid = self.process.pid
        return self.connection_info


class _ForkedProcess:
    """A kernel's process as jupyter_client wants it, that is, with the interface of `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, connection_file: str, environment: dict[str, str], folder: str | None) -> None:
        # What this program cannot remove if it is killed: its folder for the kernel, and that of the process that forks.
        leftovers = (str(Path(connection_file).parent), get_temp_dir())
        self._process: ForkServerProcess = _CONTEXT.Process(
            target=_run_kernel, args=(connection_file, environment, folder, leftovers), name=_NAME
        )
        self._process.start()
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self._process.is_alive() and self.pid is not None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def _run_kernel(connection_file: str, environment: dict[str, str], folder: str | None, leftovers: Sequence[str]) -> None:
    """Be a kernel; in the forked process."""
    os.setsid()  # an interrupt from the terminal is the batch program's to deal with
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder or os.curdir)
    sys.argv = ["ipykernel_launcher", "-f", connection_file]
    # What cells print reaches the notebook by messages. What a kernel prints before it can send messages is not kept.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    threading.Thread(target=_end_with_parent, args=(leftovers,), daemon=True).start()
    from ipykernel.kernelapp import IPKernelApp

    try:
        IPKernelApp.launch_instance(sys.argv[1:])
    finally:
        atexit._run_exitfuncs()  # which a forked process leaves out, and Dask closes its workers in one


def _end_with_parent(leftovers: Sequence[str]) -> None:
    """End this kernel when the program that started it has ended, else the notebook could be executed twice."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    for path in leftovers:
        shutil.rmtree(path, ignore_errors=True)
    os._exit(1)
