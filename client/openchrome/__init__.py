"""A Python client of the OpenChrome daemon; standard library only.

    from openchrome import connect

    with connect() as browser:
        browser.navigate("https://example.com")
        print(browser.read_page(mode="markdown").text)

`async with aconnect() as browser:` has the same methods as coroutines. A verb's method has the
verb's name and parameters; results are dictionaries, and each error code has an exception class in
`openchrome.errors`.
"""

from __future__ import annotations

from openchrome.client import Client, connect
from openchrome.errors import OpenChromeError
from openchrome.outputs import Output
from openchrome.results import Result
from openchrome.tasks import Task, TaskEvent, TaskMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openchrome.async_client import AsyncClient, AsyncOutput, AsyncTask, aconnect

__all__ = [
    "AsyncClient",
    "AsyncOutput",
    "AsyncTask",
    "Client",
    "OpenChromeError",
    "Output",
    "Result",
    "Task",
    "TaskEvent",
    "TaskMeta",
    "aconnect",
    "connect",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # Importing asyncio takes as long as everything else.
    if name in ("AsyncClient", "AsyncOutput", "AsyncTask", "aconnect"):
        from openchrome import async_client

        return getattr(async_client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
