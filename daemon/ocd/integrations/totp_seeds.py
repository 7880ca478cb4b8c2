"""TOTP seeds: in the operating system's keyring, or else in a private file.

`secrets/totp.json` says which domains have a seed and where it is; without a usable keyring it
contains the seeds, too. Seeds are added by `oc totp add` and never returned; only codes are.
"""

import base64
import hashlib
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args
from urllib.parse import parse_qsl, urlsplit

import msgspec

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.safety.host_canonical import canonical_host
from ocd.storage.files import make_dir, read_document, write_whole

logger = logging.getLogger(__name__)

PREFIX = "OPENCHROME_TOTP_"
# A keyring may wait for a person to unlock it; nobody sits before a daemon.
KEYRING_S = 5.0
_MIN_SEED_BYTES = 5
_Algorithm = Literal["sha1", "sha256", "sha512"]


class SeedEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One domain's seed: where it is stored, and how its codes are generated."""

    kept_in: Literal["keyring", "file"]
    seed: str = ""
    digits: int = 6
    period: int = 30
    algorithm: _Algorithm = "sha1"
    added_at: str = ""


class _SeedFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file as it is on disk."""

    format: Literal["totp"] = "totp"
    version: Literal[1] = 1
    entries: dict[str, SeedEntry] = {}


@dataclass(frozen=True, slots=True)
class TotpCode:
    """A code, and until when (seconds since 1970) it is valid; `domain` is its seed's."""

    domain: str
    code: str
    expires_at: float
    period: int


class _Seed(NamedTuple):
    """A base32 secret, and how its codes are generated."""

    secret: str
    digits: int = 6
    period: int = 30
    algorithm: _Algorithm = "sha1"


class TotpStore:
    """A part: the seeds, by domain. Every method blocks for some milliseconds, or for a keyring."""

    def __init__(self, home: Path, environ: Mapping[str, str]) -> None:
        self._path = home / "secrets" / "totp.json"
        self._service = f"openchrome {home}"
        self._environ = environ
        self._lock = threading.Lock()

    def add(self, domain: str, seed: str) -> dict[str, Any]:
        """Store a seed (base32 or otpauth:// URL) and return where; wrong_value if it is invalid.

        A domain's earlier seed is replaced.
        """
        host = host_of(domain)
        parsed = _parse_seed(seed)
        with self._lock:
            stored = self._read()
            kept_in: Literal["keyring", "file"] = "file"
            if _keyring("set_password", self._service, host, parsed.secret) is not _FAILED:
                kept_in = "keyring"
            entry = SeedEntry(
                kept_in=kept_in,
                seed=parsed.secret if kept_in == "file" else "",
                digits=parsed.digits,
                period=parsed.period,
                algorithm=parsed.algorithm,
                added_at=now(),
            )
            self._write({**stored.entries, host: entry})
        return {"domain": host, "kept_in": kept_in, "replaced": host in stored.entries}

    def remove(self, domain: str) -> dict[str, Any]:
        """Delete a domain's seed; not_found if there is none."""
        host = host_of(domain)
        with self._lock:
            entries = dict(self._read().entries)
            entry = entries.pop(host, None)
            if entry is None:
                raise _unknown(host, list(entries))
            self._write(entries)
            if entry.kept_in == "keyring":
                _keyring("delete_password", self._service, host)
        return {"domain": host, "removed": True}

    def names(self) -> list[dict[str, Any]]:
        """Return the domains that have a seed, and where it is: keyring, file or environment."""
        entries = self._read().entries
        listed = [
            {"domain": host, "kept_in": entry.kept_in, "added_at": entry.added_at}
            for host, entry in sorted(entries.items())
        ]
        variables = sorted(name for name in self._environ if name.startswith(PREFIX))
        return [*listed, *({"variable": name, "kept_in": "environment"} for name in variables)]

    def code(self, domain: str, now: float) -> TotpCode:
        """Return the code of this moment for a domain, or for the nearest one above it.

        Raises not_found, unreadable_file, and disabled if the keyring does not give the seed.
        """
        host = host_of(domain)
        entries = self._read().entries
        labels = host.split(".")
        # example.org may answer for login.example.org, org for nobody.
        above = [".".join(labels[at:]) for at in range(max(1, len(labels) - 1))]
        for name in above:
            variable = self._environ.get(PREFIX + "".join(_variable_char(c) for c in name), "")
            if variable:
                return _make_code(name, _parse_seed(variable), now)
            if name in entries:
                return _make_code(name, self._store(name, entries[name]), now)
        raise _unknown(host, list(entries))

    def _store(self, host: str, entry: SeedEntry) -> _Seed:
        secret: object = entry.seed
        if entry.kept_in == "keyring":
            secret = _keyring("get_password", self._service, host)
        if not isinstance(secret, str) or not secret:
            raise OcdError(
                "disabled", f"The keyring did not return the seed of {host}.",
                hint=f"Unlock it, or add the seed again: oc totp add {host}", domain=host,
            )  # fmt: skip
        return _Seed(secret, entry.digits, entry.period, entry.algorithm)

    def _read(self) -> _SeedFile:
        return read_document(self._path, _SeedFile) or _SeedFile()

    def _write(self, entries: dict[str, SeedEntry]) -> None:
        make_dir(self._path.parent)
        encoded = msgspec.json.encode(_SeedFile(entries=entries))
        write_whole(self._path, msgspec.json.format(encoded, indent=1) + b"\n")

    def __repr__(self) -> str:
        return f"TotpStore({str(self._path)!r})"


