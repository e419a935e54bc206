"""Where a build runs: local workers with and without GPUs, a profile's `cluster` section, a scheduler at an address."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dask
import psutil
import pytest
from distributed import Client, as_completed
from toys import Greedy, Process, Training

import artefacts
from artefacts import ClusterSection, Engine, Store, UserError, missing
from artefacts.cluster import (
    _HERE,
    ALLOWED_FAILURES,
    LAUNCHER,
    connect,
    deployment,
    enlist,
    gpus_of_this_machine,
    keep_workers_busy,
    local_cluster,
)
from cluster_processes import dask_worker, start_scheduler, wait_for

pytestmark = pytest.mark.slow

LIB = Path(artefacts.__file__).parent.parent


def section(**content: Any) -> ClusterSection:
    return ClusterSection.model_validate({"class": "dask_jobqueue.local.LocalCluster", "jobs": 1, **content})


def processes(count: int) -> list[Process]:
    return [Process(number=number) for number in range(count)]


@pytest.fixture(autouse=True)
def workers_find_the_toys(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, str(LIB), os.environ.get("PYTHONPATH", "")]))


def environment_of_workers(client: Client, name: str) -> list[str | None]:
    return sorted(client.run(os.getenv, name).values(), key=str)


class Driver:
    """What NVIDIA's management library tells: four GPUs, the last of which this process may not use."""

    def nvmlInit_v2(self) -> int:  # noqa: N802
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:  # noqa: N802
        count._obj.value = 4
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, number: int, device: Any) -> int:  # noqa: N802
        return 4 if number == 3 else 0  # 4: no permission


@pytest.mark.parametrize(
    ("visible", "found"),
    [
        (None, ["0", "1", "2"]),
        ("2,0", ["2", "0"]),
        ("1, 7, 0", ["1"]),
        ("", []),
        ("-1", []),
        ("GPU-8932f937", ["GPU-8932f937"]),
    ],
)
def test_the_gpus_of_this_machine_are_those_that_cuda_may_use(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, found: list[str]
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Driver())
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert gpus_of_this_machine() == found


def test_torch_counts_as_many_gpus() -> None:
    import torch

    assert torch.version.cuda is None or len(gpus_of_this_machine()) == torch.cuda.device_count()


def test_local_workers_with_a_gpu_each_stand_beside_workers_that_see_none() -> None:
    with local_cluster(4, gpus=["3", "5"]) as cluster, connect(cluster) as client:
        assert environment_of_workers(client, "CUDA_VISIBLE_DEVICES") == ["", "", "3", "5"]
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        assert sorted(worker["resources"].get("GPU", 0) for worker in workers) == [0, 0, 1, 1]
        assert {worker["nthreads"] for worker in workers} == {1}
        assert set(environment_of_workers(client, "OMP_NUM_THREADS")) == {"1"}
        on_gpus = client.map(lambda number: os.environ["CUDA_VISIBLE_DEVICES"], range(6), resources={"GPU": 1})
        assert set(client.gather(on_gpus)) <= {"3", "5"}


