"""What type checkers must know about the client: test_examples.py has them read it, no more."""

from typing import assert_type

from openchrome import AsyncClient, AsyncOutput, AsyncTask, Client, Output, Result, Task, shapes
from openchrome.parameters import CrawlOptions


def blocking(browser: Client) -> None:
    """What a call returns follows from how its output is wanted."""
    assert_type(browser.navigate("about:blank"), shapes.NavigateResult)
    assert_type(browser.read_page(mode="markdown"), shapes.ReadPageResult)
    assert_type(browser.javascript_tool("1", output_mode="handle", tab_id="t1"), Output)
    assert_type(
        browser.crawl("about:blank", output_mode="auto", max_pages=2), shapes.CrawlResult | Output
    )
    limits: CrawlOptions = {"max_pages": 2}
    assert_type(browser.start.crawl("about:blank", **limits), Task)


def inside(browser: Client) -> None:
    """What a result has inside is known by its keys; it is a dictionary all the same."""
    assert_type(browser.tabs_context()["tabs"][0]["url"], str)
    assert_type(browser.tabs_context()["current"], str | None)
    assert_type(browser.tabs_context().get("init_scripts"), int | None)
    assert_type(browser.crawl("about:blank")["pages"][0]["links"], list[str])
    assert_type(browser.interact(ref="e1")["changed"].get("url"), str | None)
    assert_type(browser.read_page().text, str)
    assert_type(browser.oc_task_list()["tasks"][0]["progress"]["done"], int)
    texts: list[Result] = [browser.navigate("about:blank"), browser.read_page()]
    texts.reverse()


async def awaiting(browser: AsyncClient) -> None:
    """The same methods are coroutine functions to a checker."""
    assert_type(await browser.navigate("about:blank"), shapes.NavigateResult)
    assert_type((await browser.tabs_context())["tabs"][0]["url"], str)
    assert_type(await browser.javascript_tool("1", output_mode="handle"), AsyncOutput)
    assert_type(await browser.start.crawl("about:blank", max_pages=2), AsyncTask)


def mistaken(browser: Client) -> None:
    """`--strict` says so when one of these is no mistake any more."""
    browser.navigate("about:blank", tabid="t1")  # type: ignore[call-arg]
    browser.read_page(mode="pdf")  # type: ignore[call-overload]
    browser.read_page(tabid="t1")  # type: ignore[call-overload]
    browser.tabs_context()["tab"]  # type: ignore[call-overload]
    browser.tabs_context()["tabs"][0]["address"]  # type: ignore[typeddict-item]
    browser.start.crawl("about:blank", max_page=2)  # type: ignore[call-arg]
    browser.start.crawl("about:blank", output_mode="handle")  # type: ignore[call-arg]
