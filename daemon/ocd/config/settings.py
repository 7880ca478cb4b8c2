"""Every setting of the daemon, declared once: its key, type, default, flag and help.

A field of `Config` is a key of config.toml, an OPENCHROME_* variable and, unless it says
otherwise, a flag of `ocd start` and `ocd run`. ocd.config.loader fills it in.
"""

from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from ocd.config.tables import (
    Cluster,
    ClusterName,
    LargeOutput,
    Ocs,
    Policy,
    Table,
    Upstream,
    UpstreamName,
)

FILE_NAME = "config.toml"
PREFIX = "OPENCHROME_"


def _key(
    description: str,
    *,
    flag: str | None = "",
    metavar: str | None = None,
    split: Literal["comma", "path", "words"] = "comma",
    live: bool = False,
    **limits: Any,  # noqa: ANN401 - msgspec's own constraints (ge, le, gt), checked there
) -> msgspec.Meta:
    """Describe a setting.

    flag: its spelling; "" derives it from the key, None: there is none. split: how the environment
    variable of a list is cut. live: an edit of config.toml takes effect without a restart.
    """
    extra = {"flag": flag, "metavar": metavar, "split": split, "live": live}
    return msgspec.Meta(description=description, extra=extra, **limits)


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The daemon's configuration. `home` and `overrides` are not settings.

    overrides: the values that came from flags and the environment; config.toml never beats them.
    """

    home: Path
    overrides: dict[str, Any] = {}

    browser_path: Annotated[
        str | None,
        _key(
            "Chromium executable to start; found automatically by default",
            flag="--browser",
            metavar="PATH",
        ),
    ] = None
    browser_url: Annotated[
        str | None,
        _key("Attach to the browser at this WebSocket URL; never closes it", metavar="URL"),
    ] = None
    headed: Annotated[bool, _key("Show the browser's windows")] = False
    profile: Annotated[Path, _key("Chromium's user data directory", metavar="DIR")] = Path(
        "profile"
    )
    isolated: Annotated[bool, _key("Use a temporary profile, deleted on exit")] = False
    browser_args: Annotated[
        tuple[str, ...],
        _key(
            "Pass this argument to Chromium (can be repeated)",
            flag="--browser-arg",
            metavar="ARG",
            split="words",
        ),
    ] = ()
    ignore_certificate_errors: Annotated[
        bool, _key("Accept expired, self-signed and mismatched certificates")
    ] = False
    allow_certificate_errors: Annotated[
        bool, _key("Let crawls accept such certificates if they ask for it", flag=None)
    ] = False
    browser_idle_minutes: Annotated[
        float,
        _key("Close Chromium after this many idle minutes (0: never)", ge=0, le=525_600, live=True),
    ] = 30
    output_handle_ttl_hours: Annotated[
        float,
        _key("Hours to keep stored outputs (0: expire immediately)", ge=0, le=87_600, live=True),
    ] = 24
    output_handle_sweep_interval_seconds: Annotated[
        float, _key("Seconds between clean-ups of the output store", gt=0, le=86_400, live=True)
    ] = 300
    task_retention_days: Annotated[
        int,
        _key(
            "Days to keep ended tasks and files of ended sessions (0: forever)",
            ge=0,
            le=36_500,
            live=True,
        ),
    ] = 30
    max_concurrent_tasks: Annotated[
        int, _key("Tasks to run at the same time; others wait", ge=1, le=64, live=True)
    ] = 4
    durable: Annotated[
        bool, _key("Resume interrupted crawls after the daemon was killed", flag=None)
    ] = False
    tools_only: Annotated[
        tuple[str, ...], _key("Serve only these capability groups (comma-separated)", metavar="CSV")
    ] = ()
    disable_tools: Annotated[
        tuple[str, ...],
        _key("Serve all but these capability groups (comma-separated)", metavar="CSV"),
    ] = ()
    sanitize_content: Annotated[
        bool, _key("Remove text that a person would not see from page content")
    ] = True
    allow_domain: Annotated[
        tuple[str, ...],
        _key("Visit only hosts that match this glob (can be repeated)", metavar="GLOB", live=True),
    ] = ()
    block_domain: Annotated[
        tuple[str, ...],
        _key("Never visit hosts that match this glob (can be repeated)", metavar="GLOB", live=True),
    ] = ()
    allow_file_root: Annotated[
        tuple[Path, ...],
        _key(
            "Let calls read and write files below this folder (can be repeated)",
            metavar="DIR",
            split="path",
            live=True,
        ),
    ] = ()
    tier: Annotated[
        int,
        _key(
            "List tools of tiers 1 to N to agent hosts; expand_tools shows the others", ge=1, le=3
        ),
    ] = 2
    http: Annotated[
        Annotated[int, msgspec.Meta(ge=0, le=65_535)] | None,
        _key("Serve MCP over HTTP on this port, path /mcp (0: any free port)", metavar="PORT"),
    ] = None
    http_host: Annotated[
        str, _key("Host to listen on for HTTP; by default only this machine", metavar="HOST")
    ] = "localhost"
    dashboard: Annotated[
        Annotated[int, msgspec.Meta(ge=0, le=65_535)] | None,
        _key("Serve the dashboard on this port of this machine (0: any free port)", metavar="PORT"),
    ] = None
    attach: Annotated[
        bool, _key("Let your own programs attach to sessions: oc attach, oc run", live=True)
    ] = False
    token_file: Annotated[
        Path,
        _key("File with the bearer token for HTTP callers; created if missing", metavar="FILE"),
    ] = Path("token")
    sync_budget_s: Annotated[
        float,
        _key(
            "Seconds after which an agent host's long call continues as a task",
            flag=None,
            gt=0,
            le=600,
            live=True,
        ),
    ] = 45
    auto_start: Annotated[bool, _key("Let oc start the daemon if it is not running", flag=None)] = (
        True
    )
    max_store_mb: Annotated[
        int,
        _key("Maximum size of the output store, in MB", flag=None, ge=1, le=10_000_000, live=True),
    ] = 2048
    otlp_endpoint: Annotated[
        str | None,
        _key(
            "Send a span of each call to this OpenTelemetry collector (OTLP over HTTP)",
            flag=None,
            metavar="URL",
        ),
    ] = None
    secrets: Annotated[
        Path | None,
        _key(
            "File of NAME=value lines, used as ${SECRET:NAME} and masked in results", metavar="FILE"
        ),
    ] = None
    policy: Annotated[
        Policy,
        _key(
            "Rules for data sent out after a page was read, and for actions",
            flag=None,
            live=True,
        ),
    ] = Policy()
    ocs: Annotated[
        Ocs, _key("Open Chat Studio: default destination of uploads", flag=None, live=True)
    ] = Ocs()
    handle_large_tool_output: Annotated[
        LargeOutput, _key("What to do with replies above the size threshold", flag=None, live=True)
    ] = LargeOutput()
    upstream: Annotated[
        dict[UpstreamName, Upstream],
        _key("Other MCP servers whose tools are offered to agent hosts", flag=None, live=True),
    ] = {}

    cluster: Annotated[
        dict[ClusterName, Cluster],
        _key("Dask clusters whose workers can read the pages of crawls", flag=None, live=True),
    ] = {}

    max_download_mb: Annotated[
        int, _key("Maximum size of a download, in MB", flag=None, ge=1, le=1_000_000, live=True)
    ] = 1024

    watchdog_dump_s: Annotated[
        float,
        _key(
            "Seconds without response after which all stacks go to log/stalls.log",
            flag=None,
            gt=0,
            le=3600,
        ),
    ] = 5
    watchdog_end_s: Annotated[
        float,
        _key(
            "Seconds without response after which the daemon is killed (0: never)",
            flag=None,
            ge=0,
            le=86_400,
        ),
    ] = 30

    @property
    def file(self) -> Path:
        """Return the path of config.toml, which need not exist."""
        return self.home / FILE_NAME


class SettingSpec(NamedTuple):
    """The declaration of one setting."""

    key: str
    type: Any
    default: Any
    meta: msgspec.Meta

    @property
    def kind(self) -> Any:  # noqa: ANN401 - a type
        """Return the type without its description: bool, int, float, str | None, …"""
        return get_args(self.type)[0]

    @property
    def scalar(self) -> Any:  # noqa: ANN401 - a type
        """Return the kind without its None: int for `int with limits | None`."""
        if isinstance(self.kind, UnionType) or get_origin(self.kind) is Union:
            branch = next(each for each in get_args(self.kind) if each is not NoneType)
            return branch.__origin__ if get_origin(branch) is Annotated else branch
        return self.kind

    def note(self, name: str) -> Any:  # noqa: ANN401 - what `_key` was given under that name
        """Return an argument of `_key`: flag, metavar, split or live."""
        return (self.meta.extra or {})[name]

    @property
    def flag(self) -> str | None:
        """Return the flag's spelling; None: this setting has no flag."""
        derived = "--" + self.key.replace("_", "-")
        return derived if self.note("flag") == "" else self.note("flag")

    @property
    def variable(self) -> str:
        """Return the name of the environment variable."""
        return PREFIX + self.key.upper()

    @property
    def is_list(self) -> bool:
        """Return whether the value is a tuple."""
        return isinstance(self.default, tuple)

    @property
    def is_table(self) -> bool:
        """Return whether it is a table of config.toml, which no variable can give."""
        return isinstance(self.default, (Table, dict))

    @property
    def table_keys(self) -> tuple[str, ...]:
        """Return the keys that the table may have, with their choices; () if it is not a table."""
        if not self.is_table:
            return ()
        table = self.kind if isinstance(self.default, Table) else get_args(self.kind)[1]
        return tuple(_with_choices(field) for field in msgspec.structs.fields(table))


def _with_choices(field: msgspec.structs.FieldInfo) -> str:
    kinds = (field.type, *get_args(field.type))
    choices = [
        str(choice) for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)
    ]
    tables = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Table)]
    if tables:
        keys = map(_with_choices, msgspec.structs.fields(tables[0]))
        return f"{field.name} (tables of {', '.join(keys)})"
    return f"{field.name} ({', '.join(choices)})" if choices else field.name


def _settings() -> dict[str, SettingSpec]:
    found = {}
    for field in msgspec.structs.fields(Config):
        notes = getattr(field.type, "__metadata__", ())
        if notes:
            makes = field.default_factory
            default = field.default if makes is msgspec.NODEFAULT else makes()
            found[field.name] = SettingSpec(field.name, field.type, default, notes[0])
    return found


SETTINGS = _settings()
LIVE = frozenset(key for key, setting in SETTINGS.items() if setting.note("live"))

# Of two that exclude each other the higher source wins; in one source they are an error.
EXCLUSIVE = (
    ("tools_only", "disable_tools"),
    ("isolated", "profile"),
    *(
        ("browser_url", key)
        for key in (
            *("browser_path", "headed", "profile", "isolated", "browser_args"),
            "ignore_certificate_errors",
        )
    ),
)
