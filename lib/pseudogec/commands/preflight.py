"""``run_all.py --check``: whether everything that a profile needs is there, and whether it agrees
with the papers' data.

Nothing is built or planned, and any of the profile's files may be missing.
"""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from rich.filesize import decimal

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import digest_file
from pseudogec.corpora import (
    Count,
    FileFormat,
    FilePairs,
    KnownFile,
    Whole,
    load_catalogue,
    matching,
)
from pseudogec.edits import annotator_signature
from pseudogec.languages import Language
from pseudogec.noise import NoisedText
from pseudogec.report.papers import PAPERS, paper_datasets
from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.study import PROJECT, Profile
from pseudogec.study.profile import all_steps

State = Literal["ok", "note", "missing", "wrong"]
"""There; there, with a remark; missing or unusable, so that the study would fail."""

COUNTED_AT_MOST = {True: 10**9, False: 10**6}
"""Bytes of a part's files up to which its sentences are counted unasked, by its format's
``quickly_counted``.
"""

_READ_FIRST = 10  # sentences of each corpus that are read in every check
_PACKAGES = ("torch", "fairseq", "ctranslate2", "errant", "spacy")


class Row(NamedTuple):
    """One thing that a study needs.

    Attributes:
        part: the part of the profile that needs it: parts of its corpora, or ``machine`` and
            ``software``.
        item: a file, a device, a package.
        remedy: instructions; empty if nothing need be done.
    """

    part: str
    item: str
    state: State
    finding: str
    remedy: str = ""

    @property
    def fails(self) -> bool:
        return self.state in ("missing", "wrong")


def check(
    profile: Profile,
    store: Path,
    count: bool = False,
    disk_needed: int | None = None,
    elsewhere: bool = False,
) -> list[Row]:
    """Check that everything a profile needs is there, and whether it agrees with the papers' data.

    Args:
        store: the folder of artefacts, whose disk must hold what is built; it need not exist.
        count: count also sentences whose count takes long.
        disk_needed: bytes that the study will write, where that is known.
        elsewhere: workers on other machines do the work, so that this one's GPUs do not matter.
    """
    return [
        *_corpus_rows(profile, PROJECT / profile.data_folder, count),
        _disk_row(store, disk_needed),
        _gpu_row(profile, elsewhere),
        _package_row(),
        _annotator_row(profile),
    ]


def show(name: str, rows: Sequence[Row]) -> int:
    """Print a table of the findings for a profile, then the remedy of each problem; returns 1 if
    there is one, else 0.
    """
    from rich.console import Console
    from rich.table import Table

    # A pipe or log file gets lines of unlimited width.
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False, markup=False)
    table = Table("", "for", "what", "found", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row.state, row.part, row.item, row.finding)
    console.print(table)
    remedies: dict[tuple[bool, str], list[str]] = {}
    for row in rows:
        if row.remedy:
            remedies.setdefault((row.fails, row.remedy), []).append(row.item)
    for (fails, remedy), items in remedies.items():
        paragraph = "\n  ".join(
            [
                f"{'to mend' if fails else 'to know'}  {', '.join(dict.fromkeys(items))}",
                *remedy.splitlines(),
            ]
        )
        console.print(f"\n{paragraph}", soft_wrap=True)
    failed = sum(row.fails for row in rows)
    console.print(f"\n{name}   {len(rows)} checks, {failed or 'nothing'} missing or wrong")
    return int(failed > 0)


