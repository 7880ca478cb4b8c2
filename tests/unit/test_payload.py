"""Payloads: one pass of chunks whose items are marked, whatever the list's place."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.storage.payload import JSON, JsonLinesFile, Payload, of_text
from ocd.verb_api.declaration import Output

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(json_values), json_values)
def test_a_nested_list_is_split_into_its_items_and_nothing_is_changed(
    pages: list[object], other: object
) -> None:
    """The chunks rebuild the JSON exactly; each item's chunk is that item's JSON."""
    data = {"meta": other, "result": {"pages": pages, "after": other}}
    payload = Payload(JSON, data, ("result", "pages"))
    assert msgspec.json.decode(payload.encode()) == data
    assert [msgspec.json.decode(c.data) for c in payload if c.is_item] == pages


@given(st.lists(json_values))
def test_a_list_is_its_own_items(values: list[object]) -> None:
    """A result that is an array pages by its elements."""
    payload = Payload(JSON, values, ())
    assert msgspec.json.decode(payload.encode()) == values
    assert [msgspec.json.decode(c.data) for c in payload if c.is_item] == values


@given(st.lists(st.dictionaries(st.text(), st.text()), max_size=5))
def test_rows_from_a_file_equal_the_same_list_in_memory(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> None:
    """A crawl's pages come from their file without being decoded."""
    path = tmp_path_factory.mktemp("rows") / "pages.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    from_file = Output(data={"summary": {"n": 1}}, rows=JsonLinesFile(path)).payload(("pages",))
    in_memory = Output(data={"summary": {"n": 1}, "pages": rows}).payload(("pages",))
    assert from_file.encode() == in_memory.encode()


def test_a_torn_last_row_is_left_out(tmp_path: Path) -> None:
    """A line that a dying process did not finish is no page."""
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":')
    payload = Output(data={}, rows=JsonLinesFile(path)).payload(("pages",))
    assert payload.encode() == b'{"pages":[{"n":1}]}'


@given(json_values)
def test_a_text_that_is_json_is_stored_as_its_value(value: object) -> None:
    """A script's list pages by its elements, and nothing is encoded twice."""
    text = msgspec.json.encode(value).decode()
    payload = of_text(JSON, text)
    assert payload.mime_type == JSON
    assert payload.encode() == text.encode()
    if isinstance(value, list):
        assert [msgspec.json.decode(c.data) for c in payload if c.is_item] == value


@pytest.mark.parametrize("text", ["[removed: 1 invisible character]\n[1]", "{]", "", "1 2"])
def test_text_that_is_not_json_is_stored_as_text(text: str) -> None:
    """A text is not JSON because it ends like JSON."""
    payload = of_text(JSON, text)
    assert (payload.mime_type, payload.encode()) == ("text/plain", text.encode())


def test_page_text_is_the_payload_where_present() -> None:
    """What a reading stores is its text, not the JSON about it."""
    output = Output(data={"url": "u"}, content="# Ünï", content_type="text/markdown")
    payload = output.payload(None)
    assert (payload.mime_type, payload.encode()) == ("text/markdown", "# Ünï".encode())
