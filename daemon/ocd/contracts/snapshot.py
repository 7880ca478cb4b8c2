"""Evidence: a page's state at one moment, and the parts of it that a contract needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ocd.api.spelling import snake_case
from ocd.contracts.assertions import DomCount, DomText, ScreenshotClass
from ocd.contracts.expression import Node, decode_error, leaves
from ocd.contracts.matching import invalid

_LEVELS = {
    "warn": "warning", "verbose": "debug", "exception": "error", "pageerror": "error",
    "assert": "error", "severe": "error",
}  # fmt: skip
# Other names that callers' snapshots use.
_ALIASES = {
    "dom": "html", "screenshot": "screenshot_png_base64", "phash": "screenshot_hash",
    "facts": "contract_facts", "metrics": "performance",
}  # fmt: skip
_TIMES = ("at_ms", "ts", "timestamp", "at", "started_at", "started", "time")
# Known to the bundle, without a leaf that reads them.
_NOT_JUDGED = frozenset(
    ("observed", "gate", "viewport", "outline", "now_ms", "dialog", "tab_id", "captured_at")
)


class Request(msgspec.Struct, frozen=True):
    """A request; at_ms: when it began, milliseconds since 1970. status None: none came yet."""

    url: str
    method: str | None = None
    status: int | None = None
    error: str | None = None
    at_ms: float | None = None


class Message(msgspec.Struct, frozen=True):
    """A console entry."""

    level: str = "log"
    text: str = ""


Counts = dict[str, Annotated[int, Meta(ge=0)]]


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The known evidence; None: unknown. dom_text: the page's text, or texts by selector.

    In a map, "" stands for the whole page, and null says that nothing matches. *_dropped: older
    entries that were forgotten. unavailable: why something could not be had, by its name.
    """

    url: str | None = None
    title: str | None = None
    dom_text: str | dict[str, str | None] | None = None
    dom_count: Counts | None = None
    html: str | None = None
    network: tuple[Request, ...] | None = None
    network_dropped: int = 0
    console: tuple[Message, ...] | None = None
    console_dropped: int = 0
    performance: dict[str, float | None] | None = None
    screenshot_png_base64: str | None = None
    screenshot_hash: str | None = None
    has_open_dialog: bool | None = None
    contract_enter_ms: float | None = None
    last_tool_call_ms: float | None = None
    unavailable: dict[str, str] = {}


def decode_evidence(snapshot: object, place: str = "evidence") -> tuple[Snapshot, list[str]]:
    """Return the evidence of a snapshot, and the names of its keys that nothing reads.

    Names are taken in both spellings. Raises invalid_argument naming the place.
    """
    if not isinstance(snapshot, Mapping):
        raise invalid(place, "expected an object")
    raw = normalize_keys(snapshot)
    facts = raw.pop("contract_facts", None)
    if isinstance(facts, Mapping):
        # Facts stand for what the snapshot itself does not say.
        raw = {**normalize_keys(facts), **raw}
    unknown = sorted(raw.keys() - set(Snapshot.__struct_fields__) - _NOT_JUDGED)
    if isinstance(raw.get("html"), Mapping):
        raw["html"] = raw["html"].get("html")
    for name, entry in (("network", _request), ("console", _message)):
        if isinstance(raw.get(name), Mapping):
            raw[name] = raw[name].get("entries", raw[name].get("requests"))
        if isinstance(raw.get(name), list):
            raw[name] = [entry(item) for item in raw[name]]
    known = {key: value for key, value in raw.items() if value is not None}
    try:
        return msgspec.convert(known, Snapshot), unknown
    except msgspec.ValidationError as error:
        raise decode_error(error, place) from None


def normalize_keys(snapshot: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the snapshot with its keys under the names that we use."""
    names = {key: snake_case(str(key)) for key in snapshot}
    return {_ALIASES.get(names[key], names[key]): value for key, value in snapshot.items()}


def _request(entry: object) -> object:
    if not isinstance(entry, Mapping):
        return entry
    raw = {snake_case(str(key)): value for key, value in entry.items()}
    raw.setdefault("status", raw.get("status_code"))
    at = next((raw[key] for key in _TIMES if raw.get(key) is not None), None)
    return {**raw, "at_ms": _milliseconds(at)}


def _milliseconds(at: object) -> object:
    if not isinstance(at, str):
        return at
    try:
        return datetime.fromisoformat(at).timestamp() * 1000
    except ValueError:
        return at


def _message(entry: object) -> object:
    if not isinstance(entry, Mapping):
        return entry
    raw = {snake_case(str(key)): value for key, value in entry.items()}
    level = raw.get("level", raw.get("type", "log"))
    text = raw.get("text", raw.get("message", ""))
    return {"level": level_of(level) if isinstance(level, str) else level, "text": text}


def level_of(word: str) -> str:
    """Return our name of a console level: log, info, debug, warning, error, or the word itself."""
    lowered = word.lower()
    return _LEVELS.get(lowered, lowered)


@dataclass(slots=True)
class RequiredEvidence:
    """Parts of evidence by name, texts and counts by selector ("" is the whole page), classes."""

    parts: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    counts: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)

    @property
    def page(self) -> bool:
        """Whether the page itself must answer: while a dialog is open it does not."""
        slow = self.parts & {"performance", "screenshot"}
        return bool(slow or self.texts or self.counts)


def required_evidence(node: Node) -> RequiredEvidence:
    """Return what the contract's leaves read."""
    needs = RequiredEvidence()
    for leaf in leaves(node):
        needs.parts |= {leaf.NEEDS} if leaf.NEEDS else set()
        if isinstance(leaf, DomText):
            needs.texts.add(leaf.selector or "")
        if isinstance(leaf, DomCount):
            needs.counts.add(leaf.selector)
        if isinstance(leaf, ScreenshotClass) and leaf.class_id:
            needs.classes.add(leaf.class_id)
    return needs
