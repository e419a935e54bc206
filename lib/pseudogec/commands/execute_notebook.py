"""Execute one notebook with papermill, in a process of its own (papermill's working directory is that of its process)."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any


def main() -> int:
    """Run ``python -m pseudogec.commands.execute_notebook SOURCE EXECUTED PARAMETERS-AS-JSON``.

    Prints one JSON object a failure: the failing cell's number and the short traceback. Exit status 1 tells of a failure.
    """
    parser = argparse.ArgumentParser(description="Execute one notebook with papermill.")
    parser.add_argument("source", type=Path)
    parser.add_argument("executed", type=Path)
    parser.add_argument("parameters", type=json.loads)
    arguments = parser.parse_args()
    import papermill
    from papermill.exceptions import PapermillExecutionError

    logging.getLogger("papermill").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")
    unfinished = arguments.executed.with_name(f".{arguments.executed.name}")
    outcome = 0
    try:
        papermill.execute_notebook(
            str(arguments.source),
            str(unfinished),
            arguments.parameters,
            kernel_name="python3",
            progress_bar=False,
            cwd=str(arguments.source.parent),
        )
    except PapermillExecutionError as error:
        print(
            json.dumps({"cell": error.exec_count, "error": f"{error.ename}: {error.evalue}", "traceback": error.traceback[-3:]})
        )
        outcome = 1
    _without_times(unfinished)
    unfinished.replace(arguments.executed)
    return outcome


def _without_times(path: Path) -> None:
    """Remove what differs from run to run, so that the same study gives the same executed notebook."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"].pop("papermill", None)
    for cell in notebook["cells"]:
        cell["metadata"].pop("papermill", None)
        cell["metadata"].pop("execution", None)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
