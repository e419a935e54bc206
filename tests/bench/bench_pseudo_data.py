"""From seed text to binarised pairs of direct noise: the study in two processes beside a chain of reference commands.

    OMP_NUM_THREADS=1 python tests/bench/bench_pseudo_data.py [--sentences 100000] [--repeats 3] [--text F] [--merges 2000]

The chain is ``subword-nmt apply-bpe`` and then a noising script (``line_by_line_noise.py``), both over the two halves of the text
at once, and ``fairseq-preprocess --workers 2`` (started through ``fairseq_programs.py``, since it does not start on today's
Python by itself). The study is the step that its workers run, in two processes with a shard each. Both begin with tokenised text,
learnt merges and a dictionary, and the start of all these processes counts (not that of the study's cluster, which is started
once for all artefacts, in 3 s). Text: newswire of the embedded world, or the lines of F.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from measuring import Ratio, describe_machine, in_turns, median_ratio, seed_text, show_ratios

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from artefacts import missing
from artefacts.files import digest_file, read_lines, write_lines
from artefacts.recipe import Recipe
from artefacts.store import Store
from fairseq_programs import FAIRSEQ
from pseudogec.corpora import LocatedFile, Plain, WorldPairs
from pseudogec.noise import DirectNoise
from pseudogec.seq2seq import compat
from pseudogec.seq2seq.data import SIDES, data_name
from pseudogec.study.corpora import FileSeedText, SeedCorpus, SeedShards, WholeCorpus
from pseudogec.study.models import Subwords
from pseudogec.study.pseudo_data import NoisedData

WORKERS = 2
SUBWORD_NMT = [sys.executable, "-m", "subword_nmt.apply_bpe"]
PREPROCESS = [*FAIRSEQ, "preprocess", "-s", "src", "-t", "trg", "--joined-dictionary"]
NOISE = [sys.executable, str(Path(__file__).with_name("line_by_line_noise.py"))]


class Chain:
    """The reference commands.

    Args:
        folder: where they work.
        text: tokenised text.
        bpe: folder with merges and dictionary.
    """

    def __init__(self, folder: Path, text: list[str], bpe: Path) -> None:
        self.folder, self.binarised, self._bpe = folder, folder / "binarised", bpe
        self.seconds: dict[str, list[float]] = {"apply-bpe": [], "noise": [], "preprocess": []}
        half = -(-len(text) // WORKERS)
        self._halves = [folder / f"half{number}" for number in range(WORKERS)]
        for number, path in enumerate(self._halves):
            write_lines(path, text[number * half : (number + 1) * half])
        counts = [line.rpartition(" ") for line in read_lines(bpe / "dict.txt")]
        write_lines(folder / "unigrams", (f"{subword}\t{count}" for subword, _, count in counts))

    def __call__(self) -> None:
        shutil.rmtree(self.binarised, ignore_errors=True)  # fairseq-preprocess overwrites nothing
        codes, unigrams = str(self._bpe / "codes.txt"), str(self.folder / "unigrams")
        self._run("apply-bpe", [[*SUBWORD_NMT, "-c", codes, "-i", str(half), "-o", f"{half}.bpe"] for half in self._halves])
        self._run("noise", [[*NOISE, unigrams, f"{half}.bpe", str(half)] for half in self._halves])
        for side in SIDES:
            with (self.folder / f"all.{side}").open("wb") as whole:
                for half in self._halves:
                    whole.write(Path(f"{half}.{side}").read_bytes())
        options = ["--trainpref", str(self.folder / "all"), "--srcdict", str(self._bpe / "dict.txt")]
        self._run("preprocess", [[*PREPROCESS, *options, "--destdir", str(self.binarised), "--workers", str(WORKERS)]])

    def _run(self, name: str, commands: list[list[str]]) -> None:
        start = time.perf_counter()
        processes = [
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for command in commands
        ]
        for process in processes:
            _, errors = process.communicate()
            if process.returncode:
                raise SystemExit(errors)
        self.seconds[name].append(time.perf_counter() - start)


def build_here(root: Path, recipe: Recipe) -> None:
    """Build an artefact and what it needs, without a cluster."""
    store = Store(root)

    def step(item: Recipe, folder: Path) -> dict[str, Any]:
        return item.build(folder, store, lambda done, total, text: None)

    for parent in recipe.parents:
        if not store.has(parent):
            build_here(root, parent)
    store.build(recipe, step)


class Study:
    """The study's step, a process for each shard."""

    def __init__(self, store: Store, shards: list[NoisedData]) -> None:
        self._store, self._shards = store, shards

    def __call__(self) -> None:
        for shard in self._shards:
            self._store.remove(shard)
        processes = [get_context("spawn").Process(target=build_here, args=(self._store.root, shard)) for shard in self._shards]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            if process.exitcode:
                raise SystemExit("the study failed")


