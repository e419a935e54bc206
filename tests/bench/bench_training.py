"""How fast models train on one core: ours, plain and fused, in fp32 and bf16, beside
``fairseq-train``.

    python tests/bench/bench_training.py [--widths 128 256 512] [--updates 60] [--max-tokens 1500]
    [--turns 1]

Three layers of encoder, one of decoder, four heads, inner layers four times as wide; 4,000 merges;
text of the classroom. Every training runs in a process of its own, in turn, and is timed by its
processor time, which other work moves little.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path

# Before torch is imported, here and in the processes
os.environ |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}

import gpu_training
from measuring import describe_machine, make_text

from pseudogec.seq2seq import Architecture
from pseudogec.seq2seq.training import computes_in_bf16

PAIRS, MERGES = 6000, 4000
WAYS = (
    ("fairseq-train", "fp32"),
    ("ours", "fp32"),
    ("ours, fused", "fp32"),
    ("ours", "bf16"),
    ("ours, fused", "bf16"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--widths", type=int, nargs="+", default=[128, 256, 512])
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--max-tokens", type=int, default=1500)
    parser.add_argument("--turns", type=int, default=1)
    options = parser.parse_args()
    print(describe_machine())
    ways = [
        (way, precision) for way, precision in WAYS if precision == "fp32" or computes_in_bf16()
    ]
    with tempfile.TemporaryDirectory() as name:
        text = make_text(Path(name), PAIRS, MERGES)
        for width in options.widths:
            shape = {
                "encoder_layers": 3,
                "decoder_layers": 1,
                "attention_heads": 4,
                "feed_forward_size": 4 * width,
            }
            architecture = Architecture(model_size=width, **shape)
            training = gpu_training.Training(
                text.forward, text.dictionary, architecture, options.updates, options.max_tokens
            )
            speeds: dict[tuple[str, str], list[float]] = {way: [] for way in ways}
            for turn in range(options.turns):
                for number, (way, precision) in enumerate(ways):
                    speed = gpu_training.measure(
                        way, training, precision, Path(name) / f"{width}-{turn}-{number}"
                    )
                    speeds[way, precision].append(speed.words_per_second)
            first = statistics.median(speeds[ways[0]])
            for (way, precision), found in speeds.items():
                words = statistics.median(found)
                print(
                    f"d={width} {precision} {way:14}{words:8,.0f} words/s, {words / first:.2f} "
                    "times fairseq-train",
                    flush=True,
                )


if __name__ == "__main__":
    main()
