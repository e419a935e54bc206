"""Scores with signatures: ERRANT's edit scores, whole, by error type and by group of sentences."""

from pseudogec.evaluate.errant_scorer import ErrantScorer
from pseudogec.evaluate.score import Score, precision_recall_f05

__all__ = ["ErrantScorer", "Score", "precision_recall_f05"]
