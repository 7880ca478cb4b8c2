"""The only importer of pyppeteer: its keyboard and key table, over our CDP sessions."""

import warnings
from collections.abc import Collection
from typing import Any, cast

from ocd.browser.cdp.connection import CdpSession

with warnings.catch_warnings():
    # An old library, whose imports are deprecated: our users need no warning about that.
    warnings.simplefilter("ignore")
    from pyppeteer.input import Keyboard
    from pyppeteer.us_keyboard_layout import keyDefinitions

__all__ = ["Keyboard", "key_code", "key_names", "keyboard"]

# Its table lacks the side of modifier keys, and has four characters only on the number pad.
_CORRECTIONS = {
    "Shift": {"keyCode": 16, "key": "Shift", "code": "ShiftLeft", "location": 1},
    "Control": {"keyCode": 17, "key": "Control", "code": "ControlLeft", "location": 1},
    "Alt": {"keyCode": 18, "key": "Alt", "code": "AltLeft", "location": 1},
    "Meta": {"keyCode": 91, "key": "Meta", "code": "MetaLeft", "location": 1},
    "MetaLeft": {"keyCode": 91, "key": "Meta", "code": "MetaLeft", "location": 1},
    "MetaRight": {"keyCode": 92, "key": "Meta", "code": "MetaRight", "location": 2},
    "+": {"keyCode": 187, "key": "+", "code": "Equal"},
    "-": {"keyCode": 189, "key": "-", "code": "Minus", "shiftKey": "_"},
    "*": {"keyCode": 56, "key": "*", "code": "Digit8"},
    "/": {"keyCode": 191, "key": "/", "code": "Slash", "shiftKey": "?"},
}
keyDefinitions.update(_CORRECTIONS)


def key_names() -> Collection[str]:
    """Return the names of all keys that the keyboard knows."""
    return cast("dict[str, Any]", keyDefinitions).keys()


def key_code(name: str) -> str:
    """Return a key's code (KeyA for a), which also names the key; "" for one without."""
    code = cast("dict[str, dict[str, Any]]", keyDefinitions)[name].get("code", "")
    return code if code in key_names() else ""


def keyboard(cdp: CdpSession) -> Keyboard:
    """Return a keyboard that types into the session's page."""
    return Keyboard(cast(Any, cdp))
