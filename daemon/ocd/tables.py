"""The tables of config.toml: settings that have keys of their own. Decoded strictly."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of config.toml; a key that it does not have is an error."""


class LargeOutput(Table, frozen=True, kw_only=True):
    """[handle_large_tool_output]: what is done with replies that nobody asked to be large.

    enabled: for all callers, or for none; absent: for agent hosts only. threshold and preview_size
    in characters. output_dir: where such replies are kept; absent: with the other handles.
    """

    enabled: bool | None = None
    threshold: Annotated[int, Meta(ge=1, le=100_000_000)] = 30_000
    output_dir: Path | None = None
    preview_size: Annotated[int, Meta(ge=0, le=1_000_000)] = 3000


class Policy(Table, frozen=True, kw_only=True):
    """[policy]: exfiltration: what becomes of data that leaves after untrusted text was read.

    absent: ask where the host can be asked, else allow and journal it.
    """

    exfiltration: Literal["allow", "ask", "deny"] | None = None


class Ocs(Table, frozen=True, kw_only=True):
    """[ocs]: the Open Chat Studio that files are uploaded to when a call does not say."""

    base_url: str = ""
    team: str = ""
