"""The program `oc`."""

import gc
import os
import sys


def main() -> int:
    """Run oc with the process's arguments; returns its exit status."""
    gc.disable()  # starting creates no garbage; see main.run
    if sys.stdout is None:  # closed by the parent process (`>&-`), so the result is not wanted
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for all our life
    try:
        if "_OC_COMPLETE" in os.environ or "_OPENCHROME_COMPLETE" in os.environ:
            return _typer()
        if sys.argv[1:2] in (["--install-completion"], ["--show-completion"]):
            return _typer()
        if sys.argv[1:2] == ["--version"]:
            return _version()
        from oc.main import run

        status = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130
    except BrokenPipeError:
        # The reader of our output has closed it (`oc … | head`).
        _drop_output()
        return 0
    except OSError as error:
        # Other failures are OcdErrors by now, so this is about our output, such as a full disk.
        _drop_output()
        sys.stderr.write(f"Error: Cannot write the result: {error.strerror or error}\n")
        return 1
    return status


def _drop_output() -> None:
    # The interpreter's own last flush must not fail because of it either.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _version() -> int:
    from importlib import metadata

    sys.stdout.write(f"oc {metadata.version('openchrome')}\n")
    sys.stdout.flush()
    return 0


def _typer() -> int:
    from oc.help import typer_app

    return typer_app.complete()


if __name__ == "__main__":
    sys.exit(main())
