"""Verbs that run code in a page."""

from typing import Annotated

import msgspec
from msgspec import Meta

from ocd.browser.tab import Tab
from ocd.verb import PAYLOAD, Output, Params, tab_verb


class JavascriptTool(Params):
    """Run JavaScript in the page and answer its value

    An expression or statements; `await` works at the top level. The value must be JSON; what is
    not (functions, DOM nodes) is an error that says so. Promises are awaited.
    """

    code: Annotated[
        str, Meta(min_length=1, description="JavaScript to run in the page", extra=PAYLOAD)
    ]


@tab_verb(
    "javascript_tool", JavascriptTool, capability="core", tier=1, large=True, reads_page=True,
    also={"text": "code"},
)  # fmt: skip
async def javascript_tool(tab: Tab, params: JavascriptTool) -> Output:
    value = await tab.evaluate(params.code, repl=True)
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return Output(
        data={"tab_id": tab.id, "type": _json_type(value)},
        content=text,
        content_type="text/plain" if isinstance(value, str) else "application/json",
        origin=tab.url,
    )


def _json_type(value: object) -> str:
    for kind, name in _JSON_TYPES:
        if isinstance(value, kind):
            return name
    return "null"


# A bool is an int, too: it comes first.
_JSON_TYPES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    (str, "string"),
    ((int, float), "number"),
    (list, "array"),
    (dict, "object"),
)
