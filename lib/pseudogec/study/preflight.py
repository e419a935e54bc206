"""What is missing for a study, known before hours are spent: corpora, models, disk, GPUs, packages.

Nothing is built or planned here: a profile is enough, and any of its files may be missing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

from pseudogec.study.preflight_corpora import Published, corpus_rows
from pseudogec.study.preflight_machine import machine_rows, software_rows
from pseudogec.study.preflight_rows import Preflight
from pseudogec.study.profile import Profile
from pseudogec.study.profile_files import hugging_face_models

_STYLES = {"ok": "green", "note": "yellow", "missing": "bold red"}


def check(
    profile: Profile,
    root: Path,
    *,
    store: Path,
    published: Published,
    count: bool = False,
    disk_needed: int | None = None,
    elsewhere: bool = False,
) -> Preflight:
    """Check that what a profile needs is there, and whether it is what the papers had.

    Args:
        profile: a checked profile.
        root: the project's root, which the profile's data folder is relative to.
        store: the folder of artefacts, whose disk must hold what is built; it need not exist.
        published: what papers print of their corpora: paper -> corpus -> sentences.
        count: count the sentences also of large files, and of those that must be split or parsed for it.
        disk_needed: bytes that the study will write, where that is known.
        elsewhere: workers on other machines do the work (``--scheduler``), so that this one's GPUs do not matter; a profile's own
            section ``cluster`` says the same.
    """
    rows = [*corpus_rows(profile, root / profile.data_folder, published, count)]
    rows += machine_rows(profile, store, disk_needed, elsewhere or profile.cluster is not None)
    rows += software_rows(profile, hugging_face_models(profile))
    return Preflight(profile.name, tuple(rows))


def show(preflight: Preflight, stream: IO[str] | None = None) -> None:
    """Print a preflight: a table of what was found, then what would mend each problem.

    Args:
        preflight: from :func:`check`.
        stream: where to; standard output by default.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # A pipe or log file gets lines of a width that nothing cuts.
    console = Console(file=stream, width=None if (stream or sys.stdout).isatty() else 160, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("", "for", "what", "found"):
        table.add_column(heading, overflow="fold")
    for row in preflight.rows:
        table.add_row(Text(row.state, style=_STYLES[row.state]), Text(row.part), Text(row.item), Text(row.finding))
    console.print(table)
    remedies: dict[tuple[str, str], list[str]] = {}
    for row in preflight.rows:
        if row.remedy:
            remedies.setdefault((row.state, row.remedy), []).append(row.item)
    for (state, remedy), items in remedies.items():
        title = Text("to mend" if state == "missing" else "to know", style=_STYLES[state])
        console.print("\n", title, "  ", ", ".join(dict.fromkeys(items)), sep="", soft_wrap=True, markup=False)
        for line in remedy.splitlines():
            console.print(f"  {line}", soft_wrap=True, markup=False)
    counts = f"{len(preflight.problems)} missing" if preflight.problems else "nothing is missing"
    console.print(f"\n{preflight.profile}   {len(preflight.rows)} checks, {counts}", markup=False)
