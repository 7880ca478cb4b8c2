"""Evidence of pages (a part of the daemon): captured, stored, checked and compared."""

import asyncio
import base64
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.browser.sessions.session import Sessions
from ocd.browser.tabs.tab import Tab
from ocd.contracts.expression import Node
from ocd.contracts.report import report
from ocd.contracts.snapshot import RequiredEvidence, decode_evidence, required_evidence
from ocd.evidence.bundle import BundleBuilder
from ocd.evidence.diff import compare
from ocd.evidence.store import Bundle, EvidenceStore, is_bundle_id, new_bundle_id
from ocd.outputs.store import OutputStore
from ocd.pages.locate.wait import wait_until
from ocd.pages.read.evidence_capture import CaptureRequest, capture_evidence
from ocd.safety.redact import redact
from ocd.safety.sanitize import Sanitizer

_HANDLE = re.compile(r"oh_[A-Z2-7]{12}")
_LIVE: tuple[str, ...] = ("dom", "screenshot", "network", "console", "facts")
# What has to be captured of a live page for a part of a bundle.
_GATHERED = {
    "dom": ("html", "outline"), "screenshot": ("screenshot",), "phash": ("screenshot",),
    "facts": ("performance",), "network": ("network",), "console": ("console",),
}  # fmt: skip
_CAPTURE_TIMEOUT_S = 10.0
# What a capture may take beyond the caller's time: by default, and if the limit is strict.
_SLOW_PAGE_S = 2.0
_GRACE_S = 0.2
_CALLER_PARTS = ("observed", "gate")


@dataclass(frozen=True, slots=True)
class BundleRequest:
    """The contents of a bundle; see the verb oc_evidence_bundle."""

    include: tuple[str, ...] | None
    target_schema: Any
    class_id: str | None
    network_window_ms: int | None
    timeout_s: float
    contents: bool


