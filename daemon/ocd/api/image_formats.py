"""Image formats by file name, for the daemon and its clients."""

from ocd.api.errors import OcdError

_BY_SUFFIX = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "jpe": "jpeg", "webp": "webp"}
_NEVER = frozenset(("avif", "bmp", "gif", "heic", "ico", "pdf", "svg", "tif", "tiff"))


def format_for_path(path: str, fmt: str | None) -> str | None:
    """Return the format for a picture in this file; `fmt` if the name says nothing.

    Raises invalid_argument if name and `fmt` contradict each other, and for formats there are
    not.
    """
    stem, dot, suffix = path.replace("\\", "/").rpartition("/")[2].rpartition(".")
    kind = suffix.lower() if stem and dot else ""
    if kind in _NEVER:
        raise OcdError(
            "invalid_argument", f"{path}: images cannot be written as {kind.upper()}.",
            hint=f"Name it {stem}.png, {stem}.jpg or {stem}.webp.", parameter="path",
        )  # fmt: skip
    found = _BY_SUFFIX.get(kind)
    if found is not None and fmt is not None and found != fmt:
        raise OcdError(
            "invalid_argument", f"{path} is the name of a {found} file, but the format is {fmt}.",
            hint=f"Name it {stem}.{fmt}, or leave the format out.", parameter="format",
        )  # fmt: skip
    return fmt or found
