"""The settings of a profile as a table: what is trained on, stage by stage, and how."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pseudogec.seq2seq.options import Optimisation
from pseudogec.study.profile import Profile, StageOfTraining

if TYPE_CHECKING:
    import pandas as pd


def stages_table(profile: Profile, settings: Iterable[str] | None = None) -> pd.DataFrame:
    """One row for each stage of training.

    Args:
        profile: the study's profile.
        settings: which settings; all by default.

    Returns:
        Columns setting, stage (from 1), trained on, optimiser, learning rate, length (updates or epochs), batch (most pieces an
        update), kept (which weights are the stage's model).
    """
    import pandas as pd

    rows = []
    for setting in profile.settings if settings is None else settings:
        for number, stage in enumerate(profile.stages(setting), start=1):
            optimisation = profile.optimisations[stage.optimisation]
            rows.append(
                {
                    "setting": setting,
                    "stage": number,
                    "trained on": _data(stage),
                    "optimiser": optimisation.optimiser,
                    "learning rate": f"{optimisation.learning_rate:g}",
                    "length": _length(optimisation),
                    "batch": optimisation.max_tokens * optimisation.update_frequency,
                    "kept": _kept(optimisation),
                }
            )
    return pd.DataFrame(rows)


def _data(stage: StageOfTraining) -> str:
    names = [part if isinstance(part, str) else f"{part.pseudo_pairs:,} of {part.method}" for part in stage.data]
    repeated = f"{names[0]}, repeated" if stage.upsample else names[0]
    return " + ".join([repeated, *names[1:]])


def _length(optimisation: Optimisation) -> str:
    lengths = [(optimisation.epochs, "epoch"), (optimisation.updates, "update")]
    shown = [f"{count:,} {unit}{'s' if count > 1 else ''}" for count, unit in lengths if count is not None]
    return " or ".join(shown)


def _kept(optimisation: Optimisation) -> str:
    if optimisation.selection == "best":
        return "best on validation"
    last = optimisation.selection.average_last
    return "last" if last == 1 else f"mean of the last {last}"
