"""The tables of config.toml: settings that have keys of their own. Decoded strictly."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ocd.safety.host_canonical import hostname_of


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


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Upstream(Table, frozen=True, kw_only=True):
    """[upstream.NAME]: another MCP server, whose tools agent hosts are offered as NAME__tool.

    command, args, env, cwd: a program that speaks over stdio; it gets `env`, a few harmless
    variables (PATH, HOME, USER, LOGNAME, SHELL, TERM) and nothing else of the daemon's environment.
    url, headers: a server reached over HTTP instead. Values of env and headers may hold
    `${SECRET:NAME}`. tier: where its tools stand in listings. timeout_ms: of a call. redact:
    whether what looks like a secret is masked in its results.
    """

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: Path | None = None
    url: str | None = None
    headers: dict[str, str] = {}
    tier: Literal[1, 2, 3] = 2
    timeout_ms: Annotated[int, Meta(ge=1, le=600_000)] = 60_000
    redact: bool = True

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        if self.url is None:
            if self.headers:
                raise ValueError("headers need a url")
            return
        if self.args or self.env or self.cwd:
            raise ValueError("args, env and cwd need a command")
        host = hostname_of(self.url).strip("[]")
        scheme = self.url.strip().partition(":")[0].lower()
        if host and (scheme == "https" or (scheme == "http" and host in _LOOPBACK)):
            return
        raise ValueError("the url must begin with https://, or with http:// for this machine")


# A name's last character and the first of `__` are told apart: it neither has nor ends in one.
UpstreamName = Annotated[str, Meta(pattern="^[a-z0-9]+([_-][a-z0-9]+)*$", max_length=16)]
