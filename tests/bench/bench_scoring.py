"""How long it takes to score systems, beside ERRANT's own loop (``errant_parallel``) over the same pipeline.

    OMP_NUM_THREADS=1 python tests/bench/bench_scoring.py --reference A.m2 [B.m2 ...] --hypothesis FIRST SECOND [--workers 2]

The reference files together are the test set; the hypotheses are tokenised corrections of it, one sentence a line. The search for
the first system's edits begins in a fresh process each time, with nothing parsed or remembered; the second system is scored then.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench_annotators import errant_parallel

from artefacts.files import read_lines
from pseudogec.edits import AnnotatedSentence, load_annotator, read_m2
from pseudogec.evaluate import ERRANT, Gold, MaxMatch

Tokens = Sequence[list[str]]


def seconds(work: Callable[[], object]) -> float:
    """Wall time of some work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def repetitive_cases() -> dict[str, tuple[list[str], list[str]]]:
    """Source and hypothesis pairs on which searches of edit lattices explode."""
    phrase = "and then he said that".split()
    words = [f"word{number * 7919 % 997}" for number in range(2000)]
    return {
        "one phrase, 500 tokens": ("He said that he came .".split(), phrase * 100),
        "2,000 random tokens": (words[:40], words),
    }


def annotate_then_score(references: list[AnnotatedSentence], first: Tokens, second: Tokens, workers: int) -> tuple[float, float]:
    """Seconds to find one system's edits, and then to score another; in a process of its own."""
    annotator = load_annotator("offline")
    gold = Gold.annotated(references)
    annotated = seconds(lambda: annotator.annotate(gold.sources, first, workers=workers))
    return annotated, seconds(lambda: ERRANT.score(gold, second, annotator, workers=workers))


def annotate_by_loop(references: list[AnnotatedSentence], first: Tokens) -> float:
    """Seconds that ERRANT's loop takes to find one system's edits; in a process of its own."""
    annotator, sources = load_annotator("offline"), [list(sentence.source) for sentence in references]
    return seconds(lambda: errant_parallel(annotator, sources, first))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", nargs="+", required=True, type=Path)
    parser.add_argument("--hypothesis", nargs=2, required=True, type=Path)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    references = [sentence for path in options.reference for sentence in read_m2(path)]
    first, second = ([line.split() for line in read_lines(path)] for path in options.hypothesis)
    spawn = multiprocessing.get_context("spawn")
    # Pools whose processes end after one task: each measurement begins with nothing remembered.
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as fresh:
        theirs = fresh.submit(annotate_by_loop, references, first).result()
        alone = fresh.submit(annotate_then_score, references, first, second, 1).result()
        shared = fresh.submit(annotate_then_score, references, first, second, options.workers).result()
    maxmatch = seconds(lambda: MaxMatch().score(Gold.annotated(references), first))
    annotator = load_annotator("offline")
    print(f"{len(references)} sentences, {annotator.signature}")
    rows = {
        "errant_parallel's loop, edits of the first": theirs,
        "ERRANT, edits of the first, 1 process": alone[0],
        f"ERRANT, edits of the first, {options.workers} processes": shared[0],
        "ERRANT, score of the second, 1 process": alone[1],
        "MaxMatch, first system": maxmatch,
    }
    for name, taken in rows.items():
        ratio = f"{theirs / taken:8.1f} times the loop's speed" if name.startswith("ERRANT") else ""
        print(f"{name:44}{taken:8.2f} s{len(references) / taken:10.0f} sentences/s{ratio}")
    for name, (source, hypothesis) in repetitive_cases().items():
        gold = Gold.annotated([AnnotatedSentence(tuple(source), {0: ()})])
        for metric in (MaxMatch(), ERRANT):
            taken = seconds(lambda metric=metric, gold=gold, hypothesis=hypothesis: metric.score(gold, [hypothesis], annotator))
            print(f"{metric.label + ', ' + name:44}{taken:8.2f} s")


if __name__ == "__main__":
    main()
