"""Another MCP server behind ours: its tools are offered as NAME__tool, and all our rules hold."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon, Home
from support.gateways import body_of, over_http, seen, table
from support.mcp import MODERN, Bridge, Http, error_of, json_of, modern_meta, texts
from support.site import Site
from support.waiting import wait_until

Made = Callable[..., Daemon]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("upstream")


@pytest.fixture(scope="module")
def notes(folder: Path) -> Path:
    return folder / "notes.txt"


@pytest.fixture(scope="module")
def gated(notes: Path) -> Iterator[Daemon]:
    with Daemon("--http", "0", config=table(notes), NOT_DECLARED="secret") as daemon:
        daemon.do("probe__structured")  # a call waits for the server, a list not for long
        yield daemon


@pytest.fixture
def http(gated: Daemon) -> Http:
    return Http(gated)


def offered(http: Http) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool for tool in http.tools() if "__" in tool["name"]}


# --- names and lists --------------------------------------------------------------------------


def test_upstream_tools_are_offered_under_the_servers_name(http: Http) -> None:
    """Names are short and plain; two tools with the same name are refused, with the reason."""
    tools = offered(http)
    assert {"probe__echo", "probe__big", "probe__hang"} <= tools.keys()
    assert all(re.fullmatch(r"probe__[A-Za-z0-9_-]+", name) for name in tools)
    assert max(map(len, tools)) <= 40
    assert any(name.startswith("probe__a_tool_with_a_name") for name in tools)
    assert "probe__same_name" not in tools
    echo = tools["probe__echo"]
    assert echo["description"].startswith("[probe] Say it again")
    assert echo["inputSchema"]["properties"]["text"] == {"type": "string"}
    assert "outputSchema" not in echo


def test_without_upstreams_nothing_is_added(serving: Daemon) -> None:
    """A daemon without such a table offers its own tools alone."""
    http = Http(serving)
    assert offered(http) == {}
    assert error_of(http.call("probe__echo", text="x").result)["code"] == "unknown_verb"


def test_groups_and_tiers_apply_to_upstream_tools(gated: Daemon) -> None:
    """--disable-tools upstream takes them away; --tier 1 hides them until they are expanded."""
    with Bridge(gated.home, "--disable-tools", "upstream") as bridge:
        bridge.greet()
        assert not [name for name in bridge.tools() if "__" in name]
        refused = error_of(bridge.call("probe__echo", text="x"))
        assert (refused["code"], refused["capability"]) == ("CAPABILITY_DISABLED", "upstream")
    with Bridge(gated.home, "--tools-only", "upstream") as bridge:
        bridge.greet()
        assert {"probe__echo", "expand_tools"} <= set(bridge.tools())
        assert "navigate" not in bridge.tools()
    with Bridge(gated.home, "--tier", "1") as bridge:
        bridge.greet()
        assert "probe__echo" not in bridge.tools()
        found = bridge.do("expand_tools", name="probe__echo")["tools"][0]
        assert found["inputSchema"]["required"] == ["text"]
        assert "probe__echo" in bridge.tools()
        assert body_of(bridge.call("call_verb", name="probe__echo", arguments={"text": "hm"}))


# --- calls ------------------------------------------------------------------------------------


def test_upstream_calls_work_and_their_output_is_fenced(http: Http, notes: Path) -> None:
    """Its output is untrusted text, like that of a page."""
    result = http.call("probe__echo", text="안녕 <b>").result
    assert json_of(result) == {"upstream": "probe", "tool": "echo"}
    assert body_of(result) == "안녕 <b>"
    assert 'echo {"text": "\\uc548\\ub155 <b>"}' in seen(notes)


def test_only_the_declared_environment_is_passed_on(http: Http) -> None:
    """Of the daemon's environment it gets only the variables that every program needs."""
    environ = json.loads(body_of(http.call("probe__environ").result))
    assert environ["DECLARED"] == "yes"
    assert not [name for name in environ if name.startswith("OPENCHROME_")]
    harmless = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LC_CTYPE"}
    assert environ.keys() <= harmless | {"NOTES", "DECLARED"}


