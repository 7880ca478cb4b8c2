"""Durable tasks: resumed when the daemon restarts after being killed (durable=true)."""

import asyncio
import logging
from functools import partial

from ocd.api.errors import OcdError
from ocd.api.wire import CallRequest
from ocd.calls.dispatch import run_call
from ocd.calls.services import CallServices
from ocd.ledger.resumption import read_arguments
from ocd.ledger.states import TaskMeta
from ocd.ledger.store import TaskStore

# How many starts without a further page a task gets, because it may be what kills the daemon.
MAX_FRUITLESS_STARTS = 3

logger = logging.getLogger(__name__)


async def resume(services: CallServices, *, by_default: bool) -> None:
    """Resume the durable tasks interrupted with an earlier daemon, by ordinary calls.

    by_default: also what did not say whether it wants it.
    """
    runner = services.runner
    for meta in runner.orphans:
        judge = partial(is_durable, runner.store, meta, by_default=by_default)
        request = CallRequest(
            verb="oc_task_resume", params={"task_id": meta.task_id}, session=meta.session
        )
        try:
            if await asyncio.to_thread(judge):
                await run_call(services, request)
        except OcdError as error:
            logger.warning("task %s is not resumed: %s", meta.task_id, error)
        except Exception:  # it can still be resumed by hand; the daemon and the others continue
            logger.exception("resuming task %s failed", meta.task_id)


def is_durable(store: TaskStore, meta: TaskMeta, *, by_default: bool) -> bool:
    """Return whether an interrupted task is to be resumed automatically. Blocks."""
    try:
        choice = read_arguments(store, meta.task_id).args.get("durable", False)
        return bool(by_default if choice is None else choice) and not _is_stuck(store, meta)
    except OcdError as error:  # a kind that cannot be resumed, or a file that cannot be read
        logger.debug("task %s is not resumed: %s", meta.task_id, error)
        return False


def _is_stuck(store: TaskStore, meta: TaskMeta) -> bool:
    """Return whether the last starts of this work have ended without a further page."""
    for _ in range(MAX_FRUITLESS_STARTS - 1):
        if meta.resumed_from is None:
            return False
        try:
            before = store.read(meta.resumed_from)
        except OcdError:
            return False  # retention has removed it
        if before.progress.done < meta.progress.done:
            return False
        meta = before
    return True
