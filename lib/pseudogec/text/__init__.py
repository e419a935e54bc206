"""From characters to pieces: spaCy's English tokenisation, byte-pair encoding with subword-nmt, and the vocabulary of pieces."""

from pseudogec.text.bpe import Bpe
from pseudogec.text.tokenisation import MASK, tokenise
from pseudogec.text.vocabulary import Vocabulary

__all__ = ["MASK", "Bpe", "Vocabulary", "tokenise"]
