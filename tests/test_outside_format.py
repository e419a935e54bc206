"""Formats of corpora from a module outside the project: named in a profile, and used like ours."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest

from helpers.building import make
from pseudogec.__main__ import main
from pseudogec.artefacts.errors import UserError
from pseudogec.corpora import FilePairs
from pseudogec.report.texts import corpus_table
from pseudogec.study import PROJECT, Profile, Study, load_profile

MODULE = '''
from pydantic import Field

from pseudogec.artefacts.files import read_lines
from pseudogec.corpora import CorrectedSentence, FilePairs, FileSentences, Pair


class Tabs(FilePairs):
    """A pair a line, with a mark between."""

    mark: str = Field("\\t", description="what stands between source and target")

    def read_file(self, path):
        for line in read_lines(path):
            source, _, target = line.partition(self.mark)
            yield Pair(source.split(), target.split())


class Together(FilePairs):
    """Pairs of one file, levels of another."""

    def read_all(self):
        pairs, levels = self.files
        for line, level in zip(read_lines(pairs.path), read_lines(levels.path)):
            source, _, target = line.partition("|")
            yield CorrectedSentence(Pair(source.split(), target.split()), level)


class Upper(FileSentences):
    """Text in capitals."""

    def read_file(self, path, share=None, on_read=None):
        return (line.lower().split() for line in read_lines(path, on_read))


class Stranger:
    pass
'''
PROFILE = """\
extends: smoke
annotator: offline
data_folder: {folder}
corpora:
  tests: {{mine: {{replace: true, source: "my_formats:Tabs", mark: "|", files: [{{path: pairs.txt, level: B}}]}}}}
  seeds: {{everyday: {{replace: true, source: "my_formats:Upper", files: text.txt}}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_formats.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "pairs.txt").write_text("He go .|He goes .\nFine .|Fine .\n")
    (tmp_path / "text.txt").write_text("A SENTENCE .\n" * 600)
    (tmp_path / "mine.yaml").write_text(PROFILE.format(folder=tmp_path))
    return tmp_path


@pytest.fixture
def csv_profile(tmp_path: Path) -> Path:
    """A profile whose test set is read by the format that the documentation shows."""
    page = (PROJECT / "params" / "README.md").read_text()
    [shown] = re.findall(r"^    import csv\n.*?\n(?=\n\S)", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "my_csv.py").write_text(textwrap.dedent(shown))
    (tmp_path / "mine.csv").write_text(
        """written,corrected,level\n"He go.","He goes.",A\n"Fine,\nyes.","Fine,\nyes.",\n"""
    )
    (tmp_path / "csv.yaml").write_text(
        f"extends: smoke\nannotator: offline\ndata_folder: {tmp_path}\n"
        "corpora: {tests: {classroom-test: {replace: true, source: 'my_csv:Csv', files: [{path: "
        "mine.csv, level: B}]}}}\n"
    )
    return tmp_path / "csv.yaml"


def located(profile: Profile, folder: Path) -> FilePairs:
    pairs = profile.corpora.tests["classroom-test"].pairs
    assert isinstance(pairs, FilePairs)
    return pairs.located(lambda file: [file.model_copy(update={"path": folder / file.path})])


def test_the_format_of_the_documentation_reads_tokens_and_levels(
    csv_profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(csv_profile.parent)
    profile = load_profile(csv_profile, library=PROJECT / "params")
    found = located(profile, csv_profile.parent)
    assert [(*sentence.pair, sentence.level) for sentence in found.read()] == [
        (["He", "go", "."], ["He", "goes", "."], "A"),
        (["Fine", ",", "yes", "."], ["Fine", ",", "yes", "."], "B"),
    ]
    assert found.count()[:2] == (2, 1) and found.expected_sentences == 0
    assert (
        profile.corpora.simulated
        and "tests.classroom-test" not in profile.corpora.simulated
        and not profile.simulation
    )
    with pytest.raises(UserError, match="`sentences`"):
        found.model_copy(update={"sentences": 3}).read()


def test_a_format_beside_the_profile_is_known_to_all_programs(
    csv_profile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "my_csv", raising=False)
    assert main(["data", "--profile", str(csv_profile)]) == 0
    assert "profile csv: 1 of 1 files" in capsys.readouterr().out


def test_the_corpora_stand_in_the_table_of_notebook_00(folder: Path) -> None:
    study = Study.open(folder / "mine.yaml", store=folder / "store")
    make(study.store, *study.data_recipes())
    table = corpus_table(study).set_index("corpus")
    assert table.loc["mine", ["part", "sentences", "identical pairs"]].tolist() == ["test", 2, 1]
    assert study.levels(study.planner.tests["mine"]) == ["B", "B"]
    assert study.lines(study.planner.seed_text("everyday", 0), "sentences.txt")[0] == "a sentence ."
