"""The handle store with real files: writing, paging, verification, refusals."""

import asyncio
import base64
import errno
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.outputs import paging
from ocd.outputs.item_index import BLOCK, read_index
from ocd.outputs.quota import StoredHandle, StoreUsage
from ocd.outputs.reader import PayloadReader, StoredItems
from ocd.outputs.store import OutputStore
from ocd.storage import crash_points
from ocd.storage.payload import JSON, JsonLinesFile, Payload, PayloadChunk
from support.clock import Clock

MB = 1024 * 1024


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> OutputStore:
    return OutputStore(tmp_path / "output", clock=clock)


def files(store: OutputStore) -> list[Path]:
    return sorted(path for path in store.root.rglob("*") if path.is_file())


def pages_of(count: int, content: str = "x") -> Payload:
    items = [{"number": number, "content": content} for number in range(count)]
    return Payload(JSON, {"summary": {"a": 1}, "pages": items, "end": True}, ("pages",))


class Chunks(Payload):
    """A payload of given chunks."""

    def __init__(self, chunks: Iterator[PayloadChunk], mime_type: str = "text/plain") -> None:
        super().__init__(mime_type, None)
        self._chunks = chunks

    def __iter__(self) -> Iterator[PayloadChunk]:
        return self._chunks


async def refusal(store: OutputStore, handle: str, form: paging.Format = "auto") -> OcdError:
    with pytest.raises(OcdError) as caught:
        await store.fetch(handle, 0, None, form)
    return caught.value


async def all_pages(
    store: OutputStore, handle: str, limit: int | None = None, form: paging.Format = "auto"
) -> list[dict[str, Any]]:
    pages = [await store.fetch(handle, 0, limit, form)]
    while not pages[-1]["eof"]:
        pages.append(await store.fetch(handle, pages[-1]["next_offset"], limit, form))
    return pages


# --- what is stored -----------------------------------------------------------------------------


async def test_a_handle_is_three_private_files_below_its_day(store: OutputStore) -> None:
    descriptor = await store.put(pages_of(3), "crawl")
    assert re.fullmatch(r"oh_[A-Z2-7]{12}", descriptor.output_handle)
    day = store.root / "2026-05-28"
    names = {path.name.removeprefix(descriptor.output_handle): path for path in day.iterdir()}
    assert names.keys() == {".json", ".idx", ".meta.json"}
    assert {path.stat().st_mode & 0o777 for path in names.values()} == {0o600}
    meta = json.loads(names[".meta.json"].read_bytes())
    assert meta["version"] == 1
    assert meta["source_tool"] == "crawl"
    assert meta["extension"] == "json"
    assert meta["expires_at"] == descriptor.expires_at == "2026-05-29T20:26:40.000Z"
    assert descriptor.size_bytes == names[".json"].stat().st_size
    assert descriptor.item_count == 3
    assert store.stats().count == 1
    assert store.stats().bytes == sum(path.stat().st_size for path in names.values())


@pytest.mark.parametrize(
    ("mime_type", "data", "suffix"),
    [
        ("application/json", {"a": 1}, "json"),
        ("text/markdown", "# é", "md"),
        ("text/html", "<p>", "txt"),
        ("application/gzip", b"\x1f\x8b", "bin"),
    ],
)
async def test_the_extension_follows_the_media_type(
    store: OutputStore, mime_type: str, data: object, suffix: str
) -> None:
    descriptor = await store.put(Payload(mime_type, data), "verb")
    path = await store.path(descriptor.output_handle)
    assert path.name == f"{descriptor.output_handle}.{suffix}"
    assert descriptor.item_count is None


async def test_a_list_in_a_file_of_rows_is_stored_as_one_document(
    store: OutputStore, tmp_path: Path
) -> None:
    rows = tmp_path / "pages.jsonl"
    rows.write_bytes(b"".join(b'{"n":%d}\n' % n for n in range(20_000)))
    payload = Payload(JSON, {"summary": {}, "pages": []}, ("pages",), JsonLinesFile(rows))
    descriptor = await store.put(payload, "crawl")
    stored = json.loads((await store.path(descriptor.output_handle)).read_bytes())
    assert stored == {"summary": {}, "pages": [{"n": n} for n in range(20_000)]}
    page = await store.fetch(descriptor.output_handle, 19_999)
    assert bytes(page["content"]) == b'[{"n":19999}]'


