"""HanTa's part-of-speech tagger, made quicker without changing a tag (a test holds them equal).

HanTa analyses a word that its model lacks anew each time it meets it, and looks at every tag that may follow a pair of tags; here
analyses are remembered, and only the tags that the word may have are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from HanTa.HanoverTagger import EMPTY, END, START, UNKNOWN, HanoverTagger

_KEPT_STATES = 5
_IMPOSSIBLE = -1e6

State = tuple[int, int]
"""The tags of the word before and of this word, as HanTa numbers them."""


class QuickHanoverTagger(HanoverTagger):
    """HanTa's tagger of English: CLAWS C5 tags for the words of a sentence."""

    def __init__(self) -> None:
        super().__init__("morphmodel_en.pgz")
        self._possible_tags = lru_cache(maxsize=100_000)(self._find_possible_tags)

    def tags(self, words: Sequence[str]) -> list[str]:
        """The tag of each word; compound tags keep HanTa's ``-`` and ``+``."""
        return [self.int2tag[tag] for tag in self.tag_sent_viterbi(words)] if words else []

    def _find_possible_tags(self, word: str, heeds_case: bool) -> dict[int, float]:
        """Log-probabilities of a word's tags; empty when any tag is possible."""
        tags: dict[int, float] = dict(self._tag_word(word, cutoff=5, casesensitive=heeds_case, conditional=True))
        return {} if list(tags) == [UNKNOWN] else tags

    def tag_sent_viterbi(self, sent: Sequence[str], casesensitive: bool = True) -> list[int]:
        """Find the likeliest sequence of tags under HanTa's trigram model, with HanTa's own pruning of states."""
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

    def _advance(self, states: dict[State, float], possible: dict[int, float]) -> tuple[dict[State, float], dict[State, State]]:
        """Scores of the states after one more word, and the state that each came from."""
        bound = sorted(states.values(), reverse=True)[_KEPT_STATES] - 1 if len(states) > _KEPT_STATES else _IMPOSSIBLE
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
