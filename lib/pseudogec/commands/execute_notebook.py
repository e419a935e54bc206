"""Execute one notebook with papermill, in a process of its own (papermill's working directory is that of its process)."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from traitlets.config import Config

from artefacts.files import write_atomically
from pseudogec import METADATA
from pseudogec.quick_imports import skip_address_grammars

_WIDGET = "application/vnd.jupyter.widget-view+json"

SOLUTION_TAG = "solution"
"""Tag of the cells that hold solutions of exercises, folded away in the source notebooks."""

_LONGEST_SOCKET = 103
"""Bytes of the path of a Unix socket: 107 on Linux, 103 on macOS."""


def main() -> int:
    """Run ``python -m pseudogec.commands.execute_notebook SOURCE EXECUTED PARAMETERS-AS-JSON [--course]``.

    Prints one JSON object for each failure: the failing cell's number and the short traceback. The exit status is then 1.
    """
    parser = argparse.ArgumentParser(description="Execute one notebook with papermill.")
    parser.add_argument("source", type=Path)
    parser.add_argument("executed", type=Path)
    parser.add_argument("parameters", type=json.loads)
    parser.add_argument("--course", action="store_true", help="leave the solutions of exercises out")
    arguments = parser.parse_args()
    parent = os.getppid()
    skip_address_grammars()
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    logging.getLogger("papermill").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")
    with tempfile.TemporaryDirectory(prefix="pseudogec-") as folder:
        threading.Thread(target=_end_with, args=(parent, folder), daemon=True).start()
        # Of a place of its own: two programs may execute the same notebook at the same time.
        unfinished = Path(folder) / arguments.executed.name
        outcome = 0
        try:
            papermill.execute_notebook(
                str(arguments.source),
                str(unfinished),
                arguments.parameters,
                kernel_name="python3",
                progress_bar=False,
                cwd=str(arguments.source.parent),
                config=_sockets_in(Path(folder)),
            )
        except PapermillExecutionError as error:
            told = {"cell": error.exec_count, "error": f"{error.ename}: {error.evalue}", "traceback": error.traceback[-3:]}
            print(json.dumps(told))
            outcome = 1
        except DeadKernelError:
            died = "the notebook's kernel died, perhaps for lack of memory"
            print(json.dumps({"cell": _last_begun(unfinished), "error": died, "traceback": []}))
            outcome = 1
        executed = as_read(json.loads(unfinished.read_text(encoding="utf-8")), arguments.course)
    with write_atomically(arguments.executed) as stream:
        stream.write((json.dumps(executed, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    return outcome


def _sockets_in(folder: Path) -> Config:
    """Let the kernel and its client use sockets in a folder, unless its path is too long for them.

    A port that looks free can be taken before the kernel binds it, and with many workers it sometimes is.
    """
    short = len(os.fsencode(folder / "kernel-ipc-5")) <= _LONGEST_SOCKET
    return Config(KernelManager={"transport": "ipc" if short else "tcp", "connection_file": str(folder / "kernel.json")})


def _last_begun(notebook: Path) -> int:
    """The number of the cell where a notebook was left, which papermill saves cell by cell.

    The kernel may die before it reports that number, so cells are counted.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    begun = [place for place, cell in enumerate(cells) if cell["metadata"]["papermill"]["start_time"]]
    return sum(cell["cell_type"] == "code" for cell in cells[: max(begun) + 1])


def _end_with(parent: int, folder: str) -> None:
    """End this process, and so its kernel, soon after its parent has ended; else the notebook could be executed twice."""
    while os.getppid() == parent:
        time.sleep(0.2)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _is_shown_while_running(output: dict[str, Any]) -> bool:
    return bool(output.get("metadata", {}).get(METADATA, {}).get("while_running"))


def as_read(notebook: dict[str, Any], course: bool = False) -> dict[str, Any]:
    """A notebook for readers: without parts that differ from run to run, and without widgets, which need a kernel.

    The same study gives the same executed notebook. In place of a widget stands the HTML that came with it.

    Args:
        notebook: an executed one; it is changed.
        course: whether it is for a class, without the solutions of exercises. Each is a Markdown cell of its own, never a code
            cell, so that executed notebooks with and without solutions are the same except for these cells.
    """
    if course:
        notebook["cells"] = [cell for cell in notebook["cells"] if SOLUTION_TAG not in cell["metadata"].get("tags", ())]
    notebook["metadata"].pop("papermill", None)
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        cell["metadata"].pop("papermill", None)
        cell["metadata"].pop("execution", None)
        if "injected-parameters" in cell["metadata"].get("tags", ()):
            cell["id"] = "injected-parameters"  # which papermill draws at random
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if not _is_shown_while_running(output)]
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(_WIDGET, None)
    return notebook


if __name__ == "__main__":
    sys.exit(main())