async def test_handles_in_another_folder_are_found_too(store: OutputStore, tmp_path: Path) -> None:
    other = tmp_path / "guard"
    descriptor = await store.put(Payload("text/plain", "x"), "verb", folder=other)
    assert (await store.path(descriptor.output_handle)).is_relative_to(other)
    assert (await store.fetch(descriptor.output_handle))["content"] == "x"


async def test_another_folder_is_known_after_a_restart(
    store: OutputStore, tmp_path: Path, clock: Clock
) -> None:
    descriptor = await store.put(Payload("text/plain", "x"), "verb", folder=tmp_path / "guard")
    reopened = OutputStore(store.root, clock=clock)
    assert (await reopened.fetch(descriptor.output_handle))["content"] == "x"


async def test_an_output_can_link_to_a_stored_file(store: OutputStore) -> None:
    """Payload and index are those of the file: its items can be fetched, and nothing is copied."""
    first = await store.path((await store.put(pages_of(3), "crawl")).output_handle)
    linked = pages_of(3)
    linked.file = first
    handle = (await store.put(linked, "crawl")).output_handle
    assert (await store.path(handle)).samefile(first)
    page = await store.fetch(handle, 1, 2, "items")
    assert [one["number"] for one in msgspec.json.decode(page["content"])] == [1, 2]


async def test_items_of_any_size_are_read_one_by_one(store: OutputStore) -> None:
    """Also one that is longer than what is read at once."""
    items = ["a", "b" * (2 * MB), "c", "d"]
    path = await store.path((await store.put(Payload(JSON, items, ()), "verb")).output_handle)
    stored = StoredItems(path, read_index(path.with_suffix(".idx")))
    assert [msgspec.json.decode(one) for one in stored] == items
    assert msgspec.json.decode(stored.at(1)) == items[1]


async def test_a_new_store_on_the_same_folder_serves_what_the_old_one_wrote(
    store: OutputStore, clock: Clock
) -> None:
    descriptor = await store.put(pages_of(2), "crawl")
    reopened = OutputStore(store.root, clock=clock)
    assert (await reopened.fetch(descriptor.output_handle))["returned"] == 2


# --- pages --------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(
    items=st.lists(st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=4)),
    limit=st.integers(1, 7),
    nested=st.booleans(),
)
def test_pages_of_items_rebuild_the_list(items: list[Any], limit: int, nested: bool) -> None:
    async def run() -> None:
        with TemporaryDirectory() as folder:
            store = OutputStore(Path(folder))
            data = {"a": {"list": items, "b": "]"}} if nested else items
            put = await store.put(Payload(JSON, data, ("a", "list") if nested else ()), "verb")
            assert put.item_count == len(items)
            pages = await all_pages(store, put.output_handle, limit)
            assert [item for page in pages for item in json.loads(bytes(page["content"]))] == items
            assert all(page["returned"] <= limit == page["limit"] for page in pages)
            assert all((page["next_offset"] is None) == page["eof"] for page in pages)
            assert {page["total"] for page in pages} == {len(items)}

    asyncio.run(run())


@settings(max_examples=40)
@given(text=st.text(st.characters(codec="utf-8"), max_size=60), data=st.data())
def test_pages_of_text_rebuild_the_bytes(text: str, data: st.DataObject) -> None:
    encoded = text.encode()
    limit = data.draw(st.integers(1, 9))
    offset = data.draw(st.integers(0, len(encoded) + 2))

    async def run() -> None:
        with TemporaryDirectory() as folder:
            store = OutputStore(Path(folder))
            handle = (await store.put(Payload("text/plain", text), "verb")).output_handle
            pages = await all_pages(store, handle, limit)
            assert "".join(page["content"] for page in pages) == text
            for page in pages:
                size = len(page["content"].encode())
                assert page["returned"] == size
                assert size <= limit or len(page["content"]) == 1
                assert page["content"].encode() == encoded[page["offset"] :][:size]
            anywhere = await store.fetch(handle, offset, limit, "text")
            assert offset - 3 <= anywhere["offset"] <= offset
            assert encoded[anywhere["offset"] :].startswith(anywhere["content"].encode())
            raw = await all_pages(store, handle, limit, "bytes")
            assert b"".join(base64.b64decode(page["content"]) for page in raw) == encoded

    asyncio.run(run())


