"""What is kept of a training from one process to the next that takes it up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass
class History:
    """What a resumed training must know of its past.

    Attributes:
        seconds: that it has taken.
        loop_seconds: the training loop's share of them.
        target_words: target pieces trained on.
        since_point: loss, nll_loss and target words of every update since the last point of the training curve.
        training_curve: its points, as plain dictionaries.
        validation_curve: its points, as plain dictionaries.
        recent: the weights of the last checkpoints, when their mean is the model.
        epoch: the pass over the data of the last update.
        checkpointed: the update of the last checkpoint.
        best: the weights of the best checkpoint, when it is the model.
        best_perplexity: on the validation data.
    """

    seconds: float = 0.0
    loop_seconds: float = 0.0
    target_words: int = 0
    since_point: list[tuple[float, float, float]] = field(default_factory=list)
    training_curve: list[dict[str, float]] = field(default_factory=list)
    validation_curve: list[dict[str, float]] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)
    epoch: int = 0
    checkpointed: int = 0
    best: str = ""
    best_perplexity: float = math.inf


@dataclass(frozen=True)
class Pass:
    """One pass over all training data.

    Attributes:
        updates: updates in it.
        pairs: training pairs, repetitions counted.
        skipped_pairs: pairs left out for their length.
    """

    updates: int
    pairs: int
    skipped_pairs: int
