"""Make the learners of the classroom like those of W&I: fit
``lib/pseudogec/noise/learner_levels.csv``, and check it.

    python tests/bench/fit_learners.py measure FOLDER      # writes wi_statistics.csv
    python tests/bench/fit_learners.py fit [--rounds 6]    # to it, on sentences of the part `train`
    python tests/bench/fit_learners.py check FOLDER        # on sentences of `seed`, against others of W&I

FOLDER has {A,B,C}.{train,dev}.gold.bea19.m2. The offline annotator finds the edits of both sides. A
round multiplies the factor of each type by the wanted number of edits a token over the observed
one, of the types that the annotator names such errors (the update of Richardson and Lucy). It looks
at these counts alone, never at a model's scores. Natives (N) have no open corpus: LOCNESS must be
asked for. Their shares are of figure 6 of Kiyono et al. (2020).
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from pseudogec.artefacts.files import write_lines
from pseudogec.corpora import CorrectedSentence, Pair
from pseudogec.corpora.classroom import Part, classroom_sentences
from pseudogec.edits import AnnotatedSentence, apply_edits, load_annotator, read_m2
from pseudogec.evaluate import likeness
from pseudogec.evaluate.error_types import main_type, type_agreement
from pseudogec.evaluate.likeness import LENGTHS, TextStatistics, wi_statistics
from pseudogec.noise import learner_levels
from pseudogec.noise.classroom import learner_sentences
from pseudogec.noise.learner_levels import Level

STATISTICS = Path(likeness.__file__).with_name("wi_statistics.csv")
FACTORS = Path(learner_levels.__file__).with_name("learner_levels.csv")
MEASURED = 6000
"""Sentences of each level that `wi_statistics.csv` counts."""
NATIVE_RATE = 0.045
NATIVE_SHARES = {
    "PUNCT": 246, "SPELL": 139, "OTHER": 134, "ORTH": 76, "PREP": 74, "VERB:SVA": 41, "NOUN:POSS": 39, "DET": 37, "VERB": 33,
    "VERB:TENSE": 30, "NOUN": 29, "NOUN:NUM": 26, "MORPH": 18, "PRON": 17, "VERB:FORM": 14, "ADJ": 10, "CONTR": 10, "ADV": 8,
    "WO": 6,
    "PART": 4, "VERB:INFL": 4, "CONJ": 3, "NOUN:INFL": 2, "ADJ:FORM": 2,
}  # fmt: skip
"""Edits in a thousand, by type."""


def statistics_of(pairs: list[Pair]) -> TextStatistics:
    sources, targets = zip(*pairs, strict=True)
    edits = load_annotator("offline").annotate(sources, targets)
    return TextStatistics.of(
        AnnotatedSentence(tuple(source), {0: found})
        for source, found in zip(sources, edits, strict=True)
    )


def written(level: Level, part: Part, count: int, seed: str) -> list[CorrectedSentence]:
    sentences = classroom_sentences("everyday", part)
    return list(
        learner_sentences(
            (sentences[place % len(sentences)] for place in range(count)), seed, level
        )
    )


def wi_pairs(folder: Path, level: str, *, measured: bool) -> list[Pair]:
    """The sentences of W&I's train and dev that `wi_statistics.csv` counts, or the others."""
    files = (folder / f"{level}.{part}.gold.bea19.m2" for part in ("train", "dev"))
    sentences = [sentence for file in files for sentence in read_m2(file)]
    counted = set(random.Random(1).sample(range(len(sentences)), MEASURED))
    return [
        Pair(list(each.source), apply_edits(each.source, each.annotators.get(0, ())))
        for place, each in enumerate(sentences)
        if (place in counted) == measured
    ]


def measure(folder: Path) -> None:
    columns = {}
    for level in "ABC":
        statistics = statistics_of(wi_pairs(folder, level, measured=True))
        types = {f"type {name}": count for name, count in statistics.types.items()}
        columns[level] = {**statistics.values, **types}
    table = pd.DataFrame(columns).fillna(0).rename_axis("statistic")
    write_lines(STATISTICS, table.map(lambda value: f"{value:.6g}").to_csv().splitlines())


def fit(rounds: int, count: int) -> None:
    table = {row["type"]: row for row in _rows()}
    wanted = {
        level: (found.types, found.values["edits a token"])
        for level, found in wi_statistics().items()
    }
    wanted["N"] = (NATIVE_SHARES, NATIVE_RATE)
    for turn in range(rounds):
        for level, (types, rate) in wanted.items():
            sentences = written(level, "train", round(count * 0.15 / rate), "fit")
            found = statistics_of([each.pair for each in sentences])
            total, tokens = (
                sum(types.values()),
                found.values["edits"] / found.values["edits a token"],
            )
            print(
                turn,
                level,
                f"{found.distance(TextStatistics({}, types)):.3f} "
                f"{found.values['edits a token'] / rate:.2f}",
                flush=True,
            )
            steps = {
                name: types.get(name, 0) / total * rate * tokens / number
                for name, number in found.types.items()
            }
            named = defaultdict(list)
            for true, annotated in _types(sentences):
                if annotated in steps:
                    named[true].append(steps[annotated])
            for name, row in table.items():
                step = sum(named[name]) / len(named[name]) if named[name] else 1.5
                row[level] = (
                    f"{min(max(float(row[level]) * min(max(step, 0.3), 3.0), 0.01), 30.0):.3g}"
                )
        write_lines(
            FACTORS,
            [",".join(row) for row in ([*table["DET"]], *(row.values() for row in table.values()))],
        )
        learner_levels.factors_of.cache_clear()


def _types(sentences: Sequence[CorrectedSentence]) -> Iterator[tuple[str, str]]:
    """The true type of each edit and the type that the annotator names."""
    truth = [each.annotated for each in sentences if each.annotated]
    edits = load_annotator("offline").annotate(
        *zip(*(each.pair for each in sentences), strict=True)
    )
    named = [
        AnnotatedSentence(each.source, {0: found}) for each, found in zip(truth, edits, strict=True)
    ]
    for row in type_agreement(truth, named).itertuples():
        yield main_type(row.true_type), main_type(row.found_type)


def _rows() -> list[dict[str, str]]:
    with FACTORS.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(folder: Path, count: int) -> None:
    for level in wi_statistics():
        real = statistics_of(wi_pairs(folder, level, measured=False))
        sentences = written(level, "seed", count, "check")
        found = statistics_of([each.pair for each in sentences])
        true = Counter(
            main_type(edit.type)
            for each in sentences
            if each.annotated
            for edit in each.annotated.annotators[0]
        )
        yardstick = real.yardstick(int(found.values["edits"]))
        print(
            f"{level}: distance of types {found.distance(real):.3f} (a sample of W&I: "
            f"{yardstick:.3f})"
        )
        for name in LENGTHS:
            value = found.values[name]
            print(
                f"  {name:24} {real.values[name]:8.3f} {value:8.3f} "
                f"{value / real.values[name]:6.2f}"
            )
        print("  type: share in W&I, in the classroom, by rule")
        for name, number in real.types.items():
            shares = (
                number / real.values["edits"],
                found.types.get(name, 0) / found.values["edits"],
                true[name] / true.total(),
            )
            print(f"  {name:24} " + " ".join(f"{share:8.1%}" for share in shares))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("measure", "fit", "check"))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--sentences", type=int, default=4000, help="of each level")
    options = parser.parse_args()
    if options.what == "measure":
        measure(options.folder)
    elif options.what == "fit":
        fit(options.rounds, options.sentences)
    else:
        check(options.folder, options.sentences)


if __name__ == "__main__":
    main()