def describe_shards(text: Path, sentences: int, merges: int) -> list[NoisedData]:
    genuine = WholeCorpus(name="genuine", pairs=WorldPairs(split="train", sentences=4000))
    file = LocatedFile(path=text, digest=digest_file(text))
    size = sentences // WORKERS
    corpus = SeedCorpus(name="seed", sentences=Plain(files=(file,)))
    shards = SeedShards(name="seed", corpus=(corpus,), size=size, first=0, last=WORKERS)
    return [
        NoisedData(
            name="direct_noise",
            method=DirectNoise.model_validate({}),
            seed_text=FileSeedText(name="seed", size=size, shard=number, shards=shards),
            bpe=Subwords(genuine=genuine, merges=merges),
            seed=1,
            genuine=genuine,
            references=None,
        )
        for number in range(WORKERS)
    ]


def check_equal_format(ours: list[Path], reference: Path) -> None:
    """The targets' bytes agree, fairseq loads every dataset, and the sources are about as long."""
    compat.apply()
    from fairseq.data import Dictionary, data_utils

    lengths = {}
    for name, folders in (("ours", ours), ("reference", [reference])):
        for side in SIDES:
            dictionary = Dictionary.load(str(folders[0] / f"dict.{side}.txt"))
            stems = [str(folder / data_name(side).removesuffix(f".{side}")) + f".{side}" for folder in folders]
            datasets = [data_utils.load_indexed_dataset(stem, dictionary, "mmap") for stem in stems]
            lengths[name, side] = sum(len(dataset) for dataset in datasets), sum(int(dataset.sizes.sum()) for dataset in datasets)
            print(f"{name:12}{side}   {lengths[name, side][0]:,} sentences   {lengths[name, side][1]:,} tokens")
    ours_target = b"".join((folder / f"{data_name('trg')}.bin").read_bytes() for folder in ours)
    if ours_target != (reference / f"{data_name('trg')}.bin").read_bytes():
        raise SystemExit("the targets differ")
    if abs(lengths["ours", "src"][1] / lengths["reference", "src"][1] - 1) > 0.01:
        raise SystemExit("the sources' sizes differ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=60_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--text", type=Path, metavar="F")
    parser.add_argument("--merges", type=int, default=2000)
    options = parser.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_lines(folder / "text", (" ".join(tokens) for tokens in seed_text(options.text, options.sentences)))
        store = Store(folder / "store")
        shards = describe_shards(folder / "text", options.sentences, options.merges)
        for parent in missing((parent for shard in shards for parent in shard.parents), store):
            build_here(store.root, parent)
        text = [line for shard in shards for line in read_lines(store.folder(shard.seed_text) / "sentences.txt")]
        chain, study = Chain(folder, text, store.folder(shards[0].bpe)), Study(store, shards)
        seconds = in_turns({"chain": chain, "study": study}, options.repeats)
        check_equal_format([store.folder(shard) for shard in shards], chain.binarised)
        shard_seconds = max(store.result(shard)["seconds"] for shard in shards)
    for step, times in chain.seconds.items():
        print(f"chain: {step:20}{min(times):8.1f} s")
    print(f"study: a shard{'':13}{shard_seconds:8.1f} s")
    for way in seconds:
        print(f"{way}, all{'':17}{min(seconds[way]):8.1f} s {len(text) / min(seconds[way]):10.0f} sentences/s")
    show_ratios([Ratio("time of the chain / time of the study, 2 cores", median_ratio(seconds, "chain", "study"), at_least=3)])


if __name__ == "__main__":
    main()
