"""Output of `ocd`: results to stdout, messages and errors to stderr."""

import sys

import msgspec

from ocd.api.errors import OcdError


def say(sentence: str) -> None:
    """Print a message to stderr."""
    print(sentence, file=sys.stderr)


def show_json(body: object) -> None:
    """Print a body as indented JSON."""
    encoded = msgspec.json.encode(body, enc_hook=str)
    print(msgspec.json.format(encoded, indent=2).decode())


def show_error(error: OcdError, *, as_json: bool = False) -> None:
    """Print Error and Hint, and with `as_json` the error's body to stdout."""
    say(f"Error: {error.message}")
    if error.hint:
        say(f"Hint: {error.hint}")
    if as_json:
        show_json({"error": error.body()})
