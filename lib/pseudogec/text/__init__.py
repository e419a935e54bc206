"""From characters to subwords: prose, sentences, tokenisation, byte-pair encoding, the
vocabulary.
"""

from pseudogec.text.prose import ends_inside_code, prose_of, prose_tokens
from pseudogec.text.subwords import SEPARATOR, UNKNOWN, Bpe, Vocabulary, load_bpe
from pseudogec.text.words import MASK, Tokens, sentence_spans, token_spans, tokenise

__all__ = [
    "MASK",
    "SEPARATOR",
    "UNKNOWN",
    "Bpe",
    "Tokens",
    "Vocabulary",
    "ends_inside_code",
    "load_bpe",
    "prose_of",
    "prose_tokens",
    "sentence_spans",
    "token_spans",
    "tokenise",
]
