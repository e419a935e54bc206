"""Direct noise with ``pseudogec noise``, beside the paper's authors' loop over tokens: lines a
second, processor time, memory.

    python tests/bench/bench_noise.py [--lines 10000 100000] [--input F] [--seed 1]

The text is cut after so many lines, or repeated; without `--input` it is the classroom's novels, in
pieces of 8,000 merges. Each way (`authors_noising.py` is the authors') runs in a process of its
own, and starting it counts. The ratio is of processor time, which other programs on the machine
disturb less.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from itertools import chain, islice, repeat
from pathlib import Path
from typing import NamedTuple

from measuring import describe_machine, make_text

from pseudogec.artefacts.files import read_lines, write_lines

DISTINCT = 20_000


class Run(NamedTuple):
    wall: float  # seconds
    user: float  # seconds of the processor, without the system's
    peak: float  # MiB


def measured(command: list[str]) -> Run:
    """Run a program; its processor time and its peak memory are the kernel's."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return Run(time.perf_counter() - started, usage.ru_utime, usage.ru_maxrss / 1024)


def measure(text: Path, numbers: list[int], seed: int, folder: Path) -> None:
    print(describe_machine())
    print(
        f"\n{'lines':>10}  "
        f"{'way':10}{'lines/s':>10}{'user s':>9}{'us/line':>9}{'peak MiB':>10}{'ratio':>7}"
    )
    cut, output = folder / "cut.txt", str(folder / "noised")
    ways = {
        "authors'": [
            str(Path(__file__).with_name("authors_noising.py")),
            str(cut),
            output,
            str(seed),
        ],
        "ours": f"-m pseudogec noise --method direct_noise --input {cut} --output-prefix {output} "
        f"--seed {seed}".split(),
    }
    for number in numbers:
        write_lines(cut, islice(chain.from_iterable(map(read_lines, repeat(text))), number))
        runs = {way: measured(command) for way, command in ways.items()}
        for way, run in runs.items():
            speed, each, ratio = (
                number / run.wall,
                1e6 * run.user / number,
                runs["authors'"].user / run.user,
            )
            print(
                f"{number:10,}  "
                f"{way:10}{speed:10,.0f}{run.user:9.2f}{each:9.1f}{run.peak:10.0f}{ratio:7.2f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument(
        "--input", type=Path, metavar="F", help="text in subwords, a sentence a line"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.input is None:
            write_lines(
                folder / "in.txt", map(" ".join, make_text(folder, 4000, 8000, DISTINCT).sentences)
            )
        measure(options.input or folder / "in.txt", options.lines, options.seed, folder)


if __name__ == "__main__":
    main()
