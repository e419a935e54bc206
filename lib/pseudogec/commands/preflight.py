"""``run_all.py --check``: whether everything that a profile needs is there, and whether it agrees with the papers' data.

Nothing is built or planned, and any of the profile's files may be missing.
"""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from rich.filesize import decimal

from artefacts.errors import UserError
from artefacts.files import digest_file
from pseudogec.corpora import Count, FileFormat, FilePairs, KnownFile, Whole, load_catalogue, matching
from pseudogec.edits import annotator_signature
from pseudogec.noise import NoisedText
from pseudogec.report.papers import PAPERS, paper_datasets
from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.study import PROJECT, Profile
from pseudogec.study.leakage import Check
from pseudogec.study.profile import all_steps

State = Literal["ok", "note", "missing", "wrong"]
"""There; there, with a remark; missing or unusable, so that the study would fail."""

Finding = tuple[State, str, str]
"""State, finding and remedy of a row."""

STYLES: dict[State, str] = {"ok": "green", "note": "yellow", "missing": "bold red", "wrong": "bold red"}

COUNTED_AT_MOST = {True: 10**9, False: 10**6}
"""Bytes of a part's files up to which its sentences are counted unasked, by its format's ``quickly_counted``."""

_READ_FIRST = 10  # sentences of each corpus that are read in every check
_PACKAGES = ("torch", "fairseq", "ctranslate2", "errant", "spacy")


