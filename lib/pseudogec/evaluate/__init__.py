"""Metrics (ERRANT, MaxMatch, GLEU, and those of others), scores by error type and by group, and
whether systems differ.
"""

from pseudogec.evaluate.contrasts import LOSS, Contrast, Side, answer, clear, contrast
from pseudogec.evaluate.edit_shares import Curve, SharedEdits
from pseudogec.evaluate.errant import ERRANT, Errant
from pseudogec.evaluate.error_types import CUT_OTHERWISE, frequent_types, main_type, type_agreement
from pseudogec.evaluate.gleu import Gleu, gleu_of
from pseudogec.evaluate.gold import Gold
from pseudogec.evaluate.inference import (
    ALPHA,
    MOST_SEEDS,
    Estimate,
    Versions,
    compare,
    compare_means,
    compare_scores,
    compare_values,
    holm,
    over_seeds,
    place_of,
    score_interval,
    seed_variances,
    seeds_to_decide,
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
from pseudogec.evaluate.verdicts import FLOOR, MARGIN, Direction, Statement, Verdict, judged

__all__ = [
    "ALPHA",
    "CUT_OTHERWISE",
    "ERRANT",
    "FLOOR",
    "LENGTHS",
    "LOSS",
    "MARGIN",
    "METRICS",
    "MOST_SEEDS",
    "AnyMetric",
    "Contrast",
    "Curve",
    "Direction",
    "EditMetric",
    "Errant",
    "Estimate",
    "Gleu",
    "Gold",
    "MaxMatch",
    "Measure",
    "Metric",
    "MetricChoice",
    "Score",
    "SharedEdits",
    "Side",
    "Statement",
    "TextStatistics",
    "Verdict",
    "Versions",
    "answer",
    "clear",
    "compare",
    "compare_means",
    "compare_scores",
    "compare_values",
    "contrast",
    "f05_of",
    "frequent_types",
    "gleu_of",
    "holm",
    "judged",
    "main_type",
    "over_seeds",
    "place_of",
    "precision_recall_f05",
    "score_interval",
    "seed_variances",
    "seeds_to_decide",
    "type_agreement",
    "wi_statistics",
]
