"""Servers whose certificates no browser should trust: one each for what can be wrong with one."""

from __future__ import annotations

import asyncio
import ssl
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

# Kind -> the name it was made out to, and the days from now between which it is valid.
KINDS = {
    "self-signed": ("localhost", -1, 30),
    "expired": ("localhost", -30, -1),
    "wrong-host": ("elsewhere.test", -1, 30),
}


class SecureSites:
    """`with SecureSites(folder) as sites: sites.url("expired")`; `asked` counts what came through.

    Every kind has a port of its own and answers one page, and a link to another.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ports: dict[str, int] = {}
        self.asked: list[str] = []

    def __enter__(self) -> SecureSites:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="secure-sites", daemon=True)
        self._thread.start()
        assert self._ready.wait(60), "the secure sites did not start"
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def url(self, kind: str, path: str = "") -> str:
        return f"https://localhost:{self.ports[kind]}/{path}"

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        for kind in KINDS:
            port = await self._listen(runner, kind)
            self.ports[kind] = port
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _listen(self, runner: web.AppRunner, kind: str) -> int:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate(self._folder, *KINDS[kind]))
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
        port: int = runner.addresses[-1][1]
        return port

    async def _answer(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        if request.path == "/robots.txt":
            raise web.HTTPNotFound
        text = "<title>Secret garden</title><h1>Roses</h1><p>Behind the wall.</p>"
        return web.Response(text=f"{text}<a href='/more'>more</a>", content_type="text/html")


def certificate(folder: Path, name: str, first_day: int, last_day: int) -> Path:
    """Write a key and its self-signed certificate into one file, and return it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=first_day))
        .not_valid_after(now + timedelta(days=last_day))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / f"{name}{last_day}.pem"
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path
