"""The Python client, as a program uses it: verbs, errors, stored outputs, tasks, both clients."""

import asyncio
import inspect
import json
import os
import pickle
import pydoc
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from openchrome import (
    AsyncClient,
    AsyncOutput,
    Client,
    OpenChromeError,
    Output,
    Task,
    aconnect,
    connect,
)
from openchrome import errors as client_errors
from openchrome.protocol import Call
from openchrome.verbs import Kinds
from support.daemon import Daemon, Home
from support.result_shapes import check
from support.site import Site
from support.waiting import wait_until


@pytest.fixture
def browser(daemon: Daemon) -> Iterator[Client]:
    daemon.sessions.add("default")
    with connect(home=str(daemon.home.path)) as client:
        yield client


def start_page(site: Site) -> str:
    return site.url("article.html")


def test_results_have_text_and_pictures(browser: Client, site: Site, daemon: Daemon) -> None:
    opened = browser.navigate(site.url("records/shop.html"))
    assert (opened["title"], opened["status"]) == ("Shop", 200)
    assert "Place order" in browser.read_page().text
    assert browser.javascript_tool("[1, 2].map(n => n * 2)").value == [2, 4]
    assert browser.page_screenshot().image.startswith(b"\x89PNG")
    path = Path(daemon.home.environ["TMPDIR"], "shop.png")
    browser.page_screenshot(path=path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_errors_are_classes_by_code(browser: Client, site: Site) -> None:
    browser.navigate(site.url("records/shop.html"))
    with pytest.raises(client_errors.ElementNotFoundError) as caught:
        browser.interact(query="no such thing", wait_for_ms=0)
    error = caught.value
    assert error.code == "element_not_found"
    assert error.message in str(error)
    assert pickle.loads(pickle.dumps(error)).details == error.details
    with pytest.raises(client_errors.UnknownVerbError):
        browser.call("no_such_verb")
    with pytest.raises(client_errors.InvalidArgumentError, match="tabid"):
        browser.call("read_page", tabid=7)
    with pytest.raises(TimeoutError):
        browser.wait_for(type="text", value="never comes", timeout_ms=50)


def test_parameters_of_every_usual_type(browser: Client, site: Site, daemon: Daemon) -> None:
    """Tuples, generators and paths are sent as JSON has them."""
    code = Path(daemon.home.environ["TMPDIR"], "code.js")
    code.write_text("document.title")
    browser.navigate(site.url("records/shop.html"))
    assert browser.javascript_tool(code_path=code).value == "Shop"
    done = browser.call("batch_execute", tasks=({"script": str(n)} for n in range(2)))
    assert [one["data"] for one in done["results"]] == [0, 1]
    with pytest.raises(TypeError, match="object"):
        browser.call("javascript_tool", code=object())


def test_stored_output_is_a_sequence(browser: Client, site: Site) -> None:
    browser.navigate(site.url("records/shop.html"))
    output = browser.javascript_tool(
        "Array.from({length: 450}, (_, n) => ({number: n}))", output_mode="handle"
    )
    assert isinstance(output, Output)
    numbers = [one["number"] for one in output]
    assert numbers == list(range(450))
    assert len(output) == 450
    assert output[-1] == {"number": 449}
    assert [one["number"] for one in output[440:430:-4]] == [440, 436, 432]
    assert output[7:7] == []
    with pytest.raises(IndexError):
        output[450]
    assert output.search('"number":\\s*449')
    assert output.text() == b"".join(output.chunks()).decode()
    assert next(iter(browser.output(output.handle))) == {"number": 0}
    with pytest.raises(client_errors.OutputHandleNotFoundError):
        len(browser.output("oh_AAAAAAAAAAAA"))


def test_crawl_as_a_task(browser: Client, site: Site) -> None:
    task = browser.start.crawl(start_page(site), max_pages=4)
    assert isinstance(task, Task)
    seen = [event.kind for event in task]
    result = task.wait(timeout=60)
    assert len(result["pages"]) == 4
    assert seen[-1] == "completed"
    meta = browser.task(task.id).meta()
    assert (meta.status, meta.done, meta.ended) == ("COMPLETED", 4, True)
    assert [page["url"] for page in task.output()] == [page["url"] for page in result["pages"]]


def test_sitemap_as_a_task(browser: Client, site: Site) -> None:
    """Its summary names the sitemaps, as the type of its result says."""
    result = browser.start.crawl_sitemap(site.url("sitemap.xml"), max_pages=2).wait(timeout=60)
    check("crawl_sitemap", result)
    assert result["summary"].get("sitemaps") == [site.url("sitemap.xml")]
    assert result["summary"].get("sitemap_problems") == {}


def test_task_that_failed_or_was_cancelled_raises(browser: Client, site: Site) -> None:
    with pytest.raises(client_errors.InvalidUrlError):
        browser.start.crawl("gopher://nowhere").wait(60)
    hanging = browser.start.crawl(site.url("hang"), max_pages=1, page_timeout_ms=60_000)
    with pytest.raises(client_errors.CallTimeoutError):
        hanging.wait(timeout=0.1)
    assert not hanging.done()
    hanging.cancel()
    with pytest.raises(client_errors.CallCancelledError) as caught:
        hanging.wait(timeout=60)
    assert caught.value.details["task_id"] == hanging.id
    with pytest.raises(client_errors.TaskNotFoundError):
        list(browser.task("0123456789abcdef").events())


def test_sessions_have_tabs_of_their_own(browser: Client, site: Site, daemon: Daemon) -> None:
    other = browser.with_session("python-other")
    daemon.sessions.add("python-other")
    other.tabs_create(url=site.url("records/shop.html"))
    assert len(other.tabs_context()["tabs"]) == 1
    assert browser.tabs_context()["tabs"] == []


def test_threads_can_share_a_client(browser: Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: browser.oc_task_list(limit=1)["count"], range(40)))
    assert len(found) == 40


