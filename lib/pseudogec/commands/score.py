"""``pseudogec score``: score the output of any system with ERRANT, MaxMatch or GLEU, and test whether systems differ."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines
from pseudogec.corpora import read_jfleg, read_plain
from pseudogec.edits import AnnotatedSentence, Annotator, AnnotatorName, load_annotator, read_m2
from pseudogec.evaluate import (
    Comparison,
    ErrantScorer,
    GleuScore,
    GleuScorer,
    MaxMatchScorer,
    Score,
    compare_scores,
    compare_statistics,
    gleu_of,
)

_DESCRIPTION = """\
Score corrected text. Files hold one tokenised sentence a line (M2 files: one block a sentence); tokens are taken as they stand.
References are told apart by their content:
  errant, m2   one M2 file, or parallel references: whole corrected sentences, each file an annotator whose edits ERRANT finds
  gleu         parallel references
Of several hypotheses, each is tested against the first."""

_MEASURES = ("precision", "recall", "f05", "tp", "fp", "fn")
_HEADINGS = {"precision": "P", "recall": "R", "f05": "F0.5", "tp": "TP", "fp": "FP", "fn": "FN", "gleu": "GLEU", "p_value": "p"}

Measures = dict[str, Any]
"""Figures by name, in the order in which they are shown."""
Scorer = ErrantScorer | MaxMatchScorer | GleuScorer


def add_parser(commands: Any) -> None:
    """Add this program to the subcommands of ``pseudogec``."""
    parser = commands.add_parser(
        "score",
        help="score corrected text with ERRANT, MaxMatch or GLEU",
        description=_DESCRIPTION,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--scorer", required=True, choices=["errant", "m2", "gleu"], help="m2 is MaxMatch, of CoNLL-2014")
    several: dict[str, Any] = {"required": True, "action": "extend", "nargs": "+", "type": Path, "metavar": "F"}
    parser.add_argument("--hypothesis", **several, help="a system's corrections; may be repeated")
    parser.add_argument("--reference", **several, help="an M2 file, or corrected sentences (may be repeated)")
    parser.add_argument(
        "--source", type=Path, metavar="F", help="the sentences before correction; an M2 file holds them, so only others need it"
    )
    parser.add_argument("--by", choices=["level", "type"], help="figures of each level, or of each error type (errant alone)")
    parser.add_argument("--levels", type=Path, metavar="F", help="the level of each sentence, such as A, B or C, one a line")
    parser.add_argument(
        "--annotator", choices=get_args(AnnotatorName), default="auto", help="the pipeline that finds edits (default: auto)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object; figures then run from 0 to 1, not to 100")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Run the program.

    Raises:
        UserError: an option or a file is wrong.
    """
    _check_options(options)
    gold = _read_gold(options)
    # All files are read and counted before anything is scored, which may take minutes.
    hypotheses = [list(read_plain(path)) for path in options.hypothesis]
    for path, hypothesis in zip(options.hypothesis, hypotheses, strict=True):
        gold.check_length(path, len(hypothesis))
    levels = _read_levels(options.levels, gold) if options.by == "level" else []
    with _warnings_told():
        scorer, reference_edits = _make_scorer(options, gold)
        scores = [scorer.score(tokens, name=str(path)) for path, tokens in zip(options.hypothesis, hypotheses, strict=True)]
    systems = []
    for path, score in zip(options.hypothesis, scores, strict=True):
        system = {"hypothesis": str(path), **_measures(score)}
        if len(scores) > 1:
            system |= _against_first(score, scores[0])
        if options.by:
            system["by"] = _by_type(score) if options.by == "type" else _by_level(score, levels)
        systems.append(system)
    found = {"scorer": options.scorer, "signature": scores[0].signature + reference_edits, "systems": systems}
    print(json.dumps(found, ensure_ascii=False) if options.json else _shown(found, options.by))


