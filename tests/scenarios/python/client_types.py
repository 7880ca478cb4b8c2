"""What type checkers must know about the client: test_examples.py has them read it, no more."""

from typing import assert_type

from openchrome import (
    AsyncClient,
    AsyncOutput,
    AsyncTask,
    Client,
    Output,
    Result,
    Task,
    aconnect,
    shapes,
)
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
    assert_type(browser.start.crawl("about:blank", **limits), Task[shapes.CrawlResult])
    assert_type(browser.call_verb("page_reload"), Result)


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


def waiting(browser: Client) -> None:
    """A task's result is that of the verb that it runs, where the start says which."""
    assert_type(browser.start.crawl("about:blank").wait()["pages"][0]["url"], str)
    assert_type(browser.start.recording().wait()["recording"]["action_count"], int)
    assert_type(browser.start.page_tool("search").wait()["content"], str)
    assert_type(browser.start_task("crawl", url="about:blank").wait(), Result)
    tasks: list[Task[Result]] = [browser.start.crawl("about:blank"), browser.task("abc")]
    tasks.reverse()


def journal(browser: Client) -> None:
    """Entries or counts: a result has the keys of one of them."""
    assert_type(browser.oc_journal()["value"][0]["event"], str)
    assert_type(browser.oc_journal()["value"][0].get("error"), str | None)
    assert_type(browser.oc_journal(action="summary")["tools"]["crawl"]["calls"], int)


async def awaiting(browser: AsyncClient) -> None:
    """The same methods are coroutine functions to a checker."""
    assert_type(await browser.navigate("about:blank"), shapes.NavigateResult)
    assert_type((await browser.tabs_context())["tabs"][0]["url"], str)
    assert_type(await browser.javascript_tool("1", output_mode="handle"), AsyncOutput)
    crawl = await browser.start.crawl("about:blank", max_pages=2)
    same = assert_type(crawl, AsyncTask[shapes.CrawlResult])
    assert_type((await crawl.wait())["pages"][0]["url"], str)
    assert_type(await browser.task("abc").wait(), Result)
    assert_type((await same)["pages"][0]["url"], str)


async def connecting() -> None:
    """Awaited and entered give the same."""
    assert_type(await aconnect(), AsyncClient)
    async with aconnect(session="ada") as browser:
        assert_type(browser, AsyncClient)


def mistaken(browser: Client) -> None:
    """`--strict` says so when one of these is no mistake any more."""
    browser.navigate("about:blank", tabid="t1")  # type: ignore[call-arg]
    browser.read_page(mode="pdf")  # type: ignore[call-overload]
    browser.read_page(tabid="t1")  # type: ignore[call-overload]
    browser.tabs_context()["tab"]  # type: ignore[call-overload]
    browser.tabs_context()["tabs"][0]["address"]  # type: ignore[typeddict-item]
    browser.start.crawl("about:blank").wait()["page"]  # type: ignore[call-overload]
    browser.start.crawl("about:blank", max_page=2)  # type: ignore[call-arg]
    browser.start.crawl("about:blank", output_mode="handle")  # type: ignore[call-arg]
