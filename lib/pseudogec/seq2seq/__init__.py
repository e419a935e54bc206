"""Sequence-to-sequence models with fairseq; the only package that imports it.

`binarise` and `binarise_text` write the data that fairseq reads; `train` trains an `Architecture`
by an `Optimisation`, `train_language_model` a `LanguageModelArchitecture`; `import_checkpoint`
converts a model that others released. `Decoder` searches, samples and scores; `LanguageModel` gives
the probability of sentences. The classifier of sentences, which needs fairseq when it is imported,
is in `pseudogec.seq2seq.detector`.
"""

from typing import Any

from pseudogec.seq2seq.checkpoints import average_checkpoints
from pseudogec.seq2seq.data import binarise, binarise_text, read_binarised, read_dictionary
from pseudogec.seq2seq.decode import Decoder
from pseudogec.seq2seq.language_model import LanguageModel
from pseudogec.seq2seq.options import (
    Architecture,
    DetectorOptions,
    LanguageModelArchitecture,
    Optimisation,
)
from pseudogec.seq2seq.released import import_checkpoint
from pseudogec.seq2seq.search import Hypothesis
from pseudogec.seq2seq.training import TrainingProgress, train, train_language_model

__all__ = [
    "Architecture",
    "Decoder",
    "DetectorOptions",
    "Hypothesis",
    "LanguageModel",
    "LanguageModelArchitecture",
    "NoisyBeamSearch",
    "Optimisation",
    "TrainingProgress",
    "average_checkpoints",
    "binarise",
    "binarise_text",
    "import_checkpoint",
    "mean_probability",
    "read_binarised",
    "read_dictionary",
    "train",
    "train_language_model",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from pseudogec.seq2seq import decode_fairseq  # imports fairseq, which takes seconds

    return getattr(decode_fairseq, name)
