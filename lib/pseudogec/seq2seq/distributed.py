"""One training in several processes, each with its own GPU, on one machine or several.

The parent writes a file that describes the training, and starts processes by torchrun, each of which runs ``python -m
pseudogec.seq2seq.distributed FILE``. They connect to the parent and send progress, result and errors as lines of JSON. When the
connection ends because the parent has ended, they end too.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import secrets
import socket
import socketserver
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from artefacts.cluster import keep_freed_memory
from artefacts.errors import UserError
from pseudogec.seq2seq import compat
from pseudogec.seq2seq.memory import OutOfMemoryError
from pseudogec.seq2seq.training import TrainingJob, TrainingProgress, TrainingResult

_MODULE = "pseudogec.seq2seq.distributed"
_JOB, _LOG = "job.json", "processes.log"
_LINES_OF_LOG = 15
_SECONDS_FOR_LAST_MESSAGES = 2.0
_SECONDS_TO_END = 30.0

log = logging.getLogger(__name__)


class _Order(BaseModel):
    model_config = ConfigDict(frozen=True)

    job: TrainingJob
    host: str
    port: int
    token: str


# --- The parent


def usable_processes(wanted: int | None, update_frequency: int) -> int:
    """How many processes share the batches of an update evenly; ``wanted`` is as in `pseudogec.seq2seq.train`."""
    import torch

    gpus = torch.cuda.device_count()
    if wanted is not None and (wanted < 1 or wanted > gpus > 0):
        raise UserError(f"processes must lie between 1 and the number of GPUs, of which torch sees {gpus}; got {wanted}")
    wanted = wanted or max(gpus, 1)
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
    host = socket.gethostname() if launcher else "127.0.0.1"  # processes on other machines connect to this one's name
    with _Listener("" if launcher else host) as listener:
        path = job.folder / _JOB
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)  # it holds a secret
        order = _Order(job=job, host=host, port=listener.server_address[1], token=listener.token)
        path.write_text(order.model_dump_json(), encoding="utf-8")
        return _follow([*(launcher or here), "-m", _MODULE, str(path)], job, listener.messages, progress)


def _follow(
    command: list[str], job: TrainingJob, messages: queue.Queue[dict[str, Any]], progress: Callable[[TrainingProgress], None]
) -> TrainingResult:
    failures: list[str] = []  # in the order of their arrival, since one failure causes others
    with _running(command, job.folder / _LOG) as process:
        for message in _until_quiet(messages, lambda: bool(failures) or process.poll() is not None):
            if "progress" in message:
                progress(TrainingProgress(*message["progress"]))
            elif "result" in message:
                # The model is written: processes that wait on the network for ever are ended.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_SECONDS_TO_END)
                return TrainingResult.model_validate(message["result"])
            elif "advice" in message:
                raise UserError(message["advice"])
            elif "out_of_memory" in message:
                raise OutOfMemoryError(message["out_of_memory"])
            elif "failure" in message:
                failures.append(message["failure"])
    if failures:
        raise RuntimeError("\n".join(["training failed in its processes:", *failures]))
    last_lines = (job.folder / _LOG).read_text(encoding="utf-8", errors="replace").splitlines()[-_LINES_OF_LOG:]
    raise RuntimeError(
        f"the processes of a training ended (status {process.returncode}) without a message; the last lines of {command[0]}:\n"
        + "\n".join(last_lines)
    )


def _until_quiet(messages: queue.Queue[dict[str, Any]], over: Callable[[], bool]) -> Iterator[dict[str, Any]]:
    """Yield messages until the training has ended and no more come."""
    while True:
        ended = over()
        try:
            yield messages.get(timeout=_SECONDS_FOR_LAST_MESSAGES if ended else 0.2)
        except queue.Empty:
            if ended:
                return


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


class _Listener(socketserver.ThreadingTCPServer):
    """Takes the messages of processes that know the token; an empty address stands for all of this machine's."""

    daemon_threads = True

    def __init__(self, address: str) -> None:
        super().__init__((address, 0), _Handler)
        self.token = secrets.token_hex()
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.connections: list[socket.socket] = []

    def __enter__(self) -> _Listener:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(socketserver.StreamRequestHandler):
    server: _Listener

    def handle(self) -> None:
        if not secrets.compare_digest(self.rfile.readline(200).strip(), self.server.token.encode()):
            return
        self.server.connections.append(self.connection)
        name, message = self.rfile.readline().decode().strip(), {}
        with contextlib.suppress(OSError, ValueError):  # of a process that was killed, perhaps in the middle of a line
            for line in self.rfile:
                message = json.loads(line)
                self.server.messages.put(message)
        if not message.keys() & {"end", "result", "failure", "advice", "out_of_memory"}:
            self.server.messages.put({"failure": f"{name} ended without a message: was it killed, or did it run out of memory?"})


# --- A process


def main(path: Path) -> None:
    """Do the part of a training that torchrun's environment variables assign to this process; the file describes the training."""
    order = _Order.model_validate_json(path.read_text(encoding="utf-8"))
    name = f"process {os.environ['RANK']} on {socket.gethostname()} (number {os.getpid()} there)"
    parent = socket.create_connection((order.host, order.port))
    parent.sendall(f"{order.token}\n{name}\n".encode())
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()

    def tell(message: dict[str, Any]) -> None:
        parent.sendall(json.dumps(message).encode() + b"\n")

    try:
        result = _train(order.job, lambda now: tell({"progress": now}))
    except UserError as error:
        tell({"advice": str(error)})
        raise
    except OutOfMemoryError as error:
        tell({"out_of_memory": str(error)})
        raise
    except Exception:
        tell({"failure": f"{name}: {traceback.format_exc()}"})
        raise
    tell({"result": result.model_dump(mode="json")} if result is not None else {"end": name})


def _end_with(parent: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while parent.recv(1):
            pass
    os._exit(1)


def _train(job: TrainingJob, progress: Callable[[TrainingProgress], None]) -> TrainingResult | None:
    """Train together with the other processes; the first one returns the result."""
    import torch

    keep_freed_memory()  # processes of a Dask worker inherit its environment, which asks them to give it back
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
    main(Path(sys.argv[1]))
