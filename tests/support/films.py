"""Films in tests: their pictures, and the colours in them."""

from collections.abc import Iterator
from pathlib import Path

import av
from PIL import Image

RED, GREEN, BLUE, ORANGE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (232, 89, 12)
# What encoding does to a colour.
_TOLERANCE = 40


def pictures(path: Path) -> Iterator[tuple[float, Image.Image]]:
    """Return a film's pictures, with the second at which each begins."""
    with av.open(str(path)) as film:
        for frame in film.decode(video=0):
            yield frame.time or 0.0, frame.to_image()


def share_of(image: Image.Image, colour: tuple[int, int, int]) -> float:
    """Return which part of a picture has a colour, or nearly: 0 to 1."""
    small = image.resize((image.width // 4, image.height // 4), Image.Resampling.BOX)
    parts = zip(*(iter(small.convert("RGB").tobytes()),) * 3, strict=True)
    near = [
        all(abs(a - b) <= _TOLERANCE for a, b in zip(one, colour, strict=True)) for one in parts
    ]
    return sum(near) / len(near)


def last_picture(path: Path) -> Image.Image | None:
    """Return the last picture of what is there of a film; None if nothing is yet."""
    try:
        return list(pictures(path))[-1][1]
    except (OSError, IndexError, av.FFmpegError):
        return None


def last_colour_is(path: Path, colour: tuple[int, int, int]) -> bool:
    """Return whether the last picture of what is there of a film shows mostly that colour."""
    found = last_picture(path)
    return found is not None and share_of(found, colour) > 0.4


def is_outlined(path: Path) -> bool:
    """Return whether the last picture of what is there of a film outlines what is acted on."""
    found = last_picture(path)
    return found is not None and share_of(found, ORANGE) > 0
