"""From characters to subwords: prose, sentences, spaCy's English tokenisation, byte-pair encoding, the vocabulary."""

from pseudogec.text.prose import ends_inside_code, is_word, prose_of, prose_tokens
from pseudogec.text.subwords import SEPARATOR, UNKNOWN, Bpe, Vocabulary, load_bpe
from pseudogec.text.words import MASK, Tokens, import_spacy, sentence_spans, token_spans, tokenise

__all__ = [
    "MASK",
    "SEPARATOR",
    "UNKNOWN",
    "Bpe",
    "Tokens",
    "Vocabulary",
    "ends_inside_code",
    "import_spacy",
    "is_word",
    "load_bpe",
    "prose_of",
    "prose_tokens",
    "sentence_spans",
    "token_spans",
    "tokenise",
]
