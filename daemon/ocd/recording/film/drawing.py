"""What is drawn into a video frame: the tab, masks, where an agent acts, and the caption."""

import io
import subprocess
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from ocd.recording.film.picture import Box, Picture

CAPTION_HEIGHT = 36
MAX_SIDE = 1280
_FONT_SIZE = 17
_FONT_S = 10.0
_INK, _PAPER = "#ffffff", "#1d2329"
_ACTED_ON, _COVER = "#e8590c", "#868e96"
_POINTER = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))
_MAX_CAPTION = 300
# The font that comes with Pillow has the letters up to here, and punctuation (from U+2010 on).
_LAST_LATIN = "\u024f"
_PUNCTUATION = range(0x2010, 0x2030)


class Canvas:
    """The film's canvas, as large as its first picture; others are fitted into it."""

    def __init__(self, first: Picture) -> None:
        page = _decode(first.jpeg)
        self._page = page
        self._scale = 1.0
        self._top = 0.0
        self._page_offset = (0, 0)
        self.size = (_even(page.width), _even(page.height) + CAPTION_HEIGHT)

    def draw(self, picture: Picture) -> Image.Image:
        """Return the film's picture: the tab as it was last sent, with what this one adds."""
        if picture.jpeg:
            self._show(picture)
        image = Image.new("RGB", self.size, _PAPER)
        image.paste(self._page, self._page_offset)
        pen = ImageDraw.Draw(image)
        if picture.box is not None:
            pen.rectangle(self._to_pixels(picture.box, 3), outline=_ACTED_ON, width=3)
        if picture.mouse is not None:
            x, y, *_ = self._to_pixels((*picture.mouse, 0, 0), 0)
            pen.polygon([(x + dx, y + dy) for dx, dy in _POINTER], fill=_INK, outline=_PAPER)
        self._write(pen, picture.caption)
        return image

    def _show(self, picture: Picture) -> None:
        page = _decode(picture.jpeg)
        room = (self.size[0], self.size[1] - CAPTION_HEIGHT)
        css = picture.width or page.width
        if page.width > room[0] or page.height > room[1]:
            page.thumbnail(room)
        self._page_offset = ((room[0] - page.width) // 2, (room[1] - page.height) // 2)
        self._scale, self._top = page.width / css, picture.top
        pen = ImageDraw.Draw(page)
        for box in picture.covered:
            pen.rectangle(self._to_pixels(box, 1, (0, 0)), fill=_COVER)
        self._page = page

    def _to_pixels(self, box: Box, more: int, place: tuple[int, int] | None = None) -> Box:
        """Return the corners of a box in pixels, with a margin of `more` on each side."""
        left, top, width, height = (length * self._scale for length in box)
        dx, dy = place or self._page_offset
        left, top = left + dx, top + dy + self._top * self._scale
        return (left - more, top - more, left + width + more, top + height + more)

    def _write(self, pen: ImageDraw.ImageDraw, caption: str) -> None:
        text = " ".join(caption[:_MAX_CAPTION].split())
        if not text:
            return
        font = _font(_sample(text))
        room = self.size[0] - 24
        while text and pen.textlength(text, font=font) > room:
            text = text[:-9].rstrip() + "…" if len(text) > 9 else ""
        middle = self.size[1] - CAPTION_HEIGHT / 2
        pen.text((12, middle), text, fill=_INK, font=font, anchor="lm")


def _decode(jpeg: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(jpeg)).convert("RGB")
    image.thumbnail((MAX_SIDE, MAX_SIDE))
    return image


def _even(length: int) -> int:
    return max(length - length % 2, 2)


def _sample(text: str) -> str:
    """Return a letter that tells which font the text needs; an empty string for Latin ones."""
    others = (char for char in text if char > _LAST_LATIN and ord(char) not in _PUNCTUATION)
    return next(others, "")


@lru_cache(64)
def _font(sample: str) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return a font that has the letter, of those that are installed; else Pillow's own."""
    if sample:
        query = f"sans-serif:charset={ord(sample):x}"
        try:
            found = subprocess.run(
                ["fc-match", "--format=%{file}", query],
                capture_output=True, text=True, timeout=_FONT_S, check=True,
            )  # fmt: skip
            return ImageFont.truetype(found.stdout, _FONT_SIZE)
        except (OSError, subprocess.SubprocessError):
            pass  # no fontconfig, or no such font: boxes stand for its letters
    return ImageFont.load_default(_FONT_SIZE)
