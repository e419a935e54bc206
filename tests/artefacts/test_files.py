"""Files: read and written whole, or named; digests of large ones are remembered."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import pickle
import shutil
import stat
import subprocess
from pathlib import Path

import numpy as np
import pytest
import zstandard
from refusals import refused

from pseudogec.artefacts.errors import DataError, UserError
from pseudogec.artefacts.files import (
    REMEMBERED_FROM,
    FileDigests,
    digest_file,
    open_for_reading,
    read_lines,
    refuse_pipe,
    write_atomically,
    write_lines,
)

COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
    ".bz2": bz2.compress,
}
ENDINGS = ["", *COMPRESS]
LINES = ["one", "", "café — ☃", "a\u2028b\x0bc\x85d", "last"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_lines_survive_a_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / "deep" / f"x{ending}"
    assert write_lines(path, LINES) == 5
    assert list(read_lines(path)) == LINES


@pytest.mark.parametrize("ending", COMPRESS)
def test_files_of_the_tools_themselves_are_read(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    path.write_bytes(COMPRESS[ending]("\n".join(LINES).encode()))
    assert list(read_lines(path)) == LINES, "the last line lacks its end"
    with open_for_reading(path) as stream:
        assert stream.read() == "\n".join(LINES).encode()


def test_files_joined_from_compressed_parts_are_read_whole(tmp_path: Path) -> None:
    for ending, compress in COMPRESS.items():
        path = tmp_path / f"x{ending}"
        path.write_bytes(compress(b"one\n") + compress(b"two\n"))
        assert list(read_lines(path)) == ["one", "two"], ending


def test_windows_line_ends_are_no_part_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"one\r\ntwo\r\n\r\nthree")
    assert list(read_lines(tmp_path / "x")) == ["one", "two", "", "three"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n")
    assert list(read_lines(tmp_path / "x")) == ["one", "\ufefftwo"], (
        "the second is a character like any other"
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_text_gives_the_same_bytes(ending: str, tmp_path: Path) -> None:
    for folder in "ab":
        write_lines(tmp_path / folder / f"x{ending}", LINES)
    assert digest_file(tmp_path / "a" / f"x{ending}") == digest_file(tmp_path / "b" / f"x{ending}")


def test_a_digest_is_sha256_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert digest_file(tmp_path / "x") == hashlib.sha256(b"abc").hexdigest()
    with refused(tmp_path / "nowhere"):
        digest_file(tmp_path / "nowhere")


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"fine\nca\xe9\n")
    with refused(tmp_path / "x", 2):
        list(read_lines(tmp_path / "x"))


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("damage", ["cut short", "not compressed", "changed", "empty"])
def test_a_damaged_file_is_named(ending: str, damage: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    whole = COMPRESS[ending](np.random.default_rng(1).bytes(100_000).hex().encode())
    half = len(whole) // 2
    damaged = {
        "cut short": whole[:half],
        "not compressed": b"plain text, whatever its name says\n" * 20,
        "changed": whole[:half]
        + bytes(byte ^ 255 for byte in whole[half : half + 100])
        + whole[half + 100 :],
        "empty": b"",
    }
    path.write_bytes(damaged[damage])
    with pytest.raises(DataError) as raised:
        list(read_lines(path))
    assert raised.value.path == path


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (tmp_path / "nowhere", tmp_path, tmp_path / "file" / "below", tmp_path / "loop"):
        with refused(path):
            list(read_lines(path))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    write_lines(path, ["old"])
    with pytest.raises(RuntimeError), write_atomically(path) as stream:
        stream.write(b"new\n")
        raise RuntimeError
    assert list(read_lines(path)) == ["old"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_appears_only_when_it_is_whole_and_is_readable_by_all(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with write_atomically(path) as stream:
        stream.write(b"text\n")
        assert not path.exists()
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError) as raised:
        write_lines(tmp_path / "file" / "below", ["a"])
    assert str(tmp_path / "file" / "below") in str(raised.value)
    with pytest.raises(FileNotFoundError, match="nowhere"), write_atomically(tmp_path / "x"):
        (tmp_path / "nowhere").read_text()


def test_data_errors_tell_where_and_cross_processes() -> None:
    error = pickle.loads(pickle.dumps(DataError("a.m2", "no span", 7)))
    assert str(error) == "a.m2, line 7: no span"
    assert (error.path, error.line) == (Path("a.m2"), 7)
    assert str(DataError("a.m2", "empty")) == "a.m2: empty"


def test_digests_of_large_files_are_remembered_while_the_files_are_unchanged(
    tmp_path: Path,
) -> None:
    large, memory = tmp_path / "dump", tmp_path / "memory.json"
    large.write_bytes(b"a" * REMEMBERED_FROM)
    digests = FileDigests(memory)
    assert digests(large) == digest_file(large)
    remembered = memory.read_text()
    memory.write_text(remembered.replace(digest_file(large), "remembered"))
    assert FileDigests(memory)(large) == "remembered"
    large.write_bytes(b"b" * REMEMBERED_FROM)
    assert FileDigests(memory)(large) == digest_file(large)
    small = tmp_path / "small"
    small.write_text("a")
    assert FileDigests(memory)(small) == digest_file(small)
    assert "small" not in memory.read_text()


def test_a_pipe_is_refused_where_a_file_is_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with refused(tmp_path / "pipe"):
        refuse_pipe(tmp_path / "pipe")
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file", tmp_path / "none"):
        refuse_pipe(path)


def test_git_ignores_partial_files(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    shutil.copy(Path(__file__).parents[2] / ".gitignore", tmp_path)
    assert (
        subprocess.run(
            ["git", "check-ignore", "-q", "outputs/classroom/tables/.a.csv.x.part"], cwd=tmp_path
        ).returncode
        == 0
    )
