"""What the project says of the papers: every numbered table and figure has a place, and the place
is there.
"""

from __future__ import annotations

import json
import re

import pytest

from pseudogec.report.papers import PLACES, PublishedItem, published_items
from pseudogec.study import PROJECT

ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII"]

NUMBERED = {
    ("taslp2020", "table"): ROMAN,
    ("taslp2020", "figure"): list(map(str, range(1, 11))),
    ("emnlp2019", "table"): list(map(str, range(1, 8))),
    ("emnlp2019", "figure"): list(map(str, range(1, 7))),
    ("choe2019", "table"): list(map(str, range(1, 13))),
    ("choe2019", "figure"): list(map(str, range(1, 4))),
}


def sources(notebook: str, kind: str) -> str:
    """The text of all cells of one kind."""
    cells = json.loads((PROJECT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == kind)


def anchors(notebook: str) -> list[str]:
    """The sections of a notebook, as its page names them."""
    headings = re.findall(r"^##+ (.*)$", sources(notebook, "markdown"), re.MULTILINE)
    return ["#" + re.sub(r"[^\w]+", "-", heading.lower()).strip("-") for heading in headings]


@pytest.mark.parametrize(("source", "kind"), NUMBERED)
def test_no_number_of_a_paper_is_missing(source: str, kind: str) -> None:
    assert [
        item.number for item in published_items() if (item.source, item.kind) == (source, kind)
    ] == NUMBERED[source, kind]


@pytest.mark.parametrize(
    "item", published_items(), ids=lambda item: f"{item.source}-{item.kind}-{item.number}"
)
def test_a_counterpart_is_in_its_notebook(item: PublishedItem) -> None:
    assert item.place in PLACES
    assert item.ours or item.place == "none"
    assert item.note or item.place == "beside"
    code = sources(item.notebook, "code")
    for name in item.ours:
        stem = re.sub(r"^(settings|published_datasets)_", "", name)  # written as PREFIX_{paper}
        assert name in anchors(item.notebook) or f'"{name}"' in code or f'"{stem}"' in code, name
