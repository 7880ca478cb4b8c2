"""Prompts of the browser itself, which nobody sees: input that they take is never a success."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.site import Site
from support.waiting import wait_until
from support.wire import Reply

At = Callable[[str], Page]


@pytest.fixture
def daemon(share_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon with the Chromium that users have: one without windows shows no prompts."""
    return share_daemon()


@pytest.fixture
def site(make_site: Callable[[], Site]) -> Site:
    """A site of an origin that nothing has logged in at."""
    return make_site()


def find_refusal(reply: Reply) -> dict[str, Any] | None:
    return reply.error if reply.status >= 400 else None


@pytest.mark.parametrize(
    ("verb", "params", "done"),
    [
        ("interact", {"query": "Next"}, "clicked"),
        ("interact", {"query": "Agree", "action": "check"}, "agreed"),
        ("interact", {"query": "Name", "action": "press", "value": "x"}, "xi"),
        ("interact", {"query": "Name", "action": "type", "value": "y"}, "yi"),
        ("computer", {"action": "key", "text": "Tab Space"}, "clicked"),
        ("computer", {"action": "left_click", "coordinate": [30, 20]}, "clicked"),
    ],
)
def test_input_taken_by_a_prompt_is_an_error(
    at: At, verb: str, params: dict[str, Any], done: str
) -> None:
    """The call fails, names `http_auth`, and closes the prompt: the next try succeeds."""
    page = at("browser-prompts.html?asks")
    page.do("wait_for", type="function", value="performance.getEntriesByType('navigation').length")
    refused = page.call(verb, **params)
    assert refused.code == "covered"
    assert "http_auth" in refused.error["covered_by"]
    assert "GET" in refused.error["covered_by"]
    page.js("said.textContent = ''")
    page.do(verb, **params)
    assert page.text("#said") == done


def test_prompt_does_not_come_again_in_the_tab(at: At) -> None:
    """The page gets its 401 at once, in later documents, too."""
    page = at("browser-prompts.html?asks")
    assert page.call("interact", query="Next").code == "covered"
    page.goto("browser-prompts.html?asks")
    page.do("wait_for", type="function", value="said.textContent === 'told 401'")
    page.do("interact", query="Next")
    seen = page.do("http_auth", action="get")["challenges"]
    assert [one["outcome"] for one in seen] == ["no_credentials"]
    page.do("http_auth", action="set", username="ada", password="lovelace")
    page.js("ask()")
    page.do("wait_for", type="function", value="said.textContent === 'told 200'")


@pytest.mark.parametrize("part", ["image", "style", "script", "frame"])
def test_page_loads_without_a_part_that_asks_for_a_login(
    daemon: Daemon, site: Site, part: str
) -> None:
    """The prompt is closed, the page is whole otherwise, and the result says what asked."""
    daemon.do("tabs_create")
    arrived = daemon.do("navigate", url=site.url(f"acting/asks-for-login.html?{part}"))
    assert arrived["status"] == 200
    assert arrived["auth_required"] == {
        "scheme": "basic", "realm": "fixture", "request": f"GET {site.url('basic-auth')}",
    }  # fmt: skip
    assert arrived["next_step"]["verb"] == "http_auth"
    daemon.do("interact", query="Open")
    daemon.do("wait_for", type="text", value="Opened")
    again = daemon.do("page_reload")
    assert "auth_required" not in again


def test_part_that_is_only_slow_is_waited_for(daemon: Daemon, site: Site) -> None:
    """It is asked for once more to find out, without credentials, and not stopped."""
    daemon.do("tabs_create")
    url = site.url("acting/asks-for-login.html?slow")
    assert daemon.call("navigate", url=url, timeout_ms=6000).code == "timeout"
    assert len(site.seen("hang")) <= 2
    assert daemon.do("http_auth", action="get")["challenges"] == []


@pytest.mark.parametrize("way", ["Call", "Mail", "Meet", "Chat", "Text", "Send", "Frame", "Files"])
def test_link_to_another_program_is_reported_and_not_opened(
    at: At, daemon: Daemon, way: str
) -> None:
    """However the page follows it: no prompt takes the next input, and no tab is left."""
    page = at("external-links.html")
    tabs = len(daemon.do("tabs_context")["tabs"])
    clicked = page.do("interact", query=way)
    assert [url.partition(":")[0] for url in clicked["changed"]["external_links"]] == [
        page.js(f"programs[{way!r}]")
    ]
    page.do("interact", query="Next")
    assert page.text("#said") == "clicked"
    assert len(daemon.do("tabs_context")["tabs"]) == tabs


def test_prompt_of_a_frame_is_reported_and_closed_by_the_next_page(at: At) -> None:
    """Nothing prevents that one: input fails and names the address, and a page is opened anew."""
    page = at("external-links.html")
    page.js("chats.removeAttribute('srcdoc'); chats.src = 'oc-x:1'; document.body.append(chats)")
    refused = wait_until(lambda: find_refusal(page.call("interact", query="Next")), 60, "prompt")
    assert refused["code"] == "covered"
    assert "oc-x:1" in refused["covered_by"]
    page.goto("external-links.html")
    page.do("interact", query="Next")
    assert page.text("#said") == "clicked"


