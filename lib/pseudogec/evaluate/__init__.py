"""Scores with signatures: ERRANT, MaxMatch and GLEU; by error type and by group of sentences; and whether systems differ."""

from pseudogec.evaluate.errant_scorer import ErrantScorer
from pseudogec.evaluate.error_types import CUT_OTHERWISE, frequent_types, type_agreement
from pseudogec.evaluate.gleu_scorer import GleuScore, GleuScorer, gleu_of
from pseudogec.evaluate.maxmatch_scorer import MaxMatchScorer
from pseudogec.evaluate.permutation import MeanComparison, compare_means
from pseudogec.evaluate.score import Score, main_type, precision_recall_f05
from pseudogec.evaluate.significance import (
    Comparison,
    compare_scores,
    compare_statistics,
    confidence_interval,
    f05_of,
    precision_of,
    randomisation_p_values,
    recall_of,
)

__all__ = [
    "CUT_OTHERWISE",
    "Comparison",
    "ErrantScorer",
    "GleuScore",
    "GleuScorer",
    "MaxMatchScorer",
    "MeanComparison",
    "Score",
    "compare_means",
    "compare_scores",
    "compare_statistics",
    "confidence_interval",
    "f05_of",
    "frequent_types",
    "gleu_of",
    "main_type",
    "precision_of",
    "precision_recall_f05",
    "randomisation_p_values",
    "recall_of",
    "type_agreement",
]
