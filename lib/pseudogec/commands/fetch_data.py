"""``pseudogec data``: fetch the public corpora that a profile reads, and say how to get the others."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from artefacts.errors import UserError
from artefacts.kinds import Kind
from pseudogec.commands.preflight import corpus_files, installed_version
from pseudogec.corpora import PAIR_FORMATS, SENTENCE_FORMATS, KnownCorpus, load_catalogue, matching
from pseudogec.corpora.fetching import ARCHIVES, Fetcher
from pseudogec.study import PROJECT, Profile
from pseudogec.study.study import open_profile

_MODEL = "en_core_web_sm-3.8.0"

_DESCRIPTION = """\
Fetch the public corpora that a profile reads into its data folder, and name the others with the page where they are requested.
An archive that was requested is unpacked from DATA_FOLDER/archives/. What is there already is left alone."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "data",
        help="fetch the public corpora that a profile reads",
        description=_DESCRIPTION,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="corpora of the catalogue, instead of those of a profile; see --list"
    )
    parser.add_argument("--profile", default="paper", metavar="P", help="a name from params/ or a YAML file (default: paper)")
    parser.add_argument("--data-folder", type=Path, metavar="F", help="where to put them (default: the profile's data_folder)")
    parser.add_argument("--dump-date", metavar="YYYYMMDD", help="which dump of Wikipedia (default: the newest)")
    parser.add_argument(
        "--mirror",
        default=os.environ.get("PSEUDOGEC_MIRROR"),
        metavar="URL",
        help="fetch URL/host/path in place of https://host/path (default: the environment's PSEUDOGEC_MIRROR)",
    )
    parser.add_argument("--list", action="store_true", help="list the catalogue, and stop")
    parser.add_argument("--formats", action="store_true", help="list the formats that a profile may name as `source`, and stop")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    catalogue = load_catalogue()
    if options.list:
        for corpus in catalogue.corpora.values():
            print(f"{corpus.name:24}{corpus.title}\n{'':24}{corpus.home}\n{'':24}{corpus.how_to_get('pseudogec data')}")
        return
    if options.formats:
        _list_formats()
        return
    profile = open_profile(options.profile)
    if not options.names and not corpus_files(profile):
        print(f"profile {profile.name} reads the embedded world alone; there is nothing to fetch")
        return
    folder = options.data_folder or PROJECT / profile.data_folder
    fetcher = Fetcher(folder, options.mirror, options.dump_date)
    named = [catalogue.corpus(name) for name in options.names]
    try:
        with _alone_in(folder):
            problems = _fetch_named(named, fetcher, folder) if named else _fetch_profile(profile, fetcher, folder)
    except KeyboardInterrupt:
        raise UserError("stopped; the same command resumes") from None
    if problems:
        raise UserError("\n".join(["some corpora could not be fetched:", *problems]))


def _list_formats() -> None:
    """The formats of corpora, each with the keys that a profile may write beside ``source``."""
    listed: dict[str, Iterable[type[Kind]]] = {
        "pairs of learner sentences and corrections": PAIR_FORMATS,
        "grammatical sentences (`seeds`)": SENTENCE_FORMATS,
    }
    for what, formats in listed.items():
        print(f"{what}\n")
        for found in formats:
            print(f"{found.name}: {(found.__doc__ or '').splitlines()[0]}")
            for name, field in found.model_fields.items():
                default = "" if field.is_required() or field.default in (None, "") else f"; default {field.default}"
                print(f"    {field.alias or name:16}{field.description or ''}{default}".rstrip())
        print()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Prevent a second process from writing to the same files."""
    lock = FileLock(folder / ARCHIVES / ".lock", timeout=0)
    try:
        (folder / ARCHIVES).mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError(f"another process is fetching into {folder}; wait until it has ended") from None
    except OSError as error:
        raise UserError(f"{folder} cannot be written ({error.strerror or error})") from None
    try:
        yield
    finally:
        lock.release()


def _fetch_named(corpora: Sequence[KnownCorpus], fetcher: Fetcher, folder: Path) -> list[str]:
    problems = []
    for corpus in corpora:
        files = [Path(file.path) for file in corpus.files]
        if files and all(matching(folder, file) for file in files):
            print(f"there     {corpus.name}")
            continue
        problems += _try(fetcher, corpus)
        _tell_how(corpus, folder, files)
    return problems


def _fetch_profile(profile: Profile, fetcher: Fetcher, folder: Path) -> list[str]:
    """Fetch the corpora of a profile; returns the problems."""
    paths = list(dict.fromkeys(path for part in corpus_files(profile) for path in part.paths))
    _place(folder, paths)
    catalogue, problems = load_catalogue(), []
    lacking: dict[str, list[Path]] = {}
    for path in paths:
        if matching(folder, path):
            continue
        if (found := catalogue.find(path)) is None:
            print(f"yours     {folder / path} is missing; the catalogue does not know it, so it is a file of your own")
        else:
            lacking.setdefault(found[0].name, []).append(path)
    for name, wanted in lacking.items():
        corpus = catalogue.corpus(name)
        problems += _fetch_named([catalogue.corpus(source) for source in corpus.made_from], fetcher, folder)
        problems += _try(fetcher, corpus, wanted)
        _place(folder, wanted)
        _tell_how(corpus, folder, wanted)
    if profile.annotator != "offline" and installed_version(_MODEL.rpartition("-")[0]) is None:
        problems += _try(fetcher, catalogue.corpus(_MODEL))
    there = sum(bool(matching(folder, path)) for path in paths)
    print(f"profile {profile.name}: {there} of {len(paths)} files or patterns of files are in {folder}")
    return problems


def _try(fetcher: Fetcher, corpus: KnownCorpus, wanted: Sequence[Path] | None = None) -> list[str]:
    """Fetch one corpus; returns its problems, so that the others are fetched nevertheless."""
    if corpus.access == "public":
        print(f"corpus    {corpus.title}. Licence: {corpus.licence} {corpus.steps}".rstrip())
    meant = [] if wanted is None else [file for path in wanted for file in corpus.files if file.is_at(path)]
    try:
        fetcher.fetch(corpus, lambda path: wanted is None or any(file.is_at(path) for file in meant))
    except UserError as error:
        return [f"  {corpus.name}: {error}"]
    return []


def _place(folder: Path, wanted: Sequence[Path]) -> None:
    """Put a file also in the place that the profile names, if it differs from the archive's own."""
    for path in wanted:
        found = load_catalogue().find(path)
        if found is None or (folder / path).exists() or not (original := folder / found[1].path).is_file():
            continue
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        try:
            (folder / path).hardlink_to(original)
        except OSError:  # a file system without hard links
            _copy(original, folder / path)


def _copy(original: Path, target: Path) -> None:
    """Copy a file so that it gets its name only when it is complete."""
    partial = target.with_name(f".{target.name}.part")
    try:
        shutil.copy2(original, partial)
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UserError(f"{target} cannot be written ({error.strerror})") from None


def _tell_how(corpus: KnownCorpus, folder: Path, paths: Sequence[Path]) -> None:
    """Print how to get the missing files of a corpus that cannot be fetched."""
    missing = [path for path in paths if not matching(folder, path)]
    if corpus.access == "public" or not missing:
        return
    kind = "make" if corpus.access == "made" else "request"
    print(f"{kind:10}{corpus.title}\n{'':10}{corpus.how_to_get('the same command')}")
    archives = [str(folder / ARCHIVES / download.name) for download in corpus.downloads]
    print(f"{'':10}wanted: {', '.join(archives or [str(folder / path) for path in missing])}")
