"""Where a build runs: workers on this machine, a deployment that the profile names, or a scheduler that runs already."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import inspect
import itertools
import logging
import multiprocessing
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, model_validator

from artefacts.errors import UserError, nearest
from artefacts.kinds import Section

if TYPE_CHECKING:
    from distributed import Client
    from distributed.deploy import Cluster

_HERE = "127.0.0.1"
"""Where the scheduler of a local cluster listens; other machines cannot reach it."""

_WEB = f"{_HERE}:0"
"""Where web servers listen, which Dask starts in every scheduler and worker; they ask for no password."""

ALLOWED_FAILURES = 20
"""How many workers may die with one task before the task counts as failed.

Dask's own 3 is right for one machine, where a dying worker mostly means too little memory. On a cluster a training of days
outlives nodes that are preempted or reach their time limit; it continues from its last checkpoint each time.
"""

SECONDS_TO_ANSWER = 20
"""How long a scheduler may take to answer a program that connects to it."""

LAUNCHER = "ARTEFACTS_LAUNCHER"
"""Environment variable of a worker: the command that starts a training of several processes, as `cluster.launcher` says."""

_TLS_ROLES = ("scheduler", "worker", "client")

_SCHEDULER = {
    # No limit on a worker's silence: after a machine slept or its clock was set, all workers would seem to have been silent for
    # hours, and Dask would interrupt them. A lost worker is noticed by its connection.
    "distributed.scheduler.worker-ttl": None,
    # After this time a lost worker is replaced.
    "distributed.deploy.lost-worker-timeout": "15s",
    # An adaptive deployment assumes that unknown steps are long, or it would start one worker for eight trainings. It keeps a job
    # for five idle minutes (300 checks, one a second), since the next job may wait in the queue for hours.
    "distributed.scheduler.unknown-task-duration": "10 minutes",
    "distributed.adaptive.wait-count": 300,
}

# What Dask measures for its dashboard, which is not started here: stacks of running tasks every 10 ms, delays of event loops
# every 20 ms, and the load of the machine every 500 ms.
_UNMEASURED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}

# An interrupt from the terminal reaches all processes. It is for the program, which then ends its workers.
_LEAVES_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"

_UNGUARDED = 'a script must build under `if __name__ == "__main__":`, since each worker process imports the script'

# glibc gives freed memory back to the system at this size. Dask starts its workers with 64 KiB, and then training, which
# allocates and frees large tensors all the time, spends a third of its time in the kernel (measured: 20 s against 12 s for
# the same 60 updates).
_MALLOC_THRESHOLD = 2**30
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of <malloc.h>


class Adaptation(Section):
    """How many jobs (or workers, where the deployment knows no jobs) are kept, by what there is to do."""

    minimum: int = Field(0, ge=0)
    maximum: int = Field(gt=0)

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.minimum > self.maximum:
            raise ValueError(f"minimum {self.minimum} is more than maximum {self.maximum}")
        return self


class ClusterSection(Section):
    """A Dask deployment that is started for a build: Slurm, PBS, LSF, Kubernetes, or any other that has a class.

    Without this section, workers are started on the machine itself; ``--scheduler ADDRESS`` overrules both.
    """

    class_name: str = Field(alias="class", description="the deployment's class, such as `dask_jobqueue.SLURMCluster`")
    options: dict[str, Any] = Field(default_factory=dict, description="arguments of the class")
    jobs: int | None = Field(None, gt=0, description="number of jobs (or workers) that are kept running; lost ones are replaced")
    adapt: Adaptation | None = Field(None, description="in place of `jobs`: as many as there is work for")
    gpus_per_worker: int = Field(
        0, ge=0, description="GPUs of a worker: training takes all of them, decoding one; 0 for workers without"
    )
    launcher: tuple[str, ...] = Field(
        (), description="the command that starts a training of several processes; torchrun on the worker's machine by default"
    )

    @model_validator(mode="after")
    def _has_one_size(self) -> Self:
        if (self.jobs is None) == (self.adapt is None):
            raise ValueError("give either `jobs: N` or `adapt: {minimum: N, maximum: N}`")
        return self

    @property
    def largest(self) -> int:
        if self.adapt is not None:
            return self.adapt.maximum
        assert self.jobs is not None  # one of both is given
        return self.jobs


def launcher() -> list[str] | None:
    """The command that starts a training of several processes, in a worker that was told one."""
    return shlex.split(os.environ.get(LAUNCHER, "")) or None


def keep_freed_memory() -> None:
    """Let this process keep the memory that it frees; does nothing where the C library is not glibc."""
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_TRIM_THRESHOLD, _MALLOC_THRESHOLD)
        mallopt(_M_MMAP_THRESHOLD, _MALLOC_THRESHOLD)


def keep_time_steady() -> None:
    """Let Dask measure intervals in this process by a clock that cannot be set.

    By default Dask and tornado use the wall clock. When that is set back, messages wait and periodic checks pause until it shows
    the old time again.
    """
    import distributed
    from tornado.ioloop import IOLoop

    if IOLoop.time is _steady_time:
        return
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{distributed.__name__}.") and getattr(module, "time", None) is time.time:
            module.time = _steady_time  # type: ignore[attr-defined]
    IOLoop.time = _steady_time  # type: ignore[method-assign, assignment]


_began = time.time() - time.monotonic()


def _steady_time(*_: object) -> float:
    """Seconds since 1970, if nobody has set the clock since this process began."""
    return _began + time.monotonic()


def cores_of_this_machine() -> int:
    """CPU cores that this process may use; where the system does not tell (macOS), all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gpus_of_this_machine() -> list[str]:
    """The GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` names them.

    Like CUDA, it takes the numbers before the first that no GPU has, and trusts names that are not numbers.
    """
    there = [str(number) for number in range(_usable_gpus())]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None or not there:
        return there
    named = [name.strip() for name in visible.split(",") if name.strip()]
    return list(itertools.takewhile(lambda name: name in there or name.startswith(("GPU-", "MIG-")), named))


