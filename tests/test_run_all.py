"""The batch program, used as a user would: a small study, run again, killed, shared between
processes, given bad input.

Its notebooks are short ones; `test_notebooks.py` has it execute the project's own. Where processes
are not what is tested, it runs in this one, with a Dask worker that has everything imported.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from glob import glob
from pathlib import Path

import nbformat
import pandas as pd
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers.smallest_study import ARGUMENTS
from pseudogec.artefacts.files import digest_file
from pseudogec.commands.run_all import main
from pseudogec.study import PACK, PROJECT

pytestmark = pytest.mark.slow

# Every kind of artefact once.
PART = [
    "notebooks={00_data: [], 01_generation_methods: [generation_methods]}",
    "grids.generation_methods.method=[none, backtrans_noisy]",
    "corpora.genuine.sentences=150",
    "scale.base=100",
]
SMALL = [*ARGUMENTS, *(word for override in PART for word in ("--set", override))]

SHOWS_A_TABLE = """
from pseudogec.report import Report
from pseudogec.study import Study

study = Study.open(profile, overrides)
report = Report(study)
report.begin("01_generation_methods")
report.table(study.scores(study.grid("generation_methods")), "generation_methods")"""

MEASURES = ["system", "seed", "dataset", "level", "error_type", "tp", "fp", "fn"]


def places(store: Path, outputs: Path, notebooks: Path) -> list[str]:
    return ["--store", str(store), "--outputs", str(outputs), "--notebooks", str(notebooks)]


def start(*arguments: str) -> subprocess.Popen[str]:
    """The batch program as a process, with children of its own."""
    return subprocess.Popen(
        [sys.executable, str(PROJECT / "run_all.py"), *arguments],
        start_new_session=True,
        # Tests that run in the background of a shell ignore interrupts, and so would this process.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    output, _ = process.communicate(timeout=1800)
    assert process.returncode == 0, output


def artefacts(store: Path) -> dict[str, int]:
    """When each artefact was finished; one that is not published yet lies in a folder whose name
    begins with a point.
    """
    return {str(path.parent): path.stat().st_mtime_ns for path in store.glob("[!.]*/*/result.json")}


def scores(outputs: Path) -> pd.DataFrame:
    return pd.read_parquet(outputs / "scores.parquet")[MEASURES]


def write_notebooks(folder: Path) -> Path:
    """Write a notebook for each that the study names: one of two cells, and one that shows a
    table.
    """
    folder.mkdir()
    parameters = new_code_cell(
        'profile = "classroom"\noverrides = []', metadata={"tags": ["parameters"]}
    )
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for name, source in {"00_data": "profile", "01_generation_methods": SHOWS_A_TABLE}.items():
        nbformat.write(
            new_notebook(cells=[parameters, new_code_cell(source)], metadata=kernel),
            folder / f"{name}.ipynb",
        )
    return folder


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_notebooks(tmp_path_factory.mktemp("short") / "notebooks")


@pytest.fixture(scope="module")
def undisturbed(notebooks: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Store and outputs of one whole run with two workers."""
    folder = tmp_path_factory.mktemp("undisturbed")
    store, outputs = folder / "store", folder / "outputs"
    finish(start(*places(store, outputs, notebooks), *SMALL, "--jobs", "2"))
    return store, outputs


def results(outputs: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(outputs)): path.read_bytes()
        for path in outputs.rglob("*")
        if path.is_file()
    }


