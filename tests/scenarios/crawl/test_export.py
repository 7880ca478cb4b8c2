"""`oc task export`: a crawl's pages as files of other programs."""

import csv
import json
import sqlite3
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest
from warcio.archiveiterator import ArchiveIterator

from ocd.practice.server import PAGES
from support.daemon import SCRIPTS, Daemon
from support.site import Site
from support.waiting import wait_until


@pytest.fixture
def task_id(daemon: Daemon, site: Site) -> str:
    """A crawl of eight pages that link to each other, and one that is not there."""
    url = site.url("many-pages/1.html")
    task_id = daemon.start_task("crawl", url=url, max_pages=8, engine="static")
    daemon.finish(task_id)
    return task_id


@pytest.fixture
def folder(daemon: Daemon, tmp_path: Path) -> Path:
    return Path(daemon.home.environ["TMPDIR"]) / tmp_path.name


def export(daemon: Daemon, task_id: str, target: Path, *words: str) -> dict[str, object]:
    done = daemon.home.run("oc", "task", "export", task_id, "--out", str(target), *words, "--json")
    result: dict[str, object] = done.ok().json["result"]
    return result


def refusal(daemon: Daemon, verb: str, **params: object) -> dict[str, object]:
    error: dict[str, object] = daemon.call(verb, **params).error
    return error


