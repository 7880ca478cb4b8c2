"""The parts of an evidence bundle: a snapshot's, with secrets masked, as files."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ocd.content.depth_limit import flat_tree
from ocd.contracts import perceptual_hash
from ocd.contracts.snapshot import normalize_keys
from ocd.evidence.schema_diff import diff
from ocd.evidence.store import BundlePart
from ocd.safety import secrets
from ocd.safety.redact import MASK, is_secret_name, redact, redact_text
from ocd.safety.sanitize import Sanitizer

MAX_TEXT = 8_000_000
_MAX_ENTRIES = 10_000
_JSON = "application/json"
_SOURCES = ("html", "outline", "screenshot_png_base64", "network", "console", "gate", "observed")
_encode = msgspec.json.Encoder(order="sorted").encode


class BundleBuilder:
    """Builds a bundle's parts from a snapshot; `missing`: why a part is absent or shortened."""

    def __init__(self, snapshot: Mapping[str, Any], sanitizer: Sanitizer) -> None:
        self._given = {
            key: value for key, value in normalize_keys(snapshot).items() if value is not None
        }
        self._sanitizer = sanitizer
        self.pieces: list[BundlePart] = []
        self.missing: list[str] = []
        self.schema_diff: dict[str, Any] | None = None
        self.screenshot_hash: str | None = None

    @property
    def parts_with_content(self) -> list[str]:
        """The parts that the snapshot has anything for."""
        have = {
            "dom": {"html", "outline"}, "screenshot": {"screenshot_png_base64"},
            "network": {"network"}, "console": {"console"}, "gate": {"gate"},
        }  # fmt: skip
        parts = [part for part, keys in have.items() if keys & self._given.keys()]
        return [*parts, *(["facts"] if self._facts() else [])]

    def pack(self, include: tuple[str, ...], target_schema: Any) -> None:  # noqa: ANN401 - JSON
        """Build the requested parts."""
        self._add_picture()
        makers: dict[str, Callable[[], bool]] = {
            "dom": self._dom, "screenshot": self._screenshot, "phash": self._phash,
            "network": lambda: self._log("network"), "console": lambda: self._log("console"),
            "facts": self._put_facts, "gate": self._gate,
            "schema_diff": lambda: self._schema(target_schema),
        }  # fmt: skip
        for part in dict.fromkeys(include):
            if not makers[part]():
                self.missing.append(f"{part}: {self._missing_reason(part)}")

    def _missing_reason(self, part: str) -> str:
        unavailable = self._given.get("unavailable", {})
        if part == "schema_diff":
            return "it needs target_schema and evidence.observed"
        name = {"dom": "html", "phash": "screenshot"}.get(part, part)
        return str(unavailable.get(name, "the evidence has none"))

    def _add_picture(self) -> None:
        text = self._given.get("screenshot_png_base64")
        if text is not None:
            place = "evidence.screenshot_png_base64"
            self.picture = perceptual_hash.picture_of(str(text), place)
            self.screenshot_hash = perceptual_hash.hash_of(self.picture, place)

    def _add(self, name: str, file: str, mime_type: str, data: bytes) -> bool:
        self.pieces.append(BundlePart(name, file, mime_type, data))
        return True

    def _json(self, name: str, value: object) -> bool:
        return self._add(name, f"{name}.json", _JSON, _encode(secrets.current().mask(value)))

    def _dom(self) -> bool:
        html, outline = self._given.get("html"), self._given.get("outline")
        if html is not None:
            clean = without_secrets(self._cut("dom", str(html)))
            self._add("dom", "dom.html", "text/html", self._sanitise(clean, "html"))
        if outline is not None:
            clean = redact_text(self._cut("outline", str(outline)))
            self._add("outline", "outline.txt", "text/plain", self._sanitise(clean, "text"))
        return html is not None or outline is not None

    def _sanitise(self, text: str, markup: Any) -> bytes:  # noqa: ANN401 - Markup
        masked = secrets.current().mask_text(text)
        return self._sanitizer.clean(masked, markup)[0].encode("utf-8", "replace")

    def _cut(self, name: str, text: str) -> str:
        if len(text) > MAX_TEXT:
            self.missing.append(f"{name}: cut to {MAX_TEXT} of {len(text)} characters")
        return text[:MAX_TEXT]

    def _screenshot(self) -> bool:
        if self.screenshot_hash is None:
            return False
        kind = "png" if self.picture.startswith(b"\x89PNG") else "jpg"
        return self._add("screenshot", f"screenshot.{kind}", f"image/{kind}", self.picture)

    def _phash(self) -> bool:
        known = self.screenshot_hash
        return known is not None and self._json("phash", {"kind": "phash64", "hash": known})

    def _log(self, name: str) -> bool:
        entries = self._given.get(name)
        if isinstance(entries, Mapping):
            entries = entries.get("entries", entries.get("requests"))
        if not isinstance(entries, list):
            return False
        redacted = redact(entries[-_MAX_ENTRIES:])
        dropped = len(entries) - len(redacted) + int(self._given.get(f"{name}_dropped") or 0)
        return self._json(name, {"entries": redacted, "count": len(redacted), "dropped": dropped})

    def _facts(self) -> dict[str, Any]:
        rest = {
            key: value for key, value in self._given.items()
            if key not in _SOURCES and key not in ("unavailable", "contract_facts")
            and not key.endswith("_dropped")
        }  # fmt: skip
        facts = self._given.get("contract_facts")
        return {**(facts if isinstance(facts, dict) else {}), **rest}

    def _put_facts(self) -> bool:
        facts = self._facts()
        return bool(facts) and self._json("facts", redact(facts))

    def _gate(self) -> bool:
        gate = self._given.get("gate")
        return gate is not None and self._json("gate", redact(gate))

    def _schema(self, target: Any) -> bool:  # noqa: ANN401 - any JSON value
        observed = self._given.get("observed")
        if target is None or observed is None:
            return False
        self.schema_diff = diff(target, redact(observed))
        self._json("observed", redact(observed))
        return self._json("schema_diff", self.schema_diff)


def without_secrets(html: str) -> str:
    """Return the HTML with the values of password and other secret fields masked, and tokens."""
    if "value=" in html or "content=" in html:
        tree = flat_tree(html)
        for node in tree.css("input[value], meta[content]"):
            attributes = node.attributes
            names = (attributes.get("name"), attributes.get("id"), attributes.get("autocomplete"))
            secret = attributes.get("type") == "password" or any(
                name and is_secret_name(name) for name in names
            )
            if secret:
                node.attrs["value" if node.tag == "input" else "content"] = MASK
        html = tree.html or html
    return redact_text(html)
