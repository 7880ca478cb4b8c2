"""Resources of another MCP server, under our addresses: links in results, and lists.

`openchrome://upstream/NAME/ID`. The ID stands for the server's own address, which may contain
a token. It is derived from that address, so that a resource keeps its ID.
"""

import threading
from base64 import b32encode
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from ocd.api.bounded_dict import BoundedDict
from ocd.gateway.results import MAX_ATTACHED_BYTES, MAX_NAME, MAX_URI, one_line, tool_error
from ocd.safety.redact_stream import redact_long
from ocd.verb_api.capabilities import UPSTREAM_MARK
from ocd.verb_api.declaration import UPSTREAM_ORIGIN, Output

PREFIX = "openchrome://upstream/"
# The verb that reads one; no tool can have such a name.
READ = "resources/read"
MAX_KEPT = 2000
MAX_LISTED = 200


def address_id(server: str, address: str) -> str:
    """Return the stable ID for a server's own address."""
    digest = blake2b(f"{server}\0{address}".encode("utf-8", "replace"), digest_size=10)
    return b32encode(digest.digest()).decode().lower()


class ResourceLinks:
    """The addresses of one server's resources by the ID that stands for them; the latest ones."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._addresses = BoundedDict[str, str](MAX_KEPT)
        self._lock = threading.Lock()  # long results are searched in a thread

    def alias(self, address: str) -> str:
        """Return our address for a server's own, which `of` can then resolve."""
        key = address_id(self._server, address)
        with self._lock:
            self._addresses[key] = address
        return f"{PREFIX}{self._server}/{key}"

    def of(self, key: str) -> str | None:
        """Return the server's own address; None for an unknown ID."""
        return self._addresses.get(key)

    def to_list(self, resources: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the list entries of resources: only names, no text that nobody has approved."""
        for resource in resources[:MAX_LISTED]:
            if isinstance(resource.get("uri"), str) and 0 < len(resource["uri"]) <= MAX_URI:
                mime = (
                    {"mimeType": one_line(resource["mimeType"], MAX_NAME)}
                    if resource.get("mimeType")
                    else {}
                )
                size = {"size": resource["size"]} if isinstance(resource.get("size"), int) else {}
                name = (
                    one_line(resource.get("title") or resource.get("name"), MAX_NAME) or "resource"
                )
                uri = self.alias(resource["uri"])
                yield {"uri": uri, "name": f"{self._server}{UPSTREAM_MARK}{name}", **mime, **size}


def resource_of(server: str, uri: str, result: Mapping[str, Any], *, redacted: bool) -> Output:
    """Return the output of resources/read (a raw ReadResourceResult).

    Its texts are one body, which is untrusted as a tool's is; what is binary stands beside it.
    Raises upstream_failed for a result that is invalid or too large.
    """
    contents = [content for content in result.get("contents", ()) if isinstance(content, Mapping)]
    blobs = [str(content["blob"]) for content in contents if content.get("blob") is not None]
    texts = [str(content["text"]) for content in contents if content.get("text") is not None]
    if result.get("resultType") not in (None, "complete") or not (blobs or texts):
        raise tool_error(server, READ, "it answered with no contents")
    if sum(map(len, blobs)) > MAX_ATTACHED_BYTES:
        raise tool_error(server, READ, f"more than {MAX_ATTACHED_BYTES} bytes")
    mimes = [
        one_line(content.get("mimeType"), MAX_NAME)
        for content in contents
        if content.get("blob") is not None
    ]
    body = "\n".join(texts)
    return Output(
        data={"upstream": server, "uri": uri},
        content=(redact_long(body) if redacted else body) if texts else None,
        origin=f"{UPSTREAM_ORIGIN}{server}",
        attachments=tuple(
            {"uri": uri, "blob": blob, "mimeType": mime or "application/octet-stream"}
            for blob, mime in zip(blobs, mimes, strict=True)
        ),
    )
