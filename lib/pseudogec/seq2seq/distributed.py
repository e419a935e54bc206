"""One training in several processes, each with its own GPU, on one machine or several.

The parent writes a file that describes the training, and has torchrun start the processes, each of which runs ``python -m
pseudogec.seq2seq.distributed FILE HOST PARENT``. Progress and outcome are files beside it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from artefacts.errors import UserError
from artefacts.files import write_atomically
from pseudogec.seq2seq import compat
from pseudogec.seq2seq.memory import OutOfMemoryError
from pseudogec.seq2seq.training_job import TrainingJob, TrainingProgress, TrainingResult

_MODULE = "pseudogec.seq2seq.distributed"
_JOB, _PROGRESS, _OUTCOME, _LOG = "job.json", "progress.json", "outcome.json", "processes.log"
_LINES_OF_LOG = 40
_SECONDS_TO_END = 30.0

log = logging.getLogger(__name__)


# --- The parent


def usable_processes(gpus: int, update_frequency: int) -> int:
    """How many processes, each with a GPU of its own, share the batches of an update evenly."""
    wanted = max(gpus, 1)
    fitting = _divisors(update_frequency)
    used = max(number for number in fitting if number <= wanted)
    if used < wanted:
        log.warning(
            "training uses %d of %d processes: they share the %d batches of an update (update_frequency), which %s can do evenly",
            *(used, wanted, update_frequency, ", ".join(map(str, fitting))),
        )
    return used


def _divisors(update_frequency: int) -> list[int]:
    return [number for number in range(1, update_frequency + 1) if update_frequency % number == 0]


def run(
    job: TrainingJob, progress: Callable[[TrainingProgress], None], processes: int, launcher: Sequence[str] | None
) -> TrainingResult:
    """Train in so many processes on this machine, or in those that a launcher starts; see `pseudogec.seq2seq.train`."""
    here = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1"]
    here += ["--nproc-per-node", str(processes)]
    command = [*(launcher or here), "-m", _MODULE, str(job.folder / _JOB), socket.gethostname(), str(os.getpid())]
    for left in (_PROGRESS, _OUTCOME):  # by an earlier attempt
        (job.folder / left).unlink(missing_ok=True)
    (job.folder / _JOB).write_text(job.model_dump_json(), encoding="utf-8")
    with _running(command, job.folder / _LOG) as process:
        told = None
        while process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            if (now := _read(job.folder / _PROGRESS)) != told:
                progress(TrainingProgress(*now))
                told = now
    outcome = _read(job.folder / _OUTCOME) or {}
    if "result" in outcome:
        return TrainingResult.model_validate(outcome["result"])
    if "advice" in outcome:
        raise UserError(outcome["advice"])
    if "out_of_memory" in outcome:
        raise OutOfMemoryError(outcome["out_of_memory"])
    last_lines = (job.folder / _LOG).read_text(encoding="utf-8", errors="replace").splitlines()[-_LINES_OF_LOG:]
    raise RuntimeError("\n".join([f"training failed in its processes; the last lines of {command[0]}:", *last_lines]))


@contextlib.contextmanager
def _running(command: list[str], log_file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A running command, ended if it still runs when the context is left."""
    with log_file.open("wb") as output:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        except OSError as error:
            raise UserError(f"the processes of a training cannot be started by `{command[0]}`: {error.strerror}") from None
    try:
        yield process
    finally:
        process.terminate()  # torchrun passes the signal on
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


# --- Files, on several machines in a common file system


def _write(path: Path, message: Any) -> None:
    with write_atomically(path) as stream:
        stream.write(json.dumps(message).encode())


def _read(path: Path) -> Any:
    return json.loads(path.read_bytes()) if path.exists() else None


# --- A process


def main(path: Path, host: str, parent: int) -> None:
    """Do the part of a training that torchrun's environment variables assign to this process.

    Args:
        path: the file that describes the training.
        host: the parent's machine.
        parent: its number there.
    """
    if socket.gethostname() == host:  # processes on other machines end when they miss those on this one
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    job = TrainingJob.model_validate_json(path.read_text(encoding="utf-8"))
    try:
        result = _train(job, lambda now: _write(path.with_name(_PROGRESS), now))
    except UserError as error:
        _write(path.with_name(_OUTCOME), {"advice": str(error)})
        raise
    except OutOfMemoryError as error:
        _write(path.with_name(_OUTCOME), {"out_of_memory": str(error)})
        raise
    if result is not None:
        _write(path.with_name(_OUTCOME), {"result": result.model_dump(mode="json")})


def _end_with(parent: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(parent).wait()
    os._exit(1)


def _train(job: TrainingJob, progress: Callable[[TrainingProgress], None]) -> TrainingResult | None:
    """Train together with the other processes; the first one returns the result."""
    import torch

    rank, processes, device = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    fitting = _divisors(job.optimisation.update_frequency)
    if processes not in fitting:
        raise UserError(
            f"{processes} processes cannot share the {fitting[-1]} batches of an update (update_frequency) evenly; "
            f"start {' or '.join(map(str, fitting))}"
        )
    if torch.cuda.is_available():
        torch.cuda.set_device(device)
    torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    with compat.isolated():
        from pseudogec.seq2seq.training_loop import Process, TrainingRun

        run = TrainingRun(job, progress if rank == 0 else (lambda _: None), Process(rank, processes, device))
        result = run.to_the_end()
    torch.distributed.destroy_process_group()
    return result if rank == 0 else None


if __name__ == "__main__":
    from torch.distributed.elastic.multiprocessing.errors import record

    record(main)(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))  # torchrun's log says which process failed first, and how
