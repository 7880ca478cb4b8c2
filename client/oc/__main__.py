"""The program `oc`."""

import os
import sys


def main() -> int:
    """Run oc with the process's arguments; returns its exit status."""
    try:
        if "_OC_COMPLETE" in os.environ or "_OPENCHROME_COMPLETE" in os.environ:
            return _typer()
        if sys.argv[1:2] in (["--install-completion"], ["--show-completion"]):
            return _typer()
        from oc.fast import run

        status = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130
    except BrokenPipeError:
        # Whoever read our output has seen enough (`oc … | head`). The interpreter's own last flush
        # must not fail on it either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    return status


def _typer() -> int:
    from oc import app

    return app.complete()


if __name__ == "__main__":
    sys.exit(main())
