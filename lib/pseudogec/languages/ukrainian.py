"""Ukrainian, as the corpus UA-GEC has it (Syvokon et al. 2023)."""

from pseudogec.languages.language import LANGUAGES, Language


@LANGUAGES.register
class Ukrainian(Language):
    """Ukrainian: an alphabet and a dictionary of hunspell."""

    name = "uk"
    title = "Ukrainian"
    letters = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'"  # an apostrophe is written within words, and often forgotten
    marks = "\u00ab\u00bb\u201e\u201c\u201d\u2019\u2013\u2014\u2026\u2116"  # quotation marks, dashes, an ellipsis, No.
    hunspell = ("hunspell/uk/index.aff", "hunspell/uk/index.dic")
