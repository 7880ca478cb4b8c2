"""Permission prompts of pages: refused and reported, because nobody could answer them.

Chromium has no event for a refused prompt. A script in the page's own world, which runs before the
page's scripts, reports what the page requests; the page can notice only its proxies.
"""

from dataclasses import dataclass
from secrets import token_hex

import msgspec

from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.injected import script
from ocd.browser.tabs.evaluate import ENABLED_AGAIN
from ocd.browser.tabs.tab import Tab

# No page can guess it or find it: it is deleted before the page's scripts run.
_BINDING = f"b{token_hex(8)}"


@dataclass(frozen=True, slots=True)
class PermissionPrompt:
    """A permission that a page requested: Chromium's name for it, and denied or granted."""

    name: str
    state: str


def watch_prompts(tab: Tab, cdp: CdpSession) -> None:
    """Emit "prompt" (PermissionPrompt) at the tab for each prompt of this target's pages."""

    def on_binding_called(event: Event) -> None:
        if event["name"] == _BINDING:
            tab.events.emit("prompt", msgspec.json.decode(event["payload"], type=PermissionPrompt))

    cdp.on("Runtime.bindingCalled", on_binding_called)
    cdp.on(ENABLED_AGAIN, lambda: _add_binding(cdp))
    _add_binding(cdp)
    cdp.send_nowait(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": f"({script('tabs/permission_prompts')})({_BINDING!r})"},
    )


def _add_binding(cdp: CdpSession) -> None:
    cdp.send_nowait("Runtime.addBinding", {"name": _BINDING})
