"""Subwords: byte-pair encoding (Sennrich et al. 2016) through subword-nmt (TASLP section IV-A), and
the vocabulary.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import read_lines, write_lines
from pseudogec.text.words import MASK

SEPARATOR = "@@"
"""The end of every subword except a word's last."""
UNKNOWN = "<unk>"
"""What fairseq writes in the place of a subword that its dictionary lacks."""
FAIRSEQ_SYMBOLS = ("<s>", "<pad>", "</s>", UNKNOWN)
"""Symbols that fairseq adds itself; a dictionary file must not contain them."""
_WORD_END = "</w>"
_JOINT = re.compile(r"@@ |@@$")
_CACHED_WORDS = 500_000  # about 200 MB, on a corpus of any size


class Bpe:
    """A segmentation of words into subwords, which end in ``@@`` unless they are a word's last; the
    mask token is one subword.
    """

    def __init__(self, merges: Sequence[str]) -> None:
        from subword_nmt.apply_bpe import BPE

        self.merges = tuple(merges)
        self._segmenter = BPE(io.StringIO("\n".join(["#version: 0.2", *self.merges])))
        self._subwords = functools.lru_cache(_CACHED_WORDS)(self._split)

    def __reduce__(self) -> tuple[type[Bpe], tuple[tuple[str, ...]]]:
        return (type(self), (self.merges,))

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[str]], merges: int) -> Bpe:
        """Learn merges from tokenised text, without its mask tokens.

        Raises:
            UserError: ``merges`` is not positive, or no two characters stand together twice.
        """
        from subword_nmt.learn_bpe import learn_bpe

        if merges < 1:
            raise UserError(f"{merges} BPE merges were asked for; at least 1 is needed")
        counts = Counter(token for sentence in sentences for token in sentence if token != MASK)
        codes = io.StringIO()
        if any(len(word) > 1 for word in counts):
            # Subword-nmt draws a progress bar of its own
            with contextlib.redirect_stderr(io.StringIO()):
                learn_bpe(
                    [f"{word} {count}" for word, count in counts.items()],
                    codes,
                    merges,
                    is_dict=True,
                )
        learnt = codes.getvalue().rstrip("\n").split("\n")[1:]
        if not learnt:
            raise UserError(
                "BPE cannot be learnt: no two characters stand together twice in the "
                "words of the text"
            )
        return cls(learnt)

    def apply(self, tokens: Iterable[str]) -> list[str]:
        return list(chain.from_iterable(map(self._subwords, tokens)))

    def _split(self, word: str) -> list[str]:
        if word == MASK:
            return [word]
        if UNKNOWN in word:  # read from binarised data; what stood there is lost
            return [UNKNOWN]
        # It would grow without bound; the cache of `_subwords` serves
        self._segmenter.cache.clear()
        return self._segmenter.segment_tokens([word])

    @functools.cached_property
    def merged(self) -> frozenset[str]:
        """Every part and result of a merge; one that ends a word has the mark of its end."""
        return frozenset(
            symbol
            for merge in self.merges
            for symbol in (*merge.split(" "), merge.replace(" ", ""))
        )

    def possible_subwords(self, characters: str) -> frozenset[str]:
        """Every subword that words of these and the merges' characters can be split into."""
        symbols = self.merged.union(
            *((character, character + _WORD_END) for character in characters)
        )
        final = {symbol.removesuffix(_WORD_END) for symbol in symbols if symbol.endswith(_WORD_END)}
        inner = {symbol + SEPARATOR for symbol in symbols if not symbol.endswith(_WORD_END)}
        return frozenset(final | inner | {MASK})

    @staticmethod
    def undo(subwords: Iterable[str]) -> list[str]:
        """Join subwords into tokens again; a last subword that lacks its continuation loses its
        ``@@``.
        """
        return _JOINT.sub("", " ".join(subwords)).split()

    def save(self, path: Path | str) -> None:
        write_lines(path, ["#version: 0.2", *self.merges])

    @classmethod
    def load(cls, path: Path | str) -> Bpe:
        """Read a codes file of subword-nmt (version 0.2).

        Raises:
            DataError: the file is missing or not such a file.
        """
        lines = list(read_lines(path))
        if not lines or lines[0].strip() != "#version: 0.2":
            raise DataError(
                path, "not a subword-nmt codes file: its first line must be '#version: 0.2'", 1
            )
        for number, line in enumerate(lines[1:], start=2):
            if len(line.split(" ")) != 2 or not all(line.split(" ")):
                raise DataError(
                    path,
                    f"a merge must be two symbols with one space between them, not {line!r}",
                    number,
                )
        return cls(lines[1:])


@functools.lru_cache(maxsize=2)
def load_bpe(folder: Path) -> Bpe:
    """The segmentation of an artefact's folder, ``codes.txt``; kept in the process, since a worker
    builds many artefacts with it.

    Raises:
        DataError: see `Bpe.load`.
    """
    return Bpe.load(folder / "codes.txt")


class Vocabulary:
    """Subwords with their counts, the most frequent first and equally frequent ones in alphabetical
    order.
    """

    def __init__(self, counts: Mapping[str, int], symbols: Iterable[str] = (MASK,)) -> None:
        complete = dict.fromkeys(symbols, 0) | {
            subword: n for subword, n in counts.items() if subword not in FAIRSEQ_SYMBOLS
        }
        self.counts: dict[str, int] = dict(
            sorted(complete.items(), key=lambda entry: (-entry[1], entry[0]))
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    def save(self, path: Path | str) -> None:
        write_lines(path, (f"{subword} {count}" for subword, count in self.counts.items()))

    @classmethod
    def load(cls, path: Path | str) -> Vocabulary:
        """Read a fairseq dictionary; its order, which gives a trained model its indices, is kept.

        Raises:
            DataError: a line is not ``subword count``, or a subword comes twice.
        """
        counts: dict[str, int] = {}
        for number, line in enumerate(read_lines(path), start=1):
            subword, _, count = line.removesuffix(" #fairseq:overwrite").rpartition(" ")
            if not subword or not count.isdecimal():
                raise DataError(
                    path,
                    "a line of a dictionary must be a subword, a space and its "
                    f"count, not {line!r}",
                    number,
                )
            if subword in counts:
                raise DataError(
                    path,
                    f"the subword {subword!r} comes twice; every subword must come once",
                    number,
                )
            counts[subword] = int(count)
        vocabulary = cls({}, symbols=())
        vocabulary.counts = counts
        return vocabulary
