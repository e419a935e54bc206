"""From characters to pieces: sentence splitting, spaCy's English tokenisation, byte-pair encoding, the vocabulary of pieces."""

from pseudogec.text.bpe import Bpe, load_bpe
from pseudogec.text.tokenisation import MASK, sentence_spans, token_spans, tokenise
from pseudogec.text.vocabulary import Vocabulary

__all__ = ["MASK", "Bpe", "Vocabulary", "load_bpe", "sentence_spans", "token_spans", "tokenise"]
