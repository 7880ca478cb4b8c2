"""Those who call: one session each, on pages that harm; and those who look after one calm tab."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from soak.pages import PATHS, Pages
from support import wire
from support.daemon import Daemon

TIMEOUT_S = 6.0
# How much later than its deadline a call may be answered on a busy machine.
LATE_S = 12.0
# What a fault outside of us gives; everything else in the notes is looked at by a person.
_KEPT_TEXTS = 400


@dataclass
class Notes:
    """What has happened, written by many threads."""

    codes: Counter[str] = field(default_factory=Counter)
    texts: dict[str, Counter[str]] = field(default_factory=dict)
    kills: list[tuple[float, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def at(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began

    def reply(self, verb: str, error: dict[str, Any] | None) -> None:
        with self._lock:
            code = str(error["code"]) if error else "ok"
            self.codes[code] += 1
            if error is not None:
                texts = self.texts.setdefault(code, Counter())
                said = f"{verb}: {error['message'][:300]}"
                if code in ("internal", "browser_failed"):
                    said = f"{self.at:.1f} s, {said} {json.dumps(error)[:1500]}"
                if len(texts) < _KEPT_TEXTS:
                    texts[said] += 1

    def fault(self, text: str) -> None:
        """Record a fault."""
        with self._lock:
            self.faults.append(f"{self.at:.1f} s: {text}")

    def killed(self, kind: str, since: float) -> bool:
        """Whether a process of this kind was killed since then."""
        return any(at >= since and which == kind for at, which in list(self.kills))


@dataclass
class Caller:
    """A session of the soak; `run` goes on until `over` is set."""

    daemon: Daemon
    pages: Pages
    notes: Notes
    over: threading.Event
    number: int
    seed: int

    def __post_init__(self) -> None:
        self.session = f"soak-{self.number}"
        self.random = random.Random(self.seed * 1000 + self.number)

    def call(self, verb: str, **params: object) -> dict[str, Any] | None:
        """Call and record the outcome; return the result, or None after an error."""
        body = wire.call_body(verb, {"timeout_ms": int(TIMEOUT_S * 1000), **params}, self.session)
        started = time.monotonic()
        reply = self._ask(verb, body)
        took = time.monotonic() - started
        if took > TIMEOUT_S + LATE_S:
            self.notes.fault(f"{verb} of {self.session} took {took:.1f} s")
        if reply is None:
            return None
        found = reply.body
        self.notes.reply(verb, found.get("error"))
        if found.get("error", {}).get("code") == "internal":
            self.notes.fault(f"internal: {found}")
        result: dict[str, Any] | None = found.get("result")
        return result

    def _ask(self, verb: str, body: bytes) -> wire.Reply | None:
        try:
            reply = wire.request(
                self.daemon.socket, "POST", "/v1/call", body, headers=wire.JSON_BODY, timeout=60
            )
            _ = reply.body
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.notes.fault(f"{verb} of {self.session} was not answered: {error!r}")
            return None
        return reply


class Visitor(Caller):
    """Opens one page after the other and uses it as agents do."""

    def run(self) -> None:
        while not self.over.is_set():
            self.call("navigate", url=self.pages.url(self.random.choice(PATHS)))
            for _ in range(self.random.randint(1, 6)):
                if self.over.is_set():
                    return
                self._act()

    def _act(self) -> None:
        verb, params = self.random.choice(_ACTS)
        if verb == "crawl":
            params = {"url": self.pages.url("calm"), "max_pages": 3, "engine": "browser"}
        elif verb == "tabs_create":
            params = {"url": self.pages.url(self.random.choice(PATHS))}
        self.call(verb, **params)


_ACTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("read_page", {}),
    ("read_page", {"mode": "markdown"}),
    ("find", {"query": "Send"}),
    ("javascript_tool", {"code": "({title: document.title, list: [1, 2]})"}),
    ("page_screenshot", {}),
    ("interact", {"query": "Send", "action": "click"}),
    ("tabs_context", {}),
    ("tabs_create", {}),
    ("tabs_close", {}),
    ("tabs_close", {}),
    ("console_capture", {"action": "get"}),
    ("network", {"action": "list"}),
    ("cookies", {"action": "get"}),
    ("wait_for", {"type": "selector", "value": "h1"}),
    ("page_reload", {}),
    ("oc_connection_health", {}),
    ("oc_task_list", {}),
    ("crawl", {}),
)


class Keeper(Caller):
    """Owns one calm tab and looks whether it is still what it was."""

    def run(self) -> None:
        while not self.over.is_set():
            since = self.notes.at
            mark = f"{self.session} {since}"
            if self.call("navigate", url=self.pages.url("calm")) and self._mark(mark):
                self._keep(mark, since)

    def _mark(self, mark: str) -> bool:
        return bool(self.call("javascript_tool", code=f"window.kept = {json.dumps(mark)}"))

    def _keep(self, mark: str, since: float) -> None:
        """Check the tab again and again; end when it has changed."""
        while not self.over.wait(1.0):
            found = self._look()
            if found is None or found == mark:
                continue
            # A renderer may be shared with, and be killed as, another tab's of the same site.
            if not self.notes.killed("browser", since) and not self.notes.killed("renderer", since):
                self.notes.fault(f"{self.session} lost its tab: {found}")
            return

    def _look(self) -> str | None:
        """Return what stands in the page, or why nothing does; None if that is not known."""
        body = wire.call_body("javascript_tool", {"code": "window.kept || ''"}, self.session)
        reply = self._ask("javascript_tool", body)
        if reply is None:
            return None
        error = reply.body.get("error")
        self.notes.reply("javascript_tool", error)
        if error is None:
            return str(reply.body["result"]["content"])
        return (
            None if error["code"] in ("timeout", "busy") else f"{error['code']}: {error['message']}"
        )