class Row(NamedTuple):
    """One thing that a study needs.

    Attributes:
        part: the part of the profile that needs it: parts of its corpora, or ``machine`` and ``software``.
        item: a file, a device, a package.
        state: whether it is there.
        finding: the result of the check.
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
    *,
    leakage: Sequence[Check] = (),
    count: bool = False,
    disk_needed: int | None = None,
    elsewhere: bool = False,
) -> list[Row]:
    """Check that everything a profile needs is there, and whether it agrees with the papers' data.

    Args:
        profile: a checked profile.
        store: the folder of artefacts, whose disk must hold what is built; it need not exist.
        leakage: the checks of test sets; made here if their files are there.
        count: count also sentences whose count takes long.
        disk_needed: bytes that the study will write, where that is known.
        elsewhere: workers on other machines do the work, so that this one's GPUs do not matter.
    """
    return [
        *_corpus_rows(profile, PROJECT / profile.data_folder, count),
        *_leakage_rows(leakage, count),
        *_machine_rows(profile, store, disk_needed, elsewhere or profile.cluster is not None),
        *_software_rows(profile),
    ]


def show(name: str, rows: Sequence[Row]) -> int:
    """Print a table of the findings for a profile, then the remedy of each problem; returns 1 if there is one, else 0."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # A pipe or log file gets lines of unlimited width.
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("", "for", "what", "found"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(Text(row.state, style=STYLES[row.state]), Text(row.part), Text(row.item), Text(row.finding))
    console.print(table)
    remedies: dict[tuple[bool, str], list[str]] = {}
    for row in rows:
        if row.remedy:
            remedies.setdefault((row.fails, row.remedy), []).append(row.item)
    for (fails, remedy), items in remedies.items():
        title = Text("to mend", style=STYLES["missing"]) if fails else Text("to know", style=STYLES["note"])
        console.print("\n", title, "  ", ", ".join(dict.fromkeys(items)), sep="", soft_wrap=True, markup=False)
        for line in remedy.splitlines():
            console.print(f"  {line}", soft_wrap=True, markup=False)
    failed = sum(row.fails for row in rows)
    console.print(f"\n{name}   {len(rows)} checks, {failed or 'nothing'} missing or wrong", markup=False)
    return int(failed > 0)


def shown(path: Path) -> str:
    """A path for readers, relative to the working folder if it is below it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def corpus_files(profile: Profile) -> dict[str, FileFormat]:
    """The corpora that a profile reads from files, by their place in it, such as ``seeds.simple``."""
    tracks = {f"tracks.{name}.{part}": pairs for name, track in profile.tracks.items() for part, pairs in track.corpora.items()}
    parts = {**profile.corpora.parts, **tracks}
    return {name: corpus for name, corpus in parts.items() if isinstance(corpus, FileFormat)}


# Corpora: files, versions, sentences against the papers' counts


def _corpus_rows(profile: Profile, folder: Path, count_all: bool) -> Iterator[Row]:
    """A row for each file or pattern; then for each part of the corpora, each blind test set, each file of a released model."""
    command = f"make data PROFILE={profile.name}"
    parts = corpus_files(profile)
    if not parts:
        yield Row("corpora", "embedded world", "ok", "a part of the project; nothing is to be fetched")
    users: dict[Path, list[str]] = {}
    for name, corpus in parts.items():
        for file in corpus.files:
            users.setdefault(file.path, []).append(name)
    for path, names in users.items():
        if found := matching(folder, path):
            yield _file_row(found, path, ", ".join(names), _corpora(parts[names[0]], folder, uncut=True), count_all)
        else:
            yield _missing_row(folder, path, ", ".join(names), command)
    for name, corpus in parts.items():
        yield _part_row(folder, name, corpus, count_all)
    listed = dict.fromkeys(name for names in profile.notebooks.values() for name in names)
    systems = dict.fromkeys(system for name in listed for system in profile.comparisons.get(name, ()))
    others = {f"blind.{name}": [test.file] for name, test in profile.corpora.blind.items()}
    others |= {f"systems.{name}": [file for step in all_steps(profile, name) for file in step.files] for name in systems}
    for user, path in dict.fromkeys((user, path) for user, paths in others.items() for path in paths):
        if (folder / path).is_file():
            yield Row(user, str(path), "ok", decimal((folder / path).stat().st_size))
        else:  # a blind test set is no problem of a run: `pseudogec submit` alone reads it
            row = _missing_row(folder, path, user, command)
            yield row._replace(state="note") if user.startswith("blind.") else row


def _file_row(found: Sequence[Path], path: Path, part: str, corpora: Sequence[FileFormat], count_all: bool) -> Row:
    """The size of a file or of the files of a pattern, their sentences, and which version of the file this is."""
    known = load_catalogue().find(path)
    read = [corpus for corpus in corpora if corpus.files[0].path in found]
    state: State = "ok"
    version = f"{len(found)} files"
    try:
        if len(found) == 1:
            state, version = _version(found[0], known[1] if known else None)
        for corpus in read[:1]:
            list(islice(corpus.checked(), _READ_FIRST))
        count = _count(read, count_all) if read else None
    except UserError as error:
        return Row(part, str(path), "wrong", str(error), "correct the file, or replace it")
    sentences = "" if count is None else f"{count.sentences:,} sentences"
    if len(found) == 1 and known is not None and count is not None and known[1].sentences not in (None, count.sentences):
        state, sentences = "note", f"{count.sentences:,} sentences instead of {known[1].sentences:,}"
    size = decimal(sum(file.stat().st_size for file in found))
    return Row(part, str(path), state, ", ".join(filter(None, [size, sentences, version])))


def _missing_row(folder: Path, path: Path, part: str, command: str) -> Row:
    known = load_catalogue().find(path)
    if known is None:
        return Row(part, str(path), "missing", "not found", f"put a file of your own at {shown(folder / path)}")
    corpus, file = known
    finding = f"not found; {file.sentences:,} sentences" if file.sentences else "not found"
    ways = [
        f"{each.title}: {each.how_to_get(command)}"
        for each in (corpus, *(load_catalogue().corpora[made] for made in corpus.made_from))
    ]
    return Row(part, str(path), "missing", finding, "\n".join([*ways, f"Data folder: {shown(folder)}"]))


def _version(path: Path, known: KnownFile | None) -> tuple[State, str]:
    """Whether a file is the version that the papers used."""
    if known is None:
        return "ok", "a file of your own"
    if known.sha256 is None and not known.others:
        return "ok", "no digest is known"
    digest = digest_file(path)
    if digest == known.sha256:
        return "ok", "digest right"
    if digest in known.others:
        return "note", f"another version: {known.others[digest]}"
    if known.sha256 is None:
        return "ok", "no digest of the papers' version is known"
    return "note", f"not the papers' version: SHA-256 {digest[:12]}... instead of {known.sha256[:12]}..."


def _corpora(corpus: FileFormat, folder: Path, uncut: bool = False) -> list[FileFormat]:
    """The corpora that can be read one by one: of each file that is there, or of all where files belong together."""
    changes: dict[str, object] = {"only": None, "without": None} if uncut else {}
    found = corpus.located(
        lambda file: [file.model_copy(update={**changes, "path": path}) for path in matching(folder, file.path)]
    )
    complete = all(matching(folder, file.path) for file in corpus.files)
    return found.by_file() if complete or not found.files_belong_together else []


def _count(corpora: Sequence[FileFormat], count_all: bool) -> Count | None:
    """The sentences of corpora of one format; none where counting them takes long, unless all are to be counted."""
    size = sum(file.path.stat().st_size for corpus in corpora for file in corpus.files)
    if not count_all and size > COUNTED_AT_MOST[corpora[0].quickly_counted]:
        return None
    counts = [_counted(corpus) for corpus in corpora]
    return Count(*map(sum, zip(*counts, strict=True)))


@cache
def _counted(corpus: FileFormat) -> Count:
    return corpus.count()


def _part_row(folder: Path, part: str, corpus: FileFormat, count_all: bool) -> Row:
    """The number of sentences of a part, beside that of the papers."""
    whole = None if any(file.cuts for file in corpus.files) else load_catalogue().whole([file.path for file in corpus.files])
    published = _published(whole)
    printed = [f"{paper}: {value:,}" for paper, value in published.items()]
    if not all(matching(folder, file.path) for file in corpus.files):
        return Row(part, "sentences", "note", "; ".join(["files are missing", *printed]))
    try:
        found = _count(_corpora(corpus, folder), count_all)
    except UserError:
        return Row(part, "sentences", "note", "cannot be counted")  # the file's own row says why
    if found is None:
        return Row(part, "sentences", "note", "; ".join(["not counted", *printed]), "--count counts them, by reading them all")
    if not found.sentences:
        return Row(part, "sentences", "wrong", "none", "put a corpus with sentences in their place")
    is_pairs = isinstance(corpus, FilePairs) and not isinstance(corpus, NoisedText)  # which makes the errors itself
    if is_pairs and not found.corrected and not part.startswith("tests."):
        remedy = "give pairs in which errors are corrected; if the file has them, name its format and annotator"
        return Row(part, "sentences", "wrong", f"0 corrected of {found.sentences:,}", remedy)
    sentences = found.corrected if whole is not None and whole.counted == "corrected" else found.sentences
    finding = f"{found.corrected:,} corrected of {found.sentences:,}" if is_pairs else f"{found.sentences:,}"
    if isinstance(corpus, FilePairs) and corpus.sentences is not None:
        sentences, finding = corpus.sentences, f"{corpus.sentences:,} drawn of {found.sentences:,}"
        if sentences > found.sentences:
            return Row(part, "sentences", "missing", finding, "give the part more files, or lower its `sentences`")
    for paper, value in published.items():
        # Choe et al. round to three figures.
        if abs(sentences - value) <= (0.005 * value if value % 100 == 0 else 0):
            return Row(part, "sentences", "ok", f"{finding}; as in {paper}")
    if not published:
        return Row(part, "sentences", "ok", finding)
    paper, value = min(published.items(), key=lambda item: abs(item[1] - sentences))
    hint = f" ({whole.hint})" if whole is not None and whole.hint else ""
    return Row(part, "sentences", "note", f"{finding}; {paper}: {value:,}, difference {sentences - value:+,}{hint}")


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


# Test sets and the data that systems learn from


def _leakage_rows(checks: Sequence[Check], count_all: bool) -> Iterator[Row]:
    """A row for each test set and each text that its systems learn from, where the files of both are there."""
    for check in checks:
        files = {file for overlap in check.overlaps for file in overlap.files}
        if not files or not all(file.path.exists() for file in files):
            continue
        part, item = f"tests.{check.test.name}", f"not in {check.text}"
        quick = all(overlap.quickly_read for overlap in check.overlaps)
        if not count_all and sum(file.size for file in files) > COUNTED_AT_MOST[quick]:
            yield Row(part, item, "ok", "looked for when the corpora are built, before anything is trained (--count: now)")
            continue
        try:
            found = check.of({overlap.key: overlap.in_files() for overlap in check.overlaps})
        except UserError:
            continue  # the corpus's own rows say why
        if found.refused:
            yield Row(part, item, "wrong", found.summary, f"{found.explain()}\n{found.remedy}")
        elif not found.counted:
            yield Row(part, item, "note", f"{found.summary}; nothing could be compared")
        elif found.overlaps:
            yield Row(part, item, "note", f"{found.summary}; tuned on it, as the profile says")
        else:
            yield Row(part, item, "ok", found.summary)


# The machine and its software


def _machine_rows(profile: Profile, store: Path, disk_needed: int | None, elsewhere: bool) -> Iterator[Row]:
    place = next(folder for folder in (store, *store.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    finding = f"{decimal(free)} free at {shown(place)}"
    if disk_needed is not None:
        finding += f"; about {decimal(disk_needed)} are needed"
    if disk_needed is not None and disk_needed > free:
        yield Row("machine", "disk", "missing", finding, "make room, or choose another disk with --store FOLDER")
    else:
        yield Row("machine", "disk", "ok", finding)
    yield Row("machine", "GPUs", *_gpus(profile, elsewhere))


def _gpus(profile: Profile, elsewhere: bool) -> Finding:
    import torch

    precisions = sorted({*profile.precisions.values()} - {"fp32"})
    finding = ", ".join(map(torch.cuda.get_device_name, range(torch.cuda.device_count()))) or "none"
    if precisions:
        finding += f"; the profile computes in {' and '.join(precisions)}"
    if torch.cuda.device_count() or elsewhere or not precisions or (precisions == ["bf16"] and computes_in_bf16()):
        return "ok", finding, ""
    changes = " ".join(f"--set {key}=fp32" for key, own in profile.precisions.items() if own != "fp32")
    return "missing", finding, f"run it where there are GPUs, name a cluster (--scheduler ADDRESS), or compute in fp32: {changes}"


def _software_rows(profile: Profile) -> Iterator[Row]:
    """Python's and the packages' versions, and the annotator."""
    found = {name: installed_version(name) for name in _PACKAGES}
    listed = ", ".join(
        [f"python {platform.python_version()}", *(f"{name} {number or 'MISSING'}" for name, number in found.items())]
    )
    if all(found.values()):
        yield Row("software", "packages", "ok", listed)
    else:
        yield Row("software", "packages", "missing", listed, "make env installs them")
    yield Row("software", "annotator", *_annotator(profile))


def _annotator(profile: Profile) -> Finding:
    try:
        signature = annotator_signature(profile.annotator)
    except UserError as error:
        return "missing", str(error), "make model installs it"
    if "offline" in signature and not profile.simulation:
        finding = f"{signature}; the papers' scores come from en_core_web_sm and differ by some tenths of a point"
        return "note", finding, "make model installs en_core_web_sm"
    return "ok", signature, ""


def installed_version(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
