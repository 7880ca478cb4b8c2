"""Parameters by path: companions, files that parameters name, and safe file names."""

import asyncio
import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, field

from ocd.api.errors import OcdError
from ocd.calls.param_decoding import decode_call
from ocd.calls.path_params import check_paths, include_stored_params, read_path_params
from ocd.safety.file_access import FileAccess
from ocd.safety.path_policy import Roots, safe_name
from ocd.verb_api.declaration import (
    ARGUMENTS_OF_KIND,
    PAYLOAD,
    READS_PATH,
    WHEN_STORED,
    WRITES_PATH,
    FileSource,
    Output,
    Params,
    tab_verb,
)


class Bundles(Params):
    """Return much if it is stored"""

    contents: Annotated[bool | None, Meta(description="All", extra=WHEN_STORED)] = None


@tab_verb("bundles", Bundles, capability="core", tier=1, large=True)
async def bundles(_tab: object, _params: Bundles) -> Output:
    return Output()


@pytest.mark.parametrize(
    ("raw", "contents"),
    [
        ({}, None),
        ({"output_mode": "inline"}, None),
        ({"output_mode": "handle"}, True),
        ({"outputMode": "auto"}, True),
        ({"output_mode": "handle", "contents": False}, False),
    ],
)
def test_a_stored_output_has_what_an_inline_reply_leaves_out(
    raw: Mapping[str, Any], contents: bool | None
) -> None:
    assert include_stored_params(bundles, raw).get("contents") is contents


class Loads(Params):
    """Take payloads"""

    code: Annotated[str, Meta(description="Text", extra=PAYLOAD)]
    plan: Annotated[dict[str, Any] | None, Meta(description="JSON", extra=PAYLOAD)] = None
    save_to: Annotated[str | None, Meta(description="Where", extra=WRITES_PATH)] = None
    images: Annotated[list[str], Meta(description="What", extra=READS_PATH)] = field(
        default_factory=list[str]
    )
    files: Annotated[list[FileSource], Meta(description="Files")] = field(
        default_factory=list[FileSource]
    )


@tab_verb("loads", Loads, capability="core", tier=1)
async def loads(_tab: object, _params: Loads) -> Output:
    return Output()


class Starts(Params):
    """Start another verb"""

    kind: Annotated[str, Meta(description="Which")]
    args: Annotated[dict[str, Any], Meta(description="Its own", extra=ARGUMENTS_OF_KIND)]


@tab_verb("starts", Starts, capability="core", tier=1)
async def starts(_tab: object, _params: Starts) -> Output:
    return Output()


VERBS = {"loads": loads, "starts": starts}


@pytest.fixture
def reach(tmp_path: Path) -> FileAccess:
    return FileAccess(Roots([tmp_path]))


def fill(reach: FileAccess, raw: dict[str, Any], verb: str = "loads") -> Mapping[str, Any]:
    return asyncio.run(read_path_params(VERBS, VERBS[verb], raw, reach))


def checked(reach: FileAccess, raw: dict[str, Any]) -> Loads:
    _, params = decode_call(loads, fill(reach, raw))
    assert isinstance(params, Loads)
    return check_paths(params, reach)


def refused(reach: FileAccess, **raw: object) -> OcdError:
    with pytest.raises(OcdError) as caught:
        checked(reach, raw)
    return caught.value


def test_a_companion_is_read_as_text_or_json(reach: FileAccess, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes("\ufeff1 + 1 // 한글".encode())
    (tmp_path / "p.json").write_text('{"steps": [1]}')
    raw = {"codePath": str(tmp_path / "a.js"), "plan_path": str(tmp_path / "p.json")}
    assert fill(reach, raw) == {"code": "1 + 1 // 한글", "plan": {"steps": [1]}}


def test_the_arguments_of_another_verb_are_filled_too(reach: FileAccess, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("2")
    raw = {"kind": "loads", "args": {"code_path": str(tmp_path / "a.js")}}
    assert fill(reach, raw, "starts") == {"kind": "loads", "args": {"code": "2"}}


def test_both_neither_and_unreadable_have_different_errors(
    reach: FileAccess, tmp_path: Path
) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe")
    (tmp_path / "c").write_text("{")
    assert refused(reach, code="1", code_path="/x").code == "source_conflict"
    assert refused(reach).details["parameter"] == "code"
    assert refused(reach).code == "source_missing"
    assert refused(reach, code_path="a.js").code == "path_not_absolute"
    missing = refused(reach, code_path=str(tmp_path / "none"))
    assert (missing.code, missing.details["errno"]) == ("file_not_found", 2)
    assert refused(reach, code_path="/etc/hostname").code == "path_outside_roots"
    assert "UTF-8" in refused(reach, code_path=str(tmp_path / "b")).message
    assert "JSON" in refused(reach, code="1", plan_path=str(tmp_path / "c")).message


def test_paths_are_checked_at_any_depth(reach: FileAccess, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("x")
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "alias").symlink_to(tmp_path / "in")
    raw = {"code": "1", "images": [str(tmp_path / "alias")], "save_to": str(tmp_path / "new")}
    assert checked(reach, raw).images == [str(tmp_path / "in")]
    assert refused(reach, code="1", images=[str(tmp_path / "link")]).code == "path_outside_roots"
    files = [{"name": "x", "file_path": "/etc/hostname"}]
    assert refused(reach, code="1", files=files).code == "path_outside_roots"
    assert refused(reach, code="1", save_to="/nowhere/x").code == "path_outside_roots"


def test_a_file_has_exactly_one_source(reach: FileAccess, tmp_path: Path) -> None:
    content = base64.b64encode(b"x").decode()
    both = {"name": "menu.pdf", "content": content, "file_path": str(tmp_path)}
    conflict = refused(reach, code="1", files=[both])
    assert (conflict.code, conflict.details["file"]) == ("source_conflict", "menu.pdf")
    assert refused(reach, code="1", files=[{"name": "menu.pdf"}]).code == "source_missing"


def test_oc_may_name_any_file(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("3")
    assert fill(FileAccess(cwd=str(tmp_path)), {"code_path": "a.js"}) == {"code": "3"}


@given(st.text())
def test_a_safe_name_is_one_plain_component(text: str) -> None:
    name = safe_name(text)
    assert name == Path(name).name
    assert 0 < len(name) <= 81
    assert name not in (".", "..")
    assert name.isascii()


@given(st.text(), st.text())
def test_two_texts_never_share_a_safe_name(one: str, other: str) -> None:
    assert (safe_name(one).casefold() == safe_name(other).casefold()) == (one == other)


@pytest.mark.parametrize("text", ["con", "CON", "a" * 10_000, "../x", "한국어", "😀", "", "a b"])
def test_odd_names_get_a_hash(text: str) -> None:
    assert "~" in safe_name(text)
