"""Emulated devices, browsers and locations, as the page and the site see them."""

import json
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site


def _js(daemon: Daemon, code: str) -> Any:  # noqa: ANN401 - any JSON value
    return json.loads(daemon.do("javascript_tool", code=f"JSON.stringify([{code}])")["content"])[0]


@pytest.fixture
def who(daemon: Daemon, site: Site) -> Daemon:
    daemon.do("navigate", url=site.url("state/who.html"))
    return daemon


SCREEN = "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints]"


def test_device_preset_gives_screen_touch_and_agent(who: Daemon, site: Site) -> None:
    """A phone is narrow, dense, touched, and its agent reaches the site."""
    told = who.do("emulate_device", preset="iphone-14")
    assert told["viewport"]["width"] == 390
    assert _js(who, SCREEN) == [390, 844, 3, 5]
    who.do("page_reload")
    assert "iPhone" in site.seen("state/who.html")[-1].headers["User-Agent"]
    assert "iPhone" in site.seen("state/inner.html")[-1].headers["User-Agent"]
    assert "iPhone" in _js(who, "navigator.userAgent")


def test_device_survives_navigation_until_reset(who: Daemon, site: Site) -> None:
    """It lasts over documents and origins until reset."""
    before = _js(who, SCREEN)
    who.do("emulate_device", preset="pixel-7", landscape=True)
    who.do("navigate", url=f"{site.other_origin}/state/who.html")
    assert _js(who, SCREEN)[:2] == [915, 412]
    who.do("emulate_device", reset=True)
    assert _js(who, SCREEN) == before
    who.do("page_reload")
    assert "Pixel" not in site.seen("state/who.html")[-1].headers["User-Agent"]
    assert "Android" not in _js(who, "navigator.userAgent")


def test_device_by_numbers(who: Daemon) -> None:
    """Width and height are enough; one of them is not."""
    who.do("emulate_device", width=500, height=400, deviceScaleFactor=2)
    assert _js(who, SCREEN)[:3] == [500, 400, 2]
    assert who.call("emulate_device", width=500).error["parameter"] == "height"
    assert who.call("emulate_device", preset="nokia").error["parameter"] == "preset"


def test_emulation_affects_only_its_own_tab(who: Daemon, site: Site) -> None:
    """Other tabs are unchanged."""
    before = _js(who, SCREEN)
    who.do("emulate_device", preset="galaxy-fold")
    other = who.new_tab(site.url("state/who.html"))
    assert _js(who, SCREEN) == before
    assert who.do("tabs_context")["current"] == other


def test_user_agent_has_matching_client_hints(who: Daemon, site: Site) -> None:
    """Header, navigator and client hints say the same."""
    told = who.do("user_agent", preset="chrome-windows", accept_language="ko-KR")
    who.do("page_reload")
    headers = site.seen("state/who.html")[-1].headers
    assert headers["User-Agent"] == told["user_agent"]
    assert headers["Accept-Language"].startswith("ko-KR")
    assert _js(who, "[navigator.userAgent, navigator.platform, navigator.language]") == [
        told["user_agent"], "Win32", "ko-KR",
    ]  # fmt: skip
    assert headers.get("Sec-Ch-Ua-Platform", '"Windows"') == '"Windows"'


def test_firefox_user_agent_sends_no_client_hints(who: Daemon, site: Site) -> None:
    """Firefox knows no client hints, and neither does who pretends to be it."""
    who.do("user_agent", preset="firefox-mac")
    who.do("page_reload")
    headers = {k.lower() for k in site.seen("state/who.html")[-1].headers}
    assert "sec-ch-ua" not in headers
    own = who.do("user_agent", reset=True)["user_agent"]
    who.do("page_reload")
    assert site.seen("state/who.html")[-1].headers["User-Agent"] == own
    assert "Firefox" not in own


def test_custom_user_agent(who: Daemon, site: Site) -> None:
    """Any text except one that would inject headers."""
    who.do("user_agent", custom="my-bot/1.0")
    who.do("page_reload")
    assert site.seen("state/who.html")[-1].headers["User-Agent"] == "my-bot/1.0"
    assert who.call("user_agent", custom="a\r\nX: y").error["parameter"] == "custom"
    assert who.call("user_agent").code == "invalid_argument"
    assert who.call("user_agent", preset="chrome-mac", custom="x").code == "invalid_argument"


def _asked(daemon: Daemon) -> str:
    daemon.do("interact", query="Where am I")
    daemon.do(
        "wait_for", type="function", value="document.querySelector('#where').textContent != "
        "'nowhere'", timeout_ms=60_000,
    )  # fmt: skip
    return str(_js(daemon, "document.querySelector('#where').textContent"))


