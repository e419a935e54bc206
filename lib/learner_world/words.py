"""Words: the lexicon with its combinations, inflection, and frequencies in each register.

Nouns have a meaning class and a countability, verbs belong to frames that name the classes they combine with, so that sentences
are simple but not absurd. Curated lists are in ``data/*.txt``; the long tail (*-ness*, *-tion*, *-ous*, *-ize* ...) is taken from
wordfreq's list where lemminflect knows exactly that part of speech. How often a word is used follows wordfreq, so vocabulary has
the long tail of real text.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple, TypeVar

from learner_world.draws import Choice, Draws
from learner_world.registers import Register

# Inflection, by lemminflect

PREFERRED = {
    ("wake", "VBD"): "woke", ("wake", "VBN"): "woken", ("learn", "VBD"): "learned", ("learn", "VBN"): "learned",
    ("dream", "VBD"): "dreamed", ("dream", "VBN"): "dreamed", ("burn", "VBD"): "burned", ("burn", "VBN"): "burned",
    ("spill", "VBD"): "spilled", ("spill", "VBN"): "spilled", ("smell", "VBD"): "smelled", ("smell", "VBN"): "smelled",
    ("hide", "VBN"): "hidden", ("get", "VBN"): "gotten", ("beat", "VBN"): "beaten", ("show", "VBN"): "shown",
    ("prove", "VBN"): "proved", ("sew", "VBN"): "sewn", ("swim", "VBD"): "swam", ("quit", "VBN"): "quit",
    ("antelope", "NNS"): "antelopes", ("tundra", "NNS"): "tundras", ("mouse", "NNS"): "mice", ("person", "NNS"): "people",
    ("knife", "NNS"): "knives",
    ("good", "JJR"): "better", ("good", "JJS"): "best", ("bad", "JJR"): "worse", ("bad", "JJS"): "worst",
    ("old", "JJR"): "older", ("old", "JJS"): "oldest",
}  # fmt: skip
"""Words whose first form in lemminflect is not the American or the usual one."""

_BE = {"VB": "be", "VBZ": "is", "VBP": "are", "VBD": "was", "VBN": "been", "VBG": "being"}


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
    import lemminflect  # costs a second: only when the world is used

    forms = lemminflect.getInflection(lemma, tag, inflect_oov=True)
    if not forms:
        raise KeyError(f"no form {tag} of {lemma!r}")
    british = (
        len(forms) > 1 and forms[0].startswith(lemma + "l") and forms[1].startswith(lemma + "e")
    )  # travelled, traveled
    return str(forms[british])


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


# The lexicon

FREQUENCY_EXPONENT = 0.65
"""Word weights are real frequencies to this power: 1 is English, below 1 makes rare words more common (a harder vocabulary)."""

TAIL_MINIMUM_FREQUENCY = 2.5e-7
"""Words rarer than this (a share of running text) stay out of the tail."""

_TAIL_MAXIMUM_FREQUENCY = 3e-5

TAIL_CLASSES = (
    # suffix pattern, part of speech, class
    (r".{4,}(tion|ment)", "NOUN", "process"),
    (r".{3,}(ness|ity)", "NOUN", "quality"),
    (r".{3,}(ous|ful|less|able|ive|ic|al)", "ADJ", "tail"),
    (r".{3,}(ize|ify|ate)", "VERB", "tail"),
    (r".{4,}ly", "ADV", "tail"),
)


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun: its meaning class, the kind of text it belongs to, and its countability (count, mass, plural or relational).

    Relational nouns (*the development of ...*) always take a complement.
    """

    lemma: str
    kind: str
    domain: str
    countability: str


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Verbs, adjectives or nouns that combine with the same classes.

    Attributes:
        pattern: ``transitive``, ``motion``, ``that``, ``verb`` (with a governed preposition), ``adjective`` (the same), ...
        subjects: noun classes of the subject.
        objects: noun classes of the object or complement; empty without one.
        domain: ``everyday``, ``learned`` or ``news``.
        words: lemmas, or (lemma, preposition) as ``lemma preposition`` for governed ones.
    """

    pattern: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...] = ()
    domain: str = "everyday"
    words: tuple[str, ...] = ()


def resource_lines(name: str) -> list[str]:
    return (
        resources.files("learner_world.data")
        .joinpath(name)
        .read_text(encoding="utf-8")
        .splitlines()
    )


def read_data(name: str) -> list[str]:
    """Lines of ``data/<name>.txt`` without comments and empty lines."""
    return [
        line.strip()
        for line in resource_lines(f"{name}.txt")
        if line.strip() and not line.startswith("#")
    ]


def read_sections(name: str) -> Iterator[tuple[str, list[str]]]:
    """Sections of a data file: the header without brackets, and the section's lines."""
    header, lines = "", list[str]()
    for line in read_data(name):
        if line.startswith("["):
            if lines:
                yield header, lines
            header, lines = line[1:-1], []
        else:
            lines.append(line)
    yield header, lines


