"""The batch program, used as a user would: a smoke study, run again, killed, shared between processes, given bad input."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from artefacts.errors import UserError
from artefacts.files import digest_file
from pseudogec.commands.run_all import main
from pseudogec.study import PACK, PROJECT, Study
from smallest_study import ARGUMENTS

pytestmark = pytest.mark.slow

# Every part once.
NOTEBOOKS = "notebooks={00_data: [], 01_generation_methods: [generation_methods, mu_mask]}"
METHODS = "grids.generation_methods.method=[none, backtrans_noisy, direct_noise]"
SMALL = [*ARGUMENTS, "--set", NOTEBOOKS, "--set", METHODS]

# One notebook beside one model.
BASELINE = "grids.generation_methods.method=none"
ONE_MODEL = [*ARGUMENTS, "--set", "notebooks={00_data: [generation_methods]}", "--set", BASELINE, "--jobs", "1"]
MEASURES = ["system", "seed", "dataset", "level", "error_type", "tp", "fp", "fn"]


def command(store: Path, outputs: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(PROJECT / "run_all.py"), "--store", str(store), "--outputs", str(outputs), *arguments]


def run(store: Path, outputs: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(store, outputs, *arguments), capture_output=True, text=True, timeout=1800, check=False)


def artefacts(store: Path) -> dict[str, int]:
    """When each artefact was finished; one that is not published yet lies in a folder whose name begins with a point."""
    return {str(path.parent): path.stat().st_mtime_ns for path in store.glob("[!.]*/*/result.json")}


def scores(outputs: Path) -> pd.DataFrame:
    return pd.read_parquet(outputs / "scores.parquet")[MEASURES]


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Store and outputs of one whole run with two workers."""
    folder = tmp_path_factory.mktemp("undisturbed")
    finished = run(folder / "store", folder / "outputs", *SMALL, "--jobs", "2")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return folder / "store", folder / "outputs"


def test_a_run_leaves_notebooks_figures_tables_scores_and_an_index(undisturbed: tuple[Path, Path]) -> None:
    _, outputs = undisturbed
    for name in ("00_data", "01_generation_methods"):
        notebook = json.loads((outputs / "notebooks" / f"{name}.ipynb").read_text())
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert all(cell["execution_count"] for cell in code)
        assert 'profile = "smoke"' in "".join("".join(cell["source"]) for cell in code)
        assert "Simulation" in json.dumps(notebook), "a notebook made from the embedded world must say so"
    assert (outputs / "figures" / "mu_mask.png").stat().st_size > 5000
    assert (outputs / "figures" / "mu_mask.svg").stat().st_size > 5000
    table = pd.read_csv(outputs / "tables" / "generation_methods.csv")
    assert {"none", "direct_noise"} <= set(table.method)
    index = (outputs / "index.html").read_text()
    assert "site/01_generation_methods.html" in index
    assert (outputs / "site" / "01_generation_methods.html").is_file()
    assert set(scores(outputs).level) >= {"all", "A", "B", "C", "N"}


def test_the_same_command_again_builds_nothing(undisturbed: tuple[Path, Path]) -> None:
    store, outputs = undisturbed
    before = artefacts(store)
    again = run(store, outputs, *SMALL, "--jobs", "2")
    assert again.returncode == 0, again.stderr
    assert "0 to build" in again.stdout
    assert artefacts(store) == before


def test_a_trained_system_comes_out_the_same_when_it_is_built_again(undisturbed: tuple[Path, Path], tmp_path: Path) -> None:
    _, outputs = undisturbed
    copy = tmp_path / "outputs"
    shutil.copytree(outputs, copy)
    assert "not checked since it was written" in (copy / "index.html").read_text()
    checked = run(tmp_path / "store", copy, *ONE_MODEL, "--verify-pack", "1000")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "model baseline-seed1" in checked.stdout
    check = json.loads((copy / PACK / "checked.json").read_text())
    assert check["compared"] == check["same"] > 20
    assert (check["elsewhere"], check["wrong"]) == (0, 0)
    said = f"{check['same']} of {check['compared']} have the same numbers"
    assert said in (copy / "index.html").read_text()


def training(store: Path, outputs: Path) -> bool:
    return any(store.glob(".work/*/unfinished/checkpoint*"))


def binarisation(store: Path, outputs: Path) -> bool:
    return any(store.glob(".work/*/.train.src-trg*"))


def notebook(store: Path, outputs: Path) -> bool:
    return any((outputs / "tables").glob("*.csv"))


