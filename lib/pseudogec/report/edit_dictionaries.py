"""The dictionary of errors that realistic noise draws from, as a table."""

from __future__ import annotations

import pandas as pd

from pseudogec.noise import EditDictionary
from pseudogec.report.findings import Finding
from pseudogec.report.report import Report
from pseudogec.report.styled_tables import StyledTable
from pseudogec.study import overview

_METHOD = "realistic"


def edit_dictionary(report: Report, name: str, most: int = 10) -> StyledTable | Finding:
    """The most frequent entries of the profile's dictionary of errors, learnt from its genuine pairs.

    Args:
        report: where the table is kept.
        name: file name of the table.
        most: entries shown.
    """
    study = report.study
    method = study.profile.methods.get(_METHOD)
    if method is None:
        return Finding("*The profile has no method `realistic`.*")
    minimum_count = int(method.parameters.get("minimum_count", 4))
    dictionary = EditDictionary.from_annotated(overview.annotated_sentences(study, study.planner.genuine), minimum_count)
    summary = dictionary.summary()
    rows = [
        {"correct": edit.correct, "written": edit.written or "(nothing)", "times": edit.times, "share": edit.share}
        for edit in dictionary.most_frequent(most)
    ]
    note = (
        f"{summary.entries:,} tokens have an entry, with {summary.edits:,} different errors, each seen {minimum_count} times or "
        f"more; these tokens were written right in {summary.identity_share:.0%} of {summary.occurrences:,} cases. Share: of all "
        "that was written for a token."
    )
    return report.table(pd.DataFrame(rows), name, note, {"share": 3})
