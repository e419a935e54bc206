"""How many sentence pairs a second are annotated, beside ERRANT's own loop (``errant_parallel``) over the same pipeline.

    python tests/bench/bench_annotators.py SOURCE TARGET [--annotator offline] [--workers 2]

SOURCE and TARGET are tokenised text, one sentence a line.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import get_args

from artefacts.files import read_lines
from pseudogec.edits import Annotator, AnnotatorName, load_annotator


def errant_parallel(annotator: Annotator, sources: list[list[str]], targets: list[list[str]]) -> None:
    """What ``errant_parallel`` does, without writing."""
    errant = annotator._errant
    for source, target in zip(sources, targets, strict=True):
        parsed = errant.parse(" ".join(source))
        if source != target:
            errant.annotate(parsed, errant.parse(" ".join(target)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--annotator", default="auto", choices=get_args(AnnotatorName))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    sources, targets = ([line.split() for line in read_lines(path)] for path in (options.source, options.target))
    annotator = load_annotator(options.annotator)
    print(f"{len(sources)} pairs, {annotator.signature}")

    def measure(name: str, work: Callable[[], object]) -> None:
        start = time.perf_counter()
        work()
        print(f"{name:40}{len(sources) / (time.perf_counter() - start):8.0f} pairs/s")

    measure(f"annotate, {options.workers} processes", lambda: annotator.annotate(sources, targets, workers=options.workers))
    measure("annotate, 1 process", lambda: annotator.annotate(sources, targets))
    measure("annotate, sentences parsed before", lambda: annotator.annotate(sources, targets))
    measure("ERRANT's own loop", lambda: errant_parallel(annotator, sources, targets))


if __name__ == "__main__":
    main()