def shown(path: Path) -> str:
    """A path for readers, relative to the working folder if it is below it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def corpus_files(profile: Profile) -> dict[str, FileFormat]:
    """The corpora that a profile reads from files, by their place in it, such as
    ``seeds.simple``.
    """
    tracks = {
        f"tracks.{name}.{part}": pairs
        for name, track in profile.tracks.items()
        for part, pairs in track.corpora.items()
    }
    parts = {**profile.corpora.parts, **tracks}
    return {name: corpus for name, corpus in parts.items() if isinstance(corpus, FileFormat)}


def other_files(profile: Profile) -> dict[str, list[Path]]:
    """The files of a profile's language, and those that the systems of its notebooks read, by their
    place in it.
    """
    listed = dict.fromkeys(name for names in profile.notebooks.values() for name in names)
    systems = dict.fromkeys(
        system for name in listed for system in profile.comparisons.get(name, ())
    )
    of_systems = {
        f"systems.{name}": [file for step in all_steps(profile, name) for file in step.files]
        for name in systems
    }
    return {"language": list(profile.language.files), **of_systems}


# Corpora: files, versions, sentences against the papers' counts


def _corpus_rows(profile: Profile, folder: Path, count_all: bool) -> Iterator[Row]:
    """A row for each file or pattern; then for each part of the corpora, each file of a system."""
    parts = corpus_files(profile)
    if not parts:
        yield Row("corpora", "simulation", "ok", "a part of the project; nothing is to be fetched")
    read = {
        name: [file.path for file in corpus.files] for name, corpus in parts.items()
    } | other_files(profile)
    users: dict[Path, list[str]] = {}
    for name, path in dict.fromkeys((name, path) for name, paths in read.items() for path in paths):
        users.setdefault(path, []).append(name)
    for path, names in users.items():
        yield _file_row(folder, path, ", ".join(names), f"make data PROFILE={profile.name}")
    for name, corpus in parts.items():
        yield _part_row(folder, name, corpus, count_all, profile.language)


def _file_row(folder: Path, path: Path, part: str, command: str) -> Row:
    """The size of a file or of the files of a pattern, and which version of the file this is; or
    how to get it.
    """
    known = load_catalogue().find(path)
    if matches := matching(folder, path):
        size = decimal(sum(file.stat().st_size for file in matches))
        state, about = (
            _version(matches[0], known[1] if known else None)
            if len(matches) == 1
            else ("ok", f"{len(matches)} files")
        )
        return Row(part, str(path), state, f"{size}, {about}")
    if known is None:
        return Row(
            part,
            str(path),
            "missing",
            "not found",
            f"put a file of your own at {shown(folder / path)}",
        )
    corpus, file = known
    finding = f"not found; {file.sentences:,} sentences" if file.sentences else "not found"
    needed = (corpus, *(load_catalogue().corpora[source] for source in corpus.made_from))
    ways = [f"{each.title}: {each.how_to_get(command)}" for each in needed]
    return Row(
        part, str(path), "missing", finding, "\n".join([*ways, f"Data folder: {shown(folder)}"])
    )


def _version(path: Path, known: KnownFile | None) -> tuple[State, str]:
    """Whether a file is the version that the papers used."""
    if known is None:
        return "ok", "a file of your own"
    if known.sha256 is None and not known.others:
        return "ok", "no digest is known"
    digest = digest_file(path)
    if digest in known.others:
        return "note", f"another version: {known.others[digest]}"
    if known.sha256 in (None, digest):
        return "ok", "digest right" if known.sha256 else "no digest of the papers' version is known"
    return "note", f"not the papers' version: SHA-256 {digest[:12]}..."


def _part_row(
    folder: Path, part: str, corpus: FileFormat, count_all: bool, language: Language
) -> Row:
    """The number of sentences of a part, beside that of the papers."""
    whole = (
        None
        if any(file.cuts for file in corpus.files)
        else load_catalogue().whole([file.path for file in corpus.files])
    )
    published = _published(whole)
    printed = [f"{paper}: {value:,}" for paper, value in published.items()]
    if not all(matching(folder, file.path) for file in corpus.files):
        return Row(part, "sentences", "note", "; ".join(["files are missing", *printed]))
    try:
        counts = _count(corpus, folder, count_all, language)
    except UserError as error:
        return Row(part, "sentences", "wrong", str(error), "correct the file, or replace it")
    if counts is None:
        return Row(
            part,
            "sentences",
            "note",
            "; ".join(["not counted", *printed]),
            "--count counts them, by reading them all",
        )
    if not counts.sentences:
        return Row(part, "sentences", "wrong", "none", "put a corpus with sentences in their place")
    # Which makes the errors itself
    is_pairs = isinstance(corpus, FilePairs) and not isinstance(corpus, NoisedText)
    if is_pairs and not counts.corrected and not part.startswith("tests."):
        remedy = (
            "give pairs in which errors are corrected; if the file has them, name its format "
            "and annotator"
        )
        return Row(part, "sentences", "wrong", f"0 corrected of {counts.sentences:,}", remedy)
    sentences = (
        counts.corrected if whole is not None and whole.counted == "corrected" else counts.sentences
    )
    finding = (
        (f"{counts.corrected:,} corrected of {counts.sentences:,}")
        if is_pairs
        else f"{counts.sentences:,}"
    )
    finding += f"; {counts.left_out:,} with an empty side are left out" if counts.left_out else ""
    if isinstance(corpus, FilePairs) and corpus.sentences is not None:
        sentences, finding = corpus.sentences, f"{corpus.sentences:,} drawn of {counts.sentences:,}"
        if sentences > counts.sentences:
            return Row(
                part,
                "sentences",
                "missing",
                finding,
                "give the part more files, or lower its `sentences`",
            )
    if whole is None or not published:
        return Row(part, "sentences", "ok", finding)
    paper, value = min(published.items(), key=lambda item: abs(item[1] - sentences))
    # Choe et al. round to three figures.
    if abs(sentences - value) <= (0.005 * value if value % 100 == 0 else 0):
        return Row(part, "sentences", "ok", f"{finding}; as in {paper}")
    hint = f" ({whole.hint})" if whole.hint else ""
    return Row(
        part,
        "sentences",
        "note",
        f"{finding}; {paper}: {value:,}, difference {sentences - value:+,}{hint}",
    )


def _count(corpus: FileFormat, folder: Path, count_all: bool, language: Language) -> Count | None:
    """The sentences of a corpus; none where counting them takes long, unless all are to be
    counted.
    """
    located = corpus.located(
        lambda file: [
            file.model_copy(update={"path": path}) for path in matching(folder, file.path)
        ],
        language,
    )
    list(islice(located.checked(), _READ_FIRST))
    size = sum(file.path.stat().st_size for file in located.files)
    return located.count() if count_all or size <= COUNTED_AT_MOST[corpus.quickly_counted] else None


def _published(whole: Whole | None) -> dict[str, int]:
    """The size of a corpus by the papers that print it, equal ones once."""
    sizes: dict[str, int] = {}
    for source, paper in PAPERS.items() if whole else ():
        printed = paper_datasets(source).set_index("dataset").sentences.to_dict()
        if whole and whole.published.keys() <= printed.keys():
            value = int(sum(times * printed[name] for name, times in whole.published.items()))
            if value not in sizes.values():
                sizes[paper] = value
    return sizes


# The machine and its software


def _disk_row(store: Path, needed: int | None) -> Row:
    place = next(folder for folder in (store, *store.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    finding = (f"{decimal(free)} free at {shown(place)}") + (
        "" if needed is None else f"; about {decimal(needed)} are needed"
    )
    if (needed or 0) > free:
        return Row(
            "machine",
            "disk",
            "missing",
            finding,
            "make room, or choose another disk with --store FOLDER",
        )
    return Row("machine", "disk", "ok", finding)


def _gpu_row(profile: Profile, elsewhere: bool) -> Row:
    import torch

    precisions = sorted({*profile.precisions.values()} - {"fp32", "auto"})
    finding = ", ".join(map(torch.cuda.get_device_name, range(torch.cuda.device_count()))) or "none"
    if precisions:
        finding += f"; the profile computes in {' and '.join(precisions)}"
    if (
        torch.cuda.device_count()
        or elsewhere
        or not precisions
        or (precisions == ["bf16"] and computes_in_bf16())
    ):
        return Row("machine", "GPUs", "ok", finding)
    changes = " ".join(
        f"--set {key}=fp32" for key, own in profile.precisions.items() if own != "fp32"
    )
    remedy = (
        "run it where there are GPUs, name a cluster (--scheduler ADDRESS), or compute in "
        f"fp32: {changes}"
    )
    return Row("machine", "GPUs", "missing", finding, remedy)


def _package_row() -> Row:
    listed = [
        f"python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in _PACKAGES),
    ]
    return Row("software", "packages", "ok", ", ".join(listed))


def _annotator_row(profile: Profile) -> Row:
    try:
        signature = annotator_signature(profile.annotator)
    except UserError as error:
        return Row("software", "annotator", "missing", str(error), "make model installs it")
    if "offline" in signature and not profile.simulation:
        finding = (
            f"{signature}; scores with en_core_web_sm, as papers give them, differ by some "
            "tenths of a point"
        )
        return Row("software", "annotator", "note", finding, "make model installs en_core_web_sm")
    return Row("software", "annotator", "ok", signature)
