"""Several processes train the model that one process trains; they end together, and say why."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from helpers.cluster_processes import free_port, wait_for
from helpers.seq2seq_training import (
    ENVIRONMENT,
    TWO_PROCESSES,
    assert_close_weights,
    train_tiny,
    updates_saved,
)
from helpers.seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs
from pseudogec.artefacts.errors import UserError
from pseudogec.seq2seq import distributed
from pseudogec.seq2seq.training import TrainingProgress, TrainingResult

STEADY = TINY.model_copy(update={"dropout": 0.0})
SECONDS_TO_DIE = 20.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(
        torch.cuda.is_available(), reason="these tests share the CPU's cores by gloo"
    ),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A folder with dict.txt, genuine data, validation data and three shards of pseudo data."""
    folder = tmp_path_factory.mktemp("data")
    dictionary = make_dictionary(make_pairs(400, seed=1), folder / "dict.txt")
    make_dataset(folder / "genuine", dictionary, 70, seed=1)
    make_dataset(folder / "valid", dictionary, 50, seed=2)
    for number in range(3):
        make_dataset(folder / f"shard{number}", dictionary, 60, seed=10 + number)
    return folder


def train_shared(data: Path, save_dir: Path, **options) -> TrainingResult:
    """Train in turns, so that they are shared too; four small batches make an update."""
    small = {
        "architecture": STEADY,
        "update_frequency": 4,
        "max_tokens": 48,
        "epochs": 2,
        "pairs_at_once": 130,
    }
    datasets = ("genuine", "shard0", "shard1", "shard2")
    return train_tiny(data, save_dir, datasets=datasets, updates_per_point=1, **small | options)


@pytest.fixture(scope="module")
def alone(data, tmp_path_factory) -> tuple[TrainingResult, Path]:
    """A training by one process."""
    folder = tmp_path_factory.mktemp("alone") / "model"
    return train_shared(data, folder, epochs=6), folder


def assert_same_but_for_rounding(
    first: tuple[TrainingResult, Path], second: tuple[TrainingResult, Path]
) -> None:
    (result, folder), (other, other_folder) = first, second
    for count in ("updates", "epochs", "target_words", "pairs", "skipped_pairs", "chosen"):
        assert getattr(result, count) == getattr(other, count)
    for point, other_point in zip(result.training_curve, other.training_curve, strict=True):
        assert (point.update, point.epoch) == (other_point.update, other_point.epoch)
        # Fairseq rounds to three places
        assert point.loss == pytest.approx(other_point.loss, abs=0.0011)
    for point, other_point in zip(result.validation_curve, other.validation_curve, strict=True):
        assert (point.update, point.epoch) == (other_point.update, other_point.epoch)
        assert point.loss == pytest.approx(other_point.loss, rel=1e-5)
    assert_close_weights(folder / "model.pt", other_folder / "model.pt", rtol=1e-4, atol=2e-6)


# --- The same training


def test_two_machines_train_as_one(data, tmp_path):
    """Two torchruns, as on two machines, started by one command; the data are read at once."""
    node = (
        f"{sys.executable} -m torch.distributed.run --nnodes 2 --nproc-per-node 1 "
        "--rdzv-backend c10d --local-addr 127.0.0.1"
    )
    node += f" --rdzv-endpoint 127.0.0.1:{free_port()} --rdzv-id training"
    launcher = ["bash", "-c", f'{node} "$@" & first=$!; {node} "$@"; wait $first', "launch"]
    options = {"pairs_at_once": None, "updates": 6, "epochs": None}
    result = train_shared(data, tmp_path / "two", launcher=launcher, **options)
    alone = train_shared(data, tmp_path / "one", **options)
    assert result.processes == 2
    assert_same_but_for_rounding((result, tmp_path / "two"), (alone, tmp_path / "one"))


# --- Kills


