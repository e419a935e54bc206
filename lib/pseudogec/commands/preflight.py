"""``run_all.py --check``: whether everything that a profile needs is there, and whether it agrees with the papers' data.

Nothing is built or planned, and any of the profile's files may be missing.
"""

from __future__ import annotations

import platform
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from traceback import extract_tb
from typing import IO, Literal, NamedTuple

from artefacts.errors import DataError, UserError
from artefacts.files import digest_file
from pseudogec.corpora import Count, FileFormat, FilePairs, FileSentences, KnownFile, Whole, load_catalogue, matching
from pseudogec.correct import Step
from pseudogec.edits import annotator_signature
from pseudogec.report.papers import PAPERS, paper_datasets
from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.study import PROJECT, Profile
from pseudogec.study.leakage import Check
from pseudogec.study.profile import MorePseudoData, all_steps

State = Literal["ok", "note", "missing", "wrong"]
"""There; there, with a remark; missing or unusable, so that the study would fail."""

Finding = tuple[State, str, str]
"""State, finding and remedy of a row."""

STYLES: dict[State, str] = {"ok": "green", "note": "yellow", "missing": "bold red", "wrong": "bold red"}

COUNTED_AT_MOST = {True: 10**9, False: 10**6}
"""Bytes of a part's files up to which its sentences are counted unasked, by its format's ``quickly_counted``."""

_READ_FIRST = 10  # sentences of each corpus that are read in every check
_MEND_FORMAT = "correct the format's class, or the file that it reads"

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


class PartFiles(NamedTuple):
    """The files of one part of a profile's corpora.

    Attributes:
        part: its place in the profile, such as ``genuine`` or ``seeds.simple``.
        format: reads them; its paths are relative to the data folder.
        needed: how many sentences the study needs, of a seed corpus; 0 for others.
    """

    part: str
    format: FileFormat
    needed: int = 0

    @property
    def drawn(self) -> int | None:
        """How many pairs the profile draws from them; none for all."""
        return self.format.sentences if isinstance(self.format, FilePairs) else None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Paths or patterns, relative to the data folder."""
        return tuple(file.path for file in self.format.files)


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
        elsewhere: workers on other machines do the work (``--scheduler``), so that this one's GPUs do not matter; a profile's own
            section ``cluster`` says the same.
    """
    return [
        *_corpus_rows(profile, PROJECT / profile.data_folder, count),
        *_leakage_rows(leakage, count),
        *_machine_rows(profile, store, disk_needed, elsewhere or profile.cluster is not None),
        *_software_rows(profile),
    ]


def show(name: str, rows: Sequence[Row], stream: IO[str] | None = None) -> int:
    """Print a table of the findings for a profile, then the remedy of each problem; returns 1 if there is one, else 0."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # A pipe or log file gets lines of unlimited width.
    console = Console(file=stream, width=None if (stream or sys.stdout).isatty() else 160, highlight=False)
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
    states = Counter(row.state for row in rows if row.fails)
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    console.print(f"\n{name}   {len(rows)} checks, {counts or 'nothing is missing'}", markup=False)
    return int(bool(states))


def format_size(count: float) -> str:
    """Bytes for readers: ``12 kB``, ``3.4 MB``, ``39 GB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.0f} TB" if count >= 10 else f"{count:.1f} TB"


def shown(path: Path) -> str:
    """A path for readers, relative to the working folder if it is below it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


# Corpora of the profile


def corpus_files(profile: Profile) -> list[PartFiles]:
    """The corpora that a profile reads from files; parts from the embedded world have none."""
    tracks = {f"tracks.{name}.{part}": pairs for name, track in profile.tracks.items() for part, pairs in track.corpora.items()}
    return [
        PartFiles(part, corpus, _sentences_of_seed(profile, part.removeprefix("seeds.")) if part.startswith("seeds.") else 0)
        for part, corpus in {**profile.corpora.parts, **tracks}.items()
        if isinstance(corpus, FileFormat)
    ]


def _sentences_of_seed(profile: Profile, seed: str) -> int:
    """The most sentences of a seed corpus that a notebook's grid, a model, stage of training or language model takes."""
    axes = [part for name in _listed(profile) if name in profile.grids for part in profile.grids[name].parts]
    amounts = [pairs for part in axes if seed in part.seed_corpus for pairs in part.pseudo_pairs]
    amounts += [model.pseudo_pairs for model in profile.models.values() if model.seed_corpus == seed]
    settings = {setting for part in axes for setting in part.setting}
    settings |= {model.setting for model in profile.models.values()}
    parts = [part for setting in settings for stage in profile.settings[setting] for part in stage.data]
    amounts += [part.pseudo_pairs for part in parts if isinstance(part, MorePseudoData) and part.seed_corpus == seed]
    if profile.language_model is not None and profile.language_model.seed_corpus == seed:
        amounts.append(profile.language_model.sentences)
    return max(amounts, default=profile.pseudo_data.shard)


