"""Similarity of two images: a 64-bit perceptual hash and its Hamming distance.

The image is reduced to 32 by 32 grey values and transformed (DCT); each bit says whether one of the
64 lowest frequencies is above their median. Scaling, compression and single letters do not change
it; moved or new parts do. Distance 0: looks the same, up to 10: similar, around 32: unrelated.
"""

import base64
import binascii
import io
from collections.abc import Sequence
from functools import cache
from math import cos, pi

from ocd.api.errors import OcdError

_SIDE, _WAVES = 32, 8
_MAX_PIXELS = 100_000_000


def picture_of(text: str, place: str) -> bytes:
    """Return the bytes of a base64 image or data: URL; invalid_argument if it is not base64."""
    try:
        return base64.b64decode(text.partition("base64,")[2] or text, validate=True)
    except (binascii.Error, ValueError):
        raise _image_error(place, "not base64") from None


def hash_of(picture: bytes, place: str = "screenshot") -> str:
    """Return a picture's hash, 16 hexadecimal digits; invalid_argument if it is not an image."""
    from PIL import Image, UnidentifiedImageError  # only contracts with pictures pay for it

    try:
        with Image.open(io.BytesIO(picture), formats=("PNG", "JPEG", "WEBP", "GIF")) as image:
            if image.width * image.height > _MAX_PIXELS:
                raise _image_error(place, f"more than {_MAX_PIXELS} pixels")
            small = image.convert("L").resize((_SIDE, _SIDE), Image.Resampling.LANCZOS)
            fields = small.tobytes()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise _image_error(place, f"not a readable image ({error})") from None
    # Rounded, so that waves that are not there at all are equal.
    waves = [round(wave) for wave in _waves(fields)]
    middle = sum(sorted(waves)[31:33]) / 2
    return f"{int(''.join('1' if wave > middle else '0' for wave in waves), 2):016x}"


def _waves(fields: bytes) -> list[float]:
    """Return the strengths of the longest waves, row by row."""
    table = _cosines()
    rows = [fields[start : start + _SIDE] for start in range(0, len(fields), _SIDE)]
    across = [[_sum(row, cosines) for cosines in table] for row in rows]
    return [_sum([row[u] for row in across], cosines) for cosines in table for u in range(_WAVES)]


def _sum(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True))


@cache
def _cosines() -> list[list[float]]:
    return [[cos((2 * x + 1) * u * pi / (2 * _SIDE)) for x in range(_SIDE)] for u in range(_WAVES)]


def distance(one: str, other: str) -> int:
    """Return in how many of their 64 bits two hashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


def _image_error(place: str, what: str) -> OcdError:
    return OcdError("invalid_argument", f"{place}: {what}", parameter=place, expected="an image")
