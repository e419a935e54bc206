"""Formats of corpora from a module outside the project: named in a profile, and used like ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from artefacts.engine import missing
from artefacts.errors import UserError
from pseudogec.commands.preflight import run_check
from pseudogec.study import PROJECT, Profile, Study, load_profile
from pseudogec.study.overview import corpus_table, data_recipes

MODULE = '''
from pydantic import Field

from artefacts.files import read_lines
from pseudogec.corpora import FilePairs, FileSentences, Pair


class Tabs(FilePairs):
    """A pair a line, with a mark between."""

    mark: str = Field("\\t", description="what stands between source and target")

    def read_file(self, path):
        for line in read_lines(path):
            source, _, target = line.partition(self.mark)
            yield Pair(source.split(), target.split())


class Upper(FileSentences):
    """Text in capitals."""

    def read_file(self, path, share=None, told=None):
        return (line.lower().split() for line in read_lines(path, told))


class Stranger:
    pass
'''
PROFILE = """\
extends: smoke
annotator: offline
data_folder: {folder}
corpora:
  tests: {{mine: {{replace: true, source: "my_formats:Tabs", mark: "|", files: [{{path: pairs.txt, level: B}}]}}}}
  seeds: {{simple: {{replace: true, source: "my_formats:Upper", files: text.txt}}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_formats.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "pairs.txt").write_text("He go .|He goes .\nFine .|Fine .\n")
    (tmp_path / "text.txt").write_text("A SENTENCE .\n" * 600)
    (tmp_path / "mine.yaml").write_text(PROFILE.format(folder=tmp_path))
    return tmp_path


def load(folder: Path, *overrides: str) -> Profile:
    return load_profile(folder / "mine.yaml", overrides, PROJECT / "params")


def test_the_corpora_stand_in_the_table_of_notebook_00(folder: Path) -> None:
    study = Study.open(folder / "mine.yaml", store=folder / "store")
    for recipe in missing(data_recipes(study), study.store):
        study.store.build(recipe, lambda recipe, place: recipe.build(place, study.store, lambda *_: None))
    table = corpus_table(study).set_index("corpus")
    assert table.loc["mine", ["part", "sentences", "identical pairs"]].tolist() == ["test", 2, 1]
    assert study.levels(study.planner.tests["mine"]) == ["B", "B"]
    assert study.lines(study.planner.seed_text("simple", 0), "sentences.txt")[0] == "a sentence ."


def test_their_fields_belong_to_the_recipe(folder: Path) -> None:
    def key(*overrides: str) -> str:
        study = Study.open(folder / "mine.yaml", overrides=overrides, store=folder / "store")
        return study.planner.tests["mine"].key

    assert key() == key() != key("corpora.tests.mine.mark=/")


def test_a_check_counts_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_check(load(folder), folder / "store", count=True) == 0
    assert "1 corrected of 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("corpora.tests.mine.marc=x", "unknown key `corpora.tests.mine.marc`; did you mean `mark`"),
        (
            "corpora.tests.mine.source=my_formats:Tab",
            "tests.mine: source `my_formats:Tab`: my_formats has no class `Tab`",
        ),
        ("corpora.tests.mine.source=my_formats:Stranger", "that derives from PairFormat"),
        ("corpora.tests.mine.source=my_format:Tabs", "source `my_format:Tabs` cannot be imported"),
        ("corpora.tests.mine.source=m3", "there is no source `m3`; known: bea_json, jfleg, lang8, m2,"),
        ("corpora.seeds.simple.source=plane", "there is no source `plane`; did you mean `plain`"),
    ],
)
def test_what_is_wrong_is_named(override: str, message: str, folder: Path) -> None:
    with pytest.raises(UserError) as caught:
        load(folder, override)
    assert message in str(caught.value)
