"""A running recording, and what it records of every action."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.browser.tabs.tab import Tab
from ocd.call_context import TouchedElements
from ocd.recording.element_locators import action_line
from ocd.recording.film.camera import Camera
from ocd.recording.store import Recording, RecordingMeta
from ocd.safety.param_redaction import RedactedParams
from ocd.safety.redact import redact, redact_text, redact_url
from ocd.safety.sanitize import Sanitizer
from ocd.verb_api.declaration import Output, Verb

logger = logging.getLogger(__name__)

_WORDS = 600
# How long after an action titles are requested: in a burst on several tabs, once for all.
_SOON_S = 0.01
_TITLE_S = 5.0
_PICTURE_S = 10.0
_QUALITY = 60

_encode = msgspec.json.Encoder().encode
RunVerb = Callable[[], Awaitable[Output]]


@dataclass(slots=True, kw_only=True)
class Action:
    """A call that is about to run: its verb, its parameters as written, and its tab, if any."""

    verb: Verb
    params: RedactedParams
    touched: TouchedElements
    session: str
    tab: Tab | None
    deadline: float | None
    began: datetime = field(default_factory=partial(datetime.now, UTC))
    started: float = 0.0
    entry: dict[str, Any] = field(default_factory=dict)
    ts: str = ""

    def prepare(self) -> None:
        """Spell and redact what does not depend on how the action ends, unless that is done."""
        if not self.ts:
            self.ts = rfc3339(self.began)
            self.params.prepare()


class _Title(NamedTuple):
    """A tab's title: the address at which it was read, the title itself, and the redacted one."""

    url: str
    raw: str
    shown: str


