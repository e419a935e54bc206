"""Whether libraries of linear algebra that are held to one set of instructions give the same weights, and what that costs.

    python tests/bench/bench_instructions.py [--profile classroom] [--updates 100] [--turns 2]

One training of the profile's model, in a process of its own for each way of holding torch (ATEN_CPU_CAPABILITY), MKL (MKL_CBWR)
and oneDNN (ONEDNN_MAX_CPU_ISA) to a set of instructions. Time is the processor's, the best of the turns. A processor of another
maker is not simulated: MKL chooses other code there, also with equal instructions.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported, here and in the processes

from measuring import describe_machine, genuine_text

WAYS: dict[str, dict[str, str]] = {
    "unrestricted": {},
    "torch AVX2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "oneDNN AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2"},
    "MKL AVX512": {"MKL_CBWR": "AVX512"},
    "MKL AVX2": {"MKL_CBWR": "AVX2"},
    "MKL compatible": {"MKL_CBWR": "COMPATIBLE"},
    "all AVX2": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    # The same code of MKL must come from a processor that has only AVX2, or SSE4.2, as MKL is told here.
    "all AVX2, MKL sees AVX2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_CBWR": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
    "torch and oneDNN AVX2, MKL compatible": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_CBWR": "COMPATIBLE",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
    },
    "the same, MKL sees SSE4.2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_CBWR": "COMPATIBLE",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    },
    "all without AVX": {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}


def prepare(folder: Path, merges: int) -> None:
    """Learners' pairs, binarised, and their dictionary."""
    from collections import Counter

    from pseudogec.seq2seq import binarise
    from pseudogec.text import Bpe, Vocabulary

    sources, targets = genuine_text(3000)
    bpe = Bpe.learn(targets, merges)
    pairs = [(bpe.apply(source), bpe.apply(target)) for source, target in zip(sources, targets, strict=True)]
    counts = Counter(subword for pair in pairs for side in pair for subword in side)
    Vocabulary(counts, symbols=bpe.possible_subwords).save(folder / "dict.txt")
    binarise(pairs, folder / "dict.txt", folder / "data")


def train_here(folder: Path, profile: str, updates: int) -> None:
    """Train and print processor seconds, subwords a second of it, and a digest of the weights, as JSON."""
    import torch

    from pseudogec.seq2seq import train
    from pseudogec.seq2seq.model_files import MODEL
    from pseudogec.study.study import open_profile

    loaded = open_profile(profile)
    options = {"updates": updates, "checkpoint_updates": updates, "selection": {"average_last": 1}}
    optimisation = loaded.optimisations["joint"].model_copy(update={})
    optimisation = type(optimisation).model_validate({**optimisation.model_dump(), **options})
    with tempfile.TemporaryDirectory() as out:
        started = time.process_time()
        train([folder / "data"], None, folder / "dict.txt", Path(out), loaded.architecture, optimisation, seed=1)
        seconds = time.process_time() - started
        weights = torch.load(Path(out) / MODEL, weights_only=True)["model"]
    digest = hashlib.sha256(b"".join(weights[name].numpy().tobytes() for name in sorted(weights))).hexdigest()[:12]
    print(json.dumps({"seconds": seconds, "digest": digest}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="classroom")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--train", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        train_here(options.train, options.profile, options.updates)
        return
    from pseudogec.study.study import open_profile

    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name), open_profile(options.profile).subwords.merges)
        command = [sys.executable, __file__, "--train", name, "--profile", options.profile, "--updates", str(options.updates)]
        found: dict[str, list[dict[str, float | str]]] = {way: [] for way in WAYS}
        for _ in range(options.turns):
            for way, environment in WAYS.items():
                done = subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
                found[way].append(json.loads(done.stdout.splitlines()[-1]))
    print(f"{describe_machine()}; {options.updates} updates of {options.profile}'s model")
    fastest = {way: min(float(each["seconds"]) for each in runs) for way, runs in found.items()}
    for way, runs in found.items():
        digests = ", ".join(sorted({str(each["digest"]) for each in runs}))
        print(f"{way:40}{fastest[way]:7.1f} s {fastest[way] / fastest['unrestricted'] - 1:+5.0%}   {digests}")


if __name__ == "__main__":
    main()
