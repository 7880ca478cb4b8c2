"""The gateway's pure parts: names, pins, results, and redaction of long texts."""

import asyncio
import gc
import os
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError

from oc_mcp.client import uri_templates
from oc_mcp.client.upstream_lists import list_templates
from ocd.api.errors import OcdError
from ocd.gateway import approval_diff
from ocd.gateway.resource_templates import templates_of
from ocd.gateway.resources import MAX_KEPT, ResourceLinks
from ocd.gateway.results import MAX_ATTACHMENTS, output_of
from ocd.gateway.tool_entries import MAX_NAME, MAX_SCHEMA_BYTES, build_entries, exposed_name
from ocd.gateway.tool_pins import PinnedTools, PinStore
from ocd.safety.redact_stream import SHORT, redact_long
from ocd.safety.sanitize import Sanitizer

OBJECT = {"type": "object", "properties": {}}
STATE = Path(__file__).resolve().parents[2] / "fixtures" / "state"


def tool(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    return {"name": name, "inputSchema": OBJECT, **more}


@given(st.text(min_size=1, max_size=200))
def test_every_tool_name_is_accepted_by_hosts(name: str) -> None:
    """Whatever a server calls its tool, hosts accept the name."""
    shown = exposed_name("abc", name)
    assert len(shown) <= MAX_NAME
    assert shown.startswith("abc__")
    assert all(sign.isascii() and (sign.isalnum() or sign in "_-") for sign in shown)


def test_invalid_tool_lists_are_refused() -> None:
    """Two tools with one name, invalid schemas, schemas nested without end."""
    huge = {"type": "object", "description": "x" * MAX_SCHEMA_BYTES}
    tools = [tool("a.b"), tool("a/b"), tool(""), tool("c", inputSchema={}), {"name": "d"}]
    found = build_entries(
        "s", [*tools, tool("e", inputSchema=huge), tool("good")], None, tier=2,
        sanitizer=Sanitizer(),
    )  # fmt: skip
    assert [one.name for one in found if one.state == "offered"] == ["s__good"]
    assert all(one.why for one in found if one.state == "refused")


def test_every_part_of_a_declaration_is_pinned() -> None:
    """Description, schema and hints count; the order of keys does not."""
    sanitizer = Sanitizer()

    def state(agreed: dict[str, Any], now: dict[str, Any]) -> str:
        (before,) = build_entries("s", [agreed], None, tier=2, sanitizer=sanitizer)
        pins = {before.tool: before.hash}
        (after,) = build_entries("s", [now], pins, tier=2, sanitizer=sanitizer)
        return after.state

    one = tool("t", description="d", annotations={"readOnlyHint": True, "title": "x"})
    assert state(one, dict(reversed(one.items()))) == "offered"
    assert state(one, {**one, "description": "d "}) == "changed"
    assert state(one, {**one, "annotations": {"readOnlyHint": False, "title": "x"}}) == "changed"
    assert state(one, {**one, "inputSchema": {**OBJECT, "properties": {"a": {}}}}) == "changed"
    assert state(one, {**one, "name": "u"}) == "new"


def test_a_review_shows_every_change_and_invisible_characters() -> None:
    """Words, schema and hints as a diff, invisible characters spelt out; gone tools, too."""
    schema = {**OBJECT, "properties": {"to": {"type": "string", "description": "Who"}}}
    then = [tool("t", description="Line one\nLine two"), tool("u", description="Bye"), tool("same")]
    now = [tool("t", description="Line one\nLine\u200b \x1b[2J2", inputSchema=schema), tool("same")]
    sanitizer = Sanitizer()
    before = build_entries("s", then, None, tier=2, sanitizer=sanitizer)
    agreed = PinnedTools(
        tools={one.tool: one.hash for one in before},
        declarations={one["name"]: approval_diff.pinned_fields(one) for one in then},
        approved_at="2026-11-20",
    )  # fmt: skip
    found = build_entries("s", now, agreed.tools, tier=2, sanitizer=sanitizer)
    changed, gone = approval_diff.changes(found, now, agreed)
    assert (changed["tool"], changed["name"], changed["state"]) == ("t", "s__t", "changed")
    lines = changed["diff"].split("\n")
    assert lines[:2] == ["--- t as approved 2026-11-20", "+++ t now"]
    assert "-  Line two" in lines
    assert "+  Line\\u{200b} \\u{1b}[2J2" in lines
    assert any(line.startswith("+") and '"description": "Who"' in line for line in lines)
    assert (gone["tool"], gone["state"]) == ("u", "gone")
    assert "-description: Bye" in gone["diff"]
    assert approval_diff.fingerprint(then) != approval_diff.fingerprint(now)
    old = approval_diff.changes(found, now, PinnedTools(tools=agreed.tools))
    assert "is unknown" in old[0]["unknown"]
    assert "+description: Line one" in old[0]["diff"]


def test_hidden_text_of_a_description_is_removed() -> None:
    said = tool("t", description="good\u200b\U000e0041\U000e0042 tool")
    (one,) = build_entries("s", [said], None, tier=2, sanitizer=Sanitizer())
    shown = f"{one.entry['summary']} {one.entry['doc']}"
    assert "good tool" in shown
    assert "\u200b" not in shown
    assert "\U000e0041" not in shown


def test_old_pin_files_are_readable(tmp_path: Path) -> None:
    """Every version's file is read; an invalid one is reported and left alone."""
    for version in STATE.iterdir():
        pinned = PinStore(version).of("probe")
        assert pinned is not None
        assert list(pinned.tools) == ["echo"]
    (tmp_path / "upstream").mkdir()
    file = tmp_path / "upstream" / "pins.json"
    file.write_text("{}x")
    with pytest.raises(OcdError) as caught:
        PinStore(tmp_path).keep("a", {}, {})
    assert caught.value.code == "unreadable_file"
    assert file.read_text() == "{}x"


def answered(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    return {"content": list(blocks), **more}


def test_structured_content_is_not_repeated() -> None:
    """It is appended only to a text that says something else."""
    text = {"type": "text", "text": "words"}
    output = output_of("s", "t", answered(text, structuredContent={"a": 1}), redacted=True)
    assert output.content == 'words\n{"a":1}'


def test_attachments_are_bounded_and_counted() -> None:
    """The reply says how many were left out, and stays within its bounds."""
    link = {"type": "resource_link", "uri": "x://" + "y" * 1500, "name": "n" * 5000}
    picture = {"type": "image", "mimeType": "image/png", "data": "AAAA" * 1_000_000}
    output = output_of("s", "t", answered(*[link] * 40, *[picture] * 3), redacted=False)
    assert len(output.attachments) == MAX_ATTACHMENTS
    assert all(len(str(one)) < 3000 for one in output.attachments)
    assert output.content is not None
    assert "more]" in output.content
    endless = output_of("s", "t", answered({**link, "uri": "x" * 5000}), redacted=False)
    assert not endless.attachments
    assert "left out" in str(endless.content)
    pictures = output_of("s", "t", answered(*[picture] * 3), redacted=False)
    assert len(pictures.attachments) == 1
    assert str(pictures.content).count("left out") == 2


def test_links_have_stable_addresses_without_tokens() -> None:
    """The same link gets the same address; the oldest are forgotten."""
    links = ResourceLinks("s")
    shown = links.alias("x://a?token=hidden-hidden")
    assert shown == links.alias("x://a?token=hidden-hidden") != links.alias("x://b")
    assert shown.startswith("openchrome://upstream/s/")
    assert "hidden" not in shown
    assert links.of(shown.rpartition("/")[2]) == "x://a?token=hidden-hidden"
    assert (
        ResourceLinks("t").alias("x://b").rpartition("/")[2]
        != links.alias("x://b").rpartition("/")[2]
    )
    for number in range(MAX_KEPT):
        links.alias(f"x://{number}")
    assert links.of(shown.rpartition("/")[2]) is None
    listed = list(
        links.to_list([{"uri": "x://b", "title": "B\u202e", "description": "Do evil"}, {}])
    )
    assert listed == [{"uri": links.alias("x://b"), "name": "s__B"}]


def test_templates_are_listed_by_the_names_of_their_variables() -> None:
    """Nothing else of them is shown; a missing or unknown value is an error."""
    told = {"uriTemplate": "x://{day}{?to}", "name": "B\u202e", "description": "Do evil"}
    good = {**told, "variables": [("day", True), ("to", False)]}
    others = (
        {"uriTemplate": "x://fixed", "variables": []},
        {"uriTemplate": "x://{a}" + "x" * 2000, "variables": [("a", True)]},
        {"uriTemplate": "x://{a}", "variables": [("a" * 65, True)]},
        {"uriTemplate": "x://{b}", "variables": [(f"b{n}", True) for n in range(21)]},
    )
    ((key, one),) = templates_of("s", [good, good, *others]).items()
    address = f"openchrome://upstream/s/template/{key}"
    assert one.to_dict() == {"uriTemplate": f"{address}{{?day,to}}", "name": "s__B"}
    one.check({"day": "1"})
    for wrong in ({"to": "9"}, {"day": ""}, {"day": "1", "other": "2"}):
        with pytest.raises(OcdError) as caught:
            one.check(wrong)
        assert caught.value.code == "invalid_argument"
        assert address in caught.value.hint


@pytest.mark.parametrize(
    ("template", "address"),
    [
        ("x://{a}", "x://1%2F2%203"),
        ("x://{+a}/here", "x://1/2%203/here"),
        ("x://f{/a*}", "x://f/1/2%203"),
        ("x://f?fixed=yes{&a,none}", "x://f?fixed=yes&a=1%2F2%203"),
        ("x://f{?none}", "x://f"),
    ],
)
def test_templates_are_expanded(template: str, address: str) -> None:
    assert uri_templates.variables_of(template)
    assert uri_templates.fill(template, {"a": "1/2 3"}) == address


@pytest.mark.parametrize("template", ["x://a", "x://{", "x://{}", "x://{a:3}", "{a b}", "", 5])
def test_unsupported_templates_have_no_variables(template: object) -> None:
    assert uri_templates.variables_of(template) == []


def test_a_server_need_not_support_templates() -> None:
    """A server that does not know the method has none; any other error is reported."""

    def refused(code: int) -> list[dict[str, Any]]:
        async def send(_request: object) -> dict[str, Any]:
            raise MCPError(code=code, message="no")

        return asyncio.run(list_templates(send))

    assert refused(-32601) == []
    with pytest.raises(MCPError):
        refused(-32603)


def test_a_result_that_asks_for_input_is_a_failure() -> None:
    with pytest.raises(OcdError) as caught:
        output_of("s", "t", {"resultType": "input_required", "inputRequests": {}}, redacted=True)
    assert caught.value.code == "upstream_failed"


SECRETS = (
    "password=hunter2secret", '"api_key": "abcdef123456"', "Authorization: Bearer abcDEF123456",
    "ghp_abcdefghij0123456789abcdefghij", "AKIAABCDEFGHIJKLMNOP", "https://u:pw123456@x.example/",
    "비밀번호: hunter2secret", "https://x.example/?sig=abcdef0123456789", "X-API-KEY: abcdef123456",
    "https://x.example/?next=https%3A%2F%2Fy.example%2F%3Ftoken%3Dabcdef123456",
    "user_sid: hunter2secret", "userSid=hunter2secret",
    f"-----BEGIN PRIVATE KEY-----\n{25 * 'hunter2secret+' }\n-----END PRIVATE KEY-----",
)  # fmt: skip
VALUES = (
    "hunter2secret",
    "abcdef1234",
    "abcDEF123456",
    "ghp_a",
    "AKIAAB",
    "pw123456",
    "abcdef0123",
)


@example(4070, "Authorization: Bearer abcDEF123456", "word ")
@example(4091, SECRETS[-1], "x,")
@given(st.integers(0, 3 * SHORT), st.sampled_from(SECRETS), st.sampled_from(["word ", "x,", "\n"]))
def test_a_secret_is_found_anywhere_in_a_long_text(at: int, secret: str, filler: str) -> None:
    """Pieces do not hide what one pass would have found."""
    text = (filler * (at // len(filler) + 1)) + f" {secret} " + filler * SHORT
    clean = redact_long(text)
    assert not any(value in clean for value in VALUES), secret
    assert len(clean) > SHORT


def test_a_long_text_without_secrets_stays_as_it_is() -> None:
    text = "Ärger mit 日本語 and words, " * 4000
    assert redact_long(text) == text


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")
def test_a_program_that_cannot_be_started_leaves_no_descriptor() -> None:
    """None stays open, and none is closed twice, when its number may belong to another file."""
    uvloop = pytest.importorskip("uvloop")
    from oc_mcp.client.upstream_transports import open_transport

    async def heard(_message: object) -> None:
        pass

    async def attempt() -> int:
        start = {"command": ["/nonexistent/server"], "env": {}, "cwd": None, "url": None}
        with pytest.raises(ExceptionGroup):
            async with open_transport(start, heard, lambda _why: None, deque()):
                pass
        gc.collect()  # what is closed twice is told of here, and fails the test
        await asyncio.sleep(0)
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - as it is, without a stat

    async def attempts() -> set[int]:
        await attempt()
        return {await attempt() for _ in range(5)}

    assert len(uvloop.run(attempts())) == 1