def test_every_format_has_every_page(daemon: Daemon, task_id: str, folder: Path) -> None:
    folder.mkdir()
    pages = daemon.do("oc_task_get", task_id=task_id, include_result=True)["result"]["pages"]
    urls = [page["url"] for page in pages]
    for name in ("p.jsonl", "p.csv", "p.sqlite", "llms.txt", "md"):
        written = export(daemon, task_id, folder / name)
        assert written["pages"] == len(pages)
        assert written["size_bytes"]
    lines = (folder / "p.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == pages
    with (folder / "p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["content"] for row in rows] == [page["content"] for page in pages]
    assert rows[0]["links"].split("\n") == pages[0]["links"]
    database = sqlite3.connect(folder / "p.sqlite")
    assert [row[0] for row in database.execute("SELECT url FROM pages ORDER BY id")] == urls
    linked = database.execute("SELECT count(*) FROM links").fetchone()[0]
    assert linked == sum(len(page["links"]) for page in pages)
    database.close()
    text = (folder / "llms.txt").read_text()
    assert text.startswith(f"# Chapter 1\n\n## Pages\n\n- [Chapter 1]({urls[0]})")
    assert sorted(path.name for path in folder.iterdir()) == [
        "llms.txt", "md", "p.csv", "p.jsonl", "p.sqlite",
    ]  # fmt: skip


def test_a_running_task_exports_what_it_has_so_far(
    daemon: Daemon, site: Site, folder: Path
) -> None:
    """Without a page yet it is asked to wait; its result, too, is what it has."""
    folder.mkdir()
    urls = [site.url("gate/begun"), site.url("gate/ended")]
    task_id = daemon.start_task("crawl", urls=urls, max_depth=0, concurrency=1, engine="static")
    error = refusal(daemon, "oc_task_export", task_id=task_id, path=str(folder / "p.jsonl"))
    assert "yet" in str(error["message"])
    assert "oc_task_wait" in str(error["hint"])
    site.open_gate("begun")
    site.wait_for("gate/ended")
    wait_until(lambda: daemon.task(task_id)["progress"]["done"] == 1)
    assert export(daemon, task_id, folder / "p.jsonl")["pages"] == 1
    (page,) = map(json.loads, (folder / "p.jsonl").read_text().splitlines())
    assert page["url"] == urls[0]
    got = daemon.do("oc_task_get", task_id=task_id, include_result=True)
    assert got["meta"]["status"] == "RUNNING"
    assert got["result"]["summary"]["stop_reason"] == "running"
    assert [one["url"] for one in got["result"]["pages"]] == urls[:1]
    site.open_gate("ended")
    assert daemon.finish(task_id)["status"] == "COMPLETED"


def test_markdown_links_resolve_inside_the_folder(
    daemon: Daemon, task_id: str, folder: Path
) -> None:
    """Links to pages that were fetched lead to their files, others to the site as before."""
    export(daemon, task_id, folder, "--format", "markdown")
    files = sorted(folder.rglob("*.md"))
    assert len(files) == 8
    inside = outside = 0
    for file in files:
        text = file.read_text()
        assert text.startswith('---\nurl: "http://')
        for link in text.split("](")[1:]:
            target = link.partition(")")[0].partition("#")[0]
            if "://" in target:
                outside += 1
            elif target:
                inside += 1
                assert (file.parent / unquote(target)).is_file()
    assert inside > 8
    assert outside > 0


def test_a_folder_export_overwrites_nothing(daemon: Daemon, task_id: str, folder: Path) -> None:
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    error = refusal(daemon, "oc_task_export", task_id=task_id, path=str(folder))
    assert error["code"] == "invalid_argument"
    assert (folder / "mine.txt").read_text() == "mine"


def test_tasks_that_cannot_be_exported_are_refused(
    daemon: Daemon, task_id: str, folder: Path
) -> None:
    unknown = refusal(daemon, "oc_task_export", task_id="0" * 16, path=str(folder))
    assert unknown["code"] == "task_not_found"
    nameless = refusal(daemon, "oc_task_export", task_id=task_id, path=f"{folder}.pdf")
    assert (nameless["code"], nameless["parameter"]) == ("invalid_argument", "format")
    snapshot = daemon.start_task(
        "oc_session_snapshot", objective="x", current_step="y", next_actions=["z"]
    )
    daemon.finish(snapshot)
    other = refusal(daemon, "oc_task_export", task_id=snapshot, path=str(folder))
    assert other["code"] == "invalid_format_for_payload"
    assert not folder.exists()


def records(archive: Path) -> list[tuple[str, str, str, bytes]]:
    """Return kind, address, first line and body of each record, whose digests are right."""
    with archive.open("rb") as file:
        return [
            (
                one.rec_type,
                one.rec_headers.get_header("WARC-Target-URI"),
                one.http_headers.statusline if one.http_headers else "",
                one.content_stream().read(),
            )
            for one in ArchiveIterator(file, check_digests="raise")
        ]


def test_an_archive_has_requests_responses_and_redirects(
    daemon: Daemon, site: Site, folder: Path
) -> None:
    """Answers, requests and redirects; a repeat once; no logins; of a resumed crawl all."""
    moved, page, twin, target = map(
        site.url, ("redirect/1", "article.html", "article.html?again=1", "redirect/0")
    )
    secret = {"headers": {"X-Key": "hush-header"}, "cookies": {"login": "hush-cookie"}}
    crawl = {"urls": [page, moved, twin], "max_depth": 0, "engine": "static", "keep": ["raw"]}
    first = daemon.start_task("crawl", **crawl, **secret, max_pages=1)
    daemon.finish(first)
    task_id = daemon.do("oc_task_resume", task_id=first, max_pages=9, args=secret)["task_id"]
    daemon.finish(task_id)
    folder.mkdir()
    written = export(daemon, task_id, folder / "site.warc")
    found = records(folder / "site.warc")
    assert written["records"] == len(found)
    assert found[0][0] == "warcinfo"
    body = (PAGES / "article.html").read_bytes()
    assert ("response", page, "200 OK", body) in found
    assert ("revisit", twin, "200 OK", b"") in found
    assert ("response", moved, "302 Found", b"") in found
    assert [one[2] for one in found if one[:2] == ("response", target)] == ["200 OK"]
    asked = [one[1] for one in found if one[0] == "request"]
    assert sorted(asked) == sorted([page, twin, moved, target])
    assert b"hush" not in (folder / "site.warc").read_bytes()
    export(daemon, task_id, folder / "packed.warc.gz")
    assert records(folder / "packed.warc.gz")[1:] == found[1:]


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_an_archive_has_redirects_and_failures_without_a_page(
    daemon: Daemon, site: Site, folder: Path, engine: str
) -> None:
    """One leads to a page that is there already, one out of the crawl; one page is missing."""
    other = site.url("article.html").replace("127.0.0.1", "localhost")
    end, near, far = map(site.url, ("redirect/0", "redirect/1", f"redirect-to?url={other}"))
    missing = site.url("missing.html")
    urls = [end, near, far, missing]
    task_id = daemon.start_task(
        "crawl", urls=urls, max_depth=0, engine=engine, keep=["raw"], page_timeout_ms=120_000
    )
    daemon.finish(task_id)
    assert daemon.result_of(task_id)["summary"]["skipped"]["duplicate"] == 1
    folder.mkdir()
    archive = folder / "site.warc.gz"
    export(daemon, task_id, archive)
    answers = {one[1]: one[2].split(" ")[0] for one in records(archive) if one[0] == "response"}
    assert answers == {end: "200", near: "302", far: "302", missing: "404"}
    check = [str(SCRIPTS / "warcio"), "check", str(archive)]
    assert subprocess.run(check, capture_output=True, check=False).returncode == 0


def test_an_archive_needs_raw_responses(
    daemon: Daemon, site: Site, task_id: str, folder: Path
) -> None:
    error = refusal(daemon, "oc_task_export", task_id=task_id, path=f"{folder}.warc.gz")
    assert error["code"] == "invalid_format_for_payload"
    error = refusal(daemon, "crawl", url=site.origin, engine="static", keep=["pdf"])
    assert (error["code"], error["parameter"]) == ("invalid_argument", "keep")


def test_a_browser_keeps_raw_documents_pictures_and_pdfs(
    daemon: Daemon, site: Site, folder: Path
) -> None:
    """Named in the records, carried by exports and by a resumed crawl."""
    page, moved = site.url("article.html"), site.url("redirect/1")
    asked = {"keep": ["raw", "screenshot", "pdf"], "max_depth": 0, "page_timeout_ms": 120_000}
    first = daemon.start_task("crawl", urls=[page, moved], **asked, max_pages=1)
    daemon.finish(first)
    task_id = daemon.do("oc_task_resume", task_id=first, max_pages=2)["task_id"]
    daemon.finish(task_id)
    pages = daemon.result_of(task_id)["pages"]
    assert [(one["engine"], one.get("not_kept")) for one in pages] == [("browser", None)] * 2
    folder.mkdir()
    export(daemon, task_id, folder / "site.jsonl")
    lines = [json.loads(line) for line in (folder / "site.jsonl").read_text().splitlines()]
    for one in lines:
        assert (folder / one["screenshot"]).read_bytes()[8:12] == b"WEBP"
        assert (folder / one["pdf"]).read_bytes().startswith(b"%PDF-")
    assert len(list((folder / "site.jsonl_files").iterdir())) == 4
    # In another format beside it, and once more in its place.
    for _ in range(2):
        export(daemon, task_id, folder / "site.csv")
        assert len(list((folder / "site.csv_files").iterdir())) == 4
    export(daemon, task_id, folder / "md")
    (article,) = (folder / "md").rglob("article.md")
    named = json.loads(article.read_text().split("screenshot: ")[1].splitlines()[0])
    assert (article.parent / named).is_file()
    export(daemon, task_id, folder / "site.warc.gz")
    found = records(folder / "site.warc.gz")
    assert ("response", page, "200 OK", (PAGES / "article.html").read_bytes()) in found
    assert [one[2] for one in found if one[:2] == ("response", moved)] == ["302 Found"]
    (folder / "site.csv_files" / "mine.txt").touch()
    again = refusal(daemon, "oc_task_export", task_id=task_id, path=str(folder / "site.csv"))
    assert (again["code"], again["parameter"]) == ("invalid_argument", "path")
    assert len(list((folder / "site.csv_files").iterdir())) == 5
