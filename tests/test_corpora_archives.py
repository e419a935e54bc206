"""Unpacking archives of corpora: links, names that lead out, and what cannot be read."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from artefacts.errors import DataError
from pseudogec.corpora.fetching import unpack


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_links_are_kept_wherever_their_file_stands(names: tuple[str, str], tmp_path: Path) -> None:
    file, link = names
    with tarfile.open(tmp_path / "corpus.tar.gz", "w:gz") as archive:
        information = tarfile.TarInfo(f"top/{file}")
        information.size = 4
        archive.addfile(information, io.BytesIO(b"text"))
        information = tarfile.TarInfo(f"top/{link}")
        information.type, information.linkname = tarfile.SYMTYPE, file
        archive.addfile(information)
    assert unpack(tmp_path / "corpus.tar.gz", tmp_path / "out", strip=1) == 2
    assert [(tmp_path / "out" / name).read_text() for name in names] == ["text", "text"]
    assert unpack(tmp_path / "corpus.tar.gz", tmp_path / "out", strip=1) == 0


def test_names_of_a_zip_archive_stay_inside(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        archive.writestr("top/../../evil", "text")
    unpack(tmp_path / "corpus.zip", tmp_path / "in" / "out")
    assert [path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("evil")] == [("in", "out")]


def test_an_encrypted_archive_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        archive.writestr("text", "text")
    content = bytearray((tmp_path / "corpus.zip").read_bytes())
    content[6] |= 1  # the flag of encryption, in the file's own header and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "corpus.zip").write_bytes(content)
    with pytest.raises(DataError, match=r"corpus\.zip: cannot be unpacked \(.*encrypted"):
        unpack(tmp_path / "corpus.zip", tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())
