"""Seed 004: files go to Open Chat Studio from disk, without passing through the caller."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.mcp import Http, error_of
from support.site import Site

pytestmark = pytest.mark.usefixtures("headless_shell")

VERB = "ocs_upload_collection_files"


@pytest.fixture(scope="module")
def configured(shared_site: Site) -> Iterator[Daemon]:
    config = f'[ocs]\nbase_url = "{shared_site.origin}"\nteam = "acme"\n'
    with Daemon("--http", "0", config=config) as running:
        yield running


@pytest.fixture
def studio(configured: Daemon, site: Site) -> Iterator[Daemon]:
    """A daemon that knows the studio, logged in there."""
    configured.new_tab(site.url("studio/login"))
    yield configured
    configured.close_tabs()


@pytest.fixture
def folder(studio: Daemon) -> Path:
    """A folder in which agent hosts may name files."""
    found = studio.home.path / "files"
    found.mkdir(mode=0o700, exist_ok=True)
    return found


@pytest.mark.parametrize("size", [67_000, 50_000_000])
def test_a_file_is_uploaded_from_disk(studio: Daemon, site: Site, folder: Path, size: int) -> None:
    """As the seed calls it, with the path alone: cookies, token and chunking are found."""
    path = folder / "pdd.md"
    data = bytes(range(256)) * (size // 256)
    path.write_bytes(data)
    file = {"name": "pdd.md", "file_path": str(path), "mime_type": "text/markdown"}
    answered = Http(studio).call(VERB, collection_id=7, files=[file])
    assert not answered.result["isError"], answered.raw
    assert len(answered.raw) < 1500
    result = studio.do("oc_journal", count=5)
    assert result[-1]["tool"] in (VERB, "oc_journal")
    assert site.state.uploads == [("pdd.md", data), ("chunk_size", b"900")]


def test_the_sites_messages_are_passed_on(studio: Daemon, site: Site, folder: Path) -> None:
    content = base64.b64encode(b"hello").decode()
    (folder / "b.txt").write_text("there")
    files = [{"name": "a.txt", "content": content}, {"file_path": str(folder / "b.txt")}]
    result = studio.do(VERB, collection_id=7, files=files, chunk_size=123)
    assert result["messages"] == ["Added 2 files to collection"]
    assert [(f["name"], f["size_bytes"]) for f in result["files"]] == [("a.txt", 5), ("b.txt", 5)]
    assert result["collection_url"] == site.url("a/acme/documents/collections/7")
    assert site.state.uploads[-1] == ("chunk_size", b"123")


def test_each_failure_has_its_own_error(studio: Daemon, site: Site, folder: Path) -> None:
    """Rejected extension, 403, missing collection, no login: distinct, and nothing is uploaded."""
    (folder / "x.exe").write_bytes(b"MZ")
    (folder / "x.md").write_text("x")
    exe, md = ([{"file_path": str(folder / name)}] for name in ("x.exe", "x.md"))
    rejected = studio.call(VERB, collection_id=7, files=exe).error
    assert rejected["code"] == "upload_rejected"
    assert "x.exe" in rejected["message"]
    assert studio.call(VERB, collection_id=7, files=md, team="else").code == "upload_forbidden"
    assert studio.call(VERB, collection_id=99, files=md).code == "collection_not_found"
    wrong = studio.call(VERB, collection_id=7, files=md, base_url="http://127.0.0.1:9")
    assert wrong.code == "upload_failed"
    studio.do("cookies", action="clear")
    login = studio.call(VERB, collection_id=7, files=md).error
    assert login["code"] == "login_required"
    assert "`navigate {" in login["hint"]
    assert not [name for name, _ in site.state.uploads if name != "chunk_size"]


def test_exactly_one_of_content_and_file_path_is_required(studio: Daemon, folder: Path) -> None:
    """Exactly one of content and file_path, each error naming the file; paths inside the roots."""
    http = Http(studio)
    (folder / "a.md").write_text("x")

    def refused(**file: str) -> dict[str, object]:
        return error_of(http.call(VERB, collection_id=7, files=[{"name": "pdd.md", **file}]).result)

    both = refused(content="eA==", file_path=str(folder / "a.md"))
    assert (both["code"], both["file"]) == ("source_conflict", "pdd.md")
    assert refused()["code"] == "source_missing"
    assert refused(file_path="a.md")["code"] == "path_not_absolute"
    missing = refused(file_path=str(folder / "none.md"))
    assert (missing["code"], missing["errno"]) == ("file_not_found", 2)
    assert refused(file_path="/etc/hostname")["code"] == "path_outside_roots"
    assert refused(content="***")["code"] == "invalid_argument"


def test_the_collection_must_be_given_or_configured(make_daemon: Callable[..., Daemon]) -> None:
    daemon = make_daemon()
    file = [{"name": "a.md", "content": "eA=="}]
    error = daemon.call(VERB, collection_id=7, files=file).error
    assert (error["code"], error["parameter"]) == ("invalid_argument", "base_url")
    assert "[ocs] base_url" in error["hint"]


def test_the_domain_policy_applies(make_daemon: Callable[..., Daemon]) -> None:
    daemon = make_daemon("--block-domain", "studio.example")
    file = [{"name": "a.md", "content": "eA=="}]
    there = {"base_url": "https://studio.example", "team": "acme"}
    assert daemon.call(VERB, collection_id=7, files=file, **there).code == "domain_blocked"
