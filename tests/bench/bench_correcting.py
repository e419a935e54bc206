"""``pseudogec correct`` beside ``fairseq-interactive`` with the same model and settings, from start to end of the process.

    OMP_NUM_THREADS=1 python tests/bench/bench_correcting.py [--sentences 1000] [--repeats 5] [--store FOLDER]

A baseline of the classroom corrects learners' sentences of the embedded world, with beam 5 and batches of 4,000 pieces; its
training, a minute or two, is not counted, and ``--store`` keeps it for the next time. Both programs start anew each time:
imports, reading of the model, splitting into pieces and joining them are all counted. ``fairseq-interactive`` is given all
sentences at once (its buffer), which is its fastest way.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import Ratio, describe_machine, in_turns, median_ratio, show_ratios

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from artefacts.files import write_lines
from fairseq_programs import FAIRSEQ
from learner_world import learner_sentences
from pseudogec.study import Study
from pseudogec.study.corrector import Corrector, find_system

OVERRIDES = ["models.base={}", "systems.base.steps=[{step: models, models: base}]"]
MAX_TOKENS = 4000  # the default of Decoder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--store", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory() as name:
        measure(options.store or Path(name) / "store", Path(name), options.sentences, options.repeats)


def measure(store: Path, work: Path, count: int, repeats: int) -> None:
    study = Study.open("classroom", OVERRIDES, store=store)
    system = find_system(study, "base")
    with study.engine:
        Corrector(study, system)
    recipe = study.planner.correction(system, study.test)
    model, bpe = (study.store.folder(parent) for parent in (recipe.needs["models"][0], recipe.needs["subwords"]))
    text = work / "text.txt"
    write_lines(text, (" ".join(item.source) for item in learner_sentences(count, "test", seed=1)))

    changes = [item for override in OVERRIDES for item in ("--set", override)]
    ours = ["-m", "pseudogec", "correct", "--system", "base", "--store", str(store), *changes, "--tokenised"]
    theirs = [*FAIRSEQ[1:], "interactive", str(model), "--path", str(model / "model.pt"), "-s", "src", "-t", "trg"]
    theirs += ["--bpe", "subword_nmt", "--bpe-codes", str(bpe / "codes.txt"), "--buffer-size", str(count)]
    theirs += ["--beam", "5", "--max-len-a", "1.5", "--max-len-b", "10", "--max-tokens", str(MAX_TOKENS), "--cpu"]
    outputs: dict[str, str] = {}

    def run(name: str, arguments: list[str]) -> None:
        with text.open("rb") as stream:
            process = subprocess.run([sys.executable, *arguments], stdin=stream, capture_output=True, check=True, env=os.environ)
        outputs[name] = process.stdout.decode()

    ways = {"pseudogec correct": lambda: run("ours", ours), "fairseq-interactive": lambda: run("theirs", theirs)}
    for way in ways.values():  # files come into the system's memory, and the model is converted
        way()
    wall = in_turns(ways, repeats)
    processor = in_turns(ways, repeats, _processor_seconds)
    print(f"\n{count} sentences, from start to end{'wall, s':>12}{'processor, s':>16}{'sentences/s':>16}")
    for name in ways:
        print(f"{name:34}{min(wall[name]):12.1f}{min(processor[name]):16.1f}{count / min(processor[name]):16.0f}")
    print(f"{_alike(outputs)} of {count} outputs are the same")
    show_ratios(
        [
            Ratio(f"fairseq-interactive / pseudogec correct, {what}", median_ratio(seconds, *reversed(ways)), at_least=2)
            for what, seconds in (("processor time", processor), ("wall time", wall))
        ]
    )


def _processor_seconds() -> float:
    """Processor time of the processes that this one has started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _alike(outputs: dict[str, str]) -> int:
    """How many corrections both programs agree on."""
    lines = [line.split("\t") for line in outputs["theirs"].splitlines() if line.startswith("D-")]
    theirs = [text.strip() for _, _, text in sorted(lines, key=lambda fields: int(fields[0][2:]))]
    return sum(our == their for our, their in zip(outputs["ours"].splitlines(), theirs, strict=True))


if __name__ == "__main__":
    main()
