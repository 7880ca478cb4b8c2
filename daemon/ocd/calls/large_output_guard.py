"""The large-output guard: the last thing that happens to a reply (seed 002).

A reply longer than the threshold is kept as a handle, and a pointer to it is said in its place.
"""

import asyncio

from ocd.api.wire import Client, LargeTextPointer
from ocd.calls.param_decoding import CommonParams
from ocd.calls.replies import Reply, within
from ocd.config.tables import LargeOutput
from ocd.outputs import inline_policy
from ocd.outputs.inline_policy import TextExtent
from ocd.outputs.store import OutputStore
from ocd.storage.payload import Payload, of_text
from ocd.verb_api.declaration import Verb

# Whose replies have limits of their own.
_BOUNDED = frozenset(("oc_output_fetch", "oc_output_search", "expand_tools"))
_AGENT_HOSTS = ("mcp", "mcp-http")


def guards(settings: LargeOutput, client: Client, verb: Verb, common: CommonParams) -> bool:
    """Return whether replies of this call are guarded; who asked for an output mode gets it."""
    if verb.name in _BOUNDED or common.output_mode is not None:
        return False
    if client.guard is not None:
        return client.guard
    if settings.enabled is not None:
        return settings.enabled
    return client.kind in _AGENT_HOSTS


async def guard_reply(settings: LargeOutput, store: OutputStore, verb: Verb, reply: Reply) -> Reply:
    """Return the reply, or what points to it if it is longer than the threshold.

    Raises storage_full or storage_failed: a reply is never lost silently.
    """
    if reply.is_handle or reply.unfinished:
        return reply
    large = await _large_part(settings, verb, reply)
    if large is None:
        return reply
    payload, extent, of_page = large
    descriptor = await store.put(payload, verb.name, folder=settings.output_dir)
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
    settings: LargeOutput, verb: Verb, reply: Reply
) -> tuple[Payload, TextExtent, bool] | None:
    threshold, preview_size = settings.threshold, settings.preview_size
    if reply.content is not None and len(reply.content) > threshold:
        payload = of_text("text/plain", reply.content)
        return payload, TextExtent(len(reply.content), reply.content[:preview_size]), True
    if reply.rows is None and within(reply.data, threshold // _WORST_ESCAPE) >= 0:
        return None
    output = reply.output
    extent = await asyncio.to_thread(inline_policy.extent, output.json(verb.items), preview_size)
    return (output.payload(verb.items), extent, False) if extent.characters > threshold else None


# A character of a string takes at most so many in JSON: \\u0000.
_WORST_ESCAPE = 6
