"""The catalogue of corpora, against the profiles, the papers' tables and the corpora at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudogec.artefacts import Pack
from pseudogec.artefacts.files import digest_file
from pseudogec.commands.preflight import corpus_files, other_files
from pseudogec.corpora import load_catalogue
from pseudogec.report.papers import paper_datasets
from pseudogec.study import PROJECT, load_profile

PAPERS = ["paper", "paper-emnlp2019", "choe2019"]
KNOWN_FILES = [file for corpus in load_catalogue().corpora.values() for file in corpus.files]


@pytest.mark.parametrize("profile", PAPERS)
def test_every_file_of_the_papers_profiles_is_known(profile: str) -> None:
    parts = corpus_files(load_profile(PROJECT / "params" / f"{profile}.yaml"))
    unknown = [
        str(file.path)
        for corpus in parts.values()
        for file in corpus.files
        if load_catalogue().find(file.path) is None
    ]
    assert parts and not unknown


def test_every_file_of_released_corrections_is_known_with_its_digest() -> None:
    profile = load_profile(PROJECT / "params" / "released.yaml")
    paths = [path for read in other_files(profile).values() for path in read]
    found = [load_catalogue().find(path) for path in paths]
    assert len(paths) > 70 and all(known is not None and known[1].sha256 for known in found)
    pack = Pack(PROJECT / "outputs" / "released" / "pack")
    for path, known in zip(paths, found, strict=True):
        assert known is not None and (source := pack.source(path.as_posix(), path)) is not None
        assert source.digest == known[1].sha256


@pytest.mark.parametrize("profile", PAPERS)
def test_the_papers_corpora_are_wholes_that_the_papers_count(profile: str) -> None:
    parts = corpus_files(load_profile(PROJECT / "params" / f"{profile}.yaml"))
    for name in (
        "genuine",
        "validation",
        "tests.CoNLL-2014",
        "tests.JFLEG",
        *(part for part in parts if part.startswith("seeds.")),
    ):
        assert load_catalogue().whole(file.path for file in parts[name].files) is not None, name


def test_sentence_counts_agree_with_the_papers_tables() -> None:
    counts = {file.path: file.sentences or 0 for file in KNOWN_FILES}
    total = {
        whole.name: sum(counts[file] for file in whole.files) for whole in load_catalogue().wholes
    }
    taslp = paper_datasets("taslp2020").set_index("dataset").sentences
    choe = paper_datasets("choe2019").set_index("dataset").sentences
    assert total["BEA-valid"] == taslp["BEA-valid"]
    assert total["CoNLL-2014"] == taslp["CoNLL-2014"]
    assert total["BEA-train"] == 1_162_256  # of which the paper keeps the pairs that differ
    # Choe et al. round to three figures.
    assert total["W&I-train"] == pytest.approx(choe["W&I-train"], rel=0.005)
    fce = sum(file.sentences or 0 for file in load_catalogue().corpora["fce"].files)
    assert fce == pytest.approx(choe["FCE"], rel=0.005)
    assert counts["nucle/bea2019/nucle.train.gold.bea19.m2"] == pytest.approx(
        choe["NUCLE"], rel=0.005
    )
    assert counts["lang8/lang8.train.auto.bea19.m2"] == pytest.approx(choe["Lang-8"], rel=0.005)


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (f"wi/{level}.{part}.gold.bea19.m2", f"wi+locness/m2/{level}.{part}.gold.bea19.m2")
        for level in "ABC"
        for part in ("train", "dev")
    ]
    + [("fce/fce.test.gold.bea19.m2", "fce/m2/fce.test.gold.bea19.m2")]
    + [
        (f"jfleg/dev.{side}", f"jfleg/dev/dev.{side}")
        for side in ("src", "ref0", "ref1", "ref2", "ref3")
    ],
)
def test_digests_and_counts_are_those_of_the_corpora_at_hand(
    shared_data: Path, place: str, path: str
) -> None:
    file = next(file for file in KNOWN_FILES if file.path == path)
    assert digest_file(shared_data / place) == file.sha256
    lines = (shared_data / place).read_text(encoding="utf-8").splitlines()
    assert file.sentences == (
        sum(line.startswith("S ") for line in lines) if path.endswith(".m2") else len(lines)
    )
