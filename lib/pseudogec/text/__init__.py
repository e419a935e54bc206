"""From characters to subwords: sentence splitting, spaCy's English tokenisation, byte-pair encoding, the vocabulary."""

from pseudogec.text.subwords import SEPARATOR, UNKNOWN, Bpe, Vocabulary, load_bpe
from pseudogec.text.words import MASK, sentence_spans, token_spans, tokenise

__all__ = ["MASK", "SEPARATOR", "UNKNOWN", "Bpe", "Vocabulary", "load_bpe", "sentence_spans", "token_spans", "tokenise"]
