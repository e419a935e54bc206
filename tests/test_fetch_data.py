"""Fetching corpora, from a server on this machine; nothing here touches the internet."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import resource
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from artefacts.errors import DataError, UserError
from pseudogec.__main__ import main
from pseudogec.commands.preflight import corpus_files
from pseudogec.corpora import PAIR_FORMATS, SENTENCE_FORMATS
from pseudogec.corpora.catalogue import Download, KnownCorpus, load_catalogue
from pseudogec.corpora.fetching import Fetcher, unpack
from pseudogec.study.study import open_profile


class Handler(SimpleHTTPRequestHandler):
    """Serves files, in parts too where asked for; notes what was asked, and can break off."""

    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Range")))  # type: ignore[attr-defined]
        cut: dict[str, int] = self.server.cut  # type: ignore[attr-defined]
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            super().do_GET()
            return
        body, asked = path.read_bytes(), self.headers.get("Range")
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        resumed = asked is not None and self.headers.get("If-Range") == tag
        first = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and resumed else 0
        if first >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if resumed else 200)
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body) - first))
        self.end_headers()
        self.wfile.write(body[first : cut.pop(self.path, len(body))])

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class Mirror:
    """A mirror of the internet on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.asked: list[tuple[str, str | None]] = []
        self.cut: dict[str, int] = {}
        """The place at which the next answer for a path breaks off."""
        self.server.asked, self.server.cut = self.asked, self.cut  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, url: str, content: bytes) -> None:
        path = self.folder / url.removeprefix("https://")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    served = Mirror(tmp_path / "served")
    served.folder.mkdir()
    yield served
    served.server.shutdown()
    served.server.server_close()


