"""``run_all.py --plan``: what a study will take, before it is begun."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

from artefacts import Estimator, Machine, load_machine
from artefacts.cluster import cores_of_this_machine, gpus_of_this_machine
from artefacts.errors import UserError
from artefacts.plan import Plan, make_plan
from artefacts.progress import format_duration
from artefacts.recipe import Recipe
from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.study import Study
from pseudogec.study.planning import missing_files
from pseudogec.study.profile import Profile

ASSUMED_GPUS = 8
"""Number of GPUs for the plan of a study that needs some, on a machine without GPUs."""


_SECONDS_OF_START, _SECONDS_OF_NOTEBOOK = 8.0, 6.0
"""In which workers start and import what they need, and in which a core executes a notebook of which nothing is to be built."""


def in_a_run(build: float, measured: float, *, workers: int, notebooks: int) -> float:
    """Seconds of a run on this machine, if other programs go on as they do now.

    Args:
        build: seconds of the build.
        measured: the share of these that the store has measured, among other programs; guesses are for idle cores.
        workers: at work at a time.
        notebooks: how many are executed.
    """
    busy = 1 + os.getloadavg()[0] / cores_of_this_machine()
    idle = _SECONDS_OF_START + build * (1 - measured) + _SECONDS_OF_NOTEBOOK * notebooks / workers
    return busy * idle + build * measured


def plan_of(study: Study, targets: list[Recipe], machine_file: Path | None) -> Plan:
    """Plan a study on a machine.

    Args:
        study: opened with or without its data.
        targets: the wanted recipes.
        machine_file: the machine's description; without one, this machine.

    Raises:
        UserError: the description is wrong, or has no GPU while the profile computes in a precision that needs one.
    """
    machine = load_machine(machine_file) if machine_file else Machine()  # type: ignore[call-arg]  # pydantic fills the defaults
    gpus = len(gpus_of_this_machine()) if machine.gpus is None else machine.gpus
    if not gpus and (precision := _precision_of_gpus(study.profile)):
        if machine.gpus == 0:
            raise UserError(
                f"{machine_file}: gpus: 0, and profile {study.profile.name} computes in {precision}, which needs a GPU"
            )
        gpus = ASSUMED_GPUS
    cores = machine.cores or max(cores_of_this_machine(), gpus)
    return make_plan(targets, study.store, Estimator(study.store, machine), cores, gpus)


def show_plan(study: Study, targets: list[Recipe], plan: Plan, notebooks: int, here: bool, stream: IO[str] | None = None) -> None:
    """Print a plan of a run with so many notebooks, ``here`` or on the described machine, which has no other programs."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    stream = stream or sys.stdout
    console = Console(file=stream, width=None if stream.isatty() else 130, highlight=False, markup=False, soft_wrap=True)
    title = Text(f"{study.profile.name}: {study.profile.description}")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("artefacts")
    for column in ("in all", "done", "to do", "shared", "CPU hours", "GPU hours", "disk GB"):
        table.add_column(column, justify="right")
    for kind in plan.kinds:
        numbers = [kind.artefacts, kind.done, kind.to_do, kind.shared]
        table.add_row(
            kind.kind, *(f"{number:,}" for number in numbers), *_amounts(kind.cpu_seconds, kind.gpu_seconds, kind.bytes)
        )
    counts = [sum(getattr(kind, name) for kind in plan.kinds) for name in ("artefacts", "done", "to_do", "shared")]
    table.add_row("in all", *(f"{count:,}" for count in counts), *_amounts(plan.cpu_seconds, plan.gpu_seconds, plan.bytes))
    console.print(table)
    elapsed = in_a_run(plan.elapsed, plan.measured, workers=plan.cores, notebooks=notebooks) if here else plan.elapsed
    for line in _conclusions(plan, targets, elapsed):
        console.print(line)


def _amounts(cpu_seconds: float, gpu_seconds: float, size: float) -> list[str]:
    return [_rounded(cpu_seconds / 3600), _rounded(gpu_seconds / 3600), _rounded(size / 1e9)]


def _rounded(amount: float) -> str:
    """A number with as many digits as an estimate has."""
    return "" if amount == 0 else f"{amount:,.0f}" if amount >= 10 else f"{amount:.1f}" if amount >= 0.1 else "<0.1"


def _conclusions(plan: Plan, targets: list[Recipe], elapsed: float) -> list[str]:
    lines = [f"\nDisk includes {plan.bytes_at_work / 1e9:,.1f} GB for the states of trainings that run at once."]
    if not plan.longest_path:
        return ["\nNothing is to be built."]
    lines.append(f"Longest path, which more machines cannot shorten: {format_duration(plan.path_seconds)}, of which")
    lines += [f"    {format_duration(stage.seconds):>12}  {stage.kind} {stage.label}" for stage in plan.longest_path]
    devices = f"{plan.gpus} GPUs and {plan.cores} CPU cores" if plan.gpus else f"{plan.cores} CPU cores"
    lines.append(f"On {devices} about {format_duration(elapsed)}.")
    lines.append(
        f"{plan.measured:.0%} of the time comes from measurements in this store, the rest from the machine's rates (--machine)."
    )
    missing = missing_files(targets)
    if missing:
        shown = ", ".join(path.name for path in missing[:3]) + (", ..." if len(missing) > 3 else "")
        lines.append(
            f"{len(missing)} files are missing ({shown}); planned with their expected sizes. --check says where to get them."
        )
    return lines


def _precision_of_gpus(profile: Profile) -> str:
    """A precision that the profile asks for and this machine's processor cannot compute in; empty if there is none."""
    possible = {"fp32", "auto", *(["bf16"] if computes_in_bf16() else [])}
    return next((precision for precision in profile.precisions.values() if precision not in possible), "")
