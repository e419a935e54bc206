"""``pseudogec noise``: the program as its users run it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from helpers.noising import make_noiser
from pseudogec.__main__ import main
from pseudogec.artefacts.files import read_lines, write_lines
from pseudogec.noise import METHODS, NoiseResources, TextMethod
from pseudogec.random_streams import SentenceStreams

SENTENCES = [f"the cat number {index} sat on the mat ." for index in range(5000)]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    write_lines(path, SENTENCES)
    return path


def noise(
    text: Path, prefix: str, *options: str, method: str = "direct_noise"
) -> tuple[list[str], list[str]]:
    """Run the program and read what it wrote."""
    ending = text.suffix if text.suffix != ".txt" else ""
    assert (
        main(
            [
                "noise",
                "--method",
                method,
                "--input",
                str(text),
                "--output-prefix",
                prefix,
                "--seed",
                "3",
                *options,
            ]
        )
        == 0
    )
    return list(read_lines(f"{prefix}.src{ending}")), list(read_lines(f"{prefix}.trg{ending}"))


def test_source_is_noised_and_target_is_the_input(text: Path, tmp_path: Path) -> None:
    source, target = noise(text, str(tmp_path / "out"))
    assert target == SENTENCES
    noiser = make_noiser(
        "direct_noise", {}, NoiseResources.from_sentences(line.split() for line in SENTENCES)
    )
    streams = SentenceStreams(3)
    assert source == [
        " ".join(noiser(line.split(), streams[index])) for index, line in enumerate(SENTENCES)
    ]
    assert all(source)


@pytest.mark.parametrize("ending", [".gz", ".zst", ".xz", ".bz2"])
def test_compressed_text_gives_compressed_text(ending: str, tmp_path: Path) -> None:
    write_lines(tmp_path / f"in{ending}", SENTENCES[:100])
    source, target = noise(tmp_path / f"in{ending}", str(tmp_path / "out"))
    assert target == SENTENCES[:100]
    write_lines(tmp_path / "in.txt", SENTENCES[:100])
    assert noise(tmp_path / "in.txt", str(tmp_path / "plain"))[0] == source


def test_empty_lines_stay_in_their_places(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.txt", ["a b c", "", "d e f"])
    source, target = noise(tmp_path / "in.txt", str(tmp_path / "out"))
    assert target == ["a b c", "", "d e f"]
    assert [bool(line) for line in source] == [True, False, True]


TEXT_METHODS = [
    method.name for method in METHODS if issubclass(method, TextMethod) and not method.needs_pairs
]


@pytest.mark.parametrize("method", TEXT_METHODS)
def test_what_is_too_long_for_a_word_is_noised_as_any_token(method: str, tmp_path: Path) -> None:
    long = "a" * 100_000  # some methods' tools take time with the square of the length: hours
    write_lines(tmp_path / "in.txt", [f"He saw the {long} of dogs ."] * 5)
    source, target = noise(tmp_path / "in.txt", str(tmp_path / "out"), method=method)
    assert len(source) == len(target) == 5


def test_a_method_for_english_says_when_it_changes_next_to_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(tmp_path / "in.txt", ["他 去 学校 。"] * 20)
    noise(tmp_path / "in.txt", str(tmp_path / "out"), method="rules")
    assert "rules takes it for English" in capsys.readouterr().err
    noise(tmp_path / "in.txt", str(tmp_path / "out"), method="copy")
    assert "warning" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_longer_text_takes_no_more_memory(tmp_path: Path) -> None:
    peaks = []
    for lines in (10_000, 150_000):
        write_lines(tmp_path / "in.txt", (SENTENCES[number % 5000] for number in range(lines)))
        command = [
            "noise",
            "--method",
            "direct_noise",
            "--input",
            f"{tmp_path}/in.txt",
            "--output-prefix",
            f"{tmp_path}/out",
        ]
        program = (
            f"import resource; from pseudogec.__main__ import main; main({command}); "
            "print(resource.getrusage(0).ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] < peaks[0] + 30, (
        "megabytes; the text alone, as lists of words, would take 60 more"
    )


def test_every_method_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["noise", "--list", "--method", "backtrans_noisy"]) == 0
    shown = capsys.readouterr().out
    assert "    beta_random: " in shown and "mu_mask:" not in shown
    assert main(["noise", "--list"]) == 0
    listed = capsys.readouterr().out
    for method in METHODS:
        assert (f"\n{method.name}: " in f"\n{listed}") == issubclass(method, TextMethod)
        assert all(
            f"    {parameter}: " in listed
            for parameter in method.model_fields
            if issubclass(method, TextMethod)
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "direct_nois"], "`direct_noise`"),
        (["--set", "mu_maks=0.3"], "`mu_mask`"),
        (["--set", "mu_mask"], "--set mu_mask"),
        (["--method", "realistic"], "genuine data"),
        (["--method", "backtrans"], "reverse model"),
        (["--genuine-m2", "nowhere.m2"], "nowhere.m2"),
        (["--input", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_mistakes_are_explained(
    options: Sequence[str],
    message: str,
    text: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [
        "noise",
        "--method",
        "direct_noise",
        "--input",
        str(text),
        "--output-prefix",
        str(tmp_path / "out"),
        *options,
    ]
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt"]