def test_workers_are_not_interrupted_after_the_machine_slept_or_its_clock_was_set() -> None:
    with local_cluster(1, gpus=[]) as cluster, connect(cluster) as client:
        assert client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.worker_ttl) is None


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has these thresholds")
def test_a_process_keeps_freed_memory_although_dask_asks_to_give_it_back() -> None:
    """Page faults of tensors of 8 MB that are allocated and freed in turn; the kernel counts them exactly."""
    code = """
import resource, sys, numpy
from artefacts.cluster import keep_freed_memory
if sys.argv[1] == "keep":
    keep_freed_memory()
array = numpy.ones(1 << 20)
del array
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    array = numpy.ones(1 << 20)
    del array
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""

    def faults(how: str) -> int:
        command = [sys.executable, "-c", code, how]
        environment = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}  # as in Dask's workers and the processes they start
        return int(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)

    assert faults("keep") < 50 < faults("give back")


def test_a_local_worker_that_dies_is_replaced_and_its_task_runs_again(tmp_path: Path) -> None:
    def die_once(marker: Path) -> int:
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    with local_cluster(1, gpus=[]) as cluster, connect(cluster) as client:
        [before] = client.run(os.getpid).values()
        assert client.submit(die_once, tmp_path / "died", pure=False).result(timeout=60) != before


@pytest.mark.parametrize("where", ["step", "event loop", "thread"])
def test_a_worker_without_memory_ends_and_the_build_says_why(where: str, tmp_path: Path) -> None:
    with Engine(Store(tmp_path), workers=1) as engine, pytest.raises(UserError, match=f"greedy {where}: .* memory"):
        engine.build([Greedy(where=where)])


def test_nobody_else_reaches_a_local_cluster() -> None:
    with local_cluster(1, gpus=[]) as cluster, connect(cluster):
        assert _listened_at() == {_HERE}
    with deployment(section(**{"class": "distributed.LocalCluster"}, options={"n_workers": 1})) as cluster, connect(cluster):
        assert _listened_at() == {_HERE}


def test_the_web_servers_of_jobs_are_for_their_machine_unless_the_profile_says_otherwise() -> None:
    asked = {"scheduler_options": {"dashboard_address": ":0"}, "worker_extra_args": ["--dashboard-address", ":0"]}
    for options, wanted in (({}, {_HERE}), ({"scheduler_options": {"port": 0}}, {_HERE}), (asked, {"0.0.0.0"})):
        with deployment(section(options=LOCAL_JOBS | options)) as cluster, connect(cluster) as client:
            cluster.scale(1)
            client.wait_for_workers(1, timeout=60)
            workers = client.scheduler_info(n_workers=-1)["workers"].values()
            services = {cluster.scheduler.services["dashboard"].port, *(each["services"]["dashboard"] for each in workers)}
            assert _listened_at(services) == wanted


def _listened_at(ports: set[int] | None = None) -> set[str]:
    """The addresses of this machine at which this process and its children listen."""
    this = psutil.Process()
    found = [
        each.laddr
        for process in [this, *this.children(recursive=True)]
        for each in process.net_connections("tcp")
        if each.status == psutil.CONN_LISTEN
    ]
    return {address.ip for address in found if ports is None or address.port in ports}


HOLDS_A_LOCK = """
import sys, time, os, filelock
from artefacts.cluster import connect, local_cluster

def hold(path):
    with filelock.FileLock(path):
        open(path + ".pid", "w").write(str(os.getpid()))
        time.sleep(600)

if __name__ == "__main__":
    with local_cluster(2, gpus=[]) as cluster, connect(cluster) as client:
        client.submit(hold, sys.argv[1]).result()
