"""What fairseq lacks for this study, written as its extensions."""

from __future__ import annotations


def register() -> None:
    """Make the extensions known to fairseq by their names."""
