"""Scores with signatures: ERRANT, MaxMatch and GLEU; by error type and by group of sentences; and whether systems differ."""

from pseudogec.evaluate.errant_scorer import ErrantScorer
from pseudogec.evaluate.gleu_scorer import GleuScore, GleuScorer, gleu_of
from pseudogec.evaluate.maxmatch_scorer import MaxMatchScorer
from pseudogec.evaluate.score import Score, precision_recall_f05
from pseudogec.evaluate.significance import Comparison, compare_scores, compare_statistics, confidence_interval, f05_of

__all__ = [
    "Comparison",
    "ErrantScorer",
    "GleuScore",
    "GleuScorer",
    "MaxMatchScorer",
    "Score",
    "compare_scores",
    "compare_statistics",
    "confidence_interval",
    "f05_of",
    "gleu_of",
    "precision_recall_f05",
]
