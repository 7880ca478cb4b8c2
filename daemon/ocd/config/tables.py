"""The tables of config.toml: settings with keys of their own, decoded strictly."""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ocd import api
from ocd.api.errors import did_you_mean
from ocd.safety import host_globs
from ocd.safety.host_canonical import hostname_of
from ocd.safety.session_taint import PolicyRule
from ocd.verb_api.capabilities import UPSTREAM_MARK


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of config.toml; a key that it does not have is an error."""


class LargeOutput(Table, frozen=True, kw_only=True):
    """[handle_large_tool_output]: what to do with replies above the size threshold.

    enabled: for all callers, or for none; absent: for agent hosts only. threshold and preview_size
    in characters. output_dir: where such replies are kept; absent: with the other handles.
    """

    enabled: bool | None = None
    threshold: Annotated[int, Meta(ge=1, le=100_000_000)] = 30_000
    output_dir: Path | None = None
    preview_size: Annotated[int, Meta(ge=0, le=1_000_000)] = 3000


class ActionRule(Table, frozen=True, kw_only=True):
    """[[policy.action]]: whether these verbs are allowed on pages of these hosts.

    origin: a glob of hosts, as in allow_domain; with a scheme, pages of that scheme alone. verbs:
    their names, or those of other servers' tools (`NAME__tool`, `NAME__*`); absent: all that act.
    """

    origin: str = "*"
    verbs: tuple[str, ...] = ()
    rule: PolicyRule

    def __post_init__(self) -> None:
        host_globs.parse(self.host_glob)
        for verb in self.verbs:
            if UPSTREAM_MARK not in verb and verb not in _verb_names():
                known = did_you_mean(verb, _verb_names(), "VERBS.md lists them")
                raise ValueError(f"there is no verb {verb!r}. {known}")

    @property
    def scheme(self) -> str:
        """The scheme of the pages that the rule applies to; an empty string: any."""
        return self.origin.rpartition("://")[0].lower()

    @property
    def host_glob(self) -> str:
        """The glob of their hosts."""
        return self.origin.rpartition("://")[2]


class Policy(Table, frozen=True, kw_only=True):
    """[policy]: exfiltration: what to do with data sent out after untrusted text was read.

    absent: ask where the host can be asked, else allow and journal it. action: rules about calls,
    of which the first that matches counts.
    """

    exfiltration: PolicyRule | None = None
    action: tuple[ActionRule, ...] = ()


class _NamedEntry(msgspec.Struct):
    name: str


class _CatalogNames(msgspec.Struct):
    verbs: tuple[_NamedEntry, ...]
    kinds: tuple[_NamedEntry, ...]


@cache
def _verb_names() -> frozenset[str]:
    """Return the names of all verbs and kinds; loaded only for configurations that have rules."""
    packaged = resources.files(api).joinpath("catalog.json").read_bytes()
    catalog = msgspec.json.decode(packaged, type=_CatalogNames)
    return frozenset(entry.name for entry in (*catalog.verbs, *catalog.kinds))


class Ocs(Table, frozen=True, kw_only=True):
    """[ocs]: the default Open Chat Studio for uploads."""

    base_url: str = ""
    team: str = ""


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Upstream(Table, frozen=True, kw_only=True):
    """[upstream.NAME]: another MCP server, whose tools are offered to agent hosts as NAME__tool.

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


# So that `NAME__tool` can be split, a name contains no `__` and does not end in `_`.
UpstreamName = Annotated[str, Meta(pattern="^[a-z0-9]+([_-][a-z0-9]+)*$", max_length=16)]


class Cluster(Table, frozen=True, kw_only=True):
    """[cluster.NAME]: a Dask cluster whose workers read the pages of crawls that name it.

    address: of its scheduler, tls://host:port or tcp://host:port. tls_ca_file, tls_cert, tls_key:
    PEM files; absent: as Dask's own configuration has them. wait_s: how long a scheduler that went
    away is waited for.
    """

    address: str
    tls_ca_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    wait_s: Annotated[float, Meta(gt=0, le=86_400)] = 60

    def __post_init__(self) -> None:
        scheme, _, host = self.address.partition("://")
        if scheme not in ("tls", "tcp") or not host.rpartition(":")[2].isdecimal():
            raise ValueError("the address must be tls://HOST:PORT or tcp://HOST:PORT")

    @property
    def encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self.address.startswith("tls://")


ClusterName = Annotated[str, Meta(pattern="^[a-z0-9]+([_-][a-z0-9]+)*$", max_length=64)]