_TEXTS = st.text(st.characters(codec="utf-8"))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
_SHAPES = st.one_of(
    st.tuples(st.just("text"), st.text(st.characters(codec="utf-8"), max_size=80)),
    st.tuples(st.just("rows"), st.lists(st.dictionaries(st.text(max_size=4), _VALUES), max_size=9)),
    st.tuples(st.just("json"), _VALUES),
    st.tuples(st.just("binary"), st.binary(max_size=80)),
)


def _shaped(folder: Path, shape: str, value: Any) -> Payload:  # noqa: ANN401 - any JSON value
    if shape == "rows":
        rows = folder / "pages.jsonl"
        rows.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in value))
        return Payload(JSON, {"summary": {"é": "]"}, "pages": []}, ("pages",), JsonLinesFile(rows))
    if shape == "json":
        return Payload(JSON, value, () if isinstance(value, list) else None)
    return Payload("text/plain" if shape == "text" else "image/png", value)


@settings(max_examples=60, deadline=None)
@given(shaped=_SHAPES, sizes=st.lists(st.integers(1, 11), min_size=1, max_size=5))
def test_pages_of_any_size_rebuild_the_output(shaped: Any, sizes: list[int]) -> None:  # noqa: ANN401 - any JSON value
    """Each page of another size: valid UTF-8, and joined they are what was stored."""

    async def run(folder: Path) -> None:
        store = OutputStore(folder / "output")
        handle = (await store.put(_shaped(folder, *shaped), "verb")).output_handle
        stored = (await store.path(handle)).read_bytes()
        whole = await store.fetch(handle)
        forms: list[paging.Format] = ["bytes"]
        forms += ["text"] if shaped[0] != "binary" else []
        forms += ["items"] if whole["format"] == "items" else []
        for form in forms:
            pages, offset = [], 0
            while offset is not None:
                size = sizes[len(pages) % len(sizes)]
                pages.append(await store.fetch(handle, offset, size, form))
                assert pages[-1]["eof"] == (pages[-1]["next_offset"] is None)
                offset = pages[-1]["next_offset"]
            parts = [page["content"] for page in pages]
            if form == "bytes":
                assert b"".join(map(base64.b64decode, parts)) == stored
            elif form == "text":
                assert b"".join(part.encode() for part in parts) == stored
            else:
                items = [item for part in parts for item in msgspec.json.decode(bytes(part))]
                there = msgspec.json.decode(stored)
                assert items == (there if isinstance(there, list) else there["pages"])

    with TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


async def test_auto_chooses_the_format_by_the_payload(store: OutputStore) -> None:
    chosen = {}
    for name, payload in {
        "list": Payload(JSON, [1, 2], ()),
        "object": Payload(JSON, {"a": 1}),
        "text": Payload("text/markdown", "# A"),
        "binary": Payload("image/png", b"\x89PNG"),
    }.items():
        page = await store.fetch((await store.put(payload, "verb")).output_handle)
        chosen[name] = (page["format"], page["limit"])
    assert chosen == {
        "list": ("items", 200),
        "object": ("bytes", 65536),
        "text": ("text", 65536),
        "binary": ("bytes", 65536),
    }


async def test_json_can_be_read_as_text(store: OutputStore) -> None:
    descriptor = await store.put(Payload(JSON, {"a": "é"}), "verb")
    page = await store.fetch(descriptor.output_handle, 0, None, "text")
    assert page["content"] == '{"a":"é"}'