def _listed(profile: Profile) -> list[str]:
    """The grids and comparisons that the profile's notebooks show."""
    return list(dict.fromkeys(name for names in profile.notebooks.values() for name in names))


def _steps_shown(profile: Profile) -> Iterator[tuple[str, Step]]:
    """The steps of the systems that the profile's notebooks compare, each with its system's name."""
    systems = (system for name in _listed(profile) for system in profile.comparisons.get(name, ()))
    for system in dict.fromkeys(systems):
        for step in all_steps(profile, system):
            yield system, step


# Corpora: files, versions, sentences against the papers' counts


def _corpus_rows(profile: Profile, folder: Path, count_all: bool) -> Iterator[Row]:
    """A row for each file or pattern; then for each part of the corpora, each blind test set, each file of a released model.

    Args:
        profile: a checked profile.
        folder: its data folder.
        count_all: count also what takes long.
    """
    parts = corpus_files(profile)
    if not parts:
        yield Row("corpora", "embedded world", "ok", "a part of the project; nothing is to be fetched")
    users: dict[Path, list[PartFiles]] = {}
    for part in parts:
        for path in part.paths:
            users.setdefault(path, []).append(part)
    for path, using in users.items():
        names = ", ".join(part.part for part in using)
        if found := matching(folder, path):
            yield _file_row(found, path, names, _corpora(using[0], folder, uncut=True), count_all)
        else:
            yield _missing_row(folder, path, names, f"make data PROFILE={profile.name}")
    for part in parts:
        yield _part_row(folder, part, count_all)
    for name, test in profile.corpora.blind.items():
        if (folder / test.file).is_file():
            yield Row(f"blind.{name}", str(test.file), "ok", format_size((folder / test.file).stat().st_size))
        else:  # no problem of a run: `pseudogec submit` alone reads it
            missing = _missing_row(folder, test.file, f"blind.{name}", f"make data PROFILE={profile.name}")
            yield missing._replace(state="note")
    for system, path in dict.fromkeys((system, path) for system, step in _steps_shown(profile) for path in step.files):
        if (folder / path).is_file():
            yield Row(f"systems.{system}", str(path), "ok", format_size((folder / path).stat().st_size))
        else:
            remedy = f"put the file that the models' authors released at {shown(folder / path)}"
            yield Row(f"systems.{system}", str(path), "missing", "not found", remedy)


def _file_row(found: Sequence[Path], path: Path, part: str, corpora: Sequence[FileFormat], count_all: bool) -> Row:
    """The size of a file or of the files of a pattern, their sentences, and which version of the file this is."""
    known = load_catalogue().find(path) if len(found) == 1 else None
    several = "" if len(found) == 1 else f"{len(found)} files, "
    read = [corpus for corpus in corpora if corpus.files[0].path in found]
    state: State = "ok"
    kept = ""
    try:
        if not several:
            state, kept = _version(found[0], known[1] if known else None)
        for corpus in read[:1]:
            list(islice(corpus.checked(), _READ_FIRST))
        count = _count(read, count_all) if read else None
    except DataError as error:
        remedy = "replace the file, or make it readable" if error.line is None else "correct the line, or replace the file"
        return Row(part, str(path), "wrong", str(error), remedy)
    except UserError as error:
        return Row(part, str(path), "wrong", str(error), _MEND_FORMAT)
    except Exception as error:  # of a class from outside, which may raise anything
        place = extract_tb(error.__traceback__)[-1]
        problem = f"format `{corpora[0].known_as()}`: {type(error).__name__}: {error} ({place.filename}, line {place.lineno})"
        return Row(part, str(path), "wrong", problem, _MEND_FORMAT)
    sentences = "" if count is None else f"{count.sentences:,} sentences"
    if known is not None and count is not None and known[1].sentences not in (None, count.sentences):
        state, sentences = "note", f"{count.sentences:,} sentences instead of {known[1].sentences:,}"
    size = format_size(sum(file.stat().st_size for file in found))
    return Row(part, str(path), state, several + ", ".join(filter(None, [size, sentences, kept])))


