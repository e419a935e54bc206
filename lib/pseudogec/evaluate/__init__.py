"""Metrics (ERRANT, MaxMatch, GLEU, and those of others), scores by error type and by group, and whether systems differ."""

from pseudogec.evaluate.errant import ERRANT, Errant
from pseudogec.evaluate.error_types import CUT_OTHERWISE, frequent_types, main_type, type_agreement
from pseudogec.evaluate.gleu import Gleu, gleu_of
from pseudogec.evaluate.gold import Gold
from pseudogec.evaluate.maxmatch import MaxMatch
from pseudogec.evaluate.metric import (
    METRICS,
    AnyMetric,
    EditMetric,
    Measure,
    Metric,
    MetricChoice,
    Score,
    f05_of,
    precision_recall_f05,
)
from pseudogec.evaluate.significance import compare_means, compare_scores, confidence_interval, randomisation_p_values

__all__ = [
    "CUT_OTHERWISE",
    "ERRANT",
    "METRICS",
    "AnyMetric",
    "EditMetric",
    "Errant",
    "Gleu",
    "Gold",
    "MaxMatch",
    "Measure",
    "Metric",
    "MetricChoice",
    "Score",
    "compare_means",
    "compare_scores",
    "confidence_interval",
    "f05_of",
    "frequent_types",
    "gleu_of",
    "main_type",
    "precision_recall_f05",
    "randomisation_p_values",
    "type_agreement",
]
