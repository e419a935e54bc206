"""Back-translation speed: plain beam, noise in the beam and sampling, ours and
``fairseq-generate``.

The models stay in memory from turn to turn, and reading them does not count. Of
``fairseq-generate`` the searches alone are timed, as it does itself, while ours counts making
batches and pieces too. Without a GPU the clock is that of processor time.
"""

from __future__ import annotations

import contextlib
import logging
import statistics
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpu_training import now
from measuring import Text

from pseudogec.seq2seq import Decoder, compat

BETA = 6.0
PAPER_BEAM = 5

Way = Callable[[], float]
"""Decodes all sentences and returns how many a second."""


def measure(
    model: Path, text: Text, work: Path, precision: str, max_tokens: int, turns: int
) -> dict[str, list[float]]:
    """Sentences a second of each way in each turn, after a turn that does not count.

    Args:
        model: the reverse model's folder.
        text: what to decode.
        work: for what ``fairseq-generate`` writes.
        precision: "fp32" or "fp16".
        max_tokens: most pieces a batch.
        turns: how many.
    """
    found = ways(model, text, work, precision, max_tokens)
    for way in found.values():  # so that reading and first calls do not count
        way()
    speeds: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(turns):
        for name, way in found.items():
            speeds[name].append(way())
    return speeds


def show(precision: str, speeds: Mapping[str, list[float]]) -> None:
    """Print a line for each way; ``fairseq-generate`` has no noise, so noise is compared with its
    plain beam.
    """
    for name, found in speeds.items():
        stock = speeds[
            "sampling: fairseq-generate"
            if name.startswith("sampling")
            else "plain beam: fairseq-generate"
        ]
        ratio = statistics.median(mine / theirs for mine, theirs in zip(found, stock, strict=True))
        print(
            f"{precision} {name:32}{statistics.median(found):10,.1f} sentences/s, {ratio:.2f} "
            "times fairseq-generate"
        )


def ways(model: Path, text: Text, work: Path, precision: str, max_tokens: int) -> dict[str, Way]:
    """All ways to decode, by name."""
    import torch

    ours = Decoder([model], engine="fairseq", max_tokens=max_tokens, precision=precision)
    fast = Decoder([model], engine="ctranslate2", max_tokens=max_tokens, precision=precision)
    stock = ["--max-tokens", str(max_tokens), *(["--fp16"] if precision == "fp16" else [])]
    stock += [] if torch.cuda.is_available() else ["--cpu"]
    stock += ["--scoring", "sacrebleu"]  # the default needs a compiled module

    def timed(decode: Callable[[], object]) -> Way:
        def run() -> float:
            start = now()
            # Ends with outputs in this process's memory, so the GPU has nothing left to do
            decode()
            return len(text.sentences) / (now() - start)

        return run

    return {
        "plain beam: fairseq-generate": generate(
            model, text, work, ["--beam", str(PAPER_BEAM), *stock]
        ),
        "plain beam: ours": timed(lambda: ours.decode(text.sentences, beam=PAPER_BEAM, seed=1)),
        "plain beam: CTranslate2": timed(lambda: fast.decode(text.sentences, beam=PAPER_BEAM)),
        "noisy beam: ours": timed(
            lambda: ours.decode(text.sentences, beam=PAPER_BEAM, beta_random=BETA, seed=1)
        ),
        "sampling: fairseq-generate": generate(
            model, text, work, ["--beam", "1", "--nbest", "1", "--sampling", *stock]
        ),
        "sampling: ours": timed(lambda: ours.sample(text.sentences, seed=1)),
    }


def generate(model: Path, text: Text, work: Path, options: list[str]) -> Way:
    """``fairseq-generate`` over the binarised text, in this process."""
    paths = [
        str(text.to_decode),
        "--path",
        str(model / "model.pt"),
        "--results-path",
        str(work / "generated"),
    ]
    whole = [
        *paths,
        "-s",
        "src",
        "-t",
        "trg",
        "--gen-subset",
        "train",
        "--max-len-a",
        "1.5",
        "--max-len-b",
        "10",
    ]

    def run() -> float:
        from fairseq import options as fairseq_options
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf
        from fairseq_cli import generate as program

        with compat.isolated(), quiet_logs(), timed_searches() as seconds:
            parser = fairseq_options.get_generation_parser()
            arguments = fairseq_options.parse_args_and_arch(
                parser, [*whole, *options, "--no-progress-bar"]
            )
            program.main(convert_namespace_to_omegaconf(arguments))
        return len(text.sentences) / sum(seconds)

    return run


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


@contextlib.contextmanager
def timed_searches() -> Iterator[list[float]]:
    """The seconds of each batch that a program of fairseq decodes."""
    from fairseq.tasks.fairseq_task import FairseqTask

    seconds: list[float] = []
    search = FairseqTask.inference_step

    def note(*arguments: Any, **options: Any) -> Any:
        start = now()
        found = search(*arguments, **options)
        seconds.append(now() - start)
        return found

    FairseqTask.inference_step = note
    try:
        yield seconds
    finally:
        FairseqTask.inference_step = search
