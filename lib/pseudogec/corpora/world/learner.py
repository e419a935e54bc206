"""A model of learners' mistakes by proficiency level.

This is a simulation. Levels A (beginner), B (intermediate), C (advanced) and N (native) differ in how many mistakes they make and of
which kinds, after figure 6 and section V-A2 of Kiyono et al. (2020) and the counts published with the BEA-2019 shared task's
W&I+LOCNESS corpus. For each sentence a number of mistakes is drawn, for each mistake a family by the level's shares, and a place where
that family is possible; words differ in how readily they are got wrong (``habits.py``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pseudogec.corpora.world import mistakes_marks, mistakes_nouns, mistakes_verbs
from pseudogec.corpora.world.habits import difficulty
from pseudogec.corpora.world.mistakes import RULES, Mistake, Rule
from pseudogec.corpora.world.sampling import Choice, Draws
from pseudogec.corpora.world.tokens import Token
from pseudogec.edits import Edit

RULE_MODULES = (mistakes_marks, mistakes_nouns, mistakes_verbs)
"""The modules whose import fills the table of rules."""

ERROR_RATE_SCALE = 1.0
"""Multiplies every level's rate of mistakes: the first knob of the world's difficulty."""

LEXICAL_HABITS = 1.0
"""1: mistakes concentrate on the words that learners find hard; 0: every word is equally hard."""

_ATTEMPTS = 40  # families tried for one mistake before it is given up
_SITE_ATTEMPTS = 4  # places tried for one family


@dataclass(frozen=True)
class Level:
    """How a proficiency level errs.

    Attributes:
        name: A, B, C or N.
        mistakes_per_token: aimed mean.
        shares: weights of the families of mistakes.
    """

    name: str
    mistakes_per_token: float
    shares: Mapping[str, float]


def _level(name: str, mistakes_per_token: float, **shares: float) -> Level:
    return Level(
        name, mistakes_per_token, MappingProxyType({family.replace("__", ":"): share for family, share in shares.items()})
    )


LEVELS: Mapping[str, Level] = MappingProxyType({level.name: level for level in (
    _level("A", 0.155, PUNCT=12, DET=13, PREP=11, VERB__TENSE=9, ORTH=7, VERB=7, SPELL=11, NOUN__NUM=6, NOUN=3, VERB__FORM=6, PRON=3.5,
           VERB__SVA=5, MORPH=2, ADV=1, PART=1.5, ADJ=1.5, WO=3, CONJ=1.2, CONTR=1.5, NOUN__POSS=0.8, ADJ__FORM=1.2, VERB__INFL=1.5,
           NOUN__INFL=1.2, OTHER=3),
    _level("B", 0.110, PUNCT=15, DET=13, PREP=13, VERB__TENSE=8, ORTH=4, VERB=7, SPELL=6, NOUN__NUM=5, NOUN=4, VERB__FORM=5, PRON=3,
           VERB__SVA=4, MORPH=3, ADV=1.6, PART=1, ADJ=2, WO=2, CONJ=0.8, CONTR=0.8, NOUN__POSS=1, ADJ__FORM=0.6, VERB__INFL=0.5,
           NOUN__INFL=0.7, OTHER=4),
    _level("C", 0.060, PUNCT=20, DET=14, PREP=15, VERB__TENSE=4, ORTH=3, VERB=7, SPELL=5, NOUN__NUM=3, NOUN=6, VERB__FORM=4, PRON=2,
           VERB__SVA=3, MORPH=3, ADV=2, PART=1, ADJ=2.5, WO=2.5, CONJ=0.5, CONTR=0.3, NOUN__POSS=1.6, ADJ__FORM=0.3, VERB__INFL=0.2,
           NOUN__INFL=0.4, OTHER=4),
    _level("N", 0.050, PUNCT=30, DET=4, PREP=7, VERB__TENSE=3, ORTH=10, VERB=3, SPELL=17, NOUN__NUM=3, NOUN=5, VERB__FORM=2, PRON=2,
           VERB__SVA=4, MORPH=1.5, ADV=1.5, PART=0.3, ADJ=1, WO=0.5, CONJ=0.5, CONTR=2, NOUN__POSS=6, ADJ__FORM=0.2, VERB__INFL=0.3,
           NOUN__INFL=0.3, OTHER=7),
)})  # fmt: skip
"""The levels by name."""

_PRESENCE: Mapping[str, float] = MappingProxyType({
    "SPELL": 0.97, "ORTH": 0.80, "DET": 0.71, "VERB:SVA": 0.64, "PUNCT": 0.62, "VERB:FORM": 0.54, "NOUN": 0.53, "NOUN:NUM": 0.49,
    "VERB:TENSE": 0.46, "VERB": 0.45, "PREP": 0.43, "WO": 0.34, "ADJ": 0.30, "PRON": 0.25, "MORPH": 0.23, "OTHER": 0.17,
    "VERB:INFL": 0.15, "CONJ": 0.14, "CONTR": 0.10, "PART": 0.09, "NOUN:INFL": 0.055, "ADV": 0.054, "NOUN:POSS": 0.044,
    "ADJ:FORM": 0.042,
})  # fmt: skip
"""Share of sentences that offer a place for each family: rare chances are taken more often, so that shares come out as aimed."""

_FAMILIES = {
    name: Choice(list(level.shares), [share / _PRESENCE[family] for family, share in level.shares.items()])
    for name, level in LEVELS.items()
}

Site = tuple[int, Rule]


def make_mistakes(tokens: Sequence[Token], level: str, draws: Draws) -> list[Mistake]:
    """Mistakes that a learner of a level makes in a sentence, in order, none touching another."""
    rate = LEVELS[level].mistakes_per_token * ERROR_RATE_SCALE
    wanted = _how_many(rate * len(tokens), draws)
    if not wanted:
        return []
    sites = _sites(tokens)
    made: list[Mistake] = []
    for _ in range(wanted):
        for _ in range(_ATTEMPTS):
            family = draws.pick(_FAMILIES[level])
            if family not in sites:
                continue
            found = _try(tokens, sites[family], family, draws)
            if found and all(found.end < other.start or found.start > other.end for other in made):
                made.append(found)
                break
    return sorted(made)


def _how_many(mean: float, draws: Draws) -> int:
    """A number of mistakes: Poisson with a rate that varies between sentences (gamma, shape 2), as care does."""
    varied = -mean / 2 * math.log((1.0 - draws.uniform()) * (1.0 - draws.uniform()))
    threshold, product, count = math.exp(-varied), draws.uniform(), 0
    while product > threshold:
        product *= draws.uniform()
        count += 1
    return count


def _sites(tokens: Sequence[Token]) -> dict[str, list[Site]]:
    """Where each family of mistakes may happen."""
    sites: dict[str, list[Site]] = {}
    for index, token in enumerate(tokens):
        _collect(sites, token.role, index)
        if token.opens:
            _collect(sites, "opens", index)
        if len(token.text) > 3 and token.text.isalpha():
            _collect(sites, "long_word", index)
    _collect(sites, "first", 0)
    return sites


def _collect(sites: dict[str, list[Site]], role: str, index: int) -> None:
    for family, rule in RULES.get(role, ()):
        sites.setdefault(family, []).append((index, rule))


def _try(tokens: Sequence[Token], sites: list[Site], family: str, draws: Draws) -> Mistake | None:
    """A mistake of a family at one of its sites, rather at a word that learners find hard."""
    for attempt in range(_SITE_ATTEMPTS):
        index, rule = draws.one_of(sites)
        ease = LEXICAL_HABITS * (1.0 - difficulty(family, tokens[index].lemma or tokens[index].text))
        if attempt < _SITE_ATTEMPTS - 1 and draws.chance(ease):
            continue
        found = rule(tokens, index, draws)
        if found:
            return found if found.kind else found._replace(kind=family)
    return None


def write_wrong(tokens: Sequence[Token], mistakes: Sequence[Mistake]) -> tuple[list[str], list[Edit]]:
    """The sentence with its mistakes, and the edits that mend it.

    Args:
        tokens: the right sentence.
        mistakes: in order, none touching another.

    Returns:
        Source tokens, and edits of these tokens that give the right sentence back.
    """
    source: list[str] = []
    edits: list[Edit] = []
    position = 0
    for mistake in mistakes:
        mistake = _at_sentence_start(tokens, mistake) if mistake.start == 0 else mistake
        source.extend(token.text for token in tokens[position : mistake.start])
        start = len(source)
        source.extend(mistake.wrong)
        correction = " ".join(token.text for token in tokens[mistake.start : mistake.end])
        edits.append(Edit(start, len(source), correction, mistake.kind))
        position = mistake.end
    source.extend(token.text for token in tokens[position:])
    return source, edits


def _at_sentence_start(tokens: Sequence[Token], mistake: Mistake) -> Mistake:
    """Type and span of a mistake, with the capital where the learner's sentence would have it."""
    first = tokens[0]
    if not mistake.wrong:  # "Dog runs" for "The dog runs"
        following = tokens[mistake.end].text
        return mistake._replace(end=mistake.end + 1, wrong=(_capitalised(following),))
    if mistake.end == 0:  # "The life is" for "Life is"
        kept = first.text if first.role == "name" or first.text == "I" else first.text[0].lower() + first.text[1:]
        return mistake._replace(end=1, wrong=(_capitalised(mistake.wrong[0]), *mistake.wrong[1:], kept))
    if mistake.kind.endswith("ORTH"):
        return mistake
    return mistake._replace(wrong=(_capitalised(mistake.wrong[0]), *mistake.wrong[1:]))


def _capitalised(word: str) -> str:
    return word[0].upper() + word[1:]


def typed(mistake: Mistake) -> Mistake:
    """The mistake with ERRANT's operation before its type: M (missing), U (unnecessary) or R (replace)."""
    operation = "M" if not mistake.wrong else "U" if mistake.start == mistake.end else "R"
    return mistake._replace(kind=f"{operation}:{mistake.kind}")
