"""What is slow to load, kept in a worker between the many artefacts of one study that it builds."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path

from pseudogec.corpora import read_plain
from pseudogec.edits import Annotator, load_annotator, read_m2
from pseudogec.errors import UserError
from pseudogec.noise import NoiseResources
from pseudogec.text import Bpe


@functools.lru_cache(maxsize=2)
def segmentation(bpe: Path) -> Bpe:
    """The segmentation of a ``bpe`` artefact."""
    return Bpe.load(bpe / "codes.txt")


@functools.lru_cache(maxsize=2)
def noise_resources(genuine: Path, bpe: Path, references: Path | None) -> NoiseResources:
    """What noising methods learn from a ``corpus`` artefact and, where they need edits, its ``references`` artefact."""
    words = Counter(word for tokens in read_plain(genuine / "target.txt") for word in tokens)
    annotated = list(read_m2(references / "references.m2")) if references else []
    return NoiseResources(words, bpe=segmentation(bpe), annotated=annotated)


@functools.lru_cache(maxsize=1)
def annotator(signature: str) -> Annotator:
    """The annotator that a study was planned with.

    Raises:
        UserError: this machine's versions are others.
    """
    found = load_annotator("offline" if "offline" in signature else "en_core_web_sm")
    if found.signature != signature:
        raise UserError(
            f"this machine annotates with {found.signature}, the study was planned with {signature}; "
            "install the same versions on all machines"
        )
    return found
