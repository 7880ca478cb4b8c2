"""meta.json: what is known about a stored output besides its bytes."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from ocd.api.errors import OcdError
from ocd.api.wire import Descriptor
from ocd.outputs.file_layout import Extension, HandleFiles
from ocd.storage.files import read_whole, unreadable_error


class HandleMeta(Descriptor, frozen=True, kw_only=True):
    """The descriptor with its full preview, and where it came from. Times are RFC 3339 UTC.

    checksums: its index has them; those of earlier releases had none. origins: of the page text in
    it, as the egress policy counts them.
    """

    version: Literal[1] = 1
    source_tool: str
    created_at: str
    extension: Extension
    size_bytes: Annotated[int, msgspec.Meta(ge=0)]
    item_count: Annotated[int, msgspec.Meta(ge=0)] | None
    checksums: bool = False
    origins: tuple[str, ...] = ()

    def descriptor(self) -> Descriptor:
        """Return what callers see of it."""
        return Descriptor(**{name: getattr(self, name) for name in Descriptor.__struct_fields__})

    def expires(self) -> float:
        """Return the end of its life in seconds since the epoch."""
        return datetime.fromisoformat(self.expires_at).timestamp()


_decoder = msgspec.json.Decoder(HandleMeta)


def read_meta(place: HandleFiles) -> HandleMeta | None:
    """Return the handle's meta, None if there is none.

    One that cannot be read raises `unreadable_file`: nobody overwrites or deletes it.
    """
    raw = read_whole(place.meta)
    if raw is None:
        return None
    try:
        meta = _decoder.decode(raw)
        meta.expires()
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _unreadable(place, str(error)) from error
    if meta.output_handle != place.handle:
        raise _unreadable(place, f"it describes {meta.output_handle!r}")
    return meta


def _unreadable(place: HandleFiles, why: str) -> OcdError:
    return unreadable_error(place.meta, why)
