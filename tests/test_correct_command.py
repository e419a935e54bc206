"""``pseudogec correct``, used as a user would: text in, corrected text out, and what is wrong
named.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from pseudogec.__main__ import main
from pseudogec.study import Study
from pseudogec.study.corrector import Corrector, find_system

pytestmark = pytest.mark.slow

# A baseline that has learnt to copy, in a few seconds: what matters here is the way of the text.
OVERRIDES = [
    "models.base={}",
    "systems.base.steps=[{step: models, models: base}]",
    "systems.careful={after: base, steps: [{step: unknown_words}]}",
    "systems.several.steps=[{step: models, models: base, n_best: 2}]",
    "systems.certain={after: several, steps: [{step: confident_edits, models: base, "
    "threshold: 0.5}]}",
    "systems.unchanged.steps=[{step: spelling, language_model: false, casing: false}]",
    "optimisations.copying.updates=300",
    "architecture.max_positions=128",
    "seeds=[1]",
]


@pytest.fixture(scope="module")
def store(shared_store, scheduler) -> Path:
    study = Study.open("smoke", OVERRIDES, store=shared_store, scheduler=scheduler)
    with study.engine:
        Corrector(study, find_system(study, "careful"))
    return shared_store


def arguments(store: Path, system: str, *more: str) -> list[str]:
    options = [item for override in OVERRIDES for item in ("--set", override)]
    return [
        "correct",
        "--system",
        system,
        "--profile",
        "smoke",
        "--store",
        str(store),
        *options,
        *more,
    ]


def run(monkeypatch, capsys, text: str | bytes, *command: str) -> tuple[int, str, str]:
    raw = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
    code = main(list(command))
    out = capsys.readouterr()
    return code, out.out, out.err


def test_a_line_in_is_a_line_out_and_what_is_not_corrected_keeps_its_spacing(
    store, monkeypatch, capsys
) -> None:
    lines = [
        "  The dog  sleeps.",
        "",
        'She said: "No (never)".   Then she left !',
        "\ttab\x07 and emoji 😀\u200d👩 — «é»\u00a0end",
        "no newline",
    ]
    code, out, err = run(monkeypatch, capsys, "\n".join(lines), *arguments(store, "unchanged"))
    assert code == 0 and err == ""
    # hunspell knows these words, so nothing may change, not even a space or a control character.
    assert out.split("\n") == [*lines[:-1], out.split("\n")[4], ""]
    assert out.split("\n")[4].startswith("no ")


@pytest.mark.parametrize("system", ["base", "certain"])
def test_a_model_corrects_every_line_whatever_it_holds(system, store, monkeypatch, capsys) -> None:
    text = "He depend of it.\n\n😀 😀\n" + "word " * 500 + "\n\x00\x01\nThe end."
    code, out, err = run(monkeypatch, capsys, text, *arguments(store, system))
    assert code == 0
    lines = out.split("\n")[:-1]
    assert len(lines) == 6
    assert lines[1] == "" and lines[0] and lines[5]
    assert lines[3] == "word " * 500, (
        "a sentence that is longer than the model's positions is left alone"
    )
    assert (
        err.startswith("line 4: a sentence is left as it was: it has ") and err.count("line ") == 1
    )


def test_edits_of_characters_that_the_model_cannot_read_are_undone(
    store, monkeypatch, capsys
) -> None:
    code, out, _ = run(
        monkeypatch, capsys, "😀 é 漢字\n", *arguments(store, "careful", "--tokenised")
    )
    assert code == 0
    assert [token for token in out.split() if token in {"😀", "é", "漢字"}] == ["😀", "é", "漢字"]


def test_what_is_no_english_prose_comes_out_as_it_was_typed(store, monkeypatch, capsys) -> None:
    text = (
        "# Teh `code`\n\n```\nteh\n```\n\n| teh | b |\n|---|---|\n\nIch habe gestern ein Buch "
        "gekauft.\nMail a@b.org teh news.\n"
    )
    assert run(monkeypatch, capsys, text, *arguments(store, "base"))[:2] == (0, text)
    assert (
        run(monkeypatch, capsys, text, *arguments(store, "base", "--steps"))[1].count(
            "= as it was typed"
        )
        == len(text.split("\n")) - 1
    )


def test_all_edits_are_made_when_they_are_asked_for(store, monkeypatch, capsys) -> None:
    for more, steps in (("--steps",), 3), (("--steps", "--all-edits"), 2):
        out = run(monkeypatch, capsys, "He depend of it .\n", *arguments(store, "certain", *more))[
            1
        ]
        assert (
            len([line for line in out.splitlines() if line.startswith("  ") and ":" in line])
            == steps
        )


def test_systems_are_listed_with_their_steps(store, monkeypatch, capsys) -> None:
    code, out, _ = run(monkeypatch, capsys, "", *arguments(store, "base", "--list"))
    assert code == 0
    assert "careful: the model base, then edits of unknown words undone" in out
