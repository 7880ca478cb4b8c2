"""Skills: recorded actions are replayed on a page that has changed, and judged."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.recorded import recorded, site_messages
from support.site import Site
from support.waiting import wait_until
from support.wire import Reply

pytestmark = pytest.mark.usefixtures("headless_shell")

WORD = "sesame-opens-4711"
THANKS = {"kind": "dom_text", "selector": "output", "contains": "Thank you, Kim"}
MORE = {"and": [{"kind": "url", "pattern": "more.html$"}, {"kind": "no_dialog"}]}


class Shelf:
    """The shelf of fixtures/site/skills in a session of its own, and skills about it."""

    def __init__(self, daemon: Daemon, site: Site) -> None:
        self.daemon, self.site, self.failed = daemon, site, 0
        self.turn("shelf")

    def turn(self, look: str) -> None:
        self.daemon.do("navigate", "other", url=self.site.url(f"skills/turn/{look}"))
        self.site.forget()

    def go(self) -> None:
        self.daemon.do("navigate", url=self.site.url("skills/shelf"))

    def keep(self, name: str, **params: object) -> dict[str, Any]:
        found: dict[str, Any] = self.daemon.do(
            "oc_skill_record", domain="shelf", name=name, **params
        )
        return found

    def fail(self, **params: object) -> Reply:
        """Replay what cannot succeed: a machine that stood still until the end gets more time."""
        for limit in (300, 6000, 60_000):
            reply = self.daemon.call("oc_skill_replay", step_timeout_ms=limit, **params)
            self.failed += 1
            if reply.error["error"]["code"] != "timeout":
                break
        return reply

    def replay(self, **params: object) -> dict[str, Any]:
        found: dict[str, Any] = self.daemon.do("oc_skill_replay", **params)
        return found


@pytest.fixture
def shelf(share_daemon: Callable[..., Daemon], site: Site) -> Shelf:
    return Shelf(share_daemon(), site)


def click(query: str) -> dict[str, Any]:
    return {"verb": "interact", "params": {"query": query}}


def test_recent_actions_are_replayed_on_a_changed_page(shelf: Shelf) -> None:
    """Elements named by ref and selector are found by role and name; the verdict is the same."""
    shelf.go()
    shelf.daemon.do("form_input", selector="#n", value="Kim")
    shelf.daemon.call("interact", query="no such thing")
    shelf.daemon.do("interact", selector="#b1")
    ref = shelf.daemon.do("find", query="Place order button")["refs"][0]
    shelf.daemon.do("interact", ref=ref)
    kept = shelf.keep("order", last_actions=5, contract=THANKS)
    assert kept["recorded_verdict"] == "pass"
    assert [step["verb"] for step in kept["steps"]] == [
        "navigate", "form_input", "interact", "find", "interact",
    ]  # fmt: skip
    shelf.turn("moved")
    done = shelf.replay(skill_id=kept["skill_id"])
    wait_until(
        lambda: site_messages(shelf.site) == ["removed Kettle", "ordered Kim 0"],
        what="the page's messages",
    )
    assert (done["verdict"], done["completed"], done["matches_recording"]) == ("pass", True, True)
    assert [step["step"] for step in done["steps"]] == [1, 2, 3, 4, 5]
    assert done["replays"]["passes"] == 1


@pytest.mark.parametrize("target", ["#b1", "#ok"])
def test_a_missing_target_fails_its_step(shelf: Shelf, target: str) -> None:
    """A row and a button: nothing else is clicked instead; the step is named, evidence attached."""
    shelf.go()
    shelf.daemon.do("interact", selector=target)
    shelf.daemon.do("interact", query="More information")
    kept = shelf.keep("gone", last_actions=3, contract=MORE)
    shelf.turn("gone")
    failed = shelf.fail(skill_id=kept["skill_id"]).error
    assert failed["code"] == "step_failed"
    assert failed["step"]["step"] == 2
    assert failed["step"]["description"] == kept["steps"][1]["description"]
    assert failed["error"]["code"] == "element_not_found"
    assert failed["verdict"] == "fail"
    assert failed["replays"]["broken"] == shelf.failed
    assert [step["step"] for step in failed["steps"]] == [1]
    assert site_messages(shelf.site) == []
    evidence = failed["evidence"]
    assert {"dom", "screenshot"} <= set(evidence["parts"])
    empty = {"kind": "dom_text", "contains": "Teapot"}
    judged = shelf.daemon.do("oc_assert", contract=empty, evidence=evidence["bundle_id"])
    assert judged["verdict"] == "pass"


@pytest.mark.parametrize(("look", "deleted"), [
    ("number", []), ("date", []), ("name", []), ("message", ["Order 17"]),
])  # fmt: skip
def test_a_similar_row_is_not_taken_for_the_recorded_one(
    shelf: Shelf, look: str, deleted: list[str]
) -> None:
    """Another number, date or name is another row; a message that appeared is not."""
    shelf.daemon.do("navigate", url=shelf.site.url("skills/orders"))
    query = 'button "Delete" in: Order 17 from Kim, 2026-03-01, paid'
    shelf.daemon.do("interact", query=query)
    kept = shelf.keep("delete", last_actions=2)
    shelf.turn(look)
    if deleted:
        shelf.replay(skill_id=kept["skill_id"], step_timeout_ms=60_000)
    else:
        done = shelf.fail(skill_id=kept["skill_id"])
        assert (done.code, done.error["step"]["step"]) == ("step_failed", 2)
        assert done.error["error"]["code"] == "element_not_found"
        # As an exported plan says it.
        again = shelf.daemon.call("interact", query=query.replace(" in: ", " in row: "))
        assert again.code == "element_not_found"
    wait_until(lambda: site_messages(shelf.site) == deleted, what="the page's messages")


def test_handwritten_steps_learn_their_elements(shelf: Shelf) -> None:
    """A selector that was never used is replaced by what it matched in the first replay."""
    steps = [
        {"verb": "navigate", "params": {"url": shelf.site.url("skills/shelf")}},
        {"tool": "read_page"},
        {"tool": "interact", "args": {"selector": "#more"}, "description": "read on"},
    ]
    kept = shelf.keep("read", steps=steps, contract=MORE, description="what a kettle does")
    assert kept["recorded_verdict"] is None
    assert shelf.replay(name="read")["verdict"] == "pass"
    shelf.turn("moved")
    done = shelf.replay(name="read", domain="SHELF")
    assert (done["verdict"], done["replays"]["passes"]) == ("pass", 2)
    assert len(shelf.site.seen("skills/more.html")) == 1


def test_refs_in_handwritten_steps_are_resolved(shelf: Shelf) -> None:
    """One that is on the page is kept by role and name; one that is not is refused."""
    shelf.go()
    ref = shelf.daemon.do("find", query="Place order button")["refs"][0]
    go = {"verb": "navigate", "params": {"url": shelf.site.url("skills/shelf")}}
    fill = {"verb": "form_input", "params": {"query": "Full name", "value": "Kim"}}
    press = {"verb": "interact", "params": {"ref": ref}}
    kept = shelf.keep("refs", steps=[go, fill, press], contract=json.dumps(THANKS))
    shelf.turn("moved")
    assert shelf.replay(skill_id=kept["skill_id"])["verdict"] == "pass"
    press["params"]["ref"] = "e9999"
    refused = shelf.daemon.call("oc_skill_record", domain="d", name="n", steps=[go, press])
    assert (refused.code, refused.error["step"]) == ("invalid_argument", 2)


def test_a_recording_becomes_a_skill_and_its_secrets_parameters(shelf: Shelf) -> None:
    """The typed password becomes a required parameter, and is stored nowhere."""
    with recorded(shelf.daemon, name="an order"):
        shelf.go()
        shelf.daemon.do("form_input", query="Full name", value="Kim")
        shelf.daemon.do("form_input", selector="#w", value=WORD)
        shelf.daemon.do("interact", query="Place order")
    kept = shelf.keep("log in", recording_id="an order", contract=THANKS)
    assert list(kept["parameters"]) == ["secret_1"]
    shelf.turn("moved")
    missing = shelf.daemon.call("oc_skill_replay", skill_id=kept["skill_id"])
    assert (missing.code, list(missing.error["missing"])) == ("invalid_argument", ["secret_1"])
    done = shelf.replay(skill_id=kept["skill_id"], parameters={"secret_1": WORD})
    assert done["verdict"] == "pass"
    wait_until(
        lambda: site_messages(shelf.site) == [f"ordered Kim {len(WORD)}"],
        what="the page's messages",
    )
    for folder in ("skills", "journal", "recordings"):
        for path in (shelf.daemon.home.path / folder).rglob("*.json*"):
            assert WORD not in path.read_text()


def test_several_tabs_are_distinguished(shelf: Shelf) -> None:
    """Actions of one tab are replayed in the tab that takes its place, whatever its id."""
    first = shelf.daemon.new_tab(shelf.site.url("skills/shelf"))
    second = shelf.daemon.new_tab(shelf.site.url("skills/more.html"))
    shelf.daemon.do("form_input", tab_id=first, query="Full name", value="Kim")
    shelf.daemon.do("navigate", tab_id=second, url=shelf.site.url("article.html"))
    shelf.daemon.do("interact", tab_id=first, query="Place order")
    shelf.daemon.do("tabs_close", tab_id=second)
    kept = shelf.keep("two tabs", last_actions=6, contract=THANKS)
    shelf.turn("moved")
    done = shelf.replay(skill_id=kept["skill_id"], contract_wait_ms=60_000)
    wait_until(lambda: site_messages(shelf.site) == ["ordered Kim 0"], what="the page's messages")
    left = [tab["url"] for tab in shelf.daemon.do("tabs_context")["tabs"]]
    assert left == [shelf.site.url("skills/shelf")] * 2
    assert done["verdict"] == "pass"


def test_secret_placeholders_are_filled_in_at_replay(
    make_daemon: Callable[..., Daemon], site: Site, tmp_path: Path
) -> None:
    """The skill has `${SECRET:NAME}`; no value is stored or requested."""
    secrets = tmp_path / "secrets"
    secrets.write_text(f"SHELF_WORD={WORD}\n")
    shelf = Shelf(make_daemon("--secrets", str(secrets)), site)
    shelf.go()
    shelf.daemon.do("form_input", query="Password", value="${SECRET:SHELF_WORD}")
    shelf.daemon.do("interact", query="Place order")
    kept = shelf.keep("log in", last_actions=3, contract={"kind": "no_dialog"})
    assert kept["parameters"] == {}
    shelf.turn("moved")
    assert shelf.replay(skill_id=kept["skill_id"])["verdict"] == "pass"
    wait_until(
        lambda: site_messages(site) == [f"ordered  {len(WORD)}"],
        what="the page's messages",
    )
    stored = (shelf.daemon.home.path / "skills" / "skills.jsonl").read_text()
    assert WORD not in stored
    assert "${SECRET:SHELF_WORD}" in stored


def test_a_failed_contract_is_the_verdict(shelf: Shelf) -> None:
    """The steps succeed, the verdict is fail, with the failed assertions and evidence."""
    go = {"verb": "navigate", "params": {"url": shelf.site.url("skills/shelf")}}
    kept = shelf.keep("wrong", steps=[go], contract=THANKS)
    done = shelf.replay(skill_id=kept["skill_id"], contract_wait_ms=100)
    assert (done["completed"], done["verdict"], done["replays"]["fails"]) == (True, "fail", 1)
    assert done["failed_assertions"]
    assert done["evidence"]["bundle_id"]
    assert "warning" not in kept
    none = shelf.keep("unbound", steps=[go], contract_id="nobody's")
    assert "nobody's" in none["warning"]
    assert shelf.replay(skill_id=none["skill_id"])["verdict"] == "inconclusive"


def test_recall_ranks_by_replay_results(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """Passes first; three failures in a row are held back, and counted as hidden."""
    shelf = Shelf(make_daemon(), site)
    go = {"verb": "navigate", "params": {"url": shelf.site.url("skills/shelf")}}
    there = {"kind": "dom_text", "contains": "Teapot"}
    for name in ("bad", "good", "new"):
        kept = shelf.keep(
            name, steps=[go], contract=there if name == "good" else THANKS, contract_id=name,
            description=f"look at the shelf, the {name} way",
        )  # fmt: skip
        for _ in range({"bad": 3, "good": 1, "new": 0}[name]):
            shelf.replay(skill_id=kept["skill_id"], contract_wait_ms=0)

    def names(**params: object) -> list[str]:
        found = shelf.daemon.do("oc_skill_recall", **params)
        assert found["count"] == len(found["skills"])
        return [skill["name"] for skill in found["skills"]]

    assert names(domain="shelf") == names(query="the shelf") == ["good", "new"]
    assert names(domain="shelf", include_quarantined=True) == ["good", "new", "bad"]
    assert names(domain="shelf", include_unpromoted=False) == ["good"]
    assert names(task="shelf", contract_id="new", limit=1) == ["good"]
    assert names(query="new way")[0] == "new"
    assert names(domain="elsewhere") == names(query="teaspoon") == []
    assert shelf.daemon.do("oc_skill_recall")["hidden"] == 1
    shelf.daemon.kill9().start()
    assert names(domain="shelf") == ["good", "new"]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "invalid_argument"),
        ({"steps": [], "last_actions": 1}, "invalid_argument"),
        ({"steps": []}, "invalid_argument"),
        ({"steps": [{"params": {}}]}, "invalid_argument"),
        ({"steps": [{"verb": "navigat", "params": {}}]}, "unknown_verb"),
        ({"steps": [{"verb": "navigate", "params": {"adress": "x"}}]}, "invalid_argument"),
        ({"steps": [click("x")], "contract": {"kind": "nonsense"}}, "invalid_argument"),
        ({"recording_id": "none"}, "recording_not_found"),
    ],
)
def test_invalid_skills_are_refused(daemon: Daemon, params: dict[str, object], code: str) -> None:
    """Before anything is kept, with the code that says why."""
    assert daemon.call("oc_skill_record", domain="d", name="refused", **params).code == code
    assert daemon.call("oc_skill_replay", name="refused", domain="d").code == "not_found"


def test_any_name_is_a_separate_skill(daemon: Daemon) -> None:
    """Korean, emoji, dots, ten kilobytes; only an empty name is refused."""
    names = ["with spaces", "한국어", "🧭", "..", "../../x", "y" * 10_000]
    for name in names:
        daemon.do("oc_skill_record", domain=name, name=name, steps=[click(name[:50])])
    for name in names:
        (found,) = daemon.do("oc_skill_recall", domain=name)["skills"]
        assert found["name"] == name
    empty = daemon.call("oc_skill_record", domain="d", name="", steps=[click("x")])
    assert empty.code == "invalid_argument"