@pytest.mark.parametrize(
    ("payload", "form"),
    [
        (Payload("text/plain", "x"), "items"),
        (Payload(JSON, {"a": 1}), "items"),
        (Payload("image/png", b"\x89"), "text"),
        (Payload("text/plain", b"\xff\xff\xff\xff\xff"), "text"),
    ],
)
async def test_a_format_that_does_not_suit_is_refused(
    store: OutputStore, payload: Payload, form: paging.Format
) -> None:
    descriptor = await store.put(payload, "verb")
    error = await refusal(store, descriptor.output_handle, form)
    assert error.code == "invalid_format_for_payload"


@pytest.mark.parametrize("offset", [3, 4, 10**15])
async def test_a_page_past_the_end_is_empty(store: OutputStore, offset: int) -> None:
    descriptor = await store.put(Payload(JSON, [1, 2, 3], ()), "verb")
    page = await store.fetch(descriptor.output_handle, offset)
    assert bytes(page.pop("content")) == b"[]"
    assert page == {
        "output_handle": descriptor.output_handle, "offset": offset, "limit": 200, "returned": 0,
        "total": 3, "next_offset": None, "eof": True, "format": "items",
    }  # fmt: skip


async def test_an_empty_list_is_at_its_end(store: OutputStore) -> None:
    descriptor = await store.put(Payload(JSON, {"pages": []}, ("pages",)), "crawl")
    page = await store.fetch(descriptor.output_handle)
    assert (page["total"], page["eof"], bytes(page["content"])) == (0, True, b"[]")


async def test_a_page_of_items_stays_below_its_size_but_holds_one_item(store: OutputStore) -> None:
    items = ["a" * 1000, "b" * (3 * MB), "c" * (2 * MB), "d" * (5 * MB), "e"]
    handle = (await store.put(Payload(JSON, items, ()), "verb")).output_handle
    pages = await all_pages(store, handle)
    assert [page["returned"] for page in pages] == [2, 1, 1, 1]
    assert [item for page in pages for item in json.loads(bytes(page["content"]))] == items


async def test_a_limit_above_the_maximum_is_lowered_and_reported(store: OutputStore) -> None:
    descriptor = await store.put(Payload("text/plain", "x" * (2 * MB)), "verb")
    page = await store.fetch(descriptor.output_handle, 0, 10 * MB)
    assert page["limit"] == page["returned"] == MB


