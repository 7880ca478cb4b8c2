"""Taking over a tab in the dashboard: a person's mouse and keyboard, in a browser of their own."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from support.daemon import Daemon
from support.dashboard import DashboardPort
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

SESSION = "control"
# Whether the dashboard shows the page as the tests have sized it.
PICTURE = "(c => c.dataset.frames && Math.abs(c.width / c.height - 10 / 6) < 0.02)"
PICTURE += "(document.querySelector('canvas'))"


@pytest.fixture
def watched(share_daemon: Callable[..., Daemon]) -> Daemon:
    return share_daemon("--dashboard", "0")


@pytest.fixture
def port(watched: Daemon, daemon: Daemon) -> DashboardPort:
    """The watched daemon's dashboard, after the other's browser was let in."""
    there = DashboardPort(watched)
    daemon.do("navigate", url=there.link())
    wait_for_text(daemon, "Connected")
    return there


def wait_for_text(daemon: Daemon, text: str, session: str | None = None) -> None:
    daemon.do("wait_for", session, type="text", value=text, timeout_ms=60_000)


class Person:
    """Who looks at a tab in the dashboard; places are those of the page in the tab."""

    def __init__(self, daemon: Daemon, port: DashboardPort, tab: str) -> None:
        self.daemon = daemon
        daemon.do("emulate_device", width=1440, height=1400)
        daemon.do("navigate", url=f"{port.origin}/tab/{SESSION}/{tab}")
        wait_for_text(daemon, "Take over")
        daemon.do("wait_for", type="function", value=PICTURE, timeout_ms=60_000)

    def run(self, code: str) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.daemon.do("javascript_tool", code=code)["content"])

    def take_over(self) -> None:
        self.daemon.do("interact", query="Take over", timeout_ms=60_000)
        wait_for_text(self.daemon, "Ctrl+Alt+Enter")
        wait_for_text(self.daemon, "held by viewer")  # which moves the picture

    def use(self, action: str, **params: object) -> None:
        self.daemon.do("computer", action=action, timeout_ms=60_000, **params)

    def point(self, action: str, x: float, y: float, **params: object) -> None:
        self.use(action, coordinate=self.at(x, y), **params)

    def at(self, x: float, y: float) -> list[float]:
        """Return where in the dashboard a place of the page is, whose viewport is 1000 by 600."""
        found: list[float] = self.run(
            "const r = document.querySelector('canvas').getBoundingClientRect();"
            f"JSON.stringify([r.left + {x} / 1000 * r.width, r.top + {y} / 600 * r.height])"
        )
        return found


@pytest.fixture
def tab(watched: Daemon, site: Site) -> str:
    opened = watched.new_tab(site.url("dashboard/hands.html"), session=SESSION)
    watched.do("emulate_device", SESSION, tab_id=opened, width=1000, height=600)
    return opened


def test_a_person_acts_in_the_tab(
    port: DashboardPort, watched: Daemon, daemon: Daemon, tab: str
) -> None:
    """Mouse, wheel, keys, an input method's text, paste; an agent's call goes on afterwards."""
    person = Person(daemon, port, tab)
    person.take_over()
    waits = watched.start_call("interact", SESSION, tab_id=tab, query="Send", timeout_ms=300_000)
    wait_until(lambda: watched.status()["calls_in_flight"], what="the agent's call")
    person.point("left_click", 100, 40)
    person.use("key", text="x Enter shift+y ctrl+a Backspace z")
    person.run(WRITE)
    person.point("left_click", 100, 220)
    wait_for_text(watched, "click send zにほん pasted", SESSION)
    person.point("double_click", 100, 100)
    person.point("right_click", 100, 120)
    person.use(
        "left_click_drag", start_coordinate=person.at(60, 100), coordinate=person.at(160, 150)
    )
    person.run(TOUCH % tuple(person.at(120, 150)))
    person.point("scroll", 500, 400, scroll_direction="down")
    wait_for_text(watched, "scroll down", SESSION)
    said = [line.removeprefix("- text: ") for line in seen(watched, tab).splitlines()]
    assert not [line for line in said if line.startswith("faked")]
    for line in (
        *("keydown KeyX x", "keydown KeyY Y", "keyup Shift", "keydown KeyA ctrl a", "dblclick"),
        *("mousedown 2 100,120", "contextmenu", "mousedown 0 60,100", "mousemove 1 160,150"),
        *("mouseup 0 160,150", "touchstart 1", "touchend 0"),
    ):
        assert line in said
    assert not waits.done
    person.point("left_click", 100, 40)
    person.use("key", text="ctrl+alt+Enter Enter")
    wait_for_text(daemon, "You gave the tab back.")
    assert waits.reply().result["tab_id"] == tab
    assert seen(watched, tab).count("click send") == 2


def seen(watched: Daemon, tab: str) -> str:
    return str(watched.do("read_page", SESSION, tab_id=tab)["content"])


# What an input method has written, and what stands on the clipboard.
WRITE = """
const field = document.querySelector('textarea.hands');
field.value = 'にほん';
field.dispatchEvent(new CompositionEvent('compositionend', {data: 'にほん'}));
const clipboardData = new DataTransfer();
clipboardData.setData('text/plain', ' pasted');
field.dispatchEvent(new ClipboardEvent('paste', {clipboardData, cancelable: true}));
JSON.stringify(field.value)
"""

TOUCH = """
const field = document.querySelector('textarea.hands');
const about = {pointerType: 'touch', pointerId: 7, clientX: %s, clientY: %s, cancelable: true};
for (const type of ['pointerdown', 'pointerup']) field.dispatchEvent(new PointerEvent(type, about));
JSON.stringify(0)
"""


def test_a_person_drags_in_the_tab(
    port: DashboardPort, watched: Daemon, daemon: Daemon, tab: str, site: Site
) -> None:
    """The page's own drag and drop, its data with it; and what follows the pointer by itself."""
    watched.do("navigate", SESSION, tab_id=tab, url=site.url("acting/drag.html"))
    places = [centre(watched, tab, one) for one in ("knob", "slider", "card", "bin")]
    person = Person(daemon, port, tab)
    person.take_over()
    for start, end in (places[:2], places[2:]):
        person.use(
            "left_click_drag", start_coordinate=person.at(*start), coordinate=person.at(*end)
        )
    wait_for_text(watched, "end:", SESSION)
    words = seen(watched, tab)
    assert re.search(r"status: knob:1[34]\d start enter over drop:the card:true end:move", words)