def _usable_gpus() -> int:
    """How many of NVIDIA's GPUs the driver lets this process use. Asking CUDA itself would start it in this process."""
    try:
        driver = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return 0
    count, device = ctypes.c_uint(0), ctypes.c_void_p()
    if driver.nvmlInit_v2() or driver.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return 0
    return sum(not driver.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(device)) for number in range(count.value))


def default_workers() -> int:
    """Processes of a local cluster: one for each core, and at least one for each GPU."""
    return max(cores_of_this_machine(), len(gpus_of_this_machine()))


def local_cluster(workers: int, gpus: Sequence[str] | None = None) -> Cluster:
    """Start workers on this machine, of one thread each.

    The first workers have one GPU each and the resource ``GPU=1``; the others see none, so that they cannot fill a GPU's memory.
    A worker that dies is started again.

    Args:
        workers: how many processes.
        gpus: names for ``CUDA_VISIBLE_DEVICES``; this machine's by default.

    Raises:
        UserError: workers do not start.
    """
    import dask
    from distributed import Nanny, Scheduler, SpecCluster

    if getattr(multiprocessing.current_process(), "_inheriting", False):  # as multiprocessing itself asks
        raise UserError(_UNGUARDED)
    asks_for_tls = (
        dask.config.get("distributed.comm.require-encryption") or dask.config.get("distributed.comm.default-scheme") == "tls"
    )
    _check_tls("Dask's own configuration", _TLS_ROLES if asks_for_tls else [])
    gpus = gpus_of_this_machine() if gpus is None else gpus
    # Here a nanny starts a worker again, which may take long on a busy machine.
    dask.config.set({**_SCHEDULER, **_UNMEASURED, "distributed.deploy.lost-worker-timeout": "10 minutes"})
    common = {"nthreads": 1, "memory_limit": 0, "host": _HERE, "dashboard": False, "silence_logs": logging.CRITICAL}
    common["preload"] = [_LEAVES_INTERRUPTS]
    specification = {}
    for number in range(workers):
        has_gpu = number < len(gpus)
        environment = {"CUDA_VISIBLE_DEVICES": gpus[number] if has_gpu else ""}
        options = {**common, "env": environment, "resources": {"GPU": 1} if has_gpu else {}}
        specification[number] = {"cls": Nanny, "options": options}
    scheduler = {"cls": Scheduler, "options": {"host": _HERE, "port": 0, "dashboard": False, "dashboard_address": _WEB}}
    try:
        # A step's traceback is in the artefact's own log.
        return SpecCluster(workers=specification, scheduler=scheduler, silence_logs=logging.CRITICAL)
    except RuntimeError as error:
        raise UserError(f"no worker starts ({error}); {_UNGUARDED}") from error


def deployment(section: ClusterSection) -> Cluster:
    """Start the scheduler of the deployment that a profile names; :func:`enlist` then asks for its workers.

    Raises:
        UserError: the class is not known, its package is not installed, an option is wrong, or this machine cannot submit jobs.
    """
    import dask

    made_by = _class(section.class_name)
    options = _options(made_by, section)
    dask.config.set(_SCHEDULER)
    try:
        return made_by(**options)
    except (TypeError, ValueError) as error:
        raise UserError(f"cluster.options: {_explain(error, made_by)}") from error
    except Exception as error:  # of the deployment's own kinds: no configuration, no right to start anything
        raise UserError(f"cluster: {section.class_name} does not start: {type(error).__name__}: {error}") from error


