"""What turns models into a system: steps that correct, choose, check and take back, one after the other."""

from pseudogec.correct.casing import Casing
from pseudogec.correct.decoding import ModelStep
from pseudogec.correct.edit_subsets import LanguageModelStep
from pseudogec.correct.ensemble_search import EnsembleChoice, greedy_search
from pseudogec.correct.error_detection import ChosenThreshold, DetectionStep, choose_threshold
from pseudogec.correct.hugging_face import HuggingFaceDetector
from pseudogec.correct.pipeline import Trace, run
from pseudogec.correct.right_to_left import RightToLeftStep
from pseudogec.correct.spelling import SpellingStep
from pseudogec.correct.step import Candidate, Corrected, Step, as_written
from pseudogec.correct.type_dropping import DroppedTypes, TypeDroppingStep, search_types
from pseudogec.correct.unknown_words import UnknownWordsStep

__all__ = [
    "Candidate",
    "Casing",
    "ChosenThreshold",
    "Corrected",
    "DetectionStep",
    "DroppedTypes",
    "EnsembleChoice",
    "HuggingFaceDetector",
    "LanguageModelStep",
    "ModelStep",
    "RightToLeftStep",
    "SpellingStep",
    "Step",
    "Trace",
    "TypeDroppingStep",
    "UnknownWordsStep",
    "as_written",
    "choose_threshold",
    "greedy_search",
    "run",
    "search_types",
]
