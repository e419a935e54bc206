"""What a GPU is measured by: training and back-translation, ours beside fairseq's own programs, in
one command.

    python tests/bench/bench_gpu.py [--size big] [--updates 200] [--sentences 2000] [--turns 3]

Training: target pieces a second in fp32, fp16 and bf16 (``fairseq-train``, ours, ours fused), with
the peak of memory. Back-translation: sentences a second in fp32 and fp16 (plain beam, noise in the
beam, sampling; ``fairseq-generate``, ours on fairseq's engine, CTranslate2). The text is the
classroom's; a reverse model is trained on it first, so that its outputs end where they should. All
ways take turns. Without a GPU the size ``tiny`` in fp32 shows that the command works.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

import gpu_decoding
import gpu_training
from measuring import Text, describe_machine, make_text

from pseudogec.seq2seq import Architecture, compat

_TRANSFORMER = {"encoder_layers": 6, "decoder_layers": 6, "dropout": 0.3}
_BASE = Architecture(**_TRANSFORMER, attention_heads=8, model_size=512, feed_forward_size=2048)
_BIG = Architecture(**_TRANSFORMER, attention_heads=16, model_size=1024, feed_forward_size=4096)
_TINY = Architecture(
    encoder_layers=2, decoder_layers=2, attention_heads=4, model_size=96, feed_forward_size=384
)


class Size(NamedTuple):
    """What a model and its data measure.

    Attributes:
        architecture: of the model; "base" and "big" are those of Vaswani et al. 2017, table 3.
        pairs: learners' sentences to train on.
        merges: of BPE.
        max_tokens: most pieces a batch, in training and decoding.
        reverse_updates: after which the reverse model writes sentences that end.
    """

    architecture: Architecture
    pairs: int
    merges: int
    max_tokens: int
    reverse_updates: int


SIZES = {
    "tiny": Size(_TINY, 4000, 2000, 1500, 300),
    "base": Size(_BASE, 40_000, 8000, 16_000, 800),
    "big": Size(_BIG, 40_000, 8000, 16_000, 800),
}


def bench_training(
    text: Text, size: Size, precision: str, updates: int, turns: int, folder: Path
) -> None:
    """Print a line for each way."""
    training = gpu_training.Training(
        text.forward, text.dictionary, size.architecture, updates, size.max_tokens
    )
    speeds: dict[str, list[gpu_training.Speed]] = {way: [] for way in gpu_training.WAYS}
    for turn in range(turns):
        for number, (way, found) in enumerate(speeds.items()):
            found.append(
                gpu_training.measure(
                    way, training, precision, folder / f"{precision}-{number}-{turn}"
                )
            )
    first = statistics.median(speed.words_per_second for speed in speeds[gpu_training.WAYS[0]])
    for way, found in speeds.items():
        words, memory = (
            statistics.median(values)
            for values in zip(*(speed[:2] for speed in found), strict=True)
        )
        ratio = f"{words / first:.2f} times fairseq-train"
        print(
            f"{precision} {way:16}{words:12,.0f} words/s, {ratio}, {memory:.2f} GiB, loss "
            f"{found[-1].loss:.3f}",
            flush=True,
        )


def main() -> None:
    import torch

    gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--size", choices=SIZES, default="big" if gpu else "tiny", help="of model and data"
    )
    parser.add_argument("--updates", type=int, default=200, help="of each training")
    parser.add_argument(
        "--sentences", type=int, default=2000 if gpu else 200, help="to translate back"
    )
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    size = SIZES[options.size]
    print(
        describe_machine(),
        torch.cuda.get_device_name() if gpu else "no GPU: these are no figures of one",
        sep="\n",
    )
    compat.apply()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = make_text(folder, size.pairs, size.merges, options.sentences)
        for precision in ("fp32", "fp16", "bf16") if gpu else ("fp32",):
            bench_training(text, size, precision, options.updates, options.turns, folder)
        updates, model = size.reverse_updates, folder / "reverse-model"
        reverse = gpu_training.Training(
            text.reverse, text.dictionary, size.architecture, updates, size.max_tokens, keep=model
        )
        gpu_training.measure(
            "ours, fused", reverse, "bf16" if gpu else "fp32", folder / "reverse-work"
        )
        for precision in ("fp32", "fp16") if gpu else ("fp32",):
            gpu_decoding.show(
                precision,
                gpu_decoding.measure(
                    model, text, folder, precision, size.max_tokens, options.turns
                ),
            )


if __name__ == "__main__":
    main()
