"""An attached program cannot reach beyond its session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest

from support.cdp_program import CdpError, CdpProgram, address, run
from support.daemon import Daemon
from support.site import Site

SECRET = "their-cookie-is-secret"
BLOCKED = "http://blocked.test/"
OUTSIDE = "/etc/passwd"
GUESS = "0123456789ABCDEF0123456789ABCDEF"
ALL = [{}]

# Method and parameters; words in capitals stand for what the session must not reach.
OF_THE_BROWSER: list[tuple[str, dict[str, object]]] = [
    ("Target.attachToTarget", {"targetId": "THEIRS", "flatten": True}),
    ("Target.attachToTarget", {"targetId": "THEIRS"}),
    ("Target.attachToTarget", {"targetId": "tab:THEIRS", "flatten": True}),
    ("Target.getTargetInfo", {"targetId": "THEIRS"}),
    ("Target.closeTarget", {"targetId": "THEIRS"}),
    ("Target.activateTarget", {"targetId": "THEIRS"}),
    ("Target.exposeDevToolsProtocol", {"targetId": "THEIRS"}),
    ("Target.exposeDevToolsProtocol", {"targetId": "OURS", "inheritPermissions": True}),
    ("Target.autoAttachRelated", {"targetId": "THEIRS", "waitForDebuggerOnStart": False}),
    ("Target.sendMessageToTarget", {"sessionId": GUESS, "message": "{}"}),
    ("Target.sendMessageToTarget", {"targetId": "THEIRS", "message": "{}"}),
    ("Target.detachFromTarget", {"sessionId": GUESS}),
    ("Target.getDevToolsTarget", {"targetId": "THEIRS"}),
    ("Target.openDevTools", {"targetId": "THEIRS"}),
    ("Target.setRemoteLocations", {"locations": [{"host": "127.0.0.1", "port": 1}]}),
    ("Target.createTarget", {"url": "chrome://settings"}),
    ("Target.createTarget", {"url": f"file://{OUTSIDE}"}),
    ("Target.createTarget", {"url": "http://127.0.0.1:PORT/"}),
    ("Target.createTarget", {"url": BLOCKED}),
    ("Target.createTarget", {"url": "about:blank", "browserContextId": "CONTEXT"}),
    ("Target.createBrowserContext", {"proxyServer": "http://127.0.0.1:1"}),
    ("Target.disposeBrowserContext", {"browserContextId": "CONTEXT"}),
    ("Browser.setDownloadBehavior", {"behavior": "deny", "browserContextId": "CONTEXT"}),
    ("Browser.grantPermissions", {"permissions": ["geolocation"]}),
    ("Browser.getWindowForTarget", {"targetId": "THEIRS"}),
    ("Browser.setWindowBounds", {"windowId": 1, "bounds": {"width": 300}}),
    ("Browser.getBrowserCommandLine", {}),
    ("Browser.executeBrowserCommand", {"commandId": "openTabSearch"}),
    ("Browser.crash", {}),
    ("Storage.getCookies", {"browserContextId": "CONTEXT"}),
    ("Storage.setCookies", {"browserContextId": "CONTEXT", "cookies": []}),
    ("Storage.clearCookies", {"browserContextId": "CONTEXT"}),
    ("Storage.clearDataForOrigin", {"origin": "http://127.0.0.1", "storageTypes": "all"}),
    ("SystemInfo.getProcessInfo", {}),
    ("Tracing.start", {}),
    ("IO.read", {"handle": "1"}),
    ("Fetch.enable", {}),
    ("Security.setIgnoreCertificateErrors", {"ignore": True}),
    ("Tethering.bind", {"port": 9999}),
    ("Extensions.loadUnpacked", {"path": "/tmp"}),
    ("Nothing.atAll", {}),
]
OF_A_TAB: list[tuple[str, dict[str, object]]] = [
    ("Page.navigate", {"url": "http://127.0.0.1:PORT/json"}),
    ("Page.navigate", {"url": "http://localhost:PORT/json"}),
    ("Page.navigate", {"url": f"file://{OUTSIDE}"}),
    ("Page.navigate", {"url": "chrome://version"}),
    ("Page.navigate", {"url": "view-source:about:blank"}),
    ("Page.navigate", {"url": "javascript:1"}),
    ("Page.navigate", {"url": BLOCKED}),
    ("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": "/tmp"}),
    ("DOM.setFileInputFiles", {"files": [OUTSIDE], "backendNodeId": 1}),
    ("Input.dispatchDragEvent", {
        "type": "drop", "x": 1, "y": 1,
        "data": {"items": [], "files": [OUTSIDE], "dragOperationsMask": 1},
    }),
    ("Network.loadNetworkResource", {"url": f"file://{OUTSIDE}", "options": {}}),
    ("Network.setCookie", {"name": "a", "value": "b", "domain": "blocked.test"}),
    ("Network.getCookies", {"urls": [BLOCKED]}),
    ("Network.clearBrowserCookies", {}),
    ("Storage.getCookies", {"browserContextId": "CONTEXT"}),
    ("Target.attachToTarget", {"targetId": "THEIRS", "flatten": True}),
    ("Target.closeTarget", {"targetId": "THEIRS"}),
    ("Browser.getWindowForTarget", {"targetId": "THEIRS"}),
    ("ServiceWorker.enable", {}),
    ("CacheStorage.requestCacheNames", {"securityOrigin": "http://127.0.0.1"}),
    ("FileSystem.getDirectory", {"bucketFileSystemLocator": {}}),
    ("HeapProfiler.takeHeapSnapshot", {}),
    ("Profiler.start", {}),
    ("Debugger.pause", {}),
    ("Debugger.setSkipAllPauses", {"skip": False}),
    ("Security.setIgnoreCertificateErrors", {"ignore": True}),
    ("Emulation.setVirtualTimePolicy", {"policy": "pause"}),
    ("Memory.getBrowserSamplingProfile", {}),
    ("Page.crash", {}),
    ("Tracing.start", {}),
]  # fmt: skip
# What is answered, and only for the session.
BLIND: list[tuple[str, dict[str, object]]] = [
    ("Target.getTargets", {}),
    ("Target.getTargets", {"filter": ALL}),
    ("Target.setDiscoverTargets", {"discover": True, "filter": ALL}),
    ("Target.setAutoAttach", {
        "autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True, "filter": ALL,
    }),
    ("Target.getBrowserContexts", {}),
    ("Storage.getCookies", {}),
    ("Network.getAllCookies", {}),
]  # fmt: skip


@dataclass(frozen=True)
class Theirs:
    """Another session: the target of its tab, and the context of its worker with a cookie."""

    target: str
    context: str
    url: str
    port: int


@pytest.fixture
def attachable(share_daemon: Callable[..., Daemon]) -> Daemon:
    return share_daemon("--attach", "--block-domain", "blocked.test")


@pytest.fixture
def theirs(attachable: Daemon, site: Site) -> Iterator[Theirs]:
    """Another session with a tab, and a worker that has a cookie of its own."""
    url = site.url("article.html?theirs")
    attachable.do("navigate", "theirs", url=url)
    at = site.url("article.html?worker")
    worker = attachable.do("worker", "theirs", action="create", url=at)
    attachable.do("navigate", "ours", url=site.url("article.html?ours"))

    async def look() -> tuple[str, str]:
        async with CdpProgram(address(attachable, "theirs")) as program:
            infos = {one["url"]: one for one in await program.targets()}
            context = infos[at]["browserContextId"]
            cookie = {"name": "s", "value": SECRET, "url": site.url("article.html")}
            asked = {"browserContextId": context}
            await program.call("Storage.setCookies", **asked, cookies=[cookie])
            assert SECRET in str(await program.call("Storage.getCookies", **asked))
            return infos[url]["targetId"], context

    yield Theirs(*run(look()), url, attachable.status()["attach"]["port"])
    attachable.do("worker", "theirs", action="delete", worker_id=worker["worker_id"])


def fill_in(params: dict[str, object], theirs: Theirs, ours: str) -> dict[str, object]:
    """Return the parameters with what the words in capitals stand for."""
    text = json.dumps(params)
    for word, value in (
        ("THEIRS", theirs.target), ("OURS", ours), ("CONTEXT", theirs.context),
        ("PORT", str(theirs.port)),
    ):  # fmt: skip
        text = text.replace(word, value)
    found: dict[str, object] = json.loads(text)
    return found


async def refused(
    program: CdpProgram, session: str, theirs: Theirs,
    ways: list[tuple[str, dict[str, object]]],
) -> dict[str, str]:  # fmt: skip
    """Try all ways; return what each was refused with, by its words."""
    ours = (await program.targets())[0]["targetId"]
    found: dict[str, str] = {}
    for method, params in ways:
        way = f"{method} {json.dumps(params)}"
        try:
            answer = await program.call(method, session, **fill_in(params, theirs, ours))
        except CdpError as error:
            found[way] = str(error)
        else:
            found[way] = f"REACHED {answer}"
    return found


def check_untouched(daemon: Daemon, theirs: Theirs, site: Site, heard: list[str]) -> None:
    """Nothing of the other session was said, and nothing became of it."""
    known = "".join(heard)
    assert theirs.target not in known
    assert theirs.context not in known
    assert SECRET not in known
    assert "?theirs" not in known
    tabs = daemon.do("tabs_context", "theirs")["tabs"]
    assert [tab["url"] for tab in tabs] == [theirs.url, site.url("article.html?worker")]


@pytest.mark.parametrize("where", ["browser", "tab", "stand-in", "second browser"])
def test_every_way_out_of_the_session_is_refused(
    attachable: Daemon, theirs: Theirs, site: Site, where: str
) -> None:
    """Every way is refused with an error, on every kind of session that a program can have."""

    async def try_all() -> tuple[dict[str, str], list[str]]:
        async with CdpProgram(address(attachable, "ours")) as program:
            ways, session = OF_THE_BROWSER, ""
            if where == "tab":
                ways, session = OF_A_TAB, await program.page()
            elif where == "stand-in":
                target = (await program.targets())[0]["targetId"]
                asked = {"targetId": f"tab:{target}", "flatten": True}
                session = (await program.call("Target.attachToTarget", **asked))["sessionId"]
            elif where == "second browser":
                session = (await program.call("Target.attachToBrowserTarget"))["sessionId"]
            return await refused(program, session, theirs, ways), program.heard

    answers, heard = run(try_all())
    assert len(answers) >= 30
    assert {way: said for way, said in answers.items() if said.startswith("REACHED")} == {}
    check_untouched(attachable, theirs, site, heard)


def test_unknown_methods_are_named(attachable: Daemon, theirs: Theirs) -> None:
    """What is not on the list is refused in words that say what."""

    async def ask() -> str:
        async with CdpProgram(address(attachable, "ours")) as program:
            with pytest.raises(CdpError) as caught:
                await program.call("Nothing.atAll", await program.page())
            return str(caught.value)

    assert "Not allowed for an attached program: Nothing.atAll [forbidden" in run(ask())


def test_replies_contain_only_the_sessions_own_data(
    attachable: Daemon, theirs: Theirs, site: Site
) -> None:
    """Lists, events and cookies have nothing of another session or browser context."""

    async def ask() -> list[str]:
        async with CdpProgram(address(attachable, "ours")) as program:
            tab = await program.page()
            for method, params in BLIND:
                if not method.startswith("Network."):
                    await program.call(method, **params)
                with suppress(CdpError):  # not on every kind of session
                    await program.call(method, tab, **params)
            await program.call("Runtime.evaluate", tab, expression="1")
            return program.heard

    check_untouched(attachable, theirs, site, run(ask()))


def test_events_of_other_sessions_are_not_delivered(
    attachable: Daemon, theirs: Theirs, site: Site
) -> None:
    """While a program discovers and attaches, others open, navigate and close tabs."""

    async def listen() -> list[str]:
        async with CdpProgram(address(attachable, "ours")) as program:
            await program.call("Target.setDiscoverTargets", discover=True, filter=ALL)
            asked = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
            await program.call("Target.setAutoAttach", **asked)
            tab = attachable.new_tab(site.url("article.html?theirs-too"), "theirs")
            attachable.do("tabs_close", "theirs", tab_id=tab)
            attachable.new_tab(site.url("article.html?also-ours"), "ours")
            await program.message(lambda one: "?also-ours" in json.dumps(one))
            return program.heard

    check_untouched(attachable, theirs, site, run(listen()))


def test_pages_cannot_reach_the_port(attachable: Daemon, theirs: Theirs, site: Site) -> None:
    """A page of the daemon's own Chromium connects to it by no name, not even with a fresh key."""
    where = address(attachable, "theirs").removeprefix("ws://127.0.0.1")
    attachable.do("navigate", "ours", url=site.url("article.html"))
    code = """
      const talk = host => new Promise(done => { const s = new WebSocket(`ws://${host}WHERE`);
        s.onopen = () => done('came'); s.onerror = () => done('not'); });
      const ask = host => fetch(`http://${host}WHERE/json/version`, {mode: 'no-cors'})
        .then(() => 'came', () => 'not');
      const hosts = ['127.0.0.1', 'localhost', '[::1]', '127.0.0.2', 'any.localhost'];
      const found = [];
      for (const host of hosts) found.push(await talk(host), await ask(host));
      found.filter(one => one === 'came').length
    """
    said = attachable.do("javascript_tool", "ours", code=code.replace("WHERE", where))
    assert said["content"] == "0"
