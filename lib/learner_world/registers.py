"""The kinds of text that the simulation writes: three seed corpora and the learners' essays and letters.

``simple``, ``encyclopedic`` and ``newswire`` stand for Simple English Wikipedia, Wikipedia and Gigaword: they differ in
vocabulary, in the density of their sentences, and in traces of careless extraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Register:
    """The parameters of a kind of text.

    Attributes:
        name: its name.
        domains: how much it draws on the ``everyday``, ``learned`` and ``news`` parts of the lexicon.
        patterns: weights of the sentence patterns (``sentences.py``).
        pronouns: share of personal subjects that are pronouns.
        persons: weights of I, you, he, she, we, they.
        adjectives: chance that a noun has an adjective.
        rare_adjectives: share of those adjectives that come from the long tail.
        postmodifiers: chance that a noun is followed by a phrase or relative clause.
        adverbials: chance of each further adverbial in a clause.
        growth: chance that a sentence gets one more clause or phrase, and then another (``growth.py``).
        past: share of clauses told in the past.
        contractions: share of negations written *n't*.
        blemishes: share of sentences with something left over from extraction.
    """

    name: str
    domains: MappingProxyType[str, float]
    patterns: MappingProxyType[str, float]
    pronouns: float
    persons: tuple[float, ...]
    adjectives: float
    rare_adjectives: float
    postmodifiers: float
    adverbials: float
    growth: float
    past: float
    contractions: float
    blemishes: float


def _weights(**values: float) -> MappingProxyType[str, float]:
    return MappingProxyType(values)


LEARNER = Register(
    name="learner",
    domains=_weights(everyday=1.0, learned=0.10, news=0.10),
    patterns=_weights(
        simple=22, coordinate=14, adverbial_clause=16, report=12, question=7, existential=6, dummy_it=8, comparative=6,
        passive=5, conditional=6, embedded_question=5, request=3, gerund_subject=4, habit=8, definition=2, quotation=1,
    ),
    pronouns=0.62, persons=(36, 8, 16, 16, 14, 10), adjectives=0.33, rare_adjectives=0.22,
    postmodifiers=0.18, adverbials=0.40, growth=0.58, past=0.45, contractions=0.6, blemishes=0.0,
)  # fmt: skip

SIMPLE = Register(
    name="simple",
    domains=_weights(everyday=1.0, learned=0.30, news=0.15),
    patterns=_weights(
        simple=34, coordinate=14, adverbial_clause=10, report=7, question=2, existential=7, dummy_it=5, comparative=6,
        passive=11, conditional=4, embedded_question=2, request=1, gerund_subject=3, habit=5, definition=9, quotation=1,
    ),
    pronouns=0.42, persons=(9, 6, 26, 24, 9, 26), adjectives=0.30, rare_adjectives=0.25,
    postmodifiers=0.14, adverbials=0.32, growth=0.58, past=0.45, contractions=0.3, blemishes=0.01,
)  # fmt: skip

ENCYCLOPEDIC = Register(
    name="encyclopedic",
    domains=_weights(everyday=0.22, learned=1.0, news=0.20),
    patterns=_weights(
        simple=32, coordinate=12, adverbial_clause=12, report=9, question=0.2, existential=5, dummy_it=3, comparative=5,
        passive=24, conditional=2, embedded_question=1, request=0.1, gerund_subject=2, habit=4, definition=14, quotation=1,
    ),
    pronouns=0.22, persons=(1, 1, 40, 28, 3, 27), adjectives=0.42, rare_adjectives=0.5,
    postmodifiers=0.30, adverbials=0.38, growth=0.58, past=0.62, contractions=0.03, blemishes=0.03,
)  # fmt: skip

NEWSWIRE = Register(
    name="newswire",
    domains=_weights(everyday=0.30, learned=0.15, news=1.0),
    patterns=_weights(
        simple=28, coordinate=12, adverbial_clause=13, report=24, question=1, existential=4, dummy_it=3, comparative=5,
        passive=14, conditional=4, embedded_question=2, request=0.1, gerund_subject=2, habit=6, definition=3, quotation=14,
    ),
    pronouns=0.25, persons=(4, 2, 34, 22, 8, 30), adjectives=0.36, rare_adjectives=0.35,
    postmodifiers=0.26, adverbials=0.42, growth=0.58, past=0.66, contractions=0.2, blemishes=0.02,
)  # fmt: skip

REGISTERS: MappingProxyType[str, Register] = MappingProxyType(
    {register.name: register for register in (SIMPLE, ENCYCLOPEDIC, NEWSWIRE)}
)
"""The seed corpora's registers by name."""
