"""`expand_tools` and `call_verb`: finding and calling verbs beyond the listed ones."""

from collections.abc import Callable

from support.daemon import Daemon


def test_expand_tools_shows_a_verb_with_its_parameters(daemon: Daemon) -> None:
    """By name, tier or words: each found tool comes with its inputSchema."""
    (tool,) = daemon.do("expand_tools", name="crawl")["tools"]
    assert tool["name"] == "crawl"
    assert "max_pages" in tool["inputSchema"]["properties"]
    found = daemon.do("expand_tools", query="wait for a task to end")["expanded"]
    assert "oc_task_wait" in found
    assert daemon.call("expand_tools", name="crwal").code == "unknown_verb"
    assert daemon.call("expand_tools", name="crawl", tier=1).code == "invalid_argument"


def test_expand_tools_respects_disabled_groups(make_daemon: Callable[..., Daemon]) -> None:
    """A verb of a disabled group is CAPABILITY_DISABLED, naming the group."""
    daemon = make_daemon("--disable-tools", "crawl")
    error = daemon.call("expand_tools", name="crawl").error
    assert (error["code"], error["capability"]) == ("CAPABILITY_DISABLED", "crawl")
    assert "crawl" not in daemon.do("expand_tools", query="crawl a site")["expanded"]
    assert daemon.call("call_verb", name="crawl", arguments={}).code == "CAPABILITY_DISABLED"


def test_call_verb_returns_the_verbs_reply(daemon: Daemon) -> None:
    """`call_verb(name, arguments)` answers what the verb answers, its errors included."""
    assert daemon.do("call_verb", name="tabs_context") == daemon.do("tabs_context")
    missing = {"task_id": "ffffffffffffffff"}
    through = daemon.call("call_verb", name="oc_task_get", arguments=missing)
    assert through.code == "task_not_found"
    assert daemon.call("call_verb", name="nothing").code == "unknown_verb"
