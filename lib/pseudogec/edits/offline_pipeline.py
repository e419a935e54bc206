"""A spaCy pipeline for ERRANT that needs no downloadable model: only packages that carry their own
data.

HanTa tags parts of speech (a trigram tagger with an English model), ``offline_analysis`` converts
its tags to those of ERRANT, and spaCy's rule lemmatiser finds lemmas with the tables of
spacy-lookups-data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from HanTa.HanoverTagger import EMPTY, END, START, UNKNOWN, HanoverTagger
from spacy.attrs import DEP, HEAD, POS, TAG
from spacy.lang.en import English
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc

from pseudogec.edits.offline_analysis import analyse

AUXILIARY_LEMMAS = {
    "'m": "be", "'re": "be", "'s": "be", "'ve": "have",
    "'ll": "will", "'d": "would", "ca": "can", "wo": "will", "sha": "shall",
}  # fmt: skip
"""Lemmas of contracted auxiliaries, which the tables of spacy-lookups-data lack."""


_LONGEST_WORD = 50
"""Characters, of the end of a word, that are analysed, in about 10 ms; the time grows with the
square of the length.
"""
_KEPT_STATES = 5
_IMPOSSIBLE = -1e6

State = tuple[int, int]
"""The tags of the word before and of this word, as HanTa numbers them."""


class QuickHanoverTagger(HanoverTagger):
    """HanTa's tagger of English (CLAWS C5 tags), made faster; a test checks that the tags are the
    same.

    HanTa analyses an unknown word again at each occurrence, and considers every tag that may follow
    a pair of tags; here analyses are cached, and only the possible tags of the word are considered.
    """

    def __init__(self) -> None:
        super().__init__("morphmodel_en.pgz")
        self._possible_tags = lru_cache(maxsize=100_000)(self._find_possible_tags)

    def tags(self, words: Sequence[str]) -> list[str]:
        return [self.int2tag[tag] for tag in self.tag_sent_viterbi(words)] if words else []

    def _find_possible_tags(self, word: str, heeds_case: bool) -> dict[int, float]:
        """Log-probabilities of a word's tags; empty when any tag is possible."""
        end = word[-_LONGEST_WORD:]
        tags: dict[int, float] = dict(
            self._tag_word(end, cutoff=5, casesensitive=heeds_case, conditional=True)
        )
        return {} if list(tags) == [UNKNOWN] else tags

    def tag_sent_viterbi(self, sent: Sequence[str], casesensitive: bool = True) -> list[int]:
        """Find the likeliest sequence of tags under HanTa's trigram model, with HanTa's own pruning
        of states.
        """
        states: dict[State, float] = {(EMPTY, START): 0.0}
        origins: list[dict[State, State]] = []
        for place, word in enumerate(sent):
            possible = self._possible_tags(word, casesensitive and place > 0)
            states, origin = self._advance(states, possible)
            origins.append(origin)
        state = max(states, key=lambda state: states[state] + self.LP_trans_word[state][END])
        tags = []
        for origin in reversed(origins):
            tags.append(state[1])
            state = origin[state]
        return tags[::-1]

    def _advance(
        self, states: dict[State, float], possible: dict[int, float]
    ) -> tuple[dict[State, float], dict[State, State]]:
        """Scores of the states after one more word, and the state that each came from."""
        bound = (
            sorted(states.values(), reverse=True)[_KEPT_STATES] - 1
            if len(states) > _KEPT_STATES
            else _IMPOSSIBLE
        )
        scores: dict[State, float] = {}
        origin: dict[State, State] = {}
        for state, score in states.items():
            if score < bound:
                continue
            followers: Any = self.LP_trans_word[state]
            for tag in possible or followers:
                if tag == END or tag not in followers:
                    continue
                total = score + followers[tag] + possible.get(tag, 0.0)
                following = (state[1], tag)
                if total > scores.get(following, _IMPOSSIBLE):
                    scores[following] = total
                    origin[following] = state
        return scores, origin


class OfflineTagger:
    """A pipeline component that sets tags, parts of speech, dependency labels and the heads of
    auxiliaries.
    """

    def __init__(self) -> None:
        self._tagger = QuickHanoverTagger()

    def __call__(self, doc: Doc) -> Doc:
        words = [token.text for token in doc]
        if not words:
            return doc
        strings = doc.vocab.strings
        rows = [
            [strings.add(tag), strings[part_of_speech], strings.add(label), head]
            for tag, part_of_speech, label, head in analyse(words, self._tagger.tags(words))
        ]
        attributes: Any = np.array(rows, dtype=np.uint64)
        return doc.from_array([TAG, POS, DEP, HEAD], attributes)


@Language.factory("pseudogec_offline_tagger")
def _create_tagger(nlp: Language, name: str) -> OfflineTagger:
    return OfflineTagger()


def load_offline_pipeline() -> Language:
    """A pipeline that tags and lemmatises English sentences that are already tokenised."""
    nlp = English()
    nlp.add_pipe("pseudogec_offline_tagger")
    lemmatizer: Any = nlp.add_pipe("lemmatizer", config={"mode": "rule"})
    nlp.initialize()
    _complete_lemma_tables(lemmatizer.lookups)
    return nlp


def _complete_lemma_tables(lookups: Lookups) -> None:
    """Give auxiliaries the tables of verbs, which alone know *be*, *have* and *do*, and make the
    word lists quick to search.
    """
    index, exceptions, rules = (
        lookups.get_table(name) for name in ("lemma_index", "lemma_exc", "lemma_rules")
    )
    contracted = {word: [lemma] for word, lemma in AUXILIARY_LEMMAS.items()}
    index["aux"], rules["aux"], exceptions["aux"] = (
        index["verb"],
        rules["verb"],
        {**exceptions["verb"], **contracted},
    )
    for part_of_speech, words in list(index.items()):
        index[part_of_speech] = frozenset(words)
