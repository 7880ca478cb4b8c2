"""What pages ask a person for, and nobody here would answer: refused and told, so that none waits.

Chromium has no event for a prompt that is refused. A script in the page's own world, which runs
before the page's, says which ones it asks for; the page finds no trace of it but proxies.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from secrets import token_hex

import msgspec

from ocd.browser.cdp.connection import CdpSession, Connection, Event
from ocd.browser.tabs.evaluate import ENABLED_AGAIN
from ocd.browser.tabs.tab import Tab

# Chromium's names of what would open a prompt.
PROMPTS = (
    "geolocation", "notifications", "camera", "microphone", "clipboard-read", "midi",
    "idle-detection", "local-fonts", "window-management", "display-capture", "background-sync",
    "persistent-storage", "nfc",
)  # fmt: skip
# No page can guess it, and none finds it: it is deleted before the page's scripts run.
_BINDING = f"b{token_hex(8)}"


@dataclass(frozen=True, slots=True)
class PermissionPrompt:
    """One that a page has asked for: Chromium's name of it, and denied or granted."""

    name: str
    state: str


def refuse_all(connection: Connection, context_id: str = "") -> None:
    """Refuse every prompt of every origin in a browser of ours; single origins may be let in.

    context_id: in that browser context (default: the profile's).
    """
    there = {"browserContextId": context_id} if context_id else {}
    for name in PROMPTS:
        params = {"permission": {"name": name}, "setting": "denied", **there}
        connection.tell("Browser.setPermission", params)


def watch(tab: Tab, cdp: CdpSession) -> None:
    """Emit "prompt" (Prompt) at the tab for each one that a page of this target asks for."""

    def called(event: Event) -> None:
        if event["name"] == _BINDING:
            tab.events.emit("prompt", msgspec.json.decode(event["payload"], type=PermissionPrompt))

    cdp.on("Runtime.bindingCalled", called)
    cdp.on(ENABLED_AGAIN, lambda: _bind(cdp))
    _bind(cdp)
    cdp.tell("Page.addScriptToEvaluateOnNewDocument", {"source": _source()})


def _bind(cdp: CdpSession) -> None:
    cdp.tell("Runtime.addBinding", {"name": _BINDING})


@cache
def _source() -> str:
    text = Path(__file__).with_name("page").joinpath("prompts.js").read_text(encoding="utf-8")
    return f"({text.partition(chr(10))[2]})({_BINDING!r})"