def _check_options(options: argparse.Namespace) -> None:
    if options.by == "type" and options.scorer != "errant":
        raise UserError(f"--by type: {options.scorer} knows no error types; choose --scorer errant")
    if options.by == "level" and options.levels is None:
        raise UserError("--by level needs --levels FILE, with the level of each sentence, one a line")
    if options.levels is not None and options.by != "level":
        raise UserError("--levels is for --by level; give both or neither")


class _Gold(NamedTuple):
    """What hypotheses are scored against.

    Attributes:
        path: the file that says how many sentences there are.
        sources: tokens of each sentence.
        parallel: whole corrected sentences, one list a reference; none where the sentences are annotated.
        annotated: the sentences with their edits; none where references are parallel.
    """

    path: Path
    sources: Sequence[Sequence[str]]
    parallel: Sequence[Sequence[Sequence[str]]]
    annotated: Sequence[AnnotatedSentence]

    def check_length(self, path: Path, lines: int) -> None:
        """Refuse a file that does not have one line a sentence."""
        if lines != len(self.sources):
            problem = f"has {lines} lines and {self.path} has {len(self.sources)} sentences; line for line they must correspond"
            raise DataError(path, problem)


def _read_gold(options: argparse.Namespace) -> _Gold:
    references = options.reference
    if m2_files := [path for path in references if _is_m2(path)]:
        if options.scorer == "gleu":
            raise DataError(m2_files[0], "is an M2 file, and gleu takes parallel references: corrected sentences, one a line")
        if len(references) > 1:
            raise DataError(m2_files[0], "is an M2 file, which holds all annotators; no other --reference can stand beside it")
        annotated = list(read_m2(m2_files[0]))
        gold = _Gold(m2_files[0], [sentence.source for sentence in annotated], [], annotated)
        if options.source is not None:
            _check_source(options.source, gold)
        return gold
    if options.source is None:
        raise UserError(
            "--source is missing; parallel references do not hold the sentences before correction, as an M2 file does"
        )
    sentences = list(read_jfleg(options.source, references))
    parallel = [[sentence.references[number] for sentence in sentences] for number in range(len(references))]
    return _Gold(options.source, [sentence.pair.source for sentence in sentences], parallel, [])


def _is_m2(path: Path) -> bool:
    """Whether a file's first line that is not blank begins an M2 block."""
    first = next((line for line in read_lines(path) if line.strip()), None)
    if first is None:
        raise DataError(path, "the file is empty; an M2 file or corrected sentences, one a line, were expected")
    return first.startswith("S ")


def _check_source(path: Path, gold: _Gold) -> None:
    sources = list(read_plain(path))
    gold.check_length(path, len(sources))
    for line, (tokens, expected) in enumerate(zip(sources, gold.sources, strict=True), start=1):
        if tokens != list(expected):
            problem = f"{' '.join(tokens)!r} is not the sentence of {gold.path}, which is {' '.join(expected)!r}"
            raise DataError(path, problem, line)


def _read_levels(path: Path, gold: _Gold) -> list[str]:
    levels = [line.strip() for line in read_lines(path)]
    gold.check_length(path, len(levels))
    if "" in levels:
        raise DataError(path, "the line is blank; a level, such as A, was expected", levels.index("") + 1)
    return levels


def _make_scorer(options: argparse.Namespace, gold: _Gold) -> tuple[Scorer, str]:
    """The scorer, and what its signature must add when the references' edits were not given but found."""
    name = str(gold.path)
    if options.scorer == "gleu":
        return GleuScorer(gold.sources, gold.parallel, name), ""
    needs_annotator = options.scorer == "errant" or not gold.annotated
    annotator = load_annotator(options.annotator) if needs_annotator else None
    annotated, addition = gold.annotated, ""
    if annotator and gold.parallel:
        annotated, addition = _annotate(gold, annotator), f"|reference_edits:{annotator.signature}"
    if options.scorer == "errant":
        return ErrantScorer(annotated, annotator, name), addition
    return MaxMatchScorer(annotated, name), addition