"""


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"require-encryption": True}, "no certificates for a scheduler"),
        ({"default-scheme": "tls"}, "no certificates for a scheduler"),
        ({"tls.min-version": 9}, "min-version=9"),
        ({"tls.ca-file": "/absent.pem", "tls.worker.cert": "/absent.pem"}, "/absent.pem"),
    ],
)
def test_tls_settings_of_dask_s_own_configuration_that_cannot_work_are_named(settings: dict[str, Any], told: str) -> None:
    configured = {f"distributed.comm.{name}": value for name, value in settings.items()}
    with dask.config.set(configured), pytest.raises(UserError, match=told) as refused:
        local_cluster(1, gpus=[])
    assert "distributed.comm.tls" in str(refused.value)


def test_a_program_that_shares_a_local_cluster_does_not_let_tasks_outlive_more_workers(tmp_path: Path) -> None:
    """On one machine workers mostly die for lack of memory, and would do so again."""
    with local_cluster(1, gpus=[]) as cluster, connect(cluster) as client:
        assert Engine(Store(tmp_path), cluster.scheduler_address).build(processes(1)) == 1
        assert client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.allowed_failures) == 3


def test_workers_of_a_killed_program_end_by_themselves_and_free_their_locks(tmp_path: Path) -> None:
    import filelock

    script, lock = tmp_path / "holds_a_lock.py", tmp_path / "lock"
    script.write_text(HOLDS_A_LOCK)
    holder = Path(f"{lock}.pid")
    with subprocess.Popen([sys.executable, str(script), str(lock)]) as program:
        wait_for(lambda: holder.exists() and holder.read_text(), "a worker takes the lock")
        family = psutil.Process(program.pid).children(recursive=True)
        assert int(holder.read_text()) in {process.pid for process in family}
        program.kill()
    with filelock.FileLock(lock, timeout=20):
        pass
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive


LOCAL_JOBS = {"cores": 1, "memory": "8 GB"}


def test_a_study_is_built_by_jobs_and_a_lost_job_is_replaced(tmp_path: Path) -> None:
    chosen = section(jobs=2, options=LOCAL_JOBS, gpus_per_worker=1, launcher=["srun", "torchrun", "--nnodes 2"])
    with Engine(Store(tmp_path), section=chosen) as engine:
        assert engine.build(processes(3)) == 3
        assert not missing(processes(3), engine.store)
        assert engine.address is not None
        with connect(engine.address) as client:
            client.wait_for_workers(2, timeout=60)
            workers = client.scheduler_info(n_workers=-1)["workers"]
            assert [worker["resources"] for worker in workers.values()] == [{"GPU": 1}] * 2
            assert "srun torchrun '--nnodes 2'" in environment_of_workers(client, LAUNCHER)
            Engine(Store(tmp_path), engine.address).build(processes(8))
            assert "srun torchrun '--nnodes 2'" not in environment_of_workers(client, LAUNCHER), "it is a profile's own"
            assert client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.allowed_failures) == ALLOWED_FAILURES
            job = next(iter(client.run(os.getppid).values()))
            os.kill(job, signal.SIGKILL)
            # A lost job is given up after 15 s, and a busy machine takes long to start the next one.
            now = wait_for(lambda: _other_workers(client, workers), "another job is started", seconds=180)
            assert len(now) == 2


def _other_workers(client: Client, before: dict[str, Any]) -> list[str] | None:
    now = list(client.scheduler_info(n_workers=-1)["workers"])
    return now if len(now) == 2 and not set(now) <= set(before) else None


def test_an_adaptive_deployment_starts_jobs_when_there_is_work(tmp_path: Path) -> None:
    chosen = ClusterSection.model_validate(
        {"class": "dask_jobqueue.local.LocalCluster", "adapt": {"maximum": 3}, "options": LOCAL_JOBS}
    )
    with Engine(Store(tmp_path), section=chosen) as engine:
        assert engine.build(processes(2)) == 2
        assert engine.address is not None
        with connect(engine.address) as client:
            long_steps = client.map(time.sleep, [600, 601])
            client.wait_for_workers(2, timeout=60)
            del long_steps


@pytest.fixture
def batch_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands of Slurm that run a job's script on this machine; the folder where they keep what was submitted."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    script = f"{folder}/script.sh"
    commands = {
        "sbatch": f'cp "$1" "{script}"; setsid bash "{script}" >/dev/null 2>&1 & echo "Submitted batch job $!"',
        "scancel": 'kill -9 -- "-$1"',
    }
    for name, line in commands.items():
        program = folder / name
        program.write_text(f"#!/bin/bash\n{line}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


SLURM = {
    "queue": "gpu",
    "cores": 8,
    "memory": "64GB",
    "walltime": "24:00:00",
    "job_extra_directives": ["--gres=gpu:2"],
    "job_script_prologue": ["module() { :; }", "module load cuda"],
}


def test_slurm_jobs_carry_the_options_and_build(batch_system: Path, tmp_path: Path) -> None:
    chosen = section(**{"class": "dask_jobqueue.SLURMCluster"}, options=SLURM, gpus_per_worker=2)
    with Engine(Store(tmp_path / "store"), section=chosen) as engine:
        assert engine.build(processes(1)) == 1
    script = (batch_system / "script.sh").read_text()
    for line in ("#SBATCH -p gpu", "#SBATCH --mem=60G", "#SBATCH -t 24:00:00", "#SBATCH --gres=gpu:2", "module load cuda"):
        assert line in script
    command = next(line for line in script.splitlines() if "dask_worker" in line)
    assert command.rindex("--nthreads 1") > command.index("--nthreads 8"), "the last word counts: one task at a time"
    assert "--resources GPU=2" in command


@pytest.mark.parametrize(
    ("class_name", "lines"),
    [
        ("PBSCluster", ["#PBS -q gpu", "select=1:ncpus=4", "#PBS -l walltime=02:00:00"]),
        ("LSFCluster", ["#BSUB -q gpu", "#BSUB -n 4", "#BSUB -W 02:00"]),
        ("SGECluster", ["#$ -q gpu", "#$ -l h_rt=02:00:00"]),
    ],
)
def test_other_batch_systems_carry_the_options(class_name: str, lines: list[str]) -> None:
    walltime = "02:00" if class_name == "LSFCluster" else "02:00:00"
    options: dict[str, Any] = {"queue": "gpu", "cores": 4, "memory": "16GB", "walltime": walltime}
    if class_name == "LSFCluster":
        options["use_stdin"] = True
        options["lsf_units"] = "gb"
    with deployment(section(**{"class": f"dask_jobqueue.{class_name}"}, options=options, gpus_per_worker=1)) as cluster:
        script = cluster.job_script()
    for line in [*lines, "--nthreads 1", "--resources GPU=1"]:
        assert line in script


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"class": "SLURMCluster"}, ["cluster.class", "package.Class", "dask_jobqueue.SLURMCluster"]),
        ({"class": "dask_jobqueue.SlurmCluster"}, ["cluster.class", "SlurmCluster", "did you mean", "SLURMCluster"]),
        ({"class": "dask_nowhere.KubeCluster"}, ["cluster.class", "pip install dask-nowhere"]),
        ({"class": "dask_jobqueue.SLURMCluster", "options": {"memory": "4GB"}}, ["cluster.options", "cores"]),
        (
            {"class": "dask_jobqueue.SLURMCluster", "options": {**SLURM, "wall_time": "1:00"}},
            ["cluster.options", "`wall_time`", "did you mean `walltime`"],
        ),
        ({"options": {**LOCAL_JOBS, "worker_extra_args": ["--resources GPU=1"]}}, ["worker_extra_args", "gpus_per_worker: N"]),
        ({"options": {**LOCAL_JOBS, "worker_extra_args": "--death-timeout 9"}}, ["worker_extra_args", "list"]),
        (
            {"class": "distributed.LocalCluster", "gpus_per_worker": 2},
            ["gpus_per_worker", "--resources", "GPU=2"],
        ),
        ({"options": {**LOCAL_JOBS, "processes": 2}, "gpus_per_worker": 1}, ["cluster.options.processes", "one process a job"]),
    ],
)
def test_a_wrong_section_is_refused_before_anything_is_built(content: dict[str, Any], words: list[str], tmp_path: Path) -> None:
    with Engine(Store(tmp_path), section=section(**content)) as engine, pytest.raises(UserError) as refused:
        engine.build(processes(1))
    for word in words:
        assert word in str(refused.value)
    assert not list(tmp_path.glob("*/*/*"))


def test_a_machine_that_may_not_submit_jobs_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    chosen = section(**{"class": "dask_jobqueue.SLURMCluster"}, options=SLURM)
    with deployment(chosen) as cluster, pytest.raises(UserError, match="no command `sbatch`"):
        enlist(cluster, chosen)


@pytest.fixture
def scheduler() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process of `dask scheduler` and its address."""
    with contextlib.ExitStack() as stack:
        yield start_scheduler(stack)


