"""Choosing words as a register would: by frequency, by domain, and by what goes together.

Every verb and adjective has favourite nouns within the classes it combines with (a seeded choice, the same in all texts), as
words have company in real language; a language model can learn them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from learner_world import lexicon
from learner_world.lexicon import FixedPhrase, Frame, LightVerb, Noun, PhrasalVerb
from learner_world.registers import Register
from learner_world.sampling import Choice, Draws

FAVOURITE_SHARE = 0.5
"""How often a word takes one of its favourite companions instead of any that its class allows."""

_FAVOURITES = 14  # nouns in the favourite company of one word

_TARGET_OF_KIND = {
    "person": "person", "relative": "person", "organization": "idea", "building": "place", "outdoor": "place", "idea": "idea",
    "event": "idea", "contest": "idea", "document": "idea", "artwork": "idea", "job": "idea", "process": "idea", "food": "food",
    "drink": "food",
    "quality": "mass", "subject": "mass", "activity": "mass", "knowledge": "mass", "substance": "mass", "illness": "mass",
    "furnishing": "thing",
}  # fmt: skip


Member = TypeVar("Member", PhrasalVerb, LightVerb, FixedPhrase)


class Words:
    """The lexicon as one register uses it. Choices are prepared once and kept.

    Args:
        register: the kind of text.
    """

    def __init__(self, register: Register) -> None:
        self.register = register
        self._nouns: dict[str, Choice[Noun]] = {}
        self._kinds: dict[tuple[str, ...], Choice[str]] = {}
        self._favourites: dict[tuple[str, str], Choice[Noun]] = {}
        self._frames: dict[str, Choice[Frame]] = {}
        self._verbs: dict[Frame, Choice[str]] = {}
        self._adjectives: dict[str, Choice[str]] = {}
        self._names: dict[str, Choice[str]] = {}
        self._adverbs: dict[str, Choice[str]] = {}
        self._phrasal = {
            with_object: self._by_domain([verb for verb in lexicon.phrasal_verbs() if bool(verb.objects) == with_object])
            for with_object in (True, False)
        }
        self._light = self._by_domain(lexicon.light_verbs())
        self._fixed = {
            place: self._by_domain([phrase for phrase in lexicon.fixed_phrases() if phrase.place == place])
            for place in ("start", "end")
        }

    def noun(self, draws: Draws, kinds: Sequence[str], company: str = "") -> Noun:
        """A noun of one of the classes, more likely one of the favourites of the word that it accompanies."""
        kind = self._kind(draws, tuple(kinds))
        if company and draws.chance(FAVOURITE_SHARE):
            return draws.pick(self._favourite(company, kind))
        return draws.pick(self._noun_choice(kind))

    def _kind(self, draws: Draws, kinds: tuple[str, ...]) -> str:
        if len(kinds) == 1:
            return kinds[0]
        choice = self._kinds.get(kinds)
        if choice is None:
            sizes = [sum(self._weight(noun.lemma, noun.domain) for noun in lexicon.nouns()[kind]) for kind in kinds]
            choice = self._kinds[kinds] = Choice(kinds, [size**0.5 for size in sizes])
        return draws.pick(choice)

    def _weight(self, word: str, domain: str) -> float:
        return lexicon.weight(word) * self.register.domains[domain]

    def _noun_choice(self, kind: str) -> Choice[Noun]:
        choice = self._nouns.get(kind)
        if choice is None:
            members = lexicon.nouns()[kind]
            choice = self._nouns[kind] = Choice(members, [self._weight(noun.lemma, noun.domain) for noun in members])
        return choice

    def _favourite(self, company: str, kind: str) -> Choice[Noun]:
        choice = self._favourites.get((company, kind))
        if choice is None:
            members = self._noun_choice(kind)
            # Not the register's own randomness: the same companions in every text.
            seeded = random.Random(f"{company} {kind}")
            chosen = [members.items[int(seeded.random() ** 1.6 * len(members))] for _ in range(min(_FAVOURITES, len(members)))]
            choice = self._favourites[company, kind] = Choice(chosen, [self._weight(noun.lemma, noun.domain) for noun in chosen])
        return choice

    def frame(self, draws: Draws, pattern: str) -> Frame:
        """A frame of a pattern; frames of the register's own domains with more verbs come more often."""
        choice = self._frames.get(pattern)
        if choice is None:
            members = lexicon.frames()[pattern]
            weights = [self.register.domains[frame.domain] * len(frame.words) ** 0.6 for frame in members]
            choice = self._frames[pattern] = Choice(members, weights)
        return draws.pick(choice)

    def word_of(self, draws: Draws, frame: Frame) -> str:
        """A verb (or governed word with its preposition) of a frame."""
        choice = self._verbs.get(frame)
        if choice is None:
            choice = self._verbs[frame] = Choice(frame.words, [lexicon.weight(word.split()[0]) for word in frame.words])
        return draws.pick(choice)

    def adjective(self, draws: Draws, kind: str) -> str:
        """An adjective that may describe nouns of a class."""
        target = _TARGET_OF_KIND.get(kind, "thing")
        if target in ("idea", "thing") and draws.chance(self.register.rare_adjectives):
            target = "tail"
        return draws.pick(self._adjective_choice(target))

    def comparable(self, draws: Draws, kind: str) -> str:
        """An adjective with a natural comparative."""
        target = _TARGET_OF_KIND.get(kind, "thing")
        return draws.pick(self._adjective_choice(f"comparable {'idea' if target == 'mass' else target}"))

    def _adjective_choice(self, target: str) -> Choice[str]:
        choice = self._adjectives.get(target)
        if choice is None:
            members = lexicon.adjectives()[target]
            weights = [self._weight(word, domain) for word, domain in members]
            choice = self._adjectives[target] = Choice([word for word, _ in members], weights)
        return choice

    def name(self, draws: Draws, kind: str) -> str:
        """A proper name of a kind; rarer names less often."""
        choice = self._names.get(kind)
        if choice is None:
            members = lexicon.names()[kind]
            choice = self._names[kind] = Choice(members, [lexicon.weight(name) ** 0.5 for name in members])
        return draws.pick(choice)

    def adverb(self, draws: Draws, kind: str) -> str:
        """An adverb of a kind."""
        choice = self._adverbs.get(kind)
        if choice is None:
            members = lexicon.adverbs()[kind]
            choice = self._adverbs[kind] = Choice(members, [lexicon.weight(word) ** 0.6 for word in members])
        return draws.pick(choice)

    def _by_domain(self, members: Sequence[Member]) -> Choice[Member]:
        return Choice(members, [self.register.domains[member.domain] for member in members])

    def phrasal_verb(self, draws: Draws, *, with_object: bool) -> PhrasalVerb:
        """A verb with a particle."""
        return draws.pick(self._phrasal[with_object])

    def light_verb(self, draws: Draws) -> LightVerb:
        """A verb and noun phrase that go together."""
        return draws.pick(self._light)

    def fixed_phrase(self, draws: Draws, place: str) -> FixedPhrase:
        """A fixed phrase for the ``start`` or the ``end`` of a clause."""
        return draws.pick(self._fixed[place])
