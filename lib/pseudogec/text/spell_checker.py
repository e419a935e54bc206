"""hunspell with the English dictionary that its package ships."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any


@functools.cache
def spell_checker() -> Any:
    """hunspell with its English dictionary (``spell``, ``suggest``), but without guesses from shared n-grams.

    Those add few words, most of them far from the one asked for, and take 98% of the time: 50 ms a word against 0.7 ms.
    """
    from hunspell import Hunspell

    with tempfile.TemporaryDirectory() as folder:
        rules = (dictionaries() / "en_US.aff").read_bytes()
        (Path(folder) / "en_US.aff").write_bytes(b"MAXNGRAMSUGS 0\nMAXCPDSUGS 0\n" + rules)
        shutil.copy(dictionaries() / "en_US.dic", folder)
        return Hunspell("en_US", hunspell_data_dir=folder)


def dictionaries() -> Path:
    """The folder of hunspell's dictionaries."""
    import hunspell

    return Path(hunspell.__file__).parent / "dictionaries"
