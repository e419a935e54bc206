"""Errors in content words alone, which Kiyono et al. (2020, sections V-B1 and VII) leave to future
work.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from pseudogec.artefacts.errors import UserError
from pseudogec.languages.english_inflections import NOUN_TAGS, part_of_speech
from pseudogec.noise.method import METHODS, Operation, TextMethod, keep
from pseudogec.noise.resources import ConfusionSets, NoiseResources

_CLASSES = {
    **dict.fromkeys(NOUN_TAGS, "noun"),
    "AJ0": "adjective",
    "AJC": "adjective",
    "AJS": "adjective",
    "AV0": "adverb",
}
_ENDINGS = frozenset(
    "ation ition ion sion ssion tion ment ance ence ness ist ism able ible ably ibly ily iness ful "
    "fully less "
    "ive ively ous ously ity al ally ic ical ly er or ing ied "
    "ed es s y e d de t te th ce cy".split()
) | {""}
_SHORTEST_STEM = 4
_WINDOW, _DIMENSIONS, _NEAREST = 2, 50, 10


class _Replacements(NamedTuple):
    similar: Mapping[str, tuple[str, ...]]
    derived: Mapping[str, tuple[str, ...]]
    spelt_alike: ConfusionSets


@METHODS.register
class ContentWords(TextMethod):
    """Replace nouns, main verbs, adjectives and adverbs.

    A word becomes one of the ten words of its part of speech that occur in the most similar
    contexts, a derivation with another part of speech (*success*, *successful*), or a word that is
    spelt or sounds alike. Parts of speech are out of context. A word without such others stays.
    """

    name = "content_words"
    label = "Content words"
    needed_parts: ClassVar[tuple[str, ...]] = ("handbook",)
    colour = "#CC79A7"
    summary = (
        "replace nouns, verbs, adjectives and adverbs by words of similar contexts, "
        "derivations and near spellings"
    )

    rate: float = Field(0.2, ge=0, le=1, description="probability that a content word is replaced")
    similar: float = Field(
        0.5, ge=0, le=1, description="of the replaced words: by a word of similar contexts"
    )
    derived: float = Field(
        0.2,
        ge=0,
        le=1,
        description="of the replaced words: by a derivation; the rest by a near spelling",
    )
    minimum_count: int = Field(
        5, ge=1, description="rarer words of the genuine text have no similar words and derivations"
    )

    def learn(self, resources: NoiseResources) -> _Replacements:
        counts = Counter(
            word
            for sentence in resources.sentences()
            for word in sentence
            if word.isalpha() and word.islower()
        )
        classes = {
            word: kind
            for word, count in counts.items()
            if count >= self.minimum_count and (kind := _class(word))
        }
        if not classes:
            raise UserError(
                "content_words learns from genuine grammatical text; the text given "
                "has no frequent content word"
            )
        similar = similar_words(
            resources.sentences(),
            {word: count for word, count in counts.items() if count >= self.minimum_count},
        )
        alike = {
            word: tuple(each for each in similar[word] if classes.get(each) == own)[:_NEAREST]
            for word, own in classes.items()
        }
        return _Replacements(alike, _derivations(classes), resources.confusions)

    def draw(
        self, tokens: Sequence[str], learnt: _Replacements, random: np.random.Generator
    ) -> list[Operation]:
        operations: list[Operation] = []
        for token, chance, kind, point in zip(
            tokens, *random.random((3, len(tokens))).tolist(), strict=True
        ):
            others = (
                self._others(token, kind, learnt)
                if chance < self.rate and _class(token.lower())
                else ()
            )
            if not others:
                operations.append(keep(token))
                continue
            written = others[int(point * len(others))]
            written = written[:1].upper() + written[1:] if token[0].isupper() else written
            operations.append(Operation("replace", token, written))
        return operations

    def _others(self, token: str, kind: float, learnt: _Replacements) -> tuple[str, ...]:
        word = token.lower()
        if kind < self.similar:
            return learnt.similar.get(word, ())
        return (
            learnt.derived.get(word, ())
            if kind < self.similar + self.derived
            else learnt.spelt_alike[word]
        )


def _class(word: str) -> str | None:
    if not word.isalpha() or len(word) < 3:
        return None
    tag = part_of_speech(word)
    return "verb" if tag.startswith("VV") else _CLASSES.get(tag)


def similar_words(
    sentences: Iterable[Sequence[str]], counts: Mapping[str, int]
) -> dict[str, list[str]]:
    """For each word the others, those of the most similar contexts first (at most 100).

    Contexts are the words up to two places away. Their counts become positive pointwise mutual
    information, reduced to 50 dimensions by singular values and compared by cosine, as Levy et al.
    (2015) describe.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import svds

    words = sorted(counts)
    place = {word: number for number, word in enumerate(words)}
    pairs: Counter[tuple[int, int]] = Counter()
    for sentence in sentences:
        known = [place.get(token.lower(), -1) for token in sentence]
        for distance in range(1, _WINDOW + 1):
            pairs.update(
                (a, b) for a, b in zip(known, known[distance:], strict=False) if a >= 0 and b >= 0
            )
    if not pairs:
        return {word: [] for word in words}
    rows, columns = np.array(list(pairs)).T
    times = np.fromiter(pairs.values(), dtype=float)
    shape = (len(words), len(words))
    both = csr_matrix((times, (rows, columns)), shape=shape)
    both = (both + both.T).tocoo()
    of_word = np.asarray(both.sum(axis=1)).ravel()
    information = np.log(both.data * of_word.sum() / (of_word[both.row] * of_word[both.col]))
    positive = information > 0
    matrix = csr_matrix(
        (information[positive], (both.row[positive], both.col[positive])), shape=shape
    )
    dimensions = min(_DIMENSIONS, max(1, len(words) // 2))
    vectors, values, _ = svds(matrix, k=dimensions, v0=np.ones(len(words)))
    vectors = vectors * np.sqrt(np.maximum(values, 0))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    similar: dict[str, list[str]] = {}
    for first in range(0, len(words), 1000):
        likeness = vectors[first : first + 1000] @ vectors.T
        for number, row in enumerate(likeness, start=first):
            best = np.argsort(-row, kind="stable")[:101]
            similar[words[number]] = [words[other] for other in best.tolist() if other != number]
    return similar


def _derivations(classes: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """For each word those with the same beginning, an ending of derivation and another part of
    speech.
    """
    families: dict[str, list[str]] = defaultdict(list)
    for word in sorted(classes):
        families[word[:_SHORTEST_STEM]].append(word)
    return {
        word: tuple(
            other
            for other in families[word[:_SHORTEST_STEM]]
            if classes[other] != own and _are_derived(word, other)
        )
        for word, own in classes.items()
    }


def _are_derived(word: str, other: str) -> bool:
    from rapidfuzz.distance import Prefix

    stem = Prefix.similarity(word, other)
    enough = stem >= max(_SHORTEST_STEM, min(len(word), len(other)) - 3)
    return enough and word[stem:] in _ENDINGS and other[stem:] in _ENDINGS
