"""The verb that runs a stored or given sequence of calls: execute_plan."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Required, TypedDict

import msgspec
from msgspec import Meta, field

from ocd.api.errors import OcdError
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.payload import Rows
from ocd.verb_api.declaration import PAYLOAD, Output, Params, task_verb
from ocd.workflows.plan_runner import Planner
from ocd.workflows.plan_schema import plan_of


class ExecutePlan(Params):
    """Run a plan: a sequence of tool calls with parameters, retries and recovery

    plan: {"parameters": {name: {default?}}, "steps": [{"tool", "args", "timeout_ms"?, "retries"?,
    "parse_result"?: {"extract_field"?, "store_as"?}}], "error_handlers"?: [{"condition":
    "step2_error"|"step2_empty_result"|"any_error", "action": "continue"|"retry"|"stop", "steps"}],
    "success_criteria"?: {"min_data_items"?, "required_fields"?, "contract"?}}. ${name} in args is
    a parameter, or a value that a step stored. oc_recording_export creates plans.
    """

    plan: Annotated[
        dict[str, Any] | list[Any] | None, Meta(description="See above", extra=PAYLOAD)
    ] = None
    plan_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=20_000)] | None,
        Meta(description="Id of a stored plan, instead of plan"),
    ] = None
    params: Annotated[
        dict[str, Any], Meta(description="Values of the plan's parameters", extra=PAYLOAD)
    ] = field(default_factory=dict)
    tab_id: Annotated[str | None, Meta(description="Tab for steps that name none")] = None
    save_as: Annotated[
        Annotated[str, Meta(min_length=1, max_length=20_000)] | None,
        Meta(description="Store the plan under this id first"),
    ] = None
    dry_run: Annotated[bool, Meta(description="Only check (and store) the plan")] = False

    def __post_init__(self) -> None:
        if self.plan is not None and self.plan_id is not None:
            raise OcdError(
                "source_conflict", "execute_plan was given both 'plan' and 'plan_id'",
                hint="Pass one of plan, plan_path and plan_id.", parameter="plan",
            )  # fmt: skip
        if self.plan is None and (self.plan_id is None or self.save_as is not None):
            raise OcdError(
                "source_missing", "execute_plan needs 'plan', 'plan_path' or 'plan_id'",
                hint="save_as needs plan or plan_path.", parameter="plan",
            )  # fmt: skip
        if self.plan is not None:
            plan_of(self.plan)


def recover(meta: Mapping[str, Any], steps: Rows) -> dict[str, Any]:
    """Return the result of an unfinished plan; `steps` holds the finished ones."""
    return {"status": "FAILED", "steps_executed": sum(1 for _ in steps)}


class PlanStepReport(TypedDict, total=False):
    """One step of the plan."""

    order: Required[int]
    tool: Required[str]
    name: str
    ok: bool
    attempts: int
    result: Any
    empty: bool
    stored_as: str
    result_bytes_not_stored: int
    error: dict[str, Any]
    handled_by: Annotated[str, Meta(description="The condition of its error handler")]
    recovered: bool
    duration_ms: int


class ExecutePlanResult(TypedDict, total=False):
    """The result of the plan."""

    status: Required[Annotated[str, Meta(description="SUCCESS, CANCELLED, or CHECKED (dry_run)")]]
    steps: Required[list[PlanStepReport]]
    steps_executed: int
    total_steps: int
    duration_ms: int
    data: Annotated[dict[str, Any], Meta(description="What the steps have stored, by name")]
    plan_id: str
    plan_path: str
    parameters: dict[str, Any]


@task_verb(
    "execute_plan", ExecutePlan, needs=Planner,
    returns=ExecutePlanResult,
    capability="workflow", tier=3, large=True,
    items=("steps",), recover=recover, page_keys=("data", "result"),
    example={"plan": {"steps": [{"tool": "navigate", "args": {"url": "https://example.com"}}]}},
)  # fmt: skip
async def execute_plan(planner: Planner, work: TaskHandle, params: ExecutePlan) -> Output:
    raw: Any = params.plan
    if params.plan_id is not None:
        raw = await asyncio.to_thread(planner.store.load, params.plan_id)
    plan = plan_of(raw)
    identity = {"plan_id": params.plan_id} if params.plan_id is not None else {}
    if params.dry_run:
        planner.check(plan, {**plan.parameters, **params.params})
    if params.save_as is not None:
        plan_object: dict[str, Any] = {"steps": raw} if isinstance(raw, list) else raw
        path = await asyncio.to_thread(planner.store.save, params.save_as, plan_object)
        identity = {"plan_id": params.save_as, "plan_path": str(path)}
    if params.dry_run:
        steps = [{"order": step.order, "tool": step.tool} for step in plan.steps]
        checked = {"status": "CHECKED", "total_steps": len(steps), "steps": steps}
        parameters = msgspec.to_builtins(plan.parameters)
        return Output(data={**identity, **checked, "parameters": parameters})
    return Output(data={**identity, **await planner.run(work, plan, params.params, params.tab_id)})
