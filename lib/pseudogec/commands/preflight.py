"""``run_all.py --check``: whether all that a profile needs is there, beside what the papers had.

Corpora, models, disk, GPUs and packages are looked at before hours are spent. Nothing is built or planned: a profile is enough,
and any of its files may be missing.
"""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Literal, NamedTuple

from artefacts.errors import DataError, UserError
from artefacts.files import digest_file
from pseudogec.corpora import Count, FileFormat, KnownFile, Whole, load_catalogue
from pseudogec.edits import annotator_signature
from pseudogec.report.papers import PAPERS, paper_datasets
from pseudogec.study import PROJECT, Profile
from pseudogec.study.profile_files import PartFiles, corpus_files, hugging_face_models, matching, released_files

# What was found


State = Literal["ok", "note", "missing"]
"""There; there, but worth knowing of; or missing, so that the study would fail."""


class Row(NamedTuple):
    """One thing that a study needs.

    Attributes:
        part: what needs it: parts of the profile's corpora, or ``machine`` and ``software``.
        item: a file, a device, a package.
        state: whether it is there.
        finding: what was found.
        remedy: what to do about it; empty where nothing need be done.
    """

    part: str
    item: str
    state: State
    finding: str
    remedy: str = ""


class Preflight(NamedTuple):
    """All that a profile needs.

    Attributes:
        profile: its name.
        rows: what was found.
    """

    profile: str
    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def problems(self) -> list[Row]:
        """What is missing."""
        return [row for row in self.rows if row.state == "missing"]


def format_size(count: float) -> str:
    """Bytes as people say them: ``12 kB``, ``3.4 MB``, ``39 GB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.0f} TB" if count >= 10 else f"{count:.1f} TB"


def shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


# Corpora: files, versions, sentences against the papers' counts


COUNTED_AT_MOST = 10**9
"""Bytes of a part's files up to which its sentences are counted unasked."""

Published = Mapping[str, Mapping[str, int]]
"""Sizes of corpora as papers print them: paper -> corpus -> sentences."""


def corpus_rows(profile: Profile, folder: Path, published: Published, count: bool) -> Iterator[Row]:
    """Look for the files of a profile and count their sentences.

    Args:
        profile: a checked profile.
        folder: its data folder.
        published: what papers print of their corpora.
        count: count large files too, and those that must be split or parsed for it.

    Yields:
        A row for each file or pattern; then one for each part of the corpora: its size, the papers', what the study needs of it.
    """
    parts = corpus_files(profile)
    if not parts:
        yield Row("corpora", "embedded world", "ok", "a part of the project; nothing is to be fetched")
    users: dict[Path, list[PartFiles]] = {}
    for part in parts:
        for path in part.paths:
            users.setdefault(path, []).append(part)
    limit = None if count else COUNTED_AT_MOST
    for path, using in users.items():
        names = ", ".join(part.part for part in using)
        if found := matching(folder, path):
            yield _file_row(found, path, names, using[0].format, limit)
        else:
            yield _missing_row(folder, path, names, f"make data PROFILE={profile.name}")
    for part in parts:
        yield _part_row(folder, part, published, limit)
    for system, files in released_files(profile).items():
        for path in dict.fromkeys(files):
            yield _released_row(folder, system, path)


def _file_row(found: Sequence[Path], path: Path, part: str, reader: FileFormat, limit: int | None) -> Row:
    """The size of a file or of the files of a pattern, its sentences, and which version of it this is."""
    size = format_size(sum(file.stat().st_size for file in found))
    if len(found) > 1:
        return Row(part, str(path), "ok", f"{len(found)} files, {size}")
    known = load_catalogue().find(path)
    try:
        state, version = _version(found[0], known[1] if known else None)
        count = _count(reader, found, limit)
    except DataError as error:
        return Row(part, str(path), "missing", str(error), "replace the file, or make it readable")
    sentences = "" if count is None else f"{count.sentences:,} sentences, "
    if known is not None and count is not None and known[1].sentences not in (None, count.sentences):
        state, sentences = "note", f"{count.sentences:,} sentences instead of {known[1].sentences:,}, "
    return Row(part, str(path), state, f"{size}, {sentences}{version}")


def _missing_row(folder: Path, path: Path, part: str, command: str) -> Row:
    known = load_catalogue().find(path)
    if known is None:
        remedy = f"put a file of your own at {shown(folder / path)}, or change the profile"
        return Row(part, str(path), "missing", "not found", remedy)
    corpus, file = known
    finding = f"not found; {file.sentences:,} sentences" if file.sentences else "not found"
    remedy = f"{corpus.title}: {corpus.how_to_get(command)} Data folder: {shown(folder)}"
    for name in corpus.made_from:
        source = load_catalogue().corpus(name)
        remedy += f"\n{source.title}: {source.how_to_get(command)}"
    return Row(part, str(path), "missing", finding, remedy)


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


