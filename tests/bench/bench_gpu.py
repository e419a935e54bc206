"""All that a GPU is measured by: training and back-translation, ours beside fairseq's own programs, in one command.

    python tests/bench/bench_gpu.py [--size big] [--updates 200] [--sentences 2000] [--turns 3] [--device auto] [--quick]

Training: target pieces a second in fp32, fp16 and bf16 (``fairseq-train``, ours, ours with fused attention), with the peak of
memory and an estimate of the arithmetic done. Back-translation: sentences a second in fp32 and fp16 (plain beam, noise in the
beam, sampling; ``fairseq-generate``, ours on fairseq's engine, CTranslate2). The text is the
embedded world's; a reverse model is trained on it first, so that its outputs end where they should.

Every comparison is of ways that took turns in this run. The figures, with machine, versions and command, go to
``tests/bench/results/``. Without a GPU everything runs at the size ``tiny`` in fp32 and is timed by processor time, which shows
that the command works and says nothing about a GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import gpu_decoding
import gpu_training
from measuring import Ratio, describe_machine, genuine_text, seed_text, show_ratios

from pseudogec.seq2seq import Architecture, compat
from pseudogec.seq2seq.data import binarise
from pseudogec.text import Bpe, Vocabulary

RESULTS = Path(__file__).parent / "results"
NO_GPU = "absent: half precision needs a GPU"
_TRANSFORMER = {"encoder_layers": 6, "decoder_layers": 6, "dropout": 0.3}


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
    "tiny": Size(
        Architecture(encoder_layers=2, decoder_layers=2, attention_heads=4, model_size=96, feed_forward_size=384),
        4000,
        2000,
        1500,
        300,
    ),
    "base": Size(
        Architecture(**_TRANSFORMER, attention_heads=8, model_size=512, feed_forward_size=2048), 40_000, 8000, 16_000, 800
    ),
    "big": Size(
        Architecture(**_TRANSFORMER, attention_heads=16, model_size=1024, feed_forward_size=4096), 40_000, 8000, 16_000, 800
    ),
}


class Text(NamedTuple):
    """Binarised data and what the decoder reads."""

    forward: Path
    reverse: Path
    to_decode: Path
    dictionary: Path
    sentences: list[list[str]]
    vocabulary: int


def make_text(folder: Path, size: Size, count: int) -> Text:
    """Learners' pairs in both directions, and newswire to translate back."""
    sources, targets = genuine_text(size.pairs)
    bpe = Bpe.learn(targets, size.merges)
    pairs = [(bpe.apply(source), bpe.apply(target)) for source, target in zip(sources, targets, strict=True)]
    dictionary = folder / "dict.txt"
    counts = Counter(piece for pair in pairs for side in pair for piece in side)
    Vocabulary(counts, symbols=bpe.possible_subwords).save(dictionary)
    sentences = [bpe.apply(tokens) for tokens in seed_text(None, count)]
    binarise(pairs, dictionary, folder / "forward")
    binarise([(target, source) for source, target in pairs], dictionary, folder / "reverse")
    binarise([(pieces, pieces) for pieces in sentences], dictionary, folder / "to_decode")
    with dictionary.open(encoding="utf-8") as lines:
        vocabulary = sum(1 for _ in lines)
    return Text(folder / "forward", folder / "reverse", folder / "to_decode", dictionary, sentences, vocabulary)


