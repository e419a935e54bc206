"""Large packages imported in less time."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Import without looking for garbage among what is imported: a sixth of the time of torch, fairseq and spaCy."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def skip_address_grammars() -> None:
    """Have jsonschema do without the grammars of web addresses, before it is first imported.

    Jupyter brings `rfc3987_syntax`, from which jsonschema then builds 38 grammars: two seconds of every process that reads a
    notebook. They check the formats of addresses, which no schema of notebooks asks for.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # how Python says that a module cannot be imported
