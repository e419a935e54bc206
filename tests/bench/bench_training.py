"""How fast models train on one core: ours, plain and fused, in fp32 and bf16, beside ``fairseq-train``.

    python tests/bench/bench_training.py [--widths 128 256 512] [--updates 60] [--max-tokens 1500] [--turns 1]

Three layers of encoder, one of decoder, four heads, inner layers four times as wide; 4,000 merges; text of the embedded world.
Every training runs in a process of its own, in turn, and is timed by its processor time, which other work moves little.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections import Counter
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported, here and in the processes

import gpu_training
from measuring import Ratio, describe_machine, genuine_text, show_ratios

from pseudogec.seq2seq import Architecture
from pseudogec.seq2seq.data import binarise
from pseudogec.seq2seq.training import computes_in_bf16
from pseudogec.text import Bpe, Vocabulary

PAIRS, MERGES = 6000, 4000
WAYS = (("fairseq-train", "fp32"), ("ours", "fp32"), ("ours, fused", "fp32"), ("ours", "bf16"), ("ours, fused", "bf16"))


def make_data(folder: Path) -> tuple[Path, Path]:
    """Learners' pairs, binarised, and their dictionary."""
    sources, targets = genuine_text(PAIRS)
    bpe = Bpe.learn(targets, MERGES)
    pairs = [(bpe.apply(source), bpe.apply(target)) for source, target in zip(sources, targets, strict=True)]
    counts = Counter(subword for pair in pairs for side in pair for subword in side)
    # The world has fewer words than learners: filled up, so that the vocabulary has the size that real text gives it.
    counts.update({f"madeup{number}": 0 for number in range(MERGES - len(counts))})
    Vocabulary(counts, symbols=()).save(folder / "dict.txt")
    binarise(pairs, folder / "dict.txt", folder / "data")
    return folder / "data", folder / "dict.txt"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", type=int, nargs="+", default=[128, 256, 512])
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--max-tokens", type=int, default=1500)
    parser.add_argument("--turns", type=int, default=1)
    options = parser.parse_args()
    print(describe_machine())
    ways = [(way, precision) for way, precision in WAYS if precision == "fp32" or computes_in_bf16()]
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        data, dictionary = make_data(Path(name))
        for width in options.widths:
            shape = {"encoder_layers": 3, "decoder_layers": 1, "attention_heads": 4, "feed_forward_size": 4 * width}
            training = gpu_training.Training(
                data, dictionary, Architecture(model_size=width, **shape), options.updates, options.max_tokens
            )
            speeds: dict[tuple[str, str], list[float]] = {way: [] for way in ways}
            for turn in range(options.turns):
                for number, (way, precision) in enumerate(ways):
                    speed = gpu_training.measure(way, training, precision, Path(name) / f"{width}-{turn}-{number}")
                    speeds[way, precision].append(speed.words_per_second)
                    print(
                        f"d={width} {precision} {way:14}{speed.words_per_second:8,.0f} words/s, loss {speed.loss:.3f}", flush=True
                    )
            first = statistics.median(speeds[ways[0]])
            ratios += [
                Ratio(f"d={width}: {way} {precision} / fairseq-train fp32", statistics.median(found) / first)
                for (way, precision), found in list(speeds.items())[1:]
            ]
    show_ratios(ratios)


if __name__ == "__main__":
    main()