def tar(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            information = tarfile.TarInfo(name)
            information.size = len(content)
            archive.addfile(information, io.BytesIO(content))
    return written.getvalue()


def corpus(**download: Any) -> KnownCorpus:
    entry = {"url": "https://example.org/data/corpus.tar.gz", "unpack_to": ".", **download}
    return KnownCorpus(
        name="corpus",
        title="A corpus",
        home="https://example.org/",
        access="public",
        licence="none",
        downloads=(Download.model_validate(entry),),
        files=(),
    )


def visible(folder: Path) -> list[str]:
    """The files of a folder that are under their own names; what begins with a dot is work in progress."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")


def test_an_archive_is_fetched_checked_and_unpacked(mirror: Mirror, tmp_path: Path) -> None:
    content = tar({"corpus/m2/train.m2": b"S a\n\n", "corpus/readme.txt": b"read me"})
    mirror.put("https://example.org/data/corpus.tar.gz", content)
    folder = tmp_path / "data"
    Fetcher(folder, mirror.url).fetch(corpus(sha256=hashlib.sha256(content).hexdigest()))
    assert visible(folder) == ["archives/corpus.tar.gz", "corpus/m2/train.m2", "corpus/readme.txt"]
    assert (folder / "corpus/m2/train.m2").read_bytes() == b"S a\n\n"
    assert not list(folder.rglob(".*"))


def test_a_wrong_digest_is_refused_and_nothing_is_left(mirror: Mirror, tmp_path: Path) -> None:
    mirror.put("https://example.org/data/corpus.tar.gz", tar({"corpus/train.m2": b"S b\n\n"}))
    with pytest.raises(UserError, match=r"corpus\.tar\.gz is not the known file.*it was not kept"):
        Fetcher(tmp_path / "data", mirror.url).fetch(corpus(sha256="0" * 64))
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file()]


def test_an_unknown_digest_is_noted_and_said(mirror: Mirror, tmp_path: Path) -> None:
    content = tar({"corpus/train.m2": b"S c\n\n"})
    mirror.put("https://example.org/data/corpus.tar.gz", content)
    told: list[str] = []
    Fetcher(tmp_path / "data", mirror.url, tell=told.append).fetch(corpus())
    digest = hashlib.sha256(content).hexdigest()
    assert any(digest in line for line in told)
    assert (tmp_path / "data/fetched.sha256").read_text() == f"{digest}  archives/corpus.tar.gz\n"


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"http://127\.0\.0\.1:9/example\.org/data/corpus\.tar\.gz cannot be reached \(Connection refused\)"
    ):
        Fetcher(tmp_path / "data", "http://127.0.0.1:9").fetch(corpus())
    assert visible(tmp_path / "data") == []


def test_a_file_that_the_server_does_not_have_is_named(mirror: Mirror, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"corpus\.tar\.gz cannot be fetched: the server says 404"):
        Fetcher(tmp_path / "data", mirror.url).fetch(corpus())


def test_an_interrupted_download_leaves_no_half_file_and_is_resumed(mirror: Mirror, tmp_path: Path) -> None:
    content = tar({"corpus/train.m2": bytes(range(256)) * 4000}, "w")
    mirror.put("https://example.org/data/corpus.tar.gz", content)
    path, folder = "/example.org/data/corpus.tar.gz", tmp_path / "data"
    mirror.cut[path] = 300_000
    fetcher, known = Fetcher(folder, mirror.url), corpus(sha256=hashlib.sha256(content).hexdigest())
    with pytest.raises(UserError, match="broke off"):
        fetcher.fetch(known)
    assert visible(folder) == []
    fetcher.fetch(known)
    ranges = [int(asked.strip("bytes=-")) for name, asked in mirror.asked if name == path and asked]
    assert len(ranges) == 1 and 200_000 < ranges[0] <= 300_000
    assert (folder / "corpus/train.m2").read_bytes() == bytes(range(256)) * 4000


def test_a_download_that_was_whole_when_the_process_died_is_fetched_anew(mirror: Mirror, tmp_path: Path) -> None:
    content = tar({"corpus/train.m2": b"S a\n\n"}, "w")
    mirror.put("https://example.org/data/corpus.tar.gz", content)
    partial = tmp_path / "data/archives/.corpus.tar.gz.part"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(content)
    tag = hashlib.sha256(content).hexdigest()[:16]
    partial.with_name(".corpus.tar.gz.part.version").write_text(f'"{tag}"')
    Fetcher(tmp_path / "data", mirror.url).fetch(corpus())
    assert (tmp_path / "data/corpus/train.m2").read_bytes() == b"S a\n\n"
    assert not list((tmp_path / "data").rglob(".*"))


def test_a_file_that_changed_since_the_interruption_is_fetched_anew(mirror: Mirror, tmp_path: Path) -> None:
    url, folder = "https://example.org/data/corpus.tar.gz", tmp_path / "data"
    mirror.put(url, tar({"corpus/train.m2": b"old" * 100_000}, "w"))
    mirror.cut["/example.org/data/corpus.tar.gz"] = 200_000
    fetcher = Fetcher(folder, mirror.url)
    with pytest.raises(UserError, match="broke off"):
        fetcher.fetch(corpus())
    mirror.put(url, tar({"corpus/train.m2": b"new" * 100_000}, "w"))
    fetcher.fetch(corpus())
    assert (folder / "corpus/train.m2").read_bytes() == b"new" * 100_000


def test_leading_folders_are_left_out_and_files_that_are_there_stay(tmp_path: Path) -> None:
    archive = tmp_path / "release.tar.bz2"
    archive.write_bytes(tar({"release3.3/bea2019/nucle.m2": b"S a\n\n", "release3.3/README": b"new"}, "w:bz2"))
    (tmp_path / "nucle").mkdir()
    (tmp_path / "nucle/README").write_bytes(b"mine")
    assert unpack(archive, tmp_path / "nucle", strip=1) == 1
    assert visible(tmp_path / "nucle") == ["README", "bea2019/nucle.m2"]
    assert (tmp_path / "nucle/README").read_bytes() == b"mine"


def test_zip_archives_are_unpacked_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "text.zip", "w") as archive:
        archive.writestr("wikitext-103/wiki.train.tokens", " = Title = \n")
    assert unpack(tmp_path / "text.zip", tmp_path / "out", strip=1) == 1
    assert visible(tmp_path / "out") == ["wiki.train.tokens"]


@pytest.mark.parametrize("name", ["../outside.txt", "/outside.txt"])
def test_an_archive_cannot_write_outside_its_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "evil.tar").write_bytes(tar({name: b"x"}, "w"))
    if name.startswith("/"):  # the leading slash is dropped, as tar does
        unpack(tmp_path / "evil.tar", tmp_path / "out")
    else:
        with pytest.raises(DataError, match="cannot be unpacked"):
            unpack(tmp_path / "evil.tar", tmp_path / "out")
    assert not (tmp_path / "outside.txt").exists() and not Path("/outside.txt").exists()


def test_a_damaged_archive_is_refused_and_nothing_is_unpacked(tmp_path: Path) -> None:
    content = tar({"corpus/train.m2": bytes(range(256)) * 1000})
    (tmp_path / "corpus.tar.gz").write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"corpus\.tar\.gz: cannot be unpacked"):
        unpack(tmp_path / "corpus.tar.gz", tmp_path / "out")
    assert visible(tmp_path / "out") == []


# Dumps of Wikipedia, in the layout of dumps.wikimedia.org/other/cirrus_search_index/

DUMPS = "https://dumps.wikimedia.org/other/cirrus_search_index"


def put_dump(mirror: Mirror, date: str, files: int, whole: bool = True) -> None:
    page = f"{DUMPS}/{date}/index_name=simplewiki_content"
    for number in range(files):
        mirror.put(f"{page}/simplewiki_content-{date}-{number:05}.json.bz2", f"{date} {number}".encode())
    if whole:
        mirror.put(f"{page}/_SUCCESS", b"")


def test_the_newest_whole_dump_is_fetched_with_all_its_files(mirror: Mirror, tmp_path: Path) -> None:
    put_dump(mirror, "20261101", 1)
    put_dump(mirror, "20261108", 3)
    put_dump(mirror, "20261115", 2, whole=False)
    Fetcher(tmp_path / "data", mirror.url).fetch(load_catalogue().corpus("simplewiki"))
    assert visible(tmp_path / "data/seed/simplewiki") == [
        f"simplewiki_content-20261108-{number:05}.json.bz2" for number in range(3)
    ]


def test_a_dump_of_another_date_can_be_asked_for(mirror: Mirror, tmp_path: Path) -> None:
    put_dump(mirror, "20261101", 1)
    put_dump(mirror, "20261108", 1)
    Fetcher(tmp_path / "data", mirror.url, dump_date="20261101").fetch(load_catalogue().corpus("simplewiki"))
    assert "simplewiki_content-20261101-00000.json.bz2" in visible(tmp_path / "data/seed/simplewiki")
    with pytest.raises(UserError, match="no dump of 20190225; it has 20261108, 20261101"):
        Fetcher(tmp_path / "other", mirror.url, dump_date="20190225").fetch(load_catalogue().corpus("simplewiki"))


def test_a_dump_of_which_a_file_broke_off_is_not_there_until_it_is_whole(mirror: Mirror, tmp_path: Path) -> None:
    put_dump(mirror, "20261108", 3)
    page = f"/{DUMPS.removeprefix('https://')}/20261108/index_name%3Dsimplewiki_content"
    mirror.cut[f"{page}/simplewiki_content-20261108-00001.json.bz2"] = 3
    fetcher = Fetcher(tmp_path / "data", mirror.url)
    with pytest.raises(UserError, match="broke off"):
        fetcher.fetch(load_catalogue().corpus("simplewiki"))
    assert not (tmp_path / "data/seed/simplewiki").exists()
    before = len(mirror.asked)
    fetcher.fetch(load_catalogue().corpus("simplewiki"))
    assert len(visible(tmp_path / "data/seed/simplewiki")) == 3
    assert (tmp_path / "data/fetched.sha256").read_text().count("  seed/simplewiki/") == 3
    assert not any("-00000.json" in path for path, _ in mirror.asked[before:])  # it was there already


# The program


def put_jfleg(mirror: Mirror, profile: Path) -> None:
    """A mirror with JFLEG's test set, and a profile that reads nothing else from files; the content is not JFLEG's."""
    profile.write_text(
        "extends: smoke\nannotator: offline\ncorpora:\n  tests:\n"
        "    JFLEG: {source: jfleg, metrics: gleu, files: [jfleg/test/test.src, jfleg/test/test.ref0]}\n"
    )
    for side in ("src", "ref0"):
        mirror.put(f"https://raw.githubusercontent.com/keisks/jfleg/master/test/test.{side}", b"A sentence .\n")


def of_unknown_digests(corpus: KnownCorpus) -> KnownCorpus:
    """The entry of a corpus whose content is made up here."""
    downloads = tuple(download.model_copy(update={"sha256": None, "size": None}) for download in corpus.downloads)
    files = tuple(file.model_copy(update={"sha256": None}) for file in corpus.files)
    return corpus.model_copy(update={"downloads": downloads, "files": files})


def test_what_the_study_on_real_learners_reads_is_fetched_where_it_reads_it(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = load_catalogue().corpora
    for name in ("wi+locness", "fce", "jfleg"):
        monkeypatch.setitem(known, name, of_unknown_digests(known[name]))
        for download in known[name].downloads:
            assert download.url is not None
            files = {file.path: b"S a\nA 0 1|||R:DET|||the|||REQUIRED|||-NONE-|||0\n\n" for file in known[name].files}
            mirror.put(download.url, b"A sentence .\n" if download.to else tar(files))
    folder = tmp_path / "data"
    (folder / "seed").mkdir(parents=True)
    for name in ("gutenberg", "encyclopedic"):
        (folder / f"seed/{name}.tok.txt.xz").write_bytes(b"")
    profile = tmp_path / "offline.yaml"
    profile.write_text("extends: learners\nannotator: offline\n")
    command = ["data", "--profile", str(profile), "--data-folder", str(folder), "--mirror", mirror.url]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "govblog.tok.txt.xz is missing; the catalogue does not know it" in told and "gutenberg" not in told
    paths = {path for part in corpus_files(open_profile("learners")) for path in part.paths}
    assert [path.as_posix() for path in paths if not (folder / path).is_file()] == ["seed/govblog.tok.txt.xz"]
    assert f"profile offline: {len(paths) - 1} of {len(paths)} files" in told
    assert (folder / "wi/A.dev.gold.bea19.m2").read_bytes() == (folder / "wi+locness/m2/A.dev.gold.bea19.m2").read_bytes()


def test_a_second_run_fetches_nothing(mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile, folder = tmp_path / "small.yaml", tmp_path / "data"
    profile.write_text(
        "extends: smoke\nannotator: offline\ncorpora: {seeds: {tatoeba: {source: plain, files: seed/tatoeba/*}}}\n"
    )
    mirror.put("https://downloads.tatoeba.org/exports/per_language/eng/eng_sentences.tsv.bz2", b"1\teng\tA sentence.\n")
    command = ["data", "--profile", str(profile), "--data-folder", str(folder), "--mirror", mirror.url]
    assert main(command) == 0
    assert (folder / "seed/tatoeba/eng_sentences.tsv.bz2").is_file()
    asked = len(mirror.asked)
    capsys.readouterr()
    assert main(command) == 0
    assert len(mirror.asked) == asked
    assert "1 of 1 files" in capsys.readouterr().out


def test_files_of_another_content_are_refused_by_the_program(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_jfleg(mirror, tmp_path / "small.yaml")
    assert (
        main(["data", "--profile", str(tmp_path / "small.yaml"), "--data-folder", str(tmp_path / "data"), "--mirror", mirror.url])
        == 2
    )
    assert "jfleg: " in capsys.readouterr().err
    assert visible(tmp_path / "data") == []


def test_a_file_is_put_where_the_profile_names_it(mirror: Mirror, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    original = folder / "wi+locness/m2/A.dev.gold.bea19.m2"
    original.parent.mkdir(parents=True)
    original.write_text("S a\n\n")
    (tmp_path / "small.yaml").write_text(
        "extends: smoke\nannotator: offline\n"
        "corpora: {validation: {replace: true, source: m2, files: [wi/A.dev.gold.bea19.m2]}}\n"
    )
    command = ["data", "--profile", str(tmp_path / "small.yaml"), "--data-folder", str(folder), "--mirror", mirror.url]
    assert main(command) == 0
    assert (folder / "wi/A.dev.gold.bea19.m2").read_text() == "S a\n\n"
    assert not mirror.asked


def test_a_copy_that_breaks_off_leaves_no_half_file(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_hard_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_hard_links)
    original = tmp_path / "data" / "wi+locness/m2/A.dev.gold.bea19.m2"
    original.parent.mkdir(parents=True)
    original.write_text("S a\n\n")
    (tmp_path / "small.yaml").write_text(
        "extends: smoke\nannotator: offline\n"
        "corpora: {validation: {replace: true, source: m2, files: [wi/A.dev.gold.bea19.m2]}}\n"
    )
    command = ["data", "--profile", str(tmp_path / "small.yaml"), "--data-folder", str(tmp_path / "data"), "--mirror", mirror.url]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, limits[1]))  # a disk on which there is no more room
    try:
        assert main(command) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "A.dev.gold.bea19.m2 cannot be written" in capsys.readouterr().err
    assert not list((tmp_path / "data" / "wi").iterdir())
    assert main(command) == 0
    assert (tmp_path / "data" / "wi/A.dev.gold.bea19.m2").read_text() == "S a\n\n"


def test_only_the_files_that_the_profile_reads_are_asked_for(mirror: Mirror, tmp_path: Path) -> None:
    put_jfleg(mirror, tmp_path / "small.yaml")
    main(["data", "--profile", str(tmp_path / "small.yaml"), "--data-folder", str(tmp_path / "data"), "--mirror", mirror.url])
    assert {path for path, _ in mirror.asked} <= {
        f"/raw.githubusercontent.com/keisks/jfleg/master/test/test.{side}" for side in ("src", "ref0")
    }


def test_what_must_be_requested_is_named_with_its_page_and_place(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["data", "--profile", "paper", "--data-folder", str(tmp_path), "--mirror", mirror.url])
    out = capsys.readouterr().out
    assert "nucle_download/nucle.php" in out and str(tmp_path / "archives/release3.3.tar.bz2") in out
    assert "docs.google.com/forms" in out and str(tmp_path / "archives/lang8.bea19.tar.gz") in out
    assert "catalog.ldc.upenn.edu/LDC2011T07" in out


def test_an_archive_that_was_requested_is_unpacked_to_the_profiles_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives/release3.3.tar.bz2").write_bytes(
        tar({"release3.3/bea2019/nucle.train.gold.bea19.m2": b"S a\n\n"}, "w:bz2")
    )
    assert main(["data", "nucle", "--data-folder", str(tmp_path)]) == 0
    assert (tmp_path / "nucle/bea2019/nucle.train.gold.bea19.m2").read_bytes() == b"S a\n\n"
    assert "nucle.php" not in capsys.readouterr().out


@pytest.mark.parametrize("profile", ["smoke", "classroom", "overnight"])
def test_profiles_on_the_embedded_world_need_nothing(profile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "--profile", profile, "--data-folder", str(tmp_path), "--mirror", "http://127.0.0.1:9"]) == 0
    assert "nothing to fetch" in capsys.readouterr().out


def test_two_processes_do_not_fetch_into_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "archives").mkdir()
    with FileLock(tmp_path / "archives/.lock"):
        assert main(["data", "jfleg", "--data-folder", str(tmp_path), "--mirror", "http://127.0.0.1:9"]) == 2
    assert "another process is fetching" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["data", "jfleg", "--data-folder", str(tmp_path / "file"), "--mirror", "http://127.0.0.1:9"]) == 2
    assert f"{tmp_path / 'file'} cannot be written" in capsys.readouterr().err


def test_the_catalogue_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "--list"]) == 0
    out = capsys.readouterr().out
    for corpus in load_catalogue().corpora.values():
        assert corpus.title in out and corpus.home in out


def test_a_corpus_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "nuckle"]) == 2
    assert "did you mean `nucle`" in capsys.readouterr().err


def test_a_python_package_is_checked_and_installed(mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "example_model-1.0-py3-none-any.whl"
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as wheel:
        wheel.writestr("example_model/__init__.py", "")
        wheel.writestr("example_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: example_model\nVersion: 1.0\n")
        wheel.writestr("example_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("example_model-1.0.dist-info/RECORD", "")
    mirror.put(f"https://example.org/{name}", written.getvalue())
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "installed"))  # not into the environment that runs the tests
    known = corpus(
        url=f"https://example.org/{name}", unpack_to=None, install=True, sha256=hashlib.sha256(written.getvalue()).hexdigest()
    )
    Fetcher(tmp_path / "data", mirror.url).fetch(known)
    assert (tmp_path / "installed/example_model/__init__.py").is_file()


def test_the_formats_are_listed_with_their_keys(capsys: pytest.CaptureFixture[str]) -> None:
    main(["data", "--formats"])
    out = capsys.readouterr().out
    for kinds in (PAIR_FORMATS, SENTENCE_FORMATS):
        for found in kinds:
            assert f"\n{found.name}: " in out
            assert all(f"    {field.alias or name} " in out for name, field in found.model_fields.items())