def enlist(cluster: Cluster, section: ClusterSection) -> None:
    """Ask a deployment for the workers that a profile wants, and to replace those that are lost.

    Raises:
        UserError: the command that submits jobs is not there.
    """
    job = getattr(cluster, "job_cls", None)
    submit = shlex.split(getattr(job, "submit_command", None) or "")
    if submit and shutil.which(submit[0]) is None:
        raise UserError(f"cluster: there is no command `{submit[0]}` here; run on a machine that may submit jobs")
    sizes = section.adapt or Adaptation(minimum=section.largest, maximum=section.largest)
    if job is not None:
        cluster.adapt(Adaptive=_replacing_lost_jobs(), minimum_jobs=sizes.minimum, maximum_jobs=sizes.maximum)
    elif section.adapt is not None:
        cluster.adapt(minimum=sizes.minimum, maximum=sizes.maximum)
    else:
        cluster.scale(section.largest)


def _replacing_lost_jobs() -> type:
    """Dask's scaling counts a lost job (preempted, at its time limit, crashed) as still there; this one submits another.

    A job is lost when its worker has been away for ``distributed.deploy.lost-worker-timeout``.
    """
    from distributed.deploy.adaptive import Adaptive

    class ReplacingLostJobs(Adaptive):
        async def recommendations(self, target: int) -> dict[str, Any]:
            recommended: dict[str, Any] = await super().recommendations(target)
            if recommended["status"] == "same" and self.requested < self.plan:
                return {"status": "up", "n": len(self.plan)}
            return recommended

    return ReplacingLostJobs


def connect(where: Cluster | str) -> Client:
    """Connect to a cluster, or to the scheduler at an address.

    Raises:
        UserError: the address is malformed, or no scheduler answers.
    """
    import dask
    from distributed import Client

    if isinstance(where, str):
        _check_address(where)
    dask.config.set({"distributed.comm.timeouts.connect": "60s"})
    # Dask logs a lost connection with a traceback; the engine reports it in one sentence.
    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return Client(where, set_as_default=False, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError) as error:
        raise UserError(f"no Dask scheduler answers at {where} ({error})") from None


def _check_address(address: str) -> None:
    """Refuse a malformed address at once: a client would fail on it, and then take 40 seconds to close."""
    from distributed.comm import get_address_host_port, parse_address
    from distributed.comm.registry import get_backend

    scheme, _ = parse_address(address)
    try:
        get_backend(scheme)
        if scheme in {"tcp", "tls"}:  # others have no ports, or other packages know them
            get_address_host_port(address)
    except ValueError as error:
        raise UserError(f"`{address}` is no address of a Dask scheduler ({error}); write it as tcp://host:8786") from None
    _check_tls(address, ["client"] if scheme == "tls" else [])


def _check_tls(who: str, needed: Sequence[str]) -> None:
    """Refuse TLS settings of Dask's configuration that cannot be used, or that lack certificates; Dask would not tell."""
    import dask
    from distributed.security import Security

    try:
        security = Security()
        contexts = {role: security.get_connection_args(role)["ssl_context"] for role in _TLS_ROLES}
    except (OSError, ValueError) as error:
        settings = dask.config.get("distributed.comm.tls")
        files = {settings["ca-file"], *(settings[role][name] for role in _TLS_ROLES for name in ("cert", "key"))}
        named = f" ({', '.join(sorted(filter(None, files)))})" if isinstance(error, OSError) else ""
        raise UserError(f"{who}: Dask's TLS settings (distributed.comm.tls) cannot be used: {error}{named}") from None
    if lacking := [role for role in needed if contexts[role] is None]:
        raise UserError(f"{who}: Dask's TLS settings (distributed.comm.tls) name no certificates for a {', a '.join(lacking)}")


def expect_losses(client: Client) -> None:
    """Let the tasks of a scheduler outlive :data:`ALLOWED_FAILURES` workers, if it can have workers on other machines."""
    client.run_on_scheduler(_allow_failures, ALLOWED_FAILURES)


def _allow_failures(at_least: int, dask_scheduler: Any = None) -> None:
    if not dask_scheduler.address.startswith(f"tcp://{_HERE}:"):  # such as a batch's, which its notebooks connect to
        dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, at_least)


def keep_workers_busy(client: Client) -> None:
    """Let the scheduler look once a second which workers have nothing to do.

    Dask looks only when a worker's own tasks change. A worker that had little to do at its last change counts as idle for as long
    as its present task runs, however much waits behind it, and if all workers count as idle, none takes tasks from another.
    """
    client.run_on_scheduler(_look_for_idle_workers)


