"""Programs on a real terminal: a pseudo-terminal of a given width."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(words: Sequence[str], env: Mapping[str, str], columns: int = 80) -> str:
    """Run a program with a terminal as stdin, stdout and stderr; return what appears there.

    It must exit with 0.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [*words], stdin=theirs, stdout=theirs, stderr=theirs, env=env
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = b""
        # Linux says EIO when the last process has closed its end.
        try:
            while data := os.read(ours, 65536):
                shown += data
        except OSError:
            pass
        os.close(ours)
        assert process.wait() == 0, shown
    return shown.decode("utf-8", "replace")


def lines_of(shown: str) -> list[str]:
    """Return the lines that stood on the terminal at some time, without colours and empty ones."""
    plain = _ESCAPES.sub("\n" if "\x1b[2K" in shown else "", shown)
    return [line for line in re.split(r"[\r\n]+", plain) if line]
