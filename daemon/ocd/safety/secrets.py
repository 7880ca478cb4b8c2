"""Secrets by name: `${SECRET:NAME}` in arguments is filled in just before use, and masked after.

The values come from a file of NAME=value lines. Whatever leaves the daemon, and whatever it writes
down, shows `${SECRET:NAME}` in place of a value, in every spelling that a page or a protocol gives
it: as it is, in JSON, HTML and URLs, in base64 and hex, in any letter case.
"""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

import msgspec

from ocd.api.errors import OcdError

# A shorter value would be found, and masked, in the middle of anything.
LEAST = 4
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"\$\{SECRET:([^}]*)\}")
_LINE = re.compile(r"(?:export\s+)?([^=\s]+)\s*=\s*(.*)")
T = TypeVar("T")


class Secrets:
    """Values by name; `Secrets({})` fills nothing in and masks nothing."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)
        spelt = {form.lower(): name for name, value in values.items() for form in _forms(value)}
        self._names = spelt
        # Long ones first: a value may begin with another one.
        words = sorted(spelt, key=len, reverse=True)
        self._found = re.compile("|".join(map(re.escape, words)), re.IGNORECASE) if words else None

    @property
    def names(self) -> list[str]:
        """The names, sorted."""
        return sorted(self._values)

    def fill(self, value: T) -> T:
        """Return a copy of a JSON-like value with every placeholder filled in.

        Raises `secret_not_found` for a name that there is not.
        """
        return self._filled(value)  # type: ignore[no-any-return]

    def _filled(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, str):
            return _PLACE.sub(self._value, value) if "${SECRET:" in value else value
        if isinstance(value, Mapping):
            return {key: self._filled(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._filled(item) for item in value)
        return value

    def _value(self, match: re.Match[str]) -> str:
        found = self._values.get(match[1])
        if found is None:
            known = ", ".join(self.names) or "none"
            raise OcdError(
                "secret_not_found", f"There is no secret '{match[1]}'",
                hint=f"Known: {known}. They come from the file of --secrets.", name=match[1],
            )  # fmt: skip
        return found

    def mask_text(self, text: str) -> str:
        """Return the text with every value, however it is spelt, replaced by its placeholder."""
        if self._found is None:
            return text
        return self._found.sub(lambda match: f"${{SECRET:{self._names[match[0].lower()]}}}", text)

    def mask(self, value: T) -> T:
        """Return a JSON-like value with every value masked, in keys too."""
        return value if self._found is None else self._masked(value)

    def _masked(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, str):
            return self.mask_text(value)
        if isinstance(value, (bytes, bytearray)):
            return self.mask_text(value.decode("utf-8", "surrogateescape")).encode(
                "utf-8", "surrogateescape"
            )
        if isinstance(value, Mapping):
            return {self._masked(key): self._masked(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._masked(item) for item in value)
        if isinstance(value, msgspec.Struct):
            return self._masked(msgspec.structs.asdict(value))
        if isinstance(value, int) and not isinstance(value, bool):
            # A PIN may come back as a number.
            shown = self.mask_text(str(value))
            return value if shown == str(value) else shown
        return value

    def __bool__(self) -> bool:
        return bool(self._values)

    def __repr__(self) -> str:
        return f"Secrets({self.names})"


NONE = Secrets({})
_in_use = NONE


def use(secrets: Secrets) -> None:
    """Make these the secrets of the process: what `current` returns from now on."""
    global _in_use  # noqa: PLW0603 - one process, one set of secrets: redaction has no caller to ask
    _in_use = secrets


def current() -> Secrets:
    """Return the secrets of the process."""
    return _in_use


def read_file(path: Path) -> Secrets:
    """Return the secrets of a file of NAME=value lines; blank lines and # comments are skipped.

    A value may stand in quotes. Raises `config_invalid`, naming the line and never its value.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise OcdError("config_invalid", f"{path}: {reason}", path=str(path)) from error
    return Secrets(dict(_parsed(path, text.splitlines())))


def begins(text: str, at: int) -> bool:
    """Return whether a placeholder begins there."""
    return _PLACE.match(text, at) is not None


def is_place(text: str) -> bool:
    """Return whether the text is one placeholder and nothing else."""
    return _PLACE.fullmatch(text) is not None


def _parsed(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None or not _NAME.fullmatch(match[1]):
            raise _wrong(path, number, "expected NAME=value")
        value = match[2]
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        if len(value) < LEAST:
            raise _wrong(path, number, f"{match[1]} is shorter than {LEAST} characters")
        yield match[1], value


def _wrong(path: Path, number: int, what: str) -> OcdError:
    return OcdError("config_invalid", f"{path}: line {number}: {what}", path=str(path), line=number)


def _forms(value: str) -> set[str]:
    """Return every spelling under which a value may show up."""
    data = value.encode()
    plain = {
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(value, safe=""),
        quote(value),
        quote_plus(value),
        escape(value),
        escape(value, quote=False),
        value.encode("unicode_escape").decode(),
        data.hex(),
    }
    return {form for form in plain | set(_base64(data)) if len(form) >= LEAST}


def _base64(data: bytes) -> Iterator[str]:
    # Inside a longer text the value stands at one of three places; its outer characters then
    # mix with its neighbours and are left out.
    for encode in (b64encode, urlsafe_b64encode):
        for shift in range(3):
            encoded = encode(b"\0" * shift + data).decode().rstrip("=")
            start = (0, 2, 3)[shift]
            end = len(encoded) - ((len(data) + shift) % 3 != 0)
            if end - start >= 2 * LEAST:
                yield encoded[start:end]
