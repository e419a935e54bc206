"""Where a build runs: local workers with and without GPUs, a profile's `cluster` section, a
scheduler at an address.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml
from distributed import Client
from toys import Process

from helpers.cluster_processes import dask_worker, start_scheduler, wait_for
from pseudogec import artefacts
from pseudogec.artefacts import ClusterSection, Engine, Store, UserError, missing
from pseudogec.artefacts.cluster import (
    _HERE,
    LAUNCHER,
    connect,
    local_cluster,
)
from pseudogec.artefacts.processor import gpus_of_this_machine

pytestmark = pytest.mark.slow

LIB = Path(artefacts.__file__).parents[2]
PROJECT = LIB.parent


def section(**content: Any) -> ClusterSection:
    return ClusterSection.model_validate(
        {"class": "dask_jobqueue.local.LocalCluster", "jobs": 1, **content}
    )


def processes(count: int) -> list[Process]:
    return [Process(number=number) for number in range(count)]


@pytest.fixture(autouse=True)
def workers_find_the_toys(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(__file__).parent)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([here, str(LIB), os.environ.get("PYTHONPATH", "")])
    )


def environment_of_workers(client: Client, name: str) -> list[str | None]:
    return sorted(client.run(os.getenv, name).values(), key=str)


@pytest.mark.parametrize(
    ("visible", "found"),
    [(None, ["0", "1"]), ("1,0", ["1", "0"]), ("0,0", ["0", "0"]), ("", []), ("-1", [])],
)
def test_the_gpus_of_this_machine_are_those_that_cuda_may_use(
    visible: str | None, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    gpus_of_this_machine.cache_clear()
    assert gpus_of_this_machine() == []
    gpus_of_this_machine.cache_clear()
    command(tmp_path, "nvidia-smi", "echo 0; echo 1")
    assert gpus_of_this_machine() == found
    gpus_of_this_machine.cache_clear()


def test_local_workers_with_a_gpu_each_stand_beside_workers_that_see_none() -> None:
    with local_cluster(4, gpus=["3", "5"]) as cluster, connect(cluster) as client:
        assert environment_of_workers(client, "CUDA_VISIBLE_DEVICES") == ["", "", "3", "5"]
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        assert sorted(worker["resources"].get("GPU", 0) for worker in workers) == [0, 0, 1, 1]
        assert {worker["nthreads"] for worker in workers} == {1}
        assert set(environment_of_workers(client, "OMP_NUM_THREADS")) == {"1"}
        on_gpus = client.map(
            lambda number: os.environ["CUDA_VISIBLE_DEVICES"], range(6), resources={"GPU": 1}
        )
        assert set(client.gather(on_gpus)) <= {"3", "5"}


def test_a_local_worker_that_dies_is_replaced_and_its_task_runs_again(tmp_path: Path) -> None:
    def die_once(marker: Path) -> int:
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    with local_cluster(1, gpus=[]) as cluster, connect(cluster) as client:
        [before] = client.run(os.getpid).values()
        assert client.submit(die_once, tmp_path / "died", pure=False).result(timeout=60) != before


def test_nobody_else_reaches_a_local_cluster() -> None:
    with local_cluster(1, gpus=[]) as cluster, connect(cluster):
        assert _listened_at() == {_HERE}


def _listened_at() -> set[str]:
    """The addresses of this machine at which this process and its children listen."""
    this = psutil.Process()
    found = [
        each.laddr
        for process in [this, *this.children(recursive=True)]
        for each in process.net_connections("tcp")
        if each.status == psutil.CONN_LISTEN
    ]
    return {address.ip for address in found}


HOLDS_A_LOCK = """
import sys, time, os, filelock
from pseudogec.artefacts.cluster import connect, local_cluster

def hold(path):
    with filelock.FileLock(path):
        open(path + ".pid", "w").write(str(os.getpid()))
        time.sleep(600)

if __name__ == "__main__":
    with local_cluster(2, gpus=[]) as cluster, connect(cluster) as client:
        client.submit(hold, sys.argv[1]).result()
