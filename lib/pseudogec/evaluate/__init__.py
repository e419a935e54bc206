"""Metrics (ERRANT, MaxMatch, GLEU, and those of others), scores by error type and by group, and whether systems differ."""

from pseudogec.evaluate.edit_shares import SharedEdits
from pseudogec.evaluate.errant import ERRANT, Errant
from pseudogec.evaluate.error_types import CUT_OTHERWISE, frequent_types, main_type, type_agreement
from pseudogec.evaluate.exchange import Interval, place_of, resampled, size_of
from pseudogec.evaluate.gleu import Gleu, gleu_of
from pseudogec.evaluate.gold import Gold
from pseudogec.evaluate.inference import (
    MOST_SEEDS,
    Estimate,
    Pool,
    Versions,
    compare,
    compare_means,
    compare_scores,
    compare_values,
    holm,
    score_interval,
    seeds_to_decide,
    spread_of_seeds,
)
from pseudogec.evaluate.likeness import LENGTHS, TextStatistics, wi_statistics
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

__all__ = [
    "CUT_OTHERWISE",
    "ERRANT",
    "LENGTHS",
    "METRICS",
    "MOST_SEEDS",
    "AnyMetric",
    "EditMetric",
    "Errant",
    "Estimate",
    "Gleu",
    "Gold",
    "Interval",
    "MaxMatch",
    "Measure",
    "Metric",
    "MetricChoice",
    "Pool",
    "Score",
    "SharedEdits",
    "TextStatistics",
    "Versions",
    "compare",
    "compare_means",
    "compare_scores",
    "compare_values",
    "f05_of",
    "frequent_types",
    "gleu_of",
    "holm",
    "main_type",
    "place_of",
    "precision_recall_f05",
    "resampled",
    "score_interval",
    "seeds_to_decide",
    "size_of",
    "spread_of_seeds",
    "type_agreement",
    "wi_statistics",
]
