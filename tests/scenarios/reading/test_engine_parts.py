"""The page engine's parts in a tab's documents: each target gets their source once."""

import pytest

from ocd.browser.cdp.connection import CdpSession
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.engine.refs import resolve_element
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

_SHORT = 5_000  # characters; the smallest part has eight times as many


@pytest.fixture
def expressions(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is run in documents, as it is sent."""
    sent: list[str] = []
    send = CdpSession.send

    def note(self: CdpSession, method: str, params: dict[str, object] | None = None) -> object:
        if method in ("Runtime.evaluate", "Page.addScriptToEvaluateOnNewDocument"):
            sent.append(str((params or {}).get("expression") or (params or {}).get("source")))
        return send(self, method, params)

    monkeypatch.setattr(CdpSession, "send", note)
    return sent


async def press(tab: Tab) -> None:
    async with await resolve_element(tab, selector="button") as element:
        assert await element.call("function () { return openchrome.name(this) }") == "Press"


async def test_the_source_is_sent_once(tab: Tab, site: Site, expressions: list[str]) -> None:
    """For further documents of the tab, of any origin, only the call is sent."""
    await tab.navigate(site.url("reading/controls.html"))
    assert 'button "Press"' in (await read(tab)).text
    await press(tab)
    expressions.clear()
    for origin in (site.other_origin, site.origin):
        await tab.navigate(f"{origin}/reading/controls.html")
        assert 'button "Press"' in (await read(tab)).text
        await press(tab)
    assert expressions
    assert max(map(len, expressions)) < _SHORT


async def test_a_document_without_scripts_gets_the_source(tab: Tab, site: Site) -> None:
    """There Chromium runs no script by itself, but runs those that are sent."""
    await tab.cdp.send("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        await tab.navigate(site.url("reading/controls.html"))
        assert 'button "Press"' in (await read(tab)).text
        await press(tab)
    finally:
        await tab.cdp.send("Emulation.setScriptExecutionDisabled", {"value": False})


async def test_parts_that_were_sent_are_not_loaded_again(tab: Tab, site: Site) -> None:
    """Loading a part twice would renumber the elements."""
    await tab.navigate(site.url("reading/controls.html"))
    frame = tab.main_frame
    await evaluate.evaluate_isolated(frame, engine.source(0, 1))
    before = (await read(tab)).text
    await press(tab)
    assert (await read(tab)).text == before
