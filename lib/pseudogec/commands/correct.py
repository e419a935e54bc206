"""``pseudogec correct``: correct your own text with a system of the study."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from artefacts.errors import UserError
from artefacts.progress import RichDisplay
from pseudogec.correct import STEPS, Corrected, Trace
from pseudogec.correct.models import LEFT
from pseudogec.edits import Annotator, Edit, edit_text, load_annotator
from pseudogec.study import PROJECT, Study
from pseudogec.study.corrector import Corrector, default_system, find_system, to_train
from pseudogec.study.profile import all_steps
from pseudogec.text import sentence_spans, token_spans

PROFILES = ("learners", "public", "classroom")
"""The profiles whose systems correct by default, the best first."""

_DESCRIPTION = f"""\
Correct text from standard input with a system of the study, line by line. Sentences are found and tokenised, and what is not
corrected keeps its spacing.

Without --system, --profile and --set, the text is corrected by the best system of the first of the profiles
{", ".join(PROFILES)} that needs no training. With one of these options, models that neither the store nor a pack has are
trained first (pseudogec says how long that takes). Models in packs are rounded to 8 bits, and the rounded ones are used even
where the store has the original ones, whose scores the tables show.

Examples: echo "Yesterday she go to school ." | pseudogec correct
          pseudogec correct --system pretlarge+sse --steps < text"""

_LINES_AT_ONCE = 1000  # from a file or pipe; enough to fill batches


def _known_steps() -> str:
    known = "\n".join(f"  {step.name:<16} {(step.__doc__ or step.label).splitlines()[0]}" for step in STEPS)
    return f"steps of systems, in a profile:\n{known}\n  package.module:Class   a step of your own; see pseudogec.correct.Step"


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "correct",
        help="correct your own text with a system of the study",
        description=_DESCRIPTION,
        epilog=_known_steps(),
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add_system_options(parser)
    parser.add_argument("--list", action="store_true", help="list the profile's systems and their steps, and stop")
    parser.add_argument(
        "--tokenised", action="store_true", help="lines are sentences, tokens with spaces between; so is the output"
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--steps", action="store_true", help="show what each step changed, with its edits and their types")
    shown.add_argument("--json", action="store_true", help="one JSON object a sentence: source, correction, steps")
    parser.set_defaults(run=run)


def add_system_options(parser: argparse.ArgumentParser) -> None:
    """The options that choose the study and its system."""
    parser.add_argument(
        "--system", metavar="NAME", help="a key of the profile's `systems`; `pseudogec correct --list` shows them"
    )
    parser.add_argument("--profile", help="a name from params/ or a YAML file (default: classroom)")
    parser.add_argument("--seed", type=int, metavar="N", help="which model, for a system of a single one (default: the first)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides", help="change one key of the profile"
    )
    parser.add_argument("--store", type=Path, metavar="FOLDER", help="where artefacts are kept (default: outputs/store)")
    parser.add_argument("--jobs", type=int, metavar="N", help="worker processes for what must be built (default: one a core)")


def open_study(options: argparse.Namespace, profile: str = "classroom", without_data: bool = False) -> Study:
    """The study that the options name, or else that of a profile."""
    return Study.open(
        options.profile or profile,
        options.overrides,
        store=options.store,
        workers=options.jobs,
        display=RichDisplay(sys.stderr),
        without_data=without_data,
    )


def _chosen(options: argparse.Namespace) -> tuple[Study, str]:
    """The study and the name of its system that corrects."""
    if options.system is not None:
        return open_study(options), options.system
    study = open_study(options) if options.profile or options.overrides else _whose_models_are_here(options)
    system = default_system(study)
    print(f"corrected by the system {system} of the profile {study.profile.name}", file=sys.stderr)
    return study, system


def _whose_models_are_here(options: argparse.Namespace) -> Study:
    """The first study of `PROFILES` whose system corrects without training; if there is none, the last."""
    there = [name for name in PROFILES if (PROJECT / "params" / f"{name}.yaml").exists()]
    for name in there:
        study = open_study(options, name, without_data=True)  # models are read, not trained
        if study.profile.own_text and not to_train(study, find_system(study, default_system(study))):
            return study
    return open_study(options, there[-1])


class _Sentence(NamedTuple):
    """A sentence of the input."""

    text: str  # as it was typed
    tokens: list[str]
    spans: list[tuple[int, int]]  # of each token: its first character in the text, and the one after its last
    behind: str  # text between this sentence and the next one of its line


def run(options: argparse.Namespace) -> None:
    if options.list:
        print(_listing(open_study(options, without_data=True)))
        return
    study, system = _chosen(options)
    pipeline = find_system(study, system, options.seed)
    with study.engine:
        corrector = Corrector(study, pipeline)
    annotator = load_annotator(study.profile.annotator) if options.json or options.steps else None
    show = _as_json if options.json else _as_text
    read = _tokenised if options.tokenised else _sentences
    numbers = itertools.count(1)
    for lines in _batches():
        split = [read(line) for line in lines]
        traces = iter(corrector([sentence.tokens for sentences in split for sentence in sentences]))
        for sentences in split:
            found = [(sentence, next(traces)) for sentence in sentences]
            number = next(numbers)
            for note in (step.note for _, trace in found for _, step in trace.steps if step.note.startswith(LEFT)):
                print(f"line {number}: a sentence is {note}", file=sys.stderr)
            if annotator is None:
                print("".join(_corrected(*item, options.tokenised) + item[0].behind for item in found))
            else:
                for sentence, trace in found:
                    print(show(sentence.tokens, trace, annotator))
        sys.stdout.flush()


def _batches() -> Iterator[list[str]]:
    """Lines of standard input: one at a time from a person, many at a time from a file or pipe."""
    lines = (line.removesuffix("\n").removesuffix("\r") for line in _decoded(sys.stdin.buffer))
    size = 1 if sys.stdin.isatty() else _LINES_AT_ONCE
    while batch := list(itertools.islice(lines, size)):
        yield batch


def _decoded(lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")  # editors put a byte order mark before the first
        except UnicodeDecodeError as error:
            raise UserError(f"standard input, line {number}: not valid UTF-8 (byte {error.start + 1} of the line)") from None


def _sentences(line: str) -> list[_Sentence]:
    """The sentences of a line of running text; one without tokens for a line that has none."""
    starts = [start for start, _ in sentence_spans(line)]
    # Text before the first sentence belongs to it, so that all parts together are the line.
    bounds = itertools.pairwise([0, *starts[1:], len(line)])
    found = []
    for start, end in bounds:
        text = line[start:end].rstrip()
        spans = token_spans(text)
        found.append(_Sentence(text, [text[first:last] for first, last in spans], spans, line[start + len(text) : end]))
    return found


def _tokenised(line: str) -> list[_Sentence]:
    return [_Sentence(line, line.split(), [], "")]


def _corrected(sentence: _Sentence, trace: Trace, tokenised: bool) -> str:
    tokens = trace.tokens
    if tokenised:
        return " ".join(tokens)
    if list(tokens) == sentence.tokens:
        return sentence.text  # matching would take minutes for a sentence of many thousand words
    matcher = SequenceMatcher(None, sentence.tokens, tokens, autojunk=False)
    edits = [
        Edit(start, end, " ".join(tokens[first:last]))
        for operation, start, end, first, last in matcher.get_opcodes()
        if operation != "equal"
    ]
    return edit_text(sentence.text, sentence.spans, edits)


def _steps(
    source: Sequence[str], trace: Trace, annotator: Annotator
) -> Iterator[tuple[str, Sequence[str], Corrected, Sequence[Edit]]]:
    """Each step's name, the tokens before it, the sentence after it, and the edits between."""
    before = source
    for name, corrected in trace.steps:
        yield name, before, corrected, annotator.annotate([before], [corrected.tokens])[0]
        before = corrected.tokens


