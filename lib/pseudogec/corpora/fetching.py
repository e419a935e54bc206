"""Fetching public corpora: downloads are resumed and checked by digest; a file has its name only when it is whole."""

from __future__ import annotations

import logging
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from backports import tarfile  # Python 3.11.0 to 3.11.3 have no data filter of their own
from tqdm import tqdm

from artefacts.errors import DataError, UserError
from artefacts.files import digest_file, read_lines, write_lines
from pseudogec.corpora.catalogue import Download, Dump, KnownCorpus

ARCHIVES = Path("archives")
"""The folder of the data folder for archives."""

NOTES = Path("fetched.sha256")
"""The file of the data folder that notes the digests of what was fetched and has no known digest."""

_SECONDS = 60  # of silence after which a server counts as gone
_CHUNK = 2**16  # bytes; an incomplete chunk is lost when a connection breaks


class Fetcher:
    """Fetches corpora into a data folder.

    Args:
        folder: the data folder.
        mirror: an address in place of the internet: ``MIRROR/host/path`` is fetched in place of ``https://host/path``.
        dump_date: which dump of a wiki, as ``20261115``; the newest by default.
    """

    def __init__(
        self, folder: Path, mirror: str | None = None, dump_date: str | None = None, tell: Callable[[str], None] = print
    ) -> None:
        self._folder, self._mirror, self._dump_date, self._tell = folder, mirror, dump_date, tell

    def fetch(self, corpus: KnownCorpus, wanted: Callable[[Path], bool] = lambda path: True) -> None:
        """Fetch the missing files of a corpus; a requested archive that the user put into the data folder is unpacked.

        Args:
            corpus: what to fetch.
            wanted: which of the corpus's single files are fetched, by their path in the data folder.

        Raises:
            UserError: a server cannot be reached or has no such file, or the disk is too small.
            DataError: a file or archive differs from the catalogue's.
        """
        for download in corpus.downloads:
            if download.install:
                self._install(download)
            elif download.to is None:
                self._unpack(download)
            elif download.url is not None and wanted(download.to) and not (self._folder / download.to).exists():
                known = {Path(file.path): file.sha256 for file in corpus.files}
                self._download(download.url, self._folder / download.to, download.sha256 or known.get(download.to), download.size)
        if corpus.dump is not None and not (self._folder / corpus.dump.to).exists():
            self._fetch_dump(corpus.dump)

    def _archive(self, download: Download) -> Path:
        archive = self._folder / ARCHIVES / download.name
        if download.url is not None and not archive.exists():
            self._download(download.url, archive, download.sha256, download.size)
        return archive

    def _unpack(self, download: Download) -> None:
        archive = self._archive(download)
        if not archive.exists():
            return
        if download.sha256 is not None and (found := digest_file(archive)) != download.sha256:
            problem = f"is not the known file: its SHA-256 is {found}, not {download.sha256}"
            raise DataError(archive, f"{problem}; remove it and fetch it again")
        assert download.unpack_to is not None  # the catalogue's schema
        count = unpack(archive, self._folder / download.unpack_to, download.strip)
        self._tell(f"unpacked {archive}: {count} new files in {self._folder / download.unpack_to}")

    def _install(self, download: Download) -> None:
        wheel = self._archive(download)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", str(wheel)]
        if subprocess.run(command, check=False).returncode != 0:
            raise UserError(f"{wheel} could not be installed; see pip's message above")
        self._tell(f"installed {download.name}")

    def _fetch_dump(self, dump: Dump) -> None:
        """Fetch all files of a dump, first into another folder, so that the folder that profiles name is always complete."""
        date, page, names = self._find_dump(dump)
        waiting = self._folder / ARCHIVES / f"{dump.index}-{date}"
        self._tell(f"{dump.index}: dump of {date}, {len(names)} files, about {dump.about_bytes / 1e9:.1f} GB")
        self._folder.mkdir(parents=True, exist_ok=True)
        if not waiting.exists():
            _check_space(self._folder, dump.about_bytes, page)
        for name in names:
            if not (waiting / name).exists():
                self._download(urljoin(page, name), waiting / name, note=False)
        (self._folder / dump.to).parent.mkdir(parents=True, exist_ok=True)
        waiting.rename(self._folder / dump.to)
        self._note([self._folder / dump.to / name for name in names])

    def _find_dump(self, dump: Dump) -> tuple[str, str, list[str]]:
        """The date, page and files of the dump of the wanted date, or of the newest complete one."""
        dates = sorted(set(re.findall(r'href="(?:[^"]*/)?(\d{8})/"', self._read(dump.url))), reverse=True)
        if self._dump_date is not None and self._dump_date not in dates:
            raise UserError(f"{dump.url} has no dump of {self._dump_date}; it has {', '.join(dates) or 'none'}")
        for date in dates if self._dump_date is None else [self._dump_date]:
            page = urljoin(dump.url, f"{date}/{quote(f'index_name={dump.index}', safe='')}/")
            listing = self._read(page)
            names = sorted(set(re.findall(rf"{re.escape(dump.index)}-{date}-\d+\.json\.\w+", listing)))
            if names and "_SUCCESS" in listing:
                return date, page, names
        raise UserError(f"{dump.url} has no dump of {dump.index} that is complete; try again later, or name one with --dump-date")

    def _read(self, url: str) -> str:
        import requests

        address = self._address(url)
        with _reaching(address):
            response = requests.get(address, timeout=_SECONDS)
            response.raise_for_status()
            return response.text

    def _download(self, url: str, target: Path, sha256: str | None = None, size: int | None = None, *, note: bool = True) -> None:
        import pooch

        pooch.get_logger().setLevel(logging.WARNING)
        address = self._address(url)
        self._tell(f"fetching {address}" + (f" ({size / 1e6:.1f} MB)" if size else ""))
        # Work in progress stays out of the folders that patterns of profiles look into.
        staged = self._folder / ARCHIVES / target.name
        staged.parent.mkdir(parents=True, exist_ok=True)
        with _reaching(address):
            pooch.retrieve(
                address,
                known_hash=f"sha256:{sha256}" if sha256 else None,
                fname=staged.name,
                path=staged.parent,
                downloader=_resuming(staged.with_name(f".{staged.name}.part")),
            )
        if staged != target:
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.replace(target)
        if sha256 is None and note:
            self._note([target])

    def _note(self, files: Sequence[Path]) -> None:
        """Write down the digests of files without known digests, in the format of ``sha256sum --check``."""
        notes = self._folder / NOTES
        lines = {path: digest for digest, path in (line.split("  ", 1) for line in read_lines(notes))} if notes.exists() else {}
        for file in files:
            digest = digest_file(file)
            lines[str(file.relative_to(self._folder))] = digest
            self._tell(f"no digest of {file} is known; the digest of what was fetched, {digest}, is noted in {notes}")
        write_lines(notes, [f"{digest}  {path}" for path, digest in lines.items()])

    def _address(self, url: str) -> str:
        if self._mirror is None:
            return url
        parts = urlsplit(url)
        return f"{self._mirror.rstrip('/')}/{parts.netloc}{parts.path}"


