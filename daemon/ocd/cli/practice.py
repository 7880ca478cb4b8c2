"""`ocd practice`."""

from typing import Annotated

import typer


def practice(
    *,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, metavar="PORT", help="Port on 127.0.0.1 (0: any free one)"),
    ] = 8000,
) -> None:
    """Serve the practice site of the documentation

    Forms, a login, a handbook to crawl and more, on this machine alone: the commands of the
    documentation can be pasted against it. Prints its address and serves until Ctrl-C. It is
    independent of the daemon.
    """
    from ocd.practice import server  # aiohttp: too much for the other commands

    server.serve(port)