def test_drag_events_that_arrive_in_one_burst_are_a_complete_drag(
    port: DashboardPort, watched: Daemon, tab: str, site: Site
) -> None:
    """Press, moves and release wait for one another, as Chromium's drag and drop needs it."""
    watched.do("navigate", SESSION, tab_id=tab, url=site.url("acting/drag.html"))
    (ax, ay), (bx, by) = (centre(watched, tab, one) for one in ("card", "bin"))

    def mouse(event: str, part: float, buttons: int, count: int) -> dict[str, Any]:
        place = {"x": ax + (bx - ax) * part, "y": ay + (by - ay) * part}
        about = {"event": event, "button": "left", "buttons": buttons, "count": count}
        return {"input": {"type": "mouse", **place, **about}}

    async def drag() -> None:
        async with connected(port) as person:
            assert (await say(person, hold(tab)))["state"] == "held"
            await person.send_json(mouse("pressed", 0, 1, 1))
            for step in range(1, 5):
                await person.send_json(mouse("moved", step / 4, 1, 0))
            await person.send_json(mouse("released", 1, 0, 1))
            await asyncio.to_thread(wait_for_text, watched, "end:", SESSION)
            assert (await say(person, {"hold": None}))["state"] == "released"

    asyncio.run(drag())
    said = seen(watched, tab)
    assert re.search(r"status: start enter over drop:the card:true end:move", said), said


def centre(watched: Daemon, tab: str, name: str) -> list[float]:
    code = f"const r = {name}.getBoundingClientRect();"
    code += "JSON.stringify([r.x + r.width / 2, r.y + r.height / 2])"
    said = watched.do("javascript_tool", SESSION, tab_id=tab, code=code)["content"]
    found: list[float] = json.loads(said)
    return found


