"""A daemon of one's own: a home in a short temporary folder, ended and checked for leftovers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psutil

from support import wire
from support.daemon_forks import ForkedDaemon, can_fork, daemon_forks
from support.processes import Identity, browsers, naming, renderers, words_of
from support.waiting import wait_until

SCRIPTS = Path(sys.executable).parent
PROGRAM = (str(SCRIPTS / "ocd"),)
# How long a program may take to come up or to go, on a machine that has twenty others to run.
LIFE_S = 180.0
TERMINAL = {"COMPLETED", "FAILED", "CANCELLED"}


def page_browser_options() -> dict[str, Any]:
    """Return the options of a browser that draws pages and has no windows, where one is installed.

    Chromium without its browser's half answers in half the computing time. `OCD_TEST_BROWSER` names
    another one (`chromium` for the one that users have).
    """
    name = os.environ.get("OCD_TEST_BROWSER", "chromium-headless-shell")
    path = shutil.which(name)
    # Its window has no head, so the page gets the height that a Chromium's page has.
    return {"browser_path": path, "extra_args": ("--window-size=1280,713",)} if path else {}


def page_browser() -> tuple[str, ...]:
    """Return the flags of `ocd run` for the same browser."""
    options = page_browser_options()
    arguments = (f"--browser-arg={one}" for one in options.get("extra_args", ()))
    return ("--browser", options["browser_path"], *arguments) if options else ()


@dataclass(frozen=True)
class Finished:
    """A command that has run: exit status and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON value
        return json.loads(self.out)

    def ok(self) -> Finished:
        """Return itself; fail, showing everything, if the command failed."""
        assert self.code == 0, (self.code, self.out[-3000:], self.err[-3000:])
        return self


