"""oc_ask_human: an agent waits until a person has done what it asks for."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")
SESSION = "asks"


def waiting(daemon: Daemon) -> list[dict[str, Any]]:
    found = daemon.oc("approvals", "--json").ok().json["result"]["approvals"]
    return [one for one in found if one["session"] == SESSION]


def question(daemon: Daemon) -> dict[str, Any]:
    (one,) = wait_until(lambda: waiting(daemon), what="the question")
    assert one["kind"] == "person"
    return one


def test_an_agent_waits_for_a_person(share_daemon: Callable[..., Daemon], site: Site) -> None:
    """In the queue, or by giving the tab back; the answer says what has changed on the page."""
    daemon = share_daemon()
    tab = daemon.do("navigate", session=SESSION, url=site.url("injection/form.html"))["tab_id"]
    asked = daemon.start_call("oc_ask_human", session=SESSION, reason="Type the code")
    one = question(daemon)
    assert (one["asks"], one["tab_id"]) == ("Type the code", tab)
    daemon.do("form_input", session=SESSION, query="Message", value="1234")
    daemon.oc("approvals", "allow", one["approval"]).ok()
    result = asked.reply().result
    assert (result["done"], result["by"], result["tab_id"]) == (True, "terminal", tab)
    assert "1234" in result["change"]
    assert sum(result["changed"][kind] for kind in ("added", "changed")) >= 1

    task = daemon.do("oc_task_start", session=SESSION, kind="oc_ask_human", args={"reason": "Pay"})[
        "task_id"
    ]
    assert question(daemon)["details"] == {"task_id": task}
    body = {"action": "acquire", "session": SESSION, "holder": "Ada"}
    lease = daemon.request("POST", "/v1/leases", json.dumps(body).encode()).result["lease"]
    body = {"action": "release", "key": lease["key"]}
    assert daemon.request("POST", "/v1/leases", json.dumps(body).encode()).status == 200
    assert daemon.finish(task)["status"] == "COMPLETED"
    assert daemon.result_of(task)["by"] == "Ada"

    asking = daemon.home.spawn("oc", "ask", "Sign it", "--session", SESSION)
    one = question(daemon)
    daemon.oc("approvals", "deny", one["approval"]).ok()
    _, said = asking.communicate()
    assert asking.returncode == 1
    assert f"oc approvals allow {one['approval']}" in said
    assert "declined: Sign it" in said


def test_a_cancelled_task_withdraws_its_question(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Once the task is cancelled, nobody is asked any more."""
    daemon = share_daemon()
    daemon.do("navigate", session=SESSION, url=site.url("injection/form.html"))
    start = {"kind": "oc_ask_human", "args": {"reason": "Never mind"}}
    cancelled = daemon.do("oc_task_start", session=SESSION, **start)["task_id"]
    assert question(daemon)["asks"] == "Never mind"
    daemon.do("oc_task_cancel", task_id=cancelled)
    assert waiting(daemon) == []
    meta = daemon.finish(cancelled)
    assert (meta["status"], meta["error"]) == ("CANCELLED", None)
