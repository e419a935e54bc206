"""Fetching public corpora with pooch, which checks digests; a file has its name only when it is
whole.
"""

from __future__ import annotations

import logging
import lzma
import re
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

from backports import tarfile  # Python 3.11.0 to 3.11.3 have no data filter of their own

from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.files import digest_file
from pseudogec.corpora.catalogue import Download, KnownCorpus

ARCHIVES = Path("archives")
"""The folder of the data folder for archives, and for what is not whole yet: patterns of profiles
look into the others.
"""

_FAILURES = (
    OSError,
    ValueError,
    EOFError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)
"""Of the network (requests), the disk, a digest (pooch), an archive."""


def fetch(corpus: KnownCorpus, folder: Path) -> None:
    """Fetch the missing files of a corpus into a data folder, and unpack its archives, also one
    that the user put there.

    Raises:
        UserError: a server cannot be reached, or a file or archive is not the one that the
            catalogue knows.
    """
    digests = {Path(file.path): file.sha256 for file in corpus.files}
    for download in corpus.downloads:
        try:
            _fetch(download, folder, download.sha256 or digests.get(download.to))
        except _FAILURES as error:
            raise UserError(
                f"{download.url or folder / ARCHIVES / download.name}: {error}"
            ) from None


def _fetch(download: Download, folder: Path, sha256: str | None) -> None:
    waiting, target = folder / ARCHIVES / download.name, folder / download.to
    if download.is_archive:
        if download.url:
            _retrieve(download.url, waiting, sha256)
        if waiting.exists():
            print(f"unpacking {waiting}")
            unpack(waiting, target, download.strip)
    elif not target.exists():
        if download.index:
            urls = _newest_dump(download)
            # With the dump's date
            waiting = waiting.with_name(urls[0].rpartition("/")[2].rpartition("-")[0])
            for url in urls:
                _retrieve(url, waiting / url.rpartition("/")[2])
        elif download.lines:
            _retrieve(download.url, waiting)
            waiting.write_bytes(
                b"".join(waiting.read_bytes().splitlines(keepends=True)[: download.lines])
            )
            if digest_file(waiting) != sha256:
                waiting.unlink()
                raise ValueError(
                    f"its first {download.lines:,} lines are not those that the catalogue knows"
                )
        else:
            _retrieve(download.url, waiting, sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        waiting.replace(target)


def _retrieve(url: str, target: Path, sha256: str | None = None) -> None:
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    print(f"fetching  {url}")
    pooch.retrieve(
        url, sha256, fname=target.name, path=target.parent, progressbar=sys.stderr.isatty()
    )


def _newest_dump(download: Download) -> list[str]:
    """The files of the newest dump of a wiki that Wikimedia has finished."""
    for date in sorted(
        set(re.findall(r'href="(?:[^"]*/)?(\d{8})/"', _page(download.url))), reverse=True
    ):
        page = f"{download.url}{date}/index_name%3D{download.index}/"
        listing = _page(page)
        names = sorted(set(re.findall(rf"{download.index}-{date}-\d+\.json\.\w+", listing)))
        if names and "_SUCCESS" in listing:
            return [f"{page}{name}" for name in names]
    raise ValueError(f"no dump of {download.index} is complete")


def _page(url: str) -> str:
    import requests

    response = requests.get(url, timeout=60)
    response.raise_for_status()
    return response.text


def unpack(archive: Path, folder: Path, strip: int = 0) -> None:
    """Unpack a tar or zip archive elsewhere, then move it file by file, so that none is incomplete;
    files that are there stay.

    Pooch's own `Untar` and `Unzip` unpack in place and over a user's files, and on Python 3.11
    outside the folder, too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=folder) as temporary:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                opened.extractall(temporary)
        else:
            with tarfile.open(archive) as opened_tar:
                opened_tar.extractall(temporary, filter="data")
        # Links, too, whose files move before them
        for path in [path for path in Path(temporary).rglob("*") if path.is_file()]:
            target = folder.joinpath(*path.relative_to(temporary).parts[strip:])
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