def bench_training(text: Text, size: Size, options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """A row for each way and precision."""
    training = gpu_training.Training(text.forward, text.dictionary, size.architecture, options.updates, options.max_tokens)
    # Twice the weights forward and four times backward, for each piece; the source is about as long as the target.
    weights = size.architecture.layer_weights + text.vocabulary * size.architecture.model_size
    rows: list[dict[str, Any]] = []
    for precision in ("fp32", "fp16", "bf16"):
        if precision != "fp32" and not options.gpu:
            rows += [{"precision": precision, "way": way, "absent": NO_GPU} for way in gpu_training.WAYS]
            continue
        speeds: dict[str, list[gpu_training.Speed]] = {way: [] for way in gpu_training.WAYS}
        for turn in range(options.turns):
            for way, found in speeds.items():
                place = folder / f"{precision}-{way.replace(', ', '-').replace(' ', '-')}-{turn}"
                found.append(gpu_training.measure(way, training, precision, place))
                print(f"  train {precision} {way:24}{found[-1].words_per_second:12,.0f} words/s", flush=True)
        ratios = ratios_to_first({way: [speed.words_per_second for speed in found] for way, found in speeds.items()})
        for way, found in speeds.items():
            words = statistics.median(speed.words_per_second for speed in found)
            rows.append(
                {
                    "precision": precision,
                    "way": way,
                    "words_per_second": round(words),
                    "words_per_second_of_turns": [round(speed.words_per_second) for speed in found],
                    "times_fairseq": ratios[way],
                    "memory_gib": round(max(speed.memory_gib for speed in found), 2),
                    "tflops_estimate": round(6 * weights * words / 1e12, 3),
                    "last_loss": round(found[-1].loss, 3),
                }
            )
    return rows


def bench_decoding(text: Text, size: Size, options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """A row for each search, way and precision."""
    updates = 60 if options.quick else size.reverse_updates
    model = folder / "reverse-model"
    reverse = gpu_training.Training(text.reverse, text.dictionary, size.architecture, updates, options.max_tokens, keep=model)
    gpu_training.measure("ours, fused", reverse, "bf16" if options.gpu else "fp32", folder / "reverse-work")
    rows: list[dict[str, Any]] = []
    for precision in ("fp32", "fp16"):
        if precision != "fp32" and not options.gpu:
            rows.append({"precision": precision, "way": "all", "absent": NO_GPU})
            continue
        ways = gpu_decoding.ways(model, text.sentences, text.to_decode, folder, precision, options.max_tokens)
        for way in ways.values():  # so that reading and first calls do not count
            way()
        speeds: dict[str, list[gpu_decoding.Speed]] = {name: [] for name in ways}
        for _ in range(options.turns):
            for name, way in ways.items():
                speeds[name].append(way())
                print(f"  decode {precision} {name:40}{speeds[name][-1].sentences_per_second:10,.1f} sentences/s", flush=True)
        rows += decoding_rows(precision, speeds)
    return rows


def decoding_rows(precision: str, speeds: Mapping[str, list[gpu_decoding.Speed]]) -> list[dict[str, Any]]:
    """Rows of one precision; ratios are to ``fairseq-generate``, which has no noise: noise is compared with its plain beam."""
    rows = []
    per_second = {name: [speed.sentences_per_second for speed in found] for name, found in speeds.items()}
    for name, found in speeds.items():
        stock = "sampling: fairseq-generate" if name.startswith("sampling") else "plain beam: fairseq-generate"
        memory = [speed.memory_gib for speed in found if speed.memory_gib is not None]
        rows.append(
            {
                "precision": precision,
                "way": name,
                "sentences_per_second": round(statistics.median(per_second[name]), 1),
                "sentences_per_second_of_turns": [round(value, 1) for value in per_second[name]],
                "times_fairseq": ratios_to_first({stock: per_second[stock], name: per_second[name]})[name],
                "memory_gib": round(max(memory), 2) if memory else None,
            }
        )
    return rows


def ratios_to_first(values: Mapping[str, list[float]]) -> dict[str, float]:
    """The median over the turns of each way's figure over the first way's."""
    first = next(iter(values.values()))
    return {way: round(statistics.median(a / b for a, b in zip(own, first, strict=True)), 3) for way, own in values.items()}


def describe() -> dict[str, Any]:
    """Machine and versions."""
    import torch

    gpu = torch.cuda.get_device_properties(0) if torch.cuda.is_available() else None
    return {
        "machine": describe_machine(),
        "gpu": None if gpu is None else f"{gpu.name}, {gpu.total_memory / 2**30:.0f} GiB, CUDA {torch.version.cuda}",
        "threads": torch.get_num_threads(),
        "float32_products": torch.get_float32_matmul_precision(),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "fairseq", "ctranslate2")},
        },
    }