def test_one_person_holds_a_tab(
    port: DashboardPort, watched: Daemon, daemon: Daemon, tab: str
) -> None:
    """All see who; nobody else's words come through, and a closed page gives the tab back."""
    hold = {"hold": {"session": SESSION, "tab_id": tab}}
    key = {"type": "key", "event": "down", "key": "q", "code": "KeyQ", "number": 81, "text": "q"}
    look, act = port.cookie(control=False), port.cookie()

    def speak(cookie: str, *messages: object) -> dict[str, Any]:
        return asyncio.run(converse(port, cookie, messages))

    refused = speak(look, {"input": key}, hold)
    assert (refused["state"], refused["error"]["code"]) == ("refused", "forbidden")
    person = Person(daemon, port, tab)
    person.take_over()
    wait_for_text(daemon, "held by viewer")
    refused = speak(act, {"input": key}, hold, {"hold": None}, hold, {"input": key})
    assert refused["error"]["code"] == "human_in_control"
    assert refused["error"]["holder"].startswith("viewer ")
    body = b'{"key": "of-nobody"}'
    headers = {"Origin": port.origin, "Content_Type": "application/json"}
    for cookie, status in ((look, 403), (act, 404)):
        assert (
            port.ask("POST", "/api/give-back", body, Cookie=cookie, **headers)[0].status == status
        )
    daemon.do("navigate", url=f"{port.origin}/enter")
    wait_until(lambda: not leases(watched), what="the tab given back")
    held = speak(act, hold, {"hold": None})
    assert held["state"] == "held"
    assert "KeyQ" not in seen(watched, tab)


def test_two_people_and_three_agents_at_once(
    port: DashboardPort, watched: Daemon, site: Site, tab: str
) -> None:
    """Each person's keys reach the tab that they hold; one agent waits for it, two go on."""
    theirs, free = (
        watched.new_tab(site.url("dashboard/hands.html"), session=SESSION) for _ in range(2)
    )
    for one in (tab, theirs):
        watched.do("form_input", SESSION, tab_id=one, query="Words", value="")

    def agents() -> Any:  # noqa: ANN401 - a call that waits
        waits = watched.start_call(
            "interact", SESSION, tab_id=tab, query="Send", timeout_ms=300_000
        )
        wait_until(lambda: watched.status()["calls_in_flight"], what="the agent's call")
        assert "Words" in seen(watched, tab)
        watched.do("interact", SESSION, tab_id=free, query="Send", timeout_ms=60_000)
        wait_until(lambda: "a" * 40 in seen(watched, tab), what="all of one's keys")
        wait_until(lambda: "b" * 40 in seen(watched, theirs), what="all of the other's")
        assert not waits.done
        return waits

    async def people() -> Any:  # noqa: ANN401 - a call that waits
        async with connected(port) as ada, connected(port) as bob, connected(port) as late:
            assert (await say(ada, hold(tab)))["state"] == "held"
            assert (await say(bob, hold(theirs)))["state"] == "held"
            for held in (tab, theirs):
                assert (await say(late, hold(held)))["error"]["code"] == "human_in_control"
            for _ in range(40):
                await ada.send_json({"input": {"type": "text", "text": "a"}})
                await bob.send_json({"input": {"type": "text", "text": "b"}})
            waits = await asyncio.to_thread(agents)
            assert (await say(ada, {"hold": None}))["state"] == "released"
            assert (await say(bob, {"hold": None}))["state"] == "released"
            return waits

    waits = asyncio.run(people())
    assert waits.reply().result["tab_id"] == tab
    assert f"click send {'a' * 40}" in seen(watched, tab)
    assert "click send" not in seen(watched, theirs)