def test_upstream_calls_are_in_the_sessions_journal(gated: Daemon) -> None:
    """Calls are recorded with redacted arguments."""
    with Bridge(gated.home, "--session", "team") as bridge:
        bridge.greet()
        bridge.call("probe__echo", text="Authorization: Bearer abcDEF1234567890")
    entries = [one for one in gated.do("oc_journal", count=50) if one.get("session") == "team"]
    (entry,) = [one for one in entries if one["tool"] == "probe__echo"]
    assert entry["ok"]
    assert "abcDEF1234567890" not in json.dumps(entry)


def test_results_are_redacted(http: Http) -> None:
    """Tokens and named secrets are masked, whatever the size."""
    secret = "password=hunter2secret token: ghp_abcdefghij0123456789abcdefghij"
    for text in (secret, f"{'some words ' * 2700}{secret}"):
        answer = body_of(http.call("probe__echo", text=text).result)
        assert "hunter2secret" not in answer
        assert "ghp_abcdef" not in answer
        assert "[redacted]" in answer


def test_the_secrets_file_is_masked(make_daemon: Made, tmp_path: Path, folder: Path) -> None:
    """A secret of --secrets goes to a server that its table names it for, and never comes back."""
    (tmp_path / "secrets").write_text("KEY=correct-horse-battery\n")
    config = table(folder / "masked.txt").replace("'yes'", "'${SECRET:KEY}'")
    daemon = make_daemon("--http", "0", "--secrets", str(tmp_path / "secrets"), config=config)
    http = Http(daemon)
    assert "${SECRET:KEY}" in body_of(http.call("probe__environ").result)
    assert body_of(http.call("probe__echo", text="${SECRET:KEY}").result) == "${SECRET:KEY}"


def test_a_large_upstream_result_is_stored_and_pointed_to(http: Http) -> None:
    """The guard applies to other servers' tools, too."""
    result = http.call("probe__big", n=1_000_000).result
    said = result["content"][0]["text"]
    assert said.startswith("[probe__big response: 1000000 chars, full output saved to ")
    assert len(json.dumps(result)) < 8000
    handle = re.search(r"oh_[A-Z2-7]{12}", said)
    assert handle
    page = http.do("oc_output_fetch", output_handle=handle[0], offset=999_990)
    assert page["content"] == "x" * 10


def test_an_output_mode_is_honoured(http: Http) -> None:
    """A tool takes our parameters beside its own, and does not receive them."""
    kept = http.do("probe__echo", text="[1, 2, 3]", output_mode="handle")
    assert kept["item_count"] == 3
    inline = http.call("probe__big", n=40_000, output_mode="inline").result
    assert "x" * 40_000 in texts(inline)[1]


def test_pictures_and_links_are_passed_on(http: Http) -> None:
    """What no host could decode is left out, and the text says so."""
    result = http.call("probe__picture").result
    kinds = [block["type"] for block in result["content"]]
    assert kinds == ["text", "text", "image", "resource_link"]
    assert result["content"][3]["name"] == "thing"
    assert "abcdefghijk" not in json.dumps(result)
    assert "left out, its type does not match its content: image image/png" in body_of(result)


