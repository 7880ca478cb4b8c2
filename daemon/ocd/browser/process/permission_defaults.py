"""Permission prompts, refused for all origins from the start: nobody could answer them."""

from ocd.browser.cdp.connection import Connection

# Chromium's names for the permissions that would open a prompt.
PROMPTS = (
    "geolocation", "notifications", "camera", "microphone", "clipboard-read", "midi",
    "idle-detection", "local-fonts", "window-management", "display-capture", "background-sync",
    "persistent-storage", "nfc",
)  # fmt: skip


def refuse_all(connection: Connection, context_id: str = "") -> None:
    """Refuse all prompts of all origins in our browser; single origins may be allowed later.

    context_id: in that browser context (default: the profile's).
    """
    context = {"browserContextId": context_id} if context_id else {}
    for name in PROMPTS:
        params = {"permission": {"name": name}, "setting": "denied", **context}
        connection.send_nowait("Browser.setPermission", params)
