"""Refs: valid while their element is in the page, and never reused."""

import re

import pytest

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element, parse_ref, resolve_element
from ocd.pages.locate import locators
from ocd.pages.locate.locators import Locator, call_engine
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def refs_of(tab: Tab) -> dict[str, str]:
    """Return name -> ref of a reading."""
    text = (await read(tab)).text
    return dict(re.findall(r'"([^"]*)" \[ref=(e\d+)\]', text))


async def code_of(tab: Tab, **target: str) -> str:
    with pytest.raises(OcdError) as caught:
        await resolve_element(tab, **target)
    return caught.value.code


async def test_a_ref_always_means_the_same_element(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/controls.html"))
    refs = await refs_of(tab)
    async with await resolve_element(tab, ref="@" + refs["Press"]) as element:
        assert (
            await element.call("function (mark) { return mark + this.textContent }", ">")
            == ">Press"
        )


async def test_refs_stay_the_same_and_are_never_given_twice(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("index.html"))
    await tab.evaluate("document.body.innerHTML = '<button>A</button><button>B</button>'")
    first = await refs_of(tab)
    await tab.evaluate(
        "document.querySelector('button').remove();"
        " document.body.insertAdjacentHTML('afterbegin', '<button>A</button>')"
    )
    second = await refs_of(tab)
    assert second["B"] == first["B"]
    assert int(second["A"][1:]) > max(int(ref[1:]) for ref in first.values())
    assert await code_of(tab, ref=first["A"]) == "stale_ref"


@pytest.mark.parametrize("at", [{"query": "Save"}, {"selector": "button"}])
async def test_a_match_that_was_replaced_is_looked_up_again(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch, at: dict[str, str]
) -> None:
    """The page may render at any moment; a ref still names one element only."""
    await tab.navigate(site.url("index.html"))
    draw = "document.body.innerHTML = '<button>Save {}</button>'"
    await tab.evaluate(draw.format(0))
    element_of_ref, drawn = locators.element_of_ref, 0

    async def draw_first(tab: Tab, ref: str) -> Element:
        nonlocal drawn
        drawn += 1
        if drawn < 3:
            await tab.evaluate(draw.format(drawn))
        return await element_of_ref(tab, ref)

    monkeypatch.setattr(locators, "element_of_ref", draw_first)
    element, ref = await locators.resolve(tab, Locator(**at))
    async with element:
        assert await element.call("function () { return this.isConnected }")
    drawn = 0
    with pytest.raises(OcdError, match="no longer the element"):
        await locators.resolve(tab, Locator(ref=ref))


async def test_after_a_navigation_old_refs_are_stale(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/controls.html"))
    old = await refs_of(tab)
    await tab.navigate(site.url("reading/structure.html"))
    assert await code_of(tab, ref=old["Press"]) == "stale_ref"
    new = await refs_of(tab)
    assert not set(old.values()) & set(new.values())
    assert await code_of(tab, ref=old["Press"]) == "stale_ref"
    await tab.reload()
    assert await code_of(tab, ref=new["Buy"]) == "stale_ref"


async def test_refs_inside_frames_know_their_frame(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/frames.html"))
    text = (await read(tab)).text
    links = re.findall(r'link "Inner link" \[ref=(e\d+)\]', text)
    origins = []
    for ref in links:
        async with await resolve_element(tab, ref=ref) as element:
            origins.append(
                await element.call("function () { return this.ownerDocument.location.origin }")
            )
    assert origins == [site.origin, site.other_origin]
    await tab.evaluate("document.querySelectorAll('iframe').forEach((frame) => frame.remove())")
    for ref in links:
        assert await code_of(tab, ref=ref) == "stale_ref"


async def test_selectors_reach_shadow_trees_and_frames(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/shadow.html"))
    async with await resolve_element(tab, selector="input#a") as element:
        assert await element.call("function () { return this.id }") == "a"
    await tab.navigate(site.url("reading/frames.html"))
    async with await resolve_element(tab, selector="button") as element:
        assert await element.call("function () { return this.textContent }") == "Innermost button"
    assert await code_of(tab, selector="#nowhere") == "element_not_found"
    assert await code_of(tab, selector="p[") == "invalid_argument"


async def test_invalid_refs_are_distinguished_from_unknown_ones(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("index.html"))
    assert await code_of(tab, ref="e999999") == "stale_ref"
    assert await code_of(tab, ref="button") == "invalid_argument"
    assert [parse_ref(ref) for ref in ("e1", "@e1", " E1 ", "1")] == [1, 1, 1, 1]


async def test_refs_of_a_lost_reply_are_unknown(
    tab: Tab, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page numbered elements, but its reply was lost: other frames may get the numbers."""
    await tab.navigate(site.url("reading/frames.html"))
    buttons = "".join(f"<button>Number {number}</button>" for number in range(3))
    await tab.evaluate(f"document.querySelector('h1').insertAdjacentHTML('afterend', '{buttons}')")
    call = engine.call

    async def lose(tab: Tab, frame: Frame, function: str, *args: object) -> object:
        answer = await call(tab, frame, function, *args)
        if function == "outline" and frame is tab.main_frame:
            raise OcdError("timeout", "lost")
        return answer

    monkeypatch.setattr(engine, "call", lose)
    with pytest.raises(OcdError, match="lost"):
        await read(tab)
    monkeypatch.undo()
    other = next(frame for frame in tab.frames() if frame.url.startswith(site.other_origin))
    await call_engine(tab, other, "outline", {})
    text = (await read(tab)).text
    refs = re.findall(r'(?:button|link) "([^"]+)" \[ref=(e\d+)\]', text)
    assert len({ref for _, ref in refs}) == len(refs) >= 5
    for name, ref in refs:
        async with await resolve_element(tab, ref=ref) as element:
            assert (await element.call("function () { return this.textContent }")).strip() == name


async def test_a_new_document_gets_all_engine_parts_or_none(tab: Tab, site: Site) -> None:
    """If the page navigates unnoticed, the next document gets all parts or none."""
    await tab.navigate(site.url("article.html"))
    frame = tab.main_frame
    frame.world, frame.engine_parts = 1_000_000, 1
    found = await call_engine(
        tab, frame, "find", {"query": "lighthouse", "limit": 3, "among": "all"}
    )
    assert found["matches"]
    assert "The lighthouse" in (await read(tab)).text
