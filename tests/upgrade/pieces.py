"""What is written and read: one piece for each kind of file that a home has."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from support.daemon import Daemon
from support.site import Site
from support.waiting import LEAST_S, wait_until
from support.web_graph import WebGraph, web_graph
from support.webhook_receiver import WebhookReceiver

_NEW = ("unknown_verb", "invalid_argument")
_CRAWL = {"engine": "static", "max_depth": 50}


class NotThereYetError(Exception):
    """The older release has no such verb or parameter."""


@dataclass
class World:
    """The daemon (first the older one, then ours) and the sites that it reads."""

    stack: ExitStack
    site: Site
    daemon: Daemon
    hook: WebhookReceiver
    graphs: list[WebGraph] = field(default_factory=list)

    def graph(self) -> WebGraph:
        """Return a site of its own for a crawl."""
        graph = self.stack.enter_context(web_graph(60))
        self.graphs.append(graph)
        return graph

    def ended(self) -> None:
        """Let the sites answer again, now that the older daemon has been killed."""
        self.hook.accepts = True
        for graph in self.graphs:
            graph.gate.set()

    def do(self, verb: str, **params: Any) -> Any:
        """Call a verb of the older release; NotThereYetError if it has none such."""
        reply = self.daemon.call(verb, **params)
        if reply.status != 200 and reply.code in _NEW:
            raise NotThereYetError(reply.error["message"])
        return reply.result

    def go_on(self, verb: str, **params: Any) -> Any:
        """Call a verb of ours on what there is; NotThereYetError if it says that it is too old."""
        reply = self.daemon.call(verb, **params)
        if reply.status != 200 and "by a version" in reply.error["message"]:
            raise NotThereYetError(reply.error["message"])
        return reply.result

    def start(self, kind: str, **args: Any) -> str:
        """Start a task of the older release."""
        task_id: str = self.do("oc_task_start", kind=kind, args=args)["task_id"]
        return task_id


@dataclass(frozen=True)
class Piece:
    """One kind of state: how the older release writes it, and what this one must find."""

    name: str
    write: Callable[[World], Any]
    read: Callable[[World, Any], None]


def _urls(world: World, task_id: str) -> list[str]:
    return [page["url"] for page in world.daemon.result_of(task_id)["pages"]]


# --- crawls -------------------------------------------------------------------------------------


def _finished(world: World, **args: Any) -> tuple[WebGraph, str]:
    graph = world.graph()
    task_id = world.start("crawl", url=f"{graph.url}/p/0", **_CRAWL, **args)
    meta = world.daemon.finish(task_id)
    assert meta["status"] == "COMPLETED", meta
    return graph, task_id


def _whole(world: World) -> Any:
    return _finished(world, max_pages=1000)


def _read_whole(world: World, written: Any) -> None:
    """Pages of an old crawl are read and exported; later crawls are compared with a younger one."""
    graph, task_id = written
    assert len(_urls(world, task_id)) >= graph.count
    folder = world.daemon.home.base / "tmp" / "exported"
    done = world.daemon.do("oc_task_export", task_id=task_id, format="markdown", path=str(folder))
    assert done["pages"] >= graph.count, done
    compared = world.go_on(
        "crawl", url=f"{graph.url}/p/0", max_pages=1000, compare_to=task_id, **_CRAWL
    )
    assert {page["url"] for page in compared["pages"]} == set(_urls(world, task_id))
    counts = compared["summary"]["compared"]
    assert not counts["changed"] + counts["new"] + counts["gone"], counts


def _limited(world: World) -> Any:
    graph, task_id = _finished(world, max_pages=10)
    return graph, task_id, dict(graph.seen)


def _read_limited(world: World, written: Any) -> None:
    graph, task_id, asked = written
    _resumes(world, graph, task_id, asked)


def _killed(world: World) -> Any:
    graph = world.graph()
    graph.free = 20
    task_id = world.start("crawl", url=f"{graph.url}/p/0", max_pages=1000, **_CRAWL)
    wait_until(
        lambda: (
            sum(graph.seen.values()) >= graph.free
            and world.daemon.task(task_id)["progress"]["done"] >= 5
        ),
        what="pages of a crawl that runs",
    )
    return graph, task_id


def _read_killed(world: World, written: Any) -> None:
    graph, task_id = written
    assert world.daemon.task(task_id)["error"]["code"] == "orphaned"
    _resumes(world, graph, task_id, {})


def _resumes(world: World, graph: WebGraph, task_id: str, asked: dict[str, int]) -> None:
    """Look that the crawl goes on to its end, and asks for no finished page again."""
    finished = set(_urls(world, task_id))
    before = dict(graph.seen)
    new_id = world.go_on("oc_task_resume", task_id=task_id, max_pages=1000)["task_id"]
    meta = world.daemon.finish(new_id)
    assert meta["status"] == "COMPLETED", meta
    urls = _urls(world, new_id)
    assert len(urls) == len(set(urls))
    assert finished <= set(urls)
    assert {f"{graph.url}/p/{number}" for number in range(graph.count)} <= set(urls)
    again = [path for path in before if graph.seen[path] > before[path]]
    assert not finished & {graph.url + path for path in again}, again


def _with_answers(world: World) -> Any:
    return _finished(world, max_pages=10, keep=["raw"])


def _read_with_answers(world: World, written: Any) -> None:
    _, task_id = written
    path = world.daemon.home.base / "tmp" / "crawl.warc.gz"
    world.daemon.do("oc_task_export", task_id=task_id, format="warc", path=str(path))
    assert path.stat().st_size > 1000


def _cached(world: World) -> Any:
    return _finished(world, max_pages=3, cache=True)


def _read_cached(world: World, written: Any) -> None:
    """Pages have an ETag: none of their bytes are sent again."""
    graph, task_id = written
    sent = graph.sent_bytes
    again = world.daemon.do("crawl", url=f"{graph.url}/p/0", max_pages=3, cache=True, **_CRAWL)
    assert {page["url"] for page in again["pages"]} == set(_urls(world, task_id))
    assert graph.sent_bytes == sent, graph.sent_bytes - sent


def _untold(world: World) -> Any:
    return _finished(world, max_pages=3, webhook=world.hook.url)[1]


def _read_untold(world: World, task_id: Any) -> None:
    assert task_id.encode() in world.hook.bodies.get(timeout=LEAST_S)


def _sitemap(world: World) -> Any:
    task_id = world.start("crawl_sitemap", url=world.site.origin, max_pages=2)
    return task_id, world.daemon.finish(task_id)["status"]


def _read_sitemap(world: World, written: Any) -> None:
    task_id, status = written
    assert world.daemon.task(task_id)["status"] == status
    assert _urls(world, task_id)


# --- other tasks, handles -----------------------------------------------------------------------


def _batch(world: World) -> Any:
    tasks = [{"url": world.site.url("article.html"), "script": "document.title"}]
    task_id = world.start("batch_execute", tasks=tasks)
    world.daemon.finish(task_id)
    return task_id


def _read_batch(world: World, task_id: Any) -> None:
    (found,) = world.daemon.result_of(task_id)["results"]
    assert found["data"] == "The lighthouse"


def _handle(world: World) -> Any:
    graph = world.graph()
    made = world.do("crawl", url=f"{graph.url}/p/0", max_pages=5, output_mode="handle", **_CRAWL)
    return made["output_handle"]


def _read_handle(world: World, handle: Any) -> None:
    page = world.daemon.do("oc_output_fetch", output_handle=handle, format="items")
    assert (page["total"], len(page["content"])) == (5, 5)
    found = world.daemon.do("oc_output_search", output_handle=handle, pattern="Page [0-9]")
    assert found["matches"]


# --- shelves ------------------------------------------------------------------------------------


def _recording(world: World) -> Any:
    world.do("oc_recording_start", name="order")
    world.do("navigate", url=world.site.url("form.html"))
    world.do("form_input", query="Email", value="ada@example.com")
    world.do("interact", query="Create account")
    return world.do("oc_recording_stop")["recording_id"]


def _read_recording(world: World, recording_id: Any) -> None:
    for form in ("python_playwright", "html", "plan"):
        world.daemon.do("oc_recording_export", recording_id=recording_id, format=form)
    listed = world.daemon.do("oc_recording_list")["recordings"]
    assert recording_id in [one["recording_id"] for one in listed]


def _skill(world: World) -> Any:
    world.do("navigate", url=world.site.url("records/shop.html"))
    world.do("form_input", query="Full name", value="Ada")
    world.do("interact", query="Place order")
    return world.do("oc_skill_record", domain="shop", name="order", last_actions=3)["skill_id"]


def _read_skill(world: World, skill_id: Any) -> None:
    recalled = world.daemon.do("oc_skill_recall", query="order")["skills"]
    assert skill_id in [one["skill_id"] for one in recalled]
    done = world.daemon.do("oc_skill_replay", skill_id=skill_id)
    assert done["verdict"] in ("pass", "inconclusive"), done


def _evidence(world: World) -> Any:
    world.do("navigate", url=world.site.url("article.html"))
    return world.do("oc_evidence_bundle")["bundle_id"]


def _read_evidence(world: World, bundle: Any) -> None:
    assert world.daemon.do("oc_diff", a=bundle, b=bundle)["same"] is True
    contract = {"kind": "dom_text", "contains": "Cape Ambler"}
    assert world.daemon.do("oc_assert", contract=contract, evidence=bundle)["verdict"] == "pass"


def _notes(world: World) -> Any:
    world.do("memory", action="record", domain="example.com", key="tip:login", value="twice")
    world.do("oc_checkpoint", action="save", name="half-way", pending_steps=["pay"])
    return world.do(
        "oc_session_snapshot", objective="Order the book", current_step="Pay", next_actions=["wait"]
    )["snapshot_id"]


def _read_notes(world: World, snapshot: Any) -> None:
    (note,) = world.daemon.do("memory", action="query", domain="example.com")["entries"]
    assert note["value"] == "twice"
    loaded = world.daemon.do("oc_checkpoint", action="load", name="half-way")
    assert loaded["pending_steps"] == ["pay"]
    resumed = world.daemon.do("oc_session_resume", snapshot_id=snapshot)
    assert "Order the book" in resumed["guide"]


def _workflow(world: World) -> Any:
    workers = [{"name": "a", "task": "Note the price"}, {"name": "b", "task": "Wait"}]
    made = world.do("workflow_init", name="prices", workers=workers)
    world.do("worker_complete", worker_name="a", status="SUCCESS", result_summary="3 prices")
    return made["workflow_id"]


def _read_workflow(world: World, workflow_id: Any) -> None:
    found = world.daemon.do("workflow_status", workflow_id=workflow_id)
    assert found["name"] == "prices"
    assert found["completed_workers"] == 1, found


def _login(world: World) -> Any:
    world.do("navigate", url=world.site.url("article.html"))
    world.do("cookies", action="set", name="session", value="4711")
    path = str(world.daemon.home.base / "tmp" / "login.json")
    world.do("oc_context_export", path=path)
    return path


def _read_login(world: World, path: Any) -> None:
    world.daemon.do("navigate", url=world.site.url("article.html"))
    world.daemon.do("cookies", action="clear")
    world.daemon.do("oc_context_import", envelope_path=path)
    found = world.daemon.do("cookies", action="get", name="session")["cookie"]
    assert found["value"] == "4711"


def _seed(world: World) -> Any:
    body = b'{"action": "add", "domain": "example.com", "seed": "JBSWY3DPEHPK3PXP"}'
    assert world.daemon.request("POST", "/v1/totp", body).status == 200


def _read_seed(world: World, _: Any) -> None:
    assert world.daemon.do("oc_totp_generate", domain="example.com")["code"].isdigit()


def _journal(world: World) -> Any:
    return len(world.do("oc_journal", action="recent", count=1000))


def _read_journal(world: World, count: Any) -> None:
    """Its last call was killed or is there as well."""
    assert len(world.daemon.do("oc_journal", action="recent", count=1000)) >= min(count, 1000)


def _running_recording(world: World) -> Any:
    made = world.do("oc_recording_start", name="unfinished")
    world.do("navigate", url=world.site.url("table.html"))
    return made["recording_id"]


PIECES = (
    Piece("crawl", _whole, _read_whole),
    Piece("crawl at its limit", _limited, _read_limited),
    Piece("crawl with answers", _with_answers, _read_with_answers),
    Piece("crawl with cache", _cached, _read_cached),
    Piece("webhook", _untold, _read_untold),
    Piece("sitemap", _sitemap, _read_sitemap),
    Piece("batch", _batch, _read_batch),
    Piece("handle", _handle, _read_handle),
    Piece("recording", _recording, _read_recording),
    Piece("skill", _skill, _read_skill),
    Piece("evidence", _evidence, _read_evidence),
    Piece("notes", _notes, _read_notes),
    Piece("workflow", _workflow, _read_workflow),
    Piece("login", _login, _read_login),
    Piece("one-time password", _seed, _read_seed),
    Piece("journal", _journal, _read_journal),
    Piece("unfinished recording", _running_recording, _read_recording),
    Piece("killed crawl", _killed, _read_killed),
)
