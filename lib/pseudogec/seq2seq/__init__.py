"""Sequence-to-sequence models with fairseq: the only place that imports it.

From pieces to a model: `write_dictionary`, `binarise` and `binarise_text` write what fairseq reads; `train` trains an
`Architecture` by an `Optimisation`, `train_language_model` a `LanguageModelArchitecture`, `train_detector` a classifier of
sentences; `average_checkpoints` makes one model of several checkpoints, `import_checkpoint` of one that others released. From a
model to outputs: `Decoder` searches, samples and scores, with CTranslate2 where it serves and with fairseq elsewhere;
`LanguageModel` says how likely sentences are, `Detector` how likely they hold an error. `compat.apply` is what lets fairseq run
at all; everything here calls it itself.
"""

from pseudogec.seq2seq.average import average_checkpoints
from pseudogec.seq2seq.beam_trace import BeamStep, BeamTrace, Expansion
from pseudogec.seq2seq.binarise import (
    BinarisedSize,
    BinarisedTextSize,
    binarise,
    binarise_text,
    count_pairs,
    read_binarised,
)
from pseudogec.seq2seq.decode import Decoder, Hypothesis
from pseudogec.seq2seq.detector import Detector, DetectorResult, train_detector
from pseudogec.seq2seq.detector_options import DetectorOptions
from pseudogec.seq2seq.language_model import LanguageModel
from pseudogec.seq2seq.language_model_options import LanguageModelArchitecture
from pseudogec.seq2seq.language_model_training import train_language_model
from pseudogec.seq2seq.options import Architecture, AverageLast, Optimisation
from pseudogec.seq2seq.released import import_checkpoint
from pseudogec.seq2seq.train import LossPoint, TrainingProgress, TrainingResult, train
from pseudogec.seq2seq.vocabulary import read_dictionary, write_dictionary

__all__ = [
    "Architecture",
    "AverageLast",
    "BeamStep",
    "BeamTrace",
    "BinarisedSize",
    "BinarisedTextSize",
    "Decoder",
    "Detector",
    "DetectorOptions",
    "DetectorResult",
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
    "count_pairs",
    "import_checkpoint",
    "read_binarised",
    "read_dictionary",
    "train",
    "train_detector",
    "train_language_model",
    "write_dictionary",
]
