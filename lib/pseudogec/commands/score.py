"""``pseudogec score``: score the output of any system, and test whether systems differ."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from tqdm import tqdm

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import read_lines
from pseudogec.corpora import read_plain
from pseudogec.edits import AnnotatorName, load_annotator
from pseudogec.evaluate import METRICS, Estimate, Gold, Metric, compare_scores

_REFERENCES = {
    "edits": "one M2 file, or parallel references, whose edits ERRANT finds",
    "rewrites": "parallel references: whole corrected sentences, each file an annotator; or one M2 "
    "file, whose edits make them",
}

Figures = dict[str, Any]
"""Figures by name, in the order in which they are shown."""


def add_parser(commands: Any) -> None:
    example = "pseudogec score --metric errant --hypothesis corrected.txt --reference gold.m2"
    names = {metric.name: metric for metric in METRICS}
    width = max(len(", ".join([name, *metric.also_called])) for name, metric in names.items())
    metrics = "\n".join(
        f"  {', '.join([name, *metric.also_called]):{width}}  {metric.label}: "
        f"{_REFERENCES[metric.references]}"
        for name, metric in names.items()
    )
    parser = commands.add_parser(
        "score",
        description="Score corrected text. Files hold one tokenised sentence a line (M2 files: one "
        "block a sentence); tokens are "
        "taken as they\nstand. M2 files are known by their content. The metrics and their "
        "references:\n"
        f"{metrics}\nAn annotator of an M2 file without a line for a sentence leaves it as it is, "
        "in rewrites as in pairs that "
        "are read\nfrom the file; metrics of edits compare it with the other annotators' edits "
        "alone.\nOf several systems, each "
        "is compared with the first. A system may have several outputs, one of each seed of its\n"
        "models: then the interval and p "
        "allow for other seeds too, and otherwise only for other sentences.\n\n"
        f"Example: {example}",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument(
        "--metric",
        required=True,
        metavar="NAME",
        help=f"{', '.join(names)}, or package.module:Class for a metric of your own;\nwith "
        "fields as "
        "'{metric: NAME, field: value}'",
    )
    several: dict[str, Any] = {
        "required": True,
        "action": "extend",
        "nargs": "+",
        "type": Path,
        "metavar": "F",
    }
    outputs = several | {"action": "append"}
    parser.add_argument(
        "--hypothesis",
        **outputs,
        help="a system's corrections, a file for each seed; repeat it for another system",
    )
    parser.add_argument(
        "--reference", **several, help="an M2 file, or corrected sentences (may be repeated)"
    )
    parser.add_argument(
        "--source",
        type=Path,
        metavar="F",
        help="the sentences before correction; an M2 file holds them, so only others need it",
    )
    typed = " or ".join(metric.name for metric in METRICS if metric.knows_types)
    by_help = (
        f"figures of each level, or of each error type ({typed} alone; edits of other types\n"
        "than ERRANT's are typed again)"
    )
    parser.add_argument("--by", choices=["level", "type"], help=by_help)
    parser.add_argument(
        "--levels",
        type=Path,
        metavar="F",
        help="the level of each sentence, such as A, B or C, one a line",
    )
    parser.add_argument(
        "--annotator",
        choices=get_args(AnnotatorName),
        default="auto",
        help="the pipeline that finds edits (default: auto)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object; figures then run from 0 to 1, not to 100",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    metric = _named(options.metric)
    _check_options(options, metric)
    annotator = (
        load_annotator(options.annotator)
        if metric.needs_annotator or options.by == "type"
        else None
    )
    with _warnings_told():
        gold = Gold.read(
            options.reference,
            options.source,
            metric,
            annotator or options.annotator,
            typed=options.by == "type",
        )
    # All files are read and counted before anything is scored, which may take minutes.
    outputs = [path for system in options.hypothesis for path in system]
    hypotheses = {path: list(read_plain(path)) for path in outputs}
    for path, hypothesis in hypotheses.items():
        gold.check_lines(path, len(hypothesis))
    levels = _read_levels(options.levels, gold) if options.by == "level" else []
    # None: only in a terminal
    with _warnings_told(), tqdm(unit=" sentences", leave=False, disable=None) as bar:

        def show_progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        scores = {}
        for path, tokens in hypotheses.items():
            bar.set_description(path.name)
            scores[path] = metric.score(
                gold, tokens, annotator, name=str(path), progress=show_progress
            )
    called = {path: str(path) for path in outputs} if options.json else _short_names(outputs)
    rows = []
    for path in outputs:
        row = {"hypothesis": called[path], **scores[path].figures}
        if options.by:
            parts = (
                scores[path].by_type() if options.by == "type" else scores[path].by_group(levels)
            )
            row["by"] = {name: part.figures for name, part in parts.items()}
        rows.append(row)
    first, *others = ([scores[path] for path in system] for system in options.hypothesis)
    differences = [_difference(compare_scores(other, first)) for other in others]
    names = [" ".join(called[path] for path in system) for system in options.hypothesis]
    result = {
        "metric": options.metric,
        "signature": first[0].signature,
        "outputs": rows,
        "differences": [
            {"system": name, "from": names[0], **difference}
            for name, difference in zip(names[1:], differences, strict=True)
        ],
    }
    print(
        json.dumps(_finite(result), ensure_ascii=False, allow_nan=False)
        if options.json
        else _shown(result, metric, options.by)
    )


def _named(text: str) -> Metric:
    """The metric that a user writes as in a profile."""
    try:
        return METRICS.make(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError):
        raise UserError(
            f"--metric {text}: write a name, or '{{metric: NAME, field: value}}'"
        ) from None


def _check_options(options: argparse.Namespace, metric: Metric) -> None:
    if options.by == "type" and not metric.knows_types:
        able = " or ".join(f"--metric {other.name}" for other in METRICS if other.knows_types)
        raise UserError(f"--by type: {metric.name} has no error types; choose {able}")
    if options.by == "level" and options.levels is None:
        raise UserError(
            "--by level needs --levels FILE, with the level of each sentence, one a line"
        )
    if options.levels is not None and options.by != "level":
        raise UserError("--levels is for --by level; give both or neither")


def _read_levels(path: Path, gold: Gold) -> list[str]:
    levels = [line.strip() for line in read_lines(path)]
    gold.check_lines(path, len(levels))
    if "" in levels:
        raise DataError(
            path, "the line is blank; a level, such as A, was expected", levels.index("") + 1
        )
    return levels


@contextlib.contextmanager
def _warnings_told() -> Iterator[None]:
    """Print warnings in the program's own form."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        print(f"warning: {warning.message}", file=sys.stderr)


