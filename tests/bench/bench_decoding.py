"""Back-translation with a model of the classroom's size beside ``fairseq-generate``: plain beam, noise in the beam, sampling.

    OMP_NUM_THREADS=1 python tests/bench/bench_decoding.py [--sentences 300] [--repeats 5] [--updates 300] [--model FOLDER]

The bench trains a reverse model (2 + 2 layers, 96, about 2,000 pieces) on learners of the embedded world, for about a minute, and
decodes newswire; ``--model`` keeps the model in a folder and takes it from there next time. Every way decodes the same sentences
with beam 5, the same longest output and the same batches (4,000 pieces), reading of the model included, in turns;
``fairseq-generate`` runs in this process, so that its start does not count. Figures are of processor time on one core.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench_seq2seq import CLASSROOM, short_training
from measuring import Ratio, describe_machine, genuine_text, in_turns, median_ratio, seed_text, show_ratios

from pseudogec.seq2seq import Decoder, compat, model_cache, train
from pseudogec.seq2seq.data import binarise
from pseudogec.text import Bpe, Vocabulary

BETA = 6.0
NEARLY_NONE = 1e-6  # the noise is drawn and added, but changes no output: the same work but for the noise
PAPER = "the paper's is 1.2 (Kiyono et al. 2019, section 4.2)"
MAX_TOKENS = 4000  # the default of Decoder
GENERATE = ["-s", "src", "-t", "trg", "--gen-subset", "train", "--beam", "5", "--max-len-a", "1.5", "--max-len-b", "10"]
GENERATE += ["--scoring", "sacrebleu"]  # the default needs a compiled module


def train_reverse_model(folder: Path, updates: int) -> None:
    """Leave ``model``, ``codes.txt`` and ``dict.txt`` in a folder."""
    sources, targets = genuine_text(4000)
    bpe = Bpe.learn(targets, 2000)
    bpe.save(folder / "codes.txt")
    pairs = [(bpe.apply(target), bpe.apply(source)) for source, target in zip(sources, targets, strict=True)]
    counts = Counter(piece for pair in pairs for side in pair for piece in side)
    Vocabulary(counts, symbols=bpe.possible_subwords).save(folder / "dict.txt")
    binarise(pairs, folder / "dict.txt", folder / "data")
    optimisation = short_training(learning_rate=5e-3, warmup_updates=100, max_tokens=1500, epochs=None, updates=updates)
    train([folder / "data"], None, folder / "dict.txt", folder / "model", CLASSROOM, optimisation, seed=1)


class FairseqGenerate:
    """``fairseq-generate`` over a binarised text, as its command would run."""

    def __init__(self, model: Path, text: Path, results: Path) -> None:
        from fairseq import options
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf

        paths = [str(text), "--path", str(model / "model.pt"), "--results-path", str(results)]
        arguments = [*paths, *GENERATE, "--max-tokens", str(MAX_TOKENS), "--cpu", "--no-progress-bar"]
        with compat.quiet():
            namespace = options.parse_args_and_arch(options.get_generation_parser(), arguments)
            self._configuration = convert_namespace_to_omegaconf(namespace)
        self._results = results / "generate-train.txt"

    def __call__(self) -> None:
        from fairseq_cli import generate

        with compat.isolated(), quiet_logs():
            generate.main(self._configuration)

    def outputs(self) -> list[list[str]]:
        """The best outputs in the order of the sentences."""
        lines = [line.split("\t") for line in self._results.read_text(encoding="utf-8").splitlines() if line.startswith("H-")]
        return [text.split() for _, text in sorted((int(name[2:]), text) for name, _, text in lines)]


@contextlib.contextmanager
def quiet_logs() -> Iterator[None]:
    """Keep back what ``fairseq-generate`` logs."""
    logging.disable(logging.INFO)
    # Where there is no handler, fairseq-generate sets one up that writes to a file which it closes.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--model", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    print(describe_machine())
    compat.apply()
    with tempfile.TemporaryDirectory() as name:
        folder = options.model or Path(name)
        if not (folder / "model").exists():
            folder.mkdir(exist_ok=True)
            train_reverse_model(folder, options.updates)
        measure(folder, Path(name), options.sentences, options.repeats)


def measure(folder: Path, work: Path, count: int, repeats: int) -> None:
    bpe, model = Bpe.load(folder / "codes.txt"), folder / "model"
    sentences = [bpe.apply(tokens) for tokens in seed_text(None, count)]
    binarise(((pieces, pieces) for pieces in sentences), folder / "dict.txt", work / "text")
    start = time.process_time()
    Decoder([model]).decode(sentences[:1])
    print(f"the first use of CTranslate2 with a model, which converts it: {time.process_time() - start:.2f} s")
    generate = FairseqGenerate(model, work / "text", work / "results")

    def fairseq(beta_random: float) -> list[list[str]]:
        return [
            best.subwords for best, *_ in Decoder([model], engine="fairseq").decode(sentences, beta_random=beta_random, seed=1)
        ]

    noisy, nearly_plain = (f"noisy beam, beta {beta:g}" for beta in (BETA, NEARLY_NONE))

    def reading(way: Callable[[], object]) -> Callable[[], object]:
        """The same with the model read anew, as a process of its own would."""

        def whole() -> object:
            model_cache.release()
            return way()

        return whole

    ways: dict[str, Callable[[], object]] = {
        "fairseq-generate": generate,
        "plain beam (CTranslate2)": reading(lambda: Decoder([model]).decode(sentences)),
        "plain beam (fairseq)": reading(lambda: fairseq(0.0)),
        nearly_plain: reading(lambda: fairseq(NEARLY_NONE)),
        noisy: reading(lambda: fairseq(BETA)),
        "sampling": reading(lambda: Decoder([model]).sample(sentences, seed=1)),
    }
    for way in ways.values():  # so that imports and first calls do not count
        way()
    seconds = in_turns(ways, repeats, time.process_time)
    print(f"\n{len(sentences)} sentences, {sum(map(len, sentences)):,} pieces{'sentences/s':>24}")
    for name, times in seconds.items():
        print(f"{name:40}{len(sentences) / min(times):10.0f}")
    alike = sum(ours == theirs for ours, theirs in zip(fairseq(0.0), generate.outputs(), strict=True))
    print(f"{alike} of {len(sentences)} outputs of the plain beam are those of fairseq-generate")

    def ratio(what: str, numerator: str, denominator: str, **targets: Any) -> Ratio:
        return Ratio(f"time of {what}", median_ratio(seconds, numerator, denominator), **targets)

    show_ratios(
        [
            ratio("noise / plain beam, same outputs", nearly_plain, "plain beam (fairseq)", at_most=1.1),
            ratio("noise / plain beam", noisy, "plain beam (fairseq)", at_most=1.1),
            ratio("fairseq-generate / noisy beam", "fairseq-generate", noisy, at_least=1),
            ratio("fairseq-generate / plain beam", "fairseq-generate", "plain beam (CTranslate2)", at_least=2),
            ratio("fairseq-generate / sampling", "fairseq-generate", "sampling", at_least=2),
            ratio("sampling / noisy beam", "sampling", noisy, note=PAPER),
        ]
    )


if __name__ == "__main__":
    main()