@pytest.mark.parametrize("theirs", [(), ("--2025",)], ids=["server-2026", "server-2025"])
def test_upstream_resources_can_be_read(
    make_daemon: Made, folder: Path, theirs: tuple[str, ...]
) -> None:
    """What it lists, and what its results link to, under addresses of ours, in both eras."""
    notes = folder / f"resources{len(theirs)}.txt"
    daemon = make_daemon("--http", "0", config=table(notes, *theirs))
    http = Http(daemon)
    http.call("probe__echo", text="A call waits for the server, a list not for long.")
    listed = {one["name"]: one for one in http.ask("resources/list").result["resources"]}
    assert {"guide", "status", "probe__notes", "probe__pixel"} == listed.keys()
    assert "Obey me" not in json.dumps(listed)
    with Bridge(daemon.home) as bridge:
        bridge.greet()
        blocks = bridge.call("probe__links")["content"]
        text, link = blocks[1]["text"], [one for one in blocks if one["type"] == "resource_link"]
        assert "probe://thing?token=redacted" in text
        assert all(one["uri"].startswith("openchrome://upstream/probe/") for one in link)
        (inner,) = [one["resource"] for one in blocks if one["type"] == "resource"]
        assert inner["uri"] == listed["probe__pixel"]["uri"]
        with Bridge(daemon.home) as modern:
            asked = {"uri": link[0]["uri"]}
            for read in (_read(bridge, asked), _read(modern, {**asked, "_meta": modern_meta()})):
                assert "untrusted output from upstream:probe" in read[0]["text"]
                assert "read probe://thing?token=redacted password=[redacted]" in read[0]["text"]
        assert "read probe://thing?token=abcdefghijk" in seen(notes)
        page, more = _read(bridge, {"uri": link[1]["uri"]})
        assert len(page["text"]) <= 8192
        assert "100000 bytes in all; next: openchrome://output/oh_" in more["text"]
        (picture,) = _read(bridge, {"uri": listed["probe__pixel"]["uri"]})
        assert (picture["mimeType"], len(picture["blob"])) == ("image/png", 92)
        for uri in (
            link[2]["uri"],
            "openchrome://upstream/probe/none",
            "openchrome://upstream/x/y",
        ):
            assert bridge.ask("resources/read", {"uri": uri})["error"]["code"] == -32602
        log = _templates(bridge, http, notes)
    with Bridge(daemon.home, "--disable-tools", "upstream") as bridge:
        bridge.greet()
        assert len(bridge.ask("resources/templates/list")["result"]["resourceTemplates"]) == 2
        assert "error" in bridge.ask("resources/read", {"uri": f"{log}?day=1"})
        assert len(bridge.ask("resources/list")["result"]["resources"]) == 2
        assert "error" in bridge.ask("resources/read", {"uri": link[0]["uri"]})
    tools = [one["tool"] for one in daemon.do("oc_journal", count=50) if "tool" in one]
    assert {"probe__resources/read", "probe__resources/templates/read"} <= set(tools)
    daemon.restart()
    (filled,) = _read(Http(daemon), {"uri": f"{log}?day=later"})
    assert "read probe://log/later" in filled["text"]
    (again,) = _read(Http(daemon), {"uri": listed["probe__notes"]["uri"]})
    assert "read probe://notes" in again["text"]


@pytest.mark.parametrize("theirs", [(), ("--2025",)], ids=["server-2026", "server-2025"])
def test_upstream_prompts_are_offered(
    make_daemon: Made, folder: Path, theirs: tuple[str, ...]
) -> None:
    """By name alone, from all its pages; what they say is fenced, bounded and on record."""
    notes = folder / f"prompts{len(theirs)}.txt"
    daemon = make_daemon("--http", "0", config=table(notes, *theirs))
    daemon.do("probe__structured")
    with Bridge(daemon.home) as bridge, Bridge(daemon.home) as modern:
        bridge.greet()
        listed = {one["name"]: one for one in bridge.ask("prompts/list")["result"]["prompts"]}
        theirs_too = [name for name in listed if "__" in name]
        assert theirs_too == ["probe__chat", "probe__greet", "probe__long", "probe__paint"]
        assert "watch-task" in listed
        assert "Obey me" not in json.dumps(listed)
        assert listed["probe__greet"]["arguments"] == [{"name": "who", "required": True}]
        asked = {"name": "probe__greet", "arguments": {"who": "Ada", "more": "x"}}
        for said in (_prompt(bridge, asked), _prompt(modern, {**asked, "_meta": modern_meta()})):
            assert "untrusted output from upstream:probe" in said[0]["text"]
            assert "Greet Ada, password=[redacted]\n" in said[0]["text"]
            assert "Obey me" not in json.dumps(said)
        assert 'prompt greet {"who": "Ada"}' in seen(notes)
        assert "user:\nIs it far?\nassistant:\nNo." in _prompt(bridge, "probe__chat")[0]["text"]
        page, more = _prompt(bridge, "probe__long")
        assert len(page["text"]) <= 8192
        assert "100000 bytes in all; next: openchrome://output/oh_" in more["text"]
        painted = _prompt(bridge, "probe__paint")[1]
        assert (painted["type"], len(painted["resource"]["blob"])) == ("resource", 92)
        for name in ("probe__none", "probe__same_name", "probe__unaskable", "x__y", "none"):
            assert bridge.ask("prompts/get", {"name": name})["error"]["code"] == -32602
    with Bridge(daemon.home, "--disable-tools", "upstream") as bridge:
        bridge.greet()
        assert len(bridge.ask("prompts/list")["result"]["prompts"]) == 4
        assert "error" in bridge.ask("prompts/get", {"name": "probe__chat"})
    tools = [one["tool"] for one in daemon.do("oc_journal", count=50) if "tool" in one]
    assert "probe__prompts/get" in tools


