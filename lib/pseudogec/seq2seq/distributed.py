"""One training in several processes, each with its own GPU, on one machine or several.

The parent writes a file that describes the training, and has torchrun start the processes, each of
which runs ``python -m pseudogec.seq2seq.training_loop FILE HOST PARENT``. Progress and outcome are
files beside it, on several machines in a common file system.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pseudogec.artefacts.errors import UserError
from pseudogec.seq2seq.training_job import TrainingJob, TrainingProgress, TrainingResult

_MODULE = "pseudogec.seq2seq.training_loop"
_JOB, PROGRESS, OUTCOME, _LOG = "job.json", "progress.json", "outcome.json", "processes.log"
_LINES_OF_LOG = 40
_SECONDS_TO_END = 30.0

log = logging.getLogger(__name__)


def usable_processes(gpus: int, update_frequency: int) -> int:
    """How many processes, each with a GPU of its own, share the batches of an update evenly."""
    processes = max(gpus, 1)
    fitting = divisors(update_frequency)
    used = max(number for number in fitting if number <= processes)
    if used < processes:
        log.warning(
            "training uses %d of %d processes: they share the %d batches of an update "
            "(update_frequency), which %s can do evenly",
            *(used, processes, update_frequency, ", ".join(map(str, fitting))),
        )
    return used


def divisors(update_frequency: int) -> list[int]:
    return [number for number in range(1, update_frequency + 1) if update_frequency % number == 0]


def run(
    job: TrainingJob,
    progress: Callable[[TrainingProgress], None],
    processes: int,
    launcher: Sequence[str] | None,
) -> TrainingResult:
    """Train in so many processes on this machine, or in those that a launcher starts; see
    `pseudogec.seq2seq.train`.
    """
    here = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--local-addr",
        "127.0.0.1",
    ]
    here += ["--nproc-per-node", str(processes)]
    command = [
        *(launcher or here),
        "-m",
        _MODULE,
        str(job.folder / _JOB),
        socket.gethostname(),
        str(os.getpid()),
    ]
    for left in (PROGRESS, OUTCOME):  # by an earlier attempt
        (job.folder / left).unlink(missing_ok=True)
    (job.folder / _JOB).write_text(job.model_dump_json(), encoding="utf-8")
    with _running(command, job.folder / _LOG) as process:
        reported = None
        while process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            if (now := _read(job.folder / PROGRESS)) != reported:
                progress(TrainingProgress(*now))
                reported = now
    outcome = _read(job.folder / OUTCOME) or {}
    if "result" in outcome:
        return TrainingResult.model_validate(outcome["result"])
    if "error" in outcome:
        raise UserError(outcome["error"])
    last_lines = (
        (job.folder / _LOG)
        .read_text(encoding="utf-8", errors="replace")
        .splitlines()[-_LINES_OF_LOG:]
    )
    raise RuntimeError(
        "\n".join(
            [f"training failed in its processes; the last lines of {command[0]}:", *last_lines]
        )
    )


@contextlib.contextmanager
def _running(command: list[str], log_file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A running command, ended if it still runs when the context is left."""
    with log_file.open("wb") as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise UserError(
                f"the processes of a training cannot be started by `{command[0]}`: {error.strerror}"
            ) from None
    try:
        yield process
    finally:
        process.terminate()  # torchrun passes the signal on
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _read(path: Path) -> Any:
    return json.loads(path.read_bytes()) if path.exists() else None
