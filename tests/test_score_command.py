"""``pseudogec score``: the program as its users run it, against counts worked out by hand and the
published scorers' figures.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.two_sentences import M2 as TWO_SENTENCES
from pseudogec.__main__ import main
from pseudogec.artefacts.files import write_lines

SCORED_WITHOUT_TORCH = """
import sys

from pseudogec.__main__ import main

assert main("score --metric errant --source src.txt --hypothesis hyp.txt --reference ref.txt".split()) == 0
assert "spacy" in sys.modules and "torch" not in sys.modules
import torch

assert torch.ones(2).sum() == 2
"""

SOURCE = ["This are a sentence .", "I like cat .", "He go home ."]
M2 = [
    *TWO_SENTENCES,
    "S He go home .",
    "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
    "",
]
# Right, missed, uncalled-for
HYPOTHESIS = ["This is a sentence .", "I like cat .", "He goes home ."]
REFERENCE = ["This is a sentence .", "I like cats .", "He go home ."]
LENIENT_REFERENCE = ["This is a sentence .", "I like cats .", "He goes home ."]
LEVELS = ["A", "A", "B"]

GLEU_SOURCE = "there is a cats on the mat"
GLEU_REFERENCE = "there are cats on the mat"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small files above, in the working directory."""
    monkeypatch.chdir(tmp_path)
    lines = {
        "src.txt": SOURCE,
        "ref.m2": M2,
        "hyp.txt": HYPOTHESIS,
        "ref.txt": REFERENCE,
        "lenient.txt": LENIENT_REFERENCE,
        "levels.txt": LEVELS,
    }
    for name, text in lines.items():
        write_lines(name, text)


