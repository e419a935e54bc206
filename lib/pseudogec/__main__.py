"""The program ``pseudogec`` (also ``python -m pseudogec``)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from artefacts.kinds import import_from
from pseudogec.commands import correct, fetch_data, noise, pack, score, submit
from pseudogec.commands.program import run_program


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        arguments: those of the command line by default.

    Returns:
        0 when all is well, or another status of `run_program`.
    """
    parser = argparse.ArgumentParser(prog="pseudogec", description="Pseudo data for grammatical error correction.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    noise.add_parser(commands)
    score.add_parser(commands)
    correct.add_parser(commands)
    submit.add_parser(commands)
    pack.add_parser(commands)
    fetch_data.add_parser(commands)
    options = parser.parse_args(arguments)
    import_from(Path.cwd())  # Python does so for `-m`, and not for an installed program
    return run_program(lambda: options.run(options), "stopped; what was built is in the store, and no file is half-written")


if __name__ == "__main__":
    sys.exit(main())
