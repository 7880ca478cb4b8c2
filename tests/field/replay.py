"""A crawl's archive, checked by warcio and replayed by pywb: what the server sent comes out again.

The site has what archives get wrong: redirects, bodies that were compressed or came in pieces,
charsets that are not UTF-8, repeats, failures, addresses that need escapes.
"""

from __future__ import annotations

import gzip
import subprocess
import threading
import zlib
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Any

import brotli
from backports import zstd

from field.packages import install_venv
from support.daemon import SCRIPTS, TERMINAL, Daemon
from support.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = ("static", "browser")
HTML = "text/html; charset=utf-8"
# pkg_resources, which pywb imports, left setuptools with version 81.
PYWB = ("pywb", "setuptools<81")
_ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress,
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What the server answers; the body is what a client has once it has undone `encoding`."""

    body: bytes = b""
    kind: str = HTML
    status: int = 200
    encoding: str = ""
    chunked: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


def _page(title: str, charset: str = "utf-8", head: str = "", words: str = "") -> bytes:
    text = f"<!doctype html>{head}<title>{title}</title><h1>{title}</h1><p>{words or title}"
    return text.encode(charset)


def _moved(status: int, target: str) -> Answer:
    return Answer(status=status, headers={"Location": target})


_JAPANESE = "日本語のページです。文字コードの指定に気をつけてください。"
_RUSSIAN = "Страница на русском языке, её кодировка названа в заголовке."
ANSWERS = {
    "/plain": Answer(_page("Plain")),
    "/again": Answer(_page("Plain")),
    "/moved": _moved(302, "/target?from=moved"),
    "/target?from=moved": Answer(_page("Target")),
    "/moved-twice": _moved(301, "/moved-once"),
    "/moved-once": _moved(307, "/end"),
    "/end": Answer(_page("End")),
    "/shift-jis": Answer(
        _page("日本語", "shift_jis", "<meta charset=shift_jis>", _JAPANESE * 5), "text/html"
    ),
    "/unlabelled": Answer(_page("日本語", "euc_jp", words=_JAPANESE * 9), "text/html"),
    "/cp1251": Answer(
        _page("Страница", "cp1251", words=_RUSSIAN), "text/html; charset=windows-1251"
    ),
    "/utf-16": Answer(_page("Sechzehn", "utf-16"), "text/html"),
    **{f"/{name}": Answer(_page(name, words="packed " * 99), encoding=name) for name in _ENCODERS},
    "/pieces": Answer(_page("Pieces", words="piece " * 90_000), encoding="gzip", chunked=True),
    "/with%20blank/%C3%A4?q=%C3%BC": Answer(_page("Escapes")),
    "/gone": Answer(_page("Gone"), status=410),
    "/headers": Answer(
        _page("Headers"), headers={"Link": '</plain>; rel="alternate"', "X-Long": "long " * 900}
    ),
    "/empty": Answer(),
}  # fmt: skip
_INDEX = Answer(_page("Index", words="".join(f'<a href="{one}">{one}</a> ' for one in ANSWERS)))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        answer = _INDEX if self.path == "/" else ANSWERS.get(self.path)
        answer = answer or Answer(_page("Missing"), status=404)
        body = _ENCODERS[answer.encoding](answer.body) if answer.encoding else answer.body
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.encoding:
            self.send_header("Content-Encoding", answer.encoding)
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
            pieces = [body[at : at + 1000] for at in range(0, len(body), 1000)]
            body = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in (*pieces, b""))
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def run(names: list[str]) -> int:
    """Archive the site by each engine, replay it, print what differs; return 1 if anything does."""
    bin_folder = install_venv(*PYWB) / "bin"
    faults: list[str] = []
    with _serve() as origin, Daemon() as daemon:
        for engine in names or ENGINES:
            folder = Path(daemon.home.environ["TMPDIR"], engine)
            folder.mkdir()
            archive = _archive(daemon, origin, engine, folder)
            check = [str(SCRIPTS / "warcio"), "check", str(archive)]
            if subprocess.run(check, check=False).returncode:
                faults.append(f"{engine}: warcio check refuses the archive")
            with _replay(bin_folder, archive, folder) as port:
                found = {path: _differences(port, origin, path) for path in ("/", *ANSWERS)}
            faults += [f"{engine} {path}: {one}" for path, many in found.items() for one in many]
            right = sum(not many for many in found.values())
            print(f"{engine}: {right} of {len(found)} addresses replayed as they were sent")
    print("\n".join(faults))
    return 1 if faults else 0


@contextmanager
def _serve() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _archive(daemon: Daemon, origin: str, engine: str, folder: Path) -> Path:
    """Crawl the site and return its archive."""
    task_id = daemon.start_task("crawl", url=origin, max_pages=99, engine=engine, keep=["raw"])
    meta = daemon.finish(task_id)
    assert meta["status"] in TERMINAL
    archive = folder / "site.warc.gz"
    daemon.do("oc_task_export", task_id=task_id, path=str(archive))
    return archive


@contextmanager
def _replay(bin_folder: Path, archive: Path, folder: Path) -> Iterator[int]:
    """Serve the archive by pywb; yield its port."""
    for words in (("init", "crawl"), ("add", "crawl", str(archive))):
        done = subprocess.run(
            [str(bin_folder / "wb-manager"), *words], cwd=folder, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [str(bin_folder / "wayback"), "-b", "127.0.0.1", "-p", str(port)]
    with (folder / "wayback.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        wait_until(lambda: _answers(port) or process.poll() is not None, what="pywb")
        yield port
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        return _get(port, "/crawl/")[0].status == 200
    except ConnectionError:
        return False


def _get(port: int, path: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def _differences(port: int, origin: str, path: str) -> list[str]:
    """Return how pywb's answer, and its page with links of its own, differ from the server's."""
    wanted = _INDEX if path == "/" else ANSWERS[path]
    response, body = _get(port, f"/crawl/id_/{origin}{path}")
    shown, _ = _get(port, f"/crawl/mp_/{origin}{path}")
    compared: dict[str, tuple[Any, Any]] = {
        "status": (response.status, wanted.status),
        "status of the page": (shown.status, wanted.status),
        "Content-Type": (response.headers["Content-Type"], wanted.kind),
        # A failure's is not read.
        "body": (body, wanted.body if wanted.status < 400 else b""),
    }
    if target := wanted.headers.get("Location"):
        compared["Location"] = (response.headers.get("Location"), target)
    return [
        f"{what} is {str(ours)[:80]}, not {str(sent)[:80]}"
        for what, (ours, sent) in compared.items()
        if ours != sent
    ]
