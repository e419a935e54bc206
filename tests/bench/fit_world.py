"""Make the simulated learners like those of W&I: measure the corpus, then fit the rates of `lib/learner_world/data/levels.csv`.

    python tests/bench/fit_world.py measure FOLDER     # of {A,B,C}.{train,dev}.gold.bea19.m2: writes wi_statistics.csv
    python tests/bench/fit_world.py fit [--sentences 4000] [--rounds 1]
    python tests/bench/fit_world.py compare [--sentences 3000]

Both sides are annotated by the offline annotator. A round of the fit multiplies each weight by the wanted share over the
observed one; it looks at these statistics alone, never at a model's scores. Level N has no open corpus (LOCNESS must be asked
for), so its rates stay.
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from learner_world import learner_sentences
from pseudogec.artefacts.files import write_lines
from pseudogec.corpora import Pair
from pseudogec.edits import AnnotatedSentence, apply_edits, load_annotator, read_m2
from pseudogec.evaluate import likeness
from pseudogec.evaluate.likeness import LENGTHS, TextStatistics, wi_statistics

LEVELS = "ABC"
MOST = 6000
"""Sentences of W&I that are measured at each level."""

RATES = Path(sys.modules["learner_world"].__path__[0]) / "data" / "levels.csv"
MEASURED = Path(likeness.__file__).with_name("wi_statistics.csv")


def statistics_of(pairs: Iterable[Pair]) -> TextStatistics:
    sources, targets = zip(*((pair.source, pair.target) for pair in pairs), strict=True)
    edits = load_annotator("offline").annotate(sources, targets)
    return TextStatistics.of(
        AnnotatedSentence(tuple(source), {0: found})
        for source, found in zip(sources, edits, strict=True)
    )


def wi_pairs(folder: Path, level: str) -> list[Pair]:
    """A random sample of train and dev."""
    files = (folder / f"{level}.{part}.gold.bea19.m2" for part in ("train", "dev"))
    sentences = [sentence for file in files for sentence in read_m2(file)]
    chosen = random.Random(1).sample(sentences, min(MOST, len(sentences)))
    return [
        Pair(list(each.source), apply_edits(each.source, each.annotators.get(0, ())))
        for each in chosen
    ]


def world_statistics(level: str, sentences: int) -> TextStatistics:
    found = learner_sentences(sentences, "train", seed=7, levels={level: 1.0})
    return statistics_of(Pair(list(sentence.source), list(sentence.target)) for sentence in found)


def as_table(by_level: Mapping[str, TextStatistics]) -> pd.DataFrame:
    """One row for each statistic, one column for each level; the rows of error types count edits."""
    columns = {
        level: {**found.values, **{f"type {name}": count for name, count in found.types.items()}}
        for level, found in by_level.items()
    }
    return pd.DataFrame(columns).fillna(0).rename_axis("statistic")


def measure(folder: Path) -> None:
    table = as_table({level: statistics_of(wi_pairs(folder, level)) for level in LEVELS})
    write_lines(MEASURED, table.map(lambda value: f"{value:.6g}").to_csv().splitlines())


def fit(sentences: int) -> None:
    """One round: the rate of each level, and the weight of each family, which is the main type that it is meant to give."""
    with RATES.open(encoding="utf-8") as file:
        rate, *families = csv.DictReader(file)
    for level, wanted in wi_statistics().items():
        found = world_statistics(level, sentences)
        rate[level] = (
            f"{float(rate[level]) * wanted.values['edits a token'] / found.values['edits a token']:.4g}"
        )
        for row in families:
            shares = [
                each.types.get(row["family"], 0) / each.values["edits"] for each in (wanted, found)
            ]
            step = min(max(shares[0] / max(shares[1], 1e-4), 0.25), 4.0)
            row[level] = f"{float(row[level]) * step:.4g}"
        total = sum(float(row[level]) for row in families) / 100
        for row in families:
            row[level] = f"{float(row[level]) / total:.4g}"
    write_lines(RATES, [",".join(rate), *(",".join(row.values()) for row in (rate, *families))])


def compare(sentences: int) -> None:
    for level, wanted in wi_statistics().items():
        found = world_statistics(level, sentences)
        distance, yardstick = found.distance(wanted), wanted.yardstick(int(found.values["edits"]))
        print(
            f"{level}: distance of types {distance:.3f}, of a sample of W&I {yardstick:.3f}, ratio {distance / yardstick:.2f}"
        )
        for name, value in wanted.values.items():
            note = f"{found.values[name] / value:6.2f}" if name in LENGTHS else ""
            print(f"  {name:28} {value:10.3f} {found.values[name]:10.3f} {note}")
        for name, count in sorted(wanted.types.items(), key=lambda item: -item[1]):
            share = found.types.get(name, 0) / found.values["edits"]
            print(f"  {name:28} {count / wanted.values['edits']:10.1%} {share:10.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("measure", "fit", "compare"))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument(
        "--sentences", type=int, default=4000, help="of each level that the world writes"
    )
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    if options.what == "measure":
        measure(options.folder)
    elif options.what == "compare":
        compare(options.sentences)
    else:
        fit(options.sentences)
        if options.rounds > 1:  # rates are read once, when the package is imported
            again = [
                sys.executable,
                __file__,
                "fit",
                "--sentences",
                str(options.sentences),
                "--rounds",
                str(options.rounds - 1),
            ]
            subprocess.run(again, check=True)


if __name__ == "__main__":
    main()
