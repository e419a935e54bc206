"""A folder of results with its site: the committed notebooks of the classroom, and two small ones executed for the purpose."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from pseudogec.commands.execute_notebook import CellError, execute
from pseudogec.report.site import NotebookRun, record_run, today, write_site
from pseudogec.study import PROJECT, Study

FAILURE = "    cell [4]: ZeroDivisionError: division by zero"

SHOWN = [
    new_markdown_cell("# 10 · Shown\n\nSee [the failing one](11_failing.ipynb), [the map](../lib/README.md)."),
    new_code_cell('profile = "smoke"\noverrides = []', metadata={"tags": ["parameters"]}),
    new_markdown_cell(
        "## A heading\n\nWith $x_1^2$, and $$\\widehat\\Theta = \\arg\\min_\\Theta \\mathcal{L}(\\Theta).$$\n\n## A heading"
    ),
    new_code_cell(
        """import matplotlib.pyplot as plt
import pandas as pd
from pseudogec.report import Report
from pseudogec.report.figures import Picture
from pseudogec.study import Study

report = Report(Study.open(profile, overrides))
drawn = pd.DataFrame({"size": [1, 2, 4], "score": [3.0, 5.5, 4.0]})
figure, axes = plt.subplots()
axes.plot(drawn["size"], drawn.score, label="ours")
axes.set(xlabel="pairs", ylabel="F0.5 (percent)")
axes.legend(title="method")
report.figure(Picture(figure, "A line & its <points>.", drawn), "a_line")"""
    ),
    new_code_cell("plt.plot([1, 2])\nplt.show()"),
    new_code_cell(
        'shown = pd.DataFrame({"name": ["ten", "two", "none", "minus"], "value": ["10.5 ± 0.1", "2.0", "", "-3.0 ± 1"]})\n'
        'report.table(shown, "a_table", "What is shown.")'
    ),
    new_code_cell(
        """claimed = {"claim": "Noise helps", "made in": "a paper", "measure": "F0.5", "verdict": "as claimed"}
found = {"in the paper": "one against none: +3.0", "here": "one against none: +1.0 (2/2); two against none: +2.0 (2/2)"}
report.table(pd.DataFrame([{**claimed, **found}]), "claims_shown", "Made up.")"""
    ),
    new_code_cell(
        "from pseudogec.report.display import Finding\nFinding('The best is **two** (F0.5 5.5).')",
        metadata={"tags": ["finding"]},
    ),
    new_code_cell(
        "from pseudogec.report.display import Html\nHtml('<table><tr><th>ours</th><td>He <s>go</s> goes</td></tr></table>')",
        metadata={"tags": ["sentence"]},
    ),
    new_code_cell("from pseudogec.report.display import NOT_LISTED\nNOT_LISTED", metadata={"tags": ["finding"]}),
]

FAILING = [
    new_markdown_cell("# 11 · Failing"),
    new_code_cell("profile = ''", metadata={"tags": ["parameters"]}),
    new_code_cell("1 / 0"),
]

EXAMPLES = {"10_shown": SHOWN, "11_failing": FAILING}


def execute_examples(folder: Path, outputs: Path) -> None:
    """Execute the small notebooks as the batch program does."""
    environment = {"PSEUDOGEC_OUTPUTS": str(outputs), "PSEUDOGEC_STORE": str(folder / "store")}
    for name, cells in EXAMPLES.items():
        source = folder / f"{name}.ipynb"
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(new_notebook(cells=cells, metadata=kernel), source)
        executed = outputs / "notebooks" / source.name
        with pytest.raises(CellError) if name == "11_failing" else nullcontext():
            execute(source, executed, {"profile": "smoke"}, environment=environment)


def make_site(folder: Path) -> Path:
    """Make a folder of results with its site and return it.

    Args:
        folder: an empty one.
    """
    outputs = folder / "outputs"
    shutil.copytree(PROJECT / "outputs" / "classroom", outputs)
    (outputs / "run.json").unlink(missing_ok=True)
    execute_examples(folder, outputs)
    study = Study.open("classroom", store=folder / "store", outputs=outputs)
    done = {name: NotebookRun(seconds=3.2, date=today()) for name in study.profile.notebooks}
    run = record_run(study, done, 60, 600)
    examples = {
        "10_shown": NotebookRun(seconds=1, date=today()),
        "11_failing": NotebookRun(seconds=1, date=today(), error=FAILURE),
    }
    write_site(outputs, run.model_copy(update={"notebooks": {**run.notebooks, **examples, "12_never_run": None}}))
    return outputs
