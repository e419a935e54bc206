"""What is kept of a run beside its results (``run.json``): how it was made, and how its notebooks fared."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError

from artefacts.files import write_atomically
from artefacts.processor import cores_of_this_machine, gpus_of_this_machine, processor
from pseudogec.study import Study

RUN_FILE = "run.json"

PAGES = "site"
"""Folder of notebooks' pages and of what only pages need, within a folder of results."""

_PACKAGES = (
    "pseudogec",
    "torch",
    "fairseq",
    "errant",
    "spacy",
    "subword-nmt",
    "ctranslate2",
    "distributed",
    "pandas",
    "papermill",
)


class NotebookRun(BaseModel):
    """How the execution of a notebook went; ``error`` says in some lines where it failed."""

    seconds: float
    date: str
    error: str | None = None


class RunRecord(BaseModel):
    """How the results of a profile came about.

    Attributes:
        simulation: whether all corpora come from the embedded world.
        simulated: the corpora that do.
        noised: whether the training pairs are grammatical text with errors that a program made.
        settings: the complete profile as YAML.
        notebooks: of the profile, in their order; None for those that have not been run.
        seconds: the latest run took, which is short where the store held the artefacts.
        worker_seconds: that all artefacts behind the latest run's notebooks took, in any run, summed over workers.
        lost_records: artefacts among these whose time is not known.
    """

    profile: str
    description: str
    simulation: bool
    simulated: list[str] = []
    noised: bool = False
    seeds: list[int]
    settings: str
    notebooks: dict[str, NotebookRun | None]
    seconds: float
    worker_seconds: float
    lost_records: int = 0
    workers: int
    machine: dict[str, str]
    versions: dict[str, str]


def record_run(
    study: Study,
    runs: Mapping[str, NotebookRun],
    seconds: float,
    worker_seconds: float,
    lost_records: int = 0,
    nothing_new: bool = False,
) -> RunRecord:
    """Write the record of a run; other notebooks keep what an earlier run with the same settings said of them.

    A run with ``nothing_new``, which built nothing and changed no notebook, leaves the record of the run that did.
    """
    import yaml

    profile, earlier = study.profile, read_run(study.outputs)
    settings = yaml.safe_dump(profile.model_dump(mode="json", by_alias=True), sort_keys=False)
    before = earlier.notebooks if earlier and earlier.settings == settings else {}
    if earlier and nothing_new and all(map(before.get, runs)):
        return earlier
    record = RunRecord(
        profile=profile.name,
        description=profile.description,
        simulation=profile.simulation,
        simulated=profile.corpora.simulated,
        noised=profile.corpora.noised,
        seeds=list(study.profile.seeds),
        settings=settings,
        notebooks={name: runs.get(name) or before.get(name) for name in profile.notebooks},
        seconds=seconds,
        worker_seconds=worker_seconds,
        lost_records=lost_records,
        workers=study.engine.workers,
        machine=_machine(),
        versions={"Python": platform.python_version(), **{name: importlib.metadata.version(name) for name in _PACKAGES}},
    )
    with write_atomically(study.outputs / RUN_FILE) as stream:
        stream.write((record.model_dump_json(indent=1) + "\n").encode())
    return record


def read_run(outputs: Path) -> RunRecord | None:
    """The record in a folder of results; None where there is none, or one of another version of this program."""
    try:
        return RunRecord.model_validate_json((outputs / RUN_FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


def _machine() -> dict[str, str]:
    found = {
        "Processor": f"{processor()}, {cores_of_this_machine()} cores",
        "Memory": _memory(),
        "GPU": _gpus(),
        "System": f"{platform.system()}, {platform.machine()}",
    }
    return {what: said for what, said in found.items() if said}


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (ValueError, OSError, AttributeError):  # no Unix
        return ""


def _gpus() -> str:
    if not gpus_of_this_machine():  # torch takes seconds to import
        return "none"
    import torch

    return ", ".join(torch.cuda.get_device_name(place) for place in range(torch.cuda.device_count())) or "none"
