"""Verbs that run code in a page."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.sessions.init_scripts import InitScript
from ocd.browser.sessions.session import Session
from ocd.browser.tabs.evaluate import RawJson
from ocd.browser.tabs.tab import Tab
from ocd.verb_api.declaration import PAYLOAD, Output, Params, session_verb, tab_verb


class JavascriptTool(Params):
    """Run JavaScript in the page and return its value

    An expression or statements; `await` works at the top level. The value must be JSON:
    functions and DOM nodes are an error.
    """

    code: Annotated[str, Meta(min_length=1, description="JavaScript", extra=PAYLOAD)]


class JavascriptToolResult(TypedDict):
    """The script's value."""

    tab_id: str
    type: Annotated[str, Meta(description="Its JSON type")]
    content: Annotated[str, Meta(description="A string as is, other values as JSON")]


@tab_verb(
    "javascript_tool", JavascriptTool,
    returns=JavascriptToolResult,
    capability="core", tier=1, large=True, reads_page=True,
    aliases={"text": "code"},
    example={"code": "document.title"},
)  # fmt: skip
async def javascript_tool(tab: Tab, params: JavascriptTool) -> Output:
    value = await tab.evaluate(params.code, repl=True)
    kind, text = _type_and_text(value)
    return Output(
        data={"tab_id": tab.id, "type": kind},
        content=text,
        content_type="text/plain" if kind == "string" else "application/json",
        origin=tab.url,
    )


def _type_and_text(value: str | float | RawJson | None) -> tuple[str, str]:
    """Return the JSON type of a script's value, and its text: a string itself, else its JSON."""
    if isinstance(value, RawJson):
        return value.kind, value.text
    if isinstance(value, str):
        return "string", value
    kind = "null" if value is None else "boolean" if isinstance(value, bool) else "number"
    return kind, msgspec.json.encode(value).decode()


class InitScriptParams(Params):
    """Run a script first in every page of the session

    Before the page's own scripts, in frames and popups too, from each page's next load on: reload
    open pages. Kept with the session; does not apply to other sessions or to crawls.
    """

    action: Annotated[Literal["add", "list", "remove"], Meta(description="What to do")]
    script: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="add: JavaScript, run at top level", extra=PAYLOAD),
    ] = None
    id: Annotated[str | None, Meta(description="remove: its id; default: all")] = None


class InitScriptReport(TypedDict):
    """An init script of the session."""

    id: str
    added_at: str
    chars: int
    begin: str


class InitScriptResult(TypedDict):
    """The session's init scripts."""

    session: str
    count: int
    id: NotRequired[str]
    message: NotRequired[str]
    scripts: NotRequired[list[InitScriptReport]]
    removed: NotRequired[list[str]]


@session_verb(
    "init_script", InitScriptParams,
    returns=InitScriptResult,
    capability="core", tier=3,
    example={"action": "add", "script": "window.confirm = () => true"},
)  # fmt: skip
async def init_script(session: Session, params: InitScriptParams) -> Output:
    scripts = session.init_scripts
    data: dict[str, Any] = {"session": session.name}
    match params.action:
        case "add":
            if params.script is None:
                message = "init_script add needs a script, or script_path"
                raise OcdError("invalid_argument", message, parameter="script")
            added = await scripts.add(params.script)
            message = "It runs first in each page, from the page's next load on"
            data |= {"id": added.id, "message": message}
        case "list":
            data["scripts"] = [_script_to_dict(script) for script in scripts]
        case "remove":
            removed = [params.id] if params.id is not None else [script.id for script in scripts]
            for script_id in removed:
                await scripts.remove(script_id)
            data["removed"] = removed
    return Output(data={**data, "count": len(scripts)})


def _script_to_dict(script: InitScript) -> dict[str, Any]:
    begin = script.source[:200]
    return {
        "id": script.id, "added_at": script.added_at, "chars": len(script.source), "begin": begin,
    }  # fmt: skip
