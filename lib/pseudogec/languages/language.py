"""The interface of a language, in which what a language lacks is absent."""

from __future__ import annotations

import functools
import re
import string
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import BeforeValidator, Field, PlainSerializer, SerializeAsAny

from pseudogec.artefacts import SourceFile
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.kinds import Component, Registry

PARTS = {
    "dictionary": "a dictionary of hunspell",
    "inflections": "parts of speech and inflections",
    "handbook": "the handbook of its errors, on which rules and variants of spelling rest",
}
"""What a language may lack, and methods and steps of a system may need."""


LONGEST_WORD = 40
"""Letters; a longer token is no word, and tools whose time grows with the square of its length do
not see it.
"""


class Dictionary(NamedTuple):
    """A dictionary of hunspell: its rules of affixes (``.aff``) and its words (``.dic``)."""

    affixes: Path
    words: Path

    def knows(self, word: str) -> bool:
        try:
            return bool(_hunspell(self).spell(word))
        except UnicodeEncodeError:  # it has a letter that the dictionary's encoding lacks
            return False

    def suggest(self, word: str) -> list[str]:
        return list(_hunspell(self).suggest(word))

    def entries(self) -> list[str]:
        """The words of the file, without their flags."""
        encoding = re.search(rb"^SET (\S+)", self.affixes.read_bytes(), re.MULTILINE)
        text = self.words.read_text(encoding=encoding[1].decode() if encoding else "latin-1")
        return [line.partition("/")[0] for line in text.splitlines()]


@functools.cache
def _hunspell(dictionary: Dictionary) -> Any:
    """hunspell (``spell``, ``suggest``), but without guesses from shared n-grams.

    Those add few words, most of them far from the one asked for, and take 98% of the time: 50 ms a
    word against 0.7 ms.
    """
    from hunspell import Hunspell

    with tempfile.TemporaryDirectory() as folder:
        rules = b"MAXNGRAMSUGS 0\nMAXCPDSUGS 0\n" + dictionary.affixes.read_bytes()
        (Path(folder) / "words.aff").write_bytes(rules)
        (Path(folder) / "words.dic").symlink_to(dictionary.words.resolve())
        return Hunspell("words", hunspell_data_dir=folder)


class Language(Component):
    """What the study knows of a language. A new one derives from this class; a profile may name it
    ``package.module:Class``.

    With an alphabet alone there are direct and random noise, the dictionary of realistic noise, and
    back-translation.
    """

    title: ClassVar[str]
    """Its name in messages."""
    letters: ClassVar[str]
    """Its alphabet, in lower case: misspellings are made of these letters, and words are spelt with
    them.
    """
    marks: ClassVar[str] = ""
    """Punctuation marks beside those of ASCII."""
    annotators: ClassVar[tuple[str, ...]] = ("untyped",)
    """The annotators that find edits, the usual one first."""
    inflections: ClassVar[bool] = False
    """Whether it has `other_forms`."""
    hunspell: ClassVar[tuple[str, ...]] = ()
    """The two files of its dictionary, ``.aff`` and ``.dic``."""
    handbook: ClassVar[bool] = False
    """Whether it is the language of the project's own rules and tables of errors."""

    found: tuple[SourceFile, ...] = Field(
        (), description="the files of `hunspell` where they are; set when a study is planned"
    )

    @property
    def files(self) -> tuple[Path, ...]:
        """Those of `hunspell`, relative to the profile's data folder unless the language is
        `located`.
        """
        return tuple(file.path for file in self.found) or tuple(map(Path, self.hunspell))

    @property
    def dictionary(self) -> Dictionary | None:
        return Dictionary(*self.files) if self.hunspell else None

    def located(self, find: Callable[[Path], SourceFile]) -> Self:
        """The same language with its files where they are, identified by their content."""
        return self.model_copy(update={"found": tuple(map(find, self.files))})

    def lacks(self, parts: Iterable[str]) -> str:
        """What it lacks of some `PARTS`, in a sentence; empty if it has all."""
        lacking = [PARTS[part] for part in parts if not getattr(self, part)]
        return (
            (f"needs {' and '.join(lacking)}, which {self.title} does not have here")
            if lacking
            else ""
        )

    @property
    def punctuation(self) -> str:
        return string.punctuation + self.marks

    @property
    def characters(self) -> str:
        """The characters of its words, numbers and punctuation."""
        return self.letters + self.letters.upper() + string.digits + self.punctuation

    def spells(self, word: str) -> bool:
        """Whether a word is written in lower-case letters of the alphabet alone."""
        return bool(word) and set(self.letters).issuperset(word)

    def may_draw(self, word: str) -> bool:
        """Whether noise may draw a word of genuine text: one without letters of another
        alphabet.
        """
        return all(letter in self.letters for letter in word.lower() if letter.isalpha())

    def letters_for(self, text: str) -> str:
        """The letters that a text may be misspelt with: the alphabet; of a word in another
        alphabet, its own letters.
        """
        first = next(filter(str.isalpha, text.lower()), self.letters[0])
        return self.letters if first in self.letters else text.lower()

    def refuse_foreign(self, text: Iterable[str], what: str) -> None:
        """Raise UserError if most letters of a text are not of the alphabet; ``what`` stands for
        the text in the message.
        """
        letters = [letter for letter in "".join(text).lower() if letter.isalpha()]
        if 2 * sum(map(self.letters.count, letters)) < len(letters):
            remedy = "name its language by the profile's key `language`"
            raise UserError(
                f"{what}: most letters are not of the alphabet of {self.title}; {remedy}"
            )

    def other_forms(self, word: str) -> Sequence[str]:
        """The words into which a word may change by its part of speech, out of context; an empty
        text stands for none.
        """
        return ()

    def sound(self, word: str) -> str:
        """The sound of a word, by which others are sought that may be confused with it; by default
        its spelling.
        """
        return word

    def make_tokeniser(self) -> Any:
        """A tokeniser of spaCy; by default its rules for any language, which divide words and
        punctuation marks.
        """
        return import_spacy().blank("xx").tokenizer

    def is_foreign(self, words: Sequence[str]) -> bool:
        """Whether words, of letters of the alphabet, are rather of another language; by default
        not.
        """
        return False


LANGUAGES = Registry(Language, "language")
AnyLanguage = Annotated[
    SerializeAsAny[Language],
    BeforeValidator(LANGUAGES.parse),
    PlainSerializer(LANGUAGES.dump, when_used="json"),
]


@functools.cache
def import_spacy() -> Any:
    """spaCy, imported without torch, which no pipeline here needs.

    A package of spaCy's imports torch where it is installed, in more than a second and 200 MB.
    While spaCy is imported, torch seems not to be installed; afterwards it can be imported as ever.
    """
    hidden = "torch" not in sys.modules
    if hidden:
        # Which Python takes for a module that is not there
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import spacy
    finally:
        if hidden:
            del sys.modules["torch"]
    return spacy
