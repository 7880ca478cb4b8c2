"""Links to other programs (`tel:`, `mailto:`, `zoommtg:`): reported, and not followed.

Chromium starts the user's mail program for `mailto:`, and asks about others in a prompt that nobody
sees, which takes all input of the tab until another site is opened in it. A script in the page's
own world prevents both. It cannot do so for the first address of an `iframe`, and where a server
redirects to such an address: then the mail program was started, or a prompt may be open, which is
kept with the tab.
"""

from dataclasses import dataclass

from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.sessions import page_reports
from ocd.browser.tabs.tab import Tab

# Chromium's schemes for what it shows itself, no longer ftp:; also chrome:, chrome-error: and the
# like.
_OWN_SCHEMES = frozenset(
    (
        *("http", "https", "about", "blob", "data", "file", "filesystem", "javascript"),
        *("view-source", "devtools"),
    )
)
# What Chromium starts a program for without asking.
_STARTING_SCHEMES = frozenset(("mailto",))


@dataclass(frozen=True, slots=True)
class StartedProgram:
    """That Chromium has handed `url`, where a tab was to go, to another program."""

    url: str


@dataclass(frozen=True, slots=True)
class ExternalPrompt:
    """A prompt that may be open in a tab, asking whether to open `url` in another program."""

    url: str


def watch_external_links(tab: Tab, cdp: CdpSession) -> None:
    """Emit "external_link" (its URL) at the tab for each such link of this target's pages.

    Or "program_started", where that could not be prevented.
    """

    def on_link(url: str) -> None:
        tab.events.emit("external_link", url)

    def on_navigation(url: str) -> None:
        if _scheme_of(url) in _STARTING_SCHEMES:
            tab.set_state(StartedProgram(url))
            tab.events.emit("program_started", url)
        elif _is_external(url):
            tab.set_state(ExternalPrompt(url))
            on_link(url)

    def on_request(event: Event) -> None:
        if "redirectResponse" in event:
            on_navigation(event["request"]["url"])

    page_reports.listen(cdp, "tabs/external_links", on_link, sorted(_OWN_SCHEMES))
    cdp.on("Page.frameRequestedNavigation", lambda event: on_navigation(event["url"]))
    cdp.on("Network.requestWillBeSent", on_request)


def _scheme_of(url: str) -> str:
    scheme, colon, _ = url.partition(":")
    return scheme.lower() if colon else ""


def _is_external(url: str) -> bool:
    scheme = _scheme_of(url)
    return bool(scheme) and scheme not in _OWN_SCHEMES and not scheme.startswith("chrome")