def _difference(estimate: Estimate) -> Figures:
    low, high = estimate.interval
    return {"difference": estimate.value, "low": low, "high": high, "p_value": estimate.p_value}


def _finite(value: Any) -> Any:
    """JSON has no infinite numbers; the bounds of an interval are infinite if nothing follows for
    other sentences.
    """
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _short_names(paths: Sequence[Path]) -> dict[Path, str]:
    """The end of each path, as short as tells it from the others."""
    lengths = range(1, max(len(path.parts) for path in paths) + 1)
    each = ({path: str(Path(*path.parts[-length:])) for path in paths} for length in lengths)
    return next(names for names in each if len(set(names.values())) == len(names))


def _shown(result: Mapping[str, Any], metric: Metric, by: str | None) -> str:
    outputs = result["outputs"]
    wholes = [{name: value for name, value in output.items() if name != "by"} for output in outputs]
    parts = [_table(wholes, metric)]
    if by and (groups := sorted({group for output in outputs for group in output["by"]})):
        absent = dict.fromkeys(list(wholes[0])[1:], "-")
        tables = [("", [{by: group} for group in groups])]
        tables += [
            (output["hypothesis"], [output["by"].get(group, absent) for group in groups])
            for output in outputs
        ]
        parts.append(
            _beside([[heading, *_table(rows, metric).splitlines()] for heading, rows in tables])
        )
    elif by:
        parts.append("no edits, so no error types")
    if differences := result["differences"]:
        parts.append(_table(differences, metric))
        parts.append(
            f"difference in {metric.headline.label}, with its 95% interval and p: over other "
            "sentences, and over other seeds "
            "of systems with several outputs"
        )
    return "\n\n".join([*parts, result["signature"]])


def _beside(blocks: Sequence[Sequence[str]]) -> str:
    """Blocks of as many lines, side by side."""
    widths = [max(map(len, block)) for block in blocks]
    lines = zip(*blocks, strict=True)
    return "\n".join("   ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _table(rows: Sequence[Figures], metric: Metric) -> str:
    """Rows of one shape in aligned columns, texts to the left and numbers to the right."""
    names = list(rows[0])
    headings = {measure.name: measure.label for measure in metric.measures} | {
        name: name.upper() for name in metric.counts
    }
    headings |= {"p_value": "p", "low": "from", "high": "to", "from": "against"}
    cells = [
        [headings.get(name, name) for name in names],
        *([_cell(name, row[name]) for name in names] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [all(isinstance(row[name], str) for row in rows) for name in names]
    aligned = (
        [
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(line, widths, texts, strict=True)
        ]
        for line in cells
    )
    return "\n".join("  ".join(line).rstrip() for line in aligned)


def _cell(name: str, value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    if name == "p_value":
        return f"{value:.4f}"
    return f"{100 * value:+.2f}" if name in {"difference", "low", "high"} else f"{100 * value:.2f}"
