"""``pseudogec submit``: a system's corrections of test sets without public references, as the files to hand in."""

from __future__ import annotations

import argparse
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from artefacts.errors import UserError, nearest
from artefacts.files import write_atomically
from pseudogec.commands.correct import add_system_options, open_study
from pseudogec.corpora import read_plain
from pseudogec.edits import read_m2
from pseudogec.study.corrector import Corrector, find_system
from pseudogec.study.profile import BlindTest

_DESCRIPTION = """\
Correct the profile's blind test sets (`corpora.blind`) with a system of the study, and write a file to hand in for each:
one tokenised sentence a line, in an archive for CodaLab. Models that are not in the store are trained first.

Example: pseudogec submit --profile paper --system pretlarge+sse --test BEA-test"""

_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that an archive can say, so that equal corrections make equal archives


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "submit",
        help="correct blind test sets, and write the files to hand in",
        description=_DESCRIPTION,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add_system_options(parser)
    parser.add_argument("--test", action="append", metavar="NAME", help="a key of the profile's `corpora.blind` (default: all)")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="for the files (default: outputs/PROFILE/submissions)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    if options.system is None:
        raise UserError("--system NAME is missing; `pseudogec correct --list` shows the systems of the profile")
    study = open_study(options)
    blind = study.profile.corpora.blind
    if not blind:
        raise UserError(f"profile {study.profile.name} has no blind test sets; name them under `corpora.blind`")
    for name in options.test or ():
        if name not in blind:
            raise UserError(f"--test: there is no blind test set `{name}`{nearest(name, blind)}")
    pipeline = find_system(study, options.system, options.seed)
    # Read before anything is trained, so that a missing file is found at once.
    files = {name: study.planner.file(blind[name].file).path for name in options.test or blind}
    sources = {
        name: [list(item.source) for item in read_m2(path)] if ".m2" in path.suffixes[-2:] else list(read_plain(path))
        for name, path in files.items()
    }
    with study.engine:
        corrector = Corrector(study, pipeline, as_scored=True)
    system = options.system if pipeline.seed == 0 else f"{options.system}-seed{pipeline.seed}"
    for name, sentences in sources.items():
        corrected = [trace.tokens for trace in corrector(sentences)]
        print(write_submission(corrected, blind[name], options.to or study.outputs / "submissions", f"{name}.{system}"))


def write_submission(sentences: Sequence[Sequence[str]], test: BlindTest, folder: Path, name: str) -> Path:
    """Write corrected sentences in the form that a blind test set requires; returns the file."""
    text = "".join(" ".join(tokens) + "\n" for tokens in sentences).encode()
    path = folder / (name + {"text": ".txt", "zip": ".zip"}[test.submission])
    with write_atomically(path) as stream:
        if test.submission == "text":
            stream.write(text)
        else:
            with zipfile.ZipFile(stream, "w") as archive:
                archive.writestr(zipfile.ZipInfo(f"{name}.txt", _DATE), text, zipfile.ZIP_DEFLATED)
    return path
