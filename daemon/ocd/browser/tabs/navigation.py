"""Navigation, from the call to the requested load state, and its errors."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.cdp.connection import Result
from ocd.browser.process.downloads import Download
from ocd.browser.tabs.hung_pages import end_hung_script
from ocd.browser.tabs.page_loads import PageLoad
from ocd.browser.tabs.page_target import PageTarget
from ocd.safety import certificate_errors
from ocd.safety.host_canonical import netloc_of

Wait = Literal["load", "dom", "idle", "commit"]

LIFECYCLE = {"load": "load", "dom": "DOMContentLoaded", "idle": "networkIdle"}
# Errors that only mean that the server sent an error status without a page.
STATUS_ONLY = ("net::ERR_HTTP_RESPONSE_CODE_FAILURE", "net::ERR_INVALID_AUTH_CREDENTIALS")
_NO_CONTENT = (204, 205)
_MAX_STARTS = 3  # of one navigation, if the page navigates by itself meanwhile
# Before going back to a certificate error, Chromium looks for a captive portal for 3 s.
_ERROR_PAGE_S = 5.0
# Seconds to wait for the file that a navigation turned out to be.
DOWNLOAD_S = 10.0
Downloading = asyncio.Future[Download]


@dataclass(frozen=True, slots=True)
class Navigation:
    """Where a navigation ended; status None without an HTTP response (about:, data:, file:).

    broken_off: why the page is incomplete, if its load ended early.
    """

    url: str
    status: int | None
    title: str
    redirected: bool = False
    content_type: str = ""
    broken_off: str = ""


async def navigate(tab: PageTarget, url: str, wait: Wait) -> Navigation:
    """Load `url`, which the caller has checked, and wait. Raises as Tab.navigate."""
    with _leaving(tab):
        return await _navigate_and_wait(tab, url, wait)


@contextlib.contextmanager
def _leaving(tab: PageTarget) -> Iterator[None]:
    """In the block the current page is left, even if it keeps asking or never answers."""
    count, previous = tab.page_loads.navigation_count, tab.page_loads.current
    # What the next page asks is answered.
    declining = tab.dialogs.decline_while(lambda: tab.page_loads.current is previous)
    with declining, end_hung_script(tab, lambda: tab.page_loads.navigation_count > count):
        yield


async def _navigate_and_wait(tab: PageTarget, url: str, wait: Wait) -> Navigation:
    await _prepare(tab)
    count = tab.page_loads.navigation_count
    try:
        for _ in range(_MAX_STARTS):
            own_requests = tab.page_loads.own_requests
            reply, started_download = await _start_navigation(tab, url)
            aborted = reply.get("errorText") == "net::ERR_ABORTED" and not reply.get("isDownload")
            if not aborted or tab.page_loads.own_requests == own_requests:
                break
            # For some seconds after a click, a page may navigate by itself instead of being left.
        else:
            raise OcdError(
                "navigation_failed",
                f"{url} was not opened: the page navigated by itself instead, {_MAX_STARTS} times.",
                hint=f"Open it in another tab: {tool_call('tabs_create', url=url)}", url=url,
            )  # fmt: skip
        error = reply.get("errorText", "")
        document = tab.page_loads.of(reply["loaderId"]) if "loaderId" in reply else None
        if reply.get("isDownload"):
            raise await _download_error(url, started_download)
        if document is None and not error:
            # Only the fragment differs, so the document stays.
            await tab.page_loads.wait_until(lambda: tab.page_loads.navigation_count > count)
            return await _result_of(tab, redirected=False)
        if error:
            document = document or tab.page_loads.failed or PageLoad("", error=error)
            document.error = document.error or error
            await _error_page(tab, document)
            raise_load_error(document, url)
        assert document
        started = document
        await tab.page_loads.wait_until(lambda: started.committed)
        await _wait_for_load(tab, wait)
    except asyncio.CancelledError:
        stop_loading(tab)
        raise
    current = tab.page_loads.current
    if current is not document:
        raise_if_unreachable(current, hint=f"{url} was loaded, and went on to it by itself.")
    return await _result_of(tab, redirected=current is not document or current.redirects > 0)


async def _start_navigation(tab: PageTarget, url: str) -> tuple[dict[str, Any], Downloading]:
    started_download: Downloading = asyncio.get_running_loop().create_future()

    def on_download(download: Download) -> None:
        if not started_download.done():
            started_download.set_result(download)

    tab.events.on("download", on_download)
    try:
        reply = await tab.cdp.send("Page.navigate", {"url": url})
        if reply.get("isDownload"):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await asyncio.shield(started_download)
    finally:
        tab.events.off("download", on_download)
    return reply, started_download


async def _download_error(url: str, started_download: Downloading) -> OcdError:
    """Return the error that says where the file is, or that it is still downloading."""
    if not started_download.done():
        return download_started_error(url)
    file = started_download.result()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DOWNLOAD_S):
            await file.wait_done()
    error = download_started_error(url)
    details = file.to_dict()
    states = {"completed": "It was saved", "in_progress": "It is still being downloaded"}
    path = details.get("path", details["file"])
    known = file.state in states
    error.hint = f"{states[file.state]}: {path}" if known else f"The download was {file.state}."
    error.details |= {
        "download": details,
        **({"path": details["path"]} if "path" in details else {}),
    }
    return error


async def _error_page(tab: PageTarget, document: PageLoad) -> None:
    # Until the error page has loaded, the target does not answer; an aborted load has none.
    if document.loader_id and document.error != "net::ERR_ABORTED":
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ERROR_PAGE_S):
                await tab.page_loads.wait_until(lambda: "load" in document.reached)


async def reload(tab: PageTarget, wait: Wait, *, ignore_cache: bool) -> Navigation:
    """Load the current page again and wait."""
    if tab.crashed:
        # The crashed renderer would never answer a reload.
        return await navigate(tab, tab.url or "about:blank", wait)
    call = tab.cdp.send("Page.reload", {"ignoreCache": ignore_cache})
    return await _wait_for_navigation(tab, call, wait, tab.url)


async def go_in_history(tab: PageTarget, steps: int, wait: Wait) -> Navigation:
    """Go that many entries forward (negative: back) in the tab's history and wait.

    Raises navigation_failed if there is no such entry, and what the request guard raises.
    """
    await _prepare(tab)
    history = await tab.cdp.send("Page.getNavigationHistory")
    index = history["currentIndex"] + steps
    if not 0 <= index < len(history["entries"]):
        direction = "back" if steps < 0 else "forward"
        raise OcdError("navigation_failed", f"There is no page to go {direction} to.")
    entry = history["entries"][index]
    await tab.guard.check(entry["url"])
    call = tab.cdp.send("Page.navigateToHistoryEntry", {"entryId": entry["id"]})
    return await _wait_for_navigation(tab, call, wait, entry["url"])


async def _wait_for_navigation(tab: PageTarget, call: Result, wait: Wait, url: str) -> Navigation:
    documents = tab.page_loads
    count, failed = documents.navigation_count, documents.failed
    try:
        with _leaving(tab):
            await _prepare(tab)
            await call
            await documents.wait_until(lambda: documents.navigation_count > count)
        if documents.failed is not None and documents.failed is not failed:
            await _error_page(tab, documents.failed)
            raise_load_error(documents.failed, url)
        await _wait_for_load(tab, wait)
        if documents.current.error and not documents.current.broken_off:
            raise_load_error(documents.current, url)
    except asyncio.CancelledError:
        stop_loading(tab)
        raise
    return await _result_of(tab, redirected=documents.current.redirects > 0)


async def _prepare(tab: PageTarget) -> None:
    if tab.closed:
        tab.check_usable()
    if tab.opened_dialog is not None:
        # The page is left without an answer to its dialog, which may have closed meanwhile.
        try:
            await tab.answer_dialog(accept=False)
        except OcdError as error:
            if error.code != "not_found":
                raise
    # The navigation starts a new renderer.
    tab.revive()


async def _wait_for_load(tab: PageTarget, wait: Wait) -> None:
    # A page that redirects by script is followed: the current document counts.
    documents = tab.page_loads
    if wait != "commit":
        word = LIFECYCLE[wait]
        await documents.wait_until(lambda: documents.current.has_reached(word))


async def _result_of(tab: PageTarget, *, redirected: bool) -> Navigation:
    document = tab.page_loads.current
    title = await tab.title()
    return Navigation(
        tab.url, document.status, title, redirected, document.mime_type, document.broken_off
    )


def stop_loading(tab: PageTarget) -> None:
    """Stop loading, without waiting."""
    if not tab.closed:
        tab.cdp.send_nowait("Page.stopLoading")


def download_started_error(url: str) -> OcdError:
    """Return the error for a URL that turned out to be a download."""
    hint = "The page stays where it was."
    return OcdError("download_started", f"{url} is a download, not a page.", hint=hint, url=url)


def raise_load_error(document: PageLoad, url: str) -> None:
    """Raise the error of a failed page load; return if there was an HTTP response after all."""
    error = document.error
    if error in STATUS_ONLY and document.status:
        return
    raise load_error(url, error, document.status, aborted_is_download=False)


def raise_if_unreachable(document: PageLoad, *, hint: str = "") -> None:
    """Raise the load's error if Chromium shows an error page instead of the document."""
    if document.unreachable:
        try:
            raise_load_error(document, document.unreachable)
        except OcdError as error:
            error.hint = error.hint or hint
            raise


def load_error(url: str, error: str, status: int | None, *, aborted_is_download: bool) -> OcdError:
    """Return the error for CDP's error text of a main document's load.

    aborted_is_download: an aborted load that is not explained otherwise has become a download.
    """
    if untrusted := certificate_errors.certificate_error(url, netloc_of(url), error):
        return untrusted
    details: dict[str, Any] = {"url": url, "net_error": error}
    if error == "net::ERR_TOO_MANY_REDIRECTS":
        return OcdError("too_many_redirects", f"{url} redirects endlessly.", **details)
    if error == "net::ERR_BLOCKED_BY_CLIENT":
        return OcdError("domain_blocked", f"The policy blocks {url} or its redirect.", **details)
    if error == "net::ERR_ABORTED" and status in _NO_CONTENT:
        message = f"{url} returned {status} without a page; the tab stays where it was."
        return OcdError("navigation_failed", message, status=status, **details)
    if error == "net::ERR_ABORTED" and aborted_is_download:
        return download_started_error(url)
    return OcdError("navigation_failed", f"{url}: {error.removeprefix('net::')}", **details)
