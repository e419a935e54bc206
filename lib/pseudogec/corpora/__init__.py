"""Sentences and pairs from anywhere: readers of the corpora's formats, the authors' filters, sampling, the catalogue."""

from pseudogec.corpora.annotated import read_annotated, read_bea_json
from pseudogec.corpora.catalogue import Catalogue, KnownCorpus, KnownFile, Whole, load_catalogue
from pseudogec.corpora.counting import Count, count_sentences, is_quickly_counted
from pseudogec.corpora.fetching import Fetcher
from pseudogec.corpora.files import CorpusFiles, open_pairs, open_sentences
from pseudogec.corpora.filters import clean_seed_text, drop_identical, is_clean_seed_text, limit_length, sample
from pseudogec.corpora.learner_markup import read_lang8, read_nucle
from pseudogec.corpora.line_based import ReferencedSentence, read_jfleg, read_parallel, read_plain
from pseudogec.corpora.pair import Pair
from pseudogec.corpora.raw_text import read_cirrussearch, read_gigaword
from pseudogec.corpora.splits import WHOLE, Share, Shuffle, part_of_each

__all__ = [
    "WHOLE",
    "Catalogue",
    "CorpusFiles",
    "Count",
    "Fetcher",
    "KnownCorpus",
    "KnownFile",
    "Pair",
    "ReferencedSentence",
    "Share",
    "Shuffle",
    "Whole",
    "clean_seed_text",
    "count_sentences",
    "drop_identical",
    "is_clean_seed_text",
    "is_quickly_counted",
    "limit_length",
    "load_catalogue",
    "open_pairs",
    "open_sentences",
    "part_of_each",
    "read_annotated",
    "read_bea_json",
    "read_cirrussearch",
    "read_gigaword",
    "read_jfleg",
    "read_lang8",
    "read_nucle",
    "read_parallel",
    "read_plain",
    "sample",
]