def kill_during(moment: Callable[[Path, Path], bool], store: Path, outputs: Path) -> dict[str, int]:
    """Start a run, kill it and its workers at once (as a power cut would) at a moment; returns what was finished by then."""
    with subprocess.Popen(
        command(store, outputs, *SMALL, "--jobs", "2"),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        deadline = time.monotonic() + 900
        while not moment(store, outputs):
            assert process.poll() is None, "the run ended before the moment came"
            assert time.monotonic() < deadline, "the moment never came"
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
    assert not (outputs / "scores.parquet").exists()
    return artefacts(store)


def test_a_run_killed_again_and_again_goes_on_and_ends_with_the_same_scores(
    undisturbed: tuple[Path, Path], tmp_path: Path
) -> None:
    store, outputs = tmp_path / "store", tmp_path / "outputs"
    finished: dict[str, int] = {}
    for moment in (binarisation, training, notebook):
        before, finished = finished, kill_during(moment, store, outputs)
        assert finished
        assert before.items() <= finished.items(), "what was finished before a kill must not be built again"
    again = run(store, outputs, *SMALL, "--jobs", "2")
    assert again.returncode == 0, again.stdout + again.stderr
    assert finished.items() <= artefacts(store).items()
    pd.testing.assert_frame_equal(scores(outputs), scores(undisturbed[1]))


def test_runs_of_one_worker_that_share_a_store_give_the_scores_of_two_workers(
    undisturbed: tuple[Path, Path], tmp_path: Path
) -> None:
    arguments = command(tmp_path / "store", tmp_path / "outputs", *SMALL, "--jobs", "1")
    both = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    for process in both:
        output, _ = process.communicate(timeout=1800)
        assert process.returncode == 0, output
    assert len(artefacts(tmp_path / "store")) == len(artefacts(undisturbed[0]))
    pd.testing.assert_frame_equal(scores(tmp_path / "outputs"), scores(undisturbed[1]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--profile", "smok"], ["smok.yaml", "did you mean `smoke`"]),
        (["--profile", "smoke", "--set", "sedes=[1]"], ["smoke.yaml", "unknown key `sedes`", "did you mean `seeds`"]),
        (
            ["--profile", "smoke", "--set", "methods.direct_noise.mu_mask=1.2"],
            ["methods.direct_noise", "mu_mask", "1.2"],
        ),
        (["--profile", "smoke", "--only", "99"], ["--only 99", "no such notebook"]),
        (["--profile", "smoke", "--set", "notebooks={}"], ["profile smoke", "`notebooks` names none"]),
        (["--profile", "learners", "--set", "data_folder=nowhere"], ["nowhere", "A.train.gold.bea19.m2"]),
        (["--profile", "smoke", "--scheduler", "tcp://127.0.0.1:9"], ["no Dask scheduler", "127.0.0.1:9"]),
    ],
)
def test_bad_input_is_refused_before_anything_runs(
    arguments: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--store", str(tmp_path / "store"), "--outputs", str(tmp_path / "outputs"), *arguments]) == 2
    told = capsys.readouterr().err
    assert "Traceback" not in told
    for word in words:
        assert word in told
    assert not artefacts(tmp_path / "store")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"S a b\nA 0 1|||R:X|||c\n\n", ["corpus.m2, line 2", "must read"]),
        (b"S a b\nA 0 9|||R:X|||c|||REQUIRED|||-NONE-|||0\n\n", ["corpus.m2, line 2"]),
        (b"S caf\xe9 b\n\n", ["corpus.m2, line 1", "not valid UTF-8"]),
        (b"", ["genuine", "empty"]),
    ],
)
def test_a_broken_corpus_is_named_with_its_line(content: bytes, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "corpus.m2").write_bytes(content)
    study = Study.open("smoke", [broken(tmp_path)], store=tmp_path / "store")
    with pytest.raises(UserError) as caught:
        study.store.build(study.planner.genuine, lambda recipe, folder: recipe.build(folder, study.store, lambda *_: None))
    for word in words:
        assert word in str(caught.value)


def test_a_broken_corpus_is_said_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "corpus.m2").write_bytes(b"S caf\xe9 b\n\n")
    refused = run(tmp_path / "store", tmp_path / "outputs", *SMALL, "--only", "00", "--set", broken(tmp_path), "--jobs", "1")
    assert refused.returncode == 1
    assert "corpus.m2, line 1" in refused.stderr and "not valid UTF-8" in refused.stderr
    assert "Traceback" not in refused.stderr.split("notebook")[0]


def broken(folder: Path) -> str:
    return f"corpora.genuine={{source: m2, files: [{folder / 'corpus.m2'}]}}"


