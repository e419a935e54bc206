"""Sequence-to-sequence models with fairseq: the only place that imports it.

From subwords to a model: `binarise` and `binarise_text` write what fairseq reads; `train` trains an `Architecture` by an
`Optimisation`, `train_language_model` a `LanguageModelArchitecture`; `import_checkpoint` takes over a model that others released.
From a model to outputs: `Decoder` searches, samples and scores, with CTranslate2 where it serves and with fairseq elsewhere;
`LanguageModel` says how likely sentences are. The classifier of sentences, which needs fairseq when it is imported, is in
`pseudogec.seq2seq.detector`.
"""

from pseudogec.seq2seq.checkpoints import average_checkpoints
from pseudogec.seq2seq.data import (
    SIDES,
    BinarisedSize,
    BinarisedTextSize,
    binarise,
    binarise_text,
    check_dictionaries,
    count_pairs,
    read_binarised,
    read_dictionary,
)
from pseudogec.seq2seq.decode import Decoder
from pseudogec.seq2seq.language_model import LanguageModel
from pseudogec.seq2seq.options import Architecture, AverageLast, DetectorOptions, LanguageModelArchitecture, Optimisation
from pseudogec.seq2seq.released import import_checkpoint
from pseudogec.seq2seq.search import BeamStep, BeamTrace, Expansion, Hypothesis
from pseudogec.seq2seq.training import LossPoint, TrainingProgress, TrainingResult, train, train_language_model

__all__ = [
    "SIDES",
    "Architecture",
    "AverageLast",
    "BeamStep",
    "BeamTrace",
    "BinarisedSize",
    "BinarisedTextSize",
    "Decoder",
    "DetectorOptions",
    "Expansion",
    "Hypothesis",
    "LanguageModel",
    "LanguageModelArchitecture",
    "LossPoint",
    "Optimisation",
    "TrainingProgress",
    "TrainingResult",
    "average_checkpoints",
    "binarise",
    "binarise_text",
    "check_dictionaries",
    "count_pairs",
    "import_checkpoint",
    "read_binarised",
    "read_dictionary",
    "train",
    "train_language_model",
]
