"""Training speed for `bench_gpu`: our loop, fused or not, and ``fairseq-train``, each in its own
process.

All three make their updates by fairseq's ``Trainer.train_step``, so one clock around it measures
them alike: target pieces over the time from the end of the last warm-up update to the end of the
last one, with all that a loop does in between.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, set_start_method
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers import fairseq_programs
from pseudogec.seq2seq import Architecture, Optimisation

WAYS = ("fairseq-train", "ours", "ours, fused")
WARM_UP_SHARE = 0.25  # of the updates, in which memory is asked for and kernels are chosen


class Training(NamedTuple):
    """What is trained.

    Attributes:
        data: a folder that `binarise` wrote.
        dictionary: its dictionary.
        architecture: of the model, not fused.
        updates: how many are made.
        max_tokens: most pieces a batch.
        keep: where `ours` leaves the model; ``None``: nowhere.
    """

    data: Path
    dictionary: Path
    architecture: Architecture
    updates: int
    max_tokens: int
    keep: Path | None = None

    def optimisation(self, precision: str) -> Optimisation:
        """Adam with a peak that suits models of any of the sizes for as long as a benchmark."""
        options = {
            "learning_rate": 7e-4,
            "warmup_updates": 200,
            "max_tokens": self.max_tokens,
            "updates": self.updates,
        }
        return Optimisation.model_validate({**options, "precision": precision})


class Speed(NamedTuple):
    """What a training reached.

    Attributes:
        words_per_second: target pieces a second.
        memory_gib: the peak, of the GPU's memory as torch asks for it, or of the process without a
            GPU.
        loss: of the last update, bits a piece; the three ways begin alike and should stay close.
    """

    words_per_second: float
    memory_gib: float
    loss: float


def now() -> float:
    """The clock in seconds: of the wall with a GPU; else of this process's processor time, which a
    busy machine does not move.
    """
    import torch

    return time.perf_counter() if torch.cuda.is_available() else time.process_time()


def measure(way: str, training: Training, precision: str, folder: Path) -> Speed:
    """Train in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_train, way, training, precision, folder).result()


def _train(way: str, training: Training, precision: str, folder: Path) -> Speed:
    import torch

    from pseudogec.seq2seq import compat

    # Of fairseq-train's process for batches, as when it is started from a shell
    set_start_method("fork", force=True)
    compat.apply()
    steps = _watch_steps()
    folder.mkdir(parents=True)
    with (
        contextlib.chdir(folder),
        (folder / "log.txt").open("w") as log,
        contextlib.redirect_stdout(log),
    ):
        _program(way)(way, training, precision, folder)
    warm = min(max(1, round(WARM_UP_SHARE * len(steps))), len(steps) - 1)
    words = sum(words for _, words, _ in steps[warm:])
    memory = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else _peak_of_process()
    return Speed(words / (steps[-1][0] - steps[warm - 1][0]), memory / 2**30, steps[-1][2])


def _program(way: str) -> Callable[..., None]:
    return _fairseq_train if way == "fairseq-train" else _ours


def _ours(way: str, training: Training, precision: str, folder: Path) -> None:
    from pseudogec.seq2seq import train

    architecture = training.architecture.model_copy(update={"fused": way.endswith("fused")})
    save_dir = training.keep or folder / "model"
    train(
        [training.data],
        None,
        training.dictionary,
        save_dir,
        architecture,
        training.optimisation(precision),
        seed=1,
    )


def _fairseq_train(way: str, training: Training, precision: str, folder: Path) -> None:
    import torch

    from pseudogec.seq2seq.data import prepare
    from pseudogec.seq2seq.training import training_job

    data = prepare([training.data], None, training.dictionary, folder / "data")
    model = [
        "--source-lang",
        "src",
        "--target-lang",
        "trg",
        "--task",
        "translation",
        *training.architecture.fairseq_arguments(),
    ]
    job = training_job(
        model,
        data,
        training.optimisation(precision),
        seed=1,
        save_dir=folder / "model",
        validate=False,
    )
    # What is not the model's or the optimiser's is as fairseq has it: a process that makes batches
    # ahead. Processor time would not see that process, so without a GPU there is none, as in ours.
    ahead = ["--num-workers", "1", "--data-buffer-size", "10"] if torch.cuda.is_available() else []
    fairseq_programs.main("train", *job.arguments, *ahead, "--no-save", "--log-interval", "100")


def _watch_steps() -> list[tuple[float, float, float]]:
    """Note the end of every update that is made, its target pieces and its loss."""
    from fairseq.trainer import Trainer

    steps: list[tuple[float, float, float]] = []
    make_step = Trainer.train_step

    def note(trainer: Any, *arguments: Any, **options: Any) -> Any:
        losses = make_step(trainer, *arguments, **options)
        if losses is not None:  # else half precision overflowed, and there was no update
            if trainer.cuda:
                import torch

                torch.cuda.synchronize()
            steps.append((now(), losses["sample_size"], losses["loss"]))
        return losses

    Trainer.train_step = note
    return steps


def _peak_of_process() -> int:
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{os.getpid()}/status").read_text().splitlines()
    )
    return int(status["VmHWM"].split()[0]) * 1024
