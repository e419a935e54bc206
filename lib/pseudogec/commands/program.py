"""What the programs have in common: their exit status, and messages in place of tracebacks."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

from artefacts.errors import UserError


def run_program(work: Callable[[], int | None], when_stopped: str) -> int:
    """Do a program's work.

    Args:
        work: returns the exit status; None stands for 0.
        when_stopped: what the user is told after Ctrl-C.

    Returns:
        The work's status; 1 when the output could not be written to its end, 2 when the user must mend something first, 130 after
        Ctrl-C.
    """
    _open_closed_streams()
    try:
        status = work() or 0
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
        print(f"\n{when_stopped}", file=sys.stderr)
        return 130
    return status


def _open_closed_streams() -> None:
    """Read nothing from, and write nowhere to, the standard streams that whoever started the program has closed."""
    nothing = Path(os.devnull)
    sys.stdin = sys.stdin or nothing.open(encoding="utf-8")
    sys.stdout = sys.stdout or nothing.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or nothing.open("w", encoding="utf-8")


def _discard_output() -> None:
    """Let Python's last flush succeed, although standard output takes no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