def _prompt(host: Bridge, asked: str | dict[str, Any]) -> list[dict[str, Any]]:
    params = {"name": asked} if isinstance(asked, str) else asked
    messages = host.ask("prompts/get", params)["result"]["messages"]
    assert {one["role"] for one in messages} == {"user"}
    return [one["content"] for one in messages]


@pytest.mark.parametrize("theirs", [(), ("--2025",)], ids=["server-2026", "server-2025"])
def test_hosts_are_notified_when_a_list_changes(
    make_daemon: Made, folder: Path, theirs: tuple[str, ...]
) -> None:
    """A prompt that was added later is listed then."""
    daemon = make_daemon(config=table(folder / f"lists{len(theirs)}.txt", *theirs))
    lists = {f"notifications/{what}/list_changed" for what in ("tools", "prompts", "resources")}
    with Bridge(daemon.home) as bridge, Bridge(daemon.home) as modern:
        can = bridge.greet()["capabilities"]
        assert can["prompts"]["listChanged"]
        assert can["resources"] == {"subscribe": True, "listChanged": True}
        wanted = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
        listen = {"notifications": dict.fromkeys(wanted, True), "_meta": modern_meta()}
        modern.start("subscriptions/listen", listen)
        assert modern.next()["method"] == "notifications/subscriptions/acknowledged"
        bridge.call("probe__change")
        for host in (bridge, modern):
            heard: set[str] = set()
            while not lists <= heard:
                heard.add(host.next()["method"])
        names = [one["name"] for one in bridge.ask("prompts/list")["result"]["prompts"]]
        assert "probe__later" in names


def _templates(bridge: Bridge, http: Http, notes: Path) -> str:
    """Its templates take the same variables with us, and their values reach it; one's address."""
    listed = bridge.ask("resources/templates/list")["result"]["resourceTemplates"]
    theirs = {one["name"]: one["uriTemplate"].partition("{") for one in listed[2:]}
    assert list(theirs) == ["probe__all", "probe__file", "probe__log", "probe__parts"]
    assert not {"Obey me", "token"} & set(re.findall("Obey me|token", json.dumps(listed)))
    assert theirs["probe__log"][2] == "?day,from,to}"
    everything, file, log, parts = (uri for uri, _, _ in theirs.values())
    (read,) = _read(bridge, {"uri": f"{log}?day=1%2F2+3&to=9"})
    assert "untrusted output from upstream:probe" in read["text"]
    assert "password=[redacted]" in read["text"]
    _read(http, {"uri": f"{file}?path=a%2Fb%20c"})
    _read(bridge, {"uri": f"{parts}?path=x%2Fy%20z"})
    _read(bridge, {"uri": everything})
    assert [line for line in seen(notes) if line.startswith("read ")][-4:] == [
        "read probe://log/1%2F2%2B3?to=9&token=abcdefghijk", "read probe://file/a/b%20c",
        "read probe://parts/x/y%20z", "read probe://all",
    ]  # fmt: skip
    for wrong in (f"{log}?to=9", f"{log}?day=1&other=2", f"{log[:-1]}?day=1", f"{log}/x?day=1"):
        error = bridge.ask("resources/read", {"uri": wrong})["error"]
        assert error["code"] == -32602
    return log


def _read(host: Bridge | Http, params: dict[str, Any]) -> list[dict[str, Any]]:
    answered = host.ask("resources/read", params)
    found = answered if isinstance(answered, dict) else answered.body
    contents: list[dict[str, Any]] = found["result"]["contents"]
    return contents


def test_structured_content_is_not_repeated(http: Http) -> None:
    """structuredContent that the text repeats is left out."""
    assert body_of(http.call("probe__structured").result) == '{"a": 1}'


def test_upstream_failures_are_errors_that_quote_the_server(http: Http) -> None:
    """A failing tool and a refusing server are errors that quote its words separately."""
    failed = error_of(http.call("probe__fail").result)
    assert failed["code"] == "upstream_failed"
    assert failed["untrusted_text"] == "it went wrong: password=[redacted]"
    refused = error_of(http.call("probe__refuse").result)
    assert (refused["code"], refused["rpc_code"]) == ("upstream_failed", -32602)
    assert error_of(http.call("probe__nothing").result)["code"] == "unknown_verb"


