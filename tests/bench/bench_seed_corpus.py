"""From distributed dumps to binarised pseudo data: sentences a second, memory and disk.

    OMP_NUM_THREADS=1 python tests/bench/bench_seed_corpus.py [--megabytes 50] [--sentences 200000]
    [--workers 2] [--folder F]

Synthetic dumps (`make_dumps.py`) are read, split, tokenised, cleaned and cut into shards by the
study's own engine, then noised and binarised. Memory is the peak of any one process. The full
measurement is `--megabytes 1000 --sentences 5000000`.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from make_dumps import KINDS, make
from measuring import describe_machine

from pseudogec.artefacts.engine import Engine
from pseudogec.artefacts.files import digest_file
from pseudogec.artefacts.recipe import Recipe
from pseudogec.artefacts.store import Store
from pseudogec.corpora import SENTENCE_FORMATS, LocatedFile
from pseudogec.noise import ClassroomPairs, DirectNoise
from pseudogec.study.corpora import FileSeedText, SeedCorpus, SeedShards, WholeCorpus
from pseudogec.study.models import Subwords
from pseudogec.study.pseudo_data import NoisedData

SHARES = 8
SHARD = 50_000


def shards_of(dump: Path, kind: str, number: int) -> SeedShards:
    """The first shards of a dump, which is read in shares."""
    file = LocatedFile(path=dump, digest=digest_file(dump))
    sentences = SENTENCE_FORMATS.find(kind)(files=(file,), clean=True, shares=SHARES)
    corpus = SeedCorpus.in_shares(kind, sentences)
    return SeedShards(name=kind, corpus=corpus, size=SHARD, first=0, last=number)


def pseudo_data(shards: SeedShards, number: int) -> list[NoisedData]:
    """Direct noise on the first shards, in pieces of 8,000 merges."""
    genuine = WholeCorpus(name="genuine", pairs=ClassroomPairs(split="train", sentences=4000))
    common = {
        "name": "direct_noise",
        "method": DirectNoise.model_validate({}),
        "seed": 1,
        "references": None,
    }
    texts = [
        FileSeedText(name=shards.name, size=SHARD, shard=shard, shards=shards)
        for shard in range(number)
    ]
    bpe = Subwords(genuine=genuine, merges=8000)
    return [NoisedData(seed_text=text, genuine=genuine, bpe=bpe, **common) for text in texts]


def targets(folder: Path, number: int) -> dict[str, list[Recipe]]:
    """What is built, in the order in which it is timed."""
    cut = {kind: shards_of(folder / name, kind, number) for kind, (name, _) in KINDS.items()}
    noised = pseudo_data(cut["gigaword"], number)
    learnt: list[Recipe] = [*noised[0].parents[1:]] if noised else []
    return {
        "what is learnt from genuine data": learnt,
        **{
            f"{kind}: split, tokenised, cleaned": list(shards.corpus)
            for kind, shards in cut.items()
        },
        **{f"{kind}: cut into shards": [shards] for kind, shards in cut.items()},
        "gigaword: noised and binarised": list(noised),
    }


def build(store: Path, recipes: Sequence[Recipe], workers: int) -> tuple[float, float]:
    """Build in processes of their own; returns seconds, and the peak memory of any process in
    MiB.
    """
    job = store.parent / f"{store.name}.job"
    job.write_bytes(pickle.dumps((store, list(recipes), workers)))
    process = subprocess.Popen([sys.executable, __file__, "--job", str(job)])
    started, peak = time.perf_counter(), 0.0
    while process.poll() is None:
        time.sleep(0.25)
        peak = max([peak, *map(_peak, [process.pid, *_descendants(process.pid)])])
    if process.returncode:
        raise SystemExit("building failed")
    return time.perf_counter() - started, peak


def _descendants(pid: int) -> list[int]:
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _peak(pid: int) -> float:
    try:
        status = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        )
    except OSError:
        return 0.0
    return int(status["VmHWM"].split()[0]) / 1024 if "VmHWM" in status else 0.0


def sentences_in(store: Store, recipes: Sequence[Recipe]) -> int:
    results = [store.result(recipe)["result"] for recipe in recipes]
    return sum(
        result.get("pairs", result.get("sentences", result.get("shards", 0) * SHARD))
        for result in results
    )


def bytes_of(store: Store, recipes: Sequence[Recipe], ending: str = "") -> int:
    files = (file for recipe in recipes for file in store.result(recipe)["files"].items())
    return sum(facts["bytes"] for name, facts in files if name.endswith(ending))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--sentences", type=int, default=200_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, metavar="F", help="keep dumps and stores here")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job is not None:
        run(options.job)
        return
    with tempfile.TemporaryDirectory() as name:
        measure(
            options.folder or Path(name),
            options.megabytes,
            options.sentences // SHARD,
            options.workers,
        )


def run(job: Path) -> None:
    store, recipes, workers = pickle.loads(job.read_bytes())
    with Engine(Store(store), workers=workers) as engine:
        engine.build(recipes)


def measure(folder: Path, megabytes: int, number: int, workers: int) -> None:
    print(describe_machine())
    for kind, (name, _) in KINDS.items():
        if not (folder / name).exists():
            make(kind, folder, megabytes * 1_000_000)
    steps = targets(folder, number)
    store = Store(folder / "store")
    print(
        f"\n{'step':42}{'sentences':>12}{'seconds':>10}{'sentences/s':>13}{'peak MiB':>10}{'disk MB':>9}"
    )
    for step, recipes in steps.items():
        seconds, peak = build(store.root, recipes, workers)
        sentences, size = sentences_in(store, recipes), bytes_of(store, recipes) / 1e6
        print(
            f"{step:42}{sentences:12,}{seconds:10.1f}{sentences / seconds:13,.0f}{peak:10.0f}{size:9.0f}",
            flush=True,
        )
    text = bytes_of(store, steps["gigaword: cut into shards"])
    noised = steps["gigaword: noised and binarised"]
    indices = bytes_of(store, noised, ".idx")
    print(
        f"\nbinarised pairs of {text / 1e6:.0f} MB of text take "
        f"{bytes_of(store, noised) / text:.2f} of its size, both sides;"
    )
    print(f"of that the indices, 12 bytes a sentence and side: {indices / text:.2f}")


if __name__ == "__main__":
    main()