def _count(reader: FileFormat, files: Sequence[Path], limit: int | None) -> Count | None:
    """The sentences of files; none where counting them takes long, unless there is no limit."""
    states = [(file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    if limit is not None and (sum(size for size, _ in states) > limit or not reader.quickly_counted):
        return None
    counts = [_counted(reader, file, state) for file, state in zip(files, states, strict=True)]
    return Count(sum(count.sentences for count in counts), sum(count.corrected for count in counts))


@cache
def _counted(reader: FileFormat, file: Path, state: tuple[int, int]) -> Count:
    """Once a process while the file's size and time of change are the same."""
    return reader.count(file)


def _part_row(folder: Path, part: PartFiles, published: Published, limit: int | None) -> Row:
    """How many sentences a part has, beside what the study needs and what the papers had."""
    whole = load_catalogue().whole(part.paths)
    printed = "; ".join(f"{paper}: {value:,}" for paper, value in _expected(whole, published).items())
    needed = f"{part.needed:,} are needed" if part.needed else ""
    counts = None
    if all(matching(folder, path) for path in part.paths):
        try:
            counts = _counts(folder, part, limit)
        except DataError:  # told in the file's own row
            return Row(part.part, "sentences", "note", "; ".join(filter(None, ["cannot be counted", needed, printed])))
    else:
        return Row(part.part, "sentences", "note", "; ".join(filter(None, ["files are missing", needed, printed])))
    if counts is None:
        finding = "; ".join(filter(None, ["not counted", needed, printed]))
        return Row(part.part, "sentences", "note", finding, "--count counts them, in the time that reading them takes")
    if part.drawn is not None and part.drawn > counts.sentences:
        remedy = f"give the part more files, or lower its `sentences` from {part.drawn:,}"
        return Row(part.part, "sentences", "missing", f"{counts.sentences:,}; the profile draws {part.drawn:,}", remedy)
    if part.needed > counts.sentences:
        remedy = "give the seed corpus more text, or lower the pseudo_pairs of the profile's grids and models"
        return Row(part.part, "sentences", "missing", f"{counts.sentences:,}; {needed}", remedy)
    return _compared(part, counts, whole, published)


def _counts(folder: Path, part: PartFiles, limit: int | None) -> Count | None:
    return _count(part.format, [found for file in part.format.counted_files for found in matching(folder, file.path)], limit)


def _compared(part: PartFiles, found: Count, whole: Whole | None, published: Published) -> Row:
    corrected = whole is not None and whole.counted == "corrected"
    sentences = found.corrected if corrected else found.sentences
    finding = f"{found.corrected:,} corrected of {found.sentences:,}" if found.corrected else f"{found.sentences:,}"
    if part.drawn is not None:
        sentences, finding = part.drawn, f"{part.drawn:,} drawn of {found.sentences:,}"
    if part.needed:
        finding += f"; {part.needed:,} are needed"
    expected = _expected(whole, published)
    if whole is None or not expected:
        return Row(part.part, "sentences", "ok", finding)
    for paper, value in expected.items():
        if abs(sentences - value) <= _rounding(value):
            return Row(part.part, "sentences", "ok", f"{finding}; as in {paper}")
    paper, value = min(expected.items(), key=lambda item: abs(item[1] - sentences))
    hint = f" ({whole.hint})" if whole.hint else ""
    return Row(part.part, "sentences", "note", f"{finding}; {paper}: {value:,}, difference {sentences - value:+,}{hint}")


def _expected(whole: Whole | None, published: Published) -> dict[str, int]:
    """The size of a corpus by the papers that print it, equal ones once."""
    sizes: dict[str, int] = {}
    for paper, rows in published.items():
        if whole is not None and whole.published.keys() <= rows.keys():
            value = sum(times * rows[name] for name, times in whole.published.items())
            if value not in sizes.values():
                sizes[paper] = value
    return sizes


def _rounding(value: int) -> float:
    """How far a printed number may be from the one it stands for: Choe et al. round to three figures."""
    return 0.005 * value if value % 100 == 0 else 0


def _released_row(folder: Path, system: str, path: Path) -> Row:
    if (folder / path).is_file():
        return Row(f"systems.{system}", str(path), "ok", format_size((folder / path).stat().st_size))
    remedy = f"put the file that the models' authors released at {shown(folder / path)}"
    return Row(f"systems.{system}", str(path), "missing", "not found", remedy)


# The machine and its software


_PACKAGES = ("torch", "fairseq", "ctranslate2", "errant", "spacy")


def machine_rows(profile: Profile, store: Path, disk_needed: int | None, elsewhere: bool) -> Iterator[Row]:
    """Look at disk, memory, cores and GPUs.

    Args:
        profile: a checked profile.
        store: the folder of artefacts; it need not exist.
        disk_needed: bytes that the study will write, where that is known.
        elsewhere: other machines do the work, so that this one's GPUs do not matter.
    """
    import dask.system
    import distributed.system

    yield _disk_row(store, disk_needed)
    cores, memory = dask.system.CPU_COUNT, distributed.system.MEMORY_LIMIT
    yield Row("machine", "cores and memory", "ok", f"{cores} cores, {format_size(memory)}")
    precisions = sorted({optimisation.precision for optimisation in profile.optimisations.values()} - {"fp32"})
    yield _gpu_row(precisions, elsewhere)


def _disk_row(store: Path, needed: int | None) -> Row:
    place = next(folder for folder in (store, *store.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    finding = f"{format_size(free)} free at {shown(place)}"
    if needed is None:
        return Row("machine", "disk", "ok", finding)
    finding += f"; about {format_size(needed)} are needed"
    if needed <= free:
        return Row("machine", "disk", "ok", finding)
    return Row("machine", "disk", "missing", finding, "make room, or choose another disk with --store FOLDER")


def _gpu_row(precisions: Sequence[str], elsewhere: bool) -> Row:
    import torch

    names = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
    asked = f"; the profile trains in {' and '.join(precisions)}" if precisions else ""
    if names:
        finding = ", ".join(f"{each.name} ({format_size(each.total_memory)})" for each in names)
        if "bf16" in precisions and not torch.cuda.is_bf16_supported() and not elsewhere:
            remedy = "--set the precision of its optimisations to fp16"
            return Row("machine", "GPUs", "missing", f"{finding}; they cannot compute in bf16{asked}", remedy)
        return Row("machine", "GPUs", "ok", f"{len(names)}: {finding}{asked}")
    if elsewhere:
        return Row("machine", "GPUs", "ok", f"none here{asked}; the workers' machines must have them" if asked else "none here")
    if precisions:
        remedy = "run it where there are GPUs, name a cluster (--scheduler ADDRESS), or set the optimisations' precision to fp32"
        if torch.version.cuda is None:
            remedy += "; where there is a GPU: this build of torch is for CPUs, make env TORCH=cuda takes the other"
        return Row("machine", "GPUs", "missing", f"none{asked}", remedy)
    return Row("machine", "GPUs", "ok", "none, and none is needed")


def software_rows(profile: Profile, hugging_face: Sequence[str]) -> Iterator[Row]:
    """Look at Python's and the packages' versions, the annotator, and classifiers from Hugging Face.

    Args:
        profile: a checked profile.
        hugging_face: names or folders of the classifiers that its systems use.
    """
    found = {name: _installed(name) for name in _PACKAGES}
    lacking = [name for name, number in found.items() if number is None]
    listed = ", ".join([f"python {platform.python_version()}", *(f"{name} {number}" for name, number in found.items() if number)])
    if lacking:
        yield Row("software", "packages", "missing", f"{listed}; no {', '.join(lacking)}", "make env installs them")
    else:
        yield Row("software", "packages", "ok", listed)
    yield _annotator_row(profile.annotator, compared=not profile.simulation)
    for name in hugging_face:
        yield _hugging_face_row(name)


def _annotator_row(name: Literal["auto", "en_core_web_sm", "offline"], compared: bool) -> Row:
    try:
        signature = annotator_signature(name)
    except UserError as error:
        return Row("software", "annotator", "missing", str(error), "make model installs it")
    if "offline" in signature and compared:
        finding = f"{signature}; the papers' scores come from en_core_web_sm and differ by some tenths of a point"
        return Row("software", "annotator", "note", finding, "make model installs en_core_web_sm")
    return Row("software", "annotator", "ok", signature)


def _hugging_face_row(name: str) -> Row:
    if _installed("transformers") is None:
        remedy = "pip install 'pseudogec[hugging-face]'"
        return Row("software", name, "missing", "needs the package transformers", remedy)
    if (Path(name) / "config.json").is_file() or _is_cached(name):
        return Row("software", name, "ok", "there")
    remedy = f"fetch it once where there is a network (hf download {name}), or name the folder of a model"
    return Row("software", name, "missing", "neither a folder nor fetched from Hugging Face before", remedy)


def _is_cached(name: str) -> bool:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except HFValidationError:  # a path, which cannot be a name
        return False


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


# The preflight


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
    table = paper_datasets(source)
    return dict(zip(table["dataset"].tolist(), table["sentences"].tolist(), strict=True))