def test_geolocation_without_permission_is_refused_at_once(who: Daemon) -> None:
    """Nobody could answer the prompt, so the page is refused at once."""
    assert _asked(who) == "refused 1"


def test_click_reports_a_refused_permission_prompt(who: Daemon) -> None:
    """`changed` names what the page has asked for and that it was denied, or granted."""
    changed = who.do("interact", query="Where am I")["changed"]
    assert changed["permissions"] == [{"name": "geolocation", "state": "denied"}]
    who.do("geolocation", preset="paris")
    changed = who.do("interact", query="Where am I")["changed"]
    assert changed["permissions"] == [{"name": "geolocation", "state": "granted"}]
    who.do("geolocation", reset=True)


def test_permission_prompts_are_refused_at_once(who: Daemon) -> None:
    """Camera, microphone, notifications and clipboard are refused at once, and look untouched."""
    refused = """await Promise.all([
      navigator.mediaDevices.getUserMedia({video: true, audio: true}).then(() => 'ok', (e) => 'no'),
      Notification.requestPermission(),
      navigator.clipboard.readText().then(() => 'ok', (e) => 'no'),
    ]).then(JSON.stringify)"""
    told = who.do("javascript_tool", code=refused, timeout_ms=60_000)
    assert json.loads(told["content"]) == ["no", "denied", "no"]
    seen = _js(who, "String(navigator.geolocation.getCurrentPosition)")
    assert "[native code]" in seen


def test_geolocation_is_given_to_the_page(who: Daemon, site: Site) -> None:
    """The page's origin may ask from then on; after reset no more."""
    told = who.do("geolocation", preset="seoul", accuracy=20)
    assert (told["latitude"], told["granted"]) == (37.5665, site.origin)
    assert _asked(who) == "37.5665 20"
    assert who.do("geolocation", reset=True)["denied"] == [site.origin]
    who.do("page_reload")
    assert _asked(who) == "refused 1"


def test_geolocation_by_numbers_is_validated(who: Daemon) -> None:
    """Both coordinates, within their ranges."""
    who.do("geolocation", latitude=-10.5, longitude=20)
    assert _asked(who) == "-10.5 100"
    assert who.call("geolocation", latitude=1).error["parameter"] == "longitude"
    assert who.call("geolocation", latitude=91, longitude=0).error["parameter"] == "latitude"
    who.do("geolocation", reset=True)


@pytest.mark.parametrize("way", ["By script", "By link", "Without opener", "Elsewhere"])
def test_popups_are_emulated_from_their_first_script_on(
    daemon: Daemon, site: Site, way: str
) -> None:
    """Screen, touch, agent, language, place, logins and speed are the opener's."""
    daemon.do("navigate", url=site.url("state/opener.html"))
    opener = daemon.do("tabs_context")["current"]
    daemon.do("emulate_device", preset="iphone-14")
    daemon.do("user_agent", custom="phone/1.0", accept_language="ko-KR")
    daemon.do("geolocation", preset="seoul")
    daemon.do("http_auth", action="set", username="ann", password="pw")
    daemon.do("network", preset="fast-wifi")
    (popup,) = daemon.do("interact", query=way)["changed"]["popups"]
    there = {"tab_id": popup["tab_id"]}
    daemon.do("wait_for", type="load", **there)
    seen = site.seen("state/opened.html")[-1].headers
    assert seen["User-Agent"] == "phone/1.0"
    assert seen["Accept-Language"].startswith("ko-KR")
    first = json.loads(
        daemon.do("javascript_tool", code="JSON.stringify(first)", **there)["content"]
    )
    assert first == {
        "agent": "phone/1.0", "touch": 5, "language": "ko-KR", "screen": [390, 844], "ratio": 3,
        "width": 390,
    }  # fmt: skip
    assert daemon.do("network", **there)["throttled"] is True
    known = daemon.do("http_auth", action="get", **there)
    assert (known["status"], known["origins"]) == ("set", [site.origin])
    if way != "Elsewhere":
        daemon.do("interact", query="Where am I", **there)
        title = "document.title == '37.5665'"
        daemon.do("wait_for", type="function", value=title, timeout_ms=60_000, **there)
    daemon.do("user_agent", reset=True, **there)
    assert _js(daemon, "navigator.userAgent") != "phone/1.0"
    daemon.do("tabs_close", **there)
    daemon.do("page_reload", tab_id=opener)
    assert site.seen("state/opener.html")[-1].headers["User-Agent"] == "phone/1.0"
    daemon.do("geolocation", reset=True, tab_id=opener)
