"""Stored outputs: large results that the daemon keeps until they are fetched."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from openchrome.protocol import Call, Flow

if TYPE_CHECKING:
    from openchrome.client import Client

ITEMS = 200
BYTES = 65536


class OutputInfo:
    """A stored output's properties, known without fetching it."""

    def __init__(self, descriptor: Mapping[str, Any]) -> None:
        self.handle = str(descriptor["output_handle"])
        self.mime_type = str(descriptor.get("mime_type", ""))
        self.size_bytes = int(descriptor.get("size_bytes", 0))
        self.item_count: int | None = descriptor.get("item_count")
        self.preview = str(descriptor.get("preview", ""))
        self.expires_at = str(descriptor.get("expires_at", ""))

    def __repr__(self) -> str:
        items = "" if self.item_count is None else f", {self.item_count} items"
        return f"<{type(self).__name__} {self.handle}: {self.size_bytes} bytes{items}>"


class Output(OutputInfo, Sequence[Any]):
    """A stored output as a sequence of its items, which are fetched on demand.

    Iterating over a crawl's output gives its pages, 200 per request. `text`, `read_bytes` and
    `search` work for outputs of every kind. Raises OutputHandleNotFoundError once it has expired,
    InvalidFormatForPayloadError for items of an output that has none.
    """

    def __init__(self, client: Client, descriptor: Mapping[str, Any]) -> None:
        super().__init__(descriptor)
        self._client = client

    def __len__(self) -> int:
        return self._client.run(count_items(self))

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        offset: int | None = 0
        while offset is not None:
            page = self._client.run(fetch(self.handle, offset, ITEMS, "items"))
            yield from page["content"]
            offset = page["next_offset"]

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """Return an item, or a list of some; only those are fetched."""
        if isinstance(index, slice):
            return self._client.run(fetch_slice(self, index))
        return self._client.run(fetch_item(self, index))

    def text(self) -> str:
        """Return the output as text."""
        return self.read_bytes().decode()

    def read_bytes(self) -> bytes:
        """Return the whole output in its stored form."""
        return b"".join(self.chunks())

    def chunks(self) -> Iterator[bytes]:
        """Yield the output in its stored form, 64 KB at a time."""
        offset: int | None = 0
        while offset is not None:
            page = self._client.run(fetch(self.handle, offset, BYTES, "bytes"))
            yield a2b_base64(page["content"])
            offset = page["next_offset"]

    def search(self, pattern: str, *, limit: int = 20, context: int = 2) -> list[dict[str, Any]]:
        """Return the matches of a regular expression (RE2): offset, line or item, excerpt."""
        return self._client.run(search(self.handle, pattern, limit, context))


def fetch(handle: str, offset: int, limit: int, form: str) -> Flow[dict[str, Any]]:
    """Return one page of a stored output."""
    params = {"output_handle": handle, "offset": offset, "limit": limit, "format": form}
    return (yield Call("oc_output_fetch", params))


def search(handle: str, pattern: str, limit: int, context: int) -> Flow[list[dict[str, Any]]]:
    """Return the matches of a regular expression in a stored output."""
    params = {"output_handle": handle, "pattern": pattern, "limit": limit, "context": context}
    found = yield Call("oc_output_search", params)
    return list(found["matches"])


def count_items(output: OutputInfo) -> Flow[int]:
    """Return the number of items, asking the daemon if the descriptor does not have it."""
    if output.item_count is None:
        page = yield from fetch(output.handle, 0, 1, "items")
        output.item_count = int(page["total"])
    return output.item_count


def fetch_item(output: OutputInfo, index: int) -> Flow[Any]:
    """Return one item; a negative index counts from the end. Raises IndexError."""
    count = yield from count_items(output)
    position = index + count if index < 0 else index
    if not 0 <= position < count:
        raise IndexError(f"{output.handle} has {count} items, none at {index}")
    page = yield from fetch(output.handle, position, 1, "items")
    return page["content"][0]


def fetch_slice(output: OutputInfo, index: slice) -> Flow[list[Any]]:
    """Return the items of a slice."""
    positions = range(*index.indices((yield from count_items(output))))
    if not positions:
        return []
    low, high = min(positions), max(positions) + 1
    items: list[Any] = []
    while low + len(items) < high:
        offset = low + len(items)
        page = yield from fetch(output.handle, offset, min(ITEMS, high - offset), "items")
        items += page["content"]
    return [items[position - low] for position in positions]
