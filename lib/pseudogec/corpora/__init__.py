"""Sentences and pairs: formats of corpora, the authors' filters, sampling, the catalogue of known
corpora.
"""

from pseudogec.corpora.catalogue import KnownCorpus, KnownFile, Whole, load_catalogue
from pseudogec.corpora.formats import (
    PAIR_FORMATS,
    SENTENCE_FORMATS,
    CorpusFile,
    CorrectedSentence,
    Count,
    FileFormat,
    FilePairs,
    FileSentences,
    LocatedFile,
    Pair,
    PairFormat,
    SentenceFormat,
    drop_identical,
    matching,
)
from pseudogec.corpora.pairs import M2, Parallel, read_together
from pseudogec.corpora.sampling import (
    WHOLE,
    Share,
    Shuffle,
    clean_seed_text,
    is_clean_seed_text,
    part_of_each,
    sample,
)
from pseudogec.corpora.sentences import Plain, read_plain
from pseudogec.corpora.ua_gec import UaGec, UaGecSentences

__all__ = [
    "M2",
    "PAIR_FORMATS",
    "SENTENCE_FORMATS",
    "WHOLE",
    "CorpusFile",
    "CorrectedSentence",
    "Count",
    "FileFormat",
    "FilePairs",
    "FileSentences",
    "KnownCorpus",
    "KnownFile",
    "LocatedFile",
    "Pair",
    "PairFormat",
    "Parallel",
    "Plain",
    "SentenceFormat",
    "Share",
    "Shuffle",
    "UaGec",
    "UaGecSentences",
    "Whole",
    "clean_seed_text",
    "drop_identical",
    "is_clean_seed_text",
    "load_catalogue",
    "matching",
    "part_of_each",
    "read_plain",
    "read_together",
    "sample",
]
