"""The large-output guard: the last step of every reply.

A reply longer than the threshold is stored as a handle and replaced by a pointer to it. MCP has no
partial replies, and a whole one is in memory several times at both ends, so a reply longer than
MAX_INLINE is never sent inline, even on request.
"""

import asyncio

from ocd.api.wire import Client, LargeTextPointer
from ocd.calls.param_decoding import CommonParams
from ocd.calls.replies import Reply, remaining_budget
from ocd.config.tables import LargeOutput
from ocd.outputs import inline_policy
from ocd.outputs.inline_policy import TextExtent
from ocd.outputs.store import OutputStore
from ocd.storage.payload import Payload, of_text
from ocd.verb_api.declaration import Verb

# Whose replies have limits of their own.
_BOUNDED = frozenset(("oc_output_fetch", "oc_output_search", "expand_tools"))
_AGENT_HOSTS = ("mcp", "mcp-http")
# Characters; as much as a request may have bytes.
MAX_INLINE = 16 << 20


def threshold_for(
    settings: LargeOutput, client: Client, verb: Verb, common: CommonParams
) -> int | None:
    """Return how many characters a reply of this call may have; None for any number."""
    if verb.name in _BOUNDED:
        return None
    is_host = client.kind in _AGENT_HOSTS
    # Who asked for an output mode gets it.
    if common.output_mode is None and _is_on(settings, client, is_host=is_host):
        return settings.threshold
    return MAX_INLINE if is_host else None


def _is_on(settings: LargeOutput, client: Client, *, is_host: bool) -> bool:
    if client.guard is not None:
        return client.guard
    return is_host if settings.enabled is None else settings.enabled


async def guard_reply(
    settings: LargeOutput,
    threshold: int,
    store: OutputStore,
    verb: Verb,
    reply: Reply,
    origins: tuple[str, ...],
) -> Reply:
    """Return the reply, or what points to it if it is longer than the threshold.

    origins: of the page text in it. Raises storage_full or storage_failed: a reply is never lost
    silently.
    """
    if reply.is_handle or reply.unfinished:
        return reply
    large = await _large_part(threshold, settings.preview_size, verb, reply)
    if large is None:
        return reply
    payload, extent, of_page = large
    descriptor = await store.put(payload, verb.name, folder=settings.output_dir, origins=origins)
    path = str(await store.path(descriptor.output_handle))
    text = inline_policy.pointer(verb.name, extent, descriptor.output_handle, path)
    return Reply(
        data=reply.data if of_page else {},
        content=None if of_page else reply.content,
        origin=reply.origin,
        image=reply.image,
        pointer=LargeTextPointer(text, path, extent.characters, descriptor, of_page),
        attachments=reply.attachments,
    )


async def _large_part(
    threshold: int, preview_size: int, verb: Verb, reply: Reply
) -> tuple[Payload, TextExtent, bool] | None:
    if reply.content is not None and len(reply.content) > threshold:
        payload = of_text("text/plain", reply.content)
        return payload, TextExtent(len(reply.content), reply.content[:preview_size]), True
    if reply.rows is None and remaining_budget(reply.data, threshold // _WORST_ESCAPE) >= 0:
        return None
    output = reply.output
    extent = await asyncio.to_thread(inline_policy.extent, output.json(verb.items), preview_size)
    return (output.payload(verb.items), extent, False) if extent.characters > threshold else None


# The most characters that one of a string takes in JSON: \\u0000.
_WORST_ESCAPE = 6
