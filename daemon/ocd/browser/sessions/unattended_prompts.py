"""Prompts of Chromium's own that nobody can answer where it has no window.

A file chooser ends at once, as if it was cancelled, and is reported; `file_upload` fills one. A
prompt for a passkey would take all input of the tab until it is closed: it does not open, and the
page's request ends when its time is up.
"""

from ocd.browser.cdp.connection import CdpSession
from ocd.browser.tabs.tab import Tab


class Unattended:
    """A tab's state: its browser has no window that a person could answer prompts in."""


def watch_unattended_prompts(tab: Tab, cdp: CdpSession) -> None:
    """Emit "file_chooser" (its frame's id) at the tab for each one of this target's pages."""
    if tab.state(Unattended) is None:
        tab.set_state(Unattended())
    cdp.on(
        "Page.fileChooserOpened", lambda event: tab.events.emit("file_chooser", event["frameId"])
    )
    cancel_file_choosers(tab, cdp)
    if cdp is tab.cdp:
        cdp.send_nowait("WebAuthn.enable", {"enableUI": False})


def cancel_file_choosers(tab: Tab, cdp: CdpSession) -> None:
    """Have the target's file choosers end at once again, unless somebody sees them."""
    unattended = tab.state(Unattended) is not None
    params = {"enabled": unattended, **({"cancel": True} if unattended else {})}
    cdp.send_nowait("Page.setInterceptFileChooserDialog", params)
