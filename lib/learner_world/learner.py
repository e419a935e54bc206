"""A model of learners' mistakes by proficiency level.

This is a simulation. Levels A (beginner), B (intermediate), C (advanced) and N (native) differ in how many mistakes they make
and of which kinds, after figure 6 and section V-A2 of Kiyono et al. (2020) and the counts published with the BEA-2019 shared
task's W&I+LOCNESS corpus. For each sentence a number of mistakes is drawn, for each mistake a family by the level's shares, and
a place where that family is possible; words differ in how readily they are got wrong (``habits.py``).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from learner_world import mistakes_marks, mistakes_nouns, mistakes_verbs
from learner_world.habits import difficulty
from learner_world.lexicon import resource_lines
from learner_world.mistakes import RULES, Mistake, Rule
from learner_world.sampling import Choice, Draws
from learner_world.tokens import Token
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


def _read_levels() -> tuple[dict[str, Level], dict[str, Choice[str]]]:
    """``levels.csv``: for each family its share at each level, and ``presence``, the share of sentences that offer it a place.

    Families that few sentences have a place for are drawn more often where they have one, so that shares come out as aimed.
    """
    rates, *rows = csv.DictReader(resource_lines("levels.csv"))
    levels, families = {}, {}
    for name in ("A", "B", "C", "N"):
        levels[name] = Level(name, float(rates[name]), MappingProxyType({row["family"]: float(row[name]) for row in rows}))
        families[name] = Choice([row["family"] for row in rows], [float(row[name]) / float(row["presence"]) for row in rows])
    return levels, families


_levels, _FAMILIES = _read_levels()

LEVELS: Mapping[str, Level] = MappingProxyType(_levels)
"""The levels by name."""

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
