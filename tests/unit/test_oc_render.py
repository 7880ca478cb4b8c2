"""How results are printed for people."""

from datetime import UTC, datetime

import pytest

from oc import terminal
from oc.command_line.argv import Command
from oc.output import human_text, reply_rendering, task_rendering
from ocd.api.errors import OcdError

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def command(name: str = "tabs_context", **options: object) -> Command:
    return Command({"name": name}, {}, dict(options))


def test_objects_are_lines_and_lists_tables() -> None:
    value = {
        "url": "http://x/",
        "ok": True,
        "nothing": None,
        "tags": ["a", "b"],
        "tabs": [{"tab_id": "t1", "title": "漢字"}, {"tab_id": "t10", "title": "b", "n": 1}],
        "inner": {"deep": {"a": 1}},
    }
    assert human_text.for_humans(value).split("\n") == [
        "url: http://x/",
        "ok: yes",
        "nothing: -",
        "tags: a, b",
        "tabs:",
        "  TAB ID  TITLE  N",
        "  t1      漢字",
        "  t10     b      1",
        "inner:",
        "  deep:",
        "    a: 1",
    ]


def test_long_urls_are_below_their_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Complete, on as many lines as they need; a table that is wide enough has them in a column."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    kind = {"resource_type": "document", "mime_type": "text/html"}
    urls = ["http://127.0.0.1:8080/", f"http://127.0.0.1:8080/{'a-b/' * 12}?q=end"]
    rows = [{"id": f"r{n}", "method": "GET", "url": url, **kind} for n, url in enumerate(urls)]
    monkeypatch.setenv("COLUMNS", "60")
    assert human_text.for_humans({"requests": rows}).split("\n") == [
        "requests:",
        "  ID  METHOD  RESOURCE TYPE  MIME TYPE",
        "  r0  GET     document       text/html",
        "      http://127.0.0.1:8080/",
        "  r1  GET     document       text/html",
        f"      {urls[1][:54]}",
        f"      {urls[1][54:]}",
    ]
    monkeypatch.setenv("COLUMNS", "80")
    assert "URL" in human_text.for_humans({"requests": rows}).split("\n")[1]


def test_long_texts_are_not_squeezed_into_tables() -> None:
    pages = [{"url": "a", "content": "one\ntwo"}, {"url": "b", "content": "x"}]
    assert human_text.for_humans(pages) == "url: a\ncontent: one\ntwo\n\nurl: b\ncontent: x"


@pytest.mark.parametrize(("value", "text"), [({}, "Done"), ([], "Nothing"), (3, "3"), ("a", "a")])
def test_small_results_are_one_line(value: object, text: str) -> None:
    assert human_text.for_humans(value) == text


def test_page_text_is_verbatim_in_a_pipe(capfd: pytest.CaptureFixture[str]) -> None:
    reply_rendering.show({"content": "a\x1b[31mb\r\nc\ud800"}, command("read_page"), {})
    assert capfd.readouterr().out == "a\x1b[31mb\r\nc?\n"


def test_page_text_does_not_control_a_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    terminal.write("a\x1b[31mb\tc\n")
    assert capfd.readouterr().out == "a\ufffd[31mb\tc\n"
    terminal.write("https://good.example/\u202elive\u2066\n")
    assert capfd.readouterr().out == "https://good.example/\ufffdlive\ufffd\n"


def test_remaining_parts_are_announced_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    page = {"content": "x", "next_offset": 20, "total": 99, "browser_restarted": True}
    reply_rendering.show(page, command("read_page"), {})
    out, err = capfd.readouterr()
    assert out == "x\n"
    assert "--offset 20" in err
    assert "was restarted" in err
    reply_rendering.show(page, command("read_page", quiet=True), {})
    assert capfd.readouterr() == ("x\n", "")


def test_the_note_about_more_is_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    entry = {
        "name": "read_page",
        "params": {"properties": {"offset": {"type": "integer"}}, "required": []},
    }
    step = {"verb": "read_page", "arguments": {"offset": 20}}
    page = {"content": "x", "next_offset": 20, "total": 99, "next_step": step}
    reply_rendering.show(page, command("read_page"), {"read_page": entry})
    assert capfd.readouterr() == ("x\n", "More (99 in total): oc read-page --offset 20\n")


def test_next_step_is_a_command_to_paste(capfd: pytest.CaptureFixture[str]) -> None:
    entry = {
        "name": "oc_task_get",
        "params": {"properties": {"task_id": {"type": "string"}}, "required": ["task_id"]},
    }
    step = {"verb": "oc_task_get", "arguments": {"task_id": "a b"}}
    reply_rendering.show({"n": 1, "next_step": step}, command(), {"oc_task_get": entry})
    assert capfd.readouterr() == ("n: 1\n", "Next: oc task get 'a b'\n")


def test_tasks_are_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    meta = {
        "task_id": "0123456789abcdef", "kind": "crawl", "status": "RUNNING",
        "created_at": "2026-03-01T11:57:00.000Z",
        "progress": {"done": 3, "total": None, "message": "http://x/"},
    }  # fmt: skip
    header, row = task_rendering.task_table([meta]).split("\n")
    assert header.split() == ["ID", "KIND", "STATUS", "DONE", "AGE", "MESSAGE"]
    assert row.split()[:4] == ["0123456789abcdef", "crawl", "RUNNING", "3/?"]
    assert task_rendering.task_table([]) == "No tasks"


@pytest.mark.parametrize(
    ("since", "text"),
    [
        ("2026-03-01T11:59:55.000Z", "5s"),
        ("2026-03-01T11:57:00.000Z", "3m"),
        ("2026-02-28T11:00:00.000Z", "1d"),
        ("2026-03-01T12:00:09.000Z", "0s"),
        ("nonsense", "-"),
        (None, "-"),
    ],
)
def test_ages_are_in_their_largest_unit(since: str | None, text: str) -> None:
    assert task_rendering.age(since, NOW) == text


def test_each_event_is_one_line() -> None:
    event = {"ts": "T", "kind": "progress", "data": {"done": 1, "total": None, "message": ""}}
    assert task_rendering.event_line(event) == "T  progress  done=1"
    assert task_rendering.progress_in(event) == event["data"]
    assert task_rendering.progress_in({"ts": "T", "kind": "unit", "data": {"n": 1}}) is None


def test_errors_list_candidates(capsys: pytest.CaptureFixture[str]) -> None:
    """Candidates, with their refs, are between the error and the hint."""
    line = 'button "Delete" [ref=e4] in: Ann'
    error = OcdError("ambiguous", "2 elements match", hint="Use a ref.", candidates=[line, "b"])
    assert terminal.failure(error, as_json=False) == 1
    said = capsys.readouterr().err.splitlines()
    assert said == ["Error: 2 elements match", f"  {line}", "  b", "Hint: Use a ref."]
