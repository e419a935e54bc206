"""What every test may use."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before anything imports numpy, torch or matplotlib: several threads on busy cores are slower than
# one, and there is no screen.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# What an earlier run left in outputs/ is not what is tested.
os.environ["PSEUDOGEC_PACKS"] = "no"

ROOT = Path(__file__).resolve().parent.parent

# What is imported stays until the end, so that looking for garbage in it takes time and finds none.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no core waits at the end for another with one."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the working tree."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real learner corpora beside the repository; their licences keep them out of
    it.
    """
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(
            f"needs real corpora, which may not be distributed with the code; expected in {folder}"
        )
    return folder


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes that run these tests."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def shared_store(shared_folder: Path) -> Path:
    """A store for all tests: what one of them has built, no other builds."""
    return shared_folder / "shared_store"


@pytest.fixture(scope="session")
def scheduler() -> Iterator[str]:
    """The address of a Dask scheduler with a worker in this process, which needs not import
    anything anew.

    Kernels and other child processes can have it build, too.
    """
    from distributed import LocalCluster

    here = {"processes": False, "protocol": "tcp", "host": "127.0.0.1"}
    with LocalCluster(
        n_workers=1, threads_per_worker=1, memory_limit=0, dashboard_address=":0", **here
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """torch computes with one thread, so that equal trainings give equal bits."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
