"""Whether memory stays flat while the text grows tenfold: ``pseudogec noise``, and the study's binarised pseudo data.

    OMP_NUM_THREADS=1 python tests/bench/bench_memory.py [--sentences 20000 200000] [--text F]

The two sizes may be any; 100,000 and 1,000,000 take about four minutes. A figure is the peak resident memory of a process of its
own. Text: newswire of the embedded world, repeated where it is too short, or the lines of F.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from bench_pseudo_data import build_here, describe_shards
from measuring import Ratio, describe_machine, lines_of, seed_text, show_ratios

from artefacts import missing
from artefacts.files import write_lines
from artefacts.store import Store
from pseudogec.__main__ import main as pseudogec
from pseudogec.corpora import WorldPairs
from pseudogec.edits import write_m2

FLAT = 1.1
NOISE_METHODS = ("direct_noise", "direct_noise_spell", "realistic", "rules")


def peak_of(work: Callable[..., object], *arguments: object) -> float:
    """Peak resident memory, in MiB, of a fresh process that does a piece of work."""
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=work_and_tell, args=(sender, work, *arguments))
    process.start()
    sender.close()  # so that the receiver learns when the process dies
    try:
        peak: float = receiver.recv()
    except EOFError:
        raise SystemExit("the process failed") from None
    process.join()
    return peak


def work_and_tell(sender: Connection, work: Callable[..., object], *arguments: object) -> None:
    if work(*arguments):
        raise SystemExit("the program failed")
    # Not ru_maxrss, which a process inherits from the one that started it.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    sender.send(int(status["VmHWM"].split()[0]) / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, nargs=2, default=[20_000, 200_000])
    parser.add_argument("--text", type=Path, metavar="F")
    options = parser.parse_args()
    print(describe_machine())
    few, many = options.sentences
    peaks: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learners = WorldPairs(split="train", sentences=4000).read()
        write_m2(folder / "genuine.m2", (sentence.annotated for sentence in learners if sentence.annotated is not None))
        genuine = ["--genuine-m2", str(folder / "genuine.m2")]
        text = seed_text(options.text, many)
        for size in (few, many):
            write_lines(folder / f"text{size}", lines_of(text[:size]))
        del text
        ways: dict[str, Callable[[int], float]] = {}
        for method in NOISE_METHODS:
            program = ["noise", "--method", method, *genuine, "--output-prefix", str(folder / "out"), "--input"]
            ways[f"pseudogec noise, {method}"] = lambda size, program=program: peak_of(  # type: ignore[misc]
                pseudogec, [*program, str(folder / f"text{size}")]
            )

        def study(size: int) -> float:
            # One shard of the whole text: of two, each is half of what is asked for.
            shard = describe_shards(folder / f"text{size}", 2 * size, merges=2000)[0]
            for parent in missing(shard.parents, Store(folder / "store")):
                build_here(folder / "store", parent)
            return peak_of(build_here, folder / "store", shard)

        ways["the study, binarised direct_noise"] = study
        print(f"\n{'peak memory':40}{few:>12,}{many:>12,} sentences")
        for way, peak in ways.items():
            peaks[way] = [peak(few), peak(many)]
            print(f"{way:40}{peaks[way][0]:8.0f} MiB{peaks[way][1]:8.0f} MiB")
    show_ratios(
        Ratio(f"{way}: {many:,} to {few:,} sentences", after / before, at_most=FLAT) for way, (before, after) in peaks.items()
    )


if __name__ == "__main__":
    main()
