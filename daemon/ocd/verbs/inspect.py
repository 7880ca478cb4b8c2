"""The verb that reports a page's state: inspect."""

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from ocd.browser.tabs.tab import Tab
from ocd.pages.read import page_state
from ocd.verb_api.declaration import Output, Params, tab_verb


class Inspect(Params):
    """Report the page's state in about 2 KB

    Open dialogs, errors, focus, forms and fields with their values, buttons, tables with sizes,
    pagination, headings, scroll position; with refs. The cheapest look after an action. `query`
    names what matters: "form errors", "tables".
    """

    query: Annotated[str, Meta(max_length=500, description="What to focus on")] = ""
    scope: Annotated[
        Literal["interactive", "all", "visible"],
        Meta(description="Controls only; everything in order; or visible content first"),
    ] = "visible"


class InspectResult(TypedDict):
    """The part of the page's state that the query asks for."""

    tab_id: str
    url: str
    title: str
    query: str
    scope: str
    counts: Annotated[dict[str, int], Meta(description="Elements by kind")]
    content: str


@tab_verb(
    "inspect",
    Inspect,
    returns=InspectResult,
    capability="core",
    tier=2,
    reads=True,
    reads_page=True,
    page_keys=("title",),
    example={"query": "form errors"},
)
async def inspect(tab: Tab, params: Inspect) -> Output:
    report = await page_state.read_page_state(tab, params.query, params.scope)
    title = await tab.title()
    text = page_state.format_page_state(report, params.query, title, tab.url)
    return Output(
        data={
            "tab_id": tab.id, "url": tab.url, "title": title, "query": params.query,
            "scope": params.scope, "counts": report.counts,
        },
        content=text,
        origin=tab.origin,
    )  # fmt: skip
