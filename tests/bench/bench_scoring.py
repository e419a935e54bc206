"""How long it takes to score systems, beside ERRANT's own loop (``errant_parallel``) over the same pipeline.

    OMP_NUM_THREADS=1 python tests/bench/bench_scoring.py --reference A.m2 [B.m2 ...] --hypothesis FIRST SECOND [--workers 2]

The reference files together are the test set; the hypotheses are tokenised corrections of it, one sentence a line. The first is
scored with nothing parsed before, the second when one process has scored the first.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from bench_annotators import errant_parallel

from pseudogec.edits import load_annotator, read_m2
from pseudogec.evaluate import ErrantScorer, MaxMatchScorer
from pseudogec.files import read_lines


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", nargs="+", required=True, type=Path)
    parser.add_argument("--hypothesis", nargs=2, required=True, type=Path)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    references = [sentence for path in options.reference for sentence in read_m2(path)]
    sources = [list(sentence.source) for sentence in references]
    first, second = ([line.split() for line in read_lines(path)] for path in options.hypothesis)
    annotator = load_annotator("offline")
    scorer, maxmatch = ErrantScorer(references, annotator), MaxMatchScorer(references)
    print(f"{len(references)} sentences, {annotator.signature}")
    times = {
        f"ERRANT, first system, {options.workers} processes": seconds(lambda: scorer.score(first, workers=options.workers)),
        "ERRANT, first system, 1 process": seconds(lambda: scorer.score(first)),
        "ERRANT, second system, 1 process": seconds(lambda: scorer.score(second)),
        "errant_parallel's loop (edits alone)": seconds(lambda: errant_parallel(annotator, sources, first)),
        "MaxMatch, first system": seconds(lambda: maxmatch.score(first)),
    }
    theirs = times["errant_parallel's loop (edits alone)"]
    for name, taken in times.items():
        ratio = f"{theirs / taken:8.1f} times the loop's speed" if name.startswith("ERRANT") else ""
        print(f"{name:40}{taken:8.2f} s{len(references) / taken:10.0f} sentences/s{ratio}")
    for name, (source, hypothesis) in repetitive_cases().items():
        one = [type(references[0])(tuple(source), {0: ()})]
        for kind, work in (("MaxMatch", MaxMatchScorer(one).score), ("ERRANT", ErrantScorer(one, annotator).score)):
            print(f"{kind + ', ' + name:40}{seconds(lambda work=work, hypothesis=hypothesis: work([hypothesis])):8.2f} s")


if __name__ == "__main__":
    main()
