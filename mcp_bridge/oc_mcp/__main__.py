"""The oc-mcp command: the bridge that an agent host launches."""

import sys
from typing import Any

USAGE = """\
Usage: oc-mcp [OPTIONS]

Serve OpenChrome's tools to an agent host over stdio. The host runs this; people use oc.

Options:
  --session NAME        Use this session, shared with others (default: a new one)
  --tools-only CSV      List only these groups of tools
  --disable-tools CSV   Leave out these groups of tools
  --tier 1|2|3          List tools up to this tier
  --guard on|off        Store large replies and return a pointer (default: as configured)
  --page-tools          Offer the tools of the tab's page, too, as page__NAME
  --no-start            Do not start a daemon if none is running
  --version             Show the version
  --help                Show this help
"""
_VALUES = ("--session", "--tools-only", "--disable-tools", "--tier", "--guard")


def main(argv: list[str] | None = None) -> None:
    """Run the bridge; ends the process instead of returning."""
    argv = sys.argv[1:] if argv is None else argv
    if "--help" in argv or "-h" in argv:
        _leave(USAGE, 0)
    if "--version" in argv:
        from importlib.metadata import version

        _leave(f"oc-mcp {version('openchrome')}\n", 0)
    try:
        options, may_start = parse_flags(argv)
    except ValueError as error:
        sys.stderr.write(f"Error: {error}\nHint: oc-mcp --help\n")
        raise SystemExit(2) from None
    from oc_mcp.relay.relay import run_relay

    run_relay(options, may_start=may_start)


def _leave(text: str, status: int) -> None:
    sys.stdout.write(text)
    raise SystemExit(status)


def parse_flags(argv: list[str]) -> tuple[dict[str, Any], bool]:
    """Return the hello line's options for these flags, and whether the daemon may be started."""
    options: dict[str, Any] = {}
    may_start = True
    rest = list(argv)
    while rest:
        flag, equals, value = rest.pop(0).partition("=")
        if flag == "--no-start" and not equals:
            may_start = False
            continue
        if flag == "--page-tools" and not equals:
            options["page_tools"] = True
            continue
        if flag not in _VALUES:
            raise ValueError(f"Unknown option '{flag}'")
        if not equals:
            if not rest:
                raise ValueError(f"{flag} needs a value")
            value = rest.pop(0)
        options[flag[2:].replace("-", "_")] = _option(flag, value)
    if "tools_only" in options and "disable_tools" in options:
        raise ValueError("--tools-only and --disable-tools cannot be combined")
    return options, may_start


def _option(flag: str, value: str) -> object:
    if flag == "--tier":
        if value not in ("1", "2", "3"):
            raise ValueError("--tier must be 1, 2 or 3")
        return int(value)
    if flag == "--guard":
        if value not in ("on", "off"):
            raise ValueError("--guard must be on or off")
        return value == "on"
    if flag == "--session":
        if not value:
            raise ValueError("--session needs a name")
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


if __name__ == "__main__":
    main()
