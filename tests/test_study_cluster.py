"""A profile's `cluster` section, training by a launcher, and a scheduler that dies under a
study.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.cluster_processes import dask_worker, start_scheduler, wait_for
from pseudogec.artefacts import ClusterSection, Engine, Store
from pseudogec.artefacts.cluster import connect
from pseudogec.study import PROJECT, Planner, load_profile
from pseudogec.study.study import Study

pytestmark = pytest.mark.slow


@pytest.fixture
def scheduler() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process of `dask scheduler` and its address."""
    with contextlib.ExitStack() as stack:
        yield start_scheduler(stack)


def test_where_it_is_built_changes_no_key(tmp_path: Path) -> None:
    override = "cluster={class: dask_jobqueue.SLURMCluster, jobs: 8}"
    here, there = (Study.open("smoke", overrides, store=tmp_path) for overrides in ([], [override]))
    keys = [
        [recipe.key for name in study.profile.grids for recipe in study.recipes(name)]
        for study in (here, there)
    ]
    assert keys[0] == keys[1]


def test_training_takes_all_gpus_of_a_worker_and_is_started_by_the_launcher(
    scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path
) -> None:
    _, address = scheduler
    one_training = ["corpora.genuine.sentences=100", "first_stages=[]"]
    planner = Planner(load_profile(PROJECT / "params" / "smoke.yaml", one_training), PROJECT)
    model = planner.reverse_model()
    plain, with_gpus = (
        ["--nthreads", "1", "--name", "plain"],
        ["--nthreads", "1", "--name", "gpus", "--resources", "GPU=2"],
    )
    with dask_worker(address, *plain), dask_worker(address, *with_gpus), connect(address) as client:
        client.wait_for_workers(2, timeout=60)
        started = tmp_path / "started"
        torchrun = (
            f"touch {started}; exec {sys.executable} -m torch.distributed.run --standalone "
            '--nproc-per-node 1 "$@"'
        )
        section = ClusterSection.model_validate(
            {
                "class": "dask_jobqueue.local.LocalCluster",
                "jobs": 1,
                "launcher": ["sh", "-c", torchrun, "launcher"],
            }
        )
        with Engine(Store(tmp_path), address, section=section) as engine:
            engine.build([model])
        assert started.exists()
        ran = client.run(
            lambda dask_worker: (dask_worker.name, [str(line[0]) for line in dask_worker.state.log])
        ).values()
        trained = {name for name, keys in ran if any(key.startswith("model-") for key in keys)}
        assert trained == {"gpus"}


def test_a_scheduler_that_dies_gives_one_clear_error(
    scheduler: tuple[subprocess.Popen[bytes], str], tmp_path: Path
) -> None:
    process, address = scheduler
    with connect(address) as client, dask_worker(address, "--nthreads", "1") as worker:
        client.wait_for_workers(1, timeout=60)
        command = [
            sys.executable,
            str(PROJECT / "run_all.py"),
            "--profile",
            "smoke",
            "--scheduler",
            address,
        ]
        folders = ["--store", str(tmp_path / "store"), "--outputs", str(tmp_path / "outputs")]
        with subprocess.Popen(
            [*command, *folders], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as run:
            finished = tmp_path / "store"
            wait_for(
                lambda: run.poll() is not None or list(finished.glob("*/*/result.json")),
                "something is finished",
            )
            process.kill()
            _, errors = run.communicate(timeout=90)
        assert run.returncode == 2
        assert errors.count("error:") == 1
        assert "went away" in errors
        assert address in errors
        assert "Traceback" not in errors
        worker.wait(timeout=90)  # it ends by itself, and frees the locks that it holds