def test_redirect_to_another_program_is_reported(at: At, site: Site) -> None:
    """A link says where it led, `navigate` fails and says so, and the next page is opened anew."""
    address = site.url("redirect-to?url=oc-x%3A%2F%2Fjoin%2F1")
    page = at("external-links.html")
    page.js("document.querySelector('a').href = " + repr(address))
    clicked = page.do("interact", query="Call")
    assert clicked["changed"]["external_links"] == ["oc-x://join/1"]
    refused = page.call("navigate", url=address)
    assert refused.code == "navigation_failed"
    assert "oc-x://join/1" in refused.error["message"]
    page.goto("external-links.html")
    page.do("interact", query="Next")
    assert page.text("#said") == "clicked"


def test_sharing_the_screen_is_refused(at: At) -> None:
    """As a person refuses it who is asked for a screen."""
    page = at("external-links.html")
    shared = page.do("interact", query="Share")["changed"]
    assert shared["permissions"] == [{"name": "display-capture", "state": "denied"}]
    page.do("wait_for", type="text", value="NotAllowedError")
    page.do("interact", query="Next")
    assert page.text("#said") == "clicked"


@pytest.mark.parametrize("where", ["", "?stops"])
def test_keys_handled_by_the_browser_or_stopped_by_the_page_are_no_error(
    at: At, where: str
) -> None:
    """Lists of the browser take keys themselves, and pages stop events of keys."""
    page = at(f"browser-prompts.html{where}")
    page.do("interact", query="Name", action="press", value="x")
    page.do("interact", query="Colour", action="click")
    page.do("computer", action="key", text="ArrowDown ArrowDown Enter")
    page.do("interact", query="Town", action="click")
    page.do("interact", query="Town", action="type", value="R")
    page.do("computer", action="key", text="ArrowDown")
    page.do("computer", action="key", text="F8")
    assert page.js("colour.value") == "Blue"


def test_a_drop_needs_no_further_mouse_move(at: At) -> None:
    """After a native drag the page gets no mouseup, only the drop and its end."""
    page = at("browser-prompts.html")
    page.js("""
        said.draggable = true; said.textContent = '';
        const note = (event) => { agree.title += `${event.type} `; };
        for (const type of ['drop', 'dragend']) addEventListener(type, note, true);
        addEventListener('dragover', (event) => event.preventDefault(), true);
        addEventListener('dragend', () => addEventListener('mousemove', note, true), true);
        said.style.cssText = 'position: fixed; left: 0; top: 200px; width: 100px; height: 50px'""")
    for action, place in (("down", [50, 220]), ("move", [300, 400]), ("up", [300, 400])):
        name = "mouse_move" if action == "move" else f"left_mouse_{action}"
        page.do("computer", action=name, coordinate=place)
    assert page.js("agree.title") == "drop dragend "


def test_program_that_is_started_anyway_is_told_as_started(
    share_daemon: Callable[..., Daemon], site: Site, tmp_path: Path
) -> None:
    """Chromium asks nobody about `mailto:`, and nothing prevents a frame's first address."""
    started = tmp_path / "started"
    for name in ("xdg-email", "xdg-open"):  # in place of the user's mail program
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$@" > {started}\n')
        program.chmod(0o755)
    daemon = share_daemon(PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    daemon.do("tabs_create")
    page = Page(daemon, site).goto("external-links.html")
    clicked = page.do("interact", query="Mail frame")
    assert clicked["changed"]["started_programs"] == ["mailto:a@b.example"]
    assert "external_links" not in clicked["changed"]
    wait_until(started.exists, 30, "mail program")
    page.do("interact", query="Next")
    assert page.text("#said") == "clicked"


def test_a_passkey_is_not_asked_for_where_nobody_sees_it(at: At) -> None:
    """Its prompt would take all further input of the tab."""
    page = at("browser-apis.html")
    address = page.site.url("acting/browser-apis.html")
    page.do("navigate", url=address.replace("127.0.0.1", "localhost"))
    page.do("interact", query="Make a passkey")
    page.do("interact", query="Take a note")
    assert page.text("#told") == "noted"


def test_a_file_chooser_ends_and_is_told(at: At) -> None:
    """As if it was cancelled; file_upload fills one, and is not told of it."""
    page = at("browser-apis.html")
    assert page.do("interact", query="Attach a photo")["changed"]["file_chooser"] is True
    assert page.text("#told") == "no photo"
    photo = {"name": "photo.png", "content": "eA=="}
    told = page.do("file_upload", query="Attach a photo", files=[photo])
    assert page.text("#told") == "photo.png"
    assert "file_chooser" not in told["changed"]
    assert page.do("interact", query="Attach a photo")["changed"]["file_chooser"] is True


def test_a_mouse_that_a_page_holds_is_freed_for_another_element(at: At) -> None:
    """As a person frees it, with Escape; a click on what holds it reaches that."""
    page = at("browser-apis.html")
    page.do("interact", query="Look around")
    page.do("wait_for", type="function", value="document.pointerLockElement === document.body")
    page.do("interact", query="Take a note")
    assert page.text("#told") == "noted"
    page.do("wait_for", type="function", value="document.pointerLockElement === null")


def test_escape_ends_full_screen_and_frees_the_mouse(at: At) -> None:
    """In full screen the page is no dialog in front of itself."""
    page = at("browser-apis.html")
    page.do("interact", query="Present")
    page.do("wait_for", type="function", value="document.fullscreenElement !== null")
    assert "dialog" not in page.do("read_page")["content"].splitlines()[0]
    page.do("interact", query="Look around")
    page.do("interact", action="press", value="Escape")
    page.do("wait_for", type="function", value="document.fullscreenElement === null")
    page.do("wait_for", type="function", value="document.pointerLockElement === null")
