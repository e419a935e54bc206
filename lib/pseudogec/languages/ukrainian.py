"""Ukrainian, as the corpus UA-GEC has it (Syvokon et al. 2023)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from pseudogec.artefacts import SourceFile
from pseudogec.languages.language import LANGUAGES, Language, import_spacy


@LANGUAGES.register
class Ukrainian(Language):
    """Ukrainian: an alphabet, tokens as UA-GEC has them, and a dictionary of hunspell."""

    name = "uk"
    title = "Ukrainian"
    letters = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'"  # an apostrophe is written within words, and often forgotten
    marks = "\u00ab\u00bb\u201e\u201c\u201d\u2019\u2013\u2014\u2026\u2116"  # quotation marks, dashes, an ellipsis, No.

    hunspell: tuple[SourceFile | Path, ...] = Field(
        (Path("hunspell/uk/index.aff"), Path("hunspell/uk/index.dic")), description="the two files of its dictionary (.aff, .dic)"
    )

    def make_tokeniser(self) -> Any:
        """spaCy's rules for any language, by which a hyphen does not divide a word."""
        from spacy.lang.char_classes import ALPHA, HYPHENS
        from spacy.util import compile_infix_regex

        pipeline = import_spacy().blank("xx")
        divides = [rule for rule in pipeline.Defaults.infixes if HYPHENS not in rule]
        pipeline.tokenizer.infix_finditer = compile_infix_regex([*divides, f"(?<=[{ALPHA}])[\u2013\u2014](?=[{ALPHA}])"]).finditer
        return pipeline.tokenizer
