"""The task verbs as a caller sees them: parameters and result shapes."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.call_context import CallContext
from ocd.calls.param_decoding import decode_call
from ocd.ledger.runner import Runner, TaskKind
from ocd.ledger.store import TaskStore
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.payload import JSON, JsonLinesFile, Payload
from ocd.verb_api.declaration import Verb
from ocd.verbs import tasks

META_KEYS = (
    "task_id kind status session pid pid_started_at created_at started_at ended_at "
    "cancel_requested_at args_summary progress result_path error"
)


async def pages(work: TaskHandle, count: int) -> Payload:
    for number in range(count):
        work.add(b'{"n":%d}' % number)
    rows = JsonLinesFile(work.units) if count else None
    return Payload(JSON, {"summary": {"n": count}, "pages": []}, ("pages",), rows)


KINDS = {
    "pages": TaskKind("pages", lambda args: int(args.get("n", 0)), pages),
}


@asynccontextmanager
async def a_runner(root: Path, **kinds: TaskKind) -> AsyncIterator[Runner]:
    async with asyncio.TaskGroup() as group:
        runner = Runner(TaskStore(root), KINDS | kinds, group.create_task)
        yield runner
        await runner.stop()


async def call(runner: Runner, verb: Verb, params: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    _, decoded = decode_call(verb, params)
    output = await verb.run(runner, decoded)
    return json.loads(output.json(verb.items).encode())


async def test_a_task_from_start_to_result(tmp_path: Path) -> None:
    """start, wait, get with the result, list: the shapes of the specification."""
    async with a_runner(tmp_path) as runner:
        call_context.enter(CallContext(session="mine"))
        started = await call(runner, tasks.oc_task_start, {"kind": "pages", "args": {"n": 2}})
        assert list(started) == ["task_id", "status", "kind"]
        waited = await call(
            runner, tasks.oc_task_wait, {"taskId": started["task_id"], "timeout": 5000}
        )
        assert list(waited) == ["meta"]
        assert " ".join(waited["meta"]) == META_KEYS
        assert (waited["meta"]["status"], waited["meta"]["session"]) == ("COMPLETED", "mine")
        task = {"task_id": started["task_id"]}
        assert await call(runner, tasks.oc_task_get, task) == waited
        got = await call(runner, tasks.oc_task_get, {**task, "include_result": True})
        assert got == {**waited, "result": {"summary": {"n": 2}, "pages": [{"n": 0}, {"n": 1}]}}
        listed = await call(runner, tasks.oc_task_list, {})
        assert listed == {"tasks": [waited["meta"]], "count": 1}


async def test_a_result_without_items_is_shown(tmp_path: Path) -> None:
    """The result of a cancelled task is what it returned; a running one has none yet."""
    began = asyncio.Event()

    async def stuck(work: TaskHandle, _prepared: object) -> Payload:
        began.set()
        await work.stop.wait()
        return Payload(JSON, {"stopped": True})

    async with a_runner(tmp_path, stuck=TaskKind("stuck", dict, stuck)) as runner:
        started = await call(runner, tasks.oc_task_start, {"kind": "stuck"})
        task = {"task_id": started["task_id"]}
        await began.wait()
        assert list(await call(runner, tasks.oc_task_get, {**task, "include_result": True})) == [
            "meta"
        ]
        cancelled = await call(runner, tasks.oc_task_cancel, task)
        assert cancelled["meta"]["status"] == "CANCELLED"
        got = await call(runner, tasks.oc_task_get, {**task, "include_result": True})
        assert got == {**cancelled, "result": {"stopped": True}}


async def test_an_empty_list_is_a_list(tmp_path: Path) -> None:
    """A crawl without pages has `pages: []`."""
    async with a_runner(tmp_path) as runner:
        started = await call(runner, tasks.oc_task_start, {"kind": "pages"})
        await runner.wait(started["task_id"], 5)
        got = await call(
            runner, tasks.oc_task_get, {"task_id": started["task_id"], "include_result": True}
        )
        assert got["result"] == {"summary": {"n": 0}, "pages": []}


@pytest.mark.parametrize(
    ("params", "count"),
    [
        ({"status": "COMPLETED"}, 1),
        ({"status": ["FAILED", "CANCELLED"]}, 0),
        ({"kind": "pages"}, 1),
        ({"kind": ["stuck"]}, 0),
        ({"since": "2020-01-01T00:00:00Z"}, 1),
        ({"since": "2999-01-01T00:00:00+02:00"}, 0),
        ({"since": 0}, 1),
        ({"since": "99999999999999"}, 0),
    ],
    ids=str,
)
async def test_lists_are_filtered(tmp_path: Path, params: dict[str, Any], count: int) -> None:
    """By status and kind, one or several, and by a time in either form."""
    async with a_runner(tmp_path) as runner:
        started = await call(runner, tasks.oc_task_start, {"kind": "pages"})
        await runner.wait(started["task_id"], 5)
        assert (await call(runner, tasks.oc_task_list, params))["count"] == count


@pytest.mark.parametrize(
    "params",
    [{"status": "DONE"}, {"status": ["DONE"]}, {"limit": 0}, {"limit": 1001}, {"since": "soon"}],
    ids=str,
)
async def test_bad_filters_are_refused(tmp_path: Path, params: dict[str, Any]) -> None:
    """invalid_argument names the parameter."""
    async with a_runner(tmp_path) as runner:
        with pytest.raises(OcdError) as caught:
            await call(runner, tasks.oc_task_list, params)
        assert caught.value.code == "invalid_argument"
        assert next(iter(params)) in caught.value.message


async def test_broken_tasks_are_counted(tmp_path: Path) -> None:
    """`unreadable` is in the list only if there are some; each is an error when it is read."""
    (tmp_path / ("a" * 16)).mkdir()
    (tmp_path / ("a" * 16) / "meta.json").write_text("{")
    async with a_runner(tmp_path) as runner:
        listed = await call(runner, tasks.oc_task_list, {})
        assert listed == {"tasks": [], "count": 0, "unreadable": 1}
        for task_id, code in (("a" * 16, "unreadable_file"), ("b" * 16, "task_not_found")):
            for verb in (tasks.oc_task_get, tasks.oc_task_cancel, tasks.oc_task_wait):
                with pytest.raises(OcdError) as caught:
                    await call(runner, verb, {"task_id": task_id})
                assert caught.value.code == code
