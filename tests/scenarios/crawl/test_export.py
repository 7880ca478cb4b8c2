"""`oc task export`: a crawl's pages as files of other programs."""

import csv
import json
import sqlite3
from pathlib import Path
from urllib.parse import unquote

import pytest

from support.daemon import Daemon
from support.site import Site


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
    assert text.startswith(f"# {urls[0]}\n\n## Pages\n\n- [Chapter 1]({urls[0]}): ")
    assert sorted(path.name for path in folder.iterdir()) == [
        "llms.txt", "md", "p.csv", "p.jsonl", "p.sqlite",
    ]  # fmt: skip


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


def test_nothing_is_overwritten_by_a_folder(daemon: Daemon, task_id: str, folder: Path) -> None:
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    error = refusal(daemon, "oc_task_export", task_id=task_id, path=str(folder))
    assert error["code"] == "invalid_argument"
    assert (folder / "mine.txt").read_text() == "mine"


def test_what_cannot_be_exported(daemon: Daemon, task_id: str, folder: Path) -> None:
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