def words_of(lines: list[str]) -> tuple[str, ...]:
    """The words of a section's lines, each once, in order."""
    return tuple(dict.fromkeys(" ".join(lines).split()))


@functools.cache
def word_set(section: str) -> tuple[str, ...]:
    """A set from ``grammar_words.txt``.

    Raises:
        KeyError: no such section.
    """
    return {header: words_of(lines) for header, lines in read_sections("grammar_words")}[section]


def word_pairs(section: str) -> list[tuple[str, str]]:
    """A set of ``left/right`` pairs from ``grammar_words.txt``."""
    return [(left, right) for left, _, right in (pair.partition("/") for pair in word_set(section))]


@functools.cache
def frequencies() -> dict[str, float]:
    """Shares of running text of English word forms (wordfreq)."""
    import wordfreq

    table: dict[str, float] = wordfreq.get_frequency_dict("en", "large")
    return table


def weight(word: str) -> float:
    """The weight of a word, before its register's preferences."""
    return float(frequencies().get(word.lower(), 1e-7) ** FREQUENCY_EXPONENT)


@functools.cache
def tail() -> dict[str, tuple[str, ...]]:
    """Rare words found by suffix: ``part of speech:class`` -> lemmas.

    A word is taken when lemminflect knows it as that part of speech alone and as its own lemma.
    """
    import lemminflect

    excluded = {word for _, lines in read_sections("excluded") for word in words_of(lines)}
    excluded |= {word for _, lines in read_sections("nouns") for word in words_of(lines)}
    found: dict[str, list[str]] = {f"{part}:{kind}": [] for _, part, kind in TAIL_CLASSES}
    for word, share in frequencies().items():
        if (
            not TAIL_MINIMUM_FREQUENCY <= share <= _TAIL_MAXIMUM_FREQUENCY
            or word in excluded
            or not word.isascii()
        ):
            continue
        for pattern, part, kind in TAIL_CLASSES:
            if re.fullmatch(pattern, word):
                if lemminflect.getAllLemmas(word) == {part: (word,)} and not _is_british(word):
                    found[f"{part}:{kind}"].append(word)
                break
    return {key: tuple(words) for key, words in found.items()}


def _is_british(word: str) -> bool:
    """Whether an American spelling of the word is commoner (*organisation*, *honourable*)."""
    american = word.replace("isation", "ization").replace("our", "or").replace("lll", "ll")
    american = (
        american.replace("aem", "em")
        .replace("aed", "ed")
        .replace("elling", "eling")
        .replace("ilful", "illful")
    )
    return american != word and american in frequencies()