def score(capsys: pytest.CaptureFixture[str], command: str) -> dict[str, Any]:
    """Run the program and read the JSON object that it prints."""
    assert main(["score", "--json", *command.split()]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    return found


def counts(measures: dict[str, Any]) -> tuple[int, int, int]:
    return measures["tp"], measures["fp"], measures["fn"]


@pytest.mark.parametrize("metric", ["errant", "maxmatch"])
@pytest.mark.parametrize(
    ("references", "totals"),
    [
        ("ref.m2", (1, 1, 1)),
        ("ref.m2 --source src.txt", (1, 1, 1)),
        ("ref.txt --source src.txt", (1, 1, 1)),
        # The second annotator wants goes
        ("ref.txt --reference lenient.txt --source src.txt", (2, 0, 1)),
    ],
)
def test_edits_are_counted(
    metric: str, references: str, totals: tuple[int, int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    found = score(
        capsys,
        f"--metric {metric} --hypothesis hyp.txt --reference {references} --annotator offline",
    )
    assert found["metric"] == metric
    (system,) = found["outputs"]
    tp, fp, fn = totals
    assert counts(system) == totals
    assert (system["precision"], system["recall"]) == pytest.approx(
        (tp / (tp + fp), tp / (tp + fn))
    )
    assert system["f05"] == pytest.approx(1.25 * tp / (1.25 * tp + 0.25 * fn + fp))
    assert system["hypothesis"] == "hyp.txt"
    assert "by" not in system
    assert found["differences"] == []
    annotated = metric == "errant" or "ref.txt" in references
    assert ("offline" in found["signature"]) == annotated, "the pipeline that found edits is named"


def test_scoring_imports_no_torch_and_leaves_it_to_be_imported() -> None:
    """It takes more than a second and doubles the memory, and no annotator needs it; spaCy's
    package thinc would import it.
    """
    run = subprocess.run(
        [sys.executable, "-c", SCORED_WITHOUT_TORCH], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_by_type(capsys: pytest.CaptureFixture[str]) -> None:
    found = score(
        capsys,
        "--metric errant --hypothesis hyp.txt --reference ref.m2 --by type --annotator offline",
    )
    by = found["outputs"][0]["by"]
    assert {name: counts(measures) for name, measures in by.items()} == {
        "NOUN:NUM": (0, 0, 1),
        "VERB:SVA": (1, 1, 0),
    }
    assert by["VERB:SVA"]["f05"] == pytest.approx(1.25 * 0.5 / (0.25 * 0.5 + 1))


NUCLE = [
    "S This are a sentence .",
    "A 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0",
    "A 3 4|||Um||||||REQUIRED|||-NONE-|||0",
    "",
    "S I like cat .",
    "A 2 3|||Nn|||cats||a cat|||REQUIRED|||-NONE-|||0",
    "A 2 3|||ArtOrDet|||the cat|||REQUIRED|||-NONE-|||1",
    "",
    "S He go home .",
    "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
    "",
]


def test_edits_of_other_types_are_typed_again(capsys: pytest.CaptureFixture[str]) -> None:
    """One table has one inventory of types; spans and corrections, and so the score as a whole,
    stay as they are.
    """
    write_lines("nucle.m2", NUCLE)
    command = "--metric errant --hypothesis hyp.txt --reference nucle.m2 --annotator offline"
    (whole,) = score(capsys, command)["outputs"]
    assert main(["score", *f"{command} --by type".split()]) == 0
    assert "nucle.m2" in capsys.readouterr().err
    (by_type,) = score(capsys, f"{command} --by type")["outputs"]
    assert {name: counts(measures) for name, measures in by_type["by"].items()} == {
        "NOUN:NUM": (0, 0, 1),
        "Um": (0, 0, 1),
        "VERB:SVA": (1, 1, 0),
    }
    assert counts(by_type) == counts(whole) == (1, 1, 2)


def test_by_level(capsys: pytest.CaptureFixture[str]) -> None:
    found = score(
        capsys,
        "--metric maxmatch --hypothesis hyp.txt --reference ref.m2 --by level --levels levels.txt",
    )
    by = found["outputs"][0]["by"]
    assert {name: counts(measures) for name, measures in by.items()} == {
        "A": (1, 0, 1),
        "B": (0, 1, 0),
    }
    assert (by["A"]["precision"], by["A"]["recall"], by["A"]["f05"]) == pytest.approx(
        (1, 0.5, 1.25 * 0.5 / (0.25 + 0.5))
    )


def test_gleu_and_its_levels(capsys: pytest.CaptureFixture[str]) -> None:
    write_lines("src.txt", [GLEU_SOURCE] * 2)
    write_lines("ref.txt", [GLEU_REFERENCE] * 2)
    write_lines("hyp.txt", [GLEU_REFERENCE, "there are cats on the"])
    write_lines("levels.txt", "AB")
    command = (
        "--metric gleu --hypothesis hyp.txt --reference ref.txt --source src.txt --by level "
        "--levels levels.txt"
    )
    found = score(capsys, command)
    (system,) = found["outputs"]
    # All n-grams are right; 11 tokens stand for 12, and within level B 5 for 6: the brevity penalty
    # alone.
    assert (system["gleu"], system["std"]) == pytest.approx((math.exp(1 - 12 / 11), 0))
    assert {level: measures["gleu"] for level, measures in system["by"].items()} == pytest.approx(
        {"A": 1, "B": math.exp(-1 / 5)}
    )


def test_systems_are_compared_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    write_lines("ref.m2", [*M2[:3]] * 20)
    for name, right in (("none.txt", 0), ("few.txt", 5), ("many.txt", 12), ("most.txt", 15)):
        write_lines(name, [HYPOTHESIS[0]] * right + [SOURCE[0]] * (20 - right))
    found = score(
        capsys,
        "--metric maxmatch --hypothesis few.txt --hypothesis most.txt "
        "--hypothesis few.txt --reference ref.m2",
    )
    better, same = found["differences"]
    # Precision is 1; F0.5 is 1.25 R / (0.25 + R) with R = 3/4 and 1/4.
    assert better["difference"] == pytest.approx(1.25 * 0.75 - 1.25 * 0.25 / 0.5)
    assert better["low"] < better["difference"] < better["high"]
    assert better["p_value"] < 0.05
    assert (same["system"], same["from"], same["difference"], same["p_value"]) == (
        "few.txt",
        "few.txt",
        0,
        1,
    )
    command = (
        "--metric maxmatch --hypothesis none.txt few.txt --hypothesis most.txt many.txt "
        "--reference ref.m2"
    )
    (with_seeds,) = score(capsys, command)["differences"]
    assert (with_seeds["system"], with_seeds["from"]) == ("most.txt many.txt", "none.txt few.txt")
    assert with_seeds["high"] - with_seeds["low"] > better["high"] - better["low"], (
        "seeds that differ add to chance"
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["This is a sentence.", "I like cats.", "He go home."], "tokenised otherwise"),
        (["H-0\t-0.1\tThis is", "H-1\t-0.1\tI like", "H-2\t-0.1\tHe goes"], "fairseq-generate"),
        (["\u2581This \u2581is", "\u2581I", "\u2581He \u2581go es"], "subwords"),
        (["Th@@ is is", "I l@@ ike", "H@@ e goes"], "subwords"),
        (["这是一个句子。", "我喜欢猫。", "他回家。"], "one long token"),
    ],
)
def test_outputs_in_another_form_are_warned_of(
    lines: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines("hyp.txt", lines)
    assert main("score --metric maxmatch --hypothesis hyp.txt --reference ref.m2".split()) == 0
    told = capsys.readouterr().err
    assert "3 of 3 hypotheses" in told and words in told


def test_other_tokenisation_than_a_reference_s_warns(capsys: pytest.CaptureFixture[str]) -> None:
    write_lines("one.txt", ["Yes , cats"])
    write_lines("other.txt", ["Yes, cats"])
    write_lines("source.txt", ["Yes , cat"])
    assert (
        main(
            "score --metric gleu --hypothesis other.txt "
            "--reference one.txt --source source.txt".split()
        )
        == 0
    )
    assert "tokenised otherwise" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("maxmatch --hypothesis hyp.txt --reference outside.m2", ["outside.m2, line 2"]),
        ("maxmatch --hypothesis short.txt --reference ref.m2", ["short.txt", "ref.m2"]),
        ("maxmatch --hypothesis ref.m2 --reference ref.m2", ["ref.m2", "M2 file"]),
        ("gleu --hypothesis hyp.txt --reference ref.json --source src.txt", ["ref.json", "JSON"]),
        (
            "gleu --hypothesis hyp.txt --reference short.txt --source src.txt",
            ["short.txt", "src.txt"],
        ),
        ("maxmatch --hypothesis absent.txt --reference ref.m2", ["absent.txt"]),
        ("maxmatch --hypothesis hyp.txt --reference empty.txt", ["empty.txt"]),
        ("maxmatch --hypothesis hyp.txt --reference ref.m2 --by level", ["--levels"]),
        (
            "maxmatch --hypothesis hyp.txt --reference ref.m2 --by level --levels blank.txt",
            ["blank.txt, line 2"],
        ),
        ("maxmatch --hypothesis hyp.txt --reference ref.m2 --by type", ["maxmatch", "errant"]),
        ("gleu --hypothesis hyp.txt --reference ref.txt", ["the source"]),
        ("gleu.Gleu --hypothesis hyp.txt --reference ref.m2", ["`gleu.Gleu`", "`gleu`"]),
        (
            "maxmatch --hypothesis hyp.txt --reference ref.txt ref.m2 --source src.txt",
            ["ref.m2", "no other reference"],
        ),
        (
            "maxmatch --hypothesis hyp.txt --reference ref.m2 --source other.txt",
            ["other.txt, line 2"],
        ),
    ],
)
def test_mistakes_are_told(
    command: str, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines("short.txt", ["A", "B"])
    write_lines("empty.txt", [])
    write_lines("ref.json", ['[{"a": 1}]'])
    write_lines("blank.txt", ["A", "", "B"])
    write_lines("outside.m2", [M2[0], M2[1].replace("1 2", "1 9"), *M2[2:]])
    write_lines("other.txt", [SOURCE[0], "I like dogs .", SOURCE[2]])
    assert main(["score", "--metric", *command.split()]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ")
    assert not captured.out
    for part in told:
        assert part in captured.err


@pytest.mark.slow
def test_maxmatch_gives_the_published_scorer_s_figures(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = [shared_data / "wi" / f"{level}.dev.gold.bea19.m2" for level in "ABC"]
    Path("wi.m2").write_bytes(b"".join(path.read_bytes() for path in gold))
    outputs = [
        shared_data / "outputs" / f"wi.dev.ABC.pretlarge+sse+r2l{ending}.txt"
        for ending in ("", "+sed")
    ]
    found = score(
        capsys,
        f"--metric maxmatch --hypothesis {outputs[0]} --hypothesis {outputs[1]} --reference wi.m2",
    )
    first, second = found["outputs"]
    assert [round(first[name], 4) for name in ("precision", "recall", "f05")] == [
        0.6505,
        0.3905,
        0.5740,
    ]
    assert [round(second[name], 4) for name in ("precision", "recall", "f05")] == [
        0.6807,
        0.3577,
        0.5766,
    ]
    (difference,) = found["differences"]
    assert difference["difference"] == pytest.approx(0.0026, abs=0.0001)
    assert 0 < difference["p_value"] < 1


@pytest.mark.slow
def test_gleu_gives_the_jfleg_script_s_figures(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jfleg = shared_data / "jfleg"
    references = " ".join(str(jfleg / f"dev.ref{number}") for number in range(4))
    source, spellchecked = jfleg / "dev.src", jfleg / "dev.spellchecked.src"
    outputs = f"--hypothesis {source} --hypothesis {spellchecked}"
    found = score(capsys, f"--metric gleu {outputs} --reference {references} --source {source}")
    first, second = found["outputs"]
    assert (round(first["gleu"], 6), round(first["std"], 6)) == (0.381965, 0.009597)
    assert (round(second["gleu"], 6), round(second["std"], 6)) == (0.434253, 0.009212)
    assert found["differences"][0]["p_value"] < 0.01
