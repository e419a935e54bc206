"""Whether a training's memory stays flat while its data grow: all pairs at once, and in turns.

    OMP_NUM_THREADS=1 python tests/bench/bench_training_memory.py [--pairs 500000 1000000 2000000] [--at-once 250000]

Every figure is the peak resident memory of a process of its own that trains a tiny model for twenty updates. It has then seen the
whole index: the pairs of all turns are counted and cut into batches first. What the data take is the difference to the same
training with a thousand pairs.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench_memory import peak_of
from measuring import Ratio, describe_machine, seed_text, show_ratios

from pseudogec.seq2seq import Architecture, Optimisation, binarise, train
from pseudogec.text import Vocabulary

TINY = Architecture(encoder_layers=1, decoder_layers=1, attention_heads=2, model_size=32, feed_forward_size=64)
SHARD = 50_000
FLAT = 1.1


def train_some(folder: Path, name: str, shards: int, at_once: int | None) -> None:
    """Twenty updates; the same shard serves as often as it takes."""
    optimisation = Optimisation(learning_rate=1e-3, warmup_updates=10, max_tokens=1000, updates=20, pairs_at_once=at_once)
    data = [folder / name] * shards
    train(data, None, folder / "dict.txt", folder / f"model-{name}-{shards}-{at_once}", TINY, optimisation, seed=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[500_000, 1_000_000, 2_000_000])
    parser.add_argument("--at-once", type=int, default=250_000)
    options = parser.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        some = seed_text(None, 1000)
        Vocabulary(Counter(word for sentence in some for word in sentence), symbols=()).save(folder / "dict.txt")
        pairs = [(sentence, sentence) for sentence in some]
        binarise(pairs, folder / "dict.txt", folder / "few")
        binarise(itertools.islice(itertools.cycle(pairs), SHARD), folder / "dict.txt", folder / "shard")
        nothing = peak_of(train_some, folder, "few", 1, None)
        print(f"\na training with 1,000 pairs takes {nothing:.0f} MiB; larger data take more by")
        print(f"{'pairs':>12}{'all at once':>16}{f'{options.at_once:,} at once':>22}{'seconds':>16}")
        peaks: dict[int | None, list[float]] = {None: [], options.at_once: []}
        for count in options.pairs:
            seconds = []
            for limit, found in peaks.items():
                start = time.perf_counter()
                found.append(peak_of(train_some, folder, "shard", count // SHARD, limit))
                seconds.append(time.perf_counter() - start)
            whole, turns = (found[-1] - nothing for found in peaks.values())
            print(f"{count:>12,}{whole:>12.0f} MiB{turns:>18.0f} MiB{seconds[0]:>10.1f}, {seconds[1]:.1f}")
    at_once, in_turns = peaks.values()
    sizes = f"{options.pairs[-1]:,} to {options.pairs[0]:,} pairs"
    show_ratios(
        [
            Ratio(f"all at once: {sizes}", at_once[-1] / at_once[0]),
            Ratio(f"in turns: {sizes}", in_turns[-1] / in_turns[0], at_most=FLAT),
            Ratio("the data alone, all at once", (at_once[-1] - nothing) / (at_once[0] - nothing)),
            Ratio("the data alone, in turns to all at once", (in_turns[-1] - nothing) / (at_once[-1] - nothing)),
        ]
    )


if __name__ == "__main__":
    main()