@functools.cache
def nouns() -> dict[str, tuple[Noun, ...]]:
    classes: dict[str, list[Noun]] = {}
    for header, lines in read_sections("nouns"):
        kind, domain, countability = header.split()
        classes.setdefault(kind, []).extend(
            Noun(word, kind, domain, countability) for word in words_of(lines)
        )
    classes["process"] = []
    for index, word in enumerate(tail()["NOUN:process"]):
        classes["process"].append(
            Noun(word, "process", "learned" if index % 2 else "news", "relational")
        )
    taken = {noun.lemma for noun in classes["quality"]}
    classes["quality"] += [
        Noun(word, "quality", "learned", "mass")
        for word in tail()["NOUN:quality"]
        if word not in taken
    ]
    return {kind: tuple(members) for kind, members in classes.items()}


@functools.cache
def frames() -> dict[str, tuple[Frame, ...]]:
    found: dict[str, list[Frame]] = {}
    for name in ("verbs", "governed"):
        for header, lines in read_sections(name):
            pattern, rest = header.split(maxsplit=1)
            classes, domain = rest.rsplit(maxsplit=1)
            subjects, _, objects = classes.partition(" -> ")
            words = (
                words_of(lines)
                if name == "verbs"
                else tuple(" ".join(line.split()[:2]) for line in lines)
            )
            found.setdefault(pattern, []).append(
                Frame(pattern, _classes(subjects), _classes(objects), domain, words)
            )
    tail_verbs = tail()["VERB:tail"]
    transitive = tuple(word for word in tail_verbs if word not in word_set("intransitive"))
    agents, themes = ("person", "organization"), ("process", "idea")
    found["transitive"] += [
        Frame("transitive", agents, themes, "learned", transitive[::2]),
        Frame("transitive", agents, themes, "news", transitive[1::2]),
    ]
    return {pattern: tuple(members) for pattern, members in found.items()}


def _classes(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split("|") if name not in ("-", ""))


@functools.cache
def noun_complements() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Nouns that govern a preposition (*a reason for*), with it and the classes that may follow."""
    return {
        word: (preposition, frame.objects)
        for frame in frames()["noun"]
        for word, preposition in map(str.split, frame.words)
    }


@functools.cache
def adjectives() -> dict[str, tuple[tuple[str, str], ...]]:
    """Adjectives by what they may describe: (lemma, domain) for each target, and the pairs of the special sections."""
    found: dict[str, list[tuple[str, str]]] = {}
    for header, lines in read_sections("adjectives"):
        first, _, second = header.partition(" ")
        if first == "comparable":
            found[f"comparable {second}"] = [(word, "everyday") for word in words_of(lines)]
        elif first == "feeling":
            found["feeling"] = [
                (left, right)
                for left, _, right in (pair.partition("/") for pair in words_of(lines))
            ]
        else:
            found.setdefault(first, []).extend((word, second) for word in words_of(lines))
    found["tail"] = [
        (word, "learned" if index % 2 else "news") for index, word in enumerate(tail()["ADJ:tail"])
    ]
    return {target: tuple(words) for target, words in found.items()}


@functools.cache
def comparable_adjectives() -> frozenset[str]:
    """Adjectives that take degrees (*very old*) and comparatives."""
    return frozenset(
        word
        for target, words in adjectives().items()
        if target.startswith("comparable")
        for word, _ in words
    )


@dataclass(frozen=True, slots=True)
class PhrasalVerb:
    """A verb with a particle, the particles that learners confuse with it, and the classes of its object, if any."""

    verb: str
    particle: str
    wrong: tuple[str, ...]
    objects: tuple[str, ...]
    domain: str


@dataclass(frozen=True, slots=True)
class LightVerb:
    """A noun phrase, the verb that goes with it, and the verbs that learners put there."""

    phrase: str
    verb: str
    wrong: tuple[str, ...]
    domain: str


@dataclass(frozen=True, slots=True)
class FixedPhrase:
    """A phrase, learners' text for it, and whether it opens or ends a clause (``start`` or ``end``)."""

    phrase: str
    wrong: tuple[str, ...]
    domain: str
    place: str


