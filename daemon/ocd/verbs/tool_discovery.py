"""Verbs for finding tools that the host does not list, and calling them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from msgspec import Meta, field

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.tool_schema import signature
from ocd.verb_api import tool_search
from ocd.verb_api.declaration import Output, Params, daemon_verb

Entry = Mapping[str, Any]
MAX_MATCHES = 10


@dataclass(frozen=True, slots=True)
class ToolCatalog:
    """The catalog of all verbs, and who may use them; supplied by the assembly.

    check: raises CAPABILITY_DISABLED for a verb that the calling connection may not use;
    check_unknown: for a name without a verb, if its group is one that it may not use. is_listed:
    whether the caller's list of tools has an entry. settle: waits until it is known what other MCP
    servers offer; their tools are entries, too.
    """

    entries: Mapping[str, Entry]
    check: Callable[[str], None]
    check_unknown: Callable[[str], None]
    is_listed: Callable[[Entry], bool]
    settle: Callable[[], Awaitable[None]]

    def usable(self, entry: Entry) -> bool:
        """Return whether the caller may use the verb."""
        try:
            self.check(entry["name"])
        except OcdError:
            return False
        return True


class ExpandTools(Params):
    """Find tools that are not listed, with their parameters

    Pass one of query, name (with all its parameters) or tier. The tools can then be called by
    name, or by call_verb. Without arguments: the names of all hidden tools.
    """

    name: Annotated[str | None, Meta(description="The tool's exact name")] = None
    tier: Annotated[
        Literal[1, 2, 3] | None,
        Meta(description="All tools of this tier"),
    ] = None
    query: Annotated[str | None, Meta(description="What the tool should do")] = None


class HiddenTool(TypedDict):
    """A tool that is not listed."""

    name: str
    summary: str


class ExpandToolsResult(TypedDict, total=False):
    """The requested tools; without a parameter, the tools that are not listed."""

    hidden: list[HiddenTool]
    expanded: list[str]
    tools: Annotated[list[dict[str, Any]], Meta(description="name, description, inputSchema")]


@daemon_verb(
    "expand_tools",
    ExpandTools,
    needs=ToolCatalog,
    returns=ExpandToolsResult,
    capability="core",
    tier=1,
    reads=True,
    example={"query": "record a skill"},
)
async def expand_tools(catalog: ToolCatalog, params: ExpandTools) -> Output:
    choices = [key for key in ("name", "tier", "query") if getattr(params, key) is not None]
    if len(choices) > 1:
        raise OcdError(
            "invalid_argument",
            f"expand_tools takes only one of {' and '.join(choices)}",
            parameter=choices[1],
        )
    await catalog.settle()
    if not choices:
        return Output(data={"hidden": _hidden(catalog)})
    all_params = params.name is not None
    found = [signature(entry, unlisted=all_params) for entry in _choose(catalog, params)]
    return Output(data={"expanded": [tool["name"] for tool in found], "tools": found})


def _hidden(catalog: ToolCatalog) -> list[dict[str, Any]]:
    hidden = [entry for entry in catalog.entries.values() if not catalog.is_listed(entry)]
    return [
        {key: entry[key] for key in ("name", "summary")} for entry in filter(catalog.usable, hidden)
    ]


def _choose(catalog: ToolCatalog, params: ExpandTools) -> Iterable[Entry]:
    if params.name is not None:
        return [_find_tool(catalog, params.name)]
    usable = filter(catalog.usable, catalog.entries.values())
    if params.tier is not None:
        return [entry for entry in usable if entry["tier"] == params.tier]
    return tool_search.rank(usable, params.query or "")[:MAX_MATCHES]


def _find_tool(catalog: ToolCatalog, name: str) -> Entry:
    entry = catalog.entries.get(name)
    if entry is None:
        catalog.check_unknown(name)
        hint = did_you_mean(name, catalog.entries, "Search for it with query.")
        raise OcdError("unknown_verb", f"There is no tool '{name}'", hint=hint, verb=name)
    catalog.check(name)
    return entry


class CallVerb(Params):
    """Call any tool by name, listed or not

    For tools found with expand_tools.
    """

    name: Annotated[str, Meta(description="The tool's name")]
    arguments: Annotated[dict[str, Any], Meta(description="The tool's own parameters")] = field(
        default_factory=dict
    )


ToolAnswer = Annotated[
    dict[str, Any] | list[Any], Meta(description="What the tool of that name returns")
]


@daemon_verb(
    "call_verb",
    CallVerb,
    needs=ToolCatalog,
    returns=ToolAnswer,
    capability="core",
    tier=1,
    example={"name": "page_reload"},
)
async def call_verb(_catalog: ToolCatalog, params: CallVerb) -> Output:
    if params.name == "call_verb":
        raise OcdError("invalid_argument", "call_verb calls other tools only", parameter="name")
    return Output(nested_call=(params.name, params.arguments))