def _missing_row(folder: Path, path: Path, part: str, command: str) -> Row:
    known = load_catalogue().find(path)
    if known is None:
        remedy = f"put a file of your own at {shown(folder / path)}, or change the profile"
        return Row(part, str(path), "missing", "not found", remedy)
    corpus, file = known
    finding = f"not found; {file.sentences:,} sentences" if file.sentences else "not found"
    remedy = f"{corpus.title}: {corpus.how_to_get(command)} Data folder: {shown(folder)}"
    for source in map(load_catalogue().corpus, corpus.made_from):
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


def _corpora(part: PartFiles, folder: Path, uncut: bool = False) -> list[FileFormat]:
    """The corpora that can be read one by one: of each file that is there, or of all where files belong together."""
    changes: dict[str, object] = {"only": None, "without": None} if uncut else {}
    found = part.format.located(
        lambda file: [file.model_copy(update={**changes, "path": path}) for path in matching(folder, file.path)]
    )
    complete = all(matching(folder, path) for path in part.paths)
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


def _part_row(folder: Path, part: PartFiles, count_all: bool) -> Row:
    """The number of sentences of a part, beside the number that the study needs and that of the papers."""
    whole = None if any(file.cut for file in part.format.files) else load_catalogue().whole(part.paths)
    published = _published(whole)
    needed = f"{part.needed:,} are needed" if part.needed else ""

    def uncounted(reason: str, remedy: str = "") -> Row:
        printed = "; ".join(f"{paper}: {value:,}" for paper, value in published.items())
        return Row(part.part, "sentences", "note", "; ".join(filter(None, [reason, needed, printed])), remedy)

    if not all(matching(folder, path) for path in part.paths):
        return uncounted("files are missing")
    try:
        found = _count(_corpora(part, folder), count_all)
    except Exception:
        return uncounted("cannot be counted")  # the file's own row says why
    if found is None:
        return uncounted("not counted", "--count counts them, by reading them all")
    if not found.sentences:
        files = ", ".join(map(str, part.paths))
        return Row(part.part, "sentences", "wrong", f"none in {files}", "put a corpus with sentences in their place")
    if part.drawn is not None and part.drawn > found.sentences:
        remedy = f"give the part more files, or lower its `sentences` from {part.drawn:,}"
        return Row(part.part, "sentences", "missing", f"{found.sentences:,}; the profile draws {part.drawn:,}", remedy)
    if part.needed > found.sentences:
        remedy = "give the seed corpus more text, or lower the pseudo_pairs of the profile's grids and models"
        return Row(part.part, "sentences", "missing", f"{found.sentences:,}; {needed}", remedy)
    sentences = found.corrected if whole is not None and whole.counted == "corrected" else found.sentences
    finding = f"{found.corrected:,} corrected of {found.sentences:,}" if found.corrected else f"{found.sentences:,}"
    if part.drawn is not None:
        sentences, finding = part.drawn, f"{part.drawn:,} drawn of {found.sentences:,}"
    one_sided = f"{found.one_sided:,} with an empty source or correction" if found.one_sided else ""
    # Of seed text all lines are counted, whatever a filter leaves out later; other formats count what they yield.
    is_text = isinstance(part.format, FileSentences)
    filters = [name for name in ("clean", "longest") if is_text and getattr(part.format, name)]
    filtered = f"counted before {' and '.join(f'`{name}`' for name in filters)}" if filters else ""
    finding = "; ".join(filter(None, [finding, filtered, one_sided, needed]))
    for paper, value in published.items():
        # Choe et al. round to three figures.
        if abs(sentences - value) <= (0.005 * value if value % 100 == 0 else 0):
            return Row(part.part, "sentences", "ok", f"{finding}; as in {paper}")
    if not published:
        return Row(part.part, "sentences", "ok", finding)
    paper, value = min(published.items(), key=lambda item: abs(item[1] - sentences))
    hint = f" ({whole.hint})" if whole is not None and whole.hint else ""
    return Row(part.part, "sentences", "note", f"{finding}; {paper}: {value:,}, difference {sentences - value:+,}{hint}")


def _published(whole: Whole | None) -> dict[str, int]:
    """The size of a corpus by the papers that print it, equal ones once."""
    sizes: dict[str, int] = {}
    for source, paper in PAPERS.items():
        printed = _printed_sizes(source)
        if whole is not None and whole.published.keys() <= printed.keys():
            value = sum(times * printed[name] for name, times in whole.published.items())
            if value not in sizes.values():
                sizes[paper] = value
    return sizes


