"""What an error must name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pseudogec.artefacts import DataError


@contextlib.contextmanager
def refused(path: Path, line: int | None = None) -> Iterator[None]:
    """Something that must fail with an error that names this file, and the line if there is one."""
    with pytest.raises(DataError) as raised:
        yield
    assert (raised.value.path, raised.value.line) == (path, line)
