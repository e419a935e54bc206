"""The steps of a system: they correct, choose, check and take edits back, one after the other.

`Step` is the contract, `STEPS` knows the classes by the names that profiles use.
"""

from pseudogec.correct.confidence import ConfidentEdits, lowest_threshold
from pseudogec.correct.detection import ErrorDetection, choose_threshold
from pseudogec.correct.models import Models, ReleasedModels, RightToLeft, greedy_search
from pseudogec.correct.proposed import THRESHOLDS, edit_shares, proposed_edits
from pseudogec.correct.released import ReleasedOutput
from pseudogec.correct.running_text import Sentence, sentences_of
from pseudogec.correct.spelling import Casing, Spelling
from pseudogec.correct.step import (
    STEPS,
    Built,
    Candidate,
    Corrected,
    Development,
    Need,
    Planning,
    ReadyStep,
    Step,
    Trace,
    as_written,
    run,
)
from pseudogec.correct.undoing import (
    AsWritten,
    EditReranking,
    TypeDropping,
    UnknownWords,
    as_readers_want,
    search_types,
)

__all__ = [
    "STEPS",
    "THRESHOLDS",
    "AsWritten",
    "Built",
    "Candidate",
    "Casing",
    "ConfidentEdits",
    "Corrected",
    "Development",
    "EditReranking",
    "ErrorDetection",
    "Models",
    "Need",
    "Planning",
    "ReadyStep",
    "ReleasedModels",
    "ReleasedOutput",
    "RightToLeft",
    "Sentence",
    "Spelling",
    "Step",
    "Trace",
    "TypeDropping",
    "UnknownWords",
    "as_readers_want",
    "as_written",
    "choose_threshold",
    "edit_shares",
    "greedy_search",
    "lowest_threshold",
    "proposed_edits",
    "run",
    "search_types",
    "sentences_of",
]
