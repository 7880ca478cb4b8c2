"""Running a plan: its steps are nested calls, in order, with retries and recovery."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.tool_calls import tool_call
from ocd.ledger.cancellation import TaskStopped, stoppable
from ocd.ledger.task_handle import TaskHandle
from ocd.verb_api.nested_calls import NestedCalls, NestedReply
from ocd.workflows.plan_schema import (
    ErrorHandler,
    Plan,
    PlanStep,
    ResultParsing,
    check_params,
    get_at_path,
    substitute,
    unmet_criteria,
)
from ocd.workflows.plan_store import PlanStore

Entry = Mapping[str, Any]
# A result whose JSON is longer is left out of its step; plans that need it store it.
MAX_RESULT_BYTES = 4000
_NOT_RETRIED = frozenset(
    {"invalid_argument", "unknown_verb", "CAPABILITY_DISABLED", "domain_blocked", "limit_reached",
     "shutting_down", "exfiltration_denied", "consent_needed", "invalid_url"}
)  # fmt: skip
_EMPTY: tuple[object, ...] = ("", None, [], {})


@dataclass(frozen=True, slots=True)
class Planner:
    """A part: stored plans, the catalog by verb, and the nested calls that run steps."""

    store: PlanStore
    calls: NestedCalls
    entries: Mapping[str, Entry]

    def check(self, plan: Plan, values: Mapping[str, Any]) -> None:
        """Raise invalid_argument for unknown tools, and for missing and unused parameters."""
        for step in plan.all_steps():
            if step.tool not in self.entries:
                raise OcdError(
                    "invalid_argument",
                    f"execute_plan: step {step.order}: there is no tool '{step.tool[:100]}'",
                    hint=did_you_mean(
                        step.tool,
                        self.entries,
                        f"Find it: {tool_call('expand_tools', query='WORDS')}",
                    ),
                    parameter="plan",
                )
        check_params(plan, values)

    async def run(
        self, work: TaskHandle, plan: Plan, given: Mapping[str, Any], tab_id: str | None
    ) -> dict[str, Any]:
        """Run the plan and return {status, steps_executed, total_steps, duration_ms, data, steps}.

        A task that is asked to stop returns what was done. Raises plan_failed, naming the step,
        invalid_argument as `check` does.
        """
        self.check(plan, given)
        values = plan.defaults() | dict(given)
        if tab_id is not None:
            values["tab_id"] = tab_id
        declared = {*plan.parameters, *values, *plan.names_stored()}
        run = _PlanRun(self, work, plan, tab_id, values, declared)
        return await run.run_all()


@dataclass(slots=True)
class _PlanRun:
    planner: Planner
    work: TaskHandle
    plan: Plan
    tab_id: str | None
    values: dict[str, Any]
    declared: set[str]
    outputs: dict[str, Any] = field(default_factory=dict)
    done: list[dict[str, Any]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    async def run_all(self) -> dict[str, Any]:
        try:
            for step in self.plan.steps:
                if self.work.stopping:
                    break
                self.work.progress(len(self.done), len(self.plan.steps), step.tool)
                await self._step(step)
            else:
                await self._check_success()
        except TaskStopped:
            pass
        return self._report("CANCELLED" if self.work.stopping else "SUCCESS")

    def _report(self, status: str) -> dict[str, Any]:
        return {
            "status": status,
            "steps_executed": len(self.done),
            "total_steps": len(self.plan.steps),
            "duration_ms": round((time.monotonic() - self.started) * 1000),
            "data": self.outputs,
            "steps": self.done,
        }

    def _failure(self) -> dict[str, Any]:
        """Return what an error reports of the run: names, not values, which may be large."""
        summary = self._report("FAILED")
        del summary["data"], summary["steps"]
        return {**summary, "stored": sorted(self.outputs)}

    # --- one step ------------------------------------------------------------------------------

    async def _step(self, step: PlanStep) -> None:
        record: dict[str, Any] = {"order": step.order, "tool": step.tool}
        if step.name:
            record["name"] = step.name
        began = time.monotonic()
        try:
            record |= await self._with_retries(step)
            record["ok"] = True
            if record.get("empty"):
                await self._recover(step, f"step{step.order}_empty_result", record)
        except OcdError as error:
            record |= {"ok": False, "error": {"code": error.code, "message": error.message}}
            handled = await self._recover(step, f"step{step.order}_error", record)
            if not handled and step.on_error == "stop":
                self._keep(record, began)
                raise self._step_error(step, error) from None
        self._keep(record, began)

    def _keep(self, record: dict[str, Any], began: float) -> None:
        record["duration_ms"] = round((time.monotonic() - began) * 1000)
        self.done.append(record)
        self.work.add(msgspec.json.encode(record))

    async def _with_retries(self, step: PlanStep) -> dict[str, Any]:
        for attempt in range(1, step.retries + 1):
            try:
                return {"attempts": attempt, **await self._once(step)}
            except OcdError as error:
                if error.code in _NOT_RETRIED:
                    raise
        return {"attempts": step.retries + 1, **await self._once(step)}

    async def _once(self, step: PlanStep) -> dict[str, Any]:
        args = self._args(step)
        call = self.planner.calls.run(step.tool, args, session=self.work.session)
        limit = asyncio.timeout(None if step.timeout_ms is None else step.timeout_ms / 1000)
        try:
            async with limit:
                answer = await stoppable(self.work, call)
        except TimeoutError:
            message = f"{step.tool} took more than {step.timeout_ms} ms"
            raise OcdError("timeout", message, timeout_ms=step.timeout_ms) from None
        return await self._store_result(step.parse_result, answer)

    def _args(self, step: PlanStep) -> dict[str, Any]:
        args = dict(substitute(step.args, self.values, self.declared))
        takes = self.planner.entries[step.tool]["params"]["properties"]
        if self.tab_id is not None and "tab_id" in takes and not {"tab_id", "tabId"} & set(args):
            args["tab_id"] = self.tab_id
        longest = not {"timeout_ms", "timeoutMs", "timeout"} & set(args)
        if step.timeout_ms is not None and "timeout_ms" in takes and longest:
            args["timeout_ms"] = step.timeout_ms
        return args

    async def _store_result(
        self, parse: ResultParsing | None, answer: NestedReply
    ) -> dict[str, Any]:
        """Store the step's result if it says so, and return what its record shows of it."""
        data = msgspec.json.decode(await asyncio.to_thread(answer.encode))
        value = _value(parse, answer.content, data)
        summary: dict[str, Any] = {"empty": True} if value in _EMPTY else {}
        if parse and parse.store_as:
            self.values[parse.store_as] = self.outputs[parse.store_as] = value
            summary["stored_as"] = parse.store_as
        size = len(msgspec.json.encode(value))
        if size <= MAX_RESULT_BYTES:
            return {**summary, "result": value}
        return summary if "stored_as" in summary else {**summary, "result_bytes_not_stored": size}

    # --- recovery ------------------------------------------------------------------------------

    async def _recover(self, step: PlanStep, condition: str, record: dict[str, Any]) -> bool:
        """Run the handler of the condition; True if the plan continues after it.

        Raises plan_failed if the handler fails, or says stop.
        """
        handler = self._handler(step, condition)
        if handler is None:
            return False
        record["handled_by"] = handler.condition
        try:
            for inner in handler.steps:
                await self._with_retries(inner)
            if handler.action == "retry":
                record |= {"ok": True, **await self._once(step)}
        except OcdError as error:
            raise self._step_error(
                step, error, f" and its recovery ({handler.condition})"
            ) from None
        if handler.action == "stop":
            raise self._step_error(
                step, OcdError("cancelled", f"{handler.condition} requests stop")
            )
        record["recovered"] = True
        return True

    def _handler(self, step: PlanStep, condition: str) -> ErrorHandler | None:
        kind = condition.partition("_")[2]
        conditions = {condition, f"any_{kind}", condition.replace("step", "step_")}
        if step.name:
            conditions.add(f"{step.name}_{kind}")
        handlers = self.plan.error_handlers
        return next((handler for handler in handlers if handler.condition in conditions), None)

    def _step_error(self, step: PlanStep, cause: OcdError, more: str = "") -> OcdError:
        return OcdError(
            "plan_failed",
            f"Step {step.order} ({step.tool}){more} failed: {cause.message}",
            hint="Its steps: "
            + tool_call("oc_task_get", task_id=self.work.task_id, include_result=True),
            **self._failure(),
            failed_step={"order": step.order, "tool": step.tool, "name": step.name},
            cause=cause.body(),
        )

    # --- the end -------------------------------------------------------------------------------

    async def _check_success(self) -> None:
        """Raise plan_failed if the outputs or the page do not meet the success criteria."""
        criteria = self.plan.success_criteria
        missing = unmet_criteria(criteria, self.outputs)
        if criteria.contract is not None:
            there = {"tab_id": self.tab_id} if self.tab_id else {}
            args = {"contract": criteria.contract, **there}
            call = self.planner.calls.run("oc_assert", args, session=self.work.session)
            verdict = (await stoppable(self.work, call)).data["verdict"]
            missing += [] if verdict == "pass" else [f"contract: {verdict}"]
        if missing:
            raise OcdError(
                "plan_failed", f"The plan ran, but its success criteria are not met: {missing}",
                hint="They apply to stored results (parse_result.store_as).", missing=missing,
                **self._failure(),
            )  # fmt: skip


def _value(parse: ResultParsing | None, content: str | None, data: Any) -> Any:  # noqa: ANN401 - JSON
    if parse is not None and parse.format == "text":
        value: Any = content if content is not None else msgspec.json.encode(data).decode()
    else:
        value = data if content is None else _parse(content)
    if parse is None or not parse.extract_field:
        return value
    found = get_at_path(value, parse.extract_field) if isinstance(value, (dict, list)) else None
    return get_at_path(data, parse.extract_field) if found is None else found


def _parse(content: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError:
        return content