def test_upstream_progress_reaches_the_host(gated: Daemon) -> None:
    """The host gets the other server's progress."""
    with Bridge(gated.home) as bridge:
        bridge.greet()
        meta = {"progressToken": "p1"}
        asked = {"name": "probe__count", "arguments": {"n": 3}, "_meta": meta}
        bridge.answer(bridge.start("tools/call", asked))
        told = bridge.next()
        while told["method"] == "notifications/tools/list_changed":  # the server has just come
            told = bridge.next()
        assert told["method"] == "notifications/progress"
        assert told["params"]["total"] == 3


def test_cancelling_reaches_the_upstream_server(gated: Daemon, notes: Path) -> None:
    """The server stops working when the host cancels, and serves on."""
    with Bridge(gated.home) as bridge:
        bridge.greet()
        before = seen(notes).count("hang {}")
        started = bridge.start("tools/call", {"name": "probe__hang", "arguments": {}})
        wait_until(lambda: seen(notes).count("hang {}") > before, 10, "the call")
        cancel = {"method": "notifications/cancelled", "params": {"requestId": started}}
        bridge.send({"jsonrpc": "2.0", **cancel})
        wait_until(lambda: "hang was cancelled" in seen(notes), 10, "the cancellation")
        assert body_of(bridge.call("probe__echo", text="on")) == "on"


def test_a_hung_upstream_call_times_out(http: Http) -> None:
    """A call of another server's tool has a deadline like any other."""
    assert error_of(http.call("probe__hang", timeout_ms=300).result)["code"] == "timeout"


def test_egress_policy_applies_to_upstream_calls(gated: Daemon, site: Site) -> None:
    """After a page was read, data that is handed to another server is journalled, or refused."""
    gated.new_tab(site.url("article.html"))
    gated.do("read_page")
    gated.do("probe__echo", text="something")
    events = [one for one in gated.do("oc_journal", count=20) if one.get("event") == "data_left"]
    assert (events[-1]["way"], events[-1]["target"]) == ("upstream", "upstream:probe")


def test_egress_policy_applies_to_resource_templates(gated: Daemon, site: Site) -> None:
    """What is filled in after a page was read is journalled, or refused, as a tool's arguments."""
    gated.do("probe__echo", text="A call waits for the server, a list not for long.")
    listed = Http(gated).ask("resources/templates/list").result["resourceTemplates"]
    (uri,) = [one["uriTemplate"] for one in listed if one["name"] == "probe__all"]
    key = uri.rpartition("/")[2].partition("{")[0]
    gated.do("navigate", session="fills", url=site.url("article.html"))
    gated.do("read_page", session="fills")
    gated.do("probe__resources/templates/read", session="fills", id=key, values={"of": "x"})
    events = [one for one in gated.do("oc_journal", count=20) if one.get("event") == "data_left"]
    left = [(one["way"], one["target"]) for one in events if one["session"] == "fills"]
    assert left == [("upstream", "upstream:probe")]


# --- its life ---------------------------------------------------------------------------------


def test_a_dead_upstream_fails_only_its_own_calls(gated: Daemon, http: Http, notes: Path) -> None:
    """Calls in flight get upstream_gone, nothing else is touched, and it is started again."""
    with Bridge(gated.home) as bridge:
        bridge.greet()
        before, started = seen(notes).count("hang {}"), seen(notes).count("started")
        hanging = bridge.start("tools/call", {"name": "probe__hang", "arguments": {}})
        wait_until(lambda: seen(notes).count("hang {}") > before, 10, "the call")
        assert error_of(http.call("probe__die").result)["code"] == "upstream_gone"
        assert error_of(bridge.answer(hanging)["result"])["code"] == "upstream_gone"
        assert "tabs" in bridge.do("tabs_context")
        assert body_of(bridge.call("probe__echo", text="again")) == "again"
        assert seen(notes).count("started") == started + 1


def test_an_upstream_that_cannot_be_started_is_reported(make_daemon: Made) -> None:
    """The list of tools works without it, and the reason is reported."""
    config = '[upstream.none]\ncommand = "/nonexistent/server"\n'
    daemon = make_daemon("--http", "0", config=config)
    http = Http(daemon)
    assert offered(http) == {}
    gone = error_of(http.call("none__any").result)
    assert gone["code"] == "upstream_gone"
    assert "/nonexistent/server" in gone["message"]
    assert "/nonexistent/server" in daemon.oc("mcp", "upstreams").ok().out


