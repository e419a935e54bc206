"""How fast a small Transformer trains and decodes here, and what a short training costs beyond its updates.

    OMP_NUM_THREADS=1 python tests/bench/bench_seq2seq.py [--updates 100] [--max-tokens 1500 3000] [--sentences 600]

The model is the classroom profile's size (2 + 2 layers, 4 heads, 96, 384); the text is the tests' made-up language.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pseudogec.seq2seq import Architecture, Decoder, train
from pseudogec.seq2seq.compat import apply
from seq2seq_world import make_dataset, make_dictionary, make_pairs, short_training

CLASSROOM = Architecture(
    encoder_layers=2, decoder_layers=2, attention_heads=4, model_size=96, feed_forward_size=384, pre_norm=True
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--max-tokens", type=int, nargs="+", default=[1500, 3000])
    parser.add_argument("--sentences", type=int, default=600)
    options = parser.parse_args()
    start = time.perf_counter()
    apply()
    print(f"import torch and fairseq{time.perf_counter() - start:30.1f} s")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dictionary = make_dictionary(make_pairs(2000, seed=1), folder / "dict.txt")
        data, valid = (make_dataset(folder / f"data{seed}", dictionary, size, seed) for seed, size in ((1, 6000), (2, 300)))
        for max_tokens in options.max_tokens:
            optimisation = short_training(max_tokens=max_tokens, epochs=None, updates=options.updates)
            start = time.perf_counter()
            result = train([data], valid, dictionary, folder / f"model{max_tokens}", CLASSROOM, optimisation, seed=1)
            beyond = time.perf_counter() - start - result.target_words / result.words_per_second
            speed = f"{result.words_per_second:8.0f} target pieces/s"
            print(f"train, {max_tokens} pieces a batch: {speed}, {beyond:.2f} s beyond the loop")
        sentences = [source for source, _ in make_pairs(options.sentences, seed=3)]
        for engine in ("ctranslate2", "fairseq"):
            decoder = Decoder([folder / f"model{options.max_tokens[0]}"], engine=engine)
            decoder.decode(sentences[:1])
            start = time.perf_counter()
            decoder.decode(sentences)
            print(f"decode, beam 5, {engine:12}{len(sentences) / (time.perf_counter() - start):22.0f} sentences/s")


if __name__ == "__main__":
    main()
