"""Named secrets: `${SECRET:NAME}` in arguments is filled in before use and masked afterwards.

The values come from a file of NAME=value lines. Everything that the daemon returns or stores has
`${SECRET:NAME}` in place of a value, in whichever encoding a page or a protocol uses for
it: see `secret_encodings`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ocd.api.errors import OcdError
from ocd.safety.regex import compile_re2
from ocd.safety.secret_encodings import pattern

# A shorter value would be found, and masked, in the middle of anything.
MIN_LENGTH = 4
# What a pattern's program and the states of its search may take.
_MAX_MEMORY = 64 * 1024 * 1024
# The length of a piece, and of the overlap with the next one, which holds any encoding of a secret.
_PIECE, _OVERLAP = 1 << 16, 1 << 13
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Not past the next opening: a text of nothing but openings would be read once for each of them.
_PLACE = re.compile(r"\$\{SECRET:((?:(?!\$\{SECRET:)[^}])*)\}")
_LINE = re.compile(r"(?:export\s+)?([^=\s]+)\s*+=\s*+(.*)")
T = TypeVar("T")


class Secrets:
    """Values by name; `Secrets({})` fills nothing in and masks nothing."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)
        # Long ones first: a value may begin with another one.
        by_length = sorted(values, key=lambda name: len(values[name]), reverse=True)
        spelt = {name: pattern(values[name], MIN_LENGTH) for name in by_length}
        self._each = {name: _compile(one) for name, one in spelt.items()}
        self._found = _compile("|".join(spelt.values())) if spelt else None

    @property
    def names(self) -> list[str]:
        """The names, sorted."""
        return sorted(self._values)

    def fill(self, value: T) -> T:
        """Return a copy of a JSON-like value with every placeholder filled in.

        Raises `secret_not_found` for an unknown name, and `invalid_argument` for a value that is
        nested too deeply.
        """
        try:
            return self._fill(value)  # type: ignore[no-any-return]
        except RecursionError:
            raise OcdError("invalid_argument", "The parameters are nested too deeply") from None

    def _fill(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, str):
            return _PLACE.sub(self._value, value) if "${SECRET:" in value else value
        if isinstance(value, Mapping):
            return {key: self._fill(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._fill(item) for item in value)
        return value

    def _value(self, match: re.Match[str]) -> str:
        found = self._values.get(match[1])
        if found is None:
            known = ", ".join(self.names) or "none"
            raise OcdError(
                "secret_not_found", f"There is no secret '{match[1]}'",
                hint=f"Known: {known}. Secrets come from the --secrets file.", name=match[1],
            )  # fmt: skip
        return found

    def mask_text(self, text: str) -> str:
        """Return the text with every value, however it is spelt, replaced by its placeholder."""
        if self._found is None:
            return text
        if not any(map(self._has_secret, _overlapping(text))):
            return text
        masked = self._mask_bytes(text.encode("utf-8", "surrogatepass"))
        return masked.decode("utf-8", "surrogatepass")

    def _has_secret(self, text: str) -> bool:
        found = self._found and self._found.search(text.encode("utf-8", "surrogatepass"))
        return found is not None

    def _mask_bytes(self, data: bytes) -> bytes:
        """Return the bytes masked; the same object if there is nothing to mask."""
        if self._found is None or self._found.search(data) is None:
            return data
        masked: bytes = self._found.sub(self._place, data)
        return masked

    def _place(self, match: Any) -> bytes:  # noqa: ANN401 - re2 has no types
        # Groups in one pattern would tell the name, at many times the cost.
        name = next(name for name, one in self._each.items() if one.fullmatch(match[0]))
        return f"${{SECRET:{name}}}".encode()

    def mask(self, value: T) -> T:
        """Return a JSON-like value with every value masked, in keys too."""
        return value if self._found is None else self._mask(value)

    def _mask(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, str):
            return self.mask_text(value)
        if isinstance(value, (bytes, bytearray)):
            return self._mask_bytes(bytes(value))
        if isinstance(value, Mapping):
            return {self._mask(key): self._mask(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._mask(item) for item in value)
        if isinstance(value, msgspec.Struct):
            return self._mask(msgspec.structs.asdict(value))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            # A PIN may come back as a number.
            masked = self.mask_text(str(value))
            return value if masked == str(value) else masked
        return value

    def mask_error(self, error: OcdError) -> OcdError:
        """Return the error without the values of secrets."""
        if not self:
            return error
        hint, details = self.mask_text(error.hint), self.mask(error.details)
        return OcdError(error.code, self.mask_text(error.message), hint=hint, **details)

    def __bool__(self) -> bool:
        return bool(self._values)

    def __repr__(self) -> str:
        return f"Secrets({self.names})"


def _overlapping(text: str) -> Iterator[str]:
    """Yield a long text in overlapping pieces, so that no search holds the interpreter for long."""
    for start in range(0, len(text), _PIECE):
        yield text[start : start + _PIECE + _OVERLAP]


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

    A value may be in quotes. Raises `config_invalid`, naming the line and never its value.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        hint = "The setting secrets (--secrets FILE) names this file."
        raise OcdError("config_invalid", f"{path}: {reason}", hint=hint, path=str(path)) from error
    return Secrets(dict(_parse(path, text.splitlines())))


def begins(text: str, at: int) -> bool:
    """Return whether a placeholder begins there."""
    return _PLACE.match(text, at) is not None


def is_place(text: str) -> bool:
    """Return whether the text is one placeholder and nothing else."""
    return _PLACE.fullmatch(text) is not None


def _parse(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None or not _NAME.fullmatch(match[1]):
            raise _line_error(path, number, "expected NAME=value")
        value = match[2]
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        if len(value) < MIN_LENGTH:
            raise _line_error(path, number, f"{match[1]} is shorter than {MIN_LENGTH} characters")
        yield match[1], value


def _line_error(path: Path, number: int, what: str) -> OcdError:
    return OcdError("config_invalid", f"{path}: line {number}: {what}", path=str(path), line=number)


def _compile(source: str) -> Any:  # noqa: ANN401 - google-re2 has no types
    return compile_re2(source.encode(), case_sensitive=False, max_mem=_MAX_MEMORY)
