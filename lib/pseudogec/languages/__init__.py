"""Languages of a study: one class for each, which holds everything that the project knows of it.

A profile names one by its code, ``language: uk``, or as ``package.module:Class``.
"""

from pseudogec.languages.english import ENGLISH, English
from pseudogec.languages.language import (
    LANGUAGES,
    PARTS,
    AnyLanguage,
    Dictionary,
    Language,
    import_spacy,
)
from pseudogec.languages.ukrainian import Ukrainian

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "PARTS",
    "AnyLanguage",
    "Dictionary",
    "English",
    "Language",
    "Ukrainian",
    "import_spacy",
]
