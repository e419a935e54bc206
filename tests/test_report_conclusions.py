"""Conclusions written by hand: each number is that of its table, and a text that does not fit is
not shown.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pseudogec.report import conclusions
from pseudogec.report.conclusions import conclusion, disagreements, numbers, sections
from pseudogec.study import load_profile

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = sorted(path.stem for path in conclusions.FOLDER.glob("*.md"))


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "methods.csv").write_text(
        'method,level,f05,here\nnone,A,27.7272,\ndirect_noise,A,30.2862,"+2.6 [+1.5, +3.6] (p = '
        '0.012)"\nrandom,B,1234.5,\n'
    )
    return tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[27.7](methods.csv?method=none#f05)", []),
        ("[27.8](methods.csv?method=none#f05)", ["27.8 is 27.7272 in methods.csv"]),
        ("[28](methods.csv?method=none&level=A#f05)", []),
        ("[1,234.5](methods.csv?method=random#f05)", []),
        ("[+2.6 [+1.5, +3.6]](methods.csv?method=direct_noise#here)", []),
        (
            "[+2.7](methods.csv?method=direct_noise#here)",
            ["+2.7 is +2.6 [+1.5, +3.6] (p = 0.012) in methods.csv"],
        ),
    ],
)
def test_a_number_agrees_to_its_last_digit(outputs: Path, text: str, said: list[str]) -> None:
    assert len(list(numbers(text))) == 1
    assert disagreements(text, outputs) == said


def test_only_a_text_that_fits_is_shown(
    outputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "mine.md"
    written.write_text(
        "# Title\n\n## index\n\n- It has [27.7](methods.csv?method=none#f05).\n\nMore.\n\nText.\n\n"
        "## 01_x\n\n[5](methods.csv?method=none#f05)\n"
    )
    monkeypatch.setattr(conclusions, "FOLDER", tmp_path)
    assert conclusion("mine", "index", outputs) == (
        "- It has [27.7](../tables/methods.csv).",
        "More.\n\nText.",
    )
    assert conclusion("mine", "01_x", outputs) is None
    assert conclusion("mine", "02_y", outputs) is None
    assert conclusion("other", "index", outputs) is None


@pytest.mark.parametrize("profile", WRITTEN)
def test_every_conclusion_fits_the_committed_results_and_is_shown(profile: str) -> None:
    texts = sections(profile)
    assert set(texts) == {"index", *load_profile(ROOT / "params" / f"{profile}.yaml").notebooks}
    for name, text in texts.items():
        path = ROOT / "outputs" / profile / "notebooks" / f"{name}.ipynb"
        shown = "".join(
            "".join(output["data"].get("text/markdown", ""))
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            for output in cell.get("outputs", ())
            if "data" in output
        )
        assert conclusions.NUMBER.split(text)[0] in shown, name


@pytest.mark.parametrize("profile", WRITTEN)
def test_no_measured_number_stands_without_its_table(profile: str) -> None:
    # A number with a decimal point is a score; a link that misses its row or column would not be
    # held against anything.
    for text in sections(profile).values():
        assert text.count(".csv") == len(list(numbers(text)))
        # Which are names
        unlinked = re.sub(r"(GPT-|Sonnet )\d\.\d", "", conclusions.NUMBER.sub("", text))
        assert not re.findall(r"(?<![F\d])\d+\.\d", unlinked)
