"""What is slow to load, kept in a worker between the many artefacts of one study that it builds."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path

from artefacts.errors import UserError
from artefacts.files import read_lines
from pseudogec.corpora import read_plain
from pseudogec.correct import Casing, HuggingFaceDetector
from pseudogec.edits import Annotator, M2File, load_annotator
from pseudogec.noise import NoiseResources
from pseudogec.seq2seq import Decoder, LanguageModel, read_dictionary
from pseudogec.seq2seq.detector import Detector
from pseudogec.text import Bpe


@functools.lru_cache(maxsize=2)
def segmentation(bpe: Path) -> Bpe:
    """The segmentation of a ``bpe`` artefact."""
    return Bpe.load(bpe / "codes.txt")


@functools.lru_cache(maxsize=2)
def noise_resources(genuine: Path, bpe: Path, references: Path | None) -> NoiseResources:
    """What noising methods learn from a ``corpus`` artefact and, where they need edits, its ``references`` artefact."""
    words = Counter(word for tokens in read_plain(genuine / "target.txt") for word in tokens)
    annotated = M2File(references / "references.m2") if references else ()
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


@functools.lru_cache(maxsize=2)
def decoder(models: tuple[Path, ...]) -> Decoder:
    """A model, or an ensemble; models that several of these share are in memory once."""
    return Decoder(models)


@functools.lru_cache(maxsize=1)
def language_model(folder: Path) -> LanguageModel:
    """A ``language_model`` artefact."""
    return LanguageModel(folder)


@functools.lru_cache(maxsize=1)
def detector(folder: Path) -> Detector:
    """A ``detector`` artefact."""
    return Detector(folder)


@functools.lru_cache(maxsize=1)
def hugging_face_detector(name: str, error_label: int | str | None) -> HuggingFaceDetector:
    """A classifier from Hugging Face, or from a folder in its format."""
    return HuggingFaceDetector(name, error_label)


@functools.lru_cache(maxsize=2)
def known_pieces(bpe: Path) -> frozenset[str]:
    """The pieces that models of a ``bpe`` artefact can read."""
    return frozenset(read_dictionary(bpe / "dict.txt"))


@functools.lru_cache(maxsize=2)
def casing(words: Path, times: float) -> Casing:
    """Which words a ``word_counts`` artefact shows far more often capitalised."""
    counts = (line.split("\t") for line in read_lines(words / "words.tsv"))
    return Casing({word: int(count) for word, count in counts}, times)
