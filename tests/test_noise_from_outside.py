"""Methods that a module outside the packages defines: named in a profile, they are methods as all
others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.smallest_study import SMALLEST
from my_methods import Shouting, WorstOfBeam
from pseudogec.__main__ import main
from pseudogec.artefacts.errors import UserError
from pseudogec.report import Report, figures
from pseudogec.report.methods import METHOD_COLOURS, method_label
from pseudogec.study import PROJECT, Study, load_profile

LOUD = "methods.loud={method: 'my_methods:Shouting', share: 0.9, sse_rate: 0.01}"
WORST = "methods.worst={method: 'my_methods:WorstOfBeam'}"
GRID = (
    "grids.mine={method: [none, loud, worst], seed_corpus: everyday, setting: joint, "
    "pseudo_pairs: 100, seeds: 1}"
)
SWEEP = (
    "grids.trial={method: worst, seed_corpus: everyday, setting: joint, pseudo_pairs: 100, "
    "sweep: {place: [1, 2]}, seeds: 1}"
)


@pytest.mark.slow
def test_they_are_built_scored_and_shown_with_their_names_and_colours(
    shared_store: Path, scheduler: str, tmp_path: Path
) -> None:
    overrides = [*SMALLEST, LOUD, WORST, GRID, SWEEP]
    study = Study.open(
        "smoke", overrides, store=shared_store, outputs=tmp_path / "outputs", scheduler=scheduler
    )
    with study.engine:
        scores, sweep = study.scores(study.grid("mine")), study.scores(study.grid("trial"))
    report = Report(study)
    assert (method_label("loud"), method_label("worst")) == ("Shouting + SSE", "Backtrans (worst)")
    assert METHOD_COLOURS["worst"] == WorstOfBeam.colour
    assert "Backtrans (worst)" in report.compare(scores, "method", "mine")._repr_html_()
    # Or models of so few updates would not be drawn
    gains = report.gains(study.grid("mine")).assign(at_the_floor=False)
    drawn = figures.gains(gains, "method", "", "What was found").figure
    assert "Shouting + SSE" in [text.get_text() for text in drawn.axes[-1].get_legend().texts]
    rows = scores.set_index("method")
    assert (rows.share["loud"], rows.place["worst"], rows.sse_rate["loud"]) == (0.9, 2, 0.01)
    assert rows.share.isna()["worst"] and rows[["share", "place"]].isna().loc["none"].all()
    assert list(sweep.place) == [1, 2]
    loud, worst = (
        study.planner.pseudo_data(system)[0]
        for system in study.grid("mine")
        if system.method != "none"
    )
    assert loud.method == Shouting(share=0.9, sse_rate=0.01)
    source = (study.store.folder(loud) / "examples.json").read_text(encoding="utf-8")
    assert source.upper() != source and "THE" in source
    assert worst.key == study.planner.pseudo_data(study.grid("trial")[1])[0].key, (
        "2 is the default place"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            "methods.mine={method: 'my_methods:Shouting', shar: 0.9}",
            ["methods.mine", "shar", "`share`"],
        ),
        ("methods.mine={method: 'my_methods:Whispering'}", ["methods.mine", "`Whispering`"]),
        (SWEEP.replace("place", "plase"), ["grids.trial.sweep", "`plase`", "`place`"]),
        (SWEEP.replace("[1, 2]", "[1, 6]"), ["grids.trial.sweep", "worst: place", "6"]),
    ],
)
def test_mistakes_are_named_at_their_places(change: str, words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        load_profile(PROJECT / "params" / "smoke.yaml", [WORST, change])
    for word in words:
        assert word in str(caught.value)


def test_the_command_explains_and_uses_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("a small dog\n", encoding="utf-8")
    assert main(["noise", "--list", "--method", "my_methods:Shouting"]) == 0
    assert "    share: probability that a word is shouted; default 0.5" in capsys.readouterr().out
    command = [
        "noise",
        "--method",
        "my_methods:Shouting",
        "--input",
        str(tmp_path / "text"),
        "--output-prefix",
        str(tmp_path / "o"),
    ]
    assert main([*command, "--set", "share=1"]) == 0
    assert (tmp_path / "o.src").read_text(encoding="utf-8") == "A SMALL DOG\n"
    assert main([*command, "--set", "shar=1"]) == 2
    assert "`shar`" in capsys.readouterr().err


def test_operations_that_do_not_cover_the_text_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("a small dog\n", encoding="utf-8")
    command = [
        "noise",
        "--method",
        "my_methods:Forgetful",
        "--input",
        str(tmp_path / "text"),
        "--output-prefix",
    ]
    assert main([*command, str(tmp_path / "o")]) == 2
    assert "my_methods:Forgetful" in capsys.readouterr().err
    assert not (tmp_path / "o.src").exists()
