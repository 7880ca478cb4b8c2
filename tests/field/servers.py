"""nginx and Apache from their packages, as foreground processes on a free port of 127.0.0.1."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from socket import socket
from typing import Self

from field.packages import unpack
from support.waiting import wait_until

_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_TYPES = """types {
    text/html html htm; text/css css; application/javascript js; image/png png; image/gif gif;
    image/svg+xml svg; image/jpeg jpg jpeg; text/plain txt; application/pdf pdf;
    application/epub+zip epub; application/gzip gz; application/json json; text/xml xml;
}"""
_NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    {types}
    default_type application/octet-stream;
    log_format sent '$bytes_sent';
    access_log {folder}/sent.log sent; gzip on; absolute_redirect on;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    server {{ listen 127.0.0.1:{port}; root {root}; index index.html; autoindex off; }}
}}
"""
# As the Apache manual is served to its readers: one name, many languages (MultiViews).
_APACHE = """
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
{modules}
TypesConfig {folder}/types
DocumentRoot {root}
DirectoryIndex index.html
AddDefaultCharset off
<Directory {root}>
    Options FollowSymLinks MultiViews
    Require all granted
</Directory>
"""
_MODULES = ("mpm_event", "authz_core", "mime", "negotiation", "dir")


class Server:
    """`with Server("nginx", folder) as server: server.url("index.html")`."""

    def __init__(self, kind: str, root: Path) -> None:
        self.kind, self.root = kind, root
        with socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="field-"))
        command = self._nginx() if self.kind == "nginx" else self._apache()
        libraries = unpack() / _LIBRARIES
        if os.getuid() == 0:  # as `nobody`: a server has no need of root
            somebody = pwd.getpwnam("nobody")
            os.chown(self._folder, somebody.pw_uid, somebody.pw_gid)
            command = ["setpriv", "--reuid=nobody", "--regid", str(somebody.pw_gid),
                       "--clear-groups", *command]  # fmt: skip
        self._process = subprocess.Popen(
            command, cwd="/", env={"LD_LIBRARY_PATH": str(libraries), "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        wait_until(self._answers, 20, f"{self.kind} on port {self.port}")
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    def sent_bytes(self) -> int:
        """Return how much nginx has sent so far, with headers."""
        return sum(map(int, (self._folder / "sent.log").read_text(encoding="ascii").split()))

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            raise SystemExit(f"{self.kind} ended with status {self._process.returncode}")
        try:
            urllib.request.urlopen(self.url(""), timeout=5).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True

    def _nginx(self) -> list[str]:
        root = unpack("nginx")
        config = self._folder / "nginx.conf"
        config.write_text(
            _NGINX.format(folder=self._folder, port=self.port, root=self.root, types=_TYPES)
        )
        return [str(root / "usr/sbin/nginx"), "-e", f"{self._folder}/error.log", "-c", str(config)]

    def _apache(self) -> list[str]:
        root = unpack("libapr1", "libaprutil1", "apache2-bin")
        folder = root / "usr/lib/apache2/modules"
        modules = "\n".join(f"LoadModule {n}_module {folder}/mod_{n}.so" for n in _MODULES)
        config = self._folder / "apache.conf"
        config.write_text(
            _APACHE.format(folder=self._folder, port=self.port, root=self.root, modules=modules)
        )
        words = _TYPES.replace("types {", "").replace("}", "").split(";")
        (self._folder / "types").write_text("\n".join(" ".join(word.split()) for word in words))
        return [str(root / "usr/sbin/apache2"), "-D", "FOREGROUND", "-f", str(config)]
