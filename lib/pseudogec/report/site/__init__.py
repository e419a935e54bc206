"""The site that a run ends with: an index with the findings, a page for each notebook, and how it was run.

It needs no network and no server, and is made from a folder of results alone: executed notebooks, figures, tables, ``run.json``,
the pack.
"""

from pseudogec.report.site.pack_facts import PackCheck
from pseudogec.report.site.pages import write_site
from pseudogec.report.site.run_record import NotebookRun, RunRecord, read_run, record_run, today

__all__ = ["NotebookRun", "PackCheck", "RunRecord", "read_run", "record_run", "today", "write_site"]
