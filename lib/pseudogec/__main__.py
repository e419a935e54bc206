"""The program ``pseudogec`` (also ``python -m pseudogec``)."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from artefacts.errors import UserError
from artefacts.kinds import import_from
from pseudogec.commands import correct, fetch_data, noise, pack, score, submit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        arguments: those of the command line by default.

    Returns:
        0 when all is well, 1 when the output could not be written to its end, 2 when the user must mend something first.
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
    try:
        options.run(options)
        if sys.stdout is not None:  # None: whoever started the program closed it
            sys.stdout.flush()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has seen enough
        _discard_output()
        return 1
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        _discard_output()
        place = error.filename2 or error.filename or "standard output, or the folder of temporary files"
        print(f"error: {place}: the disk is full; the output is not complete", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; what was built is in the store, and no file is half-written", file=sys.stderr)
        return 130
    return 0


def _discard_output() -> None:
    """Let Python's last flush succeed, although standard output takes no more."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