def _look_for_idle_workers(dask_scheduler: Any = None) -> None:
    from tornado.ioloop import PeriodicCallback

    def look() -> None:
        for worker in list(dask_scheduler.workers.values()):
            dask_scheduler.check_idle_saturated(worker)

    callbacks = dask_scheduler.periodic_callbacks
    if "artefacts-idle-workers" not in callbacks:  # programs may share a scheduler
        callbacks["artefacts-idle-workers"] = callback = PeriodicCallback(look, 1000)
        callback.start()


def refuse_threads(workers: Iterable[tuple[str, int]]) -> None:
    """Refuse workers that do several tasks at a time: training keeps settings of its process, which two would share.

    Args:
        workers: address and number of threads of each.

    Raises:
        UserError: a worker has several threads.
    """
    for address, threads in workers:
        if threads > 1:
            raise UserError(
                f"the worker {address} has {threads} threads, and steps need a process of their own; "
                f"start workers with `dask worker ADDRESS --nthreads 1` (and --nworkers N for N processes)"
            )


def gpus_of(workers: Iterable[Mapping[str, Any]]) -> int:
    """The largest number of GPUs of a worker, by the resource ``GPU`` that workers were started with."""
    return max((int(worker.get("resources", {}).get("GPU", 0)) for worker in workers), default=0)


def _class(name: str) -> type[Cluster]:
    from distributed.deploy import Cluster

    module_name, _, class_name = name.rpartition(".")
    example = "write it as package.Class, for example dask_jobqueue.SLURMCluster"
    if not module_name:
        raise UserError(f"cluster.class: `{name}` names no package; {example}")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        package = module_name.partition(".")[0].replace("_", "-")
        raise UserError(f"cluster.class: `{name}` cannot be imported ({error}); pip install {package}") from None
    found = {key for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, Cluster)}
    if class_name not in found:
        raise UserError(f"cluster.class: {module_name} has no deployment `{class_name}`{nearest(class_name, found)}; {example}")
    return getattr(module, class_name)


def _options(made_by: type[Cluster], section: ClusterSection) -> dict[str, Any]:
    """The class's options; for a batch system with those that our steps need."""
    options = dict(section.options)
    if getattr(made_by, "job_cls", None) is None:
        if section.gpus_per_worker and "GPU" not in str(options):  # no task with a GPU would ever begin
            raise UserError(
                f"cluster.gpus_per_worker: the options of {made_by.__name__} must give its workers the resource "
                f"GPU={section.gpus_per_worker}, which `dask worker` takes as --resources"
            )
        return {"dashboard_address": _WEB, **options} if "dashboard_address" in _known_options(made_by) else options
    given = options.get("worker_extra_args", [])
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise UserError(f"cluster.options.worker_extra_args: a list of words was expected (got {given!r})")
    for key, words in (("gpus_per_worker: N", "--resources"), ("processes: N", "--nthreads")):
        if any(str(word).startswith(words) for word in given):
            raise UserError(f"cluster.options.worker_extra_args: leave {words} out; write `{key}` in its place")
    if section.gpus_per_worker and options.get("processes", 1) != 1:
        raise UserError("cluster.options.processes: workers with GPUs are one process a job; leave it out and ask for more jobs")
    resources = ["--resources", f"GPU={section.gpus_per_worker}"] if section.gpus_per_worker else []
    # A job is one process unless it says otherwise. Its cores are for that process, whose tasks run one at a time.
    scheduler = options.get("scheduler_options", {})
    return {
        "processes": 1,
        **options,
        "scheduler_options": {"dashboard": "dashboard_address" in scheduler, "dashboard_address": _WEB, **scheduler},
        "worker_extra_args": ["--dashboard-address", _WEB, *given, "--nthreads", "1", *resources],
    }


def _explain(error: Exception, made_by: type[Cluster]) -> str:
    unexpected = re.search(r"unexpected keyword argument '(\w+)'", str(error))
    if unexpected is None:
        return f"{made_by.__name__}: {error}"
    name = unexpected.group(1)
    return f"{made_by.__name__} has no option `{name}`{nearest(name, _known_options(made_by))}"


def _known_options(made_by: type[Cluster]) -> set[str]:
    classes = [*made_by.__mro__, *getattr(getattr(made_by, "job_cls", None), "__mro__", ())]
    parameters = [inspect.signature(each.__init__).parameters for each in classes if "__init__" in vars(each)]
    named = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return {name for each in parameters for name, parameter in each.items() if parameter.kind in named} - {"self", "args"}