def test_closed_connections_are_not_used_again(make_daemon: Callable[..., Daemon]) -> None:
    """A restarted daemon is found, and nothing is sent to the old one."""
    daemon = make_daemon()
    with connect(home=str(daemon.home.path)) as client:
        first = client.status()["pid"]
        daemon.restart()
        assert client.status()["pid"] != first


def test_a_killed_daemon_fails_only_the_calls_in_flight(
    make_daemon: Callable[..., Daemon],
) -> None:
    """Also with many open connections, which the kernel closes one after another."""
    daemon = make_daemon()
    with connect(home=str(daemon.home.path)) as client:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: client.status()["pid"], range(40)))
            client.navigate("data:text/html,<title>Waiting</title>")
            script = "new Promise(() => {})"
            waiting = pool.submit(client.javascript_tool, script, timeout_ms=60_000)
            wait_until(lambda: client.status()["calls_in_flight"] >= 1, 30)
            os.kill(found[0], signal.SIGKILL)
            with pytest.raises(client_errors.NoDaemonError):
                waiting.result()
        assert client.status()["pid"] != found[0]


def test_the_client_starts_the_daemon() -> None:
    home = Home()
    try:
        with pytest.raises(client_errors.NoDaemonError) as caught:
            connect(home=str(home.path), start=False)
        assert caught.value.hint
        program = "from openchrome import connect\nprint(connect().status()['pid'])"
        done = subprocess.run(
            [sys.executable, "-c", program], env=home.environ, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        with connect(home=str(home.path), start=False) as client:
            assert str(client.status()["pid"]) == done.stdout.strip()
        home.run("ocd", "stop").ok()
    finally:
        home.end_leftovers()
        home.remove()


def test_a_version_mismatch_is_reported(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert browser.same_catalog()
    for module in ("client", "protocol"):
        monkeypatch.setattr(f"openchrome.{module}.CATALOG_HASH", "0" * 16)
    assert not browser.same_catalog()
    tasks = browser.oc_task_list()
    assert tasks["count"] == len(tasks["tasks"])
    with pytest.raises(client_errors.UnknownVerbError) as caught:
        browser.call("verb_of_tomorrow")
    assert "another version" in caught.value.__notes__[0]


async def test_the_async_client_calls_verbs_outputs_and_tasks(daemon: Daemon, site: Site) -> None:
    async with AsyncClient(home=str(daemon.home.path)) as browser:
        opened = await browser.navigate(site.url("records/shop.html"))
        assert opened["title"] == "Shop"
        with pytest.raises(client_errors.ElementNotFoundError):
            await browser.interact(query="no such thing", wait_for_ms=0)
        output = await browser.javascript_tool(
            "Array.from({length: 250}, (_, n) => n)", output_mode="handle"
        )
        assert isinstance(output, AsyncOutput)
        assert [item async for item in output] == list(range(250))
        assert (await output.item(-1), await output.items(3, 5)) == (249, [3, 4])
        task = await browser.start.crawl(start_page(site), max_pages=3)
        seen = [event.kind async for event in task]
        assert seen[-1] == "completed"
        assert len((await task.wait(60))["pages"]) == 3
        assert len([page async for page in await task.output()]) == 3


async def test_connect_can_be_awaited_or_used_as_a_context_manager(daemon: Daemon) -> None:
    home = str(daemon.home.path)
    async with aconnect(home=home, session="entered") as entered:
        assert (await entered.tabs_context())["session"] == "entered"
    awaited = await aconnect(home=home, session="awaited")
    assert (await awaited.status())["pid"]
    await awaited.close()
    with pytest.raises(client_errors.NoDaemonError):
        async with aconnect(home=f"{home}/nowhere", start=False):
            pass


async def test_a_task_can_be_awaited(daemon: Daemon, site: Site) -> None:
    async with aconnect(home=str(daemon.home.path)) as browser:
        result = await (await browser.start.crawl(start_page(site), max_pages=2))
        assert len(result["pages"]) == 2
        with pytest.raises(client_errors.InvalidUrlError):
            await (await browser.start.crawl("gopher://nowhere"))


def test_a_client_survives_its_event_loop(daemon: Daemon) -> None:
    """What one loop has left open is no connection of the next."""
    client = AsyncClient(home=str(daemon.home.path))

    async def count() -> int:
        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(client.status())
        return len((await client.tabs_context())["tabs"])

    counts = []
    for _ in range(2):
        with asyncio.Runner() as runner:
            counts.append(runner.run(count()))
            runner.run(client.close())
    with asyncio.Runner() as left, asyncio.Runner() as other:
        counts += [left.run(count()), other.run(count()), left.run(count())]
        left.run(client.close())
        other.run(client.close())
    assert len(counts) == 5


FORKED = """
import os
from openchrome import connect, errors

client = connect()
child = os.fork()
for number in range(60):
    task_id = ("a" if child else "b") * 14 + f"{number:02}"
    try:
        client.task(task_id).meta()
    except errors.TaskNotFoundError as error:
        assert task_id in error.message, error
if not child:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("own answers only")
"""


def test_a_forked_process_has_connections_of_its_own(daemon: Daemon) -> None:
    """Both go on at once after the fork: neither reads the other's answers."""
    done = subprocess.run(
        [sys.executable, "-c", FORKED], env=daemon.home.environ, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert done.stdout == "own answers only\n"


def test_a_picture_shows_itself_in_a_notebook(browser: Client, site: Site) -> None:
    browser.navigate(site.url("records/shop.html"))
    picture = browser.page_screenshot()
    shown = picture._repr_mimebundle_(include=None, exclude=None)
    assert shown == {"image/png": picture["image"]["data"], "text/plain": "<image/png>"}
    assert browser.tabs_context()._repr_mimebundle_() is None


async def test_cancelled_coroutine_cancels_its_call(daemon: Daemon, site: Site) -> None:
    """The tab is free again at once, and the client goes on."""
    async with AsyncClient(home=str(daemon.home.path)) as browser:
        await browser.navigate(site.url("records/shop.html"))
        call = browser.javascript_tool("new Promise(() => {})", timeout_ms=60_000)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await call
        assert (await browser.javascript_tool("1 + 1")).value == 2


def test_every_verb_has_a_documented_method() -> None:
    """What a console shows of it: the signature with every parameter, and what they mean."""
    from ocd import api

    catalog = json.loads(Path(api.__file__).with_name("catalog.json").read_text())
    for verb in catalog["verbs"]:
        names = list(verb["params"]["properties"])
        for client in (Client, AsyncClient):
            method = getattr(client, verb["name"])
            assert sorted(inspect.signature(method).parameters) == sorted(["self", *names])
            shown = pydoc.plain(pydoc.render_doc(method))
            assert verb["summary"] in shown
            assert [name for name in names if f" {name}:" not in shown] == []
        assert not verb.get("long") or verb["summary"] in getattr(Kinds, verb["name"]).__doc__


def test_every_error_code_has_a_class() -> None:
    from ocd.api.errors import CODES

    assert set(client_errors.BY_CODE) == set(CODES)
    assert len(set(client_errors.BY_CODE.values())) == len(CODES)
    for code, kind in client_errors.BY_CODE.items():
        assert type(client_errors.exception_for(code, "text", {})) is kind
    assert type(client_errors.exception_for("new_code", "text", {})) is OpenChromeError


def test_a_flow_can_catch_errors_of_its_calls(browser: Client) -> None:
    """A flow may catch what a call of it raised."""

    def flow():
        try:
            yield Call("no_such_verb", {})
        except client_errors.UnknownVerbError:
            return "caught"

    assert browser.run(flow()) == "caught"