async def test_a_fetch_reads_no_more_than_the_page(
    store: OutputStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cost must not grow with the payload: 100 times the items, the same bytes read."""
    read: list[int] = []

    read_bytes = PayloadReader._bytes

    def counted(reader: PayloadReader, start: int, end: int) -> bytes:
        data = read_bytes(reader, start, end)
        read.append(len(data))
        return data

    monkeypatch.setattr(PayloadReader, "_bytes", counted)
    for count in (1_000, 100_000):
        handle = (await store.put(pages_of(count), "crawl")).output_handle
        await store.fetch(handle, 500, 10)
    page = len(b'{"number":500,"content":"x"},') * 10
    assert read[0] == read[1] <= page + 2 * BLOCK


# --- what was changed behind our back -------------------------------------------------------------

Damage = Callable[[bytes], bytes]
DAMAGES: dict[str, Damage] = {
    "flip": lambda data: data[:8] + bytes([data[8] ^ 1]) + data[9:],
    "truncate": lambda data: data[: len(data) // 2],
    "longer index": lambda data: data + b"x",
    "empty": lambda _data: b"",
    "zeros": lambda data: bytes(len(data)),
}


@pytest.mark.parametrize("name", sorted(DAMAGES))
@pytest.mark.parametrize("suffix", [".json", ".idx"])
async def test_a_changed_payload_is_never_returned(
    store: OutputStore, suffix: str, name: str
) -> None:
    """Whatever page is fetched in whatever format: an error with the path, or what was stored."""
    handle = (await store.put(pages_of(2000, "line of text"), "crawl")).output_handle
    forms: list[paging.Format] = ["items", "text", "bytes"]
    whole = {form: await all_pages(store, handle, None, form) for form in forms}
    (path,) = store.root.rglob(f"{handle}{suffix}")
    path.write_bytes(DAMAGES[name](path.read_bytes()))
    refused: list[OcdError] = []
    for form in forms:
        for page in whole[form]:
            try:
                found = await store.fetch(handle, page["offset"], None, form)
            except OcdError as error:
                refused.append(error)
            else:
                assert found == page
    codes = {(one.code, Path(one.details["path"]).stem) for one in refused}
    if (suffix, name) == (".json", "longer index"):
        assert codes == set()  # what is behind the end is not read
        return
    assert codes == {("unreadable_file", handle)}
    if (suffix, name) != (".idx", "flip"):  # the excerpt of a search is text, whatever it is
        with pytest.raises(OcdError, match=handle):
            await store.search(handle, "no such thing")


async def test_a_payload_without_checksums_is_decoded_before_it_is_shown(
    store: OutputStore,
) -> None:
    """Of older releases, items that are not JSON, and JSON that is not UTF-8, are refused."""
    handle = (await store.put(pages_of(20), "crawl")).output_handle
    (meta,) = store.root.rglob("*.meta.json")
    meta.write_bytes(meta.read_bytes().replace(b',"checksums":true', b""))
    path, index = await store.path(handle), meta.with_name(f"{handle}.idx")
    offsets = index.read_bytes()[8 : 8 + 21 * 8]
    index.write_bytes(b"ocd-idx\x01" + offsets)
    assert len(bytes((await store.fetch(handle))["content"])) > 100
    path.write_bytes(path.read_bytes().replace(b'"number":7', b'"number":\xff'))
    assert (await refusal(store, handle, "items")).code == "unreadable_file"
    assert (await refusal(store, handle, "text")).code == "unreadable_file"
    assert len(bytes((await store.fetch(handle, 9))["content"])) > 100


async def test_a_missing_payload_is_reported(store: OutputStore) -> None:
    handle = (await store.put(pages_of(3), "crawl")).output_handle
    (await store.path(handle)).unlink()
    error = await refusal(store, handle)
    assert (error.code, error.message) == (
        "unreadable_file",
        f"Cannot read {error.details['path']}: it is missing",
    )


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["oh_DEADBEEF0000", "oh_AAAAAAAAAAAA", "", "x", "../../etc/passwd", "oh_AAAAAAAAAAA/",
     "oh_AAAAAAAAAAAA\n", "oh_aaaaaaaaaaaa", "oh_AAAAAAAAAAAA.meta", "a" * 5000, "\x00", "😀"],
)  # fmt: skip
async def test_invalid_handles_are_not_found(store: OutputStore, name: str) -> None:
    await store.put(Payload("text/plain", "x"), "verb")
    error = await refusal(store, name)
    assert error.code == "output_handle_not_found"
    assert "Repeat the call" in error.hint
    assert len(error.message) < 200


async def test_an_expired_handle_is_refused_before_any_sweep(
    store: OutputStore, clock: Clock
) -> None:
    descriptor = await store.put(Payload("text/plain", "x"), "verb")
    clock.now += 24 * 3600 - 1
    await store.fetch(descriptor.output_handle)
    clock.now += 1
    assert (await refusal(store, descriptor.output_handle)).code == "output_handle_not_found"
    assert len(files(store)) == 3


async def test_a_time_to_live_of_zero_expires_at_once(store: OutputStore) -> None:
    store.ttl_hours = 0
    descriptor = await store.put(Payload("text/plain", "x"), "verb")
    assert (await refusal(store, descriptor.output_handle)).code == "output_handle_not_found"
    assert await store.sweep() == 1
    assert list(store.root.iterdir()) == []


async def test_an_edited_meta_cannot_lead_elsewhere(store: OutputStore, tmp_path: Path) -> None:
    descriptor = await store.put(Payload("text/plain", "x"), "verb")
    (meta,) = store.root.rglob("*.meta.json")
    meta.write_bytes(meta.read_bytes().replace(b'"txt"', b'"/../../secret"'))
    error = await refusal(store, descriptor.output_handle)
    assert error.code == "unreadable_file"
    assert error.details["path"] == str(meta)


async def test_a_payload_that_became_a_link_is_not_followed(
    store: OutputStore, tmp_path: Path
) -> None:
    descriptor = await store.put(Payload("text/plain", "x"), "verb")
    (tmp_path / "secret").write_text("secret")
    path = await store.path(descriptor.output_handle)
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    assert (await refusal(store, descriptor.output_handle)).code == "unreadable_file"


# --- failures leave nothing ---------------------------------------------------------------------


async def test_an_interrupted_payload_leaves_nothing(store: OutputStore) -> None:
    def broken() -> Iterator[PayloadChunk]:
        yield PayloadChunk(b"x" * MB)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OcdError) as caught:
        await store.put(Chunks(broken()), "verb")
    assert caught.value.code == "storage_full"
    assert files(store) == []
    assert store.stats().bytes == 0


@pytest.mark.parametrize("step", ["handle.payload.written", "handle.index.written"])
async def test_a_failure_between_the_steps_leaves_nothing(
    store: OutputStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(name: str) -> None:
        if name == step:
            raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(crash_points, "point", fail)
    with pytest.raises(OcdError) as caught:
        await store.put(pages_of(3), "crawl")
    assert caught.value.code == "storage_failed"
    assert files(store) == []


async def test_a_full_store_refuses_and_leaves_nothing(store: OutputStore) -> None:
    store.max_store_mb = 2
    kept = await store.put(Payload("text/plain", "a" * MB), "verb")
    with pytest.raises(OcdError) as caught:
        await store.put(Payload("text/plain", "b" * MB), "verb")
    assert caught.value.code == "storage_full"
    assert caught.value.details["max_store_mb"] == 2
    assert len(files(store)) == 3
    assert store.stats().bytes == sum(path.stat().st_size for path in files(store))
    assert (await store.fetch(kept.output_handle))["total"] == MB


async def test_a_full_store_makes_room_by_sweeping_first(store: OutputStore, clock: Clock) -> None:
    store.max_store_mb = 2
    await store.put(Payload("text/plain", "a" * MB), "verb")
    clock.now += 24 * 3600
    await store.put(Payload("text/plain", "b" * MB), "verb")
    assert store.stats().count == 1


async def test_a_new_store_counts_what_is_there_already(store: OutputStore, clock: Clock) -> None:
    await store.put(Payload("text/plain", "a" * MB), "verb")
    reopened = OutputStore(store.root, max_store_mb=2, clock=clock)
    with pytest.raises(OcdError, match="max_store_mb"):
        await reopened.put(Payload("text/plain", "b" * MB), "verb")


async def test_a_cancelled_put_stops_writing_and_leaves_nothing(store: OutputStore) -> None:
    going = threading.Event()
    cancelled = threading.Event()
    written: list[int] = []

    def endless() -> Iterator[PayloadChunk]:
        for number in range(200):
            yield PayloadChunk(b"x" * MB)
            written.append(number)
            going.set()
            cancelled.wait(30)

    async with asyncio.TaskGroup() as group:
        task = group.create_task(store.put(Chunks(endless()), "verb"))
        assert await asyncio.to_thread(going.wait, 30)
        task.cancel()
    cancelled.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert len(written) < 5
    assert files(store) == []
    assert store.stats().bytes == 0


def test_an_output_written_during_a_sweep_stays(tmp_path: Path) -> None:
    """The sweep has seen its payload, but not its meta file yet."""
    usage = StoreUsage()
    before = usage.names()
    usage.keep("oh_NEW", StoredHandle(tmp_path, 9, expires=7.0))
    usage.reconcile(before, {"oh_NEW": StoredHandle(tmp_path, 5, expires=None)})
    assert (usage.count(), usage.total) == (1, 9)


async def test_concurrent_puts_are_counted_correctly(store: OutputStore) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(store.put(pages_of(50), "crawl"))
            group.create_task(store.sweep())
    assert store.stats().count == 20
    assert store.stats().bytes == sum(path.stat().st_size for path in files(store))
