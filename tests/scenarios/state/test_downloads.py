"""Downloads: where files are put, under which names, and which calls report them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.daemon import Daemon
from support.site import Site


@pytest.fixture
def at(daemon: Daemon, site: Site) -> Daemon:
    daemon.do("navigate", url=site.url("state/downloads.html"))
    return daemon


def _clicked(daemon: Daemon, query: str, **more: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.do("interact", query=query, **more)["changed"]["downloads"]
    return found


def test_click_reports_the_file_it_downloaded(at: Daemon) -> None:
    """Path, size, state and address; the file lies in the session's folder, for its owner only."""
    (told,) = _clicked(at, "Report")
    path = Path(told["path"])
    assert (told["state"], told["size"], told["url"][-9:]) == ("completed", 8, "/download")
    assert path.read_bytes() == b"a,b\n1,2\n"
    assert path.parent == at.home.path / "files" / "default" / "downloads"
    assert path.name.startswith("report")
    assert path.suffix == ".csv"
    assert path.stat().st_mode & 0o077 == 0


def test_downloads_work_after_a_crawl(at: Daemon, site: Site) -> None:
    """Crawls download nothing; that changes nothing for the tabs of a session."""
    at.do("crawl", url=site.url("chain/1"), max_pages=2, engine="browser")
    assert _clicked(at, "Report")[0]["state"] == "completed"


def test_page_stays_where_it_was_after_a_download(at: Daemon) -> None:
    """A download is no navigation."""
    changed = at.do("interact", query="Report")["changed"]
    assert "navigated" not in changed
    assert "Downloads" in at.do("read_page")["content"]


def test_popup_that_is_a_download(share_daemon: Callable[..., Daemon], site: Site) -> None:
    """target=_blank opens no tab that stays; the file is told by the click.

    In Chromium itself: its headless shell leaves the window open.
    """
    daemon = share_daemon()
    daemon.do("navigate", url=site.url("state/downloads.html"))
    changed = daemon.do("interact", query="Report in a window")["changed"]
    assert changed["downloads"][0]["state"] == "completed"
    assert "popups" not in changed
    assert daemon.do("tabs_context")["tab_count"] == 1


def test_file_made_by_the_page(at: Daemon) -> None:
    """Blobs keep their names, in any script, without what no file name should have."""
    (told,) = _clicked(at, "Made here")
    assert told["file"].startswith("보고서")
    assert Path(told["path"]).read_text() == "made here"


def test_downloads_by_frames_and_after_a_request(at: Daemon) -> None:
    """Downloads that begin a moment after the click are told by it, too."""
    assert _clicked(at, "By a frame")[0]["state"] == "completed"
    told = at.do("interact", query="After an answer")["changed"].get("downloads")
    (late,) = told or at.do("wait_for", type="download", timeout_ms=60_000)["downloads"]
    assert "<html" in Path(late["path"]).read_text()


def test_download_in_progress_is_reported_listed_and_waited_for(at: Daemon, site: Site) -> None:
    """The click returns in time and names the later path; wait_for waits for the file."""
    assert at.call("wait_for", type="download", timeout_ms=100).code == "timeout"
    (begun,) = _clicked(at, "Slow file", timeout_ms=10_000)
    path = Path(begun["path"])
    assert (begun["state"], path.exists()) == ("in_progress", False)
    assert at.do("downloads")["downloads"][0]["state"] == "in_progress"
    waiting = at.start_call("wait_for", type="download", timeout_ms=100_000)
    site.open_gate("file")
    (told,) = waiting.reply().result["downloads"]
    assert (told["state"], told["size"]) == ("completed", 200_000)
    assert told["path"] == begun["path"]
    assert path.stat().st_size == 200_000


def test_same_name_is_never_overwritten(at: Daemon) -> None:
    """Three files of one name are three files."""
    told = _clicked(at, "Three at once")
    texts = {Path(one["path"]).read_text() for one in told}
    assert texts == {"n1", "n2", "n3"}


def test_navigation_to_a_file_gives_its_path(daemon: Daemon, site: Site) -> None:
    """The tab stays; the error has the path."""
    error = daemon.call("navigate", url=site.url("download")).error
    assert error["code"] == "download_started"
    assert Path(error["path"]).read_bytes() == b"a,b\n1,2\n"
    assert error["path"] in error["hint"]


@pytest.mark.parametrize(
    "name",
    [
        "../../../evil.txt",
        "..\\..\\evil.txt",
        "/etc/passwd",
        ".bashrc",
        "CON.txt",
        "a\u202egpj.exe",
        "x" * 3000 + ".txt",
        "..",
        "file\tname\u0000.txt",
    ],
)
def test_hostile_file_names_stay_in_the_folder(daemon: Daemon, site: Site, name: str) -> None:
    """No folders, hidden files, device names, direction marks or endless names."""
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    error = daemon.call("navigate", url=site.url(f"state/file?as={quote(disposition)}")).error
    path = Path(error["path"])
    assert path.resolve().parent == (daemon.home.path / "files/default/downloads").resolve()
    assert path.read_bytes() == b"xxxxx"
    assert not path.name.startswith(".")
    assert len(path.name.encode()) <= 150
    assert "\u202e" not in path.name
    assert path.stem.lower() != "con"


def test_file_that_is_too_large_is_cancelled(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """max_download_mb bounds what a page may fill the disk with."""
    daemon = make_daemon(config="max_download_mb = 1\n")
    daemon.do("navigate", url=site.url("state/downloads.html"))
    (told,) = _clicked(daemon, "Huge file")
    assert told["state"] == "too_large"
    assert "path" not in told
    assert not list((daemon.home.path / "files").rglob("huge*"))


def test_sessions_have_folders_of_their_own(daemon: Daemon, site: Site) -> None:
    """What one session brings does not lie among another's files."""
    error = daemon.call("navigate", session="other", url=site.url("download")).error
    assert Path(error["path"]).parent == daemon.home.path / "files" / "other" / "downloads"


def test_downloads_are_listed_with_their_folder(at: Daemon, site: Site) -> None:
    """Newest first, those that come as such; `path` says where one is, by name or the newest."""
    _clicked(at, "Report")
    (newest,) = _clicked(at, "Made here")
    listed = at.do("downloads")
    assert Path(listed["folder"]) == at.home.path / "files" / "default" / "downloads"
    assert listed["downloads"][0]["path"] == newest["path"]
    assert at.do("downloads", action="path")["path"] == newest["path"]
    name = next(one["file"] for one in listed["downloads"] if one["file"].startswith("report"))
    assert at.oc("downloads", "path", name).ok().out.count(name) >= 1
    assert at.call("downloads", action="path", name="no such file").code == "file_not_found"


def test_list_without_downloads(daemon: Daemon) -> None:
    """An empty list and the folder where files will be; no path to give."""
    daemon.do("tabs_create", session="fresh")
    assert daemon.do("downloads", session="fresh")["downloads"] == []
    assert daemon.call("downloads", session="fresh", action="path").code == "file_not_found"
