"""``pseudogec noise``: the program as its users run it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from artefacts.files import read_lines, write_lines
from noising import make_noiser
from pseudogec.__main__ import main
from pseudogec.noise import METHODS, NoiseResources, TextMethod
from pseudogec.random_streams import SentenceStreams

SENTENCES = [f"the cat number {index} sat on the mat ." for index in range(5000)]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    write_lines(path, SENTENCES)
    return path


def noise(text: Path, prefix: str, *options: str, method: str = "direct_noise") -> tuple[list[str], list[str]]:
    """Run the program and read what it wrote."""
    ending = text.suffix if text.suffix != ".txt" else ""
    assert main(["noise", "--method", method, "--input", str(text), "--output-prefix", prefix, "--seed", "3", *options]) == 0
    return list(read_lines(f"{prefix}.src{ending}")), list(read_lines(f"{prefix}.trg{ending}"))


def test_source_is_noised_and_target_is_the_input(text: Path, tmp_path: Path) -> None:
    source, target = noise(text, str(tmp_path / "out"))
    assert target == SENTENCES
    noiser = make_noiser("direct_noise", {}, NoiseResources.from_sentences(line.split() for line in SENTENCES))
    streams = SentenceStreams(3)
    assert source == [" ".join(noiser(line.split(), streams[index])) for index, line in enumerate(SENTENCES)]
    assert all(source)


@pytest.mark.slow
def test_the_program_is_also_a_module(text: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pseudogec", "noise", "--method", "sse", "--input", str(text)]
    run = subprocess.run([*command, "--output-prefix", str(tmp_path / "out")], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "5,000 sentences" in run.stderr
    assert not run.stdout
    run = subprocess.run([*command, "--output-prefix", str(tmp_path / "out"), "--set", "rate=1"], capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.startswith("error: ")
    assert "sse_rate" in run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("method", [method.name for method in METHODS if issubclass(method, TextMethod)])
def test_any_number_of_processes_gives_the_same_bytes(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "in.txt"
    write_lines(text, SENTENCES[:300])
    write_lines(tmp_path / "g.src", ["the cat sits in the mat ."] * 5)
    write_lines(tmp_path / "g.trg", ["the cat sits on the mat ."] * 5)
    options = ["--genuine-source", str(tmp_path / "g.src"), "--genuine-target", str(tmp_path / "g.trg"), "--set", "sse_rate=0.02"]
    monkeypatch.setattr("pseudogec.commands.noise._CHUNK", 50)  # each process has several
    noise(text, str(tmp_path / "one"), *options, method=method)
    noise(text, str(tmp_path / "three"), *options, "--jobs", "3", method=method)
    monkeypatch.setattr("pseudogec.commands.noise._CHUNK", 10_000)
    noise(text, str(tmp_path / "whole"), *options, method=method)
    for side in ("src", "trg"):
        one, three, whole = ((tmp_path / f"{name}.{side}").read_bytes() for name in ("one", "three", "whole"))
        assert one == three == whole
        assert (one == text.read_bytes()) == (side == "trg")


def test_seeds_differ(text: Path, tmp_path: Path) -> None:
    one, _ = noise(text, str(tmp_path / "a"), "--set", "mu_mask=0.5")
    other, _ = noise(text, str(tmp_path / "b"), "--set", "mu_mask=0.5", "--seed", "4")
    assert one != other


@pytest.mark.parametrize("ending", [".gz", ".zst", ".xz", ".bz2"])
def test_compressed_text_gives_compressed_text(ending: str, tmp_path: Path) -> None:
    write_lines(tmp_path / f"in{ending}", SENTENCES[:100])
    source, target = noise(tmp_path / f"in{ending}", str(tmp_path / "out"))
    assert target == SENTENCES[:100]
    write_lines(tmp_path / "in.txt", SENTENCES[:100])
    assert noise(tmp_path / "in.txt", str(tmp_path / "plain"))[0] == source


def test_the_compression_can_be_chosen(text: Path, tmp_path: Path) -> None:
    arguments = ["noise", "--method", "sse", "--input", str(text), "--output-prefix", str(tmp_path / "out")]
    assert main([*arguments, "--compress", "zst"]) == 0
    assert list(read_lines(tmp_path / "out.trg.zst")) == SENTENCES
    assert not (tmp_path / "out.trg").exists()


def test_the_mask_can_be_chosen(text: Path, tmp_path: Path) -> None:
    options = ["--set", "mu_mask=1", "--set", "mu_keep=0", "--set", "mask_token=|"]
    source, _ = noise(text, str(tmp_path / "out"), *options)
    assert set(" ".join(source).split()) == {"|"}


def test_keeping_everything_is_the_identity(text: Path, tmp_path: Path) -> None:
    source, target = noise(text, str(tmp_path / "out"), "--set", "mu_keep=1")
    assert source == target == SENTENCES


def test_empty_lines_stay_in_their_places(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.txt", ["a b c", "", "d e f"])
    source, target = noise(tmp_path / "in.txt", str(tmp_path / "out"))
    assert target == ["a b c", "", "d e f"]
    assert [bool(line) for line in source] == [True, False, True]


def test_a_last_line_without_its_end_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("a b c\nd e f")
    assert noise(tmp_path / "in.txt", str(tmp_path / "out"))[1] == ["a b c", "d e f"]


def test_random_tokens_come_from_the_genuine_data(text: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "g.src", ["fremd"])
    write_lines(tmp_path / "g.trg", ["strange odd"])
    genuine = ["--genuine-source", str(tmp_path / "g.src"), "--genuine-target", str(tmp_path / "g.trg")]
    settings = ["--set", "mu_mask=0", "--set", "mu_keep=0", "--set", "mu_del=0", "--set", "mu_ins=1"]
    source, _ = noise(text, str(tmp_path / "out"), *genuine, *settings)
    assert {token for line in source for token in line.split()[1::2]} == {"strange", "odd"}


def test_learners_edits_come_from_the_genuine_data(text: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "g.src", ["the cat sits in the mat ."] * 5)
    write_lines(tmp_path / "g.trg", ["the cat sits on the mat ."] * 5)
    genuine = ["--genuine-source", str(tmp_path / "g.src"), "--genuine-target", str(tmp_path / "g.trg")]
    settings = ["--set", "token_probability=1", "--set", "type_probability=0"]
    source, target = noise(text, str(tmp_path / "out"), *genuine, *settings, method="realistic")
    assert source == [line.replace(" on ", " in ") for line in target]


def test_every_method_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["noise", "--list"]) == 0
    listed = capsys.readouterr().out
    for method in METHODS:
        assert (f"\n{method.name}: " in f"\n{listed}") == issubclass(method, TextMethod)
        assert all(f"    {parameter}: " in listed for parameter in method.model_fields if issubclass(method, TextMethod))


def test_help_shows_the_parameters_of_the_method_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["noise", "--help", "--method", "backtrans_noisy"]) == 0
    shown = capsys.readouterr().out
    assert "--genuine-source F" in shown
    assert "    beta_random: strength of the noise" in shown
    assert "mu_mask:" not in shown
    assert main(["noise", "--help"]) == 0
    assert "    mu_mask: probability" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "direct_nois"], "did you mean `direct_noise`"),
        (["--set", "mu_maks=0.3"], "did you mean `mu_mask`"),
        (["--set", "mu_mask=0.3", "--set", "mu_del=0.5", "--set", "mu_ins=0.5", "--set", "mu_keep=0.2"], "must sum to 1"),
        (["--set", "mu_mask"], "NAME=VALUE was expected"),
        (["--set", "method=random"], "--set: direct_noise has no parameter `method`"),
        (["--set", "mu_mask=0.3", "--set", "mu_mask=0.4"], "given twice"),
        (["--method", "realistic"], "--genuine-source"),
        (["--method", "backtrans"], "works with a reverse model; name it under `methods` in a profile"),
        (["--method", "nowhere.noise:Mine"], "cannot be imported (there is no module `nowhere` in "),
        (["--method", "json:JSONDecoder"], "json has no class `JSONDecoder` that derives from Method"),
        (["--genuine-source", "x"], "belong together"),
        (["--jobs", "0"], "at least 1"),
        (["--output-prefix", ""], "--output-prefix is empty"),
        (["--method", "random", "--set", "shuffle_deviation=inf"], "finite number"),
        (["--input", "nowhere.txt"], "nowhere.txt: no such file"),
    ],
)
def test_mistakes_are_explained(
    options: Sequence[str], message: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["noise", "--method", "direct_noise", "--input", str(text), "--output-prefix", str(tmp_path / "out"), *options]
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt"]


def test_empty_input_and_overwriting_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.src").touch()
    arguments = ["noise", "--method", "sse", "--input", str(tmp_path / "x.src"), "--output-prefix"]
    assert main([*arguments, str(tmp_path / "y")]) == 2
    assert "is empty" in capsys.readouterr().err
    assert main([*arguments, str(tmp_path / "x")]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert main(["noise", "--method", "sse"]) == 2
    assert "--input is missing" in capsys.readouterr().err


def test_a_damaged_line_in_the_middle_leaves_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.txt").write_bytes(b"a b\n" * 3000 + b"\xff\n")
    for jobs in ("1", "2"):
        arguments = ["noise", "--method", "sse", "--input", str(tmp_path / "in.txt"), "--output-prefix", str(tmp_path / "out")]
        assert main([*arguments, "--jobs", jobs]) == 2
        assert "line 3001: not valid UTF-8" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
