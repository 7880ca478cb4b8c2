"""A page loaded by a hidden tab, as data."""

from dataclasses import dataclass, field
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.page_tools import PageTool

# Types that Chromium shows in a viewer, not as a document that can be read.
_VIEWER_TYPES = (
    "image/",
    "video/",
    "audio/",
    "font/",
    "application/pdf",
    "application/octet-stream",
)


@dataclass(slots=True)
class RawDocument:
    """A response to a navigation: URL, status, headers in order, and the request's headers.

    body: decoded from its content encoding; None if it was not read.
    """

    url: str
    status: int
    reason: str
    headers: list[tuple[str, str]]
    request_headers: list[tuple[str, str]]
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A rendered page: final URL, HTTP status (None without one), the document as HTML.

    Attributes:
        html: invisible elements are marked in it (page_features.UNSEEN), shadow trees are
            declarative. For a document that is not a page (XML, JSON, text), the text itself.
        links: absolute addresses, in page order, with repetitions.
        frames: address and HTML of frames of the page's own origin.
        headers: of its response, names in lower case.
        redirects: address and status of each redirect by a server.
        failed_actions: the actions that could not be performed, and why.
        tools: what its main frame offers agents, if requested.
        raw: documents as their servers sent them, redirects included, if requested.
        files: the requested screenshot and PDF by kind; not_kept: why one is missing.
    """

    url: str
    status: int | None
    content_type: str
    title: str
    html: str
    links: list[str]
    redirected: bool
    frames: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict[str, str])
    redirects: tuple[tuple[str, int], ...] = ()
    failed_actions: tuple[str, ...] = ()
    tools: tuple[PageTool, ...] = ()
    raw: tuple[RawDocument, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    not_kept: tuple[str, ...] = ()


def page_of(url: str, snapshot: dict[str, Any]) -> LoadedPage:
    """Return the page of a snapshot (pool_read.js); not_html for what a viewer shows."""
    content_type = snapshot["type"]
    if content_type.startswith(_VIEWER_TYPES):
        raise OcdError(
            "not_html",
            f"{url} is {content_type}, not a page.",
            url=snapshot["url"],
            status=snapshot["status"] or None,
            content_type=content_type,
        )
    final = snapshot["url"]
    # Schemes without a server report 200, too.
    answered = final.startswith(("http:", "https:"))
    return LoadedPage(
        url=final,
        status=(snapshot["status"] or None) if answered else None,
        content_type=content_type,
        title=snapshot["title"],
        html=snapshot["html"],
        links=snapshot["links"],
        redirected=final.partition("#")[0] != url.partition("#")[0],
        frames=[(address, html) for address, html in snapshot["frames"]],
    )
