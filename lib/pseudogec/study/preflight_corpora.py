"""The part of a preflight that looks at corpora: files, versions, sentences against the papers' counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from artefacts.errors import DataError
from artefacts.files import digest_file
from pseudogec.corpora import Count, FileFormat, KnownFile, Whole, load_catalogue
from pseudogec.study.preflight_rows import Row, State, format_size, shown
from pseudogec.study.profile import Profile
from pseudogec.study.profile_files import PartFiles, corpus_files, matching, released_files

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
    """The sentences of a part."""
    return _count(part.format, [found for file in part.format.counted_files for found in matching(folder, file.path)], limit)


def _compared(part: PartFiles, found: Count, whole: Whole | None, published: Published) -> Row:
    """The sentences of a part beside the papers'."""
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
