"""Task kinds, and the only place where a kind's code runs for the ledger."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.ledger.resumption import Arguments, Resumption
from ocd.ledger.states import TaskMeta
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.machine_limits import limit_error
from ocd.storage.payload import Payload, Rows

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A long verb, as the ledger runs it.

    Attributes:
        prepare: checks the arguments as the direct call would, and returns what `run` gets.
        run: does the work and returns a JSON payload.
        recover: makes a result of the finished units of a run that failed, was ended or died with
            its process; None: such a task has no result.
        reports_begin: `run` sets `work.begun`. Such a task does not queue, and the call that starts
            it is answered once it has begun.
        resumption: how an ended task is resumed; None: not at all.
        arguments: returns what is stored of what `prepare` returned, to prepare it again.
        webhook: returns the address that is notified of the task's end; "" for none.
    """

    name: str
    prepare: Callable[[dict[str, Any]], Any]
    run: Callable[[TaskHandle, Any], Awaitable[Payload]]
    recover: Callable[[TaskMeta, Rows], Payload] | None = None
    reports_begin: bool = False
    resumption: Resumption | None = None
    arguments: Callable[[Any], Arguments] | None = None
    webhook: Callable[[Any], str] = lambda _prepared: ""


@contextmanager
def errors_as_internal(task_id: str) -> Iterator[None]:
    """Let only OcdError out of a kind's code: anything else becomes `internal`, with a log entry.

    Beside the dispatcher this is the one place that catches Exception: a task has no caller who
    would see it, and a bug in one kind must end its task, not the daemon.
    """
    try:
        yield
    except OcdError:
        raise
    except Exception as error:  # a bug in one kind costs its task; see above
        logger.exception("task %s failed", task_id)
        raise limit_error(error) or OcdError(
            "internal",
            f"Internal error in task {task_id}: {type(error).__name__}",
            hint=f"Its traceback: ocd logs {task_id}",
        ) from error
