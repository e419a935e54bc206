"""``run_all.py --plan``: what a study will take, before it is begun."""

from __future__ import annotations

import sys

from pseudogec.artefacts import Estimator
from pseudogec.artefacts.plan import Plan, make_plan
from pseudogec.artefacts.processor import cores_of_this_machine, gpus_of_this_machine
from pseudogec.artefacts.progress import format_duration
from pseudogec.artefacts.recipe import Recipe
from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.study import Study
from pseudogec.study.planning import missing_files

_ASSUMED_GPUS = 8
_SECONDS_OF_START, _SECONDS_OF_NOTEBOOK = 8.0, 6.0
"""In which workers start and import what they need, and in which a core executes a notebook of
which nothing is to be built.
"""

_DOUBT = " (1x to 2x: until the store has records, the rate of a GPU is a guess)"


def plan_of(study: Study, targets: list[Recipe], notebooks: int) -> Plan:
    """Plan a run with so many notebooks on this machine if it is idle, or on another with GPUs if
    the profile needs some.
    """
    gpus = len(gpus_of_this_machine())
    possible = {"fp32", "auto", *(["bf16"] if computes_in_bf16() else [])}
    if not possible.issuperset(study.profile.precisions.values()):
        gpus = gpus or _ASSUMED_GPUS
    cores = max(cores_of_this_machine(), gpus)
    plan = make_plan(targets, study.store, Estimator(study.store), cores, gpus)
    return plan._replace(
        elapsed=plan.elapsed + _SECONDS_OF_START + _SECONDS_OF_NOTEBOOK * notebooks / cores
    )


def show_plan(study: Study, targets: list[Recipe], plan: Plan) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(
        width=None if sys.stdout.isatty() else 130, highlight=False, markup=False, soft_wrap=True
    )
    table = Table(
        title=f"{study.profile.name}: {study.profile.description}",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    table.add_column("artefacts")
    for column in ("in all", "done", "to do", "CPU hours", "GPU hours", "disk GB"):
        table.add_column(column, justify="right")
    in_all = [sum(column) for column in list(zip(*plan.totals, strict=True))[1:]]
    for kind, *counts, cpu_seconds, gpu_seconds, size in [*plan.totals, ("in all", *in_all)]:
        amounts = cpu_seconds / 3600, gpu_seconds / 3600, size / 1e9
        table.add_row(
            kind,
            *(f"{count:,}" for count in counts),
            *(f"{amount:,.2f}" if amount else "" for amount in amounts),
        )
    console.print(table)
    if not plan.longest_path:
        console.print("\nNothing is to be built.")
        return
    path = sum(seconds for _, seconds in plan.longest_path)
    console.print(
        f"\nWith the states of trainings that run at once, {plan.bytes / 1e9:,.1f} GB are written."
    )
    console.print(
        f"Longest path, which more machines cannot shorten: {format_duration(path)}, of which"
    )
    for recipe, seconds in plan.longest_path:
        console.print(f"    {format_duration(seconds):>12}  {recipe.kind} {recipe.label}")
    devices = (
        (f"{plan.gpus} GPUs and {plan.cores} CPU cores") if plan.gpus else f"{plan.cores} CPU cores"
    )
    console.print(
        f"On {devices} about {format_duration(plan.elapsed)}{_DOUBT if plan.gpus else ''}."
    )
    if missing := missing_files(targets):
        console.print(
            f"{len(missing)} files are missing; planned with expected sizes. --check names them."
        )
