"""``pseudogec data``: fetch the public corpora of a profile, and say how to get the others."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import write_atomically
from pseudogec.artefacts.kinds import Component, first_paragraph
from pseudogec.commands.preflight import corpus_files, other_files
from pseudogec.corpora import PAIR_FORMATS, SENTENCE_FORMATS, KnownCorpus, load_catalogue, matching
from pseudogec.corpora.fetching import ARCHIVES, fetch
from pseudogec.study import PROJECT
from pseudogec.study.study import open_profile

_DESCRIPTION = """\
Fetch the public corpora that a profile reads into its data folder, and name the others with the
page where they are requested. An archive that was requested is unpacked from DATA_FOLDER/archives/.
What is there already is left alone."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "data",
        description=_DESCRIPTION,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--profile",
        default="paper",
        metavar="P",
        help="a name from params/ or a YAML file (default: paper)",
    )
    add(
        "--data-folder",
        type=Path,
        metavar="F",
        help="where to put them (default: the profile's data_folder)",
    )
    add("--list", action="store_true", help="list all corpora that are known, and stop")
    add(
        "--formats",
        action="store_true",
        help="list the formats that a profile may name as `source`, and stop",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    catalogue = load_catalogue()
    if options.list:
        for corpus in catalogue.corpora.values():
            print(
                f"{corpus.name:24}{corpus.title}\n{'':24}{corpus.home}\n"
                f"{'':24}{corpus.how_to_get('pseudogec data')}"
            )
        return
    if options.formats:
        _list_formats()
        return
    profile = open_profile(options.profile)
    folder = options.data_folder or PROJECT / profile.data_folder
    paths = list(
        dict.fromkeys(
            file.path for corpus in corpus_files(profile).values() for file in corpus.files
        )
    )
    paths += [
        path
        for paths_of_one in other_files(profile).values()
        for path in paths_of_one
        if path not in paths
    ]
    if not paths:
        print(
            f"profile {profile.name} reads the project's own texts alone; there is nothing to fetch"
        )
        return
    lacking: dict[str, list[Path]] = {}
    for path in paths:
        if not _is_there(folder, path):
            if (known := catalogue.find(path)) is None:
                print(
                    f"yours     {folder / path} is missing; the catalogue does not know it, so "
                    "it is a file of your own"
                )
            else:
                lacking.setdefault(known[0].name, []).append(path)
    problems = []
    for name, missing in lacking.items():
        corpus = catalogue.corpora[name]
        for source in (*(catalogue.corpora[source] for source in corpus.made_from), corpus):
            problems += _fetch(
                source,
                folder,
                missing if source is corpus else [Path(file.path) for file in source.files],
            )
    there = sum(_is_there(folder, path) for path in paths)
    print(
        f"profile {profile.name}: {there} of {len(paths)} files or patterns of files are in "
        f"{folder}"
    )
    if problems:
        raise UserError("\n".join(["some corpora could not be fetched:", *problems]))


def _fetch(corpus: KnownCorpus, folder: Path, paths: Sequence[Path]) -> list[str]:
    """Fetch a corpus, or say how to get it; returns its problems, so that the others are fetched
    nevertheless.
    """
    if all(_is_there(folder, path) for path in paths):
        return []
    if corpus.access == "public":
        print(f"corpus    {corpus.title}. Licence: {corpus.licence} {corpus.steps}".rstrip())
    try:
        fetch(corpus, folder)
    except UserError as error:
        return [f"  {corpus.name}: {error}"]
    missing = [path for path in paths if not _is_there(folder, path)]
    if missing and corpus.access != "public":
        kind = "make" if corpus.access == "made" else "request"
        print(f"{kind:10}{corpus.title}\n{'':10}{corpus.how_to_get('the same command')}")
        archives = [folder / ARCHIVES / download.name for download in corpus.downloads]
        print(
            f"{'':10}wanted: {', '.join(map(str, archives or [folder / path for path in missing]))}"
        )
    return []


def _is_there(folder: Path, path: Path) -> bool:
    """Whether a file is where the profile names it; it is copied from its archive's own place,
    where that is another.
    """
    if matching(folder, path):
        return True
    known = load_catalogue().find(path)
    if known is None or not (original := folder / known[1].path).is_file():
        return False
    with write_atomically(folder / path) as stream:
        stream.write(original.read_bytes())
    return True


def _list_formats() -> None:
    """The formats of corpora, each with the keys that a profile may write beside ``source``."""
    listed: dict[str, Iterable[type[Component]]] = {
        "pairs of learner sentences and corrections": PAIR_FORMATS,
        "grammatical sentences (`seeds`)": SENTENCE_FORMATS,
    }
    for what, formats in listed.items():
        print(f"{what}\n")
        for corpus_format in formats:
            print(f"{corpus_format.name}: {first_paragraph(corpus_format)}")
            for name, field in corpus_format.model_fields.items():
                if name == "language":  # the profile's own key
                    continue
                default = (
                    ""
                    if field.is_required() or field.default in (None, "")
                    else f"; default {field.default}"
                )
                print(f"    {field.alias or name:16}{field.description or ''}{default}".rstrip())
        print()
