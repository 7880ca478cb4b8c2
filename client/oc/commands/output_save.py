"""`oc output save`: writes a whole stored output to a file."""

from base64 import b64decode
from collections.abc import Iterator

from oc import terminal, whole_files
from oc.command_line.argv import Command
from oc.command_line.command_names import Entry
from oc.connection.daemon_client import DaemonClient

_PAGE_BYTES = 256 * 1024


def save(daemon: DaemonClient, command: Command, _index: dict[str, Entry]) -> int:
    """Fetch the output in pages of bytes; the file appears once it is complete."""
    handle, target = command.params["output_handle"], command.params["file"]
    pages = _pages(daemon, handle)
    if target == "-":
        for data in pages:
            terminal.write_bytes(data)
        return 0
    try:
        size = whole_files.write_whole(target, pages)
    except OSError as error:
        hint = "Choose another file, or - for standard output."
        raise whole_files.write_error(target, error, hint) from None
    if command.as_json:
        terminal.write_line(f'{{"result":{{"size_bytes":{size}}}}}')
    elif not command.quiet:
        terminal.say(f"Saved {size} bytes.")
    return 0


def _pages(daemon: DaemonClient, handle: str) -> Iterator[bytes]:
    offset: int | None = 0
    while offset is not None:
        page = daemon.result(
            "oc_output_fetch",
            output_handle=handle,
            offset=offset,
            limit=_PAGE_BYTES,
            format="bytes",
        )
        yield b64decode(page["content"])
        offset = page["next_offset"]
