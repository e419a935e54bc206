"""The program ``pseudogec`` (also ``python -m pseudogec``)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pseudogec.commands import noise, score
from pseudogec.errors import UserError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        arguments: those of the command line by default.

    Returns:
        0 when all is well, 2 when the user must mend something first.
    """
    parser = argparse.ArgumentParser(prog="pseudogec", description="Pseudo data for grammatical error correction.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    noise.add_parser(commands)
    score.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; nothing was written", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