def test_training_takes_all_gpus_of_a_worker(scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path) -> None:
    _, address = scheduler
    plain, with_gpus = ["--nthreads", "1", "--name", "plain"], ["--nthreads", "1", "--name", "gpus", "--resources", "GPU=2"]
    with dask_worker(address, *plain), dask_worker(address, *with_gpus), connect(address) as client:
        client.wait_for_workers(2, timeout=60)
        trainings = [Training(number=number) for number in range(3)]
        with Engine(Store(tmp_path), address) as engine:
            engine.build(trainings)
        pids = client.run(lambda dask_worker: (dask_worker.name, os.getpid())).values()
        assert {engine.store.result(each)["result"]["process"] for each in trainings} == {dict(pids)["gpus"]}


def test_workers_of_several_threads_are_refused(scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path) -> None:
    _, address = scheduler
    with dask_worker(address, "--nthreads", "2"), connect(address) as client:
        client.wait_for_workers(1, timeout=60)
        with Engine(Store(tmp_path), address) as engine, pytest.raises(UserError, match="--nthreads 1"):
            engine.build(processes(1))


def test_a_scheduler_without_workers_is_said_and_the_build_waits_for_them(
    scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, address = scheduler
    with Engine(Store(tmp_path), address) as engine, ThreadPoolExecutor(1) as pool:
        built = pool.submit(engine.build, processes(1))
        wait_for(lambda: f"has no workers yet: dask worker {address}" in caplog.text, "it is said")
        with dask_worker(address, "--nthreads", "1"):
            assert built.result(timeout=60) == 1


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nonsense", ["missing port", "tcp://host:8786"]),
        ("http://127.0.0.1:9", ["scheme 'http'", "tcp://host:8786"]),
        ("tcp://host:port", ["host:port", "tcp://host:8786"]),
        ("tls://127.0.0.1:9", ["distributed.comm.tls"]),
    ],
)
def test_what_is_no_address_of_a_scheduler_is_refused(address: str, words: list[str], tmp_path: Path) -> None:
    with Engine(Store(tmp_path), address) as engine, pytest.raises(UserError) as refusal:
        engine.build(processes(1))
    assert all(word in str(refusal.value) for word in [address, *words])


