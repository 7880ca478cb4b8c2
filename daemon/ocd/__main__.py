"""The `ocd` command and `python -m ocd`."""

import sys

from ocd.cli.exits import exit_status_of, report_bug
from ocd.cli.flags import parse_flags


def main(argv: list[str] | None = None) -> None:
    """Run `ocd` with these arguments (sys.argv's) and exit."""
    sys.excepthook = report_bug
    sys.exit(_execute(sys.argv[1:] if argv is None else argv))


def _execute(arguments: list[str]) -> int:
    flags = parse_flags(arguments[1:]) if arguments[:1] == ["run"] else None
    if flags is None:
        from ocd.cli.app import execute

        return execute(arguments)
    # A daemon: see ocd.cli.flags.
    from ocd.cli.serving import run_daemon

    return exit_status_of(lambda: run_daemon(flags), as_json=False)


if __name__ == "__main__":
    main()
