"""What fairseq lacks for this study: the copy-augmented Transformer, and searches that draw random numbers."""

from __future__ import annotations

import importlib


def register() -> None:
    """Make the models known to fairseq by their names. Call `pseudogec.seq2seq.compat.apply` before."""
    importlib.import_module("pseudogec.seq2seq.plugins.copy_transformer")
