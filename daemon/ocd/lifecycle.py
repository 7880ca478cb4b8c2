"""serve(): lock → recover → socket → ready; undone in reverse.

One TaskGroup holds everything that runs in the background: a child that dies by a bug ends the
daemon with its traceback.
"""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from ocd.api import paths
from ocd.api.errors import OcdError
from ocd.assembly import VERSION, Daemon
from ocd.calls import durable_tasks
from ocd.config.file_changes import follow_changes
from ocd.config.loader import Config, environment
from ocd.outputs import sweeper
from ocd.runtime import heap, session_retention
from ocd.runtime.home_lock import hold_lock, prepare_home
from ocd.runtime.sd_notify import Notifier
from ocd.runtime.watchdog import Watchdog
from ocd.server import mcp_http
from ocd.server.http_api import listening
from ocd.storage import crash_points

logger = logging.getLogger(__name__)


async def serve(config: Config) -> None:
    """Run the daemon until SIGTERM, SIGINT or POST /v1/shutdown; return after everything is closed.

    Raises OcdError if it cannot start: `busy` if another daemon holds the lock, storage_* if the
    home is unusable, `unreadable_file` if what is there cannot be understood.
    """
    notifier = Notifier.from_environ(environment())
    address = prepare_home(config.home)
    crash_points.arm(environment().get("OCD_FAULT", ""))
    watchdog = Watchdog(config.home, config.watchdog_dump_s, config.watchdog_end_s, notifier)
    with hold_lock(config.home / "run" / "ocd.lock", VERSION) as home_lock, watchdog.watching():
        async with asyncio.TaskGroup() as group:
            daemon = Daemon(config, group)
            beating = daemon.spawn(watchdog.keep_beating())
            await daemon.recover()
            background = daemon.spawn(_run_background(daemon))
            mcp_address = paths.mcp_socket(str(config.home), environment())
            async with (
                mcp_http.listening(daemon.mcp_socket, config, daemon.spawn) as daemon.http_port,
                daemon.dashboard.serving(config.dashboard),
                daemon.attaching.serving(),
                daemon.mcp_socket.listening(mcp_address),
                listening(daemon.api().application(), address),
                _signals(daemon.stop),
            ):
                logger.info("ready: pid %d, socket %s", os.getpid(), address)
                notifier.ready()
                sockets = () if os.name == "nt" else (address, mcp_address)
                lost = await _wait_for_stop(daemon.stop, home_lock.wait_lost(sockets))
                notifier.stopping()
                logger.info("stopping")
                if home_lock.is_lost:
                    daemon.abandon()
                else:
                    await daemon.close()
            background.cancel()
            beating.cancel()
            if lost:
                raise _evicted(lost)
    logger.info("stopped")


async def _run_background(daemon: Daemon) -> None:
    """Run the background tasks until cancelled."""
    sweeping = sweeper.run(
        daemon.outputs,
        lambda: daemon.config.output_handle_sweep_interval_seconds,
        daemon.sweep_changed,
    )
    forgetting = session_retention.run(
        daemon.runner.prune, daemon.sessions.names, lambda: daemon.config
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(sweeping)
        group.create_task(forgetting)
        group.create_task(heap.keep_trimmed())
        group.create_task(follow_changes(daemon.config.file, daemon.stop, daemon.reload))
        group.create_task(_load_stores(daemon))
        group.create_task(daemon.webhooks.run())
        group.create_task(durable_tasks.resume(daemon.services, by_default=daemon.config.durable))


async def _load_stores(daemon: Daemon) -> None:
    """Load the stores that calls need; one that cannot be read fails those calls instead."""
    for store in (daemon.notes.store, daemon.skills.store):
        with contextlib.suppress(OcdError):
            await asyncio.to_thread(store.load)


async def _wait_for_stop(stop: asyncio.Event, losing: Coroutine[Any, Any, str]) -> str:
    """Return the part of the home that was lost, once one is; an empty string if stopped first."""
    async with asyncio.TaskGroup() as group:
        stopped, lost = group.create_task(stop.wait()), group.create_task(losing)
        await asyncio.wait((stopped, lost), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        lost.cancel()
    return "" if lost.cancelled() else lost.result()


def _evicted(lost: str) -> OcdError:
    message = f"{lost} is gone or belongs to another daemon: this one was unreachable, so it ended"
    return OcdError("storage_failed", message, hint="Start it again: ocd start", path=lost)


@contextlib.asynccontextmanager
async def _signals(stop: asyncio.Event) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    if os.name == "nt":  # no loop handlers there: Ctrl-C arrives as KeyboardInterrupt
        yield
        return
    # SIGHUP: the terminal of `ocd run` was closed.
    names = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    for name in names:
        loop.add_signal_handler(name, stop.set)
    try:
        yield
    finally:
        for name in names:
            loop.remove_signal_handler(name)
