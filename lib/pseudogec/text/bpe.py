"""Byte-pair encoding (Sennrich et al. 2016) through subword-nmt, the study's implementation (TASLP section IV-A)."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from artefacts.errors import DataError, UserError
from artefacts.files import read_lines, write_lines
from pseudogec.text.tokenisation import MASK

SEPARATOR = "@@"
_WORD_END = "</w>"
_PRINTABLE = string.ascii_letters + string.digits + string.punctuation
_JOINT = re.compile(r"@@ |@@$")
_CACHED_WORDS = 1_000_000  # about 200 MB; beyond it the cache starts anew, so that memory stays bounded on any corpus


class _PiecesByWord(dict[str, list[str]]):
    """The pieces of words, each split when it is first asked for."""

    def __init__(self, segmenter: Any, protected: frozenset[str]) -> None:
        super().__init__()
        self._segmenter, self._protected = segmenter, protected

    def __missing__(self, word: str) -> list[str]:
        if len(self) >= _CACHED_WORDS:
            self.clear()
            self._segmenter.cache.clear()
        pieces: list[str] = [word] if word in self._protected else self._segmenter.segment_tokens([word])
        self[word] = pieces
        return pieces


class Bpe:
    """A segmentation of words into pieces; every piece but a word's last ends in ``@@``.

    Args:
        merges: the learnt merges, most frequent first, each two symbols with a space between (``"t h"``, ``"th e</w>"``).
        protected: tokens that always stay one piece, such as the mask token.
    """

    def __init__(self, merges: Sequence[str], protected: Iterable[str] = (MASK,)) -> None:
        from subword_nmt.apply_bpe import BPE

        self.merges = tuple(merges)
        self.protected = frozenset(protected)
        segmenter = BPE(io.StringIO("\n".join(["#version: 0.2", *self.merges])))
        self._pieces = _PiecesByWord(segmenter, self.protected)

    def __reduce__(self) -> tuple[type[Bpe], tuple[tuple[str, ...], frozenset[str]]]:
        return (type(self), (self.merges, self.protected))

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[str]], merges: int, protected: Iterable[str] = (MASK,)) -> Bpe:
        """Learn merges from tokenised text.

        Args:
            sentences: tokens; read once.
            merges: how many merges to learn; fewer when no pair of symbols is left that occurs twice.
            protected: tokens that always stay one piece; not learnt from.

        Raises:
            UserError: ``merges`` is not positive, or the text holds no word of two characters.
        """
        from subword_nmt.learn_bpe import learn_bpe

        if merges < 1:
            raise UserError(f"{merges} BPE merges were asked for; at least 1 is needed")
        protected = frozenset(protected)
        counts = Counter(token for sentence in sentences for token in sentence if token not in protected)
        if all(len(word) < 2 for word in counts):
            raise UserError("BPE cannot be learnt: the text holds no word of two characters or more")
        codes = io.StringIO()
        with contextlib.redirect_stderr(io.StringIO()):  # subword-nmt draws a progress bar of its own
            learn_bpe([f"{word} {count}" for word, count in counts.items()], codes, merges, is_dict=True)
        return cls(codes.getvalue().rstrip("\n").split("\n")[1:], protected)

    def apply(self, tokens: Iterable[str]) -> list[str]:
        """Split tokens into pieces."""
        return list(chain.from_iterable(map(self._pieces.__getitem__, tokens)))

    def possible_pieces(self, characters: Iterable[str] = _PRINTABLE) -> list[str]:
        """Every piece that words can be split into, sorted; a vocabulary of them never meets an unknown piece.

        Args:
            characters: those of the words beside those that the merges were learnt from; printable ASCII by default.
        """
        symbols = {symbol for character in characters for symbol in (character, character + _WORD_END)}
        symbols |= {symbol for merge in self.merges for symbol in (*merge.split(" "), merge.replace(" ", ""))}
        final = {symbol.removesuffix(_WORD_END) for symbol in symbols if symbol.endswith(_WORD_END)}
        return sorted(final | {symbol + SEPARATOR for symbol in symbols if not symbol.endswith(_WORD_END)} | self.protected)

    @staticmethod
    def undo(pieces: Iterable[str]) -> list[str]:
        """Join pieces into tokens again; a last piece that lacks its continuation loses its ``@@``."""
        return _JOINT.sub("", " ".join(pieces)).split()

    def save(self, path: Path | str) -> None:
        """Write the codes file of subword-nmt (version 0.2)."""
        write_lines(path, ["#version: 0.2", *self.merges])

    @classmethod
    def load(cls, path: Path | str, protected: Iterable[str] = (MASK,)) -> Bpe:
        """Read a codes file of subword-nmt (version 0.2).

        Raises:
            DataError: the file is missing or not such a file.
        """
        lines = list(read_lines(path))
        if not lines or lines[0].strip() != "#version: 0.2":
            raise DataError(path, "not a subword-nmt codes file: its first line must be '#version: 0.2'", 1)
        for number, line in enumerate(lines[1:], start=2):
            if len(line.split(" ")) != 2 or not all(line.split(" ")):
                raise DataError(path, f"a merge must be two symbols with one space between them, not {line!r}", number)
        return cls(lines[1:], protected)


@functools.lru_cache(maxsize=2)
def load_bpe(folder: Path) -> Bpe:
    """The segmentation of an artefact's folder, ``codes.txt``; kept in the process, since a worker builds many artefacts with it.

    Raises:
        DataError: see `Bpe.load`.
    """
    return Bpe.load(folder / "codes.txt")
