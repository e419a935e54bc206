"""``pseudogec score``: score the output of any system, and test whether systems differ."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from tqdm import tqdm

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines, refuse_pipe
from pseudogec.corpora import read_jfleg, read_plain
from pseudogec.edits import Annotator, AnnotatorName, is_m2, load_annotator, read_m2
from pseudogec.evaluate import METRICS, Estimate, Gold, Metric, compare_scores

_REFERENCES = {
    "edits": "one M2 file, or parallel references, whose edits ERRANT finds",
    "rewrites": "parallel references: whole corrected sentences, each file an annotator; or one M2 file, whose edits make them",
}

Figures = dict[str, Any]
"""Figures by name, in the order in which they are shown."""


def add_parser(commands: Any) -> None:
    names = {metric.name: metric for metric in METRICS}
    width = max(len(", ".join([name, *metric.also_called])) for name, metric in names.items())
    metrics = "\n".join(
        f"  {', '.join([name, *metric.also_called]):{width}}  {metric.label}: {_REFERENCES[metric.references]}"
        for name, metric in names.items()
    )
    parser = commands.add_parser(
        "score",
        help=f"score corrected text with {', '.join(metric.label for metric in METRICS)} or a metric of your own",
        description="Score corrected text. Files hold one tokenised sentence a line (M2 files: one block a sentence); tokens are "
        "taken as they\nstand. M2 files are known by their content. The metrics and their references:\n"
        f"{metrics}\nAn annotator of an M2 file without a line for a sentence leaves it as it is, in rewrites as in pairs that "
        "are read\nfrom the file; metrics of edits compare it with the other annotators' edits alone.\nOf several systems, each "
        "is compared with the first. A system may have several outputs, one of each seed of its\nmodels: then the interval and p "
        "allow for other seeds too, and otherwise only for other sentences.\n\n"
        "Example: pseudogec score --metric errant --hypothesis corrected.txt --reference gold.m2",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    known = f"{', '.join(names)}, or package.module:Class; with fields as '{{metric: NAME, field: value}}'"
    add("--metric", required=True, metavar="NAME", help=known)
    several: dict[str, Any] = {"required": True, "nargs": "+", "type": Path, "metavar": "F"}
    add("--hypothesis", action="append", **several, help="a system's corrections, a file a seed; repeat it for another system")
    add("--reference", action="extend", **several, help="an M2 file, or corrected sentences (may be repeated)")
    add("--source", type=Path, metavar="F", help="the sentences before correction, unless the references are an M2 file")
    add("--annotator", choices=get_args(AnnotatorName), default="auto", help="finds edits (default: auto)")
    add("--json", action="store_true", help="print one JSON object; figures then run from 0 to 1, not to 100")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    metric = _named(options.metric)
    annotator = load_annotator(options.annotator) if metric.needs_annotator else None
    gold = _read_gold(options, metric, annotator)
    # All files are read and counted before anything is scored, which may take minutes.
    outputs = [path for system in options.hypothesis for path in system]
    hypotheses = {path: list(read_plain(path)) for path in outputs}
    for path, hypothesis in hypotheses.items():
        if len(hypothesis) != len(gold.sources):
            problem = f"has {len(hypothesis)} lines and {gold.name} has {len(gold.sources)} sentences"
            raise DataError(path, f"{problem}; line for line they must correspond")
    with tqdm(unit=" sentences", leave=False, disable=None) as bar:  # None: only in a terminal

        def told(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        scores = {
            path: metric.score(gold, tokens, annotator, name=str(path), progress=told) for path, tokens in hypotheses.items()
        }
    first, *others = ([scores[path] for path in system] for system in options.hypothesis)
    reference, *names = (" ".join(map(str, system)) for system in options.hypothesis)
    found = {
        "metric": options.metric,
        "signature": first[0].signature,
        "outputs": [{"hypothesis": str(path), **scores[path].figures} for path in outputs],
        "differences": [
            {"system": name, "from": reference, **_difference(compare_scores(other, first))}
            for name, other in zip(names, others, strict=True)
        ],
    }
    print(json.dumps(found, ensure_ascii=False) if options.json else _shown(found, metric))


def _named(text: str) -> Metric:
    """The metric that a user writes as in a profile."""
    try:
        return METRICS.make(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError):
        raise UserError(f"--metric {text}: write a name, or '{{metric: NAME, field: value}}'") from None


def _read_gold(options: argparse.Namespace, metric: Metric, annotator: Annotator | None) -> Gold:
    references = options.reference
    if m2_files := [path for path in references if _is_m2(path)]:
        if len(references) > 1:
            raise DataError(m2_files[0], "is an M2 file, which holds all annotators; no other --reference can stand beside it")
        return Gold.annotated(list(read_m2(m2_files[0])), str(m2_files[0]))
    if options.source is None:
        raise UserError(
            "--source is missing; parallel references do not hold the sentences before correction, as an M2 file does"
        )
    sentences = list(read_jfleg(options.source, references))
    rewrites = [[sentence.references[number] for sentence in sentences] for number in range(len(references))]
    if metric.references == "edits":
        annotator = annotator or load_annotator(options.annotator)
    return Gold.parallel([sentence.pair.source for sentence in sentences], rewrites, str(options.source), annotator)


def _is_m2(path: Path) -> bool:
    refuse_pipe(path)
    first = next((line for line in read_lines(path) if line.strip()), None)
    if first is None:
        raise DataError(path, "the file is empty; an M2 file or corrected sentences, one a line, were expected")
    return is_m2(first)


def _difference(found: Estimate) -> Figures:
    low, high = found.interval
    return {"difference": found.value, "low": low, "high": high, "p_value": found.p_value}


def _shown(found: Mapping[str, Any], metric: Metric) -> str:
    parts = [_table(found["outputs"], metric)]
    if differences := found["differences"]:
        parts.append(_table(differences, metric))
        parts.append(
            f"difference in {metric.headline.label}, with its 95% interval and p: over other sentences, and over other seeds "
            "of systems with several outputs"
        )
    return "\n\n".join([*parts, found["signature"]])


def _table(rows: Sequence[Figures], metric: Metric) -> str:
    """Rows of one shape in aligned columns, texts to the left and numbers to the right."""
    names = list(rows[0])
    headings = {measure.name: measure.label for measure in metric.measures} | {name: name.upper() for name in metric.counts}
    headings |= {"p_value": "p", "low": "from", "high": "to", "from": "against"}
    cells = [[headings.get(name, name) for name in names], *([_cell(name, row[name]) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [all(isinstance(row[name], str) for row in rows) for name in names]
    aligned = (
        [cell.ljust(width) if text else cell.rjust(width) for cell, width, text in zip(line, widths, texts, strict=True)]
        for line in cells
    )
    return "\n".join("  ".join(line).rstrip() for line in aligned)


def _cell(name: str, value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    if name == "p_value":
        return f"{value:.4f}"
    return f"{100 * value:+.2f}" if name in {"difference", "low", "high"} else f"{100 * value:.2f}"
