"""``run_all.py --check``: whether all that a profile needs is there, beside what the papers had."""

from __future__ import annotations

from pathlib import Path

from pseudogec.report.papers import PAPERS, paper_datasets
from pseudogec.study import PROJECT, Profile
from pseudogec.study.preflight import check, show


def run_check(
    profile: Profile, store: Path, *, count: bool = False, disk_needed: int | None = None, elsewhere: bool = False
) -> int:
    """Check a profile and print what was found.

    Args:
        profile: a checked profile; its files may be missing.
        store: the folder of artefacts.
        count: count the sentences also of large files.
        disk_needed: bytes that the study will write, where that is known.
        elsewhere: workers on other machines do the work.

    Returns:
        The exit status: 0, or 1 when something that the profile needs is missing.
    """
    published = {title: _sizes(source) for source, title in PAPERS.items()}
    found = check(profile, PROJECT, store=store, published=published, count=count, disk_needed=disk_needed, elsewhere=elsewhere)
    show(found)
    return 0 if found.ok else 1


def _sizes(source: str) -> dict[str, int]:
    """The sentences of each corpus in one paper's table."""
    table = paper_datasets(source)
    return dict(zip(table["dataset"].tolist(), table["sentences"].tolist(), strict=True))
