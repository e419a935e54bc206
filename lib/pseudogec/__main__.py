"""The program ``pseudogec`` (also ``python -m pseudogec``)."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

COMMANDS = {
    "noise": ("noise", "make pseudo data of a grammatical text"),
    "score": ("score", "score corrected text with ERRANT, M2, GLEU or a metric of your own"),
    "correct": ("correct", "correct your own text with a system of the study"),
    "pack": (
        "pack",
        "write the results that notebooks show into a few files; merge those of several machines",
    ),
    "data": ("fetch_data", "fetch the public corpora that a profile reads"),
}
"""Command -> the module of `pseudogec.commands` that is imported when it is called, and what it
does.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        arguments: those of the command line by default.

    Returns:
        0 when all is well, or another status of `run_program`.
    """
    from pseudogec.artefacts.kinds import import_from
    from pseudogec.commands.program import run_program

    import_from(Path.cwd())  # Python does so for `-m`, and not for an installed program
    words = sys.argv[1:] if arguments is None else arguments
    return run_program(
        lambda: _called(words),
        "stopped; what was built is in the store, and no file is half-written",
    )


def _called(words: Sequence[str]) -> int | None:
    parser = argparse.ArgumentParser(
        prog="pseudogec", description="Pseudo data for grammatical error correction."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        if name in words[:1]:
            importlib.import_module(f"pseudogec.commands.{module}").add_parser(commands)
        else:
            commands.add_parser(name, help=summary)
    options = parser.parse_args(words)
    status: int | None = options.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