@dataclass(frozen=True, slots=True)
class EvidenceService:
    """Captures, stores and checks evidence of tabs."""

    sessions: Sessions
    store: EvidenceStore
    outputs: OutputStore
    sanitizer: Sanitizer

    # --- contracts -------------------------------------------------------------------------

    async def check(self, node: Node, evidence: object) -> dict[str, Any]:
        """Return the report of a contract on supplied evidence, a bundle, or a handle of one."""
        snapshot, provenance = await self._decode_supplied(evidence)
        return await asyncio.to_thread(self._report, node, snapshot, provenance)

    def _report(
        self, node: Node, snapshot: object, provenance: Mapping[str, Any]
    ) -> dict[str, Any]:
        known, unknown = decode_evidence(snapshot)
        exemplars = {
            class_: self.store.exemplars(class_)
            for class_ in sorted(required_evidence(node).classes)
        }
        result = report(node, known, exemplars)
        errors = [f"evidence.{key}: unknown field" for key in unknown]
        clean: dict[str, Any] = redact({**result, "provenance": provenance})
        return {**clean, "validation_errors": errors}

    async def check_live(
        self, node: Node, tab: Tab, wait_s: float, *, strict: bool = False
    ) -> dict[str, Any]:
        """Return the report of a contract on the live page.

        wait_s: the longest time to check again, after each change, until it passes. A slow page has
        2 s more, unless strict.
        """
        entered = time.time() * 1000
        deadline = time.monotonic() + wait_s
        needs = required_evidence(node)
        last: dict[str, Any] = {}
        provenance = {"source": "live", "tab_id": tab.id, "session": tab.session_name}

        async def assess() -> bool:
            # A page that hangs must not keep the verdict back much beyond the caller's own time.
            left_s = max(deadline - time.monotonic(), 0) + (_GRACE_S if strict else _SLOW_PAGE_S)
            patience_s = min(_CAPTURE_TIMEOUT_S, left_s) if wait_s else _CAPTURE_TIMEOUT_S
            snapshot = await capture_evidence(tab, _wanted_parts(needs, patience_s))
            snapshot["contract_enter_ms"] = entered
            if tab.request_log.last_call_at is not None:
                snapshot["last_tool_call_ms"] = tab.request_log.last_call_at * 1000
            result = await asyncio.to_thread(self._report, node, snapshot, provenance)
            last.update(result)
            return bool(result["verdict"] == "pass")

        with self.sessions.chromium.hold():
            async with tab.lock:
                await (wait_until(tab, assess, wait_s) if wait_s else assess())
        return last

    async def _decode_supplied(self, evidence: object) -> tuple[Any, dict[str, Any]]:
        if isinstance(evidence, str) and not evidence.lstrip().startswith("{"):
            return await asyncio.to_thread(
                self._of_bundle, await self._find_bundle(evidence.strip())
            )
        raw = _decode(evidence, "evidence")
        bundle_id = raw.get("bundle_id", raw.get("bundleId"))
        if isinstance(bundle_id, str):
            return await self._decode_supplied(bundle_id)
        inner = raw.get("snapshot")
        provenance = {"source": "supplied"}
        if raw.get("provenance") is not None:
            provenance["supplied_by"] = raw["provenance"]
        if isinstance(inner, Mapping):
            return inner, provenance
        return {key: raw[key] for key in raw if key != "provenance"}, provenance

    def _of_bundle(self, bundle: Bundle) -> tuple[dict[str, Any], dict[str, Any]]:
        found = self.load_parts(bundle)
        logs = {
            name: {"entries": log["entries"]} for name in ("network", "console")
            if (log := found.get(name)) is not None
        }  # fmt: skip
        dropped = {f"{name}_dropped": found[name].get("dropped", 0) for name in logs}
        page_parts = {
            key: found[key] for key in ("html", "screenshot_hash") if found[key] is not None
        }
        snapshot = {**(found["facts"] or {}), **page_parts, **logs, **dropped}
        about = {"bundle_id": bundle.bundle_id, "created_at": bundle.created_at}
        return snapshot, {"source": "bundle", **about, "taken": bundle.source}

    # --- bundles ---------------------------------------------------------------------------

    def load_parts(self, bundle: Bundle) -> dict[str, Any]:
        """Return a bundle's parts as values: html, outline, network, console, facts, hash."""
        store = self.store
        texts = {name: store.part(bundle, part) for name, part in _TEXTS}
        values = {name: store.value(bundle, name) for name in ("network", "console", "facts")}
        decoded = {k: None if v is None else v.decode("utf-8", "replace") for k, v in texts.items()}
        return {**decoded, **values, "screenshot_hash": bundle.screenshot_hash}

    async def _find_bundle(self, reference: str) -> Bundle:
        """Return the bundle of an id, or of the handle of a bundle's result."""
        if not is_bundle_id(reference) and _HANDLE.fullmatch(reference):
            path = await self.outputs.path(reference)
            data = await asyncio.to_thread(path.read_bytes)
            named = _decode(data.decode("utf-8", "replace"), "handle").get("bundle_id")
            if not isinstance(named, str):
                raise OcdError(
                    "invalid_argument", f"{reference} is not the output of oc_evidence_bundle",
                    parameter="evidence", expected="ev_… or a handle of oc_evidence_bundle",
                )  # fmt: skip
            reference = named
        return await asyncio.to_thread(self.store.read, reference)

    async def compare(self, a: str, b: str) -> dict[str, Any]:
        """Return how two bundles differ; see evidence.diff."""
        one, other = await self._find_bundle(a), await self._find_bundle(b)

        def differ() -> dict[str, Any]:
            return {
                "a": _bundle_summary(one), "b": _bundle_summary(other),
                **compare(self.load_parts(one), self.load_parts(other)),
            }  # fmt: skip

        return await asyncio.to_thread(differ)

    async def bundle(
        self, evidence: object, request: BundleRequest, session: str, tab_id: str | None
    ) -> dict[str, Any]:
        """Take a bundle of supplied evidence, or of the live page; return the verb's result."""
        supplied: dict[str, Any] = {}
        if evidence is not None:
            raw = _decode(evidence, "evidence")
            snapshot = raw.get("snapshot", raw)
            decode_evidence(snapshot)
            supplied = dict(snapshot)
        source: Literal["live", "supplied"] = "supplied"
        about: dict[str, Any] = {"session": session}
        include = request.include
        if not supplied.keys() - set(_CALLER_PARTS):
            source, include = "live", include or _LIVE
            tab = self.sessions.get(session).tab(tab_id)
            supplied = {**await self._capture(tab, include, request), **supplied}
            about |= {"tab_id": tab.id}
        about |= {key: supplied[key] for key in ("url", "title") if key in supplied}
        return await asyncio.to_thread(self._store, supplied, include, request, (source, about))

    async def _capture(
        self, tab: Tab, include: Iterable[str], request: BundleRequest
    ) -> dict[str, Any]:
        parts = frozenset(name for part in include for name in _GATHERED.get(part, ()))
        with self.sessions.chromium.hold():
            async with tab.lock:
                capture = CaptureRequest(parts, patience_s=request.timeout_s)
                snapshot = await capture_evidence(tab, capture)
        window = request.network_window_ms
        if window is not None and isinstance(snapshot.get("network"), list):
            since = time.time() * 1000 - window
            snapshot["network"] = [r for r in snapshot["network"] if (r["at_ms"] or 0) >= since]
        return {**snapshot, "captured_at": now()}

    def _store(
        self,
        snapshot: dict[str, Any],
        include: tuple[str, ...] | None,
        request: BundleRequest,
        origin: tuple[str, dict[str, Any]],
    ) -> dict[str, Any]:
        builder = BundleBuilder(snapshot, self.sanitizer)
        parts = include or tuple(builder.parts_with_content)
        if request.target_schema is not None and "schema_diff" not in parts:
            parts = (*parts, "schema_diff")
        builder.pack(parts, request.target_schema)
        source, about = origin
        bundle, pruned = self.store.write(
            builder.pieces,
            Bundle(
                bundle_id=new_bundle_id(), created_at=now(), source=source, about=redact(about),
                parts=[], screenshot_hash=builder.screenshot_hash,
                inconclusive_reason="; ".join(builder.missing) or None,
            ),
        )  # fmt: skip
        result = self._bundle_to_dict(bundle)
        result |= {"schema_diff": builder.schema_diff} if builder.schema_diff else {}
        result |= {"pruned": pruned} if pruned else {}
        if request.class_id:
            result["screenshot_class"] = self._exemplar(request.class_id, builder.screenshot_hash)
        if request.contents:
            result["contents"] = self._contents(bundle)
        return result

    def _bundle_to_dict(self, bundle: Bundle) -> dict[str, Any]:
        return {
            **_bundle_summary(bundle),
            "path": str(self.store.folder(bundle.bundle_id)),
            "size_bytes": bundle.size_bytes,
            "parts": list(dict.fromkeys(part.name for part in bundle.parts)),
            "files": [msgspec.to_builtins(part) for part in bundle.parts],
            "screenshot_hash": bundle.screenshot_hash,
            "inconclusive_reason": bundle.inconclusive_reason,
        }

    def _exemplar(self, class_id: str, picture_hash: str | None) -> dict[str, Any]:
        if picture_hash is None:
            return {"class_id": class_id, "exemplars": len(self.store.exemplars(class_id))}
        return {"class_id": class_id, "exemplars": self.store.add_exemplar(class_id, picture_hash)}

    def _contents(self, bundle: Bundle) -> dict[str, Any]:
        """Return every part's value: text, JSON, or base64 of a picture."""
        found: dict[str, Any] = {}
        for part in bundle.parts:
            data = self.store.part(bundle, part.name) or b""
            if part.mime_type == "application/json":
                found[part.name] = msgspec.json.decode(data)
            elif part.mime_type.startswith("text/"):
                found[part.name] = data.decode("utf-8", "replace")
            else:
                found["screenshot_png_base64"] = base64.b64encode(data).decode()
        return found


_TEXTS = (("html", "dom"), ("outline", "outline"))


def _bundle_summary(bundle: Bundle) -> dict[str, Any]:
    about = {key: bundle.about.get(key) for key in ("url", "title")}
    return {
        "bundle_id": bundle.bundle_id, "created_at": bundle.created_at, "source": bundle.source,
        **about,
    }  # fmt: skip


def _wanted_parts(needs: RequiredEvidence, patience_s: float) -> CaptureRequest:
    texts, counts = tuple(sorted(needs.texts)), tuple(sorted(needs.counts))
    return CaptureRequest(frozenset(needs.parts), texts, counts, patience_s)


def _decode(value: object, place: str) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError) as error:
            raise OcdError(
                "invalid_argument", f"{place}: not JSON: {error}", parameter=place
            ) from None
    if not isinstance(value, dict):
        raise OcdError(
            "invalid_argument", f"{place}: expected an object", parameter=place, expected="object"
        )
    return value
