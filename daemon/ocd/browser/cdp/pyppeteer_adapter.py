"""The parts of pyppeteer that we use, on our own connection; nothing else imports it."""

import warnings
from collections.abc import Collection
from typing import Any, cast

from ocd.browser.cdp.connection import CdpSession, Result

with warnings.catch_warnings():
    # It is an old library: its own imports are deprecated ones, which is no news to our users.
    warnings.simplefilter("ignore")
    from pyppeteer.input import Keyboard, Mouse
    from pyppeteer.us_keyboard_layout import keyDefinitions

__all__ = ["Keyboard", "Mouse", "PyppeteerSession", "key_names", "keyboard", "mouse"]


def key_names() -> Collection[str]:
    """Return the names of all keys that the keyboard knows."""
    return cast("dict[str, Any]", keyDefinitions).keys()


def keyboard(cdp: CdpSession) -> Keyboard:
    """Return a keyboard that types into the session's page."""
    return Keyboard(cast(Any, cdp))


def mouse(cdp: CdpSession, keys: Keyboard) -> Mouse:
    """Return a mouse that moves over the session's page; `keys` has the pressed modifiers."""
    return Mouse(cast(Any, cdp), keys)


class PyppeteerSession(CdpSession):
    """A session for pyppeteer's Page, which knows nested sessions only in their old form."""

    def send(self, method: str, params: dict[str, Any] | None = None) -> Result:
        """Call `method`, in the present form."""
        if method == "Target.setAutoAttach":
            params = {**(params or {}), "flatten": True}
        return super().send(method, params)

    def _createSession(self, target_type: str, session_id: str) -> CdpSession:
        return self.connection.session(session_id)