def _annotate(gold: _Gold, annotator: Annotator) -> list[AnnotatedSentence]:
    """Make an annotator of each parallel reference."""
    by_reference = [annotator.annotate(gold.sources, reference) for reference in gold.parallel]
    return [
        AnnotatedSentence(tuple(source), dict(enumerate(edits)))
        for source, *edits in zip(gold.sources, *by_reference, strict=True)
    ]


@contextlib.contextmanager
def _warnings_told() -> Iterator[None]:
    """Tell what the scorers warn of in the program's own form."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        print(f"warning: {warning.message}", file=sys.stderr)


def _measures(score: Score | GleuScore) -> Measures:
    if isinstance(score, GleuScore):
        return {"gleu": score.gleu, "std": score.standard_deviation}
    tp, fp, fn = score.totals
    return {"precision": score.precision, "recall": score.recall, "f05": score.f05, "tp": tp, "fp": fp, "fn": fn}


def _against_first(score: Score | GleuScore, first: Score | GleuScore) -> Measures:
    """How much a system's score exceeds the first one's, and the p-value of the difference; nulls for the first itself."""
    if score is first:
        return {"difference": None, "p_value": None}
    if isinstance(score, GleuScore) and isinstance(first, GleuScore):
        return {"difference": score.gleu - first.gleu, "p_value": _compare_gleu(score, first).p_value}
    assert isinstance(score, Score) and isinstance(first, Score)  # one scorer made both
    comparison = compare_scores(score, first)
    return {"difference": comparison.difference, "p_value": comparison.p_value}


def _compare_gleu(score: GleuScore, first: GleuScore) -> Comparison:
    """Test two systems' GLEU on statistics that are means over the references: what a draw of references gives on average."""
    return compare_statistics(score.statistics.mean(axis=1), first.statistics.mean(axis=1), gleu_of)


def _by_type(score: Score | GleuScore) -> dict[str, Measures]:
    assert isinstance(score, Score)  # the options were checked
    return _rows(score.by_type())


def _by_level(score: Score | GleuScore, levels: Sequence[str]) -> dict[str, Measures]:
    if isinstance(score, Score):
        return _rows(score.by_group(levels, "level"))
    by_level = {}
    for level in sorted(set(levels)):
        chosen = [place for place, other in enumerate(levels) if other == level]
        by_level[level] = _measures(GleuScore(score.signature, score.statistics[chosen]))
    return by_level


def _rows(table: Any) -> dict[str, Measures]:
    """The rows of a data frame of counts and figures, by its index."""
    rows: dict[str, Measures] = table[list(_MEASURES)].to_dict("index")
    return rows


def _shown(found: Mapping[str, Any], by: str | None) -> str:
    """The plain form of what was found: a table of systems, one of their levels or types, and the signature."""
    systems = found["systems"]
    parts = [_table([{name: value for name, value in system.items() if name != "by"} for system in systems])]
    if by:
        rows = [
            {"hypothesis": system["hypothesis"], by: group, **measures}
            for system in systems
            for group, measures in system["by"].items()
        ]
        parts.append(_table(rows) if rows else "no edits, so no error types")
    if len(systems) > 1:
        first = systems[0]["hypothesis"]
        parts.append(f"difference, p: against {first}; two-sided approximate randomisation")
    return "\n\n".join([*parts, found["signature"]])


def _table(rows: Sequence[Measures]) -> str:
    """Rows of one shape in aligned columns, texts to the left and numbers to the right."""
    names = list(rows[0])
    cells = [[_HEADINGS.get(name, name) for name in names], *([_cell(name, row[name]) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [isinstance(value, str) for value in rows[0].values()]
    aligned = (
        [cell.ljust(width) if text else cell.rjust(width) for cell, width, text in zip(line, widths, texts, strict=True)]
        for line in cells
    )
    return "\n".join("  ".join(line).rstrip() for line in aligned)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, str | int):
        return str(value)
    if name == "p_value":
        return f"{value:.4f}"
    return f"{100 * value:+.2f}" if name == "difference" else f"{100 * value:.2f}"
