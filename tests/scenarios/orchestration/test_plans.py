"""execute_plan: steps, parameters, retries, recovery, and success judged by outputs alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.recorded import EVERYTHING, WORD, order, recorded, shop, site_messages
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

READ_TITLE = {
    "tool": "javascript_tool",
    "args": {"code": "({title: document.title, n: [1, 2, 3]})"},
    "parse_result": {"extract_field": "title", "store_as": "title"},
}


def goes(url: str) -> dict[str, Any]:
    return {"tool": "navigate", "args": {"url": url}}


def missing_click(**more: object) -> dict[str, Any]:
    args = {"selector": "#no-such-thing", "timeout_ms": 200}
    return {"tool": "interact", "args": args, **more}


def test_steps_run_in_order_and_share_values(daemon: Daemon, site: Site) -> None:
    """Parameters are filled in, stored values reach the next step, every call is journalled."""
    plan = {
        "name": "titles",
        "parameters": {"page": {"default": "article.html"}, "base": {}},
        "steps": [
            goes("${base}${page}"),
            READ_TITLE,
            {"verb": "javascript_tool", "arguments": {"code": "'got ' + ${title}.length"},
             "parseResult": {"format": "text", "storeAs": "said"}},
        ],
    }  # fmt: skip
    plan["steps"][2]["arguments"]["code"] = "`${1 + 1} ${title}`"
    done = daemon.do("execute_plan", plan=plan, params={"base": site.url("")})
    title = daemon.do("tabs_context")["tabs"][0]["title"]
    assert done["status"] == "SUCCESS"
    assert (done["steps_executed"], done["total_steps"]) == (3, 3)
    assert done["data"] == {"title": title, "said": f"2 {title}"}
    tools = [entry.get("tool") for entry in daemon.do("oc_journal", action="recent", count=6)]
    assert {"navigate", "javascript_tool", "execute_plan"} <= set(tools)


def test_parameters_are_checked_before_anything_runs(daemon: Daemon, site: Site) -> None:
    """A missing parameter, one that nothing uses, an unknown tool, a plan without steps."""
    plan = {"parameters": {"url": {}}, "steps": [goes("${url}")]}
    missing = daemon.call("execute_plan", plan=plan)
    assert (missing.code, missing.error["parameter"]) == ("invalid_argument", "params.url")
    url = site.url("article.html")
    unused = daemon.call("execute_plan", plan=plan, params={"url": url, "ulr": url})
    assert "Did you mean 'url'" in unused.error["hint"]
    unknown = daemon.call("execute_plan", plan={"steps": [goes(url), {"tool": "navigat"}]})
    assert "Did you mean 'navigate'" in unknown.error["hint"]
    wrong: list[Any] = [{}, {"steps": []}, {"steps": [{"tool": "find", "argz": {}}]}, {"steps": 3}]
    wrong.append({"steps": [goes(url)], "successCriteria": {"customCheck": "x"}})
    for plan in wrong:
        assert daemon.call("execute_plan", plan=plan).code == "invalid_argument", plan
    assert daemon.call("execute_plan").code == "source_missing"
    both = daemon.call("execute_plan", plan={"steps": [goes(url)]}, plan_id="x")
    assert both.code == "source_conflict"
    assert site.seen("article.html") == []


def test_failure_names_the_step_and_keeps_what_was_done(daemon: Daemon, site: Site) -> None:
    """Without a handler the first failure ends the plan, as an error, and the task as FAILED."""
    plan = {"steps": [goes(site.url("article.html")), missing_click(), READ_TITLE]}
    failed = daemon.call("execute_plan", plan=plan)
    assert failed.code == "plan_failed"
    assert failed.error["failed_step"] == {"order": 2, "tool": "interact", "name": ""}
    assert failed.error["cause"]["code"] == "element_not_found"
    task = failed.error["task_id"]
    assert daemon.task(task)["status"] == "FAILED"
    assert [step["ok"] for step in daemon.result_of(task)["steps"]] == [True, False]


def test_successful_recovery_continues_the_plan(daemon: Daemon, site: Site) -> None:
    """A handler's steps run, then the next step (continue) or the failed one again (retry)."""
    code = "document.body.innerHTML += '<button id=no-such-thing>B</button>'"
    make = {"tool": "javascript_tool", "args": {"code": code}}
    for action, ok in (("continue", False), ("retry", True)):
        handler = {"condition": "step2_error", "action": action, "steps": [make]}
        plan = {
            "steps": [goes(site.url("article.html")), missing_click(), READ_TITLE],
            "errorHandlers": [handler],
        }
        done = daemon.do("execute_plan", plan=plan)
        assert (done["status"], done["steps"][1]["recovered"]) == ("SUCCESS", True)
        assert done["steps"][1]["ok"] is ok


def test_failed_recovery_fails_the_plan(daemon: Daemon, site: Site) -> None:
    """Fault 37: a handler whose own step fails does not save the plan."""
    plan = {
        "steps": [goes(site.url("article.html")), missing_click(name="buy"), READ_TITLE],
        "error_handlers": [{"condition": "buy_error", "steps": [missing_click()]}],
    }
    failed = daemon.call("execute_plan", plan=plan)
    assert failed.code == "plan_failed"
    assert "recovery" in failed.error["message"]


