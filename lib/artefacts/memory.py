"""What a process does when its memory is exhausted: it ends, so that nobody waits for it."""

from __future__ import annotations

import functools
import logging
import os
import re
import sys
import threading
from typing import Any

_EXHAUSTED = re.compile("start new thread|failed to map segment|[Cc]annot allocate memory|n't allocate memory")
"""In messages of Python, the dynamic linker, the system and torch."""


@functools.cache
def end_without_memory() -> None:
    """Let this process end when something fails in it for lack of memory that only a log would tell of.

    Threads and event loops, such as Dask's and Jupyter's, log errors and go on. What they were about to do never happens, and
    the process with which they talk waits without end.
    """
    sys.unraisablehook = _Hook(sys.unraisablehook)  # a thread that dies before it has begun: its starter waits for it
    threading.excepthook = _Hook(threading.excepthook)
    for name in (None, "distributed", "tornado.application"):  # Dask lets these pass nothing on
        logging.getLogger(name).addHandler(_Ending())


def end_if_exhausted(error: BaseException | None) -> None:
    """End this process if an error, or one that led to it, is for lack of memory."""
    while error is not None:
        if isinstance(error, MemoryError) or _EXHAUSTED.search(str(error)):
            os.write(2, b"error: a process of this run may not have more memory, so it ends\n")
            os._exit(1)
        error = error.__cause__ or error.__context__


class _Hook:
    """A hook of Python for errors that reach no caller, before the one that was there."""

    def __init__(self, hook: Any) -> None:
        self._hook = hook

    def __call__(self, unraisable: Any) -> None:
        end_if_exhausted(unraisable.exc_value)
        self._hook(unraisable)


class _Ending(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.exc_info, tuple):
            end_if_exhausted(record.exc_info[1])
