"""The daemon in the foreground: what `ocd run` does."""

import asyncio
import faulthandler
import gc
import logging
import os
import sys
from collections.abc import Mapping
from types import TracebackType

import msgspec

from ocd.api.errors import OcdError
from ocd.cli.logfile import configure, log_path
from ocd.cli.output import show_error
from ocd.config.loader import Config, load
from ocd.storage.machine_limits import limit_error, require_room_to_run

# `ocd start` finds the reason of an early exit after these words in the log.
FAILED = "cannot run: "
_log = logging.getLogger(__name__)


def run_daemon(flags: Mapping[str, object]) -> None:
    """Run the daemon with these settings until it is stopped; OcdError if it cannot run."""
    config = load(flags)
    # Whatever this process and Chromium create is the user's alone, rotated logs included.
    os.umask(0o077)
    configure(config.home)
    sys.excepthook = _report_crash
    with log_path(config.home).open("a", encoding="utf-8") as log:
        # A library that crashes has no traceback: the kernel's signal writes one.
        faulthandler.enable(log)
        failure = _serve(config)
        faulthandler.disable()
    if failure:
        _log_reason(failure)
        raise failure


def _log_reason(error: OcdError) -> None:
    _log.error("%s%s", FAILED, msgspec.json.encode(error.body(), enc_hook=str).decode())


def _serve(config: Config) -> OcdError | None:
    try:
        require_room_to_run()
    except OcdError as error:
        return error
    # What imports make stays: nothing to collect meanwhile, nor to look through ever after.
    gc.disable()
    # Imported here: the other commands must not pay for the daemon's parts.
    from ocd.lifecycle import serve

    gc.freeze()
    gc.enable()
    # Seconds after which a computing thread yields to the loop.
    sys.setswitchinterval(0.001)
    failure: BaseException | None = None
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(serve(config))
    except* OcdError as group:
        failure = _first_error(group)
    assert failure is None or isinstance(failure, OcdError)
    return failure


def new_loop() -> asyncio.AbstractEventLoop:
    """Return the daemon's event loop: uvloop's where it is, else asyncio's own."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()  # Windows, and wherever there is no wheel
    return uvloop.new_event_loop()


def _first_error(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _report_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Log the traceback of an unexpected error; print one line."""
    _log.critical("crashed", exc_info=(kind, error, trace))
    cause = _first_error(error)
    reason = limit_error(cause) if isinstance(cause, Exception) else None
    if reason is None:
        crashed = f"The daemon crashed: {cause!r}"
        reason = OcdError("internal", crashed, hint="See the log: ocd logs")
    _log_reason(reason)
    show_error(reason)
