"""fairseq's command-line programs on today's Python: ``python -m pseudogec.seq2seq.command train ARGUMENTS``.

``train``, ``generate``, ``interactive``, ``preprocess``, ``eval_lm``, ``validate`` and ``score`` take the arguments of
``fairseq-train`` and its sisters. For several GPUs: ``torchrun --nproc-per-node 8 -m pseudogec.seq2seq.command train ARGUMENTS``.
A checkpoint that needs more than weights and plain options is read when the environment variable ``PSEUDOGEC_TRUST_CHECKPOINTS``
names the file, or its folder.
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys

from artefacts.errors import UserError
from pseudogec.seq2seq import compat

PROGRAMS = ("train", "generate", "interactive", "preprocess", "eval_lm", "validate", "score")


def main(arguments: list[str]) -> None:
    """Run one of fairseq's programs, given its name and then its arguments."""
    if not arguments or arguments[0] not in PROGRAMS:
        raise SystemExit(f"usage: python -m pseudogec.seq2seq.command {{{','.join(PROGRAMS)}}} ARGUMENTS")
    program, options = arguments[0], arguments[1:]
    if program == "train":
        # torchrun names a process's GPU in the environment; fairseq looks for it among its arguments.
        if "LOCAL_RANK" in os.environ and not any(option.startswith("--device-id") for option in options):
            options += ["--device-id", os.environ["LOCAL_RANK"]]
        _refuse_to_do_nothing(options)
    compat.apply()
    sys.argv = [f"fairseq-{program.replace('_', '-')}", *options]
    importlib.import_module(f"fairseq_cli.{program}").cli_main()


def _refuse_to_do_nothing(options: list[str]) -> None:
    """Without GPUs, fairseq starts none of several processes and reports success."""
    import torch

    sizes = [size for option, size in itertools.pairwise(options) if option == "--distributed-world-size"]
    if sizes and int(sizes[-1]) > 1 and "WORLD_SIZE" not in os.environ and not torch.cuda.is_available():
        raise SystemExit(
            f"--distributed-world-size {sizes[-1]} needs GPUs, and torch sees none here; leave it out, or start "
            "processes by torchrun with --cpu --distributed-backend gloo --ddp-backend legacy_ddp"
        )


if __name__ == "__mp_main__":
    # A process that fairseq spawned imports this module before it unpickles its task.
    compat.apply()

if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        raise SystemExit(f"error: {error}") from None
