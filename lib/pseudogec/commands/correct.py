"""``pseudogec correct``: correct your own text with a system of the study."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.kinds import first_paragraph
from pseudogec.artefacts.progress import ProgressLine
from pseudogec.commands.program import add_study_options
from pseudogec.correct import STEPS, Sentence, Trace, sentences_of
from pseudogec.correct.models import LEFT
from pseudogec.edits import Annotator, Edit, load_annotator
from pseudogec.study import Study
from pseudogec.study.corrector import PROFILES, Corrector, choose, find_system, lacking, to_train
from pseudogec.study.profile import all_steps
from pseudogec.text import ends_inside_code

_DESCRIPTION = f"""\
Correct text from standard input with a system of the study, line by line. The text is read as
Markdown. Every character that no correction replaces stays, and so do lines of code, tables,
sentences in other languages, and sentences with addresses, names of files or symbols in them.

Without --profile and --set, the text is corrected by the best system (or --system) of the first of
the profiles {", ".join(PROFILES)} whose models are here. Models in packs are rounded to 8 bits, and
the rounded ones are used even where the store has the original ones, whose scores the tables show.

Examples: echo "They was happy ." | pseudogec correct
          pseudogec correct --system pretlarge+sse --steps < text"""

_LINES_AT_ONCE = 1000  # from a file or pipe; enough to fill batches


def add_parser(commands: Any) -> None:
    known = "\n".join(f"  {step.name:<16} {first_paragraph(step)}" for step in STEPS)
    parser = commands.add_parser(
        "correct",
        description=_DESCRIPTION,
        epilog=f"steps of systems, in a profile:\n{known}\n  package.module:Class   a step of "
        "your own",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--system",
        metavar="NAME",
        help="a key of the profile's `systems`; `pseudogec correct --list` shows them",
    )
    add("--profile", help="a name from params/ or a YAML file")
    add(
        "--seed",
        type=int,
        metavar="N",
        help="which model, for a system of a single one (default: the first)",
    )
    add_study_options(parser)
    add(
        "--jobs",
        type=int,
        metavar="N",
        help="worker processes for what must be built (default: one a core)",
    )
    add("--list", action="store_true", help="list the systems and their steps, and stop")
    add(
        "--all-edits",
        action="store_true",
        help="make all edits of the models, not only sure ones: most are wrong",
    )
    add(
        "--train",
        action="store_true",
        help="train the models that are missing; this can take hours or days",
    )
    add(
        "--tokenised",
        action="store_true",
        help="lines are sentences, tokens with spaces between; so is the output",
    )
    add(
        "--steps",
        action="store_true",
        help="show what each step changed, with its edits and their types",
    )
    parser.set_defaults(run=run)


def _chosen(options: argparse.Namespace) -> tuple[Study, str]:
    """The study and the name of its system that corrects: of several studies the first whose models
    are here, or the last.
    """
    study, system, absent = choose(_studies(options), options.system, options.seed)
    if absent and not options.train:
        raise UserError(lacking(study, system, absent))
    if options.system is None:
        print(
            f"corrected by the system {system} of the profile {study.profile.name}", file=sys.stderr
        )
    return study, system


def _studies(options: argparse.Namespace) -> Iterator[Study]:
    """The study that the options name, or those of `PROFILES`."""
    for name in ["classroom"] if options.profile or options.overrides else PROFILES:
        yield Study.open(
            options.profile or name,
            options.overrides,
            store=options.store,
            workers=options.jobs,
            display=ProgressLine(sys.stderr),
            without_data=not options.train,
        )


def run(options: argparse.Namespace) -> None:
    if options.list:
        print("\n".join(map(_listing, _studies(options))))
        return
    study, system = _chosen(options)
    with study.engine:
        corrector = Corrector(
            study, find_system(study, system, options.seed), all_edits=options.all_edits
        )
    annotator = load_annotator(study.profile.annotator) if options.steps else None
    numbers = itertools.count(1)
    for lines in _batches():
        split = (
            list(map(_tokenised, lines))
            if options.tokenised
            else sentences_of(lines, corrector.language)
        )
        traces = iter(corrector([sentence.tokens for sentences in split for sentence in sentences]))
        for sentences in split:
            traced = [(sentence, next(traces)) for sentence in sentences]
            number = next(numbers)
            for note in (
                step.note
                for _, trace in traced
                for _, step in trace.steps
                if step.note.startswith(LEFT)
            ):
                print(f"line {number}: a sentence is {note}", file=sys.stderr)
            if annotator is None:
                print(
                    "".join(
                        " ".join(trace.tokens) if options.tokenised else one.corrected(trace)
                        for one, trace in traced
                    )
                )
            else:
                for sentence, trace in traced:
                    print(_steps(sentence, trace, annotator))
        sys.stdout.flush()


def _batches() -> Iterator[list[str]]:
    """Lines of standard input: one at a time from a person, many from a file or pipe; a block of
    code is not divided.
    """
    lines = (line.removesuffix("\n").removesuffix("\r") for line in _decoded(sys.stdin.buffer))
    size = 1 if sys.stdin.isatty() else _LINES_AT_ONCE
    batch: list[str] = []
    for line in lines:
        batch.append(line)
        if len(batch) >= size and not ends_inside_code(batch):
            yield batch
            batch = []
    if batch:
        yield batch


def _decoded(lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        try:
            # Editors put a byte order mark before the first
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise UserError(
                f"standard input, line {number}: not valid UTF-8 (byte "
                f"{error.start + 1} of the line)"
            ) from None


def _tokenised(line: str) -> list[Sentence]:
    return [Sentence("", line, line.split(), [], "")]


def _steps(sentence: Sentence, trace: Trace, annotator: Annotator) -> str:
    """A sentence, what each step changed, and its correction."""
    if not sentence.tokens:
        return f"{sentence.text}\n  = as it was typed"
    before: Sequence[str] = sentence.tokens
    lines = [" ".join(before)]
    for name, corrected in trace.steps:
        [edits] = annotator.annotate([before], [corrected.tokens])
        changes = "; ".join(_change(before, edit) for edit in edits) or "nothing changed"
        lines.append(f"  {name}: {changes}" + (f" ({corrected.note})" if corrected.note else ""))
        before = corrected.tokens
    return "\n".join([*lines, f"  = {' '.join(trace.tokens)}"])


def _change(before: Sequence[str], edit: Edit) -> str:
    original = " ".join(before[edit.start : edit.end])
    return f"{original or 'nothing'} -> {edit.correction or 'nothing'} [{edit.type}]"


def _listing(study: Study) -> str:
    default = study.profile.own_text[-1:]
    rows = [
        name
        + (" (the default)" if name in default else "")
        + f": {', then '.join(step.describe() for step in all_steps(study.profile, name))}"
        + (" (not trained yet)" if to_train(study, find_system(study, name)) else "")
        for name in study.profile.systems
    ]
    if not rows:
        return f"profile {study.profile.name} has no systems"
    return "\n".join([f"systems of the profile {study.profile.name}:", *rows])
