"""What noising methods learn from genuine pairs, kept in a worker between the shards that it builds."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path

from pseudogec.corpora import read_plain
from pseudogec.edits import M2File
from pseudogec.edits import annotator_of as annotator
from pseudogec.noise import NoiseResources
from pseudogec.text import load_bpe as segmentation

__all__ = ["annotator", "noise_resources", "segmentation"]


@functools.lru_cache(maxsize=2)
def noise_resources(genuine: Path, bpe: Path, references: Path | None) -> NoiseResources:
    """What noising methods learn from a ``corpus`` artefact and, where they need edits, its ``references`` artefact."""
    words = Counter(word for tokens in read_plain(genuine / "target.txt") for word in tokens)
    annotated = M2File(references / "references.m2") if references else ()
    return NoiseResources(words, bpe=segmentation(bpe), annotated=annotated)
