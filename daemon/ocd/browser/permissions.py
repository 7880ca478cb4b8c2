"""What pages ask a person for, and nobody here would answer: refused, so that none waits."""

from ocd.browser.cdp import Connection

# Chromium's names of what would open a prompt.
PROMPTS = (
    "geolocation", "notifications", "camera", "microphone", "clipboard-read", "midi",
    "idle-detection", "local-fonts", "window-management", "display-capture", "background-sync",
    "persistent-storage", "nfc",
)  # fmt: skip


def refuse_all(connection: Connection) -> None:
    """Refuse every prompt of every origin in a browser of ours; single origins may be let in."""
    for name in PROMPTS:
        params = {"permission": {"name": name}, "setting": "denied"}
        connection.tell("Browser.setPermission", params)