def test_the_same_command_again_builds_nothing_and_changes_no_file(
    undisturbed: tuple[Path, Path], notebooks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, outputs = undisturbed
    before, written = artefacts(store), results(outputs)
    assert main([*places(store, outputs, notebooks), *SMALL, "--only", "00"]) == 0
    assert main([*places(store, outputs, notebooks), *SMALL, "--jobs", "2"]) == 0
    assert "0 to build" in capsys.readouterr().out
    assert artefacts(store) == before
    assert results(outputs) == written


def test_the_front_page_builds_nothing(tmp_path: Path) -> None:
    store, outputs = tmp_path / "store", tmp_path / "outputs"
    index = nbformat.read(PROJECT / "notebooks" / "index.ipynb", 4)
    nbformat.write(index, write_notebooks(tmp_path / "notebooks") / "index.ipynb")
    assert main([*places(store, outputs, tmp_path / "notebooks"), *SMALL, "--only", "00"]) == 0
    assert (outputs / "notebooks" / "index.ipynb").is_file()
    kinds = {Path(place).parent.name for place in artefacts(store)}
    assert "corpus" in kinds and not {"model", "score"} & kinds, "only what `--only` names is built"


@pytest.mark.parametrize("profile", ["public", "learners"])
def test_a_committed_run_is_executed_again_from_its_pack(
    profile: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`make study` executes the classroom; these have other systems, or texts that are not here."""
    monkeypatch.delenv("PSEUDOGEC_PACKS")
    shutil.copytree(PROJECT / "outputs" / profile / PACK, tmp_path / "outputs" / PACK)
    here = places(tmp_path / "store", tmp_path / "outputs", PROJECT / "notebooks")
    assert main(["--profile", profile, *here, "--only", "05"]) == 0
    assert "0 to build" in capsys.readouterr().out


def training(store: Path, outputs: Path) -> bool:
    # Path.glob fails where a folder vanishes meanwhile.
    return bool(glob(f"{store}/.work/*/unfinished/checkpoint*"))  # noqa: PTH207


def binarisation(store: Path, outputs: Path) -> bool:
    return any(glob(f"{store}/.work/*/{name}") for name in ("train.src-trg*", ".train.src-trg*"))  # noqa: PTH207


def notebook(store: Path, outputs: Path) -> bool:
    return any((outputs / "tables").glob("*.csv"))


def kill_during(
    moment: Callable[[Path, Path], bool], store: Path, outputs: Path, notebooks: Path
) -> dict[str, int]:
    """Start a run, kill it and its workers at once (as a power cut would) at a moment; returns what
    was finished by then.
    """
    with start(*places(store, outputs, notebooks), *SMALL, "--jobs", "2") as process:
        deadline = time.monotonic() + 900
        while not moment(store, outputs):
            assert process.poll() is None, "the run ended before the moment came"
            assert time.monotonic() < deadline, "the moment never came"
            time.sleep(0.002 if moment is binarisation else 0.05)  # only binarisation is soon over
        os.killpg(process.pid, signal.SIGKILL)
    assert not (outputs / "scores.parquet").exists()
    return artefacts(store)


def test_a_run_killed_again_and_again_goes_on_and_ends_with_the_same_scores(
    undisturbed: tuple[Path, Path], notebooks: Path, tmp_path: Path
) -> None:
    store, outputs = tmp_path / "store", tmp_path / "outputs"
    finished: dict[str, int] = {}
    for moment in (binarisation, training, notebook):
        before, finished = finished, kill_during(moment, store, outputs, notebooks)
        assert finished
        assert before.items() <= finished.items(), (
            "what was finished before a kill must not be built again"
        )
    assert main([*places(store, outputs, notebooks), *SMALL, "--jobs", "2"]) == 0
    assert finished.items() <= artefacts(store).items()
    pd.testing.assert_frame_equal(scores(outputs), scores(undisturbed[1]))


def test_runs_of_one_worker_that_share_a_store_give_the_scores_of_two_workers(
    undisturbed: tuple[Path, Path], notebooks: Path, tmp_path: Path
) -> None:
    arguments = [
        *places(tmp_path / "store", tmp_path / "outputs", notebooks),
        *SMALL,
        "--jobs",
        "1",
    ]
    both = [start(*arguments) for _ in range(2)]
    for process in both:
        finish(process)
    assert len(artefacts(tmp_path / "store")) == len(artefacts(undisturbed[0]))
    pd.testing.assert_frame_equal(scores(tmp_path / "outputs"), scores(undisturbed[1]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--profile", "smok"], ["smok.yaml", "`smoke`"]),
        (["--profile", "smoke", "--set", "sedes=[1]"], ["--set sedes", "`seeds`"]),
        (
            ["--profile", "smoke", "--set", "methods.direct_noise.mu_mask=1.2"],
            ["methods.direct_noise", "mu_mask", "1.2"],
        ),
        (["--profile", "smoke", "--only", "99"], ["--only 99"]),
        (["--profile", "smoke", "--plan", "--set", "architecture.name=transfomer"], ["transfomer"]),
        (
            [
                "--profile",
                "smoke",
                "--set",
                "architecture.fairseq_options={decoder-layerdrop: much}",
            ],
            ["--decoder-layerdrop"],
        ),
        (["--profile", "smoke", "--plan", "--set", "predicted_by=classrom"], ["`classroom`"]),
        (
            ["--profile", "smoke", "--plan", "--set", "cluster.class=dask_jobqueue.SlurmCluster"],
            ["cluster.class", "SlurmCluster"],
        ),
        (["--profile", "smoke", "--set", "notebooks.99_none=[scaling]"], ["notebooks.99_none"]),
        (["--profile", "smoke", "--set", "notebooks={}"], ["profile smoke", "`notebooks`"]),
        (["--profile", "learners", "--set", "data_folder=nowhere"], ["nowhere", "data_folder"]),
        (["--profile", "smoke", "--scheduler", "tcp://127.0.0.1:9"], ["127.0.0.1:9"]),
    ],
)
def test_bad_input_is_refused_before_anything_runs(
    arguments: list[str],
    words: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pseudogec.artefacts.cluster.SECONDS_TO_ANSWER", 1)
    assert (
        main(
            ["--store", str(tmp_path / "store"), "--outputs", str(tmp_path / "outputs"), *arguments]
        )
        == 2
    )
    told = capsys.readouterr().err
    assert "Traceback" not in told
    for word in words:
        assert word in told
    assert not artefacts(tmp_path / "store")


def test_a_broken_corpus_is_said_without_a_traceback(
    notebooks: Path, scheduler: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus.m2").write_bytes(b"S caf\xe9 b\n\n")
    here = places(tmp_path / "store", tmp_path / "outputs", notebooks)
    assert (
        main([*here, *SMALL, "--only", "00", "--set", broken(tmp_path), "--scheduler", scheduler])
        == 1
    )
    told = capsys.readouterr().err
    assert "corpus.m2, line 1" in told
    assert "Traceback" not in told


def broken(folder: Path) -> str:
    return f"corpora.genuine={{source: m2, files: [{folder / 'corpus.m2'}]}}"


def test_damaged_artefacts_are_said_and_built_anew(
    undisturbed: tuple[Path, Path],
    notebooks: Path,
    scheduler: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store, outputs = undisturbed
    shutil.copytree(store, tmp_path / "store")
    labels = {
        path.parent: json.loads(path.read_text())["label"]
        for path in (tmp_path / "store").glob("pairs/*/recipe.json")
    }
    cut = (
        min(folder for folder, label in labels.items() if label == "validation")
        / "train.src-trg.src.bin"
    )
    cut.write_bytes(cut.read_bytes()[:-1])
    flipped = min((tmp_path / "store").glob("score/*/score.json"))
    content = flipped.read_bytes()
    flipped.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    before = artefacts(tmp_path / "store")
    here = places(tmp_path / "store", tmp_path / "outputs", notebooks)
    assert main([*here, *SMALL, "--verify", "--scheduler", scheduler]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("damaged")]
    assert len(said) == 2 and all(
        any(str(path) in line for line in said) for path in (cut, flipped)
    )
    after = artefacts(tmp_path / "store")
    assert {path for path in before if before[path] != after[path]} == {
        str(cut.parent),
        str(flipped.parent),
    }
    for folder in map(Path, after):
        files = json.loads((folder / "result.json").read_text())["files"]
        assert all(digest_file(folder / name) == file["sha256"] for name, file in files.items())
    pd.testing.assert_frame_equal(scores(tmp_path / "outputs"), scores(outputs))


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str], Path]:
    """The short notebooks with another last cell in the first."""

    def change(source: str) -> Path:
        folder = write_notebooks(tmp_path / "notebooks")
        content = nbformat.read(folder / "00_data.ipynb", as_version=4)
        content.cells[-1].source = source
        nbformat.write(content, folder / "00_data.ipynb")
        return folder

    return change


def test_a_failing_cell_is_shown_and_the_other_notebooks_go_on(
    undisturbed: tuple[Path, Path],
    changed: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store, _ = undisturbed
    assert main([*places(store, tmp_path / "outputs", changed("1 / 0")), *SMALL]) == 1
    said = capsys.readouterr()
    assert "ZeroDivisionError" in said.err
    assert "00_data.ipynb" in said.err
    assert "notebook 01_generation_methods   done" in said.out
    assert "ZeroDivisionError" in (tmp_path / "outputs" / "notebooks" / "00_data.ipynb").read_text()


def test_a_notebook_whose_kernel_is_killed_is_said_to_be(
    undisturbed: tuple[Path, Path],
    changed: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store, _ = undisturbed
    notebooks = changed("import os; os.kill(os.getpid(), 9)")
    assert main([*places(store, tmp_path / "outputs", notebooks), *SMALL, "--only", "00"]) == 1
    assert "kernel died" in capsys.readouterr().err


def starts_kernels(program: int) -> bool:
    return any(
        "ipykernel_launcher" in child.cmdline() for child in psutil.Process(program).children()
    )


@pytest.mark.parametrize("moment", ["while kernels start", "in a cell"])
def test_a_run_that_is_interrupted_ends_its_kernels_and_keeps_earlier_results(
    moment: str, undisturbed: tuple[Path, Path], changed: Callable[[str], Path], tmp_path: Path
) -> None:
    executed = tmp_path / "outputs" / "notebooks" / "00_data.ipynb"
    executed.parent.mkdir(parents=True)
    executed.write_text("what an earlier run left")
    endless = changed("import pathlib, time; pathlib.Path('running').touch(); time.sleep(600)")
    with start(
        *places(undisturbed[0], tmp_path / "outputs", endless), *SMALL, "--only", "00"
    ) as process:
        try:
            deadline = time.monotonic() + 120
            while not (
                (endless / "running").exists()
                or (moment == "while kernels start" and starts_kernels(process.pid))
            ):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            family = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()  # if it has not ended
    assert process.returncode == 130, output
    assert "run the same command again to continue" in output
    assert "Traceback" not in output
    _, alive = psutil.wait_procs(family, timeout=30)
    assert not alive
    assert executed.read_text() == "what an earlier run left"


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A file system that may not be written, not even by root."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    ).returncode:
        pytest.skip("this user may not mount a file system, so a read-only disk cannot be made")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_store_that_may_not_be_written_is_refused(
    read_only: Path, notebooks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*places(read_only / "store", tmp_path / "outputs", notebooks), *SMALL]) == 2
    told = capsys.readouterr().err
    assert str(read_only / "store") in told and "--store" in told