def test_success_criteria_consider_outputs_only(daemon: Daemon, site: Site) -> None:
    """Fault 37: a parameter with many items satisfies no criterion; what a step stored does."""
    read = {**READ_TITLE, "parse_result": {"extract_field": "n", "store_as": "items"}}
    plan = {
        "parameters": {"many": [1, 2, 3, 4, 5]},
        "steps": [goes(site.url("article.html"))],
        "success_criteria": {"min_data_items": 3},
    }
    assert daemon.call("execute_plan", plan=plan).error["missing"] == ["3 items, found 0"]
    plan["steps"] = [goes(site.url("article.html")), read]
    assert daemon.do("execute_plan", plan=plan)["data"] == {"items": [1, 2, 3]}
    plan["success_criteria"] = {"required_fields": ["items", "price"]}
    assert daemon.call("execute_plan", plan=plan).error["missing"] == ["price"]
    for contains, code in (("Cape Ambler", None), ("no such words", "plan_failed")):
        contract = {"kind": "dom_text", "contains": contains}
        plan["success_criteria"] = {"contract": contract}
        reply = daemon.call("execute_plan", plan=plan)
        assert (reply.status == 200) if code is None else (reply.code == code)


def test_retries_are_bounded_and_counted(daemon: Daemon, site: Site) -> None:
    """A step is tried again as often as it says, unless trying again cannot help."""
    count = "window.tries = (window.tries || 0) + 1; if (window.tries < 3) throw Error('no'); 'ok'"
    step = {"tool": "javascript_tool", "args": {"code": count}, "retries": 4}
    done = daemon.do("execute_plan", plan=[goes(site.url("article.html")), step])
    assert (done["steps"][1]["attempts"], done["steps"][1]["result"]) == (3, "ok")


def test_stored_plans_are_run_by_id(daemon: Daemon, site: Site) -> None:
    """A plan given by path is stored under any name and run by it; unknown ids name the others."""
    file = daemon.home.base / "tmp" / "plan.json"
    url = site.url("article.html")
    file.write_text(json.dumps({"parameters": {"url": url}, "steps": [goes("${url}")]}))
    for name in ("my plan", "계획", "..", "../x", "x" * 10_240):
        saved = daemon.do("execute_plan", plan_path=str(file), save_as=name, dry_run=True)
        assert (saved["status"], saved["plan_id"]) == ("CHECKED", name)
        assert Path(saved["plan_path"]).parent == daemon.home.path / "plans"
        assert daemon.do("execute_plan", plan_id=name)["status"] == "SUCCESS"
    assert len(site.seen("article.html")) == 5
    unknown = daemon.call("execute_plan", plan_id="nothing")
    assert unknown.code == "plan_not_found"
    assert "my plan" in unknown.error["available_plans"]


def test_unreadable_plan_is_not_overwritten(daemon: Daemon) -> None:
    """A stored plan that cannot be read is reported with its path and not replaced."""
    path = daemon.home.path / "plans" / "broken.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("{half")
    assert daemon.call("execute_plan", plan_id="broken").code == "unreadable_file"
    again = daemon.call("execute_plan", plan={"steps": [goes("about:blank")]}, save_as="broken")
    assert (again.code, path.read_text()) == ("unreadable_file", "{half")
    path.unlink()


def test_recording_is_a_plan(daemon: Daemon, site: Site) -> None:
    """What oc_recording_export makes runs as it is; secrets that were left out are parameters."""
    with recorded(daemon) as recording_id:
        shop(daemon, site)
        order(daemon)
    plan = daemon.do("oc_recording_export", recording_id=recording_id, format="plan")
    site.forget()
    done = daemon.do("execute_plan", plan=plan, params=dict.fromkeys(plan["parameters"], WORD))
    assert done["status"] == "SUCCESS"
    wait_until(lambda: site_messages(site) == EVERYTHING, what="the page's messages")


def test_plan_is_a_task_that_can_be_cancelled(daemon: Daemon, site: Site) -> None:
    """Cancelled in the middle of a step, it ends at once and keeps the steps before."""
    wait = {"tool": "wait_for", "args": {"type": "selector", "value": "#never"}}
    plan = {"steps": [goes(site.url("article.html")), wait, READ_TITLE]}
    task = daemon.start_task("execute_plan", plan=plan)
    site.wait_for("article.html")
    meta = daemon.do("oc_task_cancel", task_id=task)["meta"]
    assert meta["status"] == "CANCELLED"
    kept = daemon.result_of(task)
    assert kept["steps_executed"] == len(kept["steps"]) <= 1


def test_steps_survive_the_death_of_the_daemon(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """After kill -9 the task is FAILED as orphaned, with the steps that were done."""
    daemon = make_daemon()
    daemon.stop()
    daemon.run_in_foreground()
    plan = {"steps": [goes(site.url("article.html")), goes(site.url("hang?gate=hang"))]}
    task = daemon.start_task("execute_plan", plan=plan)
    site.wait_for("hang")
    daemon.kill9()
    daemon.run_in_foreground()
    assert daemon.task(task)["error"]["code"] == "orphaned"
    kept = daemon.result_of(task)
    assert (kept["steps_executed"], kept["steps"][0]["tool"]) == (1, "navigate")


def test_nested_plans_are_bounded(daemon: Daemon) -> None:
    """A plan that starts itself ends with limit_reached."""
    me = {"tool": "execute_plan", "args": {"plan_id": "myself"}}
    failed = daemon.call("execute_plan", plan={"steps": [me]}, save_as="myself")
    assert failed.code == "plan_failed"
    assert "limit_reached" in json.dumps(failed.error)


@pytest.mark.parametrize("filters", [("--disable-tools", "recording")])
def test_steps_obey_the_capability_filter(
    make_daemon: Callable[..., Daemon], filters: tuple[str, ...]
) -> None:
    """A step of a group that is off fails with CAPABILITY_DISABLED, tried once."""
    daemon = make_daemon(*filters)
    step = {"tool": "oc_recording_list", "retries": 3}
    failed = daemon.call("execute_plan", plan={"steps": [step]})
    assert failed.error["cause"]["code"] == "CAPABILITY_DISABLED"
