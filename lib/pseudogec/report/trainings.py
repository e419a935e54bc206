"""The trainings of a study: their stages, lengths and learning curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from pseudogec.seq2seq.options import Optimisation
from pseudogec.study import Profile, Study, System
from pseudogec.study.models import SUBWORDS_A_SENTENCE, BinarisedPairs, TrainedModel
from pseudogec.study.profile import StageOfTraining
from pseudogec.study.pseudo_data import PseudoData


def stages_table(profile: Profile, settings: Iterable[str] | None = None) -> pd.DataFrame:
    """One row for each stage of training, of all settings by default.

    Returns:
        Columns setting, stage (from 1), trained on, optimiser, learning rate, length (updates or
        epochs), batch (most subwords an update), kept (which weights are the stage's model).
    """
    rows = []
    for setting in profile.settings if settings is None else settings:
        for number, stage in enumerate(profile.stages(setting), start=1):
            optimisation = profile.optimisation_of(stage.optimisation)
            lengths = [(optimisation.epochs, "epoch"), (optimisation.updates, "update")]
            length = [
                f"{count:,} {unit}{'s' if count > 1 else ''}"
                for count, unit in lengths
                if count is not None
            ]
            rows.append(
                {
                    "setting": setting,
                    "stage": number,
                    "trained on": _data(stage),
                    "optimiser": optimisation.optimiser,
                    "learning rate": f"{optimisation.learning_rate:g}",
                    "length": " or ".join(length),
                    "batch": optimisation.max_tokens * optimisation.update_frequency,
                    "kept": _kept(optimisation),
                }
            )
    return pd.DataFrame(rows)


def _data(stage: StageOfTraining) -> str:
    names = [
        part if isinstance(part, str) else f"{part.pseudo_pairs:,} of {part.method}"
        for part in stage.data
    ]
    repeated = f"{names[0]}, repeated" if stage.upsample else names[0]
    return " + ".join([repeated, *names[1:]])


def _kept(optimisation: Optimisation) -> str:
    if optimisation.selection == "best":
        return "best on validation"
    last = optimisation.selection.average_last
    return "last" if last == 1 else f"mean of the last {last}"


EQUAL_BUDGETS = (
    "Trainings are comparable if they pass over the genuine data equally often and, with equally "
    "many pseudo pairs, have "
    "equally many updates, or, where a record is lost, read equally many pairs; all within a "
    "quarter. Settings such as JOINT and "
    "PRETRAIN are compared at equal passes; if their updates differ, both numbers are given."
)


@dataclass(frozen=True)
class Budget:
    """The length of a system's training."""

    updates: tuple[int, ...]  # of each stage; none if a record is lost
    passes: float  # over the genuine pairs, in all stages
    pseudo_pairs: int  # in all stages
    pairs_read: float  # in all passes of all stages, as the recipes foresee

    def other_passes(self, other: Budget) -> str:
        """Both numbers of passes over the genuine data if they are far apart; else nothing."""
        apart = _far_apart(self.passes, other.passes)
        return (
            (f"{self.passes:.1f} passes over the genuine data against {other.passes:.1f}")
            if apart
            else ""
        )

    def other_updates(self, other: Budget) -> str:
        """Both numbers of updates if they are far apart; else nothing.

        More pseudo pairs mean more updates at equal passes. If their amount is compared, this does
        not count as another budget.
        """
        if self.pseudo_pairs != other.pseudo_pairs:
            return ""
        ours, theirs, counted = sum(self.updates), sum(other.updates), "updates"
        if not (self.updates and other.updates):
            ours, theirs, counted = round(self.pairs_read), round(other.pairs_read), "pairs read"
        return f"{ours:,} {counted} against {theirs:,}" if _far_apart(ours, theirs) else ""


def _far_apart(one: float, other: float) -> bool:
    return max(one, other) > 1.25 * min(one, other)


def budget(study: Study, system: System) -> Budget:
    """The length of a system's training, from the records of its stages, which are built if
    missing.

    If a record is lost, passes follow from the recipes, and the number of updates is not known.
    """
    stages, lost = _stages(study, system), _lost(study, system)
    trainings = [_training(study, stage, lost) for stage in stages]
    updates = () if lost else tuple(training.facts["updates"] for training in trainings)
    genuine = max(training.genuine for training in trainings)
    passes = sum(training.seen for training in trainings) / genuine if genuine else 0.0
    return Budget(
        updates,
        passes,
        sum(training.pseudo for training in trainings),
        sum(map(_pairs_read, stages)),
    )


def budget_of_seeds(study: Study, seeds: Sequence[System]) -> Budget:
    """The budget of the first seed whose records are there, or of the first seed if all are
    lost.
    """
    budgets = (budget(study, system) for system in seeds)
    first = next(budgets)
    return first if first.updates else next((later for later in budgets if later.updates), first)


def inequality(one: Budget, other: Budget, of_settings: bool = False) -> dict[str, Any]:
    """Why two trainings are not comparable, and what else differs, as attributes of a contrast.

    Args:
        of_settings: whether they differ in the setting, a part of which is how many updates it
            takes.
    """
    updates = one.other_updates(other)
    return {
        "unequal": one.other_passes(other) or ("" if of_settings else updates),
        "caveat": updates,
    }


class _Training(NamedTuple):
    """A stage: the training's report (empty if it is lost), genuine pairs that it saw and that
    exist, and pseudo pairs.
    """

    facts: dict[str, Any]
    seen: float
    genuine: int
    pseudo: int


def _stages(study: Study, system: System) -> list[TrainedModel]:
    """The stages of a system's training, first to last."""
    stages = [study.planner.model(system)]
    while (before := stages[0].initial) is not None:
        stages.insert(0, before)
    return stages


def _lost(study: Study, system: System) -> bool:
    """Whether the system has its scores, but a record of its training is lost: hours of training
    are not repeated for it.
    """
    if not study.store.can_read(study.planner.score(system, study.test)):
        return False
    return not all(
        study.store.can_read(recipe)
        for stage in _stages(study, system)
        for recipe in (stage, *stage.data)
    )


def _training(study: Study, stage: TrainedModel, lost: bool = False) -> _Training:
    """A stage by its records or, where one is lost, by its recipe and the sizes of corpora."""
    # How many times an epoch contains each of the data
    repeats = [stage.upsample, *(1 for _ in stage.data[1:])]
    facts: dict[str, Any] = {}
    if lost:
        pairs, epochs = (
            [int(data.work) for data in stage.data],
            _pairs_read(stage) / stage.sentences,
        )
    else:
        facts, sizes = study.result(stage), [study.result(data) for data in stage.data]
        pairs = [size["pairs"] for size in sizes]
        epochs = facts["target_words"] / sum(
            times * size["tokens"]["trg"] for times, size in zip(repeats, sizes, strict=True)
        )
    seen, genuine, pseudo = 0.0, 0, 0
    for data, times, size in zip(stage.data, repeats, pairs, strict=True):
        if isinstance(data, PseudoData):
            pseudo += size
        elif isinstance(data, BinarisedPairs) and data.arrangement == "correct":
            seen += times * size * epochs
            genuine = max(genuine, size)
    return _Training(facts, seen, genuine, pseudo)


def _pairs_read(stage: TrainedModel) -> float:
    """As its recipe foresees; an estimate for a stage that ends by updates."""
    return stage.work * stage.optimisation.batch / SUBWORDS_A_SENTENCE


def learning_curves(study: Study, systems: Iterable[System]) -> pd.DataFrame:
    """Validation losses during systems' trainings, without lost records and the stage of copying,
    which all systems share.

    Returns:
        One row for each point: ``system``, ``method``, ``setting``, ``pseudo_pairs``,
        ``architecture``, ``seed``; ``stage`` (from 1); ``update`` and ``passes`` over the genuine
        data, both counted through all stages; ``loss``, in bits per subword.
    """
    choices = ["system", "method", "setting", "pseudo_pairs", "architecture", "seed"]
    rows = []
    for system in systems:
        if _lost(study, system):
            continue
        chosen = [system.choices[name] for name in choices]
        stages = _stages(study, system)
        copying = {
            stage
            for stage in stages
            if all(getattr(data, "arrangement", "") == "copy" for data in stage.data)
        }
        records = [_training(study, stage) for stage in stages if stage not in copying]
        genuine = max(record.genuine for record in records)
        updates, seen = 0, 0.0
        for number, record in enumerate(records, start=1):
            for point in record.facts["validation_curve"]:
                passed = seen + record.seen * point["update"] / record.facts["updates"]
                place = (number, updates + point["update"], passed / genuine if genuine else 0.0)
                rows.append((*chosen, *place, point["nll_loss"]))
            updates, seen = updates + record.facts["updates"], seen + record.seen
    return pd.DataFrame(rows, columns=[*choices, "stage", "update", "passes", "loss"])
