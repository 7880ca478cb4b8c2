# ruff: noqa: E501 - the lines of the seeds stay as they are
"""The capability filter, by the scenarios of its first requirements, line by line."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.mcp import Http
from support.shell import bash
from support.site import Site

pytestmark = pytest.mark.usefixtures("headless_shell")

GOLDEN = Path(__file__).parent / "golden" / "tools-list.json"
SKILL = Path(__file__).resolve().parents[3] / "scripts" / "verify" / "cap-filter-skill.sh"
NAMES = r"mcp | jq -r '.result.tools[].name'"


def groups(daemon: Daemon) -> dict[str, set[str]]:
    """Return the names of the listed verbs (tiers 1 and 2) by capability."""
    found: dict[str, set[str]] = {}
    for entry in daemon.request("GET", "/v1/catalog").body["verbs"]:
        if entry["tier"] <= 2:
            found.setdefault(entry["capability"], set()).add(entry["name"])
    return found


def test_scenario_1_default_surface_is_the_golden_one(serving: Daemon) -> None:
    """`OCD_REWRITE_TRANSCRIPTS=1` rewrites the list; its diff is reviewed."""
    if os.environ.get("OCD_REWRITE_TRANSCRIPTS"):
        tools = [{"name": tool["name"]} for tool in Http(serving).tools()]
        GOLDEN.write_text(json.dumps({"tools": tools}, indent=1) + "\n", encoding="utf-8")
    bash(serving, r"""
mcp | jq -S '.result.tools | map(.name) | sort' > tools-default.json
diff tools-default.json \
<(jq -S '.tools | map(.name) | sort' \
"$GOLDEN")
""", GOLDEN=str(GOLDEN))  # fmt: skip
    again = [bash(serving, "mcp") for _ in range(2)]
    assert again[0] == again[1]


@pytest.fixture(scope="module")
def core_only() -> Iterator[Daemon]:
    with Daemon("--http", "0", "--tools-only", "core") as running:
        yield running


def test_scenario_2_tools_only_core(core_only: Daemon) -> None:
    said = bash(core_only, r"""
mcp | jq '.result.tools[].name' > names
! grep -E '^"(workflow_|oc_recording_|crawl)' names && cat names
""")  # fmt: skip
    assert '"navigate"' in said.splitlines()
    assert core_only.status()["tools"] == {"tier": 2, "groups": ["core"]}
    assert "groups: core\n" in core_only.ocd("status").ok().out


# In every list that has a long verb; oc_evidence_bundle is one of core.
FOR_LONG_VERBS = {"oc_task_cancel", "oc_task_get", "oc_task_wait"}


@pytest.mark.parametrize(
    ("disabled", "prefixes", "kept"),
    [
        ("workflow,recording", ("workflow_", "oc_recording_"), set()),
        ("crawl,tasks", ("crawl",), FOR_LONG_VERBS),
    ],
)
def test_scenario_3_only_disabled_groups_are_gone(
    serving: Daemon, make_daemon: Callable[..., Daemon], disabled: str,
    prefixes: tuple[str, ...], kept: set[str],
) -> None:  # fmt: skip
    """The list is the default one minus exactly these groups."""
    by_group = groups(serving)
    default = set(bash(serving, NAMES).split())
    assert default == set().union(*by_group.values())
    daemon = make_daemon("--http", "0", "--disable-tools", disabled)
    left = set(bash(daemon, NAMES).split())
    gone = set().union(*(by_group.get(group, set()) for group in disabled.split(",")))
    assert left == default - (gone - kept)
    assert not [name for name in left if name.startswith(prefixes)]
    assert by_group["core"] <= left


@pytest.mark.parametrize(("name", "group"), [("workflow_init", "workflow"), ("crawl", "crawl")])
def test_scenario_4_expand_tools_respects_the_gate(
    core_only: Daemon, name: str, group: str
) -> None:
    """Neither expanded, nor listed afterwards, nor callable."""
    said = bash(core_only, r"""
for ASK in '{"name":"expand_tools","arguments":{"name":"'$NAME'"}}' \
           '{"name":"'$NAME'","arguments":{}}' \
           '{"name":"call_verb","arguments":{"name":"'$NAME'"}}'; do
  mcpA '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'"$ASK"'}' \
    | jq -e --arg group "$GROUP" '.result.isError == true and (.result.content[0].text | fromjson | .error | .code == "CAPABILITY_DISABLED" and .capability == $group)' >/dev/null \
    || { echo "FAIL: $ASK"; exit 1; }
done
mcp | jq -e --arg name "$NAME" '.result.tools | map(.name) | index($name) == null' >/dev/null && echo OK
""", NAME=name, GROUP=group)  # fmt: skip
    assert said == "OK\n"


def test_scenario_5_core_only_is_a_quarter_smaller(serving: Daemon, core_only: Daemon) -> None:
    default = bash(serving, "mcp | wc -c").strip()
    said = bash(core_only, r"""
CORE_BYTES=$(mcp | wc -c)
echo "default=$DEFAULT_BYTES core=$CORE_BYTES reduction=$((100 - 100*CORE_BYTES/DEFAULT_BYTES))%"
[[ $((100 - 100*CORE_BYTES/DEFAULT_BYTES)) -ge 25 ]]
""", DEFAULT_BYTES=default)  # fmt: skip
    assert "reduction=" in said


def test_scenario_6_synthetic_skill_replay(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """Recorded with core verbs, replayed under --tools-only core: the same verdict, no error."""
    daemon = make_daemon("--http", "0")
    url = site.url("skills/shelf")
    told = bash(daemon, '"$SKILL" record "$HTTP_PORT" "$URL"', SKILL=str(SKILL), URL=url)
    assert told == "pass\n"
    site.forget()
    daemon.restart("--http", "0", "--tools-only", "core")
    assert bash(daemon, '"$SKILL" replay "$HTTP_PORT"', SKILL=str(SKILL)) == told
    assert len(site.seen("skills/more.html")) == 1
    codes = {entry.get("error") for entry in daemon.do("oc_journal", action="recent", count=100)}
    assert codes <= {None}
    assert daemon.call("workflow_init", name="w", workers=[]).code == "CAPABILITY_DISABLED"


def test_tier_1_has_at_most_30_tools_in_16_kb(make_daemon: Callable[..., Daemon]) -> None:
    """At most 30 tools in 16 KB, counted as compact UTF-8 of `tools`."""
    daemon = make_daemon("--http", "0", "--tier", "1")
    tools = Http(daemon).tools()
    assert "oc_output_fetch" in [tool["name"] for tool in tools]
    assert len(tools) <= 30
    compact = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
    assert len(compact.encode()) <= 16 * 1024
