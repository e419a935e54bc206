"""Ukrainian, as the corpus UA-GEC has it (Syvokon et al. 2023)."""

from pseudogec.languages.language import LANGUAGES, Language


@LANGUAGES.register
class Ukrainian(Language):
    """Ukrainian: an alphabet and a dictionary of hunspell."""

    name = "uk"
    title = "Ukrainian"
    # An apostrophe is written within words, and often forgotten
    letters = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'"
    # Quotation marks, dashes, an ellipsis, No.
    marks = "\u00ab\u00bb\u201e\u201c\u201d\u2019\u2013\u2014\u2026\u2116"
    hunspell = ("hunspell/uk/index.aff", "hunspell/uk/index.dic")
