"""How `ocd` ends: the only place where an error becomes an exit status."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from ocd.api.errors import OcdError, exit_status
from ocd.cli.output import say, show_error

INTERRUPTED = 130
# How the place fails that our output goes to.
_OUTPUT_ERRORS = frozenset(
    getattr(errno, name, errno.EIO) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EBADF")
)


def exit_status_of(command: Callable[[], object], *, as_json: bool) -> int:
    """Run a command, show the error it raises, and return the exit status.

    as_json: the error's body goes to stdout, too.
    """
    if sys.stdout is None:  # closed by the parent process (`>&-`): nobody wants the result
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - for all our life
    try:
        answer = command()
        sys.stdout.flush()
    except OcdError as error:
        show_error(error, as_json=as_json)
        return exit_status(error.code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has seen enough; the interpreter must not flush again.
        sys.stdout = None
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in _OUTPUT_ERRORS:
            raise
        # What concerns a file names it: this is our output, on a full disk.
        sys.stdout = None
        say(f"Error: Cannot write the result: {error.strerror or error}")
        return 1
    return answer if isinstance(answer, int) else 0


def report_bug(
    kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    """Print one line about an exception that nobody expected; an excepthook."""
    say(f"Error: {kind.__name__}: {error}")
    say("Hint: This is a bug in ocd; please report it with the steps to reproduce it.")
