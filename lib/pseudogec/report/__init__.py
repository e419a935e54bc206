"""The paper's numbers, tables that set ours beside them, figures, findings, and the site of a run (``site/``)."""

from pseudogec.report.claims import Claim, claims
from pseudogec.report.data_figures import corpus_sizes, length_against_edits
from pseudogec.report.edit_dictionaries import edit_dictionary
from pseudogec.report.error_analysis import ErrorAnalysis
from pseudogec.report.error_findings import agreement, best_by, gains_by, more_data_by_level, shares_by_level
from pseudogec.report.examples import typical_example
from pseudogec.report.findings import (
    against_baseline,
    best_of_sweep,
    nearness,
    per_doubling,
    spread_across,
    types_by_level,
)
from pseudogec.report.markup import marked_edits, marked_operations
from pseudogec.report.outputs import OutputsReport
from pseudogec.report.paper import paper_datasets, paper_edits_per_token, paper_scores
from pseudogec.report.report import Report
from pseudogec.report.stages import leads_by_stage
from pseudogec.report.systems import SystemsReport
from pseudogec.report.training_lengths import training_lengths

__all__ = [
    "Claim",
    "ErrorAnalysis",
    "OutputsReport",
    "Report",
    "SystemsReport",
    "against_baseline",
    "agreement",
    "best_by",
    "best_of_sweep",
    "claims",
    "corpus_sizes",
    "edit_dictionary",
    "gains_by",
    "leads_by_stage",
    "length_against_edits",
    "marked_edits",
    "marked_operations",
    "more_data_by_level",
    "nearness",
    "paper_datasets",
    "paper_edits_per_token",
    "paper_scores",
    "per_doubling",
    "shares_by_level",
    "spread_across",
    "training_lengths",
    "types_by_level",
    "typical_example",
]
