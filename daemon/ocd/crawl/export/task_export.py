"""Export of the pages that a crawl's task has so far."""

import asyncio
import json
from pathlib import Path
from threading import Event
from typing import Any

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.crawl.archive.file_names import ANSWERS, FILES
from ocd.crawl.export.exporter import export
from ocd.crawl.export.formats import ExportFormat
from ocd.crawl.export.pages import ExportStoppedError, Pages
from ocd.ledger.runner import Runner
from ocd.ledger.states import TaskMeta


async def export_task(
    runner: Runner, task_id: str, form: ExportFormat, path: Path
) -> tuple[TaskMeta, dict[str, Any]]:
    """Write the pages that a task has so far; return the task and what was written.

    Raises:
        OcdError: task_not_found, invalid_format_for_payload for a task without pages, storage_*,
            unreadable_file, and cancelled.
    """
    meta = await runner.get(task_id)
    result = await asyncio.to_thread(runner.result, meta)
    if meta.kind not in ("crawl", "crawl_sitemap") or result is None or result.rows is None:
        raise _no_pages(meta)
    stopped = Event()
    folder = runner.store.directory(meta.task_id) / FILES
    pages = Pages(result.rows, stopped.is_set, runner.log(meta, ANSWERS), folder)
    try:
        return meta, await asyncio.to_thread(export, pages, form, path, _address(meta))
    except ExportStoppedError:  # nobody is waiting for it
        raise OcdError("cancelled", "The export was stopped", task_id=meta.task_id) from None
    finally:
        stopped.set()


def _no_pages(meta: TaskMeta) -> OcdError:
    message = f"The task {meta.task_id} ({meta.kind}) has no pages to export"
    if meta.terminal:
        return OcdError("invalid_format_for_payload", message, task_id=meta.task_id)
    return OcdError(
        "invalid_format_for_payload",
        f"{message} yet",
        hint=f"Wait until it has ended: {tool_call('oc_task_wait', task_id=meta.task_id)}",
        task_id=meta.task_id,
    )


def _address(meta: TaskMeta) -> str:
    args: dict[str, Any] = json.loads(meta.args_summary)
    return str(args.get("url", meta.kind))