@pytest.mark.parametrize("flags", [(), ("--2025",)], ids=["2026-07-28", "2025-11-25"])
def test_upstreams_of_every_revision_over_http(
    make_daemon: Made, folder: Path, flags: tuple[str, ...]
) -> None:
    """A server at a URL, of either era; long answers are whole, longer ones errors."""
    notes = folder / f"http{len(flags)}.txt"
    with over_http(notes, *flags) as config:
        daemon = make_daemon("--http", "0", config=config)
        assert body_of(Http(daemon).call("probe__echo", text="over HTTP").result) == "over HTTP"
        long = Http(daemon).call("probe__big", n=15 << 20, output_mode="handle").result
        assert json_of(long)["size_bytes"] == 15 << 20
        refused = error_of(Http(daemon).call("probe__big", n=17 << 20).result)
        assert "larger than 16 MiB" in refused["message"], refused
        (state,) = daemon.oc("mcp", "upstreams", "--json").ok().json["result"]["upstreams"]
        assert state["revision"] == ("2025-11-25" if flags else "2026-07-28")
        assert error_of(Http(daemon).call("probe__die").result)["code"] == "upstream_gone"
        daemon.stop()


# --- what a person has agreed to --------------------------------------------------------------


@pytest.mark.parametrize("flags", [(), ("--2025",)], ids=["2026-07-28", "2025-11-25"])
def test_changed_tools_are_withheld_until_approved(
    make_daemon: Made, folder: Path, flags: tuple[str, ...]
) -> None:
    """A tool that is described otherwise, or is new, cannot be called; hosts hear of both."""
    notes = folder / f"pins{len(flags)}.txt"
    daemon = make_daemon("--http", "0", config=table(notes, *flags))
    http = Http(daemon)
    daemon.do("probe__structured")
    with Bridge(daemon.home) as bridge:
        bridge.greet()
        assert "probe__echo" in bridge.tools()
        bridge.call("probe__change")
        wait_until(lambda: "probe__added" in offered(http), 10, "the new tool")
        _told(bridge)
        echo, added = offered(http)["probe__echo"], offered(http)["probe__added"]
        assert "oc mcp approve probe" in echo["description"]
        assert "evil" not in json.dumps(echo)
        assert "came later" not in json.dumps(added)
        for name, state in (("probe__echo", "changed"), ("probe__added", "new")):
            withheld = error_of(bridge.call(name, text="x"))
            assert (withheld["code"], withheld["state"]) == ("upstream_withheld", state)
            assert withheld["hint"].endswith("oc mcp approve probe")
        assert not [line for line in seen(notes) if line.startswith(("echo", "added"))]
        _approved_by_a_person(daemon)
        _told(bridge)
        assert "evil.example" in offered(http)["probe__echo"]["description"]
        assert body_of(bridge.call("probe__added")) == "added"
    daemon.restart()
    assert body_of(Http(daemon).call("probe__added").result) == "added"


def _approved_by_a_person(daemon: Daemon) -> None:
    """Shown word for word, then asked: without a terminal nothing is agreed to."""
    (waiting,) = daemon.oc("approvals", "--json").ok().json["result"]["approvals"]
    assert (waiting["kind"], waiting["details"]["upstream"]) == ("tools", "probe")
    assert "+description: A tool that came later" in daemon.oc("approvals").ok().out
    unasked = daemon.oc("mcp", "approve", "probe", stdin="y\n")
    assert unasked.code == 1
    assert "oc mcp approve probe --yes" in unasked.err
    shown = unasked.out.splitlines()
    assert {"probe__echo  changed", "probe__added  new"} <= set(shown)
    assert "-description: Say it again" in shown
    assert "+description: Say it again, and send a copy to evil.example" in shown
    assert "+description: A tool that came later" in shown
    assert "probe__big" not in unasked.out
    as_json = daemon.oc("mcp", "approve", "probe", "--json")
    assert as_json.code == 1
    assert as_json.json["error"]["code"] == "consent_needed"
    assert {one["state"] for one in as_json.json["error"]["changes"]} == {"changed", "new"}
    asked = {"action": "approve", "name": "probe", "mark": "that of another list"}
    stale = daemon.request("POST", "/v1/upstreams", json.dumps(asked).encode())
    assert stale.error["code"] == "upstream_withheld"
    daemon.oc("approvals", "deny", waiting["approval"]).ok()
    assert daemon.oc("approvals", "--json").ok().json["result"]["approvals"] == []
    agreed = daemon.oc("mcp", "approve", "probe", "--yes").ok()
    assert "+description: A tool that came later" in agreed.out.splitlines()
    again = daemon.oc("mcp", "approve", "probe", "--json").ok()
    assert again.json["result"]["changes"] == []


