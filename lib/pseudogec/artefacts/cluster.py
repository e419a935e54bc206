"""Where a build runs: workers on this machine, a deployment that a configuration names, or a
scheduler that runs already.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import resource
import secrets
import shlex
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.kinds import Section
from pseudogec.artefacts.processor import gpus_of_this_machine

if TYPE_CHECKING:
    from distributed import Client
    from distributed.deploy import Cluster

_HERE = "127.0.0.1"
"""Where a local scheduler listens: other machines cannot reach it."""

SECONDS_TO_ANSWER = 20
"""How long a scheduler, and then its workers, may take to answer a program that connects to it."""

LEAST_MEMORY = 4_000_000_000
"""Bytes of addresses of a worker that trains; half of them are in use."""

LAUNCHER = "ARTEFACTS_LAUNCHER"
"""Environment variable of a worker: `cluster.launcher`."""

# Settings of Dask for what is started here.
_SETTINGS = {
    # A worker is lost when its connection is: it may be silent because the machine sleeps.
    "distributed.scheduler.worker-ttl": None,
    # glibc gives freed memory back to the system at this size. With Dask's own 64 KiB, training,
    # which allocates and frees large tensors all the time, spends a third of its time in the kernel
    # (20 s against 12 s for the same 60 updates).
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**30,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**30,
}

# An interrupt from the terminal reaches all processes. It is for the program, which then ends its
# workers.
_LEAVES_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


class ClusterSection(Section):
    """A Dask deployment that is started for a build: Slurm, PBS, LSF, Kubernetes, or any other that
    has a class.

    Without this section, workers are started on the machine itself; ``--scheduler ADDRESS``
    overrules both.
    """

    class_name: str = Field(
        alias="class", description="the deployment's class, such as `dask_jobqueue.SLURMCluster`"
    )
    options: dict[str, Any] = Field(default_factory=dict, description="arguments of the class")
    jobs: int = Field(
        1, gt=0, description="number of workers that are kept running; lost ones are replaced"
    )
    launcher: tuple[str, ...] = Field(
        (),
        description="the command that starts a training of several processes; torchrun on the "
        "worker's machine by default",
    )

    def deployment_class(self) -> Callable[..., Cluster]:
        """The class; UserError if it cannot be imported."""
        package, _, name = self.class_name.rpartition(".")
        try:
            cluster_class: Callable[..., Cluster] = getattr(importlib.import_module(package), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise UserError(
                f"cluster.class: `{self.class_name}` cannot be imported ({error})"
            ) from None
        return cluster_class


def launcher() -> list[str] | None:
    """The command that starts a training of several processes, in a worker that was told one."""
    return shlex.split(os.environ.get(LAUNCHER, "")) or None


def local_cluster(workers: int, gpus: Sequence[str] | None = None) -> Cluster:
    """Start so many worker processes on this machine, of one thread each; one that dies is started
    again.

    The first workers have one of the ``gpus`` each (this machine's by default) and the resource
    ``GPU=1``; the others see none, so that they cannot fill a GPU's memory.
    """
    import dask
    from distributed import Nanny, Scheduler, SpecCluster

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= limit < LEAST_MEMORY:  # Dask would lose messages in silence, and wait without end
        raise UserError(
            f"`ulimit -v` allows a process {limit / 1e9:.1f} GB; a worker needs "
            f"{LEAST_MEMORY / 1e9:.0f} GB"
        )
    gpus = gpus_of_this_machine() if gpus is None else gpus
    # A nanny starts a lost worker again, which takes long on a busy machine; meanwhile Dask must
    # not end the nanny.
    dask.config.set({**_SETTINGS, "distributed.deploy.lost-worker-timeout": "10 minutes"})
    specification = {}
    for number in range(workers):
        options = {
            "env": {"CUDA_VISIBLE_DEVICES": gpus[number] if number < len(gpus) else ""},
            "resources": {"GPU": 1} if number < len(gpus) else {},
            "preload": [_LEAVES_INTERRUPTS],
            "nthreads": 1,
            "memory_limit": 0,
            "host": _HERE,
            "dashboard": False,
            "silence_logs": logging.CRITICAL,
        }
        specification[number] = {"cls": Nanny, "options": options}
    scheduler = {
        "cls": Scheduler,
        "options": {
            "host": _HERE,
            "port": 0,
            "dashboard": False,
            "dashboard_address": f"{_HERE}:0",
        },
    }
    # A step's traceback is in the artefact's own log.
    return SpecCluster(workers=specification, scheduler=scheduler, silence_logs=logging.CRITICAL)


def deployment(section: ClusterSection) -> Cluster:
    """Start the deployment that a configuration names, and ask for its workers; UserError if it
    cannot be imported or started.
    """
    import dask

    # A training of days outlives nodes that are preempted.
    losses = {
        "distributed.scheduler.allowed-failures": 20,
        "distributed.deploy.lost-worker-timeout": "15s",
    }
    dask.config.set({**_SETTINGS, **losses})
    made_by = section.deployment_class()
    try:
        cluster = made_by(**section.options)
        cluster.scale(section.jobs)
        cluster.sync(_started, cluster)
    # Of the deployment's own kinds: an unknown option, no command to submit jobs, no such queue
    except Exception as error:
        raise UserError(
            f"cluster.options: {section.class_name} does not start: {type(error).__name__}: {error}"
        ) from error
    assert cluster.loop is not None
    cluster.loop.add_callback(_ask_again, cluster, section.jobs)
    return cluster


async def _started(cluster: Cluster) -> None:
    await cluster
    # Else a job that cannot be submitted is only logged
    await asyncio.gather(*getattr(cluster, "workers", {}).values())


def _ask_again(cluster: Cluster, jobs: int) -> None:
    """Ask for the number of workers from time to time, as otherwise Dask does not replace a job
    that was lost.
    """
    from tornado.ioloop import PeriodicCallback

    cluster.periodic_callbacks["artefacts"] = asking = PeriodicCallback(
        lambda: cluster.scale(jobs), 10_000
    )
    asking.start()


def connect(where: Cluster | str) -> Client:
    """Connect to a cluster, or to the scheduler at an address; UserError if none answers."""
    from distributed import Client

    # Dask logs a lost connection with a traceback; the engine reports it in one sentence.
    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return Client(where, set_as_default=False, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError) as error:
        refused = UserError(f"no Dask scheduler answers at {where} ({error})")
    # The failed client ends here: if it is collected while another one starts, each waits for the
    # other's lock.
    gc.collect()
    raise refused


def check_workers(client: Client, store: Path) -> None:
    """Ask every worker to read a file of the store; UserError if none answers, or one does not see
    the store.
    """
    answers: dict[str, Any] = {}
    token = secrets.token_hex()
    with tempfile.NamedTemporaryFile("w", dir=store, prefix=".token-") as file:
        file.write(token)
        file.flush()
        ask = threading.Thread(
            target=lambda: answers.update(client.run(Path(file.name).read_text, on_error="return")),
            daemon=True,
        )
        ask.start()
        ask.join(3 * SECONDS_TO_ANSWER)  # they may be at work
    if not answers:
        raise UserError(f"not all workers answer in {3 * SECONDS_TO_ANSWER} s")
    if blind := [worker for worker, answer in answers.items() if answer != token]:
        where = (
            f"the worker at {blind[0]} does not see the store {store} ({answers[blind[0]]!r:.200})"
        )
        raise UserError(
            f"{where}; put it where all workers have it, such as a shared disk, with --store"
        )


def gpus_of_workers(client: Client) -> list[int]:
    """The number of GPUs of each worker, by the resource ``GPU`` that it was started with."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [int(worker.get("resources", {}).get("GPU", 0)) for worker in workers]