def test_programs_with_stores_of_their_own_share_a_scheduler(
    scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, address = scheduler
    stores = [Store(tmp_path / name) for name in ("one", "other")]
    with ThreadPoolExecutor(2) as pool, contextlib.ExitStack() as stack:
        engines = [stack.enter_context(Engine(store, address)) for store in stores]
        built = [pool.submit(engine.build, processes(2)) for engine in engines]
        wait_for(lambda: caplog.text.count("has no workers yet") == 2, "both wait")
        with connect(address) as client:
            wanting = lambda dask_scheduler: sum(bool(each.wants_what) for each in dask_scheduler.clients.values())  # noqa: E731
            wait_for(lambda: client.run_on_scheduler(wanting) == 2, "both have handed in their tasks")
            with dask_worker(address, "--nthreads", "1"):
                assert [each.result(timeout=60) for each in built] == [2, 2]
    assert not any(missing(processes(2), store) for store in stores)


def test_no_worker_idles_while_tasks_wait_behind_a_long_one() -> None:
    """They were placed there while the other worker seemed to have more to do."""
    with local_cluster(2, gpus=[]) as cluster, connect(cluster) as client:
        keep_workers_busy(client)
        one, other = client.scheduler_info()["workers"]
        tasks = [(f"quick-{number}", 0.1, other) for number in range(20)]
        tasks += [("long", 8, one), *((f"short-{number}", 0.1, one) for number in range(3))]
        futures = [
            client.submit(time.sleep, seconds, key=key, workers=worker, allow_other_workers=True)
            for key, seconds, worker in tasks
        ]
        ended = [future.key for future in as_completed(futures, loop=client.loop)]
    assert ended[-1] == "long"


def test_an_engine_without_workers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="-1 workers cannot build anything"):
        Engine(Store(tmp_path), workers=-1)