@contextmanager
def _reaching(address: str) -> Iterator[None]:
    """Turn errors of the server or the network into a `UserError` that names the address."""
    import requests

    try:
        yield
    except requests.HTTPError as error:
        raise UserError(f"{address} cannot be fetched: the server says {error}") from None
    except requests.ConnectionError as error:
        raise UserError(
            f"{address} cannot be reached ({_reason(error)}); check the network, or give a mirror with --mirror"
        ) from None
    except requests.RequestException as error:
        raise UserError(f"{address}: the download broke off ({_reason(error)}); the same command resumes it") from None
    except ValueError as error:
        if "hash" not in str(error).lower():
            raise
        raise UserError(f"{address} is not the known file: {error}; it was not kept") from None


def _reason(error: Exception) -> str:
    """The innermost reason, without the addresses of Python objects that requests and urllib3 wrap around it."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner  # type: ignore[assignment]
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _resuming(partial: Path) -> Callable[[str, str, Any], None]:
    """A downloader for pooch that resumes a partial file, if the server still has the same version of it.

    Pooch's own downloader starts again: it writes to a temporary file and deletes it when the download fails. Here the received
    bytes stay in ``partial``.
    """
    version = partial.with_name(f"{partial.name}.version")

    def download(url: str, output: str, _: Any) -> None:
        import requests

        headers = {"Accept-Encoding": "identity"}
        known = version.read_text(encoding="utf-8") if version.exists() and partial.exists() else ""
        if known and partial.stat().st_size:
            headers |= {"Range": f"bytes={partial.stat().st_size}-", "If-Range": known}
        with requests.get(url, headers=headers, stream=True, timeout=_SECONDS) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:  # there is no more of it than we have
                partial.unlink()
                download(url, output, _)
                return
            response.raise_for_status()
            size = int(response.headers.get("Content-Length", 0))
            _check_space(partial.parent, size, url)
            version.write_text(_version(response.headers), encoding="utf-8")
            goes_on = response.status_code == requests.codes.partial_content
            with (
                partial.open("ab" if goes_on else "wb") as stream,
                tqdm(desc=partial.name, total=size or None, unit="B", unit_scale=True, leave=False, disable=None) as progress,
            ):
                for chunk in response.iter_content(_CHUNK):
                    stream.write(chunk)
                    progress.update(len(chunk))
        version.unlink()
        partial.replace(output)

    return download


def _version(headers: Any) -> str:
    """The version of a file for its server: a strong tag, or its date."""
    tag = headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")


def _check_space(folder: Path, size: int, url: str) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise UserError(f"{url} has {size / 1e9:.1f} GB, but {folder} has only {free / 1e9:.1f} GB free; make room")


def unpack(archive: Path, folder: Path, strip: int = 0) -> int:
    """Unpack a tar or zip archive; files that are there already stay as they are.

    Everything is unpacked elsewhere first and then moved file by file, so that no file is ever incomplete.

    Args:
        archive: of a tar archive, names and links that lead out of it and devices are refused (its data filter); names of a zip
            archive are kept inside.
        folder: where to.
        strip: how many leading folders of the names are left out.

    Returns:
        How many files are new.

    Raises:
        DataError: the archive is damaged or encrypted, or has forbidden entries.
    """
    # Not pooch's Untar and Unzip: when tried, they overwrote a file of the user's. They also unpack in place, so that a process
    # that is killed leaves half a file under its own name, and they keep the leading folders.
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=folder) as temporary:
        try:
            if zipfile.is_zipfile(archive):
                with zipfile.ZipFile(archive) as opened:
                    opened.extractall(temporary)
            else:
                with tarfile.open(archive) as opened_tar:
                    opened_tar.extractall(temporary, filter="data")
        except (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk, not the archive
                raise UserError(f"{folder}: {archive.name} cannot be unpacked there ({error.strerror})") from None
            raise DataError(archive, f"cannot be unpacked ({error}); remove it and fetch it again") from None
        for path in sorted(Path(temporary).rglob("*")):
            target = folder.joinpath(*path.relative_to(temporary).parts[strip:])
            # A link may point to a file that has moved already.
            if (path.is_file() or path.is_symlink()) and len(path.relative_to(temporary).parts) > strip and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
                count += 1
    return count
