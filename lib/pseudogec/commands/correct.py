"""``pseudogec correct``: correct your own text with a system of the study."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from artefacts.errors import UserError
from artefacts.progress import ProgressLine
from artefacts.recipe import Recipe
from pseudogec.correct import STEPS, Trace
from pseudogec.correct.models import LEFT
from pseudogec.edits import Annotator, Edit, edit_text, load_annotator, token_edits
from pseudogec.study import Study
from pseudogec.study.corrector import Corrector, default_system, find_system, to_train
from pseudogec.study.planning import missing_files
from pseudogec.study.profile import all_steps
from pseudogec.text import ends_inside_code, prose_of, prose_tokens, sentence_spans

PROFILES = ("learners", "public", "classroom")
"""The profiles whose systems correct by default, the best first."""

_DESCRIPTION = f"""\
Correct text from standard input with a system of the study, line by line. The text is read as Markdown. Every character that
no correction replaces stays, and so do lines of code, tables, sentences in other languages, and sentences with addresses,
names of files or symbols in them.

Without --profile and --set, the text is corrected by the best system (or --system) of the first of the profiles
{", ".join(PROFILES)} whose models are here. Models in packs are rounded to 8 bits, and the rounded ones are used even where
the store has the original ones, whose scores the tables show.

Examples: echo "They was happy ." | pseudogec correct
          pseudogec correct --system pretlarge+sse --steps < text"""

_CLOSING = ('"', "'", "\u201d", "\u2019", ")")
_LINES_AT_ONCE = 1000  # from a file or pipe; enough to fill batches


def add_parser(commands: Any) -> None:
    known = "\n".join(f"  {step.name:<16} {(step.__doc__ or step.label).splitlines()[0]}" for step in STEPS)
    parser = commands.add_parser(
        "correct",
        description=_DESCRIPTION,
        epilog=f"steps of systems, in a profile:\n{known}\n  package.module:Class   a step of your own",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    add("--system", metavar="NAME", help="a key of the profile's `systems`; `pseudogec correct --list` shows them")
    add("--profile", help="a name from params/ or a YAML file")
    add("--seed", type=int, metavar="N", help="which model, for a system of a single one (default: the first)")
    add("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides", help="change one key of the profile")
    add("--store", type=Path, metavar="FOLDER", help="where artefacts are kept (default: outputs/store)")
    add("--jobs", type=int, metavar="N", help="worker processes for what must be built (default: one a core)")
    add("--list", action="store_true", help="list the systems and their steps, and stop")
    add("--all-edits", action="store_true", help="make all edits of the models, not only sure ones: most are wrong")
    add("--train", action="store_true", help="train the models that are missing; this can take hours or days")
    add("--tokenised", action="store_true", help="lines are sentences, tokens with spaces between; so is the output")
    add("--steps", action="store_true", help="show what each step changed, with its edits and their types")
    parser.set_defaults(run=run)


def open_study(options: argparse.Namespace, profile: str = "classroom", without_data: bool = False) -> Study:
    """The study that the options name, or else that of a profile."""
    return Study.open(
        options.profile or profile,
        options.overrides,
        store=options.store,
        workers=options.jobs,
        display=ProgressLine(sys.stderr),
        without_data=without_data,
    )


def _chosen(options: argparse.Namespace) -> tuple[Study, str]:
    """The study and the name of its system that corrects: of several studies the first whose models are here, or the last."""
    chosen: tuple[Study, str, list[Recipe]] | None = None
    for study in _studies(options):
        if _named(options) or options.system is None or options.system in study.profile.systems:
            system = options.system or default_system(study)
            chosen = study, system, to_train(study, find_system(study, system, options.seed))
            if not chosen[2]:
                break
    if chosen is None:
        raise UserError(
            f"--system: none of the profiles {', '.join(PROFILES)} has `{options.system}`; --list shows their systems"
        )
    study, system, absent = chosen
    if absent and not options.train:
        raise UserError(_missing(study, system, absent))
    if options.system is None:
        print(f"corrected by the system {system} of the profile {study.profile.name}", file=sys.stderr)
    return study, system


def _named(options: argparse.Namespace) -> bool:
    return bool(options.profile or options.overrides)


def _studies(options: argparse.Namespace) -> Iterator[Study]:
    """The study that the options name, or those of `PROFILES`."""
    for name in ["classroom"] if _named(options) else PROFILES:
        yield open_study(options, name, without_data=not options.train)


def _missing(study: Study, system: str, absent: Sequence[Recipe]) -> str:
    kinds = Counter(recipe.kind for recipe in absent)
    files = missing_files(absent)
    name = study.profile.name
    return (
        f"the system {system} of the profile {name} is not here; it needs "
        + ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        + (f", and of corpora {', '.join(map(str, files))}" if files else "")
        + f". --train builds all of this; `python run_all.py --profile {name} --plan` says how long it takes"
    )


class _Sentence(NamedTuple):
    """A sentence of the input."""

    before: str  # text of its line that comes before its first sentence
    text: str  # as it was typed
    tokens: list[str]
    spans: list[tuple[int, int]]  # of each token: its first character in the text, and the one after its last
    behind: str  # text between this sentence and the next one of its line


def run(options: argparse.Namespace) -> None:
    if options.list:
        print("\n".join(map(_listing, _studies(options))))
        return
    study, system = _chosen(options)
    with study.engine:
        corrector = Corrector(study, find_system(study, system, options.seed), all_edits=options.all_edits)
    annotator = load_annotator(study.profile.annotator) if options.steps else None
    numbers = itertools.count(1)
    for lines in _batches():
        split = list(map(_tokenised, lines)) if options.tokenised else list(map(_sentences, lines, prose_of(lines)))
        traces = iter(corrector([sentence.tokens for sentences in split for sentence in sentences]))
        for sentences in split:
            found = [(sentence, next(traces)) for sentence in sentences]
            number = next(numbers)
            for note in (step.note for _, trace in found for _, step in trace.steps if step.note.startswith(LEFT)):
                print(f"line {number}: a sentence is {note}", file=sys.stderr)
            if annotator is None:
                print("".join(_corrected(*item, options.tokenised) for item in found))
            else:
                for sentence, trace in found:
                    print(_steps(sentence, trace, annotator))
        sys.stdout.flush()


def _batches() -> Iterator[list[str]]:
    """Lines of standard input: one at a time from a person, many from a file or pipe; a block of code is not divided."""
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
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")  # editors put a byte order mark before the first
        except UnicodeDecodeError as error:
            raise UserError(f"standard input, line {number}: not valid UTF-8 (byte {error.start + 1} of the line)") from None


def _sentences(line: str, prose: tuple[int, int]) -> list[_Sentence]:
    """The sentences of a line of running text; one without tokens for a line that has none."""
    first, last = prose
    starts = [first + start for start, _ in sentence_spans(line[first:last])]
    # "Why?" and he left.
    starts = [start for start in starts if not (line[start].islower() and line[:start].rstrip().endswith(_CLOSING))]
    if not starts:
        return [_Sentence("", line, [], [], "")]
    found: list[_Sentence] = []
    for start, end in itertools.pairwise([first, *starts[1:], last]):
        text = line[start:end].rstrip()
        behind = line[start + len(text) : end if end < last else len(line)]
        found.append(_Sentence("" if found else line[:first], text, *prose_tokens(text), behind))
    return found


def _tokenised(line: str) -> list[_Sentence]:
    return [_Sentence("", line, line.split(), [], "")]


def _corrected(sentence: _Sentence, trace: Trace, tokenised: bool) -> str:
    if tokenised:
        return " ".join(trace.tokens)
    edits = token_edits(sentence.tokens, trace.tokens)
    return sentence.before + (edit_text(sentence.text, sentence.spans, edits) if edits else sentence.text) + sentence.behind


def _steps(sentence: _Sentence, trace: Trace, annotator: Annotator) -> str:
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
