"""The pure parts of the browser room: discovery, command line, framing, decoding."""

import asyncio
import errno
import os
import signal
import socket
from pathlib import Path
from types import SimpleNamespace

import msgspec
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import Connection
from ocd.browser.cdp.emitter import Emitter
from ocd.browser.cdp.messages import UNREADABLE, decode
from ocd.browser.cdp.pipe_transport import LONG_BYTES, Framer
from ocd.browser.observe.text_patterns import text_test
from ocd.browser.pool.page_pool import site_of
from ocd.browser.process import child_process, command_line, discovery, orphans
from ocd.browser.tabs.navigation import load_error
from ocd.pages.engine import engine
from support.processes import has_ended
from support.waiting import wait_until


@given(st.lists(st.binary().map(lambda b: b.replace(b"\0", b"x")).filter(bool)), st.data())
def test_messages_are_framed_wherever_reads_are_cut(messages, data):
    """The framer's output depends on the bytes, not on the reads."""
    stream = b"".join(message + b"\0" for message in messages)
    framer, found = Framer(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += framer.feed(stream[:size])
        stream = stream[size:]
    assert found == messages


_HARD = st.sampled_from(
    ["\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\\\", '\\"', "\\n", "\\u00e9", "é漢😀", "abc", "0"]
)
_TEXT = st.lists(_HARD, min_size=1, max_size=12).map("".join)


@settings(max_examples=50)
@given(_TEXT, _TEXT, st.integers(17_000, 70_000))
def test_a_long_reply_decodes_the_same_in_pieces(short, unit, size):
    """Cut anywhere: in escapes, in surrogate pairs, in UTF-8, between short strings."""
    long = unit * (2 * LONG_BYTES // len(unit))
    values = ",".join(f'{{"k":"{text}"}}' for text in (short, long, short, long + short))
    message = f'{{"id":7,"result":{{"v":[{values}],"n":1.5}},"sessionId":"S"}}'.encode()
    stream = message + b"\0" + b'{"method":"m"}\0'
    framer, found = Framer(), []
    for at in range(0, len(stream), size):
        found += framer.feed(stream[at : at + size])
    assert found == [decode(message), b'{"method":"m"}']


@pytest.mark.parametrize("broken", [r"\x", r"\u12", "\xff"])
def test_an_invalid_long_reply_fails_only_its_call(broken):
    """An invalid escape, or a byte that is not UTF-8, in the middle of a string."""
    text = b"a" * LONG_BYTES + broken.encode("latin-1") + b"z" * LONG_BYTES
    stream = b'{"id":7,"result":{"v":"' + text + b'"},"sessionId":"S"}\0{"method":"m"}\0'
    framer, found = Framer(), []
    for at in range(0, len(stream), 50_000):
        found += framer.feed(stream[at : at + 50_000])
    answer, event = found
    assert (answer.id, answer.result, answer.error.code) == (7, None, UNREADABLE)
    assert event == b'{"method":"m"}'


def test_lone_surrogates_become_replacement_characters():
    """JavaScript may return lone surrogates, which UTF-8 cannot express."""
    message = decode(b'{"id": 3, "result": {"v": "a\\ud800b \\ud83d\\ude00"}, "sessionId": "S"}')
    assert (message.id, message.session, message.result) == (3, "S", {"v": "a\ufffdb \U0001f600"})


def test_browser_discovery_order():
    """Names on PATH first, headless shells last and only without a window."""
    linux = discovery.candidates(headed=False, platform="linux", environ={})
    assert linux[:5] == list(discovery.NAMES)
    assert linux.index("/usr/bin/chromium") < linux.index("chromium-headless-shell")
    assert not [name for name in discovery.candidates(headed=True, environ={}) if "shell" in name]
    mac = discovery.candidates(headed=True, platform="darwin", environ={"HOME": "/Users/a"})
    assert "/Users/a/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" in mac
    places = {"PROGRAMFILES": r"C:\Program Files", "LOCALAPPDATA": r"C:\L"}
    windows = discovery.candidates(headed=True, platform="win32", environ=places)
    assert r"C:\Program Files\Google\Chrome\Application\chrome.exe" in windows
    assert r"C:\L\Chromium\Application\chrome.exe" in windows


def test_a_browser_on_path_is_found_and_a_missing_one_explained(tmp_path, monkeypatch):
    """The first name wins; nothing found names what was tried and how to install one."""
    monkeypatch.setattr(discovery, "_usual_paths", lambda *_: ([str(tmp_path / "opt")], []))
    with pytest.raises(OcdError) as caught:
        discovery.find_browser(None, headed=False, environ_path=str(tmp_path))
    assert caught.value.code == "browser_not_found"
    assert "chromium" in caught.value.details["tried"]
    assert "nstall" in caught.value.hint
    for name in ("opt", "google-chrome", "chromium-browser"):
        (tmp_path / name).touch(0o700)
        found = discovery.find_browser(None, headed=True, environ_path=str(tmp_path))
        assert found == str(tmp_path / name)
    named = discovery.find_browser(str(tmp_path / "opt"), headed=True, environ_path="")
    assert named == str(tmp_path / "opt")
    with pytest.raises(OcdError, match="cannot be run"):
        discovery.find_browser(str(tmp_path / "none"), headed=True)


def line(**options: object) -> list[str]:
    return command_line.command_line(
        "/b", Path("/p"), **{"headed": False, "root": False, **options}
    )


def test_the_command_line_has_the_required_flags():
    """A pipe, never a port; a sandbox unless root; the features of both sides in one flag."""
    words = line(extra=("--lang=de", "--disable-features=Foo,Translate"), shm_bytes=1 << 30)
    assert "--remote-debugging-pipe" in words
    assert not [word for word in words if "debugging-port" in word]
    assert "--headless=new" in words
    assert "--no-sandbox" not in words
    assert "--disable-dev-shm-usage" not in words
    [features] = [word for word in words if word.startswith("--disable-features=")]
    names = features.partition("=")[2].split(",")
    assert (names[-1], names.count("Translate"), names.count("PaintHolding")) == ("Foo", 1, 1)
    extra = ("--enable-features=Foo,Bar", "--disable-features=Bar")
    [enabled] = [word for word in line(extra=extra) if word.startswith("--enable-features=")]
    assert enabled.partition("=")[2].split(",") == ["WebMCP", "Foo"]
    assert "--no-sandbox" in line(root=True)
    assert "--disable-dev-shm-usage" in line(shm_bytes=64 << 20)
    assert not [word for word in line(headed=True) if "headless" in word]
    shell = command_line.command_line("/x/chrome-headless-shell", Path("/p"), headed=False)
    assert "--headless" in shell


def test_a_record_of_another_process_is_not_killed(tmp_path):
    """A pid that another process has by now is left alone, and the record is removed."""
    other = orphans.BrowserIdentity(1, 12.5, profile="/p", host="h")
    (tmp_path / orphans.RECORD).write_bytes(msgspec.json.encode(other))
    assert orphans.reap(tmp_path) is None
    assert not (tmp_path / orphans.RECORD).exists()
    (tmp_path / orphans.RECORD).write_text("{torn")
    assert orphans.reap(tmp_path) is None


def test_only_profile_locks_of_dead_owners_are_removed(tmp_path, monkeypatch):
    """The profile's lock names host and pid: only a dead process of this host counts as gone."""
    monkeypatch.setattr("socket.gethostname", lambda: "here")
    lock = tmp_path / "SingletonLock"
    lock.symlink_to("here-999999999")
    (tmp_path / "SingletonCookie").symlink_to("x")
    orphans.free_profile(tmp_path)
    assert list(tmp_path.iterdir()) == []
    lock.symlink_to("there-1")
    with pytest.raises(OcdError, match="another computer"):
        orphans.free_profile(tmp_path)


class _Ending:
    """A Chromium on its way out, as psutil sees it: a name, no arguments, then nothing."""

    def __init__(self, looks):
        self.looks = looks

    def cmdline(self):
        self.looks -= 1
        if self.looks < 0:
            raise psutil.ZombieProcess(4711)
        return []

    def name(self):
        return "chromium"

    def status(self):
        return psutil.STATUS_RUNNING


def test_an_owner_that_is_ending_is_waited_for(tmp_path, monkeypatch):
    """A killed browser keeps its name for a moment: it is no second Chromium on the profile."""
    monkeypatch.setattr(socket, "gethostname", lambda: "here")
    monkeypatch.setattr(psutil, "Process", lambda _: _Ending(3))
    (tmp_path / "SingletonLock").symlink_to("here-4711")
    orphans.free_profile(tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(orphans, "_ENDING_S", 0)
    monkeypatch.setattr(psutil, "Process", lambda _: _Ending(9))
    (tmp_path / "SingletonLock").symlink_to("here-4711")
    with pytest.raises(OcdError, match="another Chromium"):
        orphans.free_profile(tmp_path)


def test_listeners_may_be_removed_during_an_event():
    """`once` is called once, and removing a listener during the call skips no other."""
    emitter, told = Emitter(), []
    emitter.once("e", lambda x: told.append(("once", x)))
    emitter.on("e", lambda x: told.append(("on", x)))
    assert emitter.emit("e", 1)
    assert emitter.emit("e", 2)
    assert told == [("once", 1), ("on", 1), ("on", 2)]
    assert not emitter.emit("other")


@pytest.mark.parametrize(
    ("pattern", "url", "fits"),
    [
        ("/done", "http://a/done?x", True),
        ("http://a/*", "http://a/b", True),
        ("*.org/x", "http://a.org/x", True),
        ("b*c", "http://a/bxc/d", True),
        (r"/a/\d+$/", "http://a/12", True),
        ("nope", "http://a/", False),
    ],
)
def test_url_patterns_match(pattern, url, fits):
    """A substring, a glob, or a regular expression between slashes."""
    assert text_test(pattern)(url) is fits


@pytest.mark.parametrize("pattern", ["/(((/", "/(?=x)/", "/\ud800/"])
def test_an_invalid_expression_is_refused(pattern):
    """The error is `invalid_argument`, and says what is wrong."""
    with pytest.raises(OcdError) as caught:
        text_test(pattern)
    assert caught.value.code == "invalid_argument"


def test_an_expression_takes_linear_time():
    """Nested repetitions do not hold up the event loop, in which they are matched."""
    # An engine that tries every way would not come back.
    assert not text_test("/(a+)+$x/")("http://a/" + "a" * 5000)


def test_net_errors_are_mapped_to_codes():
    """One code for each thing that a caller would do differently."""
    codes = {
        "net::ERR_TOO_MANY_REDIRECTS": "too_many_redirects",
        "net::ERR_BLOCKED_BY_CLIENT": "domain_blocked",
        "net::ERR_NAME_NOT_RESOLVED": "navigation_failed",
    }
    for error, code in codes.items():
        assert load_error("http://a/", error, None, aborted_is_download=False).code == code


def test_same_site_comparison():
    """Scheme and registrable name, roughly; addresses whole."""
    assert site_of("https://www.a.org/x") == site_of("https://b.a.org:8/y") == "https://a.org"
    assert site_of("http://127.0.0.1:80/") == "http://127.0.0.1"
    assert site_of("http://[::1]:8/") == "http://[::1]"


def _open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize(
    ("number", "hint"), [(errno.EAGAIN, "Too many processes"), (errno.ENOMEM, "too little memory")]
)
async def test_a_process_that_cannot_be_started(monkeypatch, number, hint):
    """No descriptor is left open, and the error has the reason."""

    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(child_process, "_spawn", refuse)
    before = _open_descriptors()
    with pytest.raises(OcdError, match=os.strerror(number)) as caught:
        child_process.start(["/bin/true"], child_process.ErrorLog(None))
    assert caught.value.code == "browser_failed"
    assert hint in caught.value.hint
    assert _open_descriptors() == before


async def test_a_process_without_a_thread_to_watch_it_is_ended(monkeypatch):
    pids = []

    def refuse(*args: object) -> None:
        raise RuntimeError("can't start new thread")

    def spawn(*args: object) -> int:
        pids.append(real(*args))
        return pids[0]

    real = child_process._spawn
    monkeypatch.setattr(child_process, "_spawn", spawn)
    monkeypatch.setattr(child_process, "_thread", refuse)
    with pytest.raises(OcdError, match="No thread can be started"):
        child_process.start(["/bin/sleep", "600"], child_process.ErrorLog(None))
    _, status = await asyncio.to_thread(os.waitpid, pids[0], 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL


async def test_only_children_of_an_ended_process_are_killed(tmp_path, monkeypatch):
    """Its pid, which another process may have by now, gets no signal."""
    note = tmp_path / "child"
    script = f"sleep 600 & echo $! > {note}; kill -9 $$"
    process, ends = child_process.start(["/bin/sh", "-c", script], child_process.ErrorLog(None))
    assert await process.wait_exited(30)
    assert process.status == -signal.SIGKILL
    child = int(note.read_text())
    await asyncio.to_thread(wait_until, lambda: has_ended(child), 30, "the child's end")
    signals = []
    monkeypatch.setattr(os, "killpg", lambda *given: signals.append(given))
    process.kill()
    assert signals == []
    for end in ends:
        end.close()


class _DeafSession:
    """A CDP session that takes what it is sent."""

    async def send(self, *_: object) -> None:
        return None


class _Leaving:
    """A tab whose document is another one whenever the engine is asked for; it has no size."""

    main_frame = SimpleNamespace(world=None, cdp=_DeafSession())

    async def evaluate(self, *_: object, **__: object) -> None:
        return None


async def test_a_page_that_keeps_navigating_is_a_script_error():
    """The engine is asked for a few times; then the error says that the page navigates."""
    tab = _Leaving()
    with pytest.raises(OcdError, match="navigated away") as caught:
        await engine.call(tab, tab.main_frame, "outline", {})
    assert (caught.value.code, caught.value.details["navigated"]) == ("script_error", True)


class _Wire:
    """A transport that keeps what is written and can be closed."""

    url = "pipe:"

    def __init__(self):
        self.written, self.closed = [], False

    def write(self, message):
        self.written.append(msgspec.json.decode(message))

    def close(self):
        self.closed = True


def _attached(connection, number):
    info = {"targetId": f"T{number}", "type": "page"}
    params = {"sessionId": f"S{number}", "targetInfo": info, "waitingForDebugger": False}
    event = {"method": "Target.attachedToTarget", "params": params}
    connection.receive([msgspec.json.encode(event)])
    return connection.session(f"S{number}")


async def test_a_listener_that_raises_does_not_stop_the_others(caplog):
    """Each failure is logged, and the other taps and listeners are called."""
    connection = Connection(_Wire())
    first, second = _attached(connection, 1), _attached(connection, 2)
    heard = []

    def fail(*_):
        raise KeyError("oops")

    for session in (first, second):
        session.tap(fail, ("A.b",))
        session.tap(lambda method, _: heard.append(method), ("A.b",))
        session.on("A.b", fail)
        session.on("A.b", heard.append)
        session.on("disconnected", fail)
        session.on("disconnected", lambda: heard.append("end"))
    event = b'{"method":"A.b","params":{"n":1},"sessionId":"S1"}'
    connection.receive([event, event.replace(b"S1", b"S2")])
    assert heard == ["A.b", {"n": 1}] * 2
    connection.on_lost()
    assert heard[4:] == ["end", "end"]
    failures = [record for record in caplog.records if record.exc_info]
    assert len(failures) == 6
    assert "KeyError: 'oops'" in caplog.text


async def test_a_session_ends_once(caplog):
    """A session that was ended and is detached later tells its listeners once."""
    connection = Connection(_Wire())
    session, ends = _attached(connection, 1), []
    session.on("disconnected", lambda: ends.append(1))
    session.end("tab_gone", "The tab was closed.")
    detached = {"method": "Target.detachedFromTarget", "params": {"sessionId": "S1"}}
    connection.receive([msgspec.json.encode(detached)])
    connection.on_lost()
    assert ends == [1]
    assert not caplog.records


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": -32000, "message": "Not attached to an active page"}, "tab_crashed"),
        ({"code": -32602, "message": "No target with given id found"}, "tab_gone"),
    ],
)
async def test_a_vanished_page_is_distinguished_from_a_refusal(error, code):
    """Chromium may answer a call in this way before it reports that the page crashed or closed."""
    wire = _Wire()
    connection = Connection(wire)
    asked = _attached(connection, 1).send("Page.captureScreenshot")
    answer = {"id": wire.written[-1]["id"], "sessionId": "S1", "error": error}
    connection.receive([msgspec.json.encode(answer)])
    with pytest.raises(OcdError) as caught:
        await asked
    assert caught.value.code == code


async def test_garbage_between_messages_fails_only_the_browsers_calls(caplog):
    """Calls of the browser session fail with an explanation; those of pages continue."""
    wire = _Wire()
    connection = Connection(wire)
    session = _attached(connection, 1)
    asked, of_page = connection.send("Browser.getVersion"), session.send("Page.enable")
    answer = {"id": wire.written[1]["id"], "sessionId": "S1", "result": {"ok": 1}}
    connection.receive([b"hello?", b"\xff\xfe", b"[1]", msgspec.json.encode(answer)])
    with pytest.raises(OcdError) as caught:
        await asked
    assert caught.value.code == "browser_failed"
    assert await of_page == {"ok": 1}
    assert not wire.closed
    assert "hello?" in caplog.text
