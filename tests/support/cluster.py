"""A Dask cluster on loopback: a scheduler and two workers, each a process, over TLS."""

import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

import distributed
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support.waiting import wait_until

SLOTS = 4


class DaskCluster:
    """`with DaskCluster() as cluster:`; `config` is what a daemon's config.toml says of it.

    host: the address at which the scheduler listens. environ: what its processes have besides.
    """

    def __init__(
        self,
        workers: int = 2,
        slots: int = SLOTS,
        host: str = "127.0.0.1",
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.host = host
        self._folder = tempfile.TemporaryDirectory(prefix="oc-dask-")
        self.path = Path(self._folder.name)
        self._count = workers
        self._slots = slots
        self._port = _free_port()
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self._environ: Mapping[str, str] = {
            **os.environ,
            "OPENCHROME_HOME": str(self.path / "home"),
            "TMPDIR": str(self.path),
            **(environ or {}),
        }

    @property
    def address(self) -> str:
        return f"tls://{self.host}:{self._port}"

    @property
    def config(self) -> str:
        """The cluster `lab`, and `brief`: the same one with a very short wait."""
        return f"{self.table('lab')}{self.table('brief')}wait_s = 0.5\n"

    def table(self, name: str) -> str:
        """Return the table of config.toml that gives this cluster a name."""
        return (
            f'[cluster.{name}]\naddress = "{self.address}"\ntls_ca_file = "{self._pem}"\n'
            f'tls_cert = "{self._pem}"\ntls_key = "{self._pem}"\n'
        )

    @property
    def _pem(self) -> Path:
        return self.path / "cluster.pem"

    def __enter__(self) -> Self:
        self._pem.write_bytes(_certificate())
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()  # as a machine goes; what a worker runs ends with it
                process.wait(60)
        self._folder.cleanup()

    def start(self) -> None:
        """Start the scheduler, and its workers, which may join it a little later."""
        self.scheduler = self._run("dask_scheduler", "--host", self.host, "--port", str(self._port))
        wait_until(self._listens, 180, "the scheduler")
        self.workers = []
        for _ in range(self._count):
            self.add_worker()

    def add_worker(self, host: str = "127.0.0.1", within: Sequence[str] = ()) -> None:
        """Start one more worker, at an address of its own; within: the command that runs it."""
        options = ("--no-nanny", "--nthreads", str(self._slots), "--local-directory", self.path)
        words = ("dask_worker", self.address, "--host", host, *map(str, options))
        self.workers.append(self._run(*words, within=within))

    def kill_scheduler(self) -> None:
        """Kill it with SIGKILL, then its workers, because Dask takes a while to end them."""
        assert self.scheduler is not None
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait(60)

    def tasks(self) -> dict[str, int]:
        """Return how many tasks each worker has, as Dask's autoscaling sees it."""
        pem = str(self._pem)
        security = distributed.Security(
            require_encryption=True, tls_ca_file=pem, tls_client_cert=pem, tls_client_key=pem
        )
        with distributed.Client(self.address, security=security, set_as_default=False) as client:
            return {worker: len(keys) for worker, keys in client.processing().items()}

    def log(self) -> str:
        return "\n".join(file.read_text() for file in self.path.glob("*.log"))

    def _listens(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex((self.host, self._port)) == 0

    def _run(
        self, program: str, *options: str, within: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        number = len(list(self.path.glob("*.log")))
        with (self.path / f"{number}-{program}.log").open("wb") as log:
            return subprocess.Popen(
                [
                    *(*within, sys.executable, "-m", f"distributed.cli.{program}", *options),
                    "--no-dashboard",
                    *("--tls-ca-file", str(self._pem), "--tls-cert", str(self._pem)),
                    *("--tls-key", str(self._pem)),
                ],
                env=self._environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.path,
            )  # fmt: skip


def _free_port() -> int:
    """Return a free port that is not used for outgoing connections either."""
    while True:
        port = random.randrange(15_000, 30_000)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


def _certificate() -> bytes:
    """Return a key and a certificate, which is its own authority, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "dask.test")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(),
        now - timedelta(days=1), now + timedelta(days=30),
    )  # fmt: skip
    ca = x509.BasicConstraints(ca=True, path_length=None)
    certificate = builder.add_extension(ca, critical=True).sign(key, hashes.SHA256())
    plain = serialization.NoEncryption()
    pkcs8 = serialization.PrivateFormat.PKCS8
    pem = serialization.Encoding.PEM
    return key.private_bytes(pem, pkcs8, plain) + certificate.public_bytes(pem)
