"""What the programs have in common: their exit status, and messages in place of tracebacks."""

from __future__ import annotations

import codecs
import locale
import os
import sys
from collections.abc import Callable

from artefacts.errors import UserError


def run_program(work: Callable[[], int | None], when_stopped: str) -> int:
    """Do a program's work.

    Args:
        work: returns the exit status; None stands for 0.
        when_stopped: what the user is told after Ctrl-C.

    Returns:
        The work's status; 1 when nobody reads the output any more, 2 when the user must mend something first, 130 after
        Ctrl-C.
    """
    try:
        _refuse_other_encodings()
        status = work() or 0
        sys.stdout.flush()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # let Python's last flush succeed
        return 1
    except MemoryError:
        print("error: this program may not have more memory", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\n{when_stopped}", file=sys.stderr)
        return 130
    return status


def _refuse_other_encodings() -> None:
    """Packages read their word lists, and Python prints texts, in the encoding of the locale.

    Raises:
        UserError: it is not UTF-8.
    """
    for encoding in (locale.getencoding(), sys.stdout.encoding):
        if not sys.flags.utf8_mode and encoding and codecs.lookup(encoding).name != "utf-8":
            raise UserError(f"texts are UTF-8, and this terminal's locale encodes them as {encoding}; set PYTHONUTF8=1")
