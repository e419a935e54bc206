"""A step of a system that a module outside the packages defines: named in a profile, it is one as
all others.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from pseudogec.__main__ import main
from pseudogec.artefacts.errors import UserError
from pseudogec.report import Report, SystemsReport
from pseudogec.study import Study

MODULE = '''
"""Steps of one's own."""

from functools import partial
from typing import ClassVar

from pydantic import Field

from pseudogec.correct import Corrected, Step


class Replacement(Step):
    """A word is replaced by another; which one is found on development data."""

    name: ClassVar[str] = "replacement"
    label: ClassVar[str] = "replacement of a word"
    word: str
    by: tuple[str, ...] = Field(min_length=1)

    def describe(self):
        return f"{self.word} replaced by {' or '.join(self.by)}"

    def check(self, before):
        if before:
            raise ValueError("must come first")

    def needs(self, planning):
        return {"found": planning.search(self, {})}

    def prepare(self, built):
        return partial(self.replace, by=built.found["by"])

    def replace(self, sources, before, progress=None, *, by):
        found = []
        for sentence in before:
            tokens = tuple(by if token == self.word else token for token in sentence.tokens)
            found.append(Corrected(tokens, f"{sentence.tokens.count(self.word)} replaced"))
        return found

    def tune(self, development, built, progress):
        def f05(by):
            corrected = self.replace(development.sources, development.before, by=by)
            return development.score([sentence.tokens for sentence in corrected]).headline

        return {"by": max(self.by, key=f05)}

    def tell(self, result):
        return f"the best word is {result['by']}"
'''
STEP = "{step: 'steps_of_my_own:Replacement', word: a, by: [an, a, the]}"
SYSTEM = [
    "systems.mine={steps: [%s]}",
    "comparisons.mine=[mine]",
    "notebooks.05_top_systems=[mine]",
]


@pytest.fixture(autouse=True)
def module(tmp_path_factory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder: Path = tmp_path_factory.mktemp("outside")
    (folder / "steps_of_my_own.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "steps_of_my_own", raising=False)


def overrides(step: str = STEP) -> list[str]:
    return [change.replace("%s", step) for change in SYSTEM]


@pytest.mark.slow
def test_it_is_shown_in_tables_tuned_and_walked_through(
    shared_store: Path, scheduler: str, tmp_path: Path
) -> None:
    study = Study.open(
        "smoke", overrides(), store=shared_store, outputs=tmp_path / "outputs", scheduler=scheduler
    )
    with study.engine:
        systems = SystemsReport(Report(study), study.comparison("mine", notebook="05_top_systems"))
        assert "a replaced by an or a or the" in systems.steps()._repr_html_()
        assert "mine" in systems.scores("systems")._repr_html_()
        told = systems.tuned()._repr_markdown_()
        assert told.startswith(
            "Chosen on development data (development), and not on the test set:\n\n- **mine**: the "
            "best word is"
        )
        shown = systems.walk_through()._repr_html_()
    assert "replacement of a word" in shown and "replaced" in shown


@pytest.mark.slow
def test_the_command_lists_and_uses_it(
    shared_store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = [item for override in overrides() for item in ("--set", override)]
    command = ["correct", "--profile", "smoke", "--store", str(shared_store), *changes]
    assert main([*command, "--list"]) == 0
    assert "mine: a replaced by an or a or the" in capsys.readouterr().out.splitlines()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a dog\n")))
    assert main([*command, "--system", "mine", "--steps"]) == 0
    assert "  a replaced by an or a or the: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            "{step: 'steps_of_my_own:Replacement', word: a, bye: an}",
            ["systems.mine.steps.0.bye", "`by`"],
        ),
        ("{step: 'steps_of_my_own:Replacemen', word: a}", ["systems.mine.steps.0", "`Replacemen`"]),
        (
            "{step: unknown_words}, " + STEP,
            ["systems.mine", "steps_of_my_own:Replacement", "must come first"],
        ),
    ],
)
def test_what_is_wrong_with_it_is_said_at_its_place(step: str, words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        Study.open("smoke", overrides(step))
    for word in words:
        assert word in str(caught.value)