def _rows(name: str) -> Iterator[list[str]]:
    """Rows of a data file whose columns stand between ``" | "``."""
    for line in read_data(name):
        yield [cell.strip() for cell in line.split(" | ")]


def _alternatives(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(";"))


@functools.cache
def phrasal_verbs() -> tuple[PhrasalVerb, ...]:
    found = []
    for phrase, wrong, objects, domain in _rows("phrasal_verbs"):
        verb, particle = phrase.split()
        found.append(PhrasalVerb(verb, particle, _alternatives(wrong), _classes(objects), domain))
    return tuple(found)


@functools.cache
def light_verbs() -> tuple[LightVerb, ...]:
    return tuple(
        LightVerb(phrase, verb, _alternatives(wrong), domain)
        for phrase, verb, wrong, domain in _rows("light_verbs")
    )


@functools.cache
def fixed_phrases() -> tuple[FixedPhrase, ...]:
    rows = _rows("fixed_phrases")
    return tuple(
        FixedPhrase(phrase, _alternatives(wrong), domain, place)
        for phrase, wrong, domain, place in rows
    )


class Rephrasing(NamedTuple):
    """A word or phrase, the text written for it, and the role that its first token must have (any if empty)."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    role: str


@functools.cache
def rephrasings(kind: str) -> dict[str, list[Rephrasing]]:
    """Those of ``phrases``, ``verbs``, ``verbs with object`` or ``nouns`` by their first word, the longest first."""
    found: dict[str, list[Rephrasing]] = {}
    for header, lines in read_sections("rephrasings"):
        if header == kind or (kind == "phrases" and header.startswith(kind)):
            for right, wrong in (line.split(" | ") for line in lines):
                words = tuple(right.split())
                found.setdefault(words[0], []).append(
                    Rephrasing(words, _alternatives(wrong), header.removeprefix(kind).strip())
                )
    return {
        first: sorted(entries, key=lambda entry: -len(entry.right))
        for first, entries in found.items()
    }


@functools.cache
def adverbs() -> dict[str, tuple[str, ...]]:
    """Adverbs by use; ``manner`` includes the tail's adverbs that belong to an adjective of the world."""
    found = {header: words_of(lines) for header, lines in read_sections("adverbs")}
    described = {word for target in ("person", "tail") for word, _ in adjectives()[target]}
    rare = [
        word
        for word in tail()["ADV:tail"]
        if word[:-2] in described or f"{word[:-3]}y" in described
    ]
    return found | {"manner": found["manner"], "rare manner": tuple(rare)}


@functools.cache
def names() -> dict[str, tuple[str, ...]]:
    return {header: words_of(lines) for header, lines in read_sections("names")}


