"""The training loop around fairseq's trainer. Imports fairseq: `pseudogec.seq2seq.training` imports
it when needed.

Run as a program it is one of the processes of a shared training (`pseudogec.seq2seq.distributed`).

The loop gives bit for bit the weights of ``fairseq-train`` with the same arguments (a test compares
them), at the same speed. ``fairseq_cli.train.main`` would replace the fifty lines that set up, step
and validate, but

- it saves the optimiser's state with every checkpoint, or no state to resume from: 135 MB for 10
  epochs of a model of 3.8 MB. Here a state is saved every few minutes, and otherwise the weights of
  those checkpoints that may still be chosen;
- it rounds validation losses to three places before it chooses the best, and keeps the best in a
  global of the process;
- it reports progress in a log, without the time left, as it does not count an epoch's updates
  before it trains;
- it lets an empty batch at the end of an epoch void a process's share of the update; see
  `_one_shard`;
- it drops an update for which memory is too small. Here the training continues from its last saved
  state in smaller batches.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_atomically
from pseudogec.seq2seq import checkpoints, compat
from pseudogec.seq2seq.distributed import OUTCOME, PROGRESS, divisors
from pseudogec.seq2seq.memory import is_out_of_memory
from pseudogec.seq2seq.options import AverageLast
from pseudogec.seq2seq.training_job import (
    LossPoint,
    TrainingJob,
    TrainingProgress,
    TrainingResult,
    precision_here,
    snapshot_name,
)

compat.apply()

import fairseq  # noqa: E402
import torch  # noqa: E402
from fairseq import tasks, utils  # noqa: E402
from fairseq.data.iterators import GroupedIterator  # noqa: E402
from fairseq.dataclass.initialize import add_defaults  # noqa: E402
from fairseq.logging import metrics  # noqa: E402
from fairseq.trainer import Trainer  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402

from pseudogec.seq2seq.fused_loss import use_fused_loss  # noqa: E402
from pseudogec.seq2seq.fused_update import use_fused_update  # noqa: E402

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_REPORTS = 0.5


@dataclass
class History:
    updates_an_epoch: int = 0
    pairs: int = 0
    skipped_pairs: int = 0
    seconds: float = 0.0
    loop_seconds: float = 0.0
    target_words: int = 0
    since_point: list[tuple[float, float, float]] = field(default_factory=list)
    """Loss, nll_loss and target words of every update since the last point of the training
    curve.
    """
    training_curve: list[dict[str, float]] = field(default_factory=list)
    validation_curve: list[dict[str, float]] = field(default_factory=list)
    # The last checkpoints, when their mean is the model
    recent: list[str] = field(default_factory=list)
    epoch: int = 0
    checkpointed: int = 0  # the update of the last checkpoint
    best: str = ""  # the best checkpoint, when it is the model
    best_perplexity: float = math.inf


class Process(NamedTuple):
    """One of the processes that share a training."""

    rank: int = 0  # from 0; the first one writes files and reports
    processes: int = 1  # if several, `torch.distributed` is initialised
    device: int = 0  # number of its GPU on its machine


class TrainingRun:
    """One training from its first update, or its last saved state, to the model file.

    An epoch of fairseq is a pass over one shard, a folder of training data. Here an epoch is a pass
    over all of them. Several processes that share a training must make the same calls.
    """

    def __init__(
        self,
        job: TrainingJob,
        progress: Callable[[TrainingProgress], None],
        process: Process | None = None,
    ) -> None:
        self._started = time.perf_counter()
        self._job, self._progress, self._process = job, progress, process or Process()
        self._optimisation, self._folder = job.optimisation, job.folder
        self._history = History()
        # Checkpoints that the saved state names: a killed training goes back to them
        self._kept: set[str] = set()
        self._cfg = compat.configuration(job.arguments)
        add_defaults(self._cfg)
        self._plain_cfg = OmegaConf.to_container(self._cfg, resolve=True, enum_to_str=True)
        self._share_updates()
        self._shards = len(utils.split_paths(self._cfg.task.data))
        np.random.seed(self._cfg.common.seed)
        utils.set_torch_seed(self._cfg.common.seed)
        self._task = tasks.setup_task(self._cfg.task)
        model = self._task.build_model(self._cfg.model)
        criterion = self._task.build_criterion(self._cfg.criterion)
        if job.fused:
            use_fused_loss(criterion, model)
        if job.autocast:
            # In 16 bits the gradient of torch's fused attention takes ten times as long on a CPU as
            # that of separate products.
            separately = sdpa_kernel(SDPBackend.MATH)(criterion.forward)
            criterion.forward = torch.autocast("cpu", dtype=torch.bfloat16)(separately)
        if not self._cfg.dataset.disable_validation:
            self._task.load_dataset("valid", combine=False, epoch=1)
            self._allow_for_long_validation_pairs(model)
        self._trainer = Trainer(self._cfg, self._task, model, criterion)
        self._epochs: Any = None  # fairseq's iterator over the shards
        # What a process computes in place of an empty batch, in step with the others
        self._stand_in: Any = None
        self._resume()
        if job.fused:
            # After resuming, which makes another optimiser
            use_fused_update(self._trainer.optimizer)
        _clear_placeholders(model)
        optimisation, per_epoch = self._optimisation, self._history.updates_an_epoch
        self._total = min(
            optimisation.updates or math.inf, per_epoch * (optimisation.epochs or math.inf)
        )
        self._last_epoch = math.ceil(self._total / per_epoch)
        self._resumed_at = self._trainer.get_num_updates()
        self._saved_at = self._reported_at = self._loop_started = self._resumed_clock = (
            time.perf_counter()
        )

    def _allow_for_long_validation_pairs(self, model: Any) -> None:
        """Leave out those that the model cannot read, and compute each of the others, however small
        the batches of training.

        fairseq leaves too long pairs out of the training data, but stops at those of the validation
        data.
        """
        valid, settings = self._task.dataset("valid"), self._cfg.dataset
        positions = utils.resolve_max_positions(self._task.max_positions(), model.max_positions())
        most = min(positions) if isinstance(positions, tuple) else positions
        lengths = np.array([valid.num_tokens(place) for place in range(len(valid))])
        readable = lengths[lengths <= most]
        if not readable.size:
            raise UserError(
                f"all validation data are longer than the model's max_positions ({most}); raise it"
            )
        if readable.size < lengths.size and self._process.rank == 0:
            log.warning(
                "%d of %d validation sentences have more than %d subwords (max_positions); their "
                "loss is left out",
                *(lengths.size - readable.size, lengths.size, most),
            )
        settings.skip_invalid_size_inputs_valid_test = True
        settings.max_tokens_valid = max(settings.max_tokens, int(readable.max()))

    def _share_updates(self) -> None:
        # fairseq deals the batches of an epoch out to the processes in turn, so that an update has
        # the same batches as with one.
        rank, processes, device = self._process
        self._cfg.optimization.update_freq = [self._optimisation.update_frequency // processes]
        if processes > 1:
            settings = self._cfg.distributed_training
            settings.distributed_world_size, settings.distributed_rank, settings.device_id = (
                processes,
                rank,
                device,
            )
            # torch's own way of summing gradients wants GPUs.
            settings.ddp_backend = "legacy_ddp" if self._cfg.common.cpu else "pytorch_ddp"

    def _resume(self) -> None:
        path = self._folder / checkpoints.LAST
        # Only the first process looks for the file, so that all agree whether there is one.
        past, position = self._told_by_first(lambda: self._read_past(path))
        if past is None:
            if self._job.initial_model is not None:
                self._load_weights(self._job.initial_model)
            self._count_an_epoch()
            self._load_shard(1)
        else:
            if any(past[name] != value for name, value in self._same_training().items()):
                raise UserError(
                    f"{self._folder} holds an unfinished training with other options or data; "
                    "remove it to start afresh"
                )
            self._history = History(**past["history"])
            self._kept = self._needed()
            state = self._trainer.load_checkpoint(str(path), reset_meters=True)
            for weights, saved in zip(
                self._weights_in_full_precision(), state["full_precision"], strict=True
            ):
                weights.copy_(saved)
            self._load_shard(position["epoch"])
            # There may be another number of processes now, among which the batches are dealt out.
            used = position["iterations_in_epoch"] * past["processes"]
            self._epochs.load_state_dict(
                position | {"iterations_in_epoch": used // self._process.processes}
            )
        self._trainer.lr_step(self._epochs.epoch)

    def _read_past(self, path: Path) -> tuple[Any, Any]:
        state = checkpoints.load_if_whole(path)
        return (
            (state["extra_state"]["pseudogec"], state["extra_state"]["train_iterator"])
            if state
            else (None, None)
        )

    def _weights_in_full_precision(self) -> list[torch.Tensor]:
        """The full-precision weights that are trained for a model in half precision; fairseq would
        resume from rounded ones.
        """
        weights = getattr(self._trainer.optimizer, "fp32_params", [])
        return [each.data for each in (weights.values() if isinstance(weights, dict) else weights)]

    def _told_by_first(self, find: Callable[[], Any]) -> Any:
        objects = [find() if self._process.rank == 0 else None]
        if self._process.processes > 1:
            torch.distributed.broadcast_object_list(objects)
        return objects[0]

    def _count_an_epoch(self) -> None:
        """Takes a second or two a million pairs, and the memory of one shard."""
        history = self._history
        for shard in range(1, self._shards + 1):
            self._load_shard(shard)
            batches, pairs = self._epochs.frozen_batches, len(self._task.dataset("train"))
            history.updates_an_epoch += math.ceil(
                len(batches) / self._optimisation.update_frequency
            )
            history.pairs += pairs
            history.skipped_pairs += pairs - sum(map(len, batches))

    def _load_shard(self, number: int) -> None:
        """Take the data of a shard, counted over all epochs from 1."""
        load = self._shards > 1 or self._epochs is None
        if load:
            self._epochs = None  # so that two shards are never in memory together
            self._task.datasets.pop("train", None)
        try:
            self._epochs = self._trainer.get_train_iterator(
                number, load_dataset=load, disable_iterator_cache=self._shards > 1
            )
        except Exception as error:
            if "dataset is empty" not in str(error):
                raise
            raise UserError(
                "all training data are longer than a batch (max_tokens "
                f"{self._optimisation.max_tokens}) or than the model's "
                "max_positions; raise them"
            ) from None

    def _load_weights(self, path: Path) -> None:
        weights = checkpoints.load(path)["model"]
        try:
            self._trainer.get_model().load_state_dict(
                weights, strict=True, model_cfg=self._cfg.model
            )
        except RuntimeError as error:
            raise UserError(
                f"{path} has another architecture than the model to train: {error}"
            ) from None

    def _same_training(self) -> dict[str, Any]:
        """The options that a training must share with the one that it continues; paths may
        differ.
        """
        options = self._job.arguments[1:]
        place = options.index("--save-dir")
        files = [
            file
            for folder in utils.split_paths(self._cfg.task.data)
            for file in sorted(Path(folder).iterdir())
        ]
        return {
            "options": options[:place] + options[place + 2 :],
            "optimisation": self._optimisation.model_dump(mode="json"),
            "data": [
                f"{file.name}: {file.stat().st_size} bytes" for file in files if file.is_file()
            ],
        }

    def to_the_end(self) -> TrainingResult:
        while not self._finished():
            self._one_shard()
            if not self._finished():
                self._load_shard(self._epochs.next_epoch_idx)
        chosen = (
            [self._history.best] if self._optimisation.selection == "best" else self._history.recent
        )
        if self._process.rank == 0:
            checkpoints.average_checkpoints(
                [self._folder / name for name in chosen], self._job.output
            )
        return self._result(chosen)

    def _finished(self) -> bool:
        last = (self._optimisation.epochs or math.inf) * self._shards
        return self._epochs.next_epoch_idx > last or self._out_of_updates()

    def _out_of_updates(self) -> bool:
        return self._trainer.get_num_updates() >= (self._optimisation.updates or math.inf)

    @property
    def _epoch(self) -> int:
        return (self._epochs.epoch - 1) // self._shards + 1

    def _one_shard(self) -> None:
        batches = self._epochs.next_epoch_itr(shuffle=True)
        number = self._epochs.epoch
        groups = GroupedIterator(batches, self._cfg.optimization.update_freq[0])
        self._trainer.begin_epoch(number)
        self._stand_in = self._epochs.first_batch
        self._trainer.reset_dummy_batch(self._stand_in)
        for samples in groups:
            # At the end of a shard some processes have one batch fewer and get an empty one. In
            # fairseq an empty last batch voids the process's whole share, so it is kept only where
            # there is no other.
            kept = [sample for sample in samples if sample] or samples[:1]
            losses = self._update(kept)
            end_of_epoch = number % self._shards == 0 and not groups.has_next()
            if losses is not None:  # else half precision overflowed, and fairseq made no update
                self._record(losses)
            if self._checkpoint_is_due(end_of_epoch, updated=losses is not None):
                self._checkpoint()
            if time.perf_counter() - self._saved_at >= self._job.seconds_between_saves:
                self._save_state()
            if self._out_of_updates():
                return
        self._trainer.lr_step(number)

    def _update(self, samples: list[Any]) -> dict[str, float] | None:
        """Make one update; returns its losses, or None where half precision overflowed."""
        try:
            # By default fairseq returns None for an update that ran out of memory, too.
            losses: dict[str, float] | None = self._trainer.train_step(samples, raise_oom=True)
        except RuntimeError as error:
            self._refuse_for_memory(error)
            raise
        except (FloatingPointError, StopIteration) as error:
            # fairseq's search for the layer at fault raises StopIteration where a layer has no
            # output, and hides the first error.
            cause = error if isinstance(error, FloatingPointError) else error.__context__
            (self._folder / "crash.pt").unlink(missing_ok=True)  # fairseq's, as large as a state
            raise UserError(
                f"training diverged after {self._trainer.get_num_updates()} updates ({cause}); a "
                "lower learning_rate, more "
                "warmup_updates or another precision may help"
            ) from cause
        return losses

    def _record(self, losses: dict[str, float]) -> None:
        update, target_words = self._trainer.get_num_updates(), int(losses["sample_size"])
        self._history.epoch = self._epoch
        self._history.target_words += target_words
        self._history.since_point.append((losses["loss"], losses["nll_loss"], target_words))
        if update % self._job.updates_per_point == 0:
            loss, nll_loss, words = np.array(self._history.since_point).T
            point = {
                "loss": np.average(loss, weights=words),
                "nll_loss": np.average(nll_loss, weights=words),
            }
            self._history.training_curve.append(
                {"update": update, "epoch": self._epoch, **{k: float(v) for k, v in point.items()}}
            )
            self._history.since_point.clear()
        now = time.perf_counter()
        if now - self._reported_at >= _SECONDS_BETWEEN_REPORTS or update == self._total:
            self._reported_at = now
            speed = (update - self._resumed_at) / (now - self._resumed_clock)
            self._progress(
                TrainingProgress(
                    update, int(self._total), losses["loss"], speed, (self._total - update) / speed
                )
            )

    def _checkpoint_is_due(self, end_of_epoch: bool, updated: bool) -> bool:
        cadence, update = self._optimisation.checkpoint_updates, self._trainer.get_num_updates()
        last = self._out_of_updates() or (end_of_epoch and self._epoch == self._optimisation.epochs)
        by_cadence = end_of_epoch if cadence is None else updated and update % cadence == 0
        return (last or by_cadence) and update > self._history.checkpointed

    def _checkpoint(self) -> None:
        epoch, update, selection = (
            self._epoch,
            self._trainer.get_num_updates(),
            self._optimisation.selection,
        )
        name = f"checkpoint_{epoch}_{update}.pt"
        self._history.checkpointed = update
        if not self._cfg.dataset.disable_validation:
            point = self._validate(update, epoch)
            self._history.validation_curve.append(point.model_dump())
            if selection == "best" and (
                not self._history.best or point.perplexity < self._history.best_perplexity
            ):
                self._history.best, self._history.best_perplexity = name, point.perplexity
                self._save_weights(name)
        if isinstance(selection, AverageLast):
            by_epoch = self._optimisation.checkpoint_updates is None
            models = (*self._optimisation.snapshots, self._last_epoch)
            if by_epoch and not any(
                model - selection.average_last < epoch <= model for model in models
            ):
                return  # enough later ones will come
            self._history.recent.append(name)
            del self._history.recent[: -selection.average_last]
            self._save_weights(name)
            if epoch in self._optimisation.snapshots and self._process.rank == 0:
                recent = [self._folder / each for each in self._history.recent]
                checkpoints.average_checkpoints(
                    recent, self._job.output.with_name(snapshot_name(epoch))
                )

    def _validate(self, update: int, epoch: int) -> LossPoint:
        self._trainer.begin_valid_epoch(self._epochs.epoch)
        batches = self._trainer.get_valid_iterator("valid").next_epoch_itr(
            shuffle=False, set_dataset_epoch=False
        )
        self._trainer.reset_dummy_batch(self._stand_in)
        with metrics.aggregate(new_root=True) as losses:
            for batch in batches:
                self._valid_step(batch)
        # The meters' own means: fairseq's log rounds them to three places.
        return LossPoint(
            update=update,
            epoch=epoch,
            loss=float(losses["loss"].avg),
            nll_loss=float(losses["nll_loss"].avg),
        )

    def _valid_step(self, batch: Any) -> None:
        try:
            self._trainer.valid_step(batch, raise_oom=True)
        except RuntimeError as error:
            self._refuse_for_memory(error)
            raise

    def _refuse_for_memory(self, error: RuntimeError) -> None:
        if is_out_of_memory(error):
            problem = str(error).partition("\n")[0]
            raise UserError(
                f"training ran out of memory after {self._trainer.get_num_updates()} updates "
                f"({problem}); halve max_tokens and "
                "double update_frequency, which leaves an update as large, or take half precision "
                "or a smaller model"
            ) from error

    def _save_weights(self, name: str) -> None:
        if self._process.rank == 0:
            weights = utils.move_to_cpu(self._trainer.get_model().state_dict())
            checkpoints.save(
                checkpoints.bare_weights(self._plain_cfg, weights), self._folder / name
            )
            self._drop_weights()

    def _save_state(self) -> None:
        self._saved_at = time.perf_counter()
        if self._process.rank > 0:
            return
        self._note_time()
        self._trainer.consolidate_optimizer()
        state = utils.move_to_cpu(self._trainer.state_dict())
        full_precision = [weights.cpu() for weights in self._weights_in_full_precision()]
        past = self._same_training() | {
            "processes": self._process.processes,
            "history": asdict(self._history),
        }
        state["extra_state"] |= {
            "train_iterator": self._epochs.state_dict(),
            "pseudogec": past,
            "full_precision": full_precision,
        }
        checkpoints.save(state, self._folder / checkpoints.LAST)
        self._kept = self._needed()
        self._drop_weights()
        self._saved_at = time.perf_counter()

    def _needed(self) -> set[str]:
        return {*self._history.recent, self._history.best}

    def _drop_weights(self) -> None:
        needed = self._needed() | self._kept
        for path in self._folder.glob("checkpoint_*_*.pt"):
            if path.name not in needed:
                path.unlink()

    def _note_time(self) -> None:
        now = time.perf_counter()
        self._history.seconds += now - self._started
        self._history.loop_seconds += now - self._loop_started
        self._started = self._loop_started = now

    def _result(self, chosen: list[str]) -> TrainingResult:
        self._note_time()
        history, trainer = self._history, self._trainer
        model = trainer.get_model()
        return TrainingResult(
            arguments=self._job.arguments,
            processes=self._process.processes,
            updates=trainer.get_num_updates(),
            epochs=history.epoch,
            seconds=history.seconds,
            target_words=history.target_words,
            words_per_second=history.target_words / history.loop_seconds,
            parameters=sum(
                weights.numel() for weights in model.parameters() if weights.requires_grad
            ),
            pairs=history.pairs,
            skipped_pairs=history.skipped_pairs,
            training_curve=[LossPoint.model_validate(point) for point in history.training_curve],
            validation_curve=[
                LossPoint.model_validate(point) for point in history.validation_curve
            ],
            chosen=chosen,
            device=torch.cuda.get_device_name() if trainer.cuda else "cpu",
            precision=precision_here(self._optimisation.precision),
            fairseq_version=fairseq.__version__,
            torch_version=torch.__version__,
        )


def _clear_placeholders(model: torch.nn.Module) -> None:
    """Zero a buffer of sinusoidal positions that fairseq never fills, so that equal trainings give
    equal files.
    """
    for name, buffer in model.named_buffers():
        if name.endswith("embed_positions._float_tensor"):
            buffer.zero_()


# --- One of several processes


def main(path: Path, host: str, parent: int) -> None:
    """Do the part of a training that torchrun's environment variables assign to this process.

    Args:
        path: the file that describes the training.
        host: the parent's machine.
        parent: its number there.
    """
    # Processes on other machines end when they miss those on this one
    if socket.gethostname() == host:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    job = TrainingJob.model_validate_json(path.read_text(encoding="utf-8"))
    try:
        result = _train(job, lambda now: _write(path.with_name(PROGRESS), now))
    except UserError as error:
        _write(path.with_name(OUTCOME), {"error": str(error)})
        raise
    if result is not None:
        _write(path.with_name(OUTCOME), {"result": result.model_dump(mode="json")})


def _write(path: Path, message: Any) -> None:
    with write_atomically(path) as stream:
        stream.write(json.dumps(message).encode())


def _end_with(parent: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(parent).wait()
    os._exit(1)


def _train(job: TrainingJob, progress: Callable[[TrainingProgress], None]) -> TrainingResult | None:
    """Train together with the other processes; the first one returns the result."""
    rank, processes, device = (
        int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")
    )
    fitting = divisors(job.optimisation.update_frequency)
    if processes not in fitting:
        raise UserError(
            f"{processes} processes cannot share the {fitting[-1]} batches of an update "
            "(update_frequency) evenly; "
            f"start {' or '.join(map(str, fitting))}"
        )
    if torch.cuda.is_available():
        torch.cuda.set_device(device)
    torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    with compat.isolated():
        run = TrainingRun(
            job, progress if rank == 0 else (lambda _: None), Process(rank, processes, device)
        )
        result = run.to_the_end()
    torch.distributed.destroy_process_group()
    return result if rank == 0 else None


if __name__ == "__main__":
    from torch.distributed.elastic.multiprocessing.errors import record

    # Torchrun's log says which process failed first, and how
    record(main)(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
