"""The paper's numbers, tables that set ours beside them, figures, and the index page."""

from pseudogec.report.findings import best_of_sweep, more_data, spread_across
from pseudogec.report.markup import marked_edits, marked_operations
from pseudogec.report.paper import paper_datasets, paper_scores
from pseudogec.report.report import Report

__all__ = [
    "Report",
    "best_of_sweep",
    "marked_edits",
    "marked_operations",
    "more_data",
    "paper_datasets",
    "paper_scores",
    "spread_across",
]
