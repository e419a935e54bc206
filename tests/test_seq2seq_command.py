"""fairseq's programs through our command: several processes, spawned children, refusals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from pseudogec.seq2seq import checkpoints
from pseudogec.seq2seq.data import prepare_pairs
from seq2seq_world import TINY, make_dataset, make_dictionary, make_pairs, short_training

pytestmark = pytest.mark.slow

COMMAND = "pseudogec.seq2seq.command"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=False, timeout=120)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    dictionary = make_dictionary(make_pairs(100, seed=1), folder / "dict.txt")
    dataset = make_dataset(folder / "dataset", dictionary, 200, seed=1)
    prepare_pairs([dataset], dataset, dictionary, folder / "fairseq")
    return folder / "fairseq"


def test_two_processes_train_together_under_torchrun(data, tmp_path):
    arguments = [str(data), "--save-dir", str(tmp_path), *TINY.fairseq_arguments()]
    arguments += short_training(updates=4).fairseq_arguments()
    arguments += ["--cpu", "--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp", "--no-progress-bar"]
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", COMMAND, "train"]
    done = run(*torchrun, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    state = checkpoints.load(tmp_path / "checkpoint_last.pt")
    assert state["optimizer_history"][-1]["num_updates"] == 4
    assert state["cfg"]["distributed_training"]["distributed_world_size"] == 2


def test_spawned_children_can_use_fairseq():
    """A child that fairseq spawns imports the command's module first, as ``__mp_main__``, then fairseq's own function."""
    script = f"""
import importlib.util, multiprocessing, sys
from pseudogec.seq2seq import compat
compat.apply()
from fairseq.utils import set_torch_seed
if __name__ == "__main__":
    sys.modules["__main__"].__spec__ = importlib.util.find_spec({COMMAND!r})
    child = multiprocessing.get_context("spawn").Process(target=set_torch_seed, args=(1,))
    child.start()
    child.join()
    sys.exit(child.exitcode)
"""
    done = run("-c", script)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="several processes are possible on this machine's GPUs")
def test_a_training_that_would_do_nothing_is_refused(data, tmp_path):
    done = run("-m", COMMAND, "train", str(data), "--distributed-world-size", "2", "--save-dir", str(tmp_path))
    assert done.returncode != 0
    assert "needs GPUs" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["trian"]])
def test_unknown_programs_are_refused_with_the_known_ones(arguments):
    done = run("-m", COMMAND, *arguments)
    assert done.returncode != 0
    assert "usage:" in done.stderr and "train" in done.stderr
