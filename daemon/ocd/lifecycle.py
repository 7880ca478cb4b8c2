"""serve(): lock → recover → socket → ready; undone in reverse.

One TaskGroup holds everything that runs in the background: a child that dies by a bug ends the
daemon with its traceback.
"""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import AsyncIterator

from ocd import faults, mcp_http
from ocd.api import paths
from ocd.assembly import VERSION, Daemon
from ocd.config import Config, environment
from ocd.home import locked, prepare_home
from ocd.notify import Notifier
from ocd.server import listening

logger = logging.getLogger(__name__)


async def serve(config: Config) -> None:
    """Be the daemon: returns after SIGTERM, SIGINT or POST /v1/shutdown, with all undone.

    Raises OcdError if it cannot start: `busy` if another daemon holds the lock, storage_* if the
    home is unusable, `unreadable_file` if what is there cannot be understood.
    """
    notifier = Notifier.from_environ(environment())
    address = prepare_home(config.home)
    faults.arm(environment().get("OCD_FAULT", ""))
    with locked(config.home / "run" / "ocd.lock", VERSION):
        async with asyncio.TaskGroup() as group:
            daemon = Daemon(config, group)
            await daemon.recover()
            background = daemon.spawn(daemon.run_background())
            pinging = daemon.spawn(notifier.keep_pinging())
            async with (
                mcp_http.listening(daemon.door, config, daemon.spawn) as daemon.http_port,
                daemon.door.listening(paths.mcp_socket(str(config.home), environment())),
                listening(daemon.api().application(), address),
                _signals(daemon.stop),
            ):
                logger.info("ready: pid %d, socket %s", os.getpid(), address)
                notifier.ready()
                await daemon.stop.wait()
                notifier.stopping()
                logger.info("stopping")
                await daemon.close()
            background.cancel()
            pinging.cancel()
    logger.info("stopped")


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