"""


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


LOCAL_JOBS = {"cores": 1, "processes": 1, "memory": "8 GB"}


def test_a_study_is_built_by_jobs_and_a_lost_job_is_replaced(tmp_path: Path) -> None:
    options = LOCAL_JOBS | {"worker_extra_args": ["--resources", "GPU=1"]}
    chosen = section(jobs=2, options=options, launcher=["srun", "torchrun", "--nnodes 2"])
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
            assert "srun torchrun '--nnodes 2'" not in environment_of_workers(client, LAUNCHER), (
                "it is a profile's own"
            )
            job = next(iter(client.run(os.getppid).values()))
            os.kill(job, signal.SIGKILL)
            now = wait_for(
                lambda: _other_workers(client, workers), "another job is started", seconds=180
            )
            assert len(now) == 2


def _other_workers(client: Client, before: dict[str, Any]) -> list[str] | None:
    now = list(client.scheduler_info(n_workers=-1)["workers"])
    return now if len(now) == 2 and not set(now) <= set(before) else None


def command(folder: Path, name: str, line: str) -> None:
    """Make a program of one line of shell."""
    (folder / name).write_text(f"#!/bin/bash\n{line}\n")
    (folder / name).chmod(0o755)


def test_the_slurm_jobs_of_the_handbook_carry_its_options_and_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands of Slurm that run a job's script on this machine."""
    handbook = (PROJECT / "params" / "README.md").read_text(encoding="utf-8")
    [example] = re.findall(r"^ +extends: paper\n((?: +.*\n)+)", handbook, re.MULTILINE)
    chosen = ClusterSection.model_validate(
        yaml.safe_load(textwrap.dedent(example))["cluster"] | {"jobs": 1}
    )
    script = tmp_path / "script.sh"
    command(
        tmp_path,
        "sbatch",
        f'cp "$1" {script}; setsid bash {script} >/dev/null 2>&1 & echo "Submitted batch job $!"',
    )
    command(tmp_path, "scancel", 'kill -9 -- "-$1"')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with Engine(Store(tmp_path / "store"), section=chosen) as engine:
        assert engine.build(processes(1)) == 1
    for line in (
        "#SBATCH -p gpu",
        "#SBATCH -t 24:00:00",
        "#SBATCH --gres=gpu:4",
        "--resources GPU=4",
    ):
        assert line in script.read_text()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"class": "SLURMCluster"}, ["cluster.class", "SLURMCluster"]),
        ({"class": "dask_jobqueue.SlurmCluster"}, ["cluster.class", "SlurmCluster"]),
        ({"class": "dask_nowhere.KubeCluster"}, ["cluster.class", "dask_nowhere"]),
        (
            {"class": "dask_jobqueue.SLURMCluster", "options": {"memory": "4GB"}},
            ["cluster.options", "cores"],
        ),
        ({"options": {**LOCAL_JOBS, "wall_time": "1:00"}}, ["cluster.options", "wall_time"]),
        (
            {"class": "dask_jobqueue.SLURMCluster", "options": LOCAL_JOBS},
            ["cluster.options", "sbatch"],
        ),
    ],
)
def test_a_section_that_cannot_start_is_refused_with_its_key(
    content: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    with (
        Engine(Store(tmp_path), section=section(**content)) as engine,
        pytest.raises(UserError) as refused,
    ):
        engine.build(processes(1))
    for word in words:
        assert word in str(refused.value)
    assert not list(tmp_path.glob("*/*/*"))


@pytest.fixture
def scheduler() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process of `dask scheduler` and its address."""
    with contextlib.ExitStack() as stack:
        yield start_scheduler(stack)


def test_workers_of_several_threads_are_refused(
    scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path
) -> None:
    _, address = scheduler
    with dask_worker(address, "--nthreads", "2"), connect(address) as client:
        client.wait_for_workers(1, timeout=60)
        with Engine(Store(tmp_path), address) as engine, pytest.raises(UserError) as refused:
            engine.build(processes(1))
        assert "--nthreads 1" in str(refused.value)


def test_a_worker_that_does_not_see_the_store_is_refused(
    scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, address = scheduler
    with dask_worker(address, "--nthreads", "1"), connect(address) as client:
        client.wait_for_workers(1, timeout=60)
        monkeypatch.chdir(tmp_path)
        store = Store(Path("/proc/self/cwd/store"))  # another folder in every process
        with (
            Engine(store, address) as engine,
            pytest.raises(UserError, match="does not see the store"),
        ):
            engine.build(processes(1))
        assert not list(Path("store").glob(".token*"))


def test_too_little_memory_for_a_worker_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10**9, 10**9))
    with pytest.raises(UserError, match=r"1\.0 GB"):
        local_cluster(1)


def test_a_scheduler_without_workers_is_said_and_the_build_waits_for_them(
    scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, address = scheduler
    with Engine(Store(tmp_path), address) as engine, ThreadPoolExecutor(1) as pool:
        built = pool.submit(engine.build, processes(1))
        wait_for(lambda: f"dask worker {address}" in caplog.text, "it is said")
        with dask_worker(address, "--nthreads", "1"):
            assert built.result(timeout=60) == 1


@pytest.mark.parametrize("address", ["nonsense", "http://127.0.0.1:9", "tcp://host:port"])
def test_what_is_no_address_of_a_scheduler_is_refused(address: str, tmp_path: Path) -> None:
    threads = set(threading.enumerate())
    with Engine(Store(tmp_path), address) as engine, pytest.raises(UserError) as refused:
        engine.build(processes(1))
    assert address in str(refused.value)
    # What a refused connection leaves behind could block the next one.
    assert not set(threading.enumerate()) - threads
