"""The batch program: builds everything that a profile's notebooks need, then executes the
notebooks.
"""

from __future__ import annotations

import argparse
import io
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import indent

import pandas as pd

from pseudogec.artefacts import with_ancestors
from pseudogec.artefacts.errors import UserError, nearest
from pseudogec.artefacts.files import write_atomically
from pseudogec.artefacts.progress import format_duration
from pseudogec.artefacts.recipe import Recipe
from pseudogec.commands.plan import plan_of, show_plan
from pseudogec.commands.preflight import check, show, shown
from pseudogec.commands.program import add_study_options, run_program
from pseudogec.report.book import INDEX, Part, write_book
from pseudogec.seq2seq import compat
from pseudogec.study import PACK, PROJECT, YAML, BuildError, Study
from pseudogec.study.models import Training
from pseudogec.study.study import open_profile

_THREADS = "notebook"
"""How the names of the threads begin that execute notebooks."""


_DESCRIPTION = """\
Build what the notebooks of a profile need, execute them, and make a book of them. What is in the
store or in the profile's pack is not built again; a run that was stopped continues.

Examples: python run_all.py                            # the classroom: nothing is trained
          python run_all.py --profile smoke --only 01  # one notebook
          python run_all.py --profile learners --plan  # how long it would take"""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run_all.py",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--profile",
        default="classroom",
        help="a name from params/ or a YAML file (default: classroom)",
    )
    add(
        "--only",
        action="append",
        default=[],
        metavar="NN",
        help="only notebooks whose name starts so; may be repeated",
    )
    add(
        "--jobs",
        type=int,
        metavar="N",
        help="worker processes, and notebooks at a time (default: one a core)",
    )
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="use a running Dask scheduler, for example tcp://host:8786",
    )
    add_study_options(parser)
    add(
        "--check",
        action="store_true",
        help="only say which corpora, disk and GPUs are missing, and how to get them",
    )
    add(
        "--count",
        action="store_true",
        help="with --check: count the sentences of large corpora too",
    )
    add(
        "--plan",
        action="store_true",
        help="only say what the study will take: artefacts, hours, disk",
    )
    add(
        "--verify",
        action="store_true",
        help="first compare all files of the store with their digests; damaged artefacts go",
    )
    add(
        "--fresh",
        action="store_true",
        help="delete this profile's artefacts first and use no pack, so that all is trained",
    )
    add(
        "--course",
        action="store_true",
        help="for a class: without solutions of exercises, into outputs/PROFILE-course",
    )
    add(
        "--outputs", type=Path, metavar="FOLDER", help="where results go (default: outputs/PROFILE)"
    )
    add(
        "--notebooks",
        type=Path,
        metavar="FOLDER",
        default=PROJECT / "notebooks",
        help="source notebooks (default: notebooks)",
    )
    options = parser.parse_args(arguments)
    if (options.fresh or options.verify) and (options.check or options.plan):
        parser.error("--check and --plan only look ahead; --fresh and --verify change the store")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns 0 when all is well, 1 when something failed, or another status of
    `run_program`.
    """
    options = parse(arguments)
    again = "with PSEUDOGEC_PACKS=no and without --fresh" if options.fresh else "again"
    return run_program(lambda: _run(options), f"stopped; run the same command {again} to continue")


def _run(options: argparse.Namespace) -> int:
    study = Study.open(
        options.profile,
        options.overrides,
        store=options.store,
        scheduler=options.scheduler,
        workers=options.jobs,
        outputs=options.outputs,
        without_data=options.check or options.plan,
        packs=False if options.fresh else None,
    )
    if options.course and options.outputs is None:  # what the class gets is beside the teacher's
        study.outputs = study.outputs.with_name(f"{study.outputs.name}-course")
    notebooks = _select(study, options)
    if options.check or options.plan:
        return _look_ahead(study, notebooks, options)
    started = time.monotonic()
    try:
        # Before hours are spent on them
        (study.outputs / "notebooks").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--outputs {study.outputs}: {error.strerror}") from None
    with study.engine:
        built = _build(study, notebooks, options)
        executed = _execute(study, notebooks, options)
    if built and not options.only:
        _write_scores(study)
        study.write_pack(study.outputs / PACK)
    well = built and executed
    before = [
        Part.of(open_profile(name), PROJECT / "outputs" / name) for name in study.profile.book
    ]
    book = write_book(Part.of(study.profile, study.outputs), before)
    print(
        f"{'done' if well else 'failed':8}{shown(book)}   "
        f"{format_duration(time.monotonic() - started)}"
    )
    return 0 if well else 1


def _look_ahead(study: Study, notebooks: Sequence[str], options: argparse.Namespace) -> int:
    """Print what the study needs and how long it takes; returns 0, or 1 if something that it needs
    is missing.
    """
    targets = study.targets(notebooks)
    _check_settings(study, targets)
    plan = plan_of(study, targets, len(notebooks))
    if options.plan:
        show_plan(study, targets, plan)
    if not options.check:
        return 0
    elsewhere = options.scheduler is not None or study.profile.cluster is not None
    return show(
        study.profile.name,
        check(study.profile, study.store.root, options.count, int(plan.bytes), elsewhere),
    )


def _check_settings(study: Study, targets: Sequence[Recipe]) -> None:
    """Raise UserError for settings that would fail only when corpora are built and models
    trained.
    """
    profile = study.profile
    for name in filter(None, (profile.predicted_by, *profile.judged_with, *profile.book)):
        open_profile(name)
    if profile.cluster is not None:
        profile.cluster.deployment_class()
    trainings = (recipe for recipe in study.stock(targets).to_build if isinstance(recipe, Training))
    for arguments in {tuple(training.architecture.fairseq_arguments()) for training in trainings}:
        compat.configuration(["data", *arguments])


def _select(study: Study, options: argparse.Namespace) -> list[str]:
    names, only = list(study.profile.notebooks), options.only
    if not names:
        raise UserError(
            f"profile {study.profile.name}: `notebooks` names none, so there is nothing to run"
        )
    for prefix in only:
        if not any(name.startswith(prefix) for name in names):
            raise UserError(
                f"--only {prefix}: profile {study.profile.name} has no such "
                f"notebook{nearest(prefix, names)}"
            )
    selected = [
        name for name in names if not only or any(name.startswith(prefix) for prefix in only)
    ]
    for name in selected:
        if not (options.notebooks / f"{name}.ipynb").is_file():
            known = [path.stem for path in options.notebooks.glob("*.ipynb")]
            raise UserError(
                f"profile {study.profile.name}: notebooks.{name}: there is no such "
                f"notebook{nearest(name, known)}"
            )
    return selected


def _build(study: Study, notebooks: Sequence[str], options: argparse.Namespace) -> bool:
    """Build what the notebooks need, after removing what is damaged or, for a fresh run, all;
    returns whether all was built.
    """
    targets = study.targets(notebooks)
    every = with_ancestors(targets)
    removed: Sequence[Recipe] = ()
    if options.verify:
        damages = study.store.verify(every)
        print("".join(f"damaged {damage}\n" for damage in damages), end="")
        removed = list(dict.fromkeys(damage.recipe for damage in damages))
    elif options.fresh:
        study.engine.connect()  # nothing is deleted if no worker is there to build it again
        removed = every
    for recipe in removed:
        study.store.remove(recipe)
    _check_settings(study, targets)
    stock = study.stock([*targets, *removed])  # even if no missing artefact needs a damaged one
    print(f"{study.profile.name}   {len(notebooks)} notebooks, {stock}")
    started = time.monotonic()
    try:
        study.build([*targets, *removed])
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return False
    if stock.to_build:
        print(
            f"built   {len(stock.to_build)} artefacts in "
            f"{format_duration(time.monotonic() - started)}"
        )
    return True


def _execute(study: Study, notebooks: Sequence[str], options: argparse.Namespace) -> bool:
    """Execute the notebooks, then the front page, which shows their results; returns whether all
    ran to their end.
    """
    from pseudogec.commands.execute_notebook import CellError, execute, kill_kernels

    folder = study.outputs / "notebooks"
    profile = Path(options.profile)
    # Notebooks run in a folder of their own, where a relative path would name another file.
    name_or_path = str(profile.absolute()) if profile.suffix in YAML else options.profile
    parameters = {"profile": name_or_path, "overrides": options.overrides}
    environment = {
        "PSEUDOGEC_STORE": str(study.store.root),
        "PSEUDOGEC_OUTPUTS": str(study.outputs),
        # Or the debugger warns in every notebook that it is not in use
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    if options.fresh:
        environment["PSEUDOGEC_PACKS"] = "no"
    if study.engine.address:
        environment["PSEUDOGEC_SCHEDULER"] = study.engine.address

    def run(name: str) -> bool:
        started, source = time.monotonic(), options.notebooks / f"{name}.ipynb"
        try:
            execute(source, folder / source.name, parameters, environment, options.course)
        except Exception as error:  # whatever stops one notebook, the others go on
            reason = (
                str(error) if isinstance(error, CellError | UserError) else traceback.format_exc()
            )
            where = f" -> {shown(folder / source.name)}" if (folder / source.name).exists() else ""
            print(f"notebook {name}   FAILED{where}\n{indent(reason, '    ')}", file=sys.stderr)
            return False
        print(
            f"notebook {name}   done in {format_duration(time.monotonic() - started)} -> "
            f"{shown(folder / source.name)}"
        )
        return True

    pool = ThreadPoolExecutor(study.engine.workers, thread_name_prefix=_THREADS)
    try:
        well = all(list(pool.map(run, notebooks)))
        if (options.notebooks / f"{INDEX}.ipynb").is_file():
            well = pool.submit(run, INDEX).result() and well
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        while any(thread.name.startswith(_THREADS) for thread in threading.enumerate()):
            # The threads wait for them; more than once, since a thread may be about to start one
            kill_kernels()
            time.sleep(0.2)
        raise
    finally:
        pool.shutdown()
    return well


def _write_scores(study: Study) -> None:
    """The tidy scores of all systems that the profile's notebooks show, by level and error type
    too, as one Parquet file.
    """
    names = dict.fromkeys(name for listed in study.profile.notebooks.values() for name in listed)
    listed = (
        [*(study.comparison(name) if name in study.profile.comparisons else study.grid(name))]
        for name in names
    )
    every = dict.fromkeys(
        system for compared in listed for system in study.with_simple_systems(compared)
    )
    systems = [system for system in every if study.planner.corrects(system, study.test)]
    parts = [
        study.scores(systems, by) for by in (None, "level", "error_type", "level_and_error_type")
    ]
    written = io.BytesIO()
    pd.concat(parts, ignore_index=True).to_parquet(written, index=False)
    with write_atomically(study.outputs / "scores.parquet") as stream:
        stream.write(written.getvalue())
