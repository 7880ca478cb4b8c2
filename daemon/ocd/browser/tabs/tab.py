"""A tab, as verbs use it."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ocd.browser.tabs import navigation, wait_for
from ocd.browser.tabs.dialogs import Dialog
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.navigation import Navigation, Wait
from ocd.browser.tabs.page_target import PageTarget, RefusedPopup
from ocd.browser.tabs.screenshot import Clip, Format, ScreenshotRequest, take_screenshot

if TYPE_CHECKING:
    from ocd.browser.cdp.pyppeteer_adapter import Keyboard

__all__ = ["Dialog", "Frame", "Navigation", "RefusedPopup", "Tab", "Wait"]


class Tab(PageTarget):
    """A page of a session: navigates, waits, takes screenshots, types."""

    async def navigate(self, url: str, wait: Wait = "load") -> Navigation:
        """Go to `url` (already normalised); the caller limits the time.

        Raises navigation_failed, too_many_redirects, download_started, domain_blocked, dialog_open.
        """
        await self.guard.check(url)
        return await navigation.navigate(self, url, wait)

    async def reload(self, *, ignore_cache: bool = False, wait: Wait = "load") -> Navigation:
        """Load the page again; a crashed tab is usable afterwards."""
        return await navigation.reload(self, wait, ignore_cache=ignore_cache)

    async def back(self, wait: Wait = "load") -> Navigation:
        """Go one entry back; navigation_failed if there is none."""
        return await navigation.go_in_history(self, -1, wait)

    async def forward(self, wait: Wait = "load") -> Navigation:
        """Go one entry forward; navigation_failed if there is none."""
        return await navigation.go_in_history(self, 1, wait)

    async def screenshot(
        self,
        *,
        full_page: bool = False,
        clip: Clip | None = None,
        format: Format = "png",  # noqa: A002 - CDP's word
        quality: int | None = None,
    ) -> bytes:
        """Return an image of the viewport, the page, or a part of the page.

        clip: x, y, width, height in CSS pixels of the page. quality: 0 to 100, for jpeg and webp.
        An area that is too large for one image is scaled down and cut; see take_screenshot. Raises
        invalid_argument for an area without size.
        """
        shot = ScreenshotRequest(full_page, clip, format, quality)
        return (await take_screenshot(self, shot)).data

    async def wait_for(
        self, kind: str, value: str = "", *, timeout_s: float = 30, visible: bool = False
    ) -> Any:  # noqa: ANN401
        """Wait for a condition, see tabs/wait_for.py; timeout after `timeout_s`."""
        self.check_usable()
        return await wait_for.wait_for(self, kind, value, timeout_s, visible=visible)

    @cached_property
    def keyboard(self) -> "Keyboard":
        """Pyppeteer's keyboard of this tab."""
        from ocd.browser.cdp.pyppeteer_adapter import keyboard  # pyppeteer costs 100 ms and 20 MB

        return keyboard(self.cdp)