def _as_text(source: Sequence[str], trace: Trace, annotator: Annotator) -> str:
    lines = [" ".join(source)]
    for name, before, corrected, edits in _steps(source, trace, annotator):
        changes = "; ".join(_change(before, edit) for edit in edits) or "nothing changed"
        lines.append(f"  {name}: {changes}" + (f" ({corrected.note})" if corrected.note else ""))
    return "\n".join([*lines, f"  = {' '.join(trace.tokens)}"])


def _as_json(source: Sequence[str], trace: Trace, annotator: Annotator) -> str:
    steps = [
        {"step": name, "tokens": list(corrected.tokens), "note": corrected.note, "edits": [asdict(edit) for edit in edits]}
        for name, _, corrected, edits in _steps(source, trace, annotator)
    ]
    return json.dumps({"source": list(source), "correction": list(trace.tokens), "steps": steps}, ensure_ascii=False)


def _change(before: Sequence[str], edit: Edit) -> str:
    original = " ".join(before[edit.start : edit.end])
    return f"{original or 'nothing'} -> {edit.correction or 'nothing'} [{edit.type}]"


def _listing(study: Study) -> str:
    rows = [
        f"{name}: {', then '.join(step.describe() for step in all_steps(study.profile, name))}"
        + (" (not trained yet)" if to_train(study, find_system(study, name)) else "")
        for name in study.profile.systems
    ]
    if not rows:
        return f"profile {study.profile.name} has no systems"
    return "\n".join([f"systems of the profile {study.profile.name}:", *rows])
