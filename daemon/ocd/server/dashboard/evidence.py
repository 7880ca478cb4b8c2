"""Evidence bundles for the page: the list, and the parts of one."""

import asyncio
from typing import Any

from aiohttp import web

from ocd.evidence.store import Bundle, EvidenceStore
from ocd.server.dashboard.access import HEADERS


async def list_bundles(store: EvidenceStore) -> list[dict[str, Any]]:
    """Describe the bundles, newest first."""
    found = await asyncio.to_thread(store.bundles)
    return [_describe(bundle) for bundle in found]


async def find_bundle(store: EvidenceStore, bundle_id: str) -> dict[str, Any]:
    """Describe one bundle; not_found, unreadable_file."""
    return _describe(await asyncio.to_thread(store.read, bundle_id))


def _describe(bundle: Bundle) -> dict[str, Any]:
    about = {name: bundle.about.get(name) for name in ("url", "title", "session")}
    return {
        "bundle_id": bundle.bundle_id, "created_at": bundle.created_at, "source": bundle.source,
        **about, "size_bytes": bundle.size_bytes, "parts": [part.name for part in bundle.parts],
        "inconclusive_reason": bundle.inconclusive_reason,
    }  # fmt: skip


async def bundle_part(store: EvidenceStore, bundle_id: str, name: str) -> web.Response:
    """Answer with a part: the picture as an image, all others, even HTML, as plain text."""
    bundle = await asyncio.to_thread(store.read, bundle_id)
    body = await asyncio.to_thread(store.part, bundle, name)
    if body is None:
        raise web.HTTPNotFound
    if name == "screenshot":
        return web.Response(body=body, content_type="image/png", headers=HEADERS)
    return web.Response(body=body, content_type="text/plain", charset="utf-8", headers=HEADERS)
