"""Kernels that start at once: each is forked from a process that has imported what notebooks need.

A fresh kernel takes more than a second of processor time for its imports, and a batch starts one for each notebook. Variables
that libraries read when they are imported (``OMP_NUM_THREADS``) have in all kernels the values of the first.
"""

from __future__ import annotations

import atexit
import contextlib
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
from weakref import WeakSet

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from traitlets import Dict

_CONTEXT = multiprocessing.get_context("forkserver")
# On macOS some system libraries do not work in a forked process once they are loaded, so kernels import for themselves there.
_CONTEXT.set_forkserver_preload(["pseudogec.commands.kernel_imports"] if sys.platform == "linux" else [])

INLINE_BACKEND = "module://matplotlib_inline.backend_inline"
"""The backend with which matplotlib draws in notebooks, as the variable `MPLBACKEND` names it."""


def prepare_kernels() -> None:
    """Start the process from which kernels are forked; it imports while this process goes on."""
    with contextlib.suppress(OSError):  # then each kernel is started without forking
        ensure_running()


def kill_kernels() -> None:
    """Kill the kernels that this process has started and that still run, with the processes that they have started."""
    for provisioner in list(_started):
        if provisioner.process is not None and provisioner.pgid is not None and provisioner.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(provisioner.pgid, signal.SIGKILL)


class ForkedKernelManager(AsyncKernelManager):
    """Starts kernels by forking.

    The connection file must lie in a folder of its own: a kernel whose program is killed removes it.
    """

    environment = Dict(config=True, help="variables of the kernels, in addition to those of this process")

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
        options["env"] |= {**self.parent.environment, "MPLBACKEND": INLINE_BACKEND}
        _started.add(self)
        try:
            self.process = _ForkedProcess(cmd[3:], options["env"], options.get("cwd"), Path(self.parent.connection_file).parent)
        except (OSError, EOFError):  # the path of its socket is too long, or there is no memory for one more process
            return await super().launch_kernel(cmd, **options)
        self.pid = self.pgid = self.process.pid
        return self.connection_info


_started: WeakSet[_ForkingProvisioner] = WeakSet()


class _ForkedProcess:
    """A kernel's process, with the part of the interface of `subprocess.Popen` that `LocalProvisioner` uses."""

    stdin = stdout = stderr = None

    def __init__(self, words: Sequence[str], environment: dict[str, str], folder: str | None, sockets: Path) -> None:
        # Folders that nobody else removes if this program is killed: that of the kernel's sockets, and multiprocessing's.
        leftovers = (str(sockets), get_temp_dir())
        self._process: ForkServerProcess = _CONTEXT.Process(target=_run_kernel, args=(words, environment, folder, leftovers))
        self._process.start()
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)


def _run_kernel(words: Sequence[str], environment: dict[str, str], folder: str | None, leftovers: Sequence[str]) -> None:
    """Be a kernel; in the forked process."""
    os.setsid()  # an interrupt from the terminal is for the batch program
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder or os.curdir)
    sys.argv = ["ipykernel_launcher", *words]
    # What cells print reaches the notebook by messages. What a kernel prints before it can send messages is not kept.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    threading.Thread(target=_end_with_others, args=(leftovers,), daemon=True).start()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # or all kernels would draw the same numbers
    from ipykernel.kernelapp import IPKernelApp

    try:
        IPKernelApp.launch_instance(sys.argv[1:])
    finally:
        atexit._run_exitfuncs()  # multiprocessing leaves them out


def _end_with_others(leftovers: Sequence[str]) -> None:
    """End this kernel after the program that started it, else the notebook could be executed twice.

    Without the process from which it was forked, that program believes that the kernel has died.
    """
    program, forked_from = multiprocessing.parent_process(), os.getppid()
    assert program is not None
    while program.is_alive() and os.getppid() == forked_from:
        program.join(0.2)
    program.join(1)  # if both are killed, one may end a moment before the other
    if not program.is_alive():
        for path in leftovers:
            shutil.rmtree(path, ignore_errors=True)
    os._exit(1)