# Choosing words with a register's preferences

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
        self._nouns = functools.cache(self._noun_choice)
        self._kinds = functools.cache(self._kind_choice)
        self._favourites = functools.cache(self._favourite_choice)
        self._frames = functools.cache(self._frame_choice)
        self._verbs = functools.cache(self._verb_choice)
        self._adjectives = functools.cache(self._adjective_choice)
        self._names = functools.cache(self._name_choice)
        self._adverbs = functools.cache(self._adverb_choice)
        verbs, phrases = phrasal_verbs(), fixed_phrases()
        self._phrasal = {
            some: self._by_domain([verb for verb in verbs if bool(verb.objects) == some])
            for some in (True, False)
        }
        self._light = self._by_domain(light_verbs())
        self._fixed = {
            end: self._by_domain([phrase for phrase in phrases if phrase.place == end])
            for end in ("start", "end")
        }

    def _weight(self, word: str, domain: str) -> float:
        return weight(word) * self.register.domains[domain]

    def noun(self, draws: Draws, kinds: Sequence[str], company: str = "") -> Noun:
        """A noun of one of the classes, more likely one of the favourites of the word that it accompanies."""
        kind = kinds[0] if len(kinds) == 1 else draws.pick(self._kinds(tuple(kinds)))
        if company and draws.chance(FAVOURITE_SHARE):
            return draws.pick(self._favourites(company, kind))
        return draws.pick(self._nouns(kind))

    def _kind_choice(self, kinds: tuple[str, ...]) -> Choice[str]:
        sizes = [
            sum(self._weight(noun.lemma, noun.domain) for noun in nouns()[kind]) for kind in kinds
        ]
        return Choice(kinds, [size**0.5 for size in sizes])

    def _noun_choice(self, kind: str) -> Choice[Noun]:
        return Choice(
            nouns()[kind], [self._weight(noun.lemma, noun.domain) for noun in nouns()[kind]]
        )

    def _favourite_choice(self, company: str, kind: str) -> Choice[Noun]:
        members = nouns()[kind]
        # Not the register's own randomness: the same companions in every text.
        seeded = random.Random(f"{company} {kind}")
        chosen = [
            members[int(seeded.random() ** 1.6 * len(members))]
            for _ in range(min(_FAVOURITES, len(members)))
        ]
        return Choice(chosen, [self._weight(noun.lemma, noun.domain) for noun in chosen])

    def frame(self, draws: Draws, pattern: str) -> Frame:
        """A frame of a pattern; frames of the register's own domains with more verbs come more often."""
        return draws.pick(self._frames(pattern))

    def _frame_choice(self, pattern: str) -> Choice[Frame]:
        members = frames()[pattern]
        return Choice(
            members,
            [self.register.domains[frame.domain] * len(frame.words) ** 0.6 for frame in members],
        )

    def word_of(self, draws: Draws, frame: Frame) -> str:
        """A verb (or governed word with its preposition) of a frame."""
        return draws.pick(self._verbs(frame))

    def _verb_choice(self, frame: Frame) -> Choice[str]:
        return Choice(frame.words, [weight(word.split()[0]) for word in frame.words])

    def adjective(self, draws: Draws, kind: str) -> str:
        """An adjective that may describe nouns of a class."""
        target = _TARGET_OF_KIND.get(kind, "thing")
        if target in ("idea", "thing") and draws.chance(self.register.rare_adjectives):
            target = "tail"
        return draws.pick(self._adjectives(target))

    def comparable(self, draws: Draws, kind: str) -> str:
        """An adjective with a natural comparative."""
        target = _TARGET_OF_KIND.get(kind, "thing")
        return draws.pick(self._adjectives(f"comparable {'idea' if target == 'mass' else target}"))

    def _adjective_choice(self, target: str) -> Choice[str]:
        members = adjectives()[target]
        return Choice(
            [word for word, _ in members], [self._weight(word, domain) for word, domain in members]
        )

    def name(self, draws: Draws, kind: str) -> str:
        """A proper name of a kind; rarer names less often."""
        return draws.pick(self._names(kind))

    def _name_choice(self, kind: str) -> Choice[str]:
        return Choice(names()[kind], [weight(name) ** 0.5 for name in names()[kind]])

    def adverb(self, draws: Draws, kind: str) -> str:
        return draws.pick(self._adverbs(kind))

    def _adverb_choice(self, kind: str) -> Choice[str]:
        return Choice(adverbs()[kind], [weight(word) ** 0.6 for word in adverbs()[kind]])

    def _by_domain(self, members: Sequence[Member]) -> Choice[Member]:
        return Choice(members, [self.register.domains[member.domain] for member in members])

    def phrasal_verb(self, draws: Draws, *, with_object: bool) -> PhrasalVerb:
        return draws.pick(self._phrasal[with_object])

    def light_verb(self, draws: Draws) -> LightVerb:
        return draws.pick(self._light)

    def fixed_phrase(self, draws: Draws, place: str) -> FixedPhrase:
        """A fixed phrase for the ``start`` or the ``end`` of a clause."""
        return draws.pick(self._fixed[place])