@cache
def _printed_sizes(source: str) -> dict[str, int]:
    table = paper_datasets(source)
    return dict(zip(table["dataset"].tolist(), table["sentences"].tolist(), strict=True))


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
        except Exception:
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
    import dask.system
    import distributed.system

    place = next(folder for folder in (store, *store.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    finding = f"{format_size(free)} free at {shown(place)}"
    if disk_needed is not None:
        finding += f"; about {format_size(disk_needed)} are needed"
    if disk_needed is not None and disk_needed > free:
        yield Row("machine", "disk", "missing", finding, "make room, or choose another disk with --store FOLDER")
    else:
        yield Row("machine", "disk", "ok", finding)
    cores, memory = dask.system.CPU_COUNT, distributed.system.MEMORY_LIMIT
    yield Row("machine", "cores and memory", "ok", f"{cores} cores, {format_size(memory)}")
    yield Row("machine", "GPUs", *_gpus(profile, elsewhere))


def _gpus(profile: Profile, elsewhere: bool) -> Finding:
    import torch

    devices = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
    precisions = sorted({*profile.precisions.values()} - {"fp32"})
    asked = f"; the profile computes in {' and '.join(precisions)}" if precisions else ""
    if devices:
        finding = ", ".join(f"{each.name} ({format_size(each.total_memory)})" for each in devices)
        if "bf16" in precisions and not elsewhere and not all(map(_computes_in_bf16, range(len(devices)))):
            return "missing", f"{finding}; they cannot compute in bf16{asked}", f"add {_changes(profile, 'bf16', 'fp16')}"
        return "ok", f"{len(devices)}: {finding}{asked}", ""
    if elsewhere:
        return "ok", f"none here{asked}; the workers' machines must have them" if asked else "none here", ""
    if not precisions:
        return "ok", "none, and none is needed", ""
    if precisions == ["bf16"] and computes_in_bf16():
        return "ok", f"none{asked}, as this processor can", ""
    changes = " ".join(_changes(profile, precision, "fp32") for precision in precisions)
    remedy = f"run it where there are GPUs, name a cluster (--scheduler ADDRESS), or set each precision to fp32: {changes}"
    if torch.version.cuda is None:
        remedy += "; where there is a GPU: this build of torch is for CPUs, make env TORCH=cuda takes the other"
    return "missing", f"none{asked}", remedy


def _changes(profile: Profile, precision: str, to: str) -> str:
    """The options of the command line that replace one precision by another, wherever the profile has it."""
    return " ".join(f"--set {key}={to}" for key, own in profile.precisions.items() if own == precision)


def _computes_in_bf16(device: int) -> bool:
    """Whether a GPU does so itself: torch lets older ones emulate it, several times slower than fp32."""
    import torch

    with torch.cuda.device(device):
        return torch.cuda.is_bf16_supported(including_emulation=False)


def _software_rows(profile: Profile) -> Iterator[Row]:
    """Python's and the packages' versions, the annotator, and classifiers from Hugging Face."""
    found = {name: installed_version(name) for name in _PACKAGES}
    lacking = [name for name, number in found.items() if number is None]
    listed = ", ".join([f"python {platform.python_version()}", *(f"{name} {number}" for name, number in found.items() if number)])
    if lacking:
        yield Row("software", "packages", "missing", f"{listed}; no {', '.join(lacking)}", "make env installs them")
    else:
        yield Row("software", "packages", "ok", listed)
    yield Row("software", "annotator", *_annotator(profile))
    for name in dict.fromkeys(model for _, step in _steps_shown(profile) for model in step.hugging_face_models):
        yield Row("software", name, *_hugging_face_model(name))


def _annotator(profile: Profile) -> Finding:
    try:
        signature = annotator_signature(profile.annotator)
    except UserError as error:
        return "missing", str(error), "make model installs it"
    if "offline" in signature and not profile.simulation:
        finding = f"{signature}; the papers' scores come from en_core_web_sm and differ by some tenths of a point"
        return "note", finding, "make model installs en_core_web_sm"
    return "ok", signature, ""


def _hugging_face_model(name: str) -> Finding:
    if installed_version("transformers") is None:
        return "missing", "needs the package transformers", "pip install 'pseudogec[hugging-face]'"
    if (Path(name) / "config.json").is_file() or _is_cached(name):
        return "ok", "there", ""
    remedy = f"fetch it once where there is a network (hf download {name}), or name the folder of a model"
    return "missing", "neither a folder nor fetched from Hugging Face before", remedy


def _is_cached(name: str) -> bool:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except HFValidationError:  # a path, which cannot be a name
        return False


def installed_version(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
