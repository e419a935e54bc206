"""What every test may use."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import pseudogec.commands  # noqa: F401  # before anything imports nbformat, for what it leaves out there

# Before anything imports numpy, torch or matplotlib: several threads on busy cores are slower than one, and there is no screen.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

ROOT = Path(__file__).resolve().parent.parent

# What is imported stays until the end, so that looking for garbage in it takes time and finds none.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the working tree."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real learner corpora beside the repository; their licences keep them out of it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs real corpora, which may not be distributed with the code; expected in {folder}")
    return folder


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """torch computes with one thread, so that equal trainings give equal bits."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
