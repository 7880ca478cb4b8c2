"""Notes about sites: stored, found, rated by confidence, never lost, and without secrets."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon

NAMES = ["with spaces", "한국어", "🧭🚢", "..", "../../etc/hosts", "a/b\\c", "CON", "x" * 10_240]


def record(daemon: Daemon, domain: str, key: str, value: object = "v") -> str:
    note_id: str = daemon.do("memory", action="record", domain=domain, key=key, value=value)["id"]
    return note_id


def test_notes_are_found_by_domain_key_prefix_and_words(daemon: Daemon) -> None:
    """A URL counts as its host; a key is also found by the part before its colon."""
    record(daemon, "https://Shop.example.org/cart?x=1", "selector:buy", "button Buy now")
    record(daemon, "shop.example.org", "selector:pay", {"role": "button", "name": "Pay"})
    record(daemon, "shop.example.org", "tip", "log in first")
    record(daemon, "other.example.org", "tip", "nothing")

    def keys(**params: object) -> list[str]:
        found = daemon.do("memory", action="query", domain="shop.example.org", **params)
        assert found["count"] == len(found["entries"]) == found["total"]
        return sorted(one["key"] for one in found["entries"])

    assert keys() == ["selector:buy", "selector:pay", "tip"]
    assert keys(key="selector") == keys(key="selector:") == ["selector:buy", "selector:pay"]
    assert keys(key="tip") == ["tip"]
    assert keys(query="button PAY") == ["selector:pay"]
    assert keys(key="sel") == []
    pages = [
        daemon.do("memory", action="query", domain="shop.example.org", limit=2, offset=at)
        for at in (0, 2)
    ]
    assert (pages[0]["next_offset"], pages[0]["total"], pages[1]["count"]) == (2, 3, 1)
    assert "next_offset" not in pages[1]


@pytest.mark.parametrize("value", [5, 2.5, True, "5", [1, 2.0], {"n": 9007199254740993}])
def test_a_value_is_returned_unchanged(daemon: Daemon, value: object) -> None:
    """Whole numbers stay whole."""
    record(daemon, "same.example.org", "value", value)
    (note,) = daemon.do("memory", action="query", domain="same.example.org")["entries"]
    assert json.dumps(note["value"]) == json.dumps(value)


def test_confidence_changes_only_by_feedback(daemon: Daemon) -> None:
    """+0.1 and -0.2; writing the same value changes nothing; below 0.2 the note is deleted."""

    def validate(*, success: bool) -> dict[str, object]:
        found: dict[str, object] = daemon.do("memory", action="validate", id=note, success=success)
        return found

    def confidence(value: str) -> float:
        again = daemon.do("memory", action="record", domain="c", key="k", value=value)
        assert again["id"] == note
        return float(again["confidence"])

    note = record(daemon, "c", "k", "one")
    assert validate(success=True)["new_confidence"] == 0.6
    assert confidence("one") == 0.6
    assert confidence("two") == 0.5
    assert validate(success=False)["new_confidence"] == 0.3
    assert confidence("two") == confidence("three") == 0.3
    assert validate(success=False)["pruned"] is True
    assert daemon.call("memory", action="validate", id=note, success=True).code == "not_found"
    assert daemon.do("memory", action="query", domain="c")["count"] == 0


@pytest.mark.parametrize(
    "params",
    [
        {"action": "record", "domain": "d", "key": "k"},
        {"action": "record", "domain": "", "key": "k", "value": "v"},
        {"action": "record", "domain": "d", "key": "k", "value": "v" * 70_000},
        {"action": "validate", "id": "dk-1"},
        {"action": "forget"},
    ],
)
def test_missing_and_excessive_parameters_are_named(
    daemon: Daemon, params: dict[str, object]
) -> None:
    reply = daemon.call("memory", **params)
    assert reply.code == "invalid_argument"
    assert reply.error["parameter"] in ("value", "domain", "success", "action")


def test_any_domain_name_is_stored_separately_and_survives_a_kill(
    make_daemon: Callable[..., Daemon],
) -> None:
    """Names are data: no file outside the folder, no collisions, nothing lost."""
    daemon = make_daemon()
    ids = {record(daemon, name, name, name[:50]) for name in NAMES}
    assert len(ids) == len(NAMES)
    daemon.do("memory", action="delete", id=record(daemon, "gone", "gone"))
    daemon.kill9().start()
    for name in NAMES:
        (entry,) = daemon.do("memory", action="query", domain=name)["entries"]
        assert (entry["key"], entry["value"]) == (name, name[:50])
    assert daemon.do("memory", action="query")["total"] == len(NAMES)
    assert [path.name for path in (daemon.home.path / "memory").iterdir()] == ["memory.jsonl"]


def test_two_concurrent_agents_lose_nothing(daemon: Daemon) -> None:
    """Both write fifty notes of their own and judge a common one."""
    common = record(daemon, "race", "common")

    def work(name: str) -> None:
        for number in range(50):
            daemon.do(
                "memory", name, action="record", domain="race", key=f"{name}{number}", value=1
            )
            if number < 2:
                daemon.do("memory", name, action="validate", id=common, success=True)

    agents = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    found = daemon.do("memory", action="query", domain="race", limit=1000)
    assert found["total"] == 101
    assert found["entries"][0]["key"] == "common"
    assert found["entries"][0]["confidence"] == 0.9


def test_secrets_are_masked_and_placeholders_stay(
    make_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """Neither a named secret nor what looks like one is on the disk or in an answer."""
    secrets = tmp_path / "secrets"
    secrets.write_text("SHOP_WORD=sesame-opens-4711\n")
    daemon = make_daemon("--secrets", str(secrets))
    record(daemon, "d", "tip", "the word is ${SECRET:SHOP_WORD}")
    record(daemon, "d", "spelt", "it is sesame-opens-4711")
    record(daemon, "d", "password", "hunter-2-hunter")
    record(daemon, "d", "selector:password", "#word")
    record(daemon, "d", "login", {"user": "kim", "token": "abc-def-ghi"})
    kept = (daemon.home.path / "memory" / "memory.jsonl").read_text()
    said = json.dumps(daemon.do("memory", action="query", domain="d"))
    for text in (kept, said):
        for word in ("sesame", "hunter", "abc-def"):
            assert word not in text
        assert text.count("${SECRET:SHOP_WORD}") == 2
        assert "kim" in text
        assert "#word" in text


def test_unreadable_lines_stay_and_are_reported(make_daemon: Callable[..., Daemon]) -> None:
    """The others are served; a file of a newer version is neither read nor written to."""
    daemon = make_daemon()
    record(daemon, "d", "one")
    file = daemon.home.path / "memory" / "memory.jsonl"
    daemon.stop()
    with file.open("a", encoding="utf-8") as log:
        log.write('{"key": "torn\n')
    daemon.start()
    record(daemon, "d", "two")
    found = daemon.do("memory", action="query", domain="d")
    assert found["total"] == 2
    assert found["unreadable"] == {"path": str(file), "lines": 1}
    assert '{"key": "torn\n' in file.read_text()
    daemon.stop()
    newer = '{"format":"memory","version":99}\n'
    file.write_text(newer)
    daemon.start()
    refused = daemon.call("memory", action="record", domain="d", key="k", value="v")
    assert (refused.code, refused.error["path"]) == ("unreadable_file", str(file))
    assert file.read_text() == newer
