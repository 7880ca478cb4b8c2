"""The daemon's Chromium: started when first needed, and again after a crash."""

import asyncio
import contextlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.api.waiting import Spawn
from ocd.browser.cdp.connection import ANOTHER_BROWSER, Connection
from ocd.browser.cdp.emitter import call_each
from ocd.browser.process import attach, preferences, process_tree
from ocd.browser.process.child_process import BrowserProcess
from ocd.browser.process.discovery import find_browser
from ocd.browser.process.downloads import Downloads
from ocd.browser.process.launch import CLOSE_S, LaunchedBrowser, LaunchOptions, launch
from ocd.browser.process.network_rules import apply_network_rules
from ocd.browser.process.permission_defaults import refuse_all
from ocd.browser.process.request_guard import RequestGuard
from ocd.browser.process.targets import Targets
from ocd.safety.domain_policy import DomainPolicy

logger = logging.getLogger(__name__)

State = Literal["stopped", "starting", "running", "gone"]

# The time limit for setting up a browser that has answered.
SET_UP_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChromiumOptions:
    """The browser options of the daemon's configuration.

    Attributes:
        run_dir: contains chromium.json, the record of the running browser.
        log_dir: contains chromium.log.
        idle_minutes: 0: never close an idle browser.
        incoming: the folder of downloads until they are complete; None: no downloads.
        own_proxy: the user has set the proxy by which Chromium reaches the network.
    """

    profile: Path
    run_dir: Path
    log_dir: Path | None = None
    browser_path: str | None = None
    browser_url: str | None = None
    headed: bool = False
    isolated: bool = False
    extra_args: tuple[str, ...] = ()
    own_proxy: bool = False
    idle_minutes: float = 30
    incoming: Path | None = None
    policy: DomainPolicy


