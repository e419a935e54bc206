"""Fetching corpora, from a server on this machine; nothing here touches the internet."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pseudogec.__main__ import main
from pseudogec.artefacts.errors import UserError
from pseudogec.commands.preflight import corpus_files
from pseudogec.corpora import PAIR_FORMATS, SENTENCE_FORMATS
from pseudogec.corpora.catalogue import KnownFile, load_catalogue
from pseudogec.corpora.fetching import fetch, unpack
from pseudogec.study.study import open_profile

M2 = b"S a\nA 0 1|||R:DET|||the|||REQUIRED|||-NONE-|||0\n\n"


class Handler(SimpleHTTPRequestHandler):
    """Serves files, notes what was asked, and can break off."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            super().do_GET()
            return
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.cut.pop(self.path, len(body))])  # type: ignore[attr-defined]

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class Server:
    """Stands for the internet: the catalogue's addresses lead here, and digests of its archives are
    those of what is put here.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.asked: list[str] = []
        self.cut: dict[str, int] = {}
        """The place at which the next answer for a path breaks off."""
        self.http.asked, self.http.cut = self.asked, self.cut  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def put(self, url: str, content: bytes) -> str:
        """Returns the content's digest."""
        path = self.folder / url.removeprefix(self.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return hashlib.sha256(content).hexdigest()

    def put_corpus(self, name: str) -> None:
        """A corpus of the catalogue with other content; its archive has the digest that is known,
        its other files have none.
        """
        known = load_catalogue().corpora[name]
        content = tar({file.path: M2 for file in known.files})
        downloads = tuple(
            each.model_copy(
                update={
                    "sha256": self.put(each.url, content if each.is_archive else b"A sentence .\n")
                }
            )
            for each in known.downloads
        )
        files = tuple(file.model_copy(update={"sha256": None}) for file in known.files)
        load_catalogue().corpora[name] = known.model_copy(
            update={"downloads": downloads, "files": files}
        )


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    served = Server(tmp_path / "served")
    served.folder.mkdir()
    known = load_catalogue().corpora
    for name, corpus in list(known.items()):
        downloads = tuple(
            each.model_copy(update={"url": each.url and each.url.replace("https://", served.url)})
            for each in corpus.downloads
        )
        monkeypatch.setitem(known, name, corpus.model_copy(update={"downloads": downloads}))
    yield served
    served.http.shutdown()
    served.http.server_close()


def tar(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            information = tarfile.TarInfo(name)
            information.size = len(content)
            archive.addfile(information, io.BytesIO(content))
    return written.getvalue()


def data(profile: Path | str, folder: Path) -> int:
    return main(["data", "--profile", str(profile), "--data-folder", str(folder)])


def reading(folder: Path, corpora: str) -> Path:
    """A profile that reads only some corpora from files."""
    text = f"extends: smoke\nannotator: offline\ncorpora: {{{corpora}}}\n"
    (folder / "small.yaml").write_text(text)
    return folder / "small.yaml"


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_the_study_on_real_learners_reads_is_fetched_where_it_reads_it(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("wi+locness", "fce", "jfleg"):
        server.put_corpus(name)
    folder = tmp_path / "data"
    (folder / "seed").mkdir(parents=True)
    for name in ("gutenberg", "encyclopedic"):
        (folder / f"seed/{name}.tok.txt.xz").write_bytes(b"")
    assert data("learners", folder) == 0
    told = capsys.readouterr().out
    assert "seed/govblog.tok.txt.xz" in told and "gutenberg" not in told
    paths = {
        file.path
        for corpus in corpus_files(open_profile("learners")).values()
        for file in corpus.files
    }
    assert [path.as_posix() for path in paths if not (folder / path).is_file()] == [
        "seed/govblog.tok.txt.xz"
    ]
    assert (folder / "wi/A.dev.gold.bea19.m2").read_bytes() == (
        folder / "wi+locness/m2/A.dev.gold.bea19.m2"
    ).read_bytes()
    asked = len(server.asked)
    assert data("learners", folder) == 0
    assert len(server.asked) == asked, "what is there is not fetched again"


def test_a_wrong_digest_is_refused_nothing_of_it_is_kept_and_the_others_are_fetched(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("wi+locness", "jfleg"):
        server.put_corpus(name)
    archive = load_catalogue().corpora["fce"].downloads[0]
    server.put(archive.url, tar({"fce/m2/fce.test.gold.bea19.m2": M2}))
    assert data("learners", tmp_path / "data") == 2
    said = capsys.readouterr().err
    assert archive.url in said and str(archive.sha256) in said
    found = files(tmp_path / "data")
    assert "jfleg/dev.src" in found and not [path for path in found if "fce" in path]


def test_a_download_that_breaks_off_leaves_nothing(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.put_corpus("jfleg")
    profile = reading(
        tmp_path,
        "tests: {JFLEG: {source: jfleg, metrics: gleu, files: [jfleg/dev.src, jfleg/dev.ref0]}}",
    )
    path = "/raw.githubusercontent.com/keisks/jfleg/master/dev/dev.src"
    server.cut[path] = 3
    assert data(profile, tmp_path / "data") == 2
    assert path in capsys.readouterr().err
    assert files(tmp_path / "data") == []
    assert data(profile, tmp_path / "data") == 0
    assert (tmp_path / "data/jfleg/dev.src").read_text() == "A sentence .\n"


def test_of_a_longer_file_the_first_lines_are_kept_if_they_are_the_known_ones(
    server: Server, tmp_path: Path
) -> None:
    known = load_catalogue().corpora["kiyono-outputs"]
    download = next(each for each in known.downloads if each.lines).model_copy(update={"lines": 1})
    file = KnownFile(path=download.to.as_posix(), sha256=hashlib.sha256(b"First .\n").hexdigest())
    corpus = known.model_copy(update={"downloads": (download,), "files": (file,)})
    for content, kept in ((b"Another .\nSecond .\n", False), (b"First .\nSecond .\n", True)):
        server.put(download.url, content)
        if kept:
            fetch(corpus, tmp_path / "data")
            assert (tmp_path / "data" / download.to).read_bytes() == b"First .\n"
        else:
            with pytest.raises(
                UserError, match="its first 1 lines are not those that the catalogue knows"
            ):
                fetch(corpus, tmp_path / "data")
            assert files(tmp_path / "data") == []


def test_a_server_that_is_not_there_is_named(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.http.shutdown()
    server.http.server_close()
    assert (
        data(
            reading(tmp_path, "seeds: {tatoeba: {source: plain, files: seed/tatoeba/*}}"),
            tmp_path / "data",
        )
        == 2
    )
    assert server.url in capsys.readouterr().err


def test_an_unpacked_archive_keeps_the_users_files_and_links(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "release.tar.bz2", "w:bz2") as archive:
        for name, content in {
            "release3.3/bea2019/nucle.m2": M2,
            "release3.3/README": b"new",
        }.items():
            information = tarfile.TarInfo(name)
            information.size = len(content)
            archive.addfile(information, io.BytesIO(content))
        information = tarfile.TarInfo("release3.3/link.m2")
        information.type, information.linkname = tarfile.SYMTYPE, "bea2019/nucle.m2"
        archive.addfile(information)
    (tmp_path / "nucle").mkdir()
    (tmp_path / "nucle/README").write_bytes(b"mine")
    unpack(tmp_path / "release.tar.bz2", tmp_path / "nucle", strip=1)
    assert files(tmp_path / "nucle") == ["README", "bea2019/nucle.m2", "link.m2"]
    assert (tmp_path / "nucle/README").read_bytes() == b"mine" and (
        tmp_path / "nucle/link.m2"
    ).read_bytes() == M2


def test_an_archive_cannot_write_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "evil.tar").write_bytes(tar({"../outside": b"x"}, "w"))
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("../outside", "x")
    with pytest.raises(Exception, match="outside"):
        unpack(tmp_path / "evil.tar", tmp_path / "out")
    unpack(tmp_path / "evil.zip", tmp_path / "out")
    assert not (tmp_path / "outside").exists() and files(tmp_path / "out") == ["outside"]


def test_a_requested_archive_is_unpacked_to_the_profiles_place_unless_it_is_damaged(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = tar({"release3.3/bea2019/nucle.train.gold.bea19.m2": M2 * 1000}, "w:bz2")
    profile = reading(
        tmp_path,
        "genuine: {replace: true, source: m2, files: nucle/bea2019/nucle.train.gold.bea19.m2}",
    )
    archive = tmp_path / "archives/release3.3.tar.bz2"
    archive.parent.mkdir()
    assert data(profile, tmp_path) == 0
    out = capsys.readouterr().out
    assert "nucle_download/nucle.php" in out and str(archive) in out
    archive.write_bytes(content[: len(content) // 2])
    assert data(profile, tmp_path) == 2
    assert archive.name in capsys.readouterr().err and not (tmp_path / "nucle/bea2019").exists()
    archive.write_bytes(content)
    assert data(profile, tmp_path) == 0
    assert (tmp_path / "nucle/bea2019/nucle.train.gold.bea19.m2").read_bytes() == M2 * 1000


def put_dump(server: Server, date: str, parts: int, whole: bool = True) -> str:
    """In the layout of dumps.wikimedia.org/other/cirrus_search_index/; returns the page of the
    dump.
    """
    page = f"{load_catalogue().corpora['simplewiki'].downloads[0].url}{date}/index_name=simplewiki_content"
    for number in range(parts):
        server.put(
            f"{page}/simplewiki_content-{date}-{number:05}.json.bz2", f"{date} {number}".encode()
        )
    if whole:
        server.put(f"{page}/_SUCCESS", b"")
    return page.removeprefix(server.url).replace("=", "%3D")


def test_the_newest_whole_dump_is_there_when_all_its_files_are(
    server: Server, tmp_path: Path
) -> None:
    put_dump(server, "20261101", 1)
    page = put_dump(server, "20261108", 3)
    put_dump(server, "20261115", 2, whole=False)
    server.cut[f"/{page}/simplewiki_content-20261108-00001.json.bz2"] = 3
    profile = reading(
        tmp_path, "seeds: {simple: {replace: true, source: cirrussearch, files: seed/simplewiki/*}}"
    )
    assert data(profile, tmp_path / "data") == 2
    assert not (tmp_path / "data/seed").exists()
    before = len(server.asked)
    assert data(profile, tmp_path / "data") == 0
    assert files(tmp_path / "data") == [
        f"seed/simplewiki/simplewiki_content-20261108-{number:05}.json.bz2" for number in range(3)
    ]
    assert not any("-00000.json" in path for path in server.asked[before:]), "it was there already"


def test_all_corpora_and_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "--list"]) == 0
    out = capsys.readouterr().out
    for corpus in load_catalogue().corpora.values():
        assert corpus.title in out and corpus.home in out
    assert main(["data", "--formats"]) == 0
    out = capsys.readouterr().out
    for kinds in (PAIR_FORMATS, SENTENCE_FORMATS):
        for found in kinds:
            assert f"\n{found.name}: " in out
            keys = {field.alias or name for name, field in found.model_fields.items()}
            assert all(f"    {key} " in out for key in keys - {"language"})  # the profile's own key
