"""Whether a preflight finds what is missing, what is not what the papers had, and nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from helpers.corpora_by_format import read_pairs
from pseudogec.commands import preflight
from pseudogec.commands.preflight import Row, check, show
from pseudogec.corpora import M2, drop_identical, load_catalogue
from pseudogec.study import PROJECT, Profile, load_profile

PROFILES = sorted({*(PROJECT / "params").glob("*.yaml")} - {PROJECT / "params" / "design.yaml"})
CORRECTED = "S He go home .\nA 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0\n\n"
RIGHT = "S He goes home .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
BEA_VALID = {"A": 1037, "B": 1290, "C": 1069, "N": 988}


def small_profile(folder: Path, text: str = "") -> Profile:
    """A profile whose test set and seed corpus are files; it needs 500 sentences of the seed
    corpus.
    """
    (folder / "small.yaml").write_text(
        "extends: smoke\nannotator: offline\n"
        f"data_folder: {folder}\n"
        "corpora:\n"
        "  tests: {classroom-test: {replace: true, source: m2, files: [test.m2]}}\n"
        "  seeds: {everyday: {replace: true, source: plain, files: [everyday.txt]}}\n" + text
    )
    return load_profile(folder / "small.yaml", library=PROJECT / "params")


def run(profile: Profile, folder: Path, **options: Any) -> list[Row]:
    return check(profile, folder / "store", **options)


def problems(found: list[Row]) -> list[Row]:
    return [each for each in found if each.fails]


def row(found: list[Row], part: str, item: str) -> Row:
    [only] = [each for each in found if part in each.part.split(", ") and each.item == item]
    return only


def fill(folder: Path, sentences: int = 500) -> None:
    (folder / "test.m2").write_text(CORRECTED + RIGHT)
    (folder / "everyday.txt").write_text("A sentence .\n" * sentences)


def write_bea_valid(folder: Path, **counts: int) -> None:
    """Files of the size of W&I+LOCNESS dev, whose sentences are made up."""
    place = folder / "wi+locness" / "m2"
    place.mkdir(parents=True)
    for level, count in {**BEA_VALID, **counts}.items():
        (place / f"{level}.dev.gold.bea19.m2").write_text(CORRECTED + RIGHT * (count - 1))


# Corpora


def test_a_study_that_has_all_it_needs_passes(tmp_path: Path) -> None:
    fill(tmp_path)
    found = run(small_profile(tmp_path), tmp_path)
    assert not problems(found)
    assert row(found, "tests.classroom-test", "sentences").finding == "1 corrected of 2"
    assert row(found, "seeds.everyday", "sentences").finding == "500"
    assert row(found, "seeds.everyday", "everyday.txt").finding == "6.5 kB, a file of your own"


def test_a_missing_file_is_named_with_the_place_where_it_belongs(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "everyday.txt").unlink()
    found = run(small_profile(tmp_path), tmp_path)
    assert problems(found)
    [problem] = problems(found)
    assert (problem.part, problem.item, problem.finding) == (
        "seeds.everyday",
        "everyday.txt",
        "not found",
    )
    assert str(tmp_path / "everyday.txt") in problem.remedy


def test_a_known_corpus_that_is_missing_is_named_with_its_page_and_licence(tmp_path: Path) -> None:
    profile = load_profile(PROJECT / "params" / "paper.yaml", [f"data_folder={tmp_path}"])
    found = run(profile, tmp_path)
    assert (
        "make data PROFILE=paper"
        in row(found, "genuine", "wi+locness/m2/A.train.gold.bea19.m2").remedy
    )
    nucle = row(found, "genuine", "nucle/bea2019/nucle.train.gold.bea19.m2")
    assert "57,151" in nucle.finding
    assert (
        "nucle_download/nucle.php" in nucle.remedy
        and "Non-commercial" in nucle.remedy
        and str(tmp_path) in nucle.remedy
    )
    gigaword = next(
        each for each in found if each.part == "seeds.newswire" and each.state == "missing"
    )
    assert "catalog.ldc.upenn.edu/LDC2011T07" in gigaword.remedy


def test_another_content_under_a_known_name_is_noted(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "wi").mkdir()
    (tmp_path / "wi/A.dev.gold.bea19.m2").write_text(RIGHT * 1037)
    profile = small_profile(
        tmp_path, "  validation: {replace: true, source: m2, files: [wi/A.dev.gold.bea19.m2]}\n"
    )
    file = row(run(profile, tmp_path), "validation", "wi/A.dev.gold.bea19.m2")
    assert file.state == "note"
    assert "not the papers' version: SHA-256" in file.finding


@pytest.mark.slow
def test_the_corpora_at_hand_are_recognised(shared_data: Path, tmp_path: Path) -> None:
    profile = load_profile(PROJECT / "params" / "learners.yaml", [f"data_folder={shared_data}"])
    found = run(profile, tmp_path)
    # Not every processor computes in bf16
    assert not [problem for problem in problems(found) if problem.part != "machine"]
    for level in "ABC":
        assert "digest right" in row(found, "genuine", f"wi/{level}.train.gold.bea19.m2").finding
    assert "split into sentences anew" in row(found, "genuine", "fce/fce.train.m2").finding
    assert isinstance(profile.corpora.genuine, M2)
    files = [
        file.model_copy(update={"path": shared_data / file.path})
        for file in profile.corpora.genuine.files
    ]
    pairs = list(read_pairs("m2", *files))
    left = len(list(drop_identical(pairs)))
    assert row(found, "genuine", "sentences").finding == f"{left:,} corrected of {len(pairs):,}"


def test_the_papers_count_is_recognised(tmp_path: Path) -> None:
    write_bea_valid(tmp_path)
    found = run(
        load_profile(PROJECT / "params" / "paper.yaml", [f"data_folder={tmp_path}"]), tmp_path
    )
    assert row(found, "validation", "sentences").finding == (
        "4 corrected of 4,384; as in Kiyono et al. 2020"
    )


def test_a_count_that_differs_from_the_papers_is_said_with_a_hint(tmp_path: Path) -> None:
    write_bea_valid(tmp_path, C=1060)
    found = run(
        load_profile(PROJECT / "params" / "paper.yaml", [f"data_folder={tmp_path}"]), tmp_path
    )
    total = row(found, "validation", "sentences")
    assert total.state == "note"
    assert "4 corrected of 4,375; Kiyono et al. 2020: 4,384, difference -9" in total.finding


def test_a_sample_is_compared_with_the_paper_that_drew_one(tmp_path: Path) -> None:
    write_bea_valid(tmp_path)
    found = run(
        load_profile(PROJECT / "params" / "paper-emnlp2019.yaml", [f"data_folder={tmp_path}"]),
        tmp_path,
    )
    assert row(found, "validation", "sentences").finding == (
        "2,377 drawn of 4,384; as in Kiyono et al. 2019"
    )


def test_pairs_to_learn_from_in_which_nothing_is_corrected_are_refused(tmp_path: Path) -> None:
    fill(tmp_path)
    for name, text in {
        "valid.m2": RIGHT * 3,
        "x": "A b .\nC .\n",
        "y": "A  b .\nC .\n",
        "later.m2": CORRECTED.replace("|||0", "|||2"),
    }.items():
        (tmp_path / name).write_text(text)
    parts = {
        "genuine": "source: parallel, files: [x, y]",
        "validation": "source: m2, files: [valid.m2]",
        "development": "source: m2, files: [later.m2]",
    }
    text = "".join(f"  {part}: {{replace: true, {rest}}}\n" for part, rest in parts.items())
    found = run(small_profile(tmp_path, text), tmp_path)
    states = {
        part: (row(found, part, "sentences").state, row(found, part, "sentences").finding)
        for part in parts
    }
    assert states == {
        "genuine": ("wrong", "0 corrected of 2"),
        "validation": ("wrong", "0 corrected of 3"),
        "development": ("ok", "1 corrected of 1"),
    }


def test_a_corpus_that_is_smaller_than_what_is_drawn_from_it_is_refused(tmp_path: Path) -> None:
    fill(tmp_path)
    found = run(
        small_profile(
            tmp_path, "  validation: {replace: true, source: m2, files: [test.m2], sentences: 3}\n"
        ),
        tmp_path,
    )
    assert row(found, "validation", "sentences") in problems(found)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    fill(tmp_path)
    whole = gzip.compress(("A sentence .\n" * 500).encode())
    (tmp_path / "everyday.txt.gz").write_bytes(whole[: len(whole) // 2])
    small_profile(tmp_path)
    profile = load_profile(
        tmp_path / "small.yaml",
        ["corpora.seeds.everyday.files=everyday.txt.gz"],
        PROJECT / "params",
    )
    [problem] = problems(run(profile, tmp_path))
    assert (
        problem.part == "seeds.everyday"
        and "everyday.txt.gz" in problem.finding
        and "damaged or cut short" in problem.finding
    )


def test_large_dumps_are_split_for_counting_only_when_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(preflight.COUNTED_AT_MOST, False, 100)
    fill(tmp_path)
    (tmp_path / "dump").mkdir()
    pages = [
        json.dumps({"index": {}}),
        json.dumps({"namespace": 0, "text": "One sentence here. " * 600}),
    ]
    (tmp_path / "dump/simplewiki_content-20261108-00000.json.gz").write_bytes(
        gzip.compress("\n".join(pages).encode())
    )
    text = (
        "extends: smoke\nannotator: offline\n"
        f"data_folder: {tmp_path}\n"
        "corpora: {seeds: {everyday: {replace: true, source: cirrussearch, files: "
        "['dump/*.json.gz']}}}\n"
    )
    (tmp_path / "dumps.yaml").write_text(text)
    profile = load_profile(tmp_path / "dumps.yaml", library=PROJECT / "params")
    found = run(profile, tmp_path)
    assert not problems(found)
    assert row(found, "seeds.everyday", "sentences").finding == "not counted"
    assert row(run(profile, tmp_path, count=True), "seeds.everyday", "sentences").finding == "600"


def test_edits_that_correct_nothing_do_not_count(tmp_path: Path) -> None:
    detected = "S Tht .\nA 0 1|||UNK|||Tht|||REQUIRED|||-NONE-|||0\n\n"
    second = "S He go .\nA 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||1\n\n"
    (tmp_path / "x.m2").write_text(CORRECTED + RIGHT + detected + second)
    file = tmp_path / "x.m2"
    pairs = list(read_pairs("m2", file))
    assert M2(files=(file,)).count()[:2] == (len(pairs), len(list(drop_identical(pairs)))) == (4, 1)


# The machine


def without_gpu() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU; what is missing without one cannot be seen here")


def test_a_profile_in_fp16_needs_a_gpu(tmp_path: Path) -> None:
    without_gpu()
    fill(tmp_path)
    profile = small_profile(tmp_path, "optimisations: {joint: {precision: fp16}}\n")
    [problem] = problems(run(profile, tmp_path))
    assert (problem.item, problem.finding) == ("GPUs", "none; the profile computes in fp16")
    assert "--set optimisations.joint.precision=fp32" in problem.remedy


def test_gpus_of_other_machines_do(tmp_path: Path) -> None:
    fill(tmp_path)
    text = "optimisations: {joint: {precision: bf16}}\n"
    assert not problems(run(small_profile(tmp_path, text), tmp_path, elsewhere=True))


def test_a_disk_that_is_too_small_is_refused(tmp_path: Path) -> None:
    fill(tmp_path)
    assert not problems(run(small_profile(tmp_path), tmp_path, disk_needed=1))
    [problem] = problems(run(small_profile(tmp_path), tmp_path, disk_needed=10**18))
    assert problem.item == "disk"


def test_files_of_released_models_are_looked_for(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "dict.txt").write_text("x 1\n")
    text = (
        "systems: {released: {steps: [{step: released_models, checkpoints: model.pt, "
        "source_dictionary: dict.txt,"
        " target_dictionary: dict.txt, codes: codes.bpe}]}}\n"
        "comparisons: {top_systems: [released]}\n"
    )
    found = run(small_profile(tmp_path, text), tmp_path)
    assert [problem.item for problem in problems(found)] == ["model.pt", "codes.bpe"]
    assert row(found, "systems.released", "dict.txt").state == "ok"


def test_scores_by_another_annotator_are_noted_where_they_are_compared_with_the_papers(
    tmp_path: Path,
) -> None:
    fill(tmp_path)
    embedded = load_profile(PROJECT / "params" / "smoke.yaml", ["annotator=offline"])
    assert row(run(embedded, tmp_path), "software", "annotator").state == "ok"
    compared = row(run(small_profile(tmp_path), tmp_path), "software", "annotator")
    assert compared.state == "note" and "make model" in compared.remedy


# The program


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_every_profile_can_be_checked_without_its_data(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = load_profile(path, [f"data_folder={tmp_path}"])
    status = show(profile.name, check(profile, tmp_path / "store"))
    out = capsys.readouterr().out
    if profile.simulation:
        assert status == 0 and "nothing is to be fetched" in out
    else:
        assert status == 1 and "to mend" in out
    assert not (tmp_path / "store").exists(), "a check changes nothing"


def test_the_papers_sizes_stand_beside_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(
        "paper",
        check(
            load_profile(PROJECT / "params" / "paper.yaml", [f"data_folder={tmp_path}"]), tmp_path
        ),
    )
    out = capsys.readouterr().out
    for size in ("561,410", "4,384", "1,312", "1,369,460", "145,883,941", "131,864,979"):
        assert size in out


def test_what_mends_several_things_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(
        "paper",
        run(load_profile(PROJECT / "params" / "paper.yaml", [f"data_folder={tmp_path}"]), tmp_path),
    )
    # FCE has the same words
    assert capsys.readouterr().out.count(load_catalogue().corpora["wi+locness"].licence) == 2


def test_an_empty_corpus_and_a_folder_in_place_of_a_file_are_reported(tmp_path: Path) -> None:
    (tmp_path / "empty.m2").touch()
    for file, finding in (("empty.m2", "none"), (".", "not found")):
        profile = small_profile(
            tmp_path, f"  genuine: {{replace: true, source: m2, files: {file}}}\n"
        )
        rows = check(profile, tmp_path / "store")
        assert [row.finding for row in rows if row.part == "genuine" and row.fails] == [finding]
