"""Verbs that run code in a page."""

from typing import Annotated

import msgspec
from msgspec import Meta

from ocd.browser.tabs.evaluate import RawJson
from ocd.browser.tabs.tab import Tab
from ocd.verb_api.declaration import PAYLOAD, Output, Params, tab_verb


class JavascriptTool(Params):
    """Run JavaScript in the page and return its value

    An expression or statements; `await` works at the top level. The value must be JSON:
    functions and DOM nodes are an error.
    """

    code: Annotated[str, Meta(min_length=1, description="JavaScript", extra=PAYLOAD)]


@tab_verb(
    "javascript_tool", JavascriptTool, capability="core", tier=1, large=True, reads_page=True,
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
