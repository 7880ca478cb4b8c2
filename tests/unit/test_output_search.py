"""Searching a stored output: correct matches, bounded in time, memory and size."""

import asyncio
import json
import re
import threading
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.outputs import search
from ocd.outputs.file_layout import HandleFiles, open_payload
from ocd.outputs.item_index import read_index
from ocd.outputs.meta import read_meta
from ocd.outputs.reader import PayloadReader
from ocd.outputs.search import Search, SearchQuery
from ocd.outputs.store import OutputStore
from ocd.storage.payload import JSON, Payload


@pytest.fixture
def store(tmp_path: Path) -> OutputStore:
    return OutputStore(tmp_path / "output")


async def searched(
    store: OutputStore, payload: Payload, pattern: str, *limits: int
) -> dict[str, Any]:
    descriptor = await store.put(payload, "verb")
    return await store.search(descriptor.output_handle, pattern, *limits)


def texts(result: dict[str, Any]) -> list[str]:
    return [match["text"] for match in result["matches"]]


async def test_lines_come_with_number_offset_and_neighbours(store: OutputStore) -> None:
    text = "\n".join(f"línea {number}" for number in range(1, 101))
    result = await searched(store, Payload("text/markdown", text), "(?i)^LÍNEA 5[01]$", 20, 1)
    offset = text.encode().index("línea 50".encode())
    assert result["matches"][0] == {
        "offset": offset, "line": 50, "text": "línea 50",
        "before": ["línea 49"], "after": ["línea 51"],
    }  # fmt: skip
    assert texts(result) == ["línea 50", "línea 51"]
    assert (result["returned"], result["truncated"], result["stopped_by"]) == (2, False, None)


async def test_neighbours_end_with_the_text(store: OutputStore) -> None:
    result = await searched(store, Payload("text/plain", "a\nb\n"), "a|b", 20, 3)
    first, second = result["matches"]
    assert (first["before"], first["after"]) == ([], ["b"])
    assert (second["before"], second["after"]) == (["a"], [])


async def test_the_next_step_shows_the_match(store: OutputStore) -> None:
    text = Payload("text/plain", "\n" * 5000 + "needle\n" + "\n" * 5000)
    items = Payload(JSON, {"pages": [{"n": n} for n in range(100)]}, ("pages",))
    for payload, pattern in ((text, "needle"), (items, '"n":42')):
        step = (await searched(store, payload, pattern))["next_step"]
        assert step["verb"] == "oc_output_fetch"
        where = step["params"]
        page = await store.fetch(
            where["output_handle"], where["offset"], where["limit"], where["format"]
        )
        content = page["content"]
        assert pattern in (content if isinstance(content, str) else bytes(content).decode())
    assert (await searched(store, text, "absent"))["next_step"] is None


async def test_items_are_searched_one_by_one(store: OutputStore) -> None:
    items = [{"n": n, "word": "first" if n % 2 else "second"} for n in range(3000)]
    payload = Payload(JSON, {"summary": "first", "pages": items}, ("pages",))
    result = await searched(store, payload, "first.*second")
    assert result["matches"] == []  # never across items
    result = await searched(store, payload, r'^\{"n":2999,.*\}$')
    assert [match["item"] for match in result["matches"]] == [2999]
    result = await searched(store, payload, "first", 3)
    assert [match["item"] for match in result["matches"]] == [None, 1, 3]
    assert result["stopped_by"] == "limit"
    stored = (await store.path(result["output_handle"])).read_bytes()
    assert all(stored[match["offset"] :].startswith(b"first") for match in result["matches"])


async def test_json_without_items_is_searched_as_text(store: OutputStore) -> None:
    result = await searched(store, Payload(JSON, {"a": "x" * 5000 + "needle"}), "needle")
    (match,) = result["matches"]
    assert match["line"] == 1
    assert "needle" in match["text"]
    assert len(match["text"]) <= 500


@pytest.mark.parametrize("as_items", [True, False])
async def test_a_line_of_megabytes_gives_windows_around_its_matches(
    store: OutputStore, as_items: bool
) -> None:
    places = [0, 1_048_570, 2_000_000, 4_999_994]
    blob = bytearray(b"x" * 5_000_000)
    for place in places:
        blob[place : place + 6] = b"needle"
    data = ["a", blob.decode(), "b"] if as_items else blob.decode()
    payload = Payload(JSON, data, ()) if as_items else Payload("text/plain", data)
    result = await searched(store, payload, "needle")
    begin = len('["a","') if as_items else 0
    assert [match["offset"] - begin for match in result["matches"]] == places
    assert all("needle" in text and len(text) <= 500 for text in texts(result))
    assert {match.get("item") for match in result["matches"]} == {1 if as_items else None}


async def test_a_long_line_is_one_excerpt_for_what_it_shows(store: OutputStore) -> None:
    result = await searched(store, Payload("text/plain", "é" * 10_000 + "ab" * 200), "ab")
    assert len(result["matches"]) == 2
    assert all("\ufffd" not in text for text in texts(result))