def test_a_lease_survives_a_lost_connection(port: DashboardPort, watched: Daemon, tab: str) -> None:
    """With the key of its lease it is the same lease; without one nobody is let in meanwhile."""
    wanted = {"session": SESSION, "tab_id": tab}
    cookie = port.cookie()
    key = asyncio.run(first_word(port, cookie, {"hold": wanted}))["key"]
    (before,) = leases(watched)
    other = asyncio.run(first_word(port, port.cookie(), {"hold": wanted}))
    assert other["error"]["code"] == "human_in_control"
    again = asyncio.run(first_word(port, cookie, {"hold": {**wanted, "key": key}}))
    assert (again["state"], again["key"]) == ("held", key)
    assert leases(watched) == [before]
    headers = {"Cookie": cookie, "Origin": port.origin, "Content_Type": "application/json"}
    body = json.dumps({"key": key}).encode()
    assert port.ask("POST", "/api/give-back", body, **headers)[0].status == 200
    assert leases(watched) == []


@asynccontextmanager
async def connected(
    port: DashboardPort, cookie: str = ""
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """Connect as a page of the dashboard does; without a cookie, as one more person."""
    headers = {"Cookie": cookie or port.cookie(), "Origin": port.origin}
    async with (
        aiohttp.ClientSession(headers=headers) as browser,
        browser.ws_connect(f"{port.origin}/api/events") as socket,
    ):
        yield socket


def hold(tab: str, **key: str) -> dict[str, Any]:
    return {"hold": {"session": SESSION, "tab_id": tab, **key}}


async def say(socket: aiohttp.ClientWebSocketResponse, message: object) -> dict[str, Any]:
    """Say something; return the next word about control."""
    await socket.send_json(message)
    async for said in socket:
        if control := json.loads(said.data).get("control"):
            return dict(control)
    raise AssertionError("the daemon said nothing about control")


async def first_word(port: DashboardPort, cookie: str, message: object) -> dict[str, Any]:
    """Say that as a page does whose connection is cut at the answer; return the answer."""
    async with connected(port, cookie) as socket:
        return await say(socket, message)


def leases(daemon: Daemon) -> list[Any]:
    found: list[Any] = daemon.request("POST", "/v1/leases", b'{"action": "list"}').result["leases"]
    return found


async def converse(
    port: DashboardPort, cookie: str, messages: tuple[object, ...]
) -> dict[str, Any]:
    """Say all that to the daemon as a page does; return its first word about control.

    The connection stays until the tab is not held any more: one that is cut may come back.
    """
    first: dict[str, Any] = {}
    async with connected(port, cookie) as socket:
        for message in messages:
            await socket.send_json(message)
        async for said in socket:
            if control := json.loads(said.data).get("control"):
                first = first or control
                if control["state"] not in ("held", "asks"):
                    return first
    raise AssertionError("the daemon said nothing about control")


def test_a_person_answers_an_agents_request(
    port: DashboardPort, watched: Daemon, daemon: Daemon, tab: str
) -> None:
    """The agent's words name the address; the request stands beside the tab and among approvals."""
    here = f"{port.origin}/tab/{SESSION}/{tab}"
    task = ask(watched, "Solve the captcha")
    assert here in wait_until(lambda: progress(watched, task), what="the words")
    daemon.do("navigate", url=f"{port.origin}/approvals")
    wait_for_text(daemon, "Solve the captcha")
    daemon.do("interact", query=f"Show the tab {tab}", timeout_ms=60_000)
    wait_for_text(daemon, "Take over")
    daemon.do("interact", query="Done", timeout_ms=60_000)
    assert watched.finish(task)["status"] == "COMPLETED"
    assert watched.result_of(task)["by"] == "dashboard"
    task = ask(watched, "Pay the bill")
    wait_for_text(daemon, "Pay the bill")
    daemon.do("interact", query="Cannot do it", timeout_ms=60_000)
    assert watched.finish(task)["error"]["code"] == "action_denied"


def ask(watched: Daemon, reason: str) -> str:
    started = watched.do("oc_task_start", SESSION, kind="oc_ask_human", args={"reason": reason})
    return str(started["task_id"])


def progress(watched: Daemon, task: str) -> str:
    return str(watched.task(task)["progress"].get("message") or "")
