"""Execute one notebook with papermill."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import papermill
import psutil
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from papermill.exceptions import PapermillExecutionError
from traitlets import Dict
from traitlets.config import Config

from pseudogec import METADATA
from pseudogec.artefacts.files import write_atomically

_INLINE = "module://matplotlib_inline.backend_inline"
"""Figures are shown in the notebook, whatever the shell's variable says."""
_WIDGET = "application/vnd.jupyter.widget-view+json"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # of IPython's tracebacks

SOLUTION_TAG = "solution"
"""Tag of the cells that hold solutions of exercises, folded away in the source notebooks."""

logging.getLogger("papermill").setLevel(logging.CRITICAL)  # its errors are raised, too


class CellError(Exception):
    """A notebook stopped at a cell; the message has the cell's number among the code cells and the
    end of the traceback.
    """


class NotebookKernel(AsyncKernelManager):
    environment = Dict(config=True)

    @property
    def kernel_spec(self) -> KernelSpec:
        # Not one that is installed: a user's own kernel of the same name may belong to another
        # Python. It reports on the screen that it was interrupted when it is shut down.
        argv = [
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
            "--log-level=CRITICAL",
        ]
        return KernelSpec(
            argv=argv, language="python", env={"MPLBACKEND": _INLINE, **self.environment}
        )


def kill_kernels() -> None:
    """Kill the kernels that this process has started and that still run, with the processes that
    they have started.
    """
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if "ipykernel_launcher" in child.cmdline():
                os.killpg(child.pid, signal.SIGKILL)


def execute(
    source: Path,
    executed: Path,
    parameters: Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
    course: bool = False,
) -> None:
    """Execute a notebook in its folder and write it as readers see it (`as_read`), up to the cell
    where it failed.

    Args:
        executed: where it is written; what is there stays until all cells were run, or if the
            kernel dies.
        parameters: for the cell with the tag ``parameters``.
        environment: variables of the kernel, in addition to those of this process.

    Raises:
        CellError: a cell failed, or its kernel died.
    """
    with tempfile.TemporaryDirectory(prefix="pseudogec-") as folder:
        # In a folder of its own: two programs may execute the same notebook at the same time.
        unfinished = Path(folder) / executed.name
        failure = None
        # Sockets, since a port that looks free can be taken before the kernel binds it, and with
        # many workers it sometimes is.
        sockets = {"transport": "ipc", "connection_file": str(Path(folder) / "kernel.json")}
        try:
            papermill.execute_notebook(
                str(source),
                str(unfinished),
                dict(parameters),
                kernel_name="python3",
                progress_bar=False,
                coalesce_streams=True,  # what is printed comes in parts if the machine is busy
                resources={"metadata": {"path": str(source.parent)}},
                kernel_manager_class=NotebookKernel,
                config=Config(NotebookKernel={"environment": dict(environment or {}), **sockets}),
            )
        except PapermillExecutionError as error:
            lines = _COLOUR.sub("", "\n".join(error.traceback)).splitlines()[-6:]
            failure = CellError("\n".join([f"cell [{error.exec_count}]: {error.ename}", *lines]))
        # Nbclient's DeadKernelError, or its own if the kernel dies while it starts
        except RuntimeError:
            raise CellError("the notebook's kernel died, perhaps for lack of memory") from None
        notebook = as_read(json.loads(unfinished.read_text(encoding="utf-8")), course)
    with write_atomically(executed) as stream:
        stream.write((json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    if failure is not None:
        raise failure


def _is_shown_while_running(output: dict[str, Any]) -> bool:
    return bool(output.get("metadata", {}).get(METADATA, {}).get("while_running"))


def as_read(notebook: dict[str, Any], course: bool = False) -> dict[str, Any]:
    """An executed notebook for readers, which is changed: the answer first, without widgets and
    what differs between runs.

    With ``course`` it is for a class: without the solutions of exercises, each of which is a
    Markdown cell of its own, and with no more slides than the cells that the source marks as such.
    """
    if course:
        notebook["cells"] = [
            cell
            for cell in notebook["cells"]
            if SOLUTION_TAG not in cell["metadata"].get("tags", ())
        ]
        # Without a type, a cell would be a part of the slide before it
        for cell in notebook["cells"]:
            cell["metadata"].setdefault("slideshow", {"slide_type": "skip"})
    notebook["cells"] = _answer_first(notebook["cells"])
    notebook["metadata"].pop("papermill", None)
    notebook["metadata"].pop("widgets", None)
    notebook["metadata"].get("language_info", {}).pop("version", None)
    for cell in notebook["cells"]:
        cell["metadata"].pop("papermill", None)
        cell["metadata"].pop("execution", None)
        if "injected-parameters" in cell["metadata"].get("tags", ()):
            cell["id"] = "injected-parameters"  # which papermill draws at random
        if "outputs" in cell:
            cell["outputs"] = [
                output for output in cell["outputs"] if not _is_shown_while_running(output)
            ]
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(_WIDGET, None)
    return notebook


def _answer_first(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cells with the section *In short*, which is executed last to be checked against all
    tables, behind the question.
    """
    starts = [
        place for place, cell in enumerate(cells) if "".join(cell["source"]).startswith("## ")
    ]
    place = next(
        (place for place in starts if "".join(cells[place]["source"]).startswith("## In short")),
        None,
    )
    if place is None:
        return cells
    end = next((start for start in starts if start > place), len(cells))
    return [cells[0], *cells[place:end], *cells[1:place], *cells[end:]]
