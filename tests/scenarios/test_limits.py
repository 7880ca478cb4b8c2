"""Limits of the machine fail only the calls that hit them, with an error; the daemon goes on."""

import json
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
import pytest

from support import wire
from support.daemon import SCRIPTS, Daemon, Home
from support.processes import Identity, naming, words_of
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("own_programs", "headless_shell")
MakeDaemon = Callable[..., Daemon]
MB = 1 << 20
# Each says what is wrong, and that it is no bug of ours.
CLEAR = {"limit_reached", "browser_failed", "conversion_failed", "storage_failed", "fetch_failed"}
LONG = {"code": "'x'.repeat(8e6)"}
STORED = {"code": "'x'.repeat(2e6)", "output_mode": "handle"}


def in_use(daemon: Daemon, kind: int) -> int:
    memory = psutil.Process(daemon.identity.pid).memory_info()
    return {resource.RLIMIT_AS: memory.vms, resource.RLIMIT_DATA: memory.data}.get(kind, 0)


@contextmanager
def limited(daemon: Daemon, kind: int, room: int) -> Iterator[None]:
    """Let the daemon have so much more than it has now."""
    pid = daemon.identity.pid
    before = resource.prlimit(pid, kind)
    resource.prlimit(pid, kind, (in_use(daemon, kind) + room, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, kind, before)


def try_all(daemon: Daemon, site: Site) -> dict[str, str]:
    """Make calls that need memory, threads and files; return the code of each."""
    calls = {
        "long answer": daemon.call("javascript_tool", **LONG),
        "large page": daemon.call("read_page", mode="markdown"),
        "handle": daemon.call("javascript_tool", **STORED),
        "crawl": daemon.call("crawl", url=site.url("list-1.html"), max_pages=2),
        "tab": daemon.call("tabs_create", "other", url=site.url("table.html")),
        "list": daemon.call("oc_task_list"),
        "small answer": daemon.call("javascript_tool", code="window.kept"),
    }
    return {name: code_of(reply) for name, reply in calls.items()}


def code_of(reply: wire.Reply) -> str:
    """Return the code of its error; an empty string for a result."""
    return "" if reply.status == 200 else reply.code


LIMITS = {
    "address-space": (resource.RLIMIT_AS, 16 * MB, {"long answer"}),
    "no-room-to-convert": (resource.RLIMIT_AS, 24 * MB, {"large page"}),
    "no-stack-for-threads": (resource.RLIMIT_AS, 4 * MB, {"long answer"}),
    "data": (resource.RLIMIT_DATA, 16 * MB, {"long answer"}),
    "file-size": (resource.RLIMIT_FSIZE, MB, {"handle"}),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_fails_only_the_calls_that_hit_it(
    share_daemon: Callable[..., Daemon], site: Site, name: str
) -> None:
    """Clear errors, no bug; the page stays, and refused calls work once the limit is gone."""
    kind, room, refused = LIMITS[name]
    daemon = share_daemon("--isolated")
    daemon.do("navigate", url=site.url("article.html"))
    many = "document.body.innerHTML = '<i>x</i>'.repeat(12000); window.kept = 1"
    daemon.do("javascript_tool", code=many)
    with limited(daemon, kind, room):
        met = try_all(daemon, site)
    assert set(filter(None, met.values())) <= CLEAR, (met, daemon.log()[-3000:])
    assert refused <= {call for call, code in met.items() if code}, met
    assert met["small answer"] == ""
    assert not any(try_all(daemon, site).values())
    assert daemon.status()["pid"] == daemon.identity.pid


def test_a_browser_without_memory_reports_it(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Chromium inherits the limits; started once more without them, it works."""
    daemon = share_daemon("--isolated")
    daemon.do("oc_stop")
    with limited(daemon, resource.RLIMIT_AS, 64 * MB):
        assert daemon.call("navigate", url=site.url("article.html")).code == "browser_failed"
    assert daemon.do("navigate", url=site.url("article.html"))["title"] == "The lighthouse"


def test_the_daemon_does_not_start_without_threads(home: Home) -> None:
    """It says so before it accepts calls; libuv would abort it during one."""
    limits = "ulimit -s 4000000; ulimit -v 3000000"  # no thread's stack fits into the memory
    command = ["/bin/sh", "-c", f'{limits}; exec "$0" run', str(SCRIPTS / "ocd")]
    done = subprocess.run(command, env=home.environ, capture_output=True, text=True, check=False)
    assert done.returncode, done
    assert "Error: The machine has no threads left for the daemon" in done.stderr


class Other:
    """A user without root's freedom from RLIMIT_NPROC, who may read and write what root may."""

    _UID = 61234
    _CAPABILITIES = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")

    def __init__(self, home: Home) -> None:
        self._home = home
        self._words: list[str] = []
        if os.geteuid() == 0:
            os.chown(home.base, self._UID, -1)
            self._words = ["setpriv", f"--reuid={self._UID}", *self._CAPABILITIES]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._words, *command], env=self._home.environ, cwd="/", capture_output=True,
            text=True, check=False,
        )  # fmt: skip

    def start(self) -> int:
        """Start the daemon, and return its pid once it answers, however busy the machine is."""
        self.run("ocd", "start")
        wait_until(lambda: self.run("ocd", "status").returncode == 0, 120, "the daemon's answer")
        return self.pid()

    def pid(self) -> int:
        return int(json.loads(self.run("ocd", "status", "--json").stdout)["pid"])

    def oc(self, *arguments: str) -> str:
        """Return the code of the error that `oc` prints; an empty string for a result."""
        done = self.run("oc", *arguments, "--json")
        return str(json.loads(done.stdout).get("error", {}).get("code", ""))


@pytest.fixture
def other(home: Home) -> Iterator[Other]:
    user = Other(home)
    yield user
    user.run("ocd", "stop")


def test_calls_fail_clearly_without_new_processes_and_threads(other: Other, site: Site) -> None:
    """What needs one fails with an error; all else works, and everything does afterwards."""
    crawl = ("crawl", site.url("article.html"), "--engine", "static", "--max-pages", "1")
    pid = other.start()
    before = resource.getrlimit(resource.RLIMIT_NPROC)[0]  # it has what we have
    assert other.run("prlimit", f"--pid={pid}", "--nproc=1:").returncode == 0
    assert other.oc("navigate", site.url("article.html")) == "browser_failed"
    assert other.oc(*crawl) in {"", *CLEAR}
    assert other.oc("task", "list") in {"", *CLEAR}
    assert other.run("prlimit", f"--pid={pid}", f"--nproc={before}:").returncode == 0
    assert other.oc(*crawl) == ""
    assert other.pid() == pid


def test_a_crash_in_a_library_is_logged(make_daemon: MakeDaemon) -> None:
    """The status is the signal's, the log names it and where, and nothing is left behind."""
    daemon = make_daemon()
    daemon.identity.kill(signal.SIGSEGV)
    assert daemon.wait_ended() == -signal.SIGSEGV
    said = daemon.ocd("logs").out
    assert "Fatal Python error: Segmentation fault" in said
    assert "ocd/cli/serving.py" in said
    wait_until(lambda: not naming(daemon.home.path), 20, "the end of the watcher")


PARTS = {
    "browser": "--user-data-dir=",
    "renderers": "--type=renderer",
    "gpu": "--type=gpu-process",
    "network": "network.mojom.NetworkService",
    "watcher": "runtime/watcher.py",
    "conversion": "ocd.conversion.process",
}


def find_part(daemon: Daemon, words: str) -> list[Identity]:
    """Return the processes below the daemon whose command line has these words."""
    below = psutil.Process(daemon.identity.pid).children(recursive=True)
    found = [one for one in below if any(words in word for word in words_of(one))]
    return [Identity(one.pid, one.create_time()) for one in found]


@pytest.mark.parametrize("part", PARTS)
def test_a_stopped_process_fails_only_its_calls(
    share_daemon: Callable[..., Daemon], site: Site, part: str
) -> None:
    """SIGSTOP, calls with a deadline, SIGCONT: at most timeouts, and then all works as before."""
    daemon = share_daemon("--isolated")
    patient = {"timeout_ms": 120_000}
    daemon.do("navigate", url=site.url("article.html"), **patient)
    daemon.do("javascript_tool", code="window.kept = 'still here'")
    daemon.do("crawl", url=site.url("star/0?leaves=12"), engine="static")
    stopped = find_part(daemon, PARTS[part])
    assert stopped
    for one in stopped:
        one.kill(signal.SIGSTOP)
    try:
        codes = {
            code_of(daemon.call("read_page", timeout_ms=300)),
            code_of(daemon.call("crawl", url=site.url("list-1.html"), timeout_ms=300)),
            code_of(daemon.call("navigate", "other", url=site.url("table.html"), timeout_ms=300)),
        }
    finally:
        for one in stopped:
            one.kill(signal.SIGCONT)
    assert codes <= {"", "timeout"}, codes
    assert daemon.do("javascript_tool", code="window.kept")["content"] == "still here"
    shown = daemon.do("navigate", "other", url=site.url("table.html"), **patient)
    assert shown["title"] == "Steps"
    assert daemon.status()["pid"] == daemon.identity.pid
