"""Permission prompts of pages: refused and reported, because nobody could answer them.

Chromium has no event for a refused prompt. A script in the page's own world, which runs before the
page's scripts, reports what the page requests; the page can notice only its proxies.
"""

from dataclasses import dataclass

import msgspec

from ocd.browser.cdp.connection import CdpSession
from ocd.browser.sessions import page_reports
from ocd.browser.tabs.tab import Tab


@dataclass(frozen=True, slots=True)
class PermissionPrompt:
    """A permission that a page requested: Chromium's name for it, and denied or granted."""

    name: str
    state: str


def watch_prompts(tab: Tab, cdp: CdpSession) -> None:
    """Emit "prompt" (PermissionPrompt) at the tab for each prompt of this target's pages."""

    def on_report(text: str) -> None:
        tab.events.emit("prompt", msgspec.json.decode(text, type=PermissionPrompt))

    page_reports.listen(cdp, "tabs/permission_prompts", on_report)
