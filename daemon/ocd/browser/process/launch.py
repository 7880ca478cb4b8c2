"""Starting Chromium: process, pipe and first reply, or an error that says why it failed."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import ANOTHER_BROWSER, Connection
from ocd.browser.cdp.pipe_transport import PipeTransport
from ocd.browser.process import command_line, orphans
from ocd.browser.process.child_process import BrowserProcess, ErrorLog, start
from ocd.storage.files import make_dir

logger = logging.getLogger(__name__)

# Less than a call's own deadline, so that callers are told why there is no browser.
START_S = 25.0
CLOSE_S = 3.0
# A line of Chromium's output that is not its last; our message for it, and the hint.
_KNOWN_REASONS = (
    (
        ("Missing X server or $DISPLAY",),
        "Chromium has no display to show its windows on.",
        "Leave out --headed, or set DISPLAY (or run it with xvfb-run), then ocd restart.",
    ),
    (
        ("Failed to move to new namespace", "No usable sandbox!"),
        "Chromium's sandbox cannot start: user namespaces are forbidden here.",
        "Allow them; a Docker container needs --security-opt seccomp=unconfined.",
    ),
)


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What to start: `run_dir` gets chromium.json, `log` (if any) Chromium's stderr."""

    binary: str
    profile: Path
    run_dir: Path
    log: Path | None = None
    headed: bool = False
    extra_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaunchedBrowser:
    """A browser that responded; process is None if it was not started by us."""

    process: BrowserProcess | None
    connection: Connection
    version: str
    run_dir: Path | None = None

    async def close(self) -> None:
        """End it: by request, and after some seconds by SIGKILL, with all its children."""
        if self.process is None:
            self.connection.close()
            return
        with contextlib.suppress(OcdError, TimeoutError):
            async with asyncio.timeout(CLOSE_S / 2):
                await self.connection.send("Browser.close")
        await end(self.process, CLOSE_S)
        self.connection.close()
        if self.run_dir is not None:
            await asyncio.to_thread(orphans.forget, self.run_dir, self.process.pid)


async def end(process: BrowserProcess, grace_s: float) -> None:
    """Wait `grace_s` for the process to exit, then kill what remains of its group."""
    await process.wait_exited(grace_s)
    process.kill()
    await process.wait_exited(CLOSE_S)


async def launch(options: LaunchOptions) -> LaunchedBrowser:
    """Start Chromium and wait until it answers; browser_failed with its last output if not."""
    arguments = await asyncio.to_thread(_prepare, options)
    process, ends = start(arguments, ErrorLog(options.log))
    transport = PipeTransport()
    connection = Connection(transport)
    try:
        await transport.open(ends, connection.receive, connection.on_lost)
        # Before it responds, so that clean-up finds one that hangs while starting.
        await asyncio.to_thread(_remember, options, process.pid)
        version = await _wait_for_version(process, connection)
    except BaseException:  # if the caller is cancelled, nobody else would end it
        process.kill()
        connection.close()
        orphans.forget(options.run_dir, process.pid)
        raise
    return LaunchedBrowser(process, connection, version, options.run_dir)


def _prepare(options: LaunchOptions) -> list[str]:
    make_dir(options.profile)
    orphans.reap(options.run_dir)
    orphans.free_profile(options.profile)
    if options.log is not None:
        make_dir(options.log.parent)
    return command_line.command_line(
        options.binary, options.profile, headed=options.headed, extra=options.extra_args
    )


def _remember(options: LaunchOptions, pid: int) -> None:
    try:
        orphans.remember(options.run_dir, pid, options.profile)
    except OcdError as error:
        # A full disk must not prevent browsing. If we are killed, Chromium ends with its pipe.
        logger.warning("Chromium (pid %d) could not be recorded: %s", pid, error.message)


async def _wait_for_version(process: BrowserProcess, connection: Connection) -> str:
    try:
        async with asyncio.timeout(START_S):
            call = connection.send("Browser.getVersion")
            # A program that is not a browser may already have written something.
            if connection.protocol_error is not None:
                connection.interrupt(connection.protocol_error)
            reply = await call
    except TimeoutError:
        raise _launch_error(process, f"Chromium did not answer within {START_S:.0f} s.") from None
    except OcdError as error:
        if not connection.closed:
            message = "The browser does not respond like Chromium: "
            raise _launch_error(process, message + error.message) from None
        await process.wait_exited(1)
        # Its last output may still be in the pipe.
        await process.log.wait_ended(1)
        raise _launch_error(process, "Chromium exited before it responded.") from None
    return str(reply.get("product", ""))


def _launch_error(process: BrowserProcess, message: str) -> OcdError:
    lines = list(process.log.last)[-8:]
    log_tail = "\n".join(process.log.last)
    for marks, reason, hint in _KNOWN_REASONS:
        if any(mark in log_tail for mark in marks):
            return OcdError(
                "browser_failed", reason, hint=hint, exit_status=process.status, stderr=lines
            )
    last_line = f" Its last output: {lines[-1]}" if lines else ""
    return OcdError(
        "browser_failed",
        message + last_line,
        hint=ANOTHER_BROWSER,
        exit_status=process.status,
        stderr=lines,
    )
