"""The papers' numbers, tables with ours beside them, figures, findings, the front page and the book
of a run.
"""

from pseudogec.report.claims import Claim
from pseudogec.report.errors import ErrorAnalysis
from pseudogec.report.report import Report
from pseudogec.report.systems import SystemsReport

__all__ = ["Claim", "ErrorAnalysis", "Report", "SystemsReport"]
