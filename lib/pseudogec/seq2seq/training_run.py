"""The training loop over fairseq's trainer. Imports fairseq: only `pseudogec.seq2seq.train` loads it, inside a session."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import fairseq
import numpy as np
import torch
from fairseq import tasks, utils
from fairseq.data.iterators import GroupedIterator
from fairseq.dataclass.initialize import add_defaults
from fairseq.logging import metrics
from fairseq.trainer import Trainer
from omegaconf import OmegaConf

from pseudogec.errors import UserError
from pseudogec.seq2seq import checkpoints, session
from pseudogec.seq2seq.average import average_checkpoints
from pseudogec.seq2seq.options import AverageLast, Optimisation
from pseudogec.seq2seq.train import LossPoint, TrainingProgress, TrainingResult

_SECONDS_BETWEEN_REPORTS = 0.5


@dataclass
class _History:
    """What a resumed training must know of its past."""

    seconds: float = 0.0
    loop_seconds: float = 0.0
    target_words: int = 0
    since_point: list[tuple[float, float, float]] = field(default_factory=list)  # loss, nll_loss and target words of an update
    training_curve: list[dict[str, float]] = field(default_factory=list)
    validation_curve: list[dict[str, float]] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)
    best: str = ""
    best_perplexity: float = math.inf


class TrainingRun:
    """One training from its first update, or its last saved state, to the model file.

    Args:
        arguments: of ``fairseq-train``.
        optimisation: the same options in the field's terms.
        folder: where checkpoints are kept.
        initial_model: model file whose weights training starts from.
        progress: called about twice a second.
        updates_per_point: distance of the points of the training curve.
        seconds_between_saves: how often the full state is saved.
    """

    def __init__(
        self,
        arguments: list[str],
        optimisation: Optimisation,
        folder: Path,
        initial_model: Path | None,
        progress: Callable[[TrainingProgress], None],
        updates_per_point: int,
        seconds_between_saves: float,
    ) -> None:
        self._started = time.perf_counter()
        self._arguments, self._optimisation, self._folder = arguments, optimisation, folder
        self._progress, self._updates_per_point, self._save_every = progress, updates_per_point, seconds_between_saves
        self._history = _History()
        self._cfg = session.configuration(arguments)
        add_defaults(self._cfg)
        self._plain_cfg = OmegaConf.to_container(self._cfg, resolve=True, enum_to_str=True)
        np.random.seed(self._cfg.common.seed)
        utils.set_torch_seed(self._cfg.common.seed)
        self._task = tasks.setup_task(self._cfg.task)
        model = self._task.build_model(self._cfg.model)
        _clear_placeholders(model)
        if not self._cfg.dataset.disable_validation:
            self._task.load_dataset("valid", combine=False, epoch=1)
        self._trainer = Trainer(self._cfg, self._task, model, self._task.build_criterion(self._cfg.criterion))
        self._epochs = self._resume(initial_model)
        per_epoch = math.ceil(len(self._epochs) / optimisation.update_frequency)
        self._total = min(optimisation.updates or math.inf, per_epoch * (optimisation.epochs or math.inf))
        self._last_epoch = math.ceil(self._total / per_epoch)
        self._resumed_at = self._trainer.get_num_updates()
        self._saved_at = self._reported_at = self._loop_started = self._resumed_clock = time.perf_counter()

    def _resume(self, initial_model: Path | None) -> Any:
        """Load the last saved state, or else the initial weights; returns fairseq's iterator over epochs."""
        path = self._folder / checkpoints.LAST
        state = checkpoints.load_if_whole(path)
        if state is None:
            if initial_model is not None:
                self._load_weights(initial_model)
            epochs = self._load_data(epoch=1)
            self._trainer.lr_step(epochs.epoch)
            return epochs
        past = state["extra_state"]["pseudogec"]
        if past["options"] != self._options():
            raise UserError(f"{self._folder} holds an unfinished training with other options; remove it to start afresh")
        self._history = _History(**past["history"])
        position = self._trainer.load_checkpoint(str(path), reset_meters=True)["train_iterator"]
        epochs = self._load_data(epoch=position["epoch"])
        epochs.load_state_dict(position)
        self._trainer.lr_step(epochs.epoch)
        return epochs

    def _load_data(self, epoch: int) -> Any:
        """fairseq's iterator over epochs of the training data.

        Raises:
            UserError: no pair fits into a batch.
        """
        try:
            return self._trainer.get_train_iterator(epoch=epoch, load_dataset=True)
        except Exception as error:
            if "dataset is empty" not in str(error):
                raise
            raise UserError(
                f"all training data are longer than a batch (max_tokens {self._optimisation.max_tokens}) or than the model's "
                "max_positions; raise them"
            ) from None

    def _load_weights(self, path: Path) -> None:
        """Start from another model's weights.

        Raises:
            UserError: it has another architecture.
        """
        weights = checkpoints.load(path)["model"]
        try:
            self._trainer.get_model().load_state_dict(weights, strict=True, model_cfg=self._cfg.model)
        except RuntimeError as error:
            raise UserError(f"{path} has another architecture than the model to train: {error}") from None

    def _options(self) -> list[str]:
        """The arguments without what depends on the place."""
        options = self._arguments[1:]
        place = options.index("--save-dir")
        return options[:place] + options[place + 2 :]

    def to_the_end(self, output: Path) -> TrainingResult:
        """Train, choose among the checkpoints, write the model file, and report."""
        while not self._finished():
            self._one_epoch()
        chosen = [self._history.best] if self._optimisation.selection == "best" else self._history.recent
        average_checkpoints([self._folder / name for name in chosen], output)
        return self._result(chosen)

    def _finished(self) -> bool:
        epochs = self._optimisation.epochs or math.inf
        return self._epochs.next_epoch_idx > epochs or self._out_of_updates()

    def _out_of_updates(self) -> bool:
        return self._trainer.get_num_updates() >= (self._optimisation.updates or math.inf)

    def _one_epoch(self) -> None:
        batches = self._epochs.next_epoch_itr(shuffle=True)
        epoch = self._epochs.epoch
        groups = GroupedIterator(batches, self._optimisation.update_frequency)
        self._trainer.begin_epoch(epoch)
        for samples in groups:
            losses = self._trainer.train_step(samples)
            if losses is None:  # half precision overflowed; fairseq lowered its loss scale and made no update
                continue
            self._record(epoch, losses, sum(int(sample["ntokens"]) for sample in samples if sample))
            if self._checkpoint_is_due(end_of_epoch=not groups.has_next()):
                self._checkpoint(epoch)
            if time.perf_counter() - self._saved_at >= self._save_every:
                self._save_state()
            if self._out_of_updates():
                return
        self._trainer.lr_step(epoch)
        self._epochs = self._trainer.get_train_iterator(epoch=self._epochs.next_epoch_idx, load_dataset=False)

    def _record(self, epoch: int, losses: dict[str, float], target_words: int) -> None:
        """Note an update's loss, and report it now and then."""
        update = self._trainer.get_num_updates()
        self._history.target_words += target_words
        self._history.since_point.append((losses["loss"], losses["nll_loss"], target_words))
        if update % self._updates_per_point == 0:
            loss, nll_loss, words = np.array(self._history.since_point).T
            point = {"loss": np.average(loss, weights=words), "nll_loss": np.average(nll_loss, weights=words)}
            self._history.training_curve.append({"update": update, "epoch": epoch, **{k: float(v) for k, v in point.items()}})
            self._history.since_point.clear()
        now = time.perf_counter()
        if now - self._reported_at >= _SECONDS_BETWEEN_REPORTS or update == self._total:
            self._reported_at = now
            speed = (update - self._resumed_at) / (now - self._resumed_clock)
            self._progress(TrainingProgress(update, int(self._total), losses["loss"], speed, (self._total - update) / speed))

    def _checkpoint_is_due(self, end_of_epoch: bool) -> bool:
        cadence = self._optimisation.checkpoint_updates
        last = self._out_of_updates() or (end_of_epoch and self._epochs.epoch == self._optimisation.epochs)
        return last or (end_of_epoch if cadence is None else self._trainer.get_num_updates() % cadence == 0)

    def _checkpoint(self, epoch: int) -> None:
        """Validate, and keep the weights where the final choice may need them."""
        update, selection = self._trainer.get_num_updates(), self._optimisation.selection
        name = f"checkpoint_{epoch}_{update}.pt"
        if not self._cfg.dataset.disable_validation:
            point = self._validate(update, epoch)
            self._history.validation_curve.append(point.model_dump())
            if selection == "best" and point.perplexity < self._history.best_perplexity:
                self._save_weights(name)
                self._history.best, self._history.best_perplexity = name, point.perplexity
        if isinstance(selection, AverageLast):
            by_epoch = self._optimisation.checkpoint_updates is None
            if by_epoch and epoch <= self._last_epoch - selection.average_last:
                return  # enough later ones will come
            self._save_weights(name)
            self._history.recent.append(name)
            del self._history.recent[: -selection.average_last]

    def _validate(self, update: int, epoch: int) -> LossPoint:
        self._trainer.begin_valid_epoch(epoch)
        batches = self._trainer.get_valid_iterator("valid").next_epoch_itr(shuffle=False, set_dataset_epoch=False)
        with metrics.aggregate(new_root=True) as losses:
            for batch in batches:
                self._trainer.valid_step(batch)
        # The meters' own means: fairseq's log rounds them to three places.
        return LossPoint(update=update, epoch=epoch, loss=losses["loss"].avg, nll_loss=losses["nll_loss"].avg)

    def _save_weights(self, name: str) -> None:
        weights = utils.move_to_cpu(self._trainer.get_model().state_dict())
        checkpoints.save(checkpoints.bare_weights(self._plain_cfg, weights), self._folder / name)

    def _save_state(self) -> None:
        """Save all that resuming needs, then drop the weights that no choice can need any more.

        Not before: until then a resumed training would go back to a state that names them.
        """
        self._note_time()
        self._trainer.consolidate_optimizer()
        state = utils.move_to_cpu(self._trainer.state_dict())
        past = {"options": self._options(), "history": asdict(self._history)}
        state["extra_state"] |= {"train_iterator": self._epochs.state_dict(), "pseudogec": past}
        checkpoints.save(state, self._folder / checkpoints.LAST)
        needed = {*self._history.recent, self._history.best}
        for path in self._folder.glob("checkpoint_*_*.pt"):
            if path.name not in needed:
                path.unlink()
        self._saved_at = time.perf_counter()

    def _note_time(self) -> None:
        """Add the time since the last note to the history."""
        now = time.perf_counter()
        self._history.seconds += now - self._started
        self._history.loop_seconds += now - self._loop_started
        self._started = self._loop_started = now

    def _result(self, chosen: list[str]) -> TrainingResult:
        self._note_time()
        history, trainer, training_set = self._history, self._trainer, self._task.dataset("train")
        model = trainer.get_model()
        return TrainingResult(
            arguments=self._arguments,
            updates=trainer.get_num_updates(),
            epochs=self._epochs.epoch,
            seconds=history.seconds,
            target_words=history.target_words,
            words_per_second=history.target_words / history.loop_seconds,
            parameters=sum(weights.numel() for weights in model.parameters() if weights.requires_grad),
            pairs=len(training_set),
            skipped_pairs=len(training_set) - sum(len(batch) for batch in self._epochs.frozen_batches),
            training_curve=[LossPoint.model_validate(point) for point in history.training_curve],
            validation_curve=[LossPoint.model_validate(point) for point in history.validation_curve],
            chosen=chosen,
            device=torch.cuda.get_device_name() if trainer.cuda else "cpu",
            fairseq_version=fairseq.__version__,
            torch_version=torch.__version__,
        )


def _clear_placeholders(model: torch.nn.Module) -> None:
    """Zero a buffer of sinusoidal positions that fairseq never fills, so that equal trainings give equal files."""
    for name, buffer in model.named_buffers():
        if name.endswith("embed_positions._float_tensor"):
            buffer.zero_()
