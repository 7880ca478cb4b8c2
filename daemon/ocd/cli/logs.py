"""`ocd logs`."""

import re
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from ocd.api.errors import OcdError
from ocd.cli.logfile import MAX_OLD_LOGS, log_path
from ocd.config.loader import home_dir

_POLL_S = 0.2
# Lines that do not start like this (tracebacks) belong to the record above them.
_STARTS_RECORD = re.compile(r"\d{4}-\d\d-\d\dT")


def logs(
    call_id: Annotated[
        str, typer.Argument(help="Show only records that contain this call id")
    ] = "",
    *,
    count: Annotated[
        int, typer.Option("-n", "--count", min=0, help="Number of records to show")
    ] = 50,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Follow the log")] = False,
) -> None:
    """Show the end of the daemon's log"""
    path = log_path(home_dir())
    if not path.exists() and not follow:
        raise OcdError("file_not_found", f"No log file: {path}", hint="Start ocd: ocd start")
    matching = (record for record in records(_all_lines(path)) if call_id in record)
    for record in deque(matching, maxlen=count):
        print(record)
    if follow:
        for line in follow_lines(path):
            if call_id in line:
                print(line, flush=True)


def records(lines: Iterable[str]) -> Iterator[str]:
    """Yield log records: a line together with its continuation lines."""
    record: list[str] = []
    for line in lines:
        if record and _STARTS_RECORD.match(line):
            yield "\n".join(record)
            record = []
        record.append(line)
    if record:
        yield "\n".join(record)


def _all_lines(path: Path) -> Iterator[str]:
    older = [path.with_name(f"{path.name}.{number}") for number in range(MAX_OLD_LOGS, 0, -1)]
    for file in (*older, path):
        if file.exists():
            with file.open(encoding="utf-8", errors="replace") as stream:
                yield from (line.rstrip("\n") for line in stream)


def follow_lines(path: Path) -> Iterator[str]:
    """Yield the lines that are appended from now on, also after the log was rotated; endless."""
    offset = path.stat().st_size if path.exists() else 0
    rest = b""
    while True:
        size = path.stat().st_size if path.exists() else 0
        if size < offset:  # rotated: a new file
            offset, rest = 0, b""
        if size > offset:
            with path.open("rb") as file:
                file.seek(offset)
                added = file.read()
            offset += len(added)
            *lines, rest = (rest + added).split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
        else:
            time.sleep(_POLL_S)