class Chromium:
    """A part of the daemon: the browser process and the connection to it.

    `generation` counts the starts, `losses` the ends that were not requested; `on_gone` functions
    are called, in order, when a generation ends, whether it was closed or has died.
    """

    def __init__(self, options: ChromiumOptions, spawn: Spawn) -> None:
        self.options = options
        self.spawn = spawn
        self.generation = self.losses = 0
        self.state: State = "stopped"
        self.version = ""
        self.on_gone: list[Callable[[], None]] = []
        self.idle_minutes = options.idle_minutes
        self.guard = RequestGuard(options.policy)
        self.downloads = Downloads(options.incoming, spawn)
        self._launched: LaunchedBrowser | None = None
        self._targets: Targets | None = None
        self._starting: asyncio.Future[Connection] | None = None
        self._start_task: asyncio.Task[Any] | None = None
        self._closing: asyncio.Event | None = None
        self._holders = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._temporary: Path | None = None
        self._ending: BrowserProcess | None = None
        self._arguments: tuple[str, ...] | None = None

    @property
    def pid(self) -> int | None:
        """The browser's process id; None if none is running or it was not started by us."""
        process = self._launched.process if self._launched else None
        return process.pid if process else None

    def describe(self) -> dict[str, Any]:
        """Return state, pid, version and generation, for the daemon's status."""
        return {
            "state": self.state, "pid": self.pid, "version": self.version,
            "generation": self.generation,
        }  # fmt: skip

    @property
    def current_generation(self) -> int:
        """The running generation, or the one that starts next."""
        return self.generation + (self._launched is None)

    @property
    def connection(self) -> Connection:
        """The live connection; raises browser_gone without one."""
        if self._launched is None:
            raise OcdError("browser_gone", "No Chromium is running.")
        return self._launched.connection

    @property
    def targets(self) -> Targets:
        """The pages of the running browser; browser_gone if none is running."""
        if self._targets is None:
            raise OcdError("browser_gone", "No Chromium is running.")
        return self._targets

    @property
    def own_windows(self) -> bool:
        """Whether every tab gets an invisible window of its own, so that none hides another."""
        return not (self.options.headed or self.options.browser_url)

    @property
    def obeys_network_rules(self) -> bool:
        """Whether the browser is our own child, and does not use a proxy of the user's."""
        return not (self.options.browser_url or self.options.own_proxy)

    @property
    def is_unattended(self) -> bool:
        """Whether the browser has no window in which a person could answer its prompts."""
        return not (self.options.headed or self.options.browser_url)

    async def ensure(self) -> Connection:
        """Return the live connection, starting Chromium if it is not running; raises browser_*.

        Several callers share one start, which continues if one of them is cancelled.
        """
        if self._closing is not None:
            await self._closing.wait()
        if self._launched is not None:
            self._rest()
            return self._launched.connection
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_future()
            self.state = "starting"
            self.spawn(self._start(self._starting))
        return await asyncio.shield(self._starting)

    async def _start(self, result: asyncio.Future[Connection]) -> None:
        self._start_task = asyncio.current_task()
        try:
            launched = await self._open()
            self._launched = launched
            self.state = "running"
            self._rest()
            result.set_result(launched.connection)
        except OcdError as error:
            self._refuse(result, error)
        except OSError as error:
            # Out of descriptors, threads or space: this start has failed, and nothing else.
            logger.exception("Chromium could not be started")
            reason = OcdError("browser_failed", f"Chromium could not be started: {error}")
            self._refuse(result, reason)
        finally:
            # Cancelled, or a bug: the waiting callers must not wait forever.
            if not result.done():
                self._refuse(result, OcdError("browser_failed", "Starting Chromium was cancelled."))
            self._starting = self._start_task = None

    def _refuse(self, result: asyncio.Future[Connection], error: OcdError) -> None:
        self.state = "stopped"
        self._drop_temporary()
        result.set_exception(error)
        # All waiting callers may have been cancelled.
        result.exception()

    async def _open(self) -> LaunchedBrowser:
        launched = await self._launch()
        try:
            await self._prepare(launched)
        except BaseException:  # if the caller is cancelled, nobody else would end it
            if launched.process is not None:
                launched.process.kill()
                self._ending = launched.process
            launched.connection.close()
            raise
        self.generation += 1
        self.version = launched.version
        launched.connection.once("disconnected", self._on_connection_lost)
        return launched

    async def _prepare(self, launched: LaunchedBrowser) -> None:
        try:
            async with asyncio.timeout(SET_UP_S):
                await self._set_up(launched)
        except (OcdError, TimeoutError) as error:
            raise _unsuitable_browser_error(launched.version, error) from None

    async def _set_up(self, launched: LaunchedBrowser) -> None:
        self._targets = Targets(launched.connection)
        await self._targets.start()
        own = launched.process is not None
        direct = self.obeys_network_rules
        await self.guard.start(launched.connection, has_network_rules=direct)
        await self.downloads.start(launched.connection, own=own)
        if own:
            refuse_all(launched.connection)

    async def _launch(self) -> LaunchedBrowser:
        options = self.options
        _warn_of_gaps(options, self.guard.policy)
        if options.browser_url:
            return await attach.attach(options.browser_url, self.spawn)
        if self._ending is not None:
            # Until it has ended, the profile is in use.
            await self._ending.wait_exited(CLOSE_S)
            self._ending = None
        binary = await asyncio.to_thread(find_browser, options.browser_path, headed=options.headed)
        log = options.log_dir / "chromium.log" if options.log_dir else None
        profile = await asyncio.to_thread(self._profile)
        arguments = self._arguments = self._rules(self.guard.policy)
        return await launch(
            LaunchOptions(binary, profile, options.run_dir, log, options.headed, arguments)
        )

    def _rules(self, policy: DomainPolicy) -> tuple[str, ...]:
        own_proxy = self.options.own_proxy
        return apply_network_rules(self.options.extra_args, policy, own_proxy=own_proxy)

    async def set_policy(self, policy: DomainPolicy) -> None:
        """Obey another policy from now on.

        Chromium's network rules are fixed at its start: if they change, it is closed, and the next
        call starts it with the new ones.
        """
        await self.guard.set_policy(policy)
        if self._starting is not None:
            with contextlib.suppress(OcdError):
                await asyncio.shield(self._starting)
        if self._launched is None or self.pid is None or self._arguments == self._rules(policy):
            return
        logger.info("the domain policy has changed: Chromium starts again with the next call")
        await self.close()

    def _profile(self) -> Path:
        profile = self.options.profile
        is_ours = self.options.isolated or profile.is_relative_to(self.options.run_dir.parent)
        if self.options.isolated:
            profile = self._temporary = Path(tempfile.mkdtemp(prefix="openchrome-profile-"))
        # A profile that the user has named may be used with a window, too.
        if is_ours and not self.options.headed:
            preferences.save_pdfs(profile)
        return profile

    def _on_connection_lost(self) -> None:
        launched, self._launched = self._launched, None
        self._targets = None
        if self.state != "stopped":
            self.state = "gone"
            self.losses += 1
        if launched is not None and launched.process is not None:
            # Its renderers must not outlive it.
            launched.process.kill()
            self._ending = launched.process
        if self._closing is None:
            self._drop_temporary()
        self._stop_idling()
        call_each(self.on_gone, "the browser's end")

    async def close(self) -> None:
        """End Chromium (a foreign one is only disconnected); `ensure` starts it again."""
        if self._starting is not None:
            await self._settle_start(self._starting)
        if self._closing is not None:
            await self._closing.wait()
            return
        launched = self._launched
        self.state = "stopped"
        if launched is None:
            return
        closing = self._closing = asyncio.Event()
        try:
            await launched.close()
        finally:
            closing.set()
            self._closing = None
            self._drop_temporary()

    async def _settle_start(self, starting: asyncio.Future[Connection]) -> None:
        """Wait for a start in progress; cancel it if it takes too long, because it may hang."""
        try:
            async with asyncio.timeout(CLOSE_S):
                await asyncio.shield(starting)
        except TimeoutError:
            self._cancel_start()
            await asyncio.wait((starting,))
        except OcdError:
            pass  # its callers get the error

    def kill(self) -> None:
        """Kill Chromium at once; a foreign one is only disconnected."""
        self.state = "stopped"
        self._cancel_start()
        if self._launched is not None:
            if self._launched.process is not None:
                self._launched.process.kill()
            self._launched.connection.close()

    def _cancel_start(self) -> None:
        if self._start_task is not None:
            self._start_task.cancel()

    def _drop_temporary(self) -> None:
        if self._temporary is not None:
            path, self._temporary = self._temporary, None
            self.spawn(asyncio.to_thread(shutil.rmtree, path, ignore_errors=True))

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Keep Chromium from being closed as idle during the block."""
        self.retain()
        try:
            yield
        finally:
            self.release()

    def retain(self) -> None:
        """Keep Chromium from being closed as idle until `release` has been called as often."""
        self._holders += 1
        self._stop_idling()

    def release(self) -> None:
        """Undo one `retain`."""
        self._holders -= 1
        self._rest()

    def _rest(self) -> None:
        # From now on Chromium is idle, unless it is held.
        self._stop_idling()
        if self._holders or not self.idle_minutes or self._launched is None:
            return
        loop = asyncio.get_running_loop()
        self._idle_timer = loop.call_later(self.idle_minutes * 60, self._idle)

    def _stop_idling(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None

    def _idle(self) -> None:
        if not self._holders:
            self.spawn(self.close())

    def holds_socket(self, inode: str) -> bool:
        """Return whether a process of our own Chromium has the socket open (Linux)."""
        return self.pid is not None and process_tree.holds_socket(self.pid, inode)

    def memory_bytes(self) -> int:
        """Return the memory of Chromium's process tree in bytes (blocks for some ms)."""
        return process_tree.tree_bytes(self.pid) if self.pid else 0

    def __repr__(self) -> str:
        return f"Chromium({self.state}, pid={self.pid}, generation={self.generation})"


def _unsuitable_browser_error(version: str, error: OcdError | TimeoutError) -> OcdError:
    """Return the error for a failed set-up: browser_failed if the browser lacks a feature."""
    name = version or "The browser"
    if isinstance(error, TimeoutError):
        message = f"{name} did not answer within {SET_UP_S:g} s while it was being set up."
    elif error.code == "cdp_error":
        message = f"{name} lacks a feature that is needed; it may be too old: {error.message}"
    elif error.code == "browser_gone":
        message = f"{name} ended while it was being set up."
    else:
        return error
    return OcdError("browser_failed", message, hint=ANOTHER_BROWSER)


def _warn_of_gaps(options: ChromiumOptions, policy: DomainPolicy) -> None:
    if policy.empty:
        return
    if options.browser_url:
        who = "with --browser-url"
    elif options.own_proxy:
        who = "with a proxy of your own, which must refuse them,"
    else:
        return
    logger.warning(
        "domain policy: %s WebSocket, WebTransport and WebRTC connections are not covered", who
    )
