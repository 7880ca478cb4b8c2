"""Pages as PDF."""

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocd.api.errors import OcdError
from ocd.browser.cdp.io_stream import read_stream
from ocd.storage.files import write_whole

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab

# Width and height in inches.
PAPER: dict[str, tuple[float, float]] = {
    "A3": (11.69, 16.54), "A4": (8.27, 11.69), "A5": (5.83, 8.27), "Letter": (8.5, 11),
    "Legal": (8.5, 14), "Tabloid": (11, 17),
}  # fmt: skip
_INCHES = {"": 1 / 96, "px": 1 / 96, "pt": 1 / 72, "in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4}
MAX_BYTES = 512 << 20


@dataclass(frozen=True, slots=True)
class PdfFile:
    """Where a PDF was written, and how large it is in bytes."""

    path: Path
    size: int


def inches(name: str, text: str) -> float:
    """Return a length (1cm, 10mm, 0.5in, 20px, 12pt; a number is pixels) in inches.

    Raises invalid_argument, naming the parameter.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)\s*(px|pt|in|cm|mm)?", text.strip().lower())
    if match is None:
        raise OcdError(
            "invalid_argument", f"page_pdf: parameter '{name}': not a length: {text}",
            hint="For example 1cm, 10mm, 0.5in or 20px.", parameter=name,
        )  # fmt: skip
    return float(match[1]) * _INCHES[match[2] or ""]


async def write(tab: "Tab", path: Path, options: dict[str, Any]) -> PdfFile:
    """Print the page with CDP's options to a file, in pieces.

    Raises invalid_argument for page ranges that do not exist, too_large, storage_*.
    """
    tab.check_usable()
    params = {**options, "transferMode": "ReturnAsStream"}
    try:
        stream = (await tab.cdp.send("Page.printToPDF", params))["stream"]
    except OcdError as error:
        if error.code == "cdp_error" and "range" in error.message.lower():
            raise OcdError(
                "invalid_argument", f"page_pdf: {error.message.partition(': ')[2]}",
                hint="For example 1-3, 5.", parameter="page_ranges",
            ) from None  # fmt: skip
        raise
    reading = read_stream(tab.cdp, stream, what="The PDF", max_bytes=MAX_BYTES)
    pieces = [piece async for piece in reading]
    return PdfFile(path, await asyncio.to_thread(write_whole, path, pieces))
