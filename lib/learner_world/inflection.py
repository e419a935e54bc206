"""Inflected forms of English words, by lemminflect, remembered.

lemminflect lists all forms it knows (British and American); the first is used, except where the first one is not what a teacher
would write in American spelling.
"""

from __future__ import annotations

import functools

PREFERRED = {
    ("wake", "VBD"): "woke",
    ("wake", "VBN"): "woken",
    ("learn", "VBD"): "learned",
    ("learn", "VBN"): "learned",
    ("dream", "VBD"): "dreamed",
    ("dream", "VBN"): "dreamed",
    ("burn", "VBD"): "burned",
    ("burn", "VBN"): "burned",
    ("spill", "VBD"): "spilled",
    ("spill", "VBN"): "spilled",
    ("smell", "VBD"): "smelled",
    ("smell", "VBN"): "smelled",
    ("hide", "VBN"): "hidden",
    ("get", "VBN"): "gotten",
    ("beat", "VBN"): "beaten",
    ("show", "VBN"): "shown",
    ("prove", "VBN"): "proved",
    ("sew", "VBN"): "sewn",
    ("swim", "VBD"): "swam",
    ("quit", "VBN"): "quit",
    ("antelope", "NNS"): "antelopes",
    ("tundra", "NNS"): "tundras",
    ("mouse", "NNS"): "mice",
    ("person", "NNS"): "people",
    ("knife", "NNS"): "knives",
}
"""Where the first form that lemminflect lists is not the American or the usual one."""

_BE = {"VB": "be", "VBZ": "is", "VBP": "are", "VBD": "was", "VBN": "been", "VBG": "being"}

_IRREGULAR_GRADES = {
    ("good", "JJR"): "better",
    ("good", "JJS"): "best",
    ("bad", "JJR"): "worse",
    ("bad", "JJS"): "worst",
    ("old", "JJR"): "older",
    ("old", "JJS"): "oldest",
}


@functools.cache
def inflect(lemma: str, tag: str) -> str:
    """The form of a lemma for a Penn Treebank tag (``NNS``, ``VBD``, ``JJR``, ...).

    Raises:
        KeyError: lemminflect knows no such form.
    """
    if lemma == "be":
        return _BE[tag]
    if tag in ("VB", "VBP"):
        return lemma  # lemminflect lacks the present of some regular verbs (*reshape*)
    if (lemma, tag) in PREFERRED:
        return PREFERRED[lemma, tag]
    if (lemma, tag) in _IRREGULAR_GRADES:
        return _IRREGULAR_GRADES[lemma, tag]
    import lemminflect  # costs a second: only when the world is used

    forms = lemminflect.getInflection(lemma, tag, inflect_oov=True)
    if not forms:
        raise KeyError(f"no form {tag} of {lemma!r}")
    return _without_british_doubling(lemma, forms)


def _without_british_doubling(lemma: str, forms: tuple[str, ...]) -> str:
    """The first form, unless it doubles a final l that another form leaves single (*travelled*, *traveled*)."""
    first = forms[0]
    if len(forms) > 1 and first.startswith(lemma + "l") and forms[1].startswith(lemma + "e"):
        return forms[1]
    return first


@functools.cache
def syllables(word: str) -> int:
    """A rough count: groups of vowels, a silent final e left out."""
    trimmed = word[:-1] if word.endswith("e") and not word.endswith("le") else word
    count, previous = 0, False
    for character in trimmed:
        vowel = character in "aeiouy"
        count += vowel and not previous
        previous = vowel
    return max(1, count)


@functools.cache
def grades_with_ending(adjective: str) -> bool:
    """Whether the comparative is formed with *-er* (*bigger*, *happier*) and not with *more* (*more useful*)."""
    if adjective in ("good", "bad", "clever", "simple", "quiet"):
        return True
    length = syllables(adjective)
    return length == 1 or (length == 2 and adjective.endswith("y"))
