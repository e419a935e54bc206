"""``pseudogec pack``: what a profile's notebooks are shown from, out of stores and packs of several
machines.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from pseudogec.artefacts import Pack, Store, with_ancestors
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.pack import Source
from pseudogec.commands.program import add_study_options
from pseudogec.study import PACK, Study

_DESCRIPTION = """\
Write a pack: a few files with all that the notebooks of a profile show, so that nothing is trained
to show them. run_all.py writes one at the end of a run.

Several stores and packs, of runs on several machines, are merged into one. Nothing is written where
they hold different numbers for one artefact, or where one of them is damaged.

Example: pseudogec pack --profile classroom first/store second/pack --to outputs/classroom/pack"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "pack",
        description=_DESCRIPTION,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    add(
        "sources",
        nargs="*",
        type=Path,
        metavar="FOLDER",
        help="stores and packs (default: the store, with the profile's pack)",
    )
    add(
        "--profile",
        default="classroom",
        help="a name from params/ or a YAML file (default: classroom)",
    )
    add_study_options(parser)
    add(
        "--to",
        type=Path,
        metavar="FOLDER",
        help=f"where the pack goes (default: outputs/PROFILE/{PACK})",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    sources = [source for folder in options.sources for source in _sources(folder)]
    # They know the digests of files that are not here
    packs = [source for source in sources if isinstance(source, Pack)]
    study = Study.open(
        options.profile, options.overrides, store=options.store, packs=packs if sources else True
    )
    folder = options.to or study.outputs / PACK
    count = study.write_pack(folder, sources)
    every = with_ancestors(study.targets())
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    print(f"{count:,} of {len(every):,} artefacts, {size:.1f} MB -> {folder}")
    if count < len(every):
        parts = Pack.parts(folder)
        absent = Counter(
            recipe.kind for recipe in every if not any(recipe in part for part in parts)
        )
        print(
            "in none of the sources: "
            + ", ".join(f"{kind.replace('_', ' ')} {number:,}" for kind, number in absent.items())
        )


def _sources(folder: Path) -> list[Source]:
    if parts := Pack.parts(folder):
        return [*parts]
    if not any(folder.glob("[!.]*/*/result.json")):
        raise UserError(
            f"{folder}: is neither a store nor a pack; name a folder such as "
            "outputs/store or outputs/classroom/pack"
        )
    return [Store(folder, writable=False)]
