"""Writing to the terminal: results to stdout, messages about them to stderr."""

from __future__ import annotations

import json
import sys

from ocd.api import errors
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Texts of pages and agents may contain terminal commands, and signs that turn the direction of what
# follows: a terminal must show them, not obey.
_DIRECTIONS = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
MAX_CHOICES = 8  # lines, for each of several fields that failed
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160), *_DIRECTIONS), 0xFFFD)


def write(text: str) -> None:
    """Write a result to stdout: verbatim UTF-8 into a file or pipe, made harmless on a terminal."""
    stdout = sys.stdout
    encoding = "utf-8"
    if stdout.isatty():
        encoding, text = stdout.encoding or encoding, without_controls(text)
    write_bytes(text.encode(encoding, "replace"))


def without_controls(text: str) -> str:
    """Return text without terminal control characters; tabs and line ends are kept."""
    return text.translate(_CONTROLS)


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout unchanged, at once."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_line(text: str) -> None:
    """Write text to stdout, with a line end if it has none."""
    write(text if text.endswith("\n") else text + "\n")


def say(sentence: str) -> None:
    """Write one line about progress or results to stderr."""
    encoding = sys.stderr.encoding or "utf-8"
    line = without_controls(sentence).encode(encoding, "replace").decode(encoding, "replace")
    print(line, file=sys.stderr)


def failure(error: OcdError, *, as_json: bool, body: bytes = b"") -> int:
    """Report an error and return the exit status: Error and Hint on stderr, or JSON on stdout.

    body: the daemon's own reply, which is then printed, with commands in its hint.
    """
    if as_json:
        body = body or json.dumps({"error": error.body()}).encode()
        write_bytes(json_in_commands(body).rstrip(b"\n") + b"\n")
    else:
        say_error(error.body())
    return errors.exit_status(error.code)


def json_in_commands(body: bytes) -> bytes:
    """Return a reply or an event whose hints name commands: `oc --json` is used in a shell, too.

    What is not JSON is returned unchanged, to be reported by its reader.
    """
    if b"`" not in body or not (b'"hint"' in body or b'"dialog"' in body):
        return body
    try:
        found = json.loads(body)
    except ValueError:
        return body
    from oc import hints

    hints.spell_in_commands(found)
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()


def _failures(error: dict[str, Any]) -> list[str]:
    """Return the details of an error beside its message, one line for each part."""
    failed = error.get("failed")
    fields = [one for one in failed if "field" in one] if isinstance(failed, list) else []
    lines: list[str] = []
    for one in fields:
        if len(fields) > 1:
            lines.append(f"{one['field']!r}: {one['error']['message']}")
        lines += [f"  {line}" for line in _choices(one["error"], MAX_CHOICES)]
    lines = lines or _choices(error)
    if "not_done" in error and "steps" in error:
        lines.append(f"Steps done: {len(error['steps'])}. Not done: {'; '.join(error['not_done'])}")
        lines.append(f"Now: {error.get('now', '')}")
    return lines


def _choices(error: dict[str, Any], most: int | None = None) -> list[str]:
    """Return what may have been meant, or what there is to choose from."""
    choices = error.get("candidates") or error.get("options")
    return [str(line) for line in choices[:most]] if isinstance(choices, (list, tuple)) else []


def say_error(error: dict[str, Any]) -> None:
    """Print an error, with the parts that failed, or its candidates or options."""
    say(f"Error: {error.get('message') or error.get('code')}")
    for line in _failures(error):
        say(f"  {line}")
    if error.get("hint"):
        say_hint(error["hint"])


def say_hint(hint: str, label: str = "Hint: ") -> None:
    """Print a hint, with commands in place of the daemon's calls."""
    from oc import hints

    say(label + hints.in_commands(hint))