def show(title: str, rows: list[dict[str, Any]], unit: str) -> None:
    """Print a table."""
    print(f"\n{title:52}{unit:>14}{'x fairseq':>11}{'memory GiB':>12}{'TFLOP/s':>10}")
    for row in rows:
        name = f"{row['precision']} {row['way']}"
        if "absent" in row:
            print(f"{name:52}  {row['absent']}")
            continue
        speed = row[unit.replace("/s", "_per_second")]
        memory, work = row["memory_gib"], row.get("tflops_estimate")
        shown = "" if memory is None else f"{memory:.2f}", "" if work is None else f"{work:.3f}"
        print(f"{name:52}{speed:14,.1f}{row['times_fairseq']:11.2f}{shown[0]:>12}{shown[1]:>10}")


def parse() -> argparse.Namespace:
    """The options, made whole for this machine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, help="of model and data; default: big on a GPU, tiny without one")
    parser.add_argument("--updates", type=int, default=200, help="of each training")
    parser.add_argument("--sentences", type=int, help="to translate back; default: 2,000 on a GPU, 200 without one")
    parser.add_argument("--max-tokens", type=int, help="most pieces a batch; default: by size")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto")
    parser.add_argument("--quick", action="store_true", help="one turn of a few updates and sentences: does the command work?")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FOLDER")
    options = parser.parse_args()
    if options.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # for the processes to come too
    import torch

    options.gpu = torch.cuda.is_available()
    if options.device == "cuda" and not options.gpu:
        parser.error("torch sees no GPU here")
    options.size = options.size or ("big" if options.gpu else "tiny")
    options.sentences = options.sentences or (2000 if options.gpu else 200)
    options.max_tokens = options.max_tokens or SIZES[options.size].max_tokens
    if options.quick:
        options.updates, options.sentences, options.turns = 12, 40, 1
    return options


def main() -> None:
    options = parse()
    start = time.perf_counter()
    size = SIZES[options.size]
    about = {"command": shlex.join(["python", "tests/bench/bench_gpu.py", *sys.argv[1:]]), **describe()}
    print(about["machine"], about["gpu"] or "no GPU: these are no figures of one", sep="\n")
    compat.apply()
    with tempfile.TemporaryDirectory() as name:
        text = make_text(Path(name), size, options.sentences)
        training = bench_training(text, size, options, Path(name))
        decoding = bench_decoding(text, size, options, Path(name))
    show(f"training, {options.size}, {options.max_tokens} pieces a batch", training, "words/s")
    show(f"back-translation of {options.sentences} sentences", decoding, "sentences/s")
    fused = {row["precision"]: row["times_fairseq"] for row in training if row["way"].endswith("fused") and "absent" not in row}
    show_ratios(
        Ratio(f"training {precision}: ours, fused / fairseq-train", value, at_least=1) for precision, value in fused.items()
    )
    about |= {
        "size": options.size,
        "note": ""
        if options.gpu
        else "a small model on a CPU, processor time of one thread: shows that the command works, says nothing about a GPU",
        "max_tokens": options.max_tokens,
        "updates": options.updates,
        "sentences": options.sentences,
        "pieces_a_sentence": round(statistics.mean(map(len, text.sentences)), 1),
        "turns": options.turns,
        "minutes": round((time.perf_counter() - start) / 60, 1),
    }
    device = about["gpu"].partition(",")[0].replace(" ", "-").lower() if options.gpu else "none-small-size-on-a-cpu"
    path = options.results / f"gpu-{device}-{options.size}{'-quick' if options.quick else ''}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**about, "training": training, "decoding": decoding}, indent=1) + "\n", encoding="utf-8")
    print(f"\n{path}")


if __name__ == "__main__":
    main()
