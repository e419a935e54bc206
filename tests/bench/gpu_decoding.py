"""Back-translation speed for `bench_gpu`: plain beam, noise in the beam and sampling, ours and ``fairseq-generate``.

The models stay in memory from turn to turn, and reading them does not count. Of ``fairseq-generate`` the searches alone are
timed, as it does itself, while ours counts making batches and pieces too. Without a GPU the clock is that of processor time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench_decoding import quiet_logs
from gpu_training import now

from pseudogec.seq2seq import Decoder, compat

BETA = 6.0
PAPER_BEAM = 5


class Speed(NamedTuple):
    """What a decoding reached.

    Attributes:
        sentences_per_second: sources decoded a second.
        memory_gib: peak of the GPU's memory as torch asks for it; ``None`` without a GPU or with CTranslate2, which has its own.
    """

    sentences_per_second: float
    memory_gib: float | None


Way = Callable[[], Speed]


def ways(model: Path, sentences: list[list[str]], text: Path, work: Path, precision: str, max_tokens: int) -> dict[str, Way]:
    """All ways to decode, by name.

    Args:
        model: the reverse model's folder.
        sentences: what to decode, in pieces.
        text: the same, binarised.
        work: for what ``fairseq-generate`` writes.
        precision: "fp32" or "fp16".
        max_tokens: most pieces a batch.
    """

    def ours(noise: float = 0.0) -> Way:
        decoder = Decoder([model], engine="fairseq", max_tokens=max_tokens, precision=precision)
        return lambda: timed(lambda: decoder.decode(sentences, beam=PAPER_BEAM, beta_random=noise, seed=1), sentences)

    def sampling() -> Way:
        decoder = Decoder([model], engine="fairseq", max_tokens=max_tokens, precision=precision)
        return lambda: timed(lambda: decoder.sample(sentences, seed=1), sentences)

    fast = Decoder([model], engine="ctranslate2", max_tokens=max_tokens, precision=precision)
    stock = ["--max-tokens", str(max_tokens), *(["--fp16"] if precision == "fp16" else []), *_cpu()]
    stock += ["--scoring", "sacrebleu"]  # the default needs a compiled module
    return {
        "plain beam: fairseq-generate": generate(model, text, len(sentences), work, ["--beam", str(PAPER_BEAM), *stock]),
        "plain beam: ours": ours(),
        "plain beam: CTranslate2": lambda: timed(lambda: fast.decode(sentences, beam=PAPER_BEAM), sentences)._replace(
            memory_gib=None
        ),
        "noisy beam: ours": ours(noise=BETA),
        "sampling: fairseq-generate": generate(
            model, text, len(sentences), work, ["--beam", "1", "--nbest", "1", "--sampling", *stock]
        ),
        "sampling: ours": sampling(),
    }


def timed(decode: Callable[[], object], sentences: list[list[str]]) -> Speed:
    """Time a decoding; it ends with outputs in this process's memory, so the GPU has nothing left to do."""
    start = now()
    _, memory = with_memory(decode)
    return Speed(len(sentences) / (now() - start), memory)


def with_memory(work: Callable[[], object]) -> tuple[object, float | None]:
    """What a piece of work returns, and its peak of the GPU's memory in GiB."""
    import torch

    if not torch.cuda.is_available():
        return work(), None
    torch.cuda.reset_peak_memory_stats()
    result = work()
    return result, torch.cuda.max_memory_allocated() / 2**30


def generate(model: Path, text: Path, count: int, work: Path, options: list[str]) -> Way:
    """``fairseq-generate`` over a binarised text of so many sentences, in this process."""
    paths = [str(text), "--path", str(model / "model.pt"), "--results-path", str(work / "generated")]
    whole = [*paths, "-s", "src", "-t", "trg", "--gen-subset", "train", "--max-len-a", "1.5", "--max-len-b", "10"]

    def run() -> Speed:
        from fairseq import options as fairseq_options
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf
        from fairseq_cli import generate as program

        with compat.isolated(), quiet_logs(), timed_searches() as seconds:
            parser = fairseq_options.get_generation_parser()
            arguments = fairseq_options.parse_args_and_arch(parser, [*whole, *options, "--no-progress-bar"])
            _, memory = with_memory(lambda: program.main(convert_namespace_to_omegaconf(arguments)))
        return Speed(count / sum(seconds), memory)

    return run


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


def _cpu() -> list[str]:
    import torch

    return [] if torch.cuda.is_available() else ["--cpu"]
