"""Back-translation with a model of the classroom's size beside ``fairseq-generate``: plain beam,
noise in the beam, sampling.

    python tests/bench/bench_decoding.py [--sentences 300] [--turns 5] [--updates 300]

The bench trains a reverse model (2 + 2 layers, 96, about 2,000 pieces) on learners of the
classroom, for about a minute, and decodes novels. Every way decodes the same sentences with beam 5,
the same longest output and the same batches (4,000 pieces), in turns and in this process. Figures
are of processor time on one core.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}  # before torch is imported

import gpu_decoding
import gpu_training
from measuring import describe_machine, make_text

from pseudogec.seq2seq import Architecture, compat

CLASSROOM = Architecture(
    encoder_layers=2,
    decoder_layers=2,
    attention_heads=4,
    model_size=96,
    feed_forward_size=384,
    pre_norm=True,
)
MAX_TOKENS = 4000  # the default of Decoder


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--updates", type=int, default=300)
    options = parser.parse_args()
    print(describe_machine())
    compat.apply()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = make_text(folder, 4000, 2000, options.sentences)
        training = gpu_training.Training(
            text.reverse, text.dictionary, CLASSROOM, options.updates, 1500, keep=folder / "model"
        )
        gpu_training.measure("ours", training, "fp32", folder / "work")
        gpu_decoding.show(
            "fp32",
            gpu_decoding.measure(folder / "model", text, folder, "fp32", MAX_TOKENS, options.turns),
        )


if __name__ == "__main__":
    main()
