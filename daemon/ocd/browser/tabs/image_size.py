"""How large a picture is, by its own header."""

import struct

_JPEG_FRAMES = (*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))


def size_of(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels of a PNG, JPEG or WebP; (0, 0) for anything else."""
    if data[:4] == b"\x89PNG":
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:2] == b"\xff\xd8":
        return _jpeg(data)
    if data[8:12] == b"WEBP":
        return _webp(data)
    return 0, 0


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(data):
        _, marker, length = struct.unpack(">BBH", data[at : at + 4])
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return _three(data[24:27]) + 1, _three(data[27:30]) + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _three(data: bytes) -> int:
    return int.from_bytes(data, "little")
