"""The attributes of each word that ERRANT needs, from its CLAWS C5 tag: tables and simple rules,
for the offline pipeline.

The tables turn C5 tags into the Penn tags and universal parts of speech that ERRANT reads. ERRANT
also reads a few dependency labels; the rules set these, and the heads of auxiliaries, and no
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

RULES_VERSION = 1
"""Version of the tables and rules below; raise it when an analysis changes. It is part of the
signature of scores.
"""

PENN_OF_C5 = {
    # nouns, adjectives, adverbs, numbers
    "NN0": "NN", "NN1": "NN", "NN2": "NNS", "NP0": "NNP", "ZZ0": "NN",
    "AJ0": "JJ", "AJC": "JJR", "AJS": "JJS", "ORD": "JJ", "CRD": "CD",
    "AV0": "RB", "AVQ": "WRB", "AVP": "RP", "XX0": "RB",
    # pronouns, determiners, existential there
    "PNP": "PRP", "PNX": "PRP", "PNI": "NN", "PNQ": "WP", "DPS": "PRP$",
    "AT0": "DT", "DT0": "DT", "DTQ": "WDT", "EX0": "EX",
    # prepositions, conjunctions, particles, interjections, foreign words
    "PRP": "IN", "PRF": "IN", "CJS": "IN", "CJT": "IN", "CJC": "CC", "TO0": "TO", "POS": "POS", "ITJ": "UH", "UNC": "XX",
    # be, do, have, modals, lexical verbs
    "VBB": "VBP", "VBD": "VBD", "VBG": "VBG", "VBI": "VB", "VBN": "VBN", "VBZ": "VBZ",
    "VDB": "VBP", "VDD": "VBD", "VDG": "VBG", "VDI": "VB", "VDN": "VBN", "VDZ": "VBZ",
    "VHB": "VBP", "VHD": "VBD", "VHG": "VBG", "VHI": "VB", "VHN": "VBN", "VHZ": "VBZ",
    "VM0": "MD",
    "VVB": "VBP", "VVD": "VBD", "VVG": "VBG", "VVI": "VB", "VVN": "VBN", "VVZ": "VBZ",
}  # fmt: skip
"""Penn Treebank tag of each CLAWS C5 tag (Leech et al. 1994), for those in HanTa's English
model.
"""

PENN_OF_WORD_AND_C5 = {
    ("many", "DT0"): "JJ", ("much", "DT0"): "JJ", ("few", "DT0"): "JJ", ("little", "DT0"): "JJ", ("several", "DT0"): "JJ",
    ("such", "DT0"): "JJ", ("own", "DT0"): "JJ", ("same", "DT0"): "JJ", ("more", "DT0"): "JJR", ("less", "DT0"): "JJR",
    ("fewer", "DT0"): "JJR", ("most", "DT0"): "JJS", ("least", "DT0"): "JJS",
    ("what", "DTQ"): "WP", ("whose", "DTQ"): "WP$", ("that", "PNQ"): "WDT",
    ("'", "POS"): "POS",
}  # fmt: skip
"""Words that have another class in the Penn Treebank than in CLAWS."""

UNIVERSAL_OF_PENN = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN",
    "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "CD": "NUM", "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "WRB": "SCONJ",
    "PRP": "PRON", "PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "WDT": "PRON", "EX": "PRON", "DT": "DET", "PDT": "DET",
    "IN": "ADP", "RP": "ADP", "CC": "CCONJ", "TO": "PART", "POS": "PART", "UH": "INTJ", "XX": "X",
    "MD": "AUX", "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "VBN": "VERB", "VBP": "VERB", "VBZ": "VERB",
    ".": "PUNCT", ",": "PUNCT", ":": "PUNCT", "HYPH": "PUNCT", "NFP": "PUNCT",
    "``": "PUNCT", "''": "PUNCT", "-LRB-": "PUNCT", "-RRB-": "PUNCT", "$": "SYM", "SYM": "SYM",
}  # fmt: skip
"""Universal part of speech of each Penn tag, as spaCy's English models map them."""

PENN_OF_SYMBOL = {
    ".": ".", "!": ".", "?": ".", ",": ",", ";": ":", ":": ":", "...": ":", "..": ":", "--": ":", "-": "HYPH",
    "(": "-LRB-", ")": "-RRB-", "[": "-LRB-", "]": "-RRB-",
    "…": ":", "\N{EN DASH}": ":", "—": ":",
    '"': "''", "''": "''", "'": "''", "”": "''", "»": "''",
    "``": "``", "“": "``", "\N{LEFT SINGLE QUOTATION MARK}": "``", "«": "``",
    "/": "SYM", "&": "CC", "%": "NN", "$": "$", "£": "$", "€": "$",
}  # fmt: skip
"""Penn tag of punctuation and symbols, for which HanTa has one tag."""

PENN_OF_WORD = {
    "not": "RB", "n't": "RB",
    "'ll": "MD", "'d": "MD", "ca": "MD", "wo": "MD", "sha": "MD",
    "'m": "VBP", "'re": "VBP", "'ve": "VBP",
}  # fmt: skip
"""Penn tag of words, lower-cased, that have one in spaCy's tokenisation."""

BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'m", "'re", "'s"})
HAVE = frozenset({"have", "has", "had", "having", "'ve"})
DO = frozenset({"do", "does", "did"})
ARTICLES = frozenset({"a", "an", "the", "every", "no"})
NEGATIONS = frozenset({"not", "n't", "nt"})
VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
PRONOUNS = frozenset({"PRP", "WP", "WDT"})
SUBJECTS_OF_IS = frozenset({"PRP", "EX", "WP", "WRB", "DT", "WDT"})
"""Tags of words after which *'s* is a verb, not a possessive."""
BETWEEN_AUXILIARY_AND_VERB = frozenset({"RB", "RBR", "PRP"})
INSIDE_NOUN_PHRASE = frozenset({"NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS", "CD", "VBN", "VBG"})
"""Tags of words before which *this* or *all* is a determiner, not a pronoun."""

LABEL_OF_PENN = {
    "IN": "prep", "RP": "prt", "PRP$": "poss", "DT": "det", "RB": "advmod", "RBR": "advmod", "RBS": "advmod", "WRB": "advmod",
    "JJ": "amod", "JJR": "amod", "JJS": "amod", "MD": "aux", "TO": "aux",
}  # fmt: skip
"""Dependency label that a tag most often goes with."""


class Analysis(NamedTuple):
    tag: str  # Penn tag
    part_of_speech: str  # universal part of speech
    label: str  # dependency label
    head: int  # distance to its head, in tokens to the right; 0 if unknown


def analyse(words: Sequence[str], c5_tags: Sequence[str]) -> list[Analysis]:
    lower = [word.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'") for word in words]
    tags = penn_tags(lower, c5_tags)
    heads = auxiliary_heads(lower, tags)
    analyses = []
    for place, (word, tag) in enumerate(zip(lower, tags, strict=True)):
        part_of_speech = UNIVERSAL_OF_PENN[tag]
        if word in NEGATIONS:
            analyses.append(Analysis(tag, "PART", "neg", 0))
        elif heads[place] or (word in BE and part_of_speech == "VERB"):
            part_of_speech = "PART" if tag == "TO" else "AUX"
            analyses.append(
                Analysis(tag, part_of_speech, "aux" if heads[place] else "ROOT", heads[place])
            )
        elif part_of_speech == "PUNCT":
            analyses.append(Analysis(tag, part_of_speech, "punct", 0))
        elif tag in PRONOUNS or (tag == "DT" and not _stands_in_noun_phrase(lower, tags, place)):
            analyses.append(Analysis(tag, "PRON", _function_of_pronoun(tags, place), 0))
        else:
            analyses.append(Analysis(tag, part_of_speech, LABEL_OF_PENN.get(tag, "dep"), 0))
    return analyses


def penn_tags(words: Sequence[str], c5_tags: Sequence[str]) -> list[str]:
    tags: list[str] = []
    for word, compound in zip(words, c5_tags, strict=True):
        c5_tag = compound.partition("-")[0].partition("+")[0]
        if (word, c5_tag) in PENN_OF_WORD_AND_C5:
            tag = PENN_OF_WORD_AND_C5[word, c5_tag]
        elif word in PENN_OF_SYMBOL:
            tag = PENN_OF_SYMBOL[word]
        elif word in PENN_OF_WORD:
            tag = PENN_OF_WORD[word]
        elif word == "'s":
            tag = "VBZ" if not tags or tags[-1] in SUBJECTS_OF_IS else "POS"
        else:
            tag = PENN_OF_C5.get(c5_tag, "NN" if word[0].isalnum() else "NFP")
        tags.append(tag)
    return tags


def auxiliary_heads(words: Sequence[str], tags: Sequence[str]) -> list[int]:
    """For each auxiliary (including *to* of an infinitive) the distance to its main verb, to the
    right; 0 for any other word.

    Learners put wrong forms after auxiliaries, so a modal or *do* may be followed by any form of a
    verb.
    """
    heads = [0] * len(tags)
    for place in range(len(tags) - 2, -1, -1):
        word, tag = words[place], tags[place]
        if tag not in VERBS and tag not in {"MD", "TO"}:
            continue
        following = place + 1
        while following < len(tags) and (
            tags[following] in BETWEEN_AUXILIARY_AND_VERB or words[following] in NEGATIONS
        ):
            following += 1
        verb = tags[following] if following < len(tags) else ""
        is_auxiliary = (
            (verb in VERBS and (tag in {"MD", "TO"} or word in DO))
            or (verb in {"VBG", "VBN"} and word in BE)
            or (verb in {"VBN", "VBD"} and word in HAVE)
        )
        if is_auxiliary:
            heads[place] = following + heads[following] - place
    return heads


def _function_of_pronoun(tags: Sequence[str], place: int) -> str:
    """Subject before a verb, else object of the preposition or verb before it."""
    following = _tag_after_adverbs(tags, place)
    if following in VERBS or following == "MD":
        return "nsubj"
    return "pobj" if place and tags[place - 1] == "IN" else "dobj"


def _stands_in_noun_phrase(words: Sequence[str], tags: Sequence[str], place: int) -> bool:
    return words[place] in ARTICLES or _tag_after_adverbs(tags, place) in INSIDE_NOUN_PHRASE


def _tag_after_adverbs(tags: Sequence[str], place: int) -> str:
    """The tag of the first word after ``place`` that is not an adverb; empty at the end of the
    sentence.
    """
    return next((tag for tag in islice(tags, place + 1, None) if not tag.startswith("RB")), "")