async def test_the_answer_has_at_most_32_kilobytes(store: OutputStore) -> None:
    text = "\n".join('"' * 499 for _ in range(500))
    result = await searched(store, Payload("text/plain", text), '"', 200, 10)
    assert len(msgspec.json.encode(result)) <= 32 * 1024
    assert result["truncated"]
    assert result["stopped_by"] == "size"
    assert result["returned"] >= 2


async def test_binary_outputs_cannot_be_searched(store: OutputStore) -> None:
    with pytest.raises(OcdError) as caught:
        await searched(store, Payload("image/png", b"\x89PNG"), "PNG")
    assert caught.value.code == "invalid_format_for_payload"


@pytest.mark.parametrize("pattern", ["a(b", "[", "(?=x)", r"(a)\1", "a{5000}", "*", "\ud800"])
async def test_an_invalid_pattern_is_an_invalid_argument(store: OutputStore, pattern: str) -> None:
    with pytest.raises(OcdError) as caught:
        await searched(store, Payload("text/plain", "ab"), pattern)
    assert caught.value.code == "invalid_argument"
    assert caught.value.details["parameter"] == "pattern"


async def test_the_error_explains_the_invalid_pattern(store: OutputStore) -> None:
    with pytest.raises(OcdError, match=re.escape("missing ): a(b")):
        await searched(store, Payload("text/plain", "ab"), "a(b")


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "a", "a\n", "\na", "\r\n"])
@pytest.mark.parametrize("pattern", ["a*", "", "^$", "$", "."])
async def test_searches_without_a_match_end(store: OutputStore, text: str, pattern: str) -> None:
    result = await searched(store, Payload("text/plain", text), pattern, 200, 2)
    assert result["returned"] <= text.count("\n") + 1


async def test_a_catastrophic_pattern_takes_linear_time(store: OutputStore) -> None:
    result = await searched(store, Payload("text/plain", "a" * 500_000), "(a+a+)+b")
    assert (result["returned"], result["stopped_by"]) == (0, None)


def one_search(store: OutputStore, query: SearchQuery, seconds: float) -> dict[str, Any]:
    (meta_path,) = store.root.rglob("*.meta.json")
    place = HandleFiles(meta_path.parent, meta_path.name.removesuffix(".meta.json"))
    meta = read_meta(place)
    assert meta
    path = place.payload(meta.extension)
    with open_payload(path) as file:
        payload = PayloadReader(file, path, meta.size_bytes, read_index(place.index))
        return Search(payload, meta, query, seconds).run()


@pytest.mark.parametrize("items", [None, ()])
async def test_the_time_limit_is_checked_between_windows(
    store: OutputStore, items: tuple[str, ...] | None
) -> None:
    await store.put(Payload(JSON, ["word"] * 100_000, items), "verb")
    result = one_search(store, SearchQuery("word", 20, 0), -1)
    assert (result["returned"], result["truncated"], result["stopped_by"]) == (0, True, "time")


async def test_a_search_ends_when_its_caller_leaves(store: OutputStore) -> None:
    await store.put(Payload("text/plain", "word\n" * 100), "verb")
    stop = threading.Event()
    stop.set()
    assert one_search(store, SearchQuery("word", 20, 0, stop), 10)["returned"] == 0


async def test_memory_does_not_grow_with_the_payload(store: OutputStore) -> None:
    await store.put(Payload(JSON, {"a": "x" * 30_000_000}), "verb")
    tracemalloc.start()
    try:
        one_search(store, SearchQuery("y", 20, 0), 30)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


@settings(max_examples=60)
@given(
    lines=st.lists(st.text("ab é\r", max_size=12), max_size=30),
    pattern=st.sampled_from(["a", "ab", "^a", "b$", "a.*b", "é", r"\bab\b", "[^a]b", r"\sb", "^$"]),
)
def test_lines_are_found_as_re_finds_them_whatever_the_window(
    lines: list[str], pattern: str
) -> None:
    """Windows of a few bytes do not change the result."""
    expected = [
        number
        for number, line in enumerate(lines, 1)
        if re.search(pattern.encode(), line.encode()) and (line or number < len(lines))
    ]

    async def run() -> list[int]:
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "_WINDOW", 64)
            patch.setattr(search, "_OVERLAP", 16)
            store = OutputStore(Path(folder))
            payload = Payload("text/plain", "\n".join(lines))
            return [m["line"] for m in (await searched(store, payload, pattern, 99))["matches"]]

    assert asyncio.run(run()) == expected


@settings(max_examples=60)
@given(
    items=st.lists(st.text('ab,é"\\', max_size=40), max_size=30),
    pattern=st.sampled_from(["a", "ab", '^"a', 'b"$', "a.*b", "é", r"\bab\b", "[^a]b", ","]),
)
def test_items_are_found_as_re_finds_them_whatever_the_window(
    items: list[str], pattern: str
) -> None:
    stored = [json.dumps(item, ensure_ascii=False).encode() for item in items]
    expected = [n for n, item in enumerate(stored) if re.search(pattern.encode(), item)]

    async def run() -> list[int]:
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "_WINDOW", 100)
            patch.setattr(search, "_INDEX_BLOCK", 7)
            store = OutputStore(Path(folder))
            found = await searched(store, Payload(JSON, items, ()), pattern, 99)
            return [match["item"] for match in found["matches"]]

    assert asyncio.run(run()) == expected