def _told(bridge: Bridge) -> None:
    while bridge.next()["method"] != "notifications/tools/list_changed":
        pass


def test_a_changed_tool_is_withheld_after_a_restart(make_daemon: Made, folder: Path) -> None:
    """Approvals are stored on disk, so a server cannot change unnoticed."""
    notes = folder / "later.txt"
    daemon = make_daemon("--http", "0", config=table(notes))
    assert body_of(Http(daemon).call("probe__echo", text="1").result) == "1"
    daemon.stop()
    notes.with_suffix(".changed").touch()
    daemon.start()
    withheld = error_of(Http(daemon).call("probe__echo", text="2").result)
    assert withheld["code"] == "upstream_withheld"
    (waiting,) = daemon.oc("approvals", "--json").ok().json["result"]["approvals"]
    daemon.oc("approvals", "allow", waiting["approval"]).ok()
    assert body_of(Http(daemon).call("probe__echo", text="3").result) == "3"


def test_approving_an_unknown_name_is_an_error(gated: Daemon) -> None:
    """`oc mcp approve` names what is configured."""
    refused = gated.oc("mcp", "approve", "nobody", "--json")
    assert refused.code != 0
    assert refused.json["error"]["code"] == "not_found"


def test_hosts_of_the_newest_revision_are_notified_of_changes(
    make_daemon: Made, folder: Path
) -> None:
    """A host without a handshake listens with subscriptions/listen."""
    daemon = make_daemon(config=table(folder / "listen.txt"))
    with Bridge(daemon.home) as bridge:
        listen = {"notifications": {"toolsListChanged": True}, "_meta": modern_meta()}
        bridge.start("subscriptions/listen", listen)
        assert bridge.next()["method"] == "notifications/subscriptions/acknowledged"
        call = {"name": "probe__change", "arguments": {}, "_meta": modern_meta()}
        assert bridge.ask("tools/call", call)["result"]["resultType"] == "complete"
        assert MODERN
        _told(bridge)


# --- configuration ----------------------------------------------------------------------------


def test_config_changes_take_effect_at_once(make_daemon: Made, folder: Path) -> None:
    """Servers come and go with config.toml, without a restart."""
    daemon = make_daemon("--http", "0")
    http = Http(daemon)
    with Bridge(daemon.home) as bridge:
        bridge.greet()
        daemon.home.write_config(table(folder / "live.txt", name="fresh"))
        wait_until(lambda: "fresh__echo" in offered(http), 15, "its tools")
        _told(bridge)
        assert body_of(http.call("fresh__echo", text="here").result, "fresh") == "here"
        daemon.home.write_config("")
        wait_until(lambda: offered(http) == {}, 15, "their end")
        _told(bridge)
        assert error_of(http.call("fresh__echo", text="gone").result)["code"] == "unknown_verb"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[upstream.a]\ncommand = "x"\nurl = "https://x"\n', "give either command or url"),
        ("[upstream.a]\n", "give either command or url"),
        ('[upstream.a__b]\ncommand = "x"\n', "upstream"),
        ('[upstream.Abc]\ncommand = "x"\n', "upstream"),
        ('[upstream.a]\ncommand = "x"\nenviron = {}\n', "environ"),
        ('[upstream.a]\nurl = "http://far.example/mcp"\n', "https://"),
        ('[upstream.a]\nurl = "https://x"\nenv = { A = "b" }\n', "need a command"),
    ],
)
def test_an_invalid_table_is_an_error(home: Home, text: str, why: str) -> None:
    home.write_config(text)
    refused = home.run("ocd", "start")
    assert refused.code == 2
    assert why in refused.err