class Home:
    """A home folder with its environment: the programs see nothing of the user's own."""

    def __init__(self, **environ: str) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="oc-", dir=tempfile.gettempdir()))
        self.path = self.base / "home"
        for name in ("user", "tmp"):
            (self.base / name).mkdir()
        self.environ = {
            "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.base / "user"),
            "TMPDIR": str(self.base / "tmp"),
            "OPENCHROME_HOME": str(self.path),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "COLUMNS": "80",
            **environ,
        }

    def run(
        self, program: str, *args: str, timeout: float = LIFE_S, stdin: str = "", **environ: str
    ) -> Finished:
        """Run one of our console scripts to its end."""
        done = subprocess.run(
            [str(SCRIPTS / program), *args], env={**self.environ, **environ}, timeout=timeout,
            cwd=self.base, input=stdin, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Finished(done.returncode, done.stdout, done.stderr)

    def spawn(self, program: str, *args: str, **environ: str) -> subprocess.Popen[str]:
        """Start one of our console scripts and return at once."""
        return subprocess.Popen(
            [str(SCRIPTS / program), *args], env={**self.environ, **environ}, cwd=self.base,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def write_config(self, text: str) -> Path:
        """Write config.toml the way an editor does: whole, by rename."""
        self.path.mkdir(mode=0o700, exist_ok=True)
        part = self.path / ".config.toml.new"
        part.write_text(text, encoding="utf-8")
        return part.rename(self.path / "config.toml")

    def walk(self) -> Iterator[Path]:
        """Yield what lies in the home, without Chromium's profile and what goes while we look."""
        for folder, folders, files in os.walk(self.path):
            folders[:] = [name for name in folders if name != "profile"]
            yield from (Path(folder) / name for name in (*folders, *files))

    def contents(self) -> Iterator[tuple[Path, bytes]]:
        """Yield the files in the home, without Chromium's profile, and what they contain."""
        for path in self.walk():
            with suppress(FileNotFoundError):
                if path.is_file():
                    yield path, path.read_bytes()

    def remove(self) -> None:
        shutil.rmtree(self.base, ignore_errors=True)

    def close(self) -> None:
        """Wait until no process names this home any more, and remove it."""
        try:
            wait_until(lambda: not naming(self.base), what="the end of all that names this home")
        except AssertionError as error:
            error.add_note(f"left behind: {self.end_leftovers()}")
            raise
        finally:
            self.remove()

    def end_leftovers(self) -> list[str]:
        """End every process that names this home; return what they were."""
        found = []
        for process in naming(self.base):
            with suppress(psutil.NoSuchProcess):
                found.append(" ".join(words_of(process))[:200])
                Identity.of(process.pid).kill()
        return found


class Daemon:
    """`with Daemon("--isolated") as daemon:` starts one as our child and ends it after.

    Without the CLI, whose `ocd start` and `ocd stop` cost an interpreter each: they are what
    test_daemon_lifecycle and the transcripts are about, and no other test. It is forked from a
    process that has imported it, unless `forks` is False: a forked one's command line does not say
    how it was started. browser: the flags of its browser, where it is not the one that users have.
    """

    forks = True
    browser: tuple[str, ...] = ()

    def __init__(
        self, *flags: str, config: str = "", home: Home | None = None, **environ: str
    ) -> None:
        self.home = home or Home()
        self.home.environ.update(environ)
        self.flags = flags
        self.program: tuple[str, ...] = PROGRAM
        # An older release answers in its own shapes.
        self.is_ours = True
        self.sessions: set[str] = set()
        self._child: subprocess.Popen[str] | ForkedDaemon | None = None
        if config:
            self.home.write_config(config)

    # --- life ------------------------------------------------------------------------------

    def __enter__(self) -> Daemon:
        try:
            return self.start()
        except BaseException:  # Ctrl-C leaves no daemon behind, either
            if self._child is not None:
                self._child.kill()
                self._reap()
            self.home.end_leftovers()
            self.home.remove()
            raise

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            self.stop()
            if kind is None:  # else the test's own failure says more
                self.home.close()
        finally:
            if self.home.base.exists():
                self.home.end_leftovers()
                self.home.remove()

    def start(self) -> Daemon:
        return self.run_in_foreground()

    def run_in_foreground(self, **environ: str) -> Daemon:
        """Start it with `ocd run` as our child; return once the socket answers."""
        child = self.launch(**environ)
        wait_until(lambda: self.answers() or child.poll() is not None, LIFE_S, "the socket")
        assert child.poll() is None, (child.returncode, self.log()[-3000:])
        self.identity = Identity.of(self.status()["pid"])
        return self

    def launch(self, **environ: str) -> subprocess.Popen[str] | ForkedDaemon:
        """Start it with `ocd run` as our child and wait for nothing."""
        self._reap()
        arguments, whole = ["run", *self.flags, *self.browser], {**self.home.environ, **environ}
        if self.forks and self.program == PROGRAM and can_fork(whole):
            self._child = daemon_forks().fork(arguments, whole, self.home.base)
            return self._child
        with (self.home.base / "daemon.log").open("a", encoding="utf-8") as log:
            self._child = subprocess.Popen(
                [*self.program, *arguments], env=whole, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, cwd=self.home.base, text=True, start_new_session=True,
            )  # fmt: skip
        return self._child

    def stop(self) -> None:
        """End it as a client does; with `ocd stop` what is not our child or does not listen."""
        with suppress(OSError, HTTPException):
            self.request("POST", "/v1/shutdown", b"{}", timeout=10)
        try:
            self._reap()
        except subprocess.TimeoutExpired:
            self.ocd("stop").ok()
            self._reap()
        if self.socket.exists() and self.answers():
            self.ocd("stop").ok()

    def restart(self, *flags: str) -> Daemon:
        self.stop()
        self.flags = flags or self.flags
        return self.start()

    def kill9(self) -> Daemon:
        """Kill the daemon, and it alone, as a crash would."""
        self.identity.kill(signal.SIGKILL)
        self._reap()
        self.identity.wait_gone()
        return self

    def wait_ended(self, timeout: float = LIFE_S) -> int:
        """Return the exit status of our child once it has ended."""
        assert self._child is not None
        status = self._child.wait(timeout)
        self._child = None
        return status

    def _reap(self) -> None:
        if self._child is not None:
            self.wait_ended()

    def log(self) -> str:
        """Return what our children have written to their terminal."""
        return (self.home.base / "daemon.log").read_text(encoding="utf-8", errors="replace")

    def answers(self) -> bool:
        try:
            return self.request("GET", "/v1/status", timeout=2).status == 200
        except (OSError, HTTPException):
            return False

    # --- the programs ----------------------------------------------------------------------

    def ocd(self, *args: str, timeout: float = LIFE_S, **environ: str) -> Finished:
        return self.home.run("ocd", *args, timeout=timeout, **environ)

    def oc(self, *args: str, timeout: float = LIFE_S, stdin: str = "", **environ: str) -> Finished:
        return self.home.run("oc", *args, timeout=timeout, stdin=stdin, **environ)

    # --- the socket ------------------------------------------------------------------------

    @property
    def socket(self) -> Path:
        return self.home.path / "run" / "ocd.sock"

    def request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = 300.0,
    ) -> wire.Reply:
        return wire.request(self.socket, method, target, body, headers=headers, timeout=timeout)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.request("GET", "/v1/status").body
        return found

    def call(self, verb: str, /, session: str | None = None, **params: object) -> wire.Reply:
        """Call a verb over the socket and return its reply, whatever it is."""
        self.sessions.add(session or "default")
        body = wire.call_body(verb, params, session)
        reply = self.request("POST", "/v1/call", body, wire.JSON_BODY)
        return reply.checked(verb) if self.is_ours else reply

    def do(self, verb: str, /, session: str | None = None, **params: object) -> Any:  # noqa: ANN401 - any JSON value
        """Call a verb that must succeed and return its result."""
        return self.call(verb, session, **params).result

    def start_call(
        self,
        verb: str,
        /,
        session: str | None = None,
        **params: object,
    ) -> wire.PendingCall:
        """Call a verb and return at once."""
        return wire.PendingCall(self.socket, verb, wire.call_body(verb, params, session), 300)

    def progress(
        self,
        verb: str,
        /,
        session: str | None = None,
        **params: object,
    ) -> Iterator[dict[str, Any]]:
        """Call a verb and yield its NDJSON lines."""
        return wire.lines(self.socket, "POST", "/v1/call", wire.call_body(verb, params, session))

    # --- tasks and tabs --------------------------------------------------------------------

    def start_task(self, kind: str, /, **args: object) -> str:
        task_id: str = self.do("oc_task_start", kind=kind, args=args)["task_id"]
        return task_id

    def task(self, task_id: str) -> dict[str, Any]:
        meta: dict[str, Any] = self.do("oc_task_get", task_id=task_id)["meta"]
        return meta

    def finish(self, task_id: str, timeout_ms: int = 280_000) -> dict[str, Any]:
        """Return the task's terminal meta."""
        meta: dict[str, Any] = self.do("oc_task_wait", task_id=task_id, timeout_ms=timeout_ms)[
            "meta"
        ]
        return meta

    def result_of(self, task_id: str) -> Any:  # noqa: ANN401 - any JSON value
        return self.do("oc_task_get", task_id=task_id, include_result=True)["result"]

    def new_tab(self, url: str, session: str | None = None) -> str:
        tab_id: str = self.do("tabs_create", session, url=url)["tab_id"]
        return tab_id

    def close_tabs(self) -> None:
        """Close every tab: of the sessions that calls have named, then those of other clients."""
        self._close_tabs_of(self.sessions)
        self.sessions.clear()
        if (now := self.status())["tabs"]:
            self._close_tabs_of(now["session_names"])
            self.sessions.clear()

    def _close_tabs_of(self, sessions: Iterable[str]) -> None:
        for session in sorted(sessions):
            for tab in self.do("tabs_context", session, timeout_ms=120_000)["tabs"]:
                self.close_tab(tab["tab_id"], session)

    def close_tab(self, tab_id: str, session: str | None = None) -> None:
        """Close a tab, unless its page has done so meanwhile."""
        reply = self.call("tabs_close", session, tab_id=tab_id, timeout_ms=120_000)
        assert reply.status == 200 or reply.code in ("tab_not_found", "tab_gone"), reply.raw

    def keep_one_tab(self) -> None:
        """Close all tabs but the default session's first, which is left at a blank page.

        A tab costs Chromium a window and a process, four times what going to a page does.
        """
        self.sessions.discard("default")
        first, *others = self.do("tabs_context")["tabs"] or [None]
        self._close_tabs_of(self.sessions - {"default"})
        self.sessions.clear()
        blank = {"url": "about:blank", "timeout_ms": 5000}
        if first and self.call("navigate", tab_id=first["tab_id"], **blank).status != 200:
            others.append(first)
        for tab in others:
            self.close_tab(tab["tab_id"])

    # --- its Chromium ----------------------------------------------------------------------

    def chromium(self) -> Identity:
        """Return the browser process (not its helpers) that uses this home's profile."""
        found = browsers(self.home.base)
        assert len(found) == 1, found
        return Identity(found[0].pid, found[0].create_time())

    def renderers(self) -> list[Identity]:
        return [Identity(p.pid, p.create_time()) for p in renderers(self.home.base)]

    # --- its files -------------------------------------------------------------------------

    def task_folder(self, task_id: str) -> Path:
        return self.home.path / "tasks" / task_id

    def output_files(self, handle: str) -> list[Path]:
        return sorted((self.home.path / "output").glob(f"*/{handle}*"))