class ActiveRecording:
    """A running recording. `ended` is set once its end is on disk."""

    def __init__(
        self,
        recording: Recording,
        sanitizer: Sanitizer,
        *,
        find_tab: Callable[[str, object], Tab | None],
        on_full: Callable[["ActiveRecording"], None],
    ) -> None:
        """`find_tab` knows a session's tabs by id; `on_full` ends a recording that has enough."""
        self.recording = recording
        # Whether it still takes actions: false as soon as somebody has begun to end it.
        self.is_open = True
        self.ended = asyncio.Event()
        self.on_action: Callable[[bytes], None] = lambda _line: None
        self.camera: Camera | None = None
        self._sanitizer = sanitizer
        self._find_tab = find_tab
        self._on_full = on_full
        # Of each tab: actions by number, with the titles that their lines have.
        self._untitled: dict[Tab, dict[int, str]] = {}
        self._asked: set[asyncio.Future[Any]] = set()
        self._settled = False
        self._titles: WeakKeyDictionary[Tab, _Title] = WeakKeyDictionary()

    @property
    def meta(self) -> RecordingMeta:
        """The recording's meta, with the current number of actions."""
        return self.recording.meta

    async def record(self, action: Action, run: RunVerb) -> Output:
        """Run the action, record it, and return its result or raise its error."""
        action.touched.with_identity = True
        if action.verb.acts and action.tab in self._untitled:
            self._ask_titles()  # of the actions before this one, which may change the title
        action.entry = await self._before(action)
        self._film(action)
        # Done while the page is waited for, if the action waits at all.
        asyncio.get_running_loop().call_soon(action.prepare)
        action.started = time.monotonic()
        try:
            output = await run()
        except BaseException as failure:  # a cancelled action was one, too
            action.entry["duration_ms"] = _since(action)
            self._write(action, None, _code_of(failure, action))
            raise
        action.entry["duration_ms"] = _since(action)
        await self._after(action, output)
        self._write(action, output, None)
        return output

    async def _before(self, action: Action) -> dict[str, Any]:
        tab = action.tab
        if tab is None:
            return {}
        entry: dict[str, Any] = {
            "tab_id": tab.id,
            "url_before": _shown_url(tab.url or "about:blank"),
        }
        known = self._titles.get(tab)
        if known is None or known.url != tab.url:
            await self._ask_title(tab)
        entry["title_before"] = self._title(tab)
        if self.meta.screenshots in ("before", "both"):
            await self._picture(tab, entry, "before")
        return entry

    async def _after(self, action: Action, output: Output) -> None:
        entry, data = action.entry, output.data if isinstance(output.data, dict) else {}
        tab = action.tab or self._find_tab(action.session, data.get("tab_id"))
        if tab is None or tab.closed:
            return
        entry |= {"tab_id": tab.id, "url_after": _shown_url(tab.url)}
        if self.camera is not None:
            self.camera.show(tab)
        changed = data.get("changed")
        title = data.get("title", changed.get("title") if isinstance(changed, dict) else None)
        if isinstance(title, str):
            self._store_title(tab, title)
        entry["title_after"] = self._title(tab)
        if self.meta.screenshots in ("after", "both"):
            await self._picture(tab, entry, "after")
        action.tab = tab

    def _film(self, action: Action) -> None:
        """Caption the film with the action. Its value, which may be a password, is added later."""
        if self.camera is not None:
            if action.tab is not None:
                self.camera.show(action.tab)
            self.camera.caption(self.meta.action_count + 1, action_line({"verb": action.verb.name}))
            action.entry["film_s"] = round(self.camera.position_s, 2)

    async def _ask_title(self, tab: Tab) -> None:
        with suppress(TimeoutError, OcdError):
            async with asyncio.timeout(_TITLE_S):
                self._store_title(tab, await tab.title())

    def _title(self, tab: Tab) -> str:
        known = self._titles.get(tab)
        return known.shown if known else ""

    def _store_title(self, tab: Tab, title: str) -> None:
        known = self._titles.get(tab)
        if known is not None and known.raw == title:
            clean_title = known.shown
        else:
            clean_title = redact_text(self._sanitizer.clean(title)[0])
        self._titles[tab] = _Title(tab.url, title, clean_title)

    async def _picture(self, tab: Tab, entry: dict[str, Any], when: str) -> None:
        """Take a screenshot and name it in the entry, or record why there is none."""
        name = f"{self.meta.action_count + 1:06}-{when}.webp"
        try:
            async with asyncio.timeout(_PICTURE_S):
                data = await tab.screenshot(format="webp", quality=_QUALITY)
            took = await asyncio.to_thread(self.recording.add_picture, name, data)
        except (OcdError, TimeoutError) as error:
            entry["screenshot_error"] = getattr(error, "code", "timeout")
            return
        entry.update(
            {f"screenshot_{when}": name} if took else {"screenshot_error": "limit_reached"}
        )

    def _write(self, action: Action, output: Output | None, error: dict[str, Any] | None) -> None:
        if action.touched.nested_calls or not self.is_open:
            return  # its calls were written one by one, or the recording has ended meanwhile
        seq = self.meta.action_count + 1
        code = error["code"] if error else None
        action.prepare()
        entry = {
            "seq": seq,
            "ts": action.ts,
            "verb": action.verb.name,
            "params": action.params.written(action.touched.password_fields, code),
            "ok": error is None,
            "reads": not action.verb.acts,
            "error": error,
            **describe_targets(action.touched),
            **action.entry,
            **self._changes(action.verb, output),
        }
        if self.camera is not None:
            self.camera.caption(seq, action_line(entry) + (f": {code}" if code else ""))
        line = _encode(entry)
        try:
            self.recording.append(line)
            self.on_action(line)
        except OcdError as failure:
            logger.warning("An action is not recorded: %s", failure)
            self.meta.lost += 1
            return
        if output is not None and action.tab is not None and action.verb.acts:
            self._ask_title_of(action.tab, seq)
        if self.recording.full:
            self._on_full(self)

    def _ask_title_of(self, tab: Tab, seq: int) -> None:
        # After the answer has gone out, and before the tab's next action begins.
        if not self._untitled:
            asyncio.get_running_loop().call_later(_SOON_S, self._ask_titles)
        self._untitled.setdefault(tab, {})[seq] = self._title(tab)

    def _ask_titles(self) -> None:
        """Request the titles of pages after their actions, without waiting."""
        untitled, self._untitled = self._untitled, {}
        for tab, titles in untitled.items():
            if not tab.closed:
                reply = tab.ask_title()
                self._asked.add(reply)
                reply.add_done_callback(partial(self._on_title, tab, titles))

    def _on_title(self, tab: Tab, titles: dict[int, str], reply: asyncio.Future[Any]) -> None:
        self._asked.discard(reply)
        if reply.cancelled() or reply.exception() or self._settled:
            return
        self._store_title(tab, str(reply.result()["targetInfo"]["title"]))
        title = self._title(tab)
        with suppress(OcdError):
            for seq in (seq for seq, known in titles.items() if known != title):
                self.recording.retitle(seq, title)

    async def settle(self) -> None:
        """Wait for the requested titles; later ones are not written any more."""
        self._ask_titles()
        try:
            if self._asked:
                await asyncio.wait(set(self._asked), timeout=_TITLE_S)
        finally:
            self._settled = True

    def _changes(self, verb: Verb, output: Output | None) -> dict[str, Any]:
        """Return the changes that the action's reply reports, sanitised like the reply itself."""
        data = output.data if output is not None else None
        if output is None or not isinstance(data, dict) or "changed" not in data:
            return {}
        clean = self._sanitizer
        changed, found = clean.clean_values(data["changed"], verb.page_keys)
        words, more = clean.clean((output.content or "")[:_WORDS])
        lines = redact_text(words).splitlines()
        return {"changed": redact(changed), "lines": lines, **(found + more).field()}

    def __repr__(self) -> str:
        return f"ActiveRecording({self.recording!r})"


_shown_url = lru_cache(256)(redact_url)


def _since(action: Action) -> float:
    return round((time.monotonic() - action.started) * 1000, 1)


def _code_of(failure: BaseException, action: Action) -> dict[str, Any]:
    if isinstance(failure, OcdError):
        return {"code": failure.code, "message": redact_text(failure.message)[:_WORDS]}
    if isinstance(failure, asyncio.CancelledError):
        late = action.deadline is not None and time.monotonic() >= action.deadline
        code = "timeout" if late else "cancelled"
        return {"code": code, "message": f"{action.verb.name} was cut short"}
    return {"code": "internal", "message": type(failure).__name__}


def describe_targets(touched: TouchedElements) -> dict[str, Any]:
    """Return the elements that the action touched; `target` is the first of them."""
    targets = [describe_target(element.named, element.about) for element in touched.elements]
    if not targets:
        return {}
    return {"target": targets[0]} | ({"targets": targets} if len(targets) > 1 else {})


def describe_target(named: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return an element as recordings have it, without secrets: as it was named, and what it is."""
    identity = dict(about.get("identity", {}))
    attributes = {
        name: redact_url(value) if name == "href" else redact_text(value)
        for name, value in identity.pop("attributes", {}).items()
    }
    words = {key: redact_text(str(value)) for key, value in identity.items()}
    named_as = {"named": redact_text(named), "role": about["role"]}
    name = {"name": redact_text(about["name"])}
    secret = {"secret": True} if about["secret"] else {}
    return {**named_as, **name, **secret, **words, "attributes": attributes}
