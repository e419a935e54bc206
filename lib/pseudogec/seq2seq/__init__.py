"""Sequence-to-sequence models with fairseq: the only place that imports it.

From pieces to a model: `write_dictionary` and `binarise` write what fairseq reads, `train` trains an `Architecture` by an
`Optimisation`, `average_checkpoints` makes one model of several checkpoints. From a model to outputs: `Decoder` searches, samples
and scores, with CTranslate2 where it serves and with fairseq elsewhere. `compat.apply` is what lets fairseq run at all;
everything here calls it itself.
"""

from pseudogec.seq2seq.average import average_checkpoints
from pseudogec.seq2seq.binarise import BinarisedSize, binarise, count_pairs
from pseudogec.seq2seq.decode import Decoder, Hypothesis
from pseudogec.seq2seq.options import Architecture, AverageLast, Optimisation
from pseudogec.seq2seq.train import LossPoint, TrainingProgress, TrainingResult, train
from pseudogec.seq2seq.vocabulary import read_dictionary, write_dictionary

__all__ = [
    "Architecture",
    "AverageLast",
    "BinarisedSize",
    "Decoder",
    "Hypothesis",
    "LossPoint",
    "Optimisation",
    "TrainingProgress",
    "TrainingResult",
    "average_checkpoints",
    "binarise",
    "count_pairs",
    "read_dictionary",
    "train",
    "write_dictionary",
]
