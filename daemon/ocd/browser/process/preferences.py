"""Preferences of a profile, for what Chromium has neither a switch nor a CDP command."""

import logging
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.storage.files import make_dir, write_whole

logger = logging.getLogger(__name__)

_PLUGINS, _SAVE_PDFS = "plugins", "always_open_pdf_externally"


def save_pdfs(profile: Path) -> None:
    """Have Chromium download PDF documents, which its viewer shows to nobody without a window.

    A choice that the profile already has stays, and so does a file that cannot be read.
    """
    file = profile / "Default" / "Preferences"
    try:
        known = _read(file)
        if known is None:
            return
        plugins = known.setdefault(_PLUGINS, {})
        if not isinstance(plugins, dict) or _SAVE_PDFS in plugins:
            return
        plugins[_SAVE_PDFS] = True
        make_dir(file.parent)
        write_whole(file, msgspec.json.encode(known))
    except (OcdError, OSError) as error:
        # A full disk must not prevent browsing.
        logger.warning("PDF documents will open in Chromium's viewer: %s", error)


def _read(file: Path) -> dict[str, Any] | None:
    """Return the preferences, {} of a new profile; None if they are not an object of JSON."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        logger.warning("%s cannot be read, and is left as it is: %s", file, error)
        return None