def _variable_char(char: str) -> str:
    return char.upper() if char.isascii() and char.isalnum() else "_"


def host_of(domain: str) -> str:
    """Return the host of a domain or a URL; invalid_argument if it is not one."""
    name = domain.strip().partition("://")[2] or domain.strip()
    name = name.partition("/")[0].rpartition("@")[2]
    try:
        return canonical_host(name.partition(":")[0] if name.count(":") == 1 else name)
    except ValueError:
        raise OcdError(
            "invalid_argument", f"Not a valid domain: {domain[:200]}", parameter="domain",
            hint="For example example.org.",
        ) from None  # fmt: skip


def _unknown(host: str, domains: list[str]) -> OcdError:
    variable = PREFIX + "".join(_variable_char(c) for c in host)
    return OcdError(
        "not_found", f"There is no TOTP seed for {host}.", domain=host, known=domains,
        hint=f"The user can add it in a shell: oc totp add {host} (or start the daemon with "
        f"{variable}).",
    )  # fmt: skip


def _parse_seed(text: str) -> _Seed:
    """Return the seed that a person typed; no error says anything of the seed itself."""
    try:
        seed = (
            _parse_otpauth_url(text) if text.strip().lower().startswith("otpauth:") else _Seed(text)
        )
        seed = seed._replace(secret="".join(seed.secret.replace("-", "").split()).upper())
        known = seed.algorithm in get_args(_Algorithm) and 6 <= seed.digits <= 10
        usable = known and 1 <= seed.period <= 3600 and len(_bytes(seed.secret)) >= _MIN_SEED_BYTES
    except (ValueError, TypeError):
        usable = False
        seed = _Seed("")
    if not usable:
        raise OcdError(
            "wrong_value", "Not a valid TOTP seed.",
            hint="Expected base32 (letters and the digits 2 to 7), or an otpauth://totp/ URL.",
        ) from None  # fmt: skip
    return seed


def _parse_otpauth_url(text: str) -> _Seed:
    parts = urlsplit(text.strip())
    options = dict(parse_qsl(parts.query))
    if parts.netloc.lower() != "totp":
        raise ValueError("counter-based codes (hotp) are not supported")
    algorithm = options.get("algorithm", "sha1").lower()
    return _Seed(
        options.get("secret", ""),
        int(options.get("digits", 6)),
        int(options.get("period", 30)),
        cast("_Algorithm", algorithm),
    )


def _bytes(secret: str) -> bytes:
    return base64.b32decode(secret.rstrip("=") + "=" * (-len(secret.rstrip("=")) % 8))


def _make_code(domain: str, seed: _Seed, now: float) -> TotpCode:
    from pyotp.totp import TOTP

    class Generator(TOTP):
        # Sites hand out seeds of 80 bits, which pyotp's own check refuses.
        def byte_secret(self) -> bytes:
            return _bytes(self.secret)

    digest = getattr(hashlib, seed.algorithm)
    generator = Generator(seed.secret, digits=seed.digits, digest=digest, interval=seed.period)
    ends = (int(now) // seed.period + 1) * seed.period
    return TotpCode(domain, generator.at(int(now)), float(ends), seed.period)


_FAILED = object()


def _keyring(method: str, *args: str) -> object:
    """Call the operating system's keyring; _FAILED without a secure one."""
    outcome: list[object] = [_FAILED]

    def call() -> None:
        import keyring
        from keyring.errors import KeyringError

        try:
            backend = keyring.get_keyring()
            if backend.priority >= 1:
                outcome[0] = getattr(backend, method)(*args)
        except (KeyringError, RuntimeError, OSError) as error:
            logger.info("The keyring cannot be used: %s", type(error).__name__)

    worker = threading.Thread(target=call, name="keyring", daemon=True)
    worker.start()
    worker.join(KEYRING_S)
    return outcome[0]
