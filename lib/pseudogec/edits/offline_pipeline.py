"""A spaCy pipeline for ERRANT that needs no downloadable model: only packages that carry their own data.

HanTa tags parts of speech (a trigram tagger with an English model), ``offline_analysis`` turns its tags into what ERRANT reads,
and spaCy's rule lemmatiser finds lemmas with the tables of spacy-lookups-data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, POS, TAG
from spacy.lang.en import English
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc

from pseudogec.edits.hanta_tagger import QuickHanoverTagger
from pseudogec.edits.offline_analysis import analyse

AUXILIARY_LEMMAS = {
    "'m": "be", "'re": "be", "'s": "be", "'ve": "have",
    "'ll": "will", "'d": "would", "ca": "can", "wo": "will", "sha": "shall",
}  # fmt: skip
"""Lemmas of contracted auxiliaries, which the tables of spacy-lookups-data lack."""


class OfflineTagger:
    """A pipeline component that sets tags, parts of speech, dependency labels and the heads of auxiliaries."""

    def __init__(self) -> None:
        self._tagger = QuickHanoverTagger()

    def __call__(self, doc: Doc) -> Doc:
        """Analyse one tokenised sentence in place."""
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
    """Give auxiliaries the tables of verbs, which alone know *be*, *have* and *do*, and make the word lists quick to search."""
    index, exceptions, rules = (lookups.get_table(name) for name in ("lemma_index", "lemma_exc", "lemma_rules"))
    contracted = {word: [lemma] for word, lemma in AUXILIARY_LEMMAS.items()}
    index["aux"], rules["aux"], exceptions["aux"] = index["verb"], rules["verb"], {**exceptions["verb"], **contracted}
    for part_of_speech, words in list(index.items()):
        index[part_of_speech] = frozenset(words)