@pytest.fixture
def notebooks(tmp_path: Path) -> Path:
    """A folder with a notebook of two cells for each that the study names."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    parameters = new_code_cell('profile = "classroom"\noverrides = []', metadata={"tags": ["parameters"]})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for name in ("00_data", "01_generation_methods"):
        nbformat.write(new_notebook(cells=[parameters, new_code_cell("profile")], metadata=kernel), folder / f"{name}.ipynb")
    return folder


def test_damaged_artefacts_are_said_and_built_anew(undisturbed: tuple[Path, Path], notebooks: Path, tmp_path: Path) -> None:
    store, outputs = undisturbed
    shutil.copytree(store, tmp_path / "store")
    labels = {path.parent: json.loads(path.read_text())["label"] for path in (tmp_path / "store").glob("pairs/*/recipe.json")}
    cut = min(folder for folder, label in labels.items() if label == "validation") / "train.src-trg.src.bin"
    cut.write_bytes(cut.read_bytes()[:-1])
    flipped = min((tmp_path / "store").glob("score/*/score.json"))
    content = flipped.read_bytes()
    flipped.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    before = artefacts(tmp_path / "store")
    again = run(tmp_path / "store", tmp_path / "outputs", *SMALL, "--jobs", "1", "--verify", "--notebooks", str(notebooks))
    assert again.returncode == 0, again.stdout + again.stderr
    said = [line for line in again.stdout.splitlines() if line.startswith("damaged")]
    assert len(said) == 2 and all(any(str(path) in line for line in said) for path in (cut, flipped))
    after = artefacts(tmp_path / "store")
    assert {path for path in before if before[path] != after[path]} == {str(cut.parent), str(flipped.parent)}
    for folder in map(Path, after):
        files = json.loads((folder / "result.json").read_text())["files"]
        assert all(digest_file(folder / name) == file["sha256"] for name, file in files.items())
    pd.testing.assert_frame_equal(scores(tmp_path / "outputs"), scores(outputs))


def change_last_cell(notebook: Path, source: str) -> None:
    content = nbformat.read(notebook, as_version=4)
    content.cells[-1].source = source
    nbformat.write(content, notebook)


def test_a_failing_cell_is_shown_and_the_other_notebooks_go_on(
    undisturbed: tuple[Path, Path], notebooks: Path, tmp_path: Path
) -> None:
    change_last_cell(notebooks / "00_data.ipynb", "1 / 0")
    store, _ = undisturbed
    outcome = run(store, tmp_path / "outputs", *SMALL, "--notebooks", str(notebooks))
    assert outcome.returncode == 1
    assert "ZeroDivisionError" in outcome.stderr
    assert "00_data.ipynb" in outcome.stderr
    assert "notebook 01_generation_methods   done" in outcome.stdout
    assert "ZeroDivisionError" in (tmp_path / "outputs" / "notebooks" / "00_data.ipynb").read_text()


def test_a_notebook_that_is_killed_is_said_to_be(undisturbed: tuple[Path, Path], notebooks: Path, tmp_path: Path) -> None:
    change_last_cell(notebooks / "00_data.ipynb", "import os; os.kill(os.getppid(), 9)")
    store, _ = undisturbed
    outcome = run(store, tmp_path / "outputs", *SMALL, "--only", "00", "--notebooks", str(notebooks))
    assert outcome.returncode == 1
    assert "killed by signal 9" in outcome.stderr


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a small file system in memory with the given options."""
    folder = tmp_path / "mounted"
    folder.mkdir()

    def mount(options: str) -> Path:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False)
        if done.returncode != 0:
            pytest.skip("this user may not mount a file system, so a full or read-only disk cannot be made")
        return folder

    yield mount
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)


def test_a_full_disk_is_said_and_what_was_finished_is_kept(
    mounted: Callable[[str], Path], notebooks: Path, tmp_path: Path
) -> None:
    store = mounted("size=1m")
    full = run(store, tmp_path / "outputs", *ONE_MODEL, "--notebooks", str(notebooks))
    assert full.returncode == 1
    assert "disk is full" in full.stderr
    assert "--store" in full.stderr
    finished = artefacts(store)
    assert finished
    subprocess.run(["mount", "-o", "remount,size=200m", str(store)], check=True)
    again = run(store, tmp_path / "outputs", *ONE_MODEL, "--notebooks", str(notebooks))
    assert again.returncode == 0, again.stderr
    assert finished.items() <= artefacts(store).items()


def test_a_store_that_may_not_be_written_is_refused(mounted: Callable[[str], Path], tmp_path: Path) -> None:
    refused = run(mounted("ro,size=1m") / "store", tmp_path / "outputs", *SMALL)
    assert refused.returncode == 2
    assert "no permission to write" in refused.stderr
    assert "--store" in refused.stderr


def test_a_folder_of_results_that_cannot_be_made_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = run(tmp_path / "store", tmp_path / "file" / "outputs", *SMALL)
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
    assert str(tmp_path / "file" / "outputs") in refused.stderr and "--outputs" in refused.stderr
    assert not artefacts(tmp_path / "store")
