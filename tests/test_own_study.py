"""A study of one's own, as the documents tell to make it: two files of text, and a method in a
module beside the profile.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pseudogec.__main__ import main
from pseudogec.commands import run_all
from pseudogec.corpora.classroom import classroom_sentences
from pseudogec.noise.classroom import learner_sentences
from pseudogec.study import PROJECT, Study

[OWN_METHOD] = re.findall(
    r"```python\n([^`]*class Articles.*?)```",
    (PROJECT / "lib" / "README.md").read_text(),
    re.DOTALL,
)

OWN = """\
extends: {profile}
data_folder: {folder}
seeds: [1]
methods: {{articles: {{method: "my_noise:Articles", rate: 1.0}}}}
grids: {{generation_methods: {{method: [none, direct_noise, articles]}}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a user."""
    with (tmp_path / "pairs.m2").open("w") as pairs:
        for sentence in learner_sentences(classroom_sentences("everyday", "train")[:150], "5"):
            pairs.write(f"S {' '.join(sentence.pair.source)}\n")
            for edit in sentence.annotated.annotators[0]:
                pairs.write(
                    f"A {edit.start} "
                    f"{edit.end}|||R:OTHER|||{edit.correction}|||REQUIRED|||-NONE-|||0\n"
                )
            pairs.write("\n")
    text = classroom_sentences("everyday", "seed")[:600]
    (tmp_path / "text.txt").write_text("".join(f"{' '.join(tokens)}\n" for tokens in text))
    (tmp_path / "my_noise.py").write_text(OWN_METHOD)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own.yaml").write_text(OWN.format(profile="my-corpora", folder=tmp_path))
    return tmp_path


def test_the_profile_to_copy_runs_with_two_files_and_a_method_of_one_s_own(
    folder: Path, scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    places = [
        "--store",
        str(folder / "store"),
        "--outputs",
        str(folder / "outputs"),
        "--scheduler",
        scheduler,
    ]
    assert run_all.main(["--profile", str(folder / "own.yaml"), *places]) == 0, (
        capsys.readouterr().err
    )
    study = Study.open(folder / "own.yaml", store=folder / "store", outputs=folder / "outputs")
    assert not study.stock(study.targets()).to_build
    [noised] = [
        system for system in study.grid("generation_methods") if system.method == "articles"
    ]
    source = study.store.folder(study.planner.pseudo_data(noised)[0]) / "examples.json"
    assert " the " not in source.read_text().partition('"target"')[0].lower()


def test_no_pair_of_the_file_is_in_two_parts(folder: Path) -> None:
    study = Study.open(folder / "own.yaml", store=folder / "store")
    assert (
        sum(sum(1 for _ in corpus.pairs.read()) for corpus in study.planner.corpora.values()) == 150
    )


def test_the_method_of_the_documents_is_explained_and_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    method = ["noise", "--method", "my_noise:Articles"]
    assert main([*method, "--list"]) == 0
    assert "    rate: " in capsys.readouterr().out
    (folder / "words").write_text("the dog sees a cat .\n")
    command = [
        *method,
        "--set",
        "rate=1",
        "--input",
        str(folder / "words"),
        "--output-prefix",
        str(folder / "noised"),
    ]
    assert main(command) == 0
    assert (folder / "noised.src").read_text() == "dog sees cat .\n"
