"""What the programs have in common: their exit status, and messages in place of tracebacks."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from pseudogec.artefacts.errors import UserError
from pseudogec.extras import naming_extras


def add_study_options(parser: argparse.ArgumentParser) -> None:
    """The options of programs that open a study, beside ``--profile``."""
    add = parser.add_argument
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="overrides",
        help="change one key of the profile",
    )
    add(
        "--store",
        type=Path,
        metavar="FOLDER",
        help="where artefacts are kept (default: outputs/store)",
    )


def run_program(work: Callable[[], int | None], when_stopped: str) -> int:
    """Do a program's work, whose result is the exit status (None stands for 0); ``when_stopped`` is
    said after Ctrl-C.

    Returns:
        The work's status; 1 when nobody reads the output any more, 2 when the user must mend
        something first, 130 after Ctrl-C.
    """
    try:
        with naming_extras():
            status = work() or 0
        sys.stdout.flush()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has seen enough
        # Let Python's last flush succeed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"\n{when_stopped}", file=sys.stderr)
        return 130
    return status