def processes_of(folder: Path) -> dict[int, str | None]:
    """The processes of a training in a folder: number of the process -> rank, or ``None`` for
    torchrun itself.
    """
    found = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if (
                entry.name.isdigit()
                and str(folder / "unfinished/job.json").encode() in (entry / "cmdline").read_bytes()
            ):
                settings = (entry / "environ").read_text().split("\0")
                ranks = [
                    setting.removeprefix("RANK=")
                    for setting in settings
                    if setting.startswith("RANK=")
                ]
                found[int(entry.name)] = ranks[0] if ranks else None
    return found


def test_two_processes_one_of_which_is_killed_train_as_one_with_twice_the_accumulation(
    data, alone, tmp_path
):
    def kill_the_second(report: TrainingProgress) -> None:
        for number, rank in processes_of(tmp_path / "two").items():
            if rank == "1":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

    with pytest.raises(RuntimeError, match="SIGKILL"):
        train_shared(
            data,
            tmp_path / "two",
            launcher=TWO_PROCESSES,
            epochs=6,
            progress=kill_the_second,
            seconds_between_saves=0.0,
        )
    assert not processes_of(tmp_path / "two")
    assert 0 < updates_saved(tmp_path / "two") < alone[0].updates
    shutil.copytree(tmp_path / "two", tmp_path / "one", symlinks=True)
    reports: list[TrainingProgress] = []
    resumed = train_shared(
        data, tmp_path / "two", launcher=TWO_PROCESSES, epochs=6, progress=reports.append
    )
    assert resumed.processes == 2
    assert_same_but_for_rounding((resumed, tmp_path / "two"), alone)
    assert (reports[-1].update, reports[-1].total_updates) == (resumed.updates, resumed.updates)
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == sorted(
        path.name for path in alone[1].iterdir()
    )
    # Another number of processes takes it up just as well.
    resumed = train_shared(data, tmp_path / "one", epochs=6)
    assert_same_but_for_rounding((resumed, tmp_path / "one"), alone)


def test_processes_end_with_their_parent(data, tmp_path):
    script = f"""
        from pathlib import Path
        from test_seq2seq_distributed import TWO_PROCESSES, train_shared

        train_shared(Path({str(data)!r}), Path({str(tmp_path / "model")!r}), launcher=TWO_PROCESSES, epochs=100000)
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], env=ENVIRONMENT)
    with killed_at_last(parent):
        wait_for(lambda: len(processes_of(tmp_path / "model")) == 3, "the processes start", 90)
        time.sleep(3)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        wait_for(lambda: not processes_of(tmp_path / "model"), "the processes end", SECONDS_TO_DIE)


@contextlib.contextmanager
def killed_at_last(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()
        process.wait()


# --- Refusals and failures


def test_what_a_process_finds_wrong_is_told_by_the_parent(data, tmp_path):
    with pytest.raises(UserError, match="max_tokens 1"):
        train_shared(data, tmp_path / "model", launcher=TWO_PROCESSES, max_tokens=1)


def test_a_launcher_that_fails_is_quoted(data, tmp_path):
    with pytest.raises(RuntimeError, match="no such partition"):
        train_shared(
            data, tmp_path / "model", launcher=["bash", "-c", "echo no such partition; exit 3"]
        )
    with pytest.raises(UserError, match="no-such-launcher"):
        train_shared(data, tmp_path / "model", launcher=["no-such-launcher"])


@pytest.mark.parametrize(
    ("wanted", "update_frequency", "used"),
    [(1, 4, 1), (2, 4, 2), (3, 4, 2), (8, 4, 4), (8, 6, 6), (5, 7, 1)],
)
def test_as_many_processes_as_divide_the_updates(caplog, wanted, update_frequency, used):
    assert distributed.usable_processes(wanted, update_frequency) == used
    assert bool(caplog.records) == (used < wanted)
    if used < wanted:
        assert f"uses {used} of {wanted} processes" in caplog.text
